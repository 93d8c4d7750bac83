/* Displacements of MPI_Neighbor_alltoallw are MPI_Aint, unlike those of MPI_Alltoallw. */
#include <mpi.h>
#include <stdio.h>

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

int main(int argc, char **argv)
{
    MPI_Comm ring;
    int all, provided, periodic = 1;
    MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    for (int form = 0; form < 4; form++)
        exchange(ring, form);
    MPI_Comm_free(&ring);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    MPI_Finalize();
    return wrong != 0;
}
