/* Rank 0 sends in four partitions, the last one first, of every second number; rank 1 receives in two. A range past the end
   makes none of them ready. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, numbers[16];
    MPI_Datatype every_second;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Type_vector(2, 1, 2, MPI_INT, &every_second);
    MPI_Type_create_resized(every_second, 0, 4 * sizeof(int), &every_second);
    MPI_Type_commit(&every_second);
    if (rank == 0)
        MPI_Psend_init(numbers, 4, 1, every_second, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Precv_init(numbers, 2, 2, every_second, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 16; i++)
            numbers[i] = rank == 0 ? 100 * round + i : -1;
        MPI_Start(&request);
        if (rank == 0) {
            int first[] = {3, 1};
            if (MPI_Pready_range(2, 7, request) == MPI_SUCCESS || MPI_Pready_range(-1, 2, request) == MPI_SUCCESS)
                printf("a range past the ends is taken\n");
            if (MPI_Pready_list(2, first, request) != MPI_SUCCESS || MPI_Pready(0, request) != MPI_SUCCESS
                || MPI_Pready_range(2, 2, request) != MPI_SUCCESS)
                printf("a partition is refused\n");
        } else {
            int arrived = 0;
            while (!arrived)
                MPI_Parrived(request, 1, &arrived);
            printf("round %d: %d %d %d, ", round, numbers[8], numbers[9], numbers[14]);
        }
        MPI_Status status;
        MPI_Wait(&request, &status);
        if (rank == 1)
            printf("%d from %d with tag %d\n", numbers[0], status.MPI_SOURCE, status.MPI_TAG);
    }
    MPI_Request_free(&request);
    MPI_Type_free(&every_second);
    MPI_Finalize();
    return 0;
}
