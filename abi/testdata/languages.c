/* What the program of languages.f90 wants of C. */
#include <mpi.h>

static int sum;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    sum = *(MPI_Aint *)in + 100;
    *(void **)out = &sum;
    *flag = 1;
    return MPI_SUCCESS;
}

void c_keys_(MPI_Fint *with_dup, MPI_Fint *with_copy)
{
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, with_dup, NULL);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, with_copy, NULL);
}

void c_set_(MPI_Fint *comm, MPI_Fint *key, MPI_Aint *address) { MPI_Comm_set_attr(MPI_Comm_f2c(*comm), *key, (void *)*address); }

static void *value_of(MPI_Fint comm, MPI_Fint key)
{
    void *value = NULL;
    int flag = 0;
    MPI_Comm_get_attr(MPI_Comm_f2c(comm), key, &value, &flag);
    return flag ? value : NULL;
}

MPI_Aint c_address_(MPI_Fint *comm, MPI_Fint *key) { return (MPI_Aint)value_of(*comm, *key); }
MPI_Aint c_int_(MPI_Fint *comm, MPI_Fint *key) { return *(int *)value_of(*comm, *key); }
MPI_Aint c_aint_(MPI_Fint *comm, MPI_Fint *key) { return *(MPI_Aint *)value_of(*comm, *key); }

MPI_Aint c_type_aint_(MPI_Fint *type, MPI_Fint *key)
{
    MPI_Aint *value = NULL;
    int flag;
    MPI_Type_get_attr(MPI_Type_f2c(*type), *key, &value, &flag);
    return *value;
}

MPI_Aint c_win_aint_(MPI_Fint *win, MPI_Fint *key)
{
    MPI_Aint *value = NULL;
    int flag;
    MPI_Win_get_attr(MPI_Win_f2c(*win), *key, &value, &flag);
    return *value;
}

/* c_handles counts the handles that are not the object that Fortran means, or not the same when they go back. */
void c_handles_(MPI_Fint *comm, MPI_Fint *group, MPI_Fint *type, MPI_Fint *op, MPI_Fint *info, MPI_Fint *win, MPI_Fint *handler, MPI_Fint *request, MPI_Fint *bad)
{
    MPI_Comm c = MPI_Comm_f2c(*comm);
    MPI_Group g = MPI_Group_f2c(*group), of_c, of_win;
    MPI_Info i = MPI_Info_f2c(*info);
    MPI_Win w = MPI_Win_f2c(*win);
    MPI_Request r = MPI_Request_f2c(*request);
    int same, keys = 0, members = 0, done = 1, answer = 42;
    MPI_Comm_group(c, &of_c);
    MPI_Group_compare(g, of_c, &same);
    MPI_Win_get_group(w, &of_win);
    MPI_Group_size(of_win, &members);
    MPI_Info_get_nkeys(i, &keys);
    MPI_Test(&r, &done, MPI_STATUS_IGNORE);
    *bad = (c != MPI_COMM_WORLD) + (same != MPI_IDENT) + (MPI_Type_f2c(*type) != MPI_INTEGER) + (MPI_Op_f2c(*op) != MPI_SUM) + (keys != 1) +
           (members != 1) + (MPI_Errhandler_f2c(*handler) != MPI_ERRORS_RETURN) + done;
    *bad += (MPI_Comm_c2f(c) != *comm) + (MPI_Group_c2f(g) != *group) + (MPI_Type_c2f(MPI_INTEGER) != *type) + (MPI_Op_c2f(MPI_SUM) != *op) +
            (MPI_Info_c2f(i) != *info) + (MPI_Win_c2f(w) != *win) + (MPI_Errhandler_c2f(MPI_ERRORS_RETURN) != *handler) + (MPI_Request_c2f(r) != *request);
    MPI_Group_free(&of_c);
    MPI_Group_free(&of_win);
    MPI_Send(&answer, 1, MPI_INT, 0, 3, MPI_COMM_SELF);
}

/* c_status adds 10 to the tag, and 10 more after each conversion. */
void c_status_(MPI_F08_status *status, MPI_Fint *other)
{
    MPI_Status own;
    MPI_Status_f082c(status, &own);
    own.MPI_TAG += 10;
    MPI_Status_c2f(&own, other);
    other[MPI_F_TAG] += 10;
    MPI_Status_f2c(other, &own);
    own.MPI_TAG += 10;
    MPI_Status_c2f08(&own, status);
}
