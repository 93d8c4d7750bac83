/* Persistent sends and receives, which all ranks of a ring exchange, in the ways in which programs start and end them. With an
   argument threads may call at once. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 300, TAG = 3, LONG = 300000, SHORT = 5 };

static int rank, size, left, right, wrong;

static void expect(const char *what, long got, long want)
{
    if (got != want && wrong++ < 5)
        printf("%d: %s: %ld; expected %ld\n", rank, what, got, want);
}

/* What is exchanged: with both neighbours, and with nobody. */
enum { RECEIVES = 3, ALL = 6 };
static MPI_Request all[ALL];
static int *out, *in[2];
static int ints;

static void make(MPI_Comm comm, int n, int from_any)
{
    ints = n;
    out = malloc(n * sizeof *out);
    for (int i = 0; i < 2; i++)
        in[i] = malloc(n * sizeof **in);
    MPI_Recv_init(in[0], n, MPI_INT, from_any ? MPI_ANY_SOURCE : left, TAG, comm, &all[0]);
    MPI_Recv_init(in[1], n, MPI_INT, right, from_any ? MPI_ANY_TAG : TAG + 1, comm, &all[1]);
    MPI_Recv_init_c(in[1], n, MPI_INT, MPI_PROC_NULL, TAG, comm, &all[2]);
    MPI_Send_init(out, n, MPI_INT, right, TAG, comm, &all[3]);
    MPI_Rsend_init(out, n, MPI_INT, MPI_PROC_NULL, TAG, comm, &all[4]);
    MPI_Send_init_c(out, n, MPI_INT, left, TAG + 1, comm, &all[5]);
}

static void fill(int round)
{
    for (int i = 0; i < ints; i++)
        out[i] = 1000 * rank + round + i;
    memset(in[0], 0, ints * sizeof **in);
    memset(in[1], 0, ints * sizeof **in);
}

/* Whoever has the status of a request, in the order in which they were made. */
static void check_status(int i, const MPI_Status *s)
{
    int count;
    MPI_Get_count(s, MPI_INT, &count);
    expect("source", s->MPI_SOURCE, i == 0 ? left : i == 1 ? right : i == 2 ? MPI_PROC_NULL : MPI_ANY_SOURCE);
    expect("tag", s->MPI_TAG, i == 0 ? TAG : i == 1 ? TAG + 1 : MPI_ANY_TAG);
    expect("count", count, i < 2 ? ints : 0);
}

static void check_data(int round)
{
    expect("first of the left", in[0][0], 1000 * left + round);
    expect("last of the left", in[0][ints - 1], 1000 * left + round + ints - 1);
    expect("last of the right", in[1][ints - 1], 1000 * right + round + ints - 1);
    for (int i = 0; i < ALL; i++)
        expect("request", all[i] != MPI_REQUEST_NULL, 1);
}

/* Waits for all, one after the other where a call ends one. */
static void end_all(int way)
{
    MPI_Status s[ALL];
    int index, n, flag = 0, indices[ALL], seen = 0;
    switch (way) {
    case 0:
        MPI_Waitall(ALL, all, s);
        for (int i = 0; i < ALL; i++)
            check_status(i, &s[i]);
        break;
    case 1:
        for (int i = ALL - 1; i >= 0; i--) {
            MPI_Wait(&all[i], s);
            check_status(i, s);
        }
        break;
    case 2:
        for (;;) {
            MPI_Waitany(ALL, all, &index, s);
            if (index == MPI_UNDEFINED)
                break;
            check_status(index, s);
            seen += 1 << index;
        }
        expect("ended by Waitany", seen, (1 << ALL) - 1);
        break;
    case 3:
        for (;;) {
            MPI_Waitsome(ALL, all, &n, indices, s);
            if (n == MPI_UNDEFINED)
                break;
            for (int i = 0; i < n; i++) {
                check_status(indices[i], &s[i]);
                seen += 1 << indices[i];
            }
        }
        expect("ended by Waitsome", seen, (1 << ALL) - 1);
        break;
    case 4:
        while (!flag)
            MPI_Testall(ALL, all, &flag, s);
        for (int i = 0; i < ALL; i++)
            check_status(i, &s[i]);
        break;
    case 5:
        for (int i = 0; i < ALL; i++) {
            for (flag = 0; !flag;)
                MPI_Test(&all[i], &flag, s);
            check_status(i, s);
        }
        break;
    case 6: /* the core gets what the front has started */
        for (int i = 0; i < ALL; i++) {
            for (flag = 0; !flag;)
                MPI_Request_get_status(all[i], &flag, s);
            check_status(i, s);
        }
        MPI_Waitall(ALL, all, MPI_STATUSES_IGNORE);
        break;
    }
    MPI_Wait(&all[0], s); /* one that is not active is complete, without a message */
    expect("source of none", s->MPI_SOURCE, MPI_ANY_SOURCE);
    MPI_Test(&all[3], &flag, s);
    expect("flag of none", flag, 1);
}

