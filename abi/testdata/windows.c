/* Windows whose memory ranks share, or attach by themselves. Each rank prints what it has found. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, unit, at = 0;
    long *mine, *first;
    MPI_Aint bytes, place, *places;
    MPI_Comm host;
    MPI_Win shared, dynamic;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &at);
    MPI_Win_allocate_shared(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, host, &mine, &shared);
    MPI_Win_lock_all(0, shared);
    mine[0] = 10 + at;
    MPI_Win_sync(shared);
    MPI_Barrier(host);
    MPI_Win_sync(shared);
    MPI_Win_shared_query(shared, 0, &bytes, &unit, &first);
    long sum = first[0] + mine[-2 * at]; /* the parts follow each other */
    MPI_Win_unlock_all(shared);
    MPI_Win_free(&shared);

    long *own = malloc(4 * sizeof(long));
    for (int i = 0; i < 4; i++)
        own[i] = 100 * rank + i;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_attach(dynamic, own, 4 * sizeof(long));
    MPI_Get_address(own, &place);
    places = malloc(size * sizeof *places);
    MPI_Allgather(&place, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
    int right = (rank + 1) % size;
    long got = -1, add = 1000;
    MPI_Win_fence(0, dynamic);
    MPI_Get(&got, 1, MPI_LONG, right, MPI_Aint_add(places[right], 3 * sizeof(long)), 1, MPI_LONG, dynamic);
    MPI_Accumulate(&add, 1, MPI_LONG, right, places[right], 1, MPI_LONG, MPI_SUM, dynamic);
    MPI_Win_fence(0, dynamic);
    printf("%d: shared %ld of %ld bytes, got %ld, has %ld\n", rank, sum, (long)bytes, got, own[0]);
    MPI_Win_detach(dynamic, own);
    MPI_Win_free(&dynamic);
    MPI_Comm_free(&host);
    MPI_Finalize();
    return 0;
}
