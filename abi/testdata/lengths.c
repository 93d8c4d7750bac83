/* Ranks that give different lengths, or one buffer twice, in collective operations. Each prints which
   of its calls have failed; at the end all have to be in step. */
#include <mpi.h>
#include <stdio.h>

int rank, size, failed[16], calls;

static void note(int code) { failed[calls++] = code != MPI_SUCCESS; }

static void wait_for(int code, MPI_Request *request)
{
    note(code != MPI_SUCCESS ? code : MPI_Wait(request, MPI_STATUS_IGNORE));
}

/* other_types sends rank 0 a part of an element, and swaps a number that is not whole. It returns the
   error of the first if the second has failed as it should. */
static int other_types(void)
{
    int code = MPI_SUCCESS, class, blocks[] = {1, 1}, at[] = {0, 2}, in[3];
    float a = 1, b = 2, c = 3;
    MPI_Datatype gaps;
    MPI_Win win;
    MPI_Type_indexed(2, blocks, at, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    if (rank == 1)
        MPI_Send("abc", 3, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        code = MPI_Recv(in, 1, gaps, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_create(&a, sizeof a, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, win);
    MPI_Error_class(MPI_Compare_and_swap(&b, &a, &c, MPI_FLOAT, 0, 0, win), &class);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Type_free(&gaps);
    return class == MPI_ERR_TYPE ? code : MPI_ERR_OTHER;
}

int main(int argc, char **argv)
{
    MPI_Request request;
    int in[64] = {0}, out[64], sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int few = rank == 0 ? 1 : 10;
    note(MPI_Bcast(in, few, MPI_INT, 0, MPI_COMM_WORLD));
    wait_for(MPI_Ibcast(in, few, MPI_INT, 0, MPI_COMM_WORLD, &request), &request);
    note(MPI_Scatter(in, few, MPI_INT, out, 10, MPI_INT, 0, MPI_COMM_WORLD));
    wait_for(MPI_Iscatter(in, few, MPI_INT, out, 10, MPI_INT, 0, MPI_COMM_WORLD, &request), &request);
    note(MPI_Gather(in, 10, MPI_INT, out, few, MPI_INT, 0, MPI_COMM_WORLD));
    note(MPI_Allgather(in, few, MPI_INT, out, 10, MPI_INT, MPI_COMM_WORLD));
    note(MPI_Alltoall(in, few, MPI_INT, out, 10, MPI_INT, MPI_COMM_WORLD));
    if (rank == 1) { /* these fail at once, so that no other rank has to call them */
        int counts[] = {1, 1, 1, 1}, at[] = {0, 1, 2, 3};
        note(MPI_Gather(in + 1, 1, MPI_INT, in, 1, MPI_INT, 1, MPI_COMM_WORLD));
        note(MPI_Scatterv(in, counts, at, MPI_INT, in + 1, 1, MPI_INT, 1, MPI_COMM_WORLD));
        note(MPI_Allgather(in + 1, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD));
        note(MPI_Alltoallv(in, counts, at, MPI_INT, in, counts, at, MPI_INT, MPI_COMM_WORLD));
    }
    note(other_types());
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d: failed", rank);
    for (int i = 0; i < calls; i++)
        printf(" %d", failed[i]);
    printf(", sum %d\n", sum);
    MPI_Finalize();
    return 0;
}
