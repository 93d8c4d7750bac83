/* Operations with neighbours: displacements of MPI_Neighbor_alltoallw, which are MPI_Aint, unlike those of MPI_Alltoallw, and parts for
   neighbours that there are not. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>

static int rank, size, wrong;

/* exchange sends one number down a ring and two up, by one of the forms of the operation. */
static void exchange(MPI_Comm ring, int form)
{
    int out[6] = {-1, 100 + rank, -1, -1, 200 + rank, 300 + rank}, in[6] = {-2, -2, -2, -2, -2, -2};
    int give[2] = {1, 2}, take[2] = {2, 1};
    MPI_Count give_c[2] = {1, 2}, take_c[2] = {2, 1};
    MPI_Aint from[2] = {1 * sizeof(int), 4 * sizeof(int)}, to[2] = {4 * sizeof(int), 2 * sizeof(int)};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Request request = MPI_REQUEST_NULL;
    switch (form) {
    case 0: MPI_Neighbor_alltoallw(out, give, from, types, in, take, to, types, ring); break;
    case 1: MPI_Neighbor_alltoallw_c(out, give_c, from, types, in, take_c, to, types, ring); break;
    case 2: MPI_Ineighbor_alltoallw(out, give, from, types, in, take, to, types, ring, &request); break;
    case 3: MPI_Neighbor_alltoallw_init(out, give, from, types, in, take, to, types, ring, MPI_INFO_NULL, &request); break;
    }
    if (form == 3)
        MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (form == 3)
        MPI_Request_free(&request);
    int below = (rank + size - 1) % size, above = (rank + 1) % size;
    int want[6] = {-2, -2, 100 + above, -2, 200 + below, 300 + below};
    for (int i = 0; i < 6; i++) {
        if (in[i] != want[i] && wrong++ < 5)
            printf("%d: form %d, number %d: %d; expected %d\n", rank, form, i, in[i], want[i]);
    }
}

enum { PART = 1 << 16 };

/* ends exchanges columns on a line, at whose upper end no rank has memory for the neighbour that there is not. */
static void ends(MPI_Comm line)
{
    int *out = mmap(NULL, 2 * PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int *in = mmap(NULL, 2 * PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int count = PART / sizeof(int) / 2;
    MPI_Datatype numbers, column;
    MPI_Type_vector(count, 1, 2, MPI_INT, &numbers);
    MPI_Type_create_resized(numbers, 0, PART, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < 2 * PART / (int)sizeof(int); i++) {
        out[i] = 100 * rank + (i >= 2 * count);
        in[i] = -1;
    }
    if (rank == size - 1) {
        munmap((char *)out + PART, PART);
        munmap((char *)in + PART, PART);
    }
    MPI_Neighbor_alltoall(out, 1, column, in, 1, column, line);
    for (int i = 0; i < (rank == size - 1 ? 2 : 4) * count; i++) {
        int side = i >= 2 * count, from = side ? rank + 1 : rank - 1;
        int want = i % 2 || from < 0 ? -1 : 100 * from + !side;
        if (in[i] != want && wrong++ < 5)
            printf("%d: number %d of the line: %d; expected %d\n", rank, i, in[i], want);
    }
    MPI_Type_free(&numbers);
    MPI_Type_free(&column);
}

/* expect_class checks what a call with a mistake returns. */
static void expect_class(const char *what, int code, int want)
{
    int class;
    MPI_Error_class(code, &class);
    if (class != want && wrong++ < 5)
        printf("%d: %s: class %d; expected %d\n", rank, what, class, want);
}

static void mistakes(void)
{
    MPI_Comm graph;
    MPI_Group all, none;
    int commutes, down[] = {1, 0}, below[] = {-1}, edges[] = {0};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    expect_class("an index below 0", MPI_Graph_create(MPI_COMM_WORLD, 1, below, edges, 0, &graph), MPI_ERR_ARG);
    if (size > 1)
        expect_class("an index that decreases", MPI_Graph_create(MPI_COMM_WORLD, 2, down, edges, 0, &graph), MPI_ERR_ARG);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    expect_class("less than no ranks", MPI_Group_incl(all, -1, edges, &none), MPI_ERR_ARG);
    MPI_Group_free(&all);
    expect_class("no operation", MPI_Op_commutative(MPI_OP_NULL, &commutes), MPI_ERR_OP);
}

int main(int argc, char **argv)
{
    MPI_Comm ring, line;
    int all, provided, periodic = 1, open = 0;
    MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    for (int form = 0; form < 4; form++)
        exchange(ring, form);
    MPI_Comm_free(&ring);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &line);
    ends(line);
    MPI_Comm_free(&line);
    mistakes();
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    MPI_Finalize();
    return wrong != 0;
}
