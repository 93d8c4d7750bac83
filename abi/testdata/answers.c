/* What calls answer where programs seldom ask: errors of the program's own, requests of its own that fail or are freed early, statuses of
   nothing, what a split by hardware gives. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, ranks, wrong;

static void expect(int line, int got, int want)
{
    if (got != want && wrong++ < 10)
        fprintf(stderr, "rank %d, line %d: %d, not %d\n", rank, line, got, want);
}

#define EXPECT(got, want) expect(__LINE__, got, want)

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

static void errors_of_the_program(void)
{
    int class, code;
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "ours");
    EXPECT(class_of(MPI_Remove_error_class(class)), MPI_ERR_ARG); /* it has a code */
    EXPECT(class_of(MPI_Remove_error_code(code)), MPI_ERR_ARG);   /* it has a text */
    EXPECT(MPI_Remove_error_string(code), MPI_SUCCESS);
    EXPECT(class_of(MPI_Remove_error_string(code)), MPI_ERR_ARG);
    MPI_Error_string(code, text, &length);
    EXPECT(length, 0);
    EXPECT(MPI_Remove_error_code(code), MPI_SUCCESS);
    EXPECT(MPI_Remove_error_class(class), MPI_SUCCESS);
    EXPECT(class_of(MPI_Remove_error_class(class)), MPI_ERR_ARG);
}

static int freed;

static int no_query(void *extra, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int free_it(void *extra)
{
    freed++;
    return extra ? MPI_ERR_BUFFER : MPI_SUCCESS;
}

static int cannot_cancel(void *extra, int complete) { return MPI_ERR_BUFFER; }

static void requests_of_the_program(void)
{
    MPI_Request r, copy;
    int on_heap = 1;
    MPI_Grequest_start(no_query, free_it, cannot_cancel, NULL, &r);
    EXPECT(class_of(MPI_Cancel(&r)), MPI_ERR_BUFFER);
    copy = r;
    MPI_Request_free(&r);
    EXPECT(freed, 0);
    EXPECT(r == MPI_REQUEST_NULL, 1);
    EXPECT(MPI_Grequest_complete(copy), MPI_SUCCESS);
    EXPECT(freed, 1);
    EXPECT(class_of(MPI_Grequest_complete(copy)), MPI_ERR_REQUEST);
    MPI_Grequest_start(no_query, free_it, cannot_cancel, &on_heap, &r);
    MPI_Grequest_complete(r);
    EXPECT(class_of(MPI_Wait(&r, MPI_STATUS_IGNORE)), MPI_ERR_BUFFER);
    EXPECT(freed, 2);
}

static void statuses_of_nothing(void)
{
    MPI_Status s;
    MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int index, flag;
#define EMPTY(CALL)                         \
    memset(&s, 0x5a, sizeof s);             \
    CALL;                                   \
    EXPECT(s.MPI_ERROR, MPI_SUCCESS);       \
    EXPECT(s.MPI_SOURCE, MPI_ANY_SOURCE);   \
    EXPECT(s.MPI_TAG, MPI_ANY_TAG)
    EMPTY(MPI_Wait(none, &s));
    EMPTY(MPI_Test(none, &flag, &s));
    EMPTY(MPI_Waitany(2, none, &index, &s));
    EMPTY(MPI_Testany(2, none, &index, &flag, &s));
    EMPTY(MPI_Request_get_status(none[0], &flag, &s));
    EMPTY(MPI_Request_get_status_any(2, none, &index, &flag, &s));

    int one = rank; /* of a message the field stays as it was */
    s.MPI_ERROR = 12345;
    MPI_Sendrecv(&one, 1, MPI_INT, rank, 0, &index, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &s);
    EXPECT(s.MPI_ERROR, 12345);
}

static void resources(void)
{
    static const int split[] = {MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_RESOURCE_GUIDED};
    MPI_Info info;
    MPI_Comm shared, same;
    int size, other, found, length = 16;
    char value[16];
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    MPI_Comm_size(shared, &size);
    MPI_Comm_free(&shared);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_split_type(MPI_COMM_WORLD, split[i], 0, MPI_INFO_NULL, &same);
        EXPECT(same == MPI_COMM_NULL, 1);
        MPI_Info_create(&info);
        MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
        MPI_Comm_split_type(MPI_COMM_WORLD, split[i], 0, info, &same);
        EXPECT(same != MPI_COMM_NULL, 1);
        MPI_Comm_size(same, &other);
        EXPECT(other, size);
        MPI_Comm_free(&same);
        MPI_Info_free(&info);
    }
    MPI_Get_hw_resource_info(&info);
    MPI_Info_get_string(info, "mpi_shared_memory", &length, value, &found);
    EXPECT(found && strcmp(value, "true") == 0, 1);
    MPI_Info_free(&info);

    MPI_Datatype pair;
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
    EXPECT(pair == MPI_DOUBLE_INT, 1);
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_DOUBLE, &pair);
    EXPECT(pair == MPI_DATATYPE_NULL, 1);
    EXPECT(class_of(MPI_Type_get_value_index(MPI_DATATYPE_NULL, MPI_INT, &pair)), MPI_ERR_TYPE);

    MPI_Abi_get_fortran_info(&info);
    static const char *const has[][2] = {{"mpi_integer_size", "4"}, {"mpi_double_precision_size", "8"}, {"mpi_real16_supported", "true"}, {"mpi_real2_supported", "false"}};
    for (int i = 0; i < 4; i++) {
        length = sizeof value;
        MPI_Info_get_string(info, has[i][0], &length, value, &found);
        EXPECT(found && strcmp(value, has[i][1]) == 0, 1);
    }
    MPI_Info_free(&info);
}

/* What a new communicator has alone can be set while it is being made; and groups that face each other are split by hosts, too. */
static void communicators(void)
{
    MPI_Comm copy, half, inter, near;
    MPI_Request r;
    MPI_Errhandler handler;
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &r);
    EXPECT(MPI_Comm_set_errhandler(copy, MPI_ERRORS_ARE_FATAL), MPI_SUCCESS);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Comm_get_errhandler(copy, &handler);
    EXPECT(handler == MPI_ERRORS_ARE_FATAL, 1);
    MPI_Comm_free(&copy);
    if (ranks == 1)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &inter);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    int all, here = 0, there = 0;
    MPI_Comm_size(near, &all);
    MPI_Comm_free(&near);
    MPI_Comm_split_type(inter, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    EXPECT(near == MPI_COMM_NULL, all == 1);
    if (near != MPI_COMM_NULL) {
        MPI_Comm_size(near, &here);
        MPI_Comm_remote_size(near, &there);
        EXPECT(here + there, all);
        MPI_Comm_free(&near);
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    errors_of_the_program();
    requests_of_the_program();
    statuses_of_nothing();
    resources();
    communicators();
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", wrong);
    MPI_Finalize();
    return 0;
}