static void exchange(MPI_Comm comm)
{
    for (int round = 0; round < ROUNDS; round++) {
        fill(round);
        if (round % 3 == 0) {
            for (int i = 0; i < ALL; i++)
                MPI_Start(&all[i]);
        } else if (round % 3 == 1) {
            MPI_Startall(ALL, all);
        } else {
            MPI_Startall(RECEIVES, all);
            MPI_Barrier(comm);
            MPI_Startall(ALL - RECEIVES, all + RECEIVES);
        }
        end_all(round / 3 % 7);
        check_data(round);
    }
    for (int i = 0; i < ALL; i++) {
        MPI_Request_free(&all[i]);
        expect("freed request", all[i] == MPI_REQUEST_NULL, 1);
    }
    free(out);
    free(in[0]);
    free(in[1]);
    MPI_Barrier(comm);
}

/* A request of a communicator that the program has freed, and one beside messages that are not persistent. */
static void freed(void)
{
    MPI_Comm comm, again;
    int value, got, another;
    MPI_Request r[3];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Recv_init(&got, 1, MPI_INT, left, TAG, comm, &r[0]);
    MPI_Send_init(&value, 1, MPI_INT, right, TAG, comm, &r[1]);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &again);
    MPI_Barrier(again);
    for (int round = 0; round < ROUNDS; round++) {
        value = 10 * round + rank;
        MPI_Irecv(&another, 1, MPI_INT, left, TAG, again, &r[2]);
        MPI_Startall(2, r);
        MPI_Send(&round, 1, MPI_INT, right, TAG, again);
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
        expect("message of a communicator that is freed", got, 10 * round + left);
        expect("message of another one", another, round);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Comm_free(&again);
}

/* What is cancelled, started twice, or freed while it is active. */
static void ends(void)
{
    int value = rank, got = -1, flag, code;
    MPI_Request r, s;
    MPI_Status status;
    MPI_Recv_init(&got, 1, MPI_INT, left, TAG, MPI_COMM_WORLD, &r);
    MPI_Send_init(&value, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, &s);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Start(&r);
        if (round % 2) {
            code = MPI_Start(&r);
            MPI_Error_class(code, &code);
            expect("class of a second start", code, MPI_ERR_REQUEST);
        }
        MPI_Cancel(&r);
        MPI_Wait(&r, &status);
        MPI_Test_cancelled(&status, &flag);
        expect("cancelled", flag, 1);
        MPI_Barrier(MPI_COMM_WORLD);
        got = -1;
        MPI_Start(&r);
        MPI_Start(&s);
        MPI_Wait(&s, MPI_STATUS_IGNORE);
        MPI_Wait(&r, &status);
        expect("behind one that was cancelled", got, left);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    got = -1;
    MPI_Start(&r);
    MPI_Start(&s);
    MPI_Request_free(&s); /* what has been started is sent all the same */
    MPI_Wait(&r, &status);
    MPI_Request_free(&r);
    expect("of a send that is freed", got, left);
}

int main(int argc, char **argv)
{
    int level, total;
    MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    make(MPI_COMM_WORLD, SHORT, 0);
    exchange(MPI_COMM_WORLD);
    make(MPI_COMM_WORLD, SHORT, 1);
    exchange(MPI_COMM_WORLD);
    make(MPI_COMM_WORLD, LONG / (int)sizeof(int), 0);
    exchange(MPI_COMM_WORLD);
    freed();
    ends();
    MPI_Reduce(&wrong, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", total);
    MPI_Finalize();
    return 0;
}
