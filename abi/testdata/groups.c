#include <mpi.h>
#include <stdio.h>

/* Two groups without a communicator in common make an intercommunicator; what each gives to the other
 * is summed and scattered there. */
int main(int argc, char **argv)
{
    int rank, size, at, there, got = -1, parts[8], in[8], one, dims[3] = {0, 0, 0}, from;
    int halves[2][3];
    char room[100];
    void *back;
    MPI_Session session;
    MPI_Group all, groups[2];
    MPI_Comm world, between;
    MPI_Status status;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_rank(all, &rank);
    MPI_Group_size(all, &size);
    int split = size / 3 > 0 ? size / 3 : 1;
    for (int g = 0; g < 2; g++) {
        halves[g][0] = g == 0 ? 0 : split;
        halves[g][1] = g == 0 ? split - 1 : size - 1;
        halves[g][2] = 1;
        MPI_Group_range_incl(all, 1, &halves[g], &groups[g]);
    }
    int mine = rank >= split;
    MPI_Intercomm_create_from_groups(groups[mine], 0, groups[1 - mine], 0, "halves", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &between);
    MPI_Comm_size(between, &at);
    MPI_Comm_remote_size(between, &there);

    /* each gives as many elements as both groups have ranks together, of which the first ranks take the most */
    for (int i = 0; i < size; i++)
        in[i] = 100 * rank + i;
    for (int i = 0; i < at; i++)
        parts[i] = i == at - 1 ? size - i : 1;
    int sums[8] = {0};
    MPI_Reduce_scatter(in, sums, parts, MPI_INT, MPI_SUM, between);

    /* a buffer of its own, and after that the one of the session */
    MPI_Comm_create_from_group(all, "world", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
    MPI_Comm_attach_buffer(world, room, sizeof room);
    MPI_Comm_detach_buffer(world, &back, &one);
    MPI_Session_attach_buffer(session, room, sizeof room);
    MPI_Bsend(&rank, 1, MPI_INT, (rank + 1) % size, 1, world);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, world, MPI_STATUS_IGNORE);
    MPI_Session_detach_buffer(session, &back, &one);

    MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 2, world, &status);
    from = status.MPI_SOURCE == MPI_PROC_NULL;
    MPI_Dims_create(5040, 3, dims);
    printf("%d: %d and %d, sum %d, got %d, nobody %d, %d x %d x %d\n", rank, at, there, sums[0], got, from, dims[0], dims[1], dims[2]);
    MPI_Comm_free(&world);
    MPI_Comm_free(&between);
    MPI_Session_finalize(&session);
    return 0;
}
