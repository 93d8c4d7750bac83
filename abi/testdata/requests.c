/* Each rank sends words to the next one of a line, whose ends have no neighbour, in several communicators in turn, and receives them by all
 * calls that complete requests, with and without wildcards. Now and then rank 0 takes messages of all ranks as they come. Rank 0 prints how
 * many answers were wrong, how many calls there were, and behind how many of them the lanes were open still: if there are none, it says so. */
#include "../front/short.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 4000, COMMS = 3, WAYS = 14 };

static int wrong, calls, without;

static void called(void)
{
    calls++;
    without += musubi_lanes.open != 0;
}

static void expect(int is)
{
    wrong += !is;
}

static void expect_status(const MPI_Status *s, int source, int tag, int bytes)
{
    int count = -1;
    MPI_Get_count(s, MPI_BYTE, &count);
    expect(s->MPI_SOURCE == source && s->MPI_TAG == (source == MPI_PROC_NULL ? MPI_ANY_TAG : tag) && count == (source == MPI_PROC_NULL ? 0 : bytes));
}

/* complete completes the receives of two messages in one of the ways. */
static void complete(int way, MPI_Request receives[2], MPI_Status statuses[2])
{
    MPI_Request all[3] = {receives[0], MPI_REQUEST_NULL, receives[1]};
    MPI_Status by[3];
    int index, flag = 0, n, indices[3];
    for (int done = 0; done < 2; called()) {
        switch (way) {
        case 0: MPI_Wait(&all[2 * done], &statuses[done]); done++; break;
        case 1: MPI_Waitall(3, all, by); statuses[0] = by[0]; statuses[1] = by[2]; done = 2; break;
        case 2: MPI_Waitany(3, all, &index, by); statuses[index / 2] = by[0]; done++; break;
        case 3: case 4:
            (way == 3 ? MPI_Waitsome : MPI_Testsome)(3, all, &n, indices, by);
            expect(n >= (way == 3) && n <= 2 - done);
            for (int i = 0; i < n; i++)
                statuses[indices[i] / 2] = by[i];
            done += n;
            break;
        case 5: MPI_Test(&all[2 * done], &flag, &statuses[done]); done += flag; break;
        case 6:
            MPI_Testall(3, all, &flag, by);
            if (flag) {
                statuses[0] = by[0], statuses[1] = by[2];
                done = 2;
            }
            break;
        case 7:
            MPI_Testany(3, all, &index, &flag, by);
            expect(flag == (index != MPI_UNDEFINED));
            if (flag) {
                statuses[index / 2] = by[0];
                done++;
            }
            break;
        }
    }
    expect(all[0] == MPI_REQUEST_NULL && all[2] == MPI_REQUEST_NULL);
    MPI_Waitany(3, all, &index, by);
    expect(index == MPI_UNDEFINED);
    MPI_Testsome(3, all, &n, indices, by);
    expect(n == MPI_UNDEFINED);
}

/* probed receives a message that it has looked for. */
static void probed(int way, long *in, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Status found;
    int flag = 0;
    if (way == 8)
        MPI_Probe(source, tag, comm, &found);
    else
        while (!flag) {
            MPI_Iprobe(source, tag, comm, &flag, &found);
            called();
        }
    called();
    MPI_Recv(in, 1, MPI_LONG, found.MPI_SOURCE, found.MPI_TAG, comm, status);
    called();
    expect(found.MPI_SOURCE == status->MPI_SOURCE && found.MPI_TAG == status->MPI_TAG);
}

/* pass is a round: two words go along the line of a communicator. */
static void pass(int round, MPI_Comm comm)
{
    int rank, ranks, way = rand() % WAYS, wild = rand() % 4, tag = rand() % 5;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int before = rank == 0 ? MPI_PROC_NULL : rank - 1, after = rank == ranks - 1 ? MPI_PROC_NULL : rank + 1;
    int source = wild % 2 == 1 && rank > 0 ? MPI_ANY_SOURCE : before, as = wild / 2 == 1 ? MPI_ANY_TAG : tag;
    long out[2] = {10L * round + rank, -10L * round - rank}, in[2] = {1, 2};
    MPI_Request sends[2], receives[2];
    MPI_Status s[2];
    if (rand() % 50 == 0 && rank == rand() % ranks)
        nanosleep(&(struct timespec){0, 200000}, NULL);
    if (way < 8) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&in[i], 1, MPI_LONG, source, as, comm, &receives[i]);
        for (int i = 0; i < 2; i++)
            MPI_Isend(&out[i], 1, MPI_LONG, after, tag, comm, &sends[i]);
        complete(way, receives, s);
        MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    } else if (way < 12) {
        for (int i = 0; i < 2; i++) {
            (rand() % 2 ? MPI_Send : MPI_Rsend)(&out[i], 1, MPI_LONG, after, tag, comm);
            called();
        }
        for (int i = 0; i < 2; i++) {
            if (way < 10)
                probed(way, &in[i], source, as, comm, &s[i]);
            else
                MPI_Recv(&in[i], 1, MPI_LONG, source, as, comm, &s[i]);
            called();
        }
    } else {
        for (int i = 0; i < 2; i++) {
            if (way == 12) {
                MPI_Sendrecv(&out[i], 1, MPI_LONG, after, tag, &in[i], 1, MPI_LONG, source, as, comm, &s[i]);
            } else {
                in[i] = out[i];
                MPI_Sendrecv_replace(&in[i], 1, MPI_LONG, after, tag, source, as, comm, &s[i]);
            }
            called();
        }
    }
    for (int i = 0; i < 2; i++) {
        expect_status(&s[i], before, tag, sizeof in[i]);
        if (before == MPI_PROC_NULL)
            expect(in[i] == (way == 13 ? out[i] : i + 1));
        else
            expect(in[i] == (i == 0 ? 1 : -1) * (10L * round + before));
    }
}

/* collect is a round in which rank 0 takes a message of each rank, as they come. */
static void collect(int round, MPI_Comm comm)
{
    int rank, ranks, seen = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    long word = round * 100L + rank;
    if (rank > 0)
        MPI_Send(&word, 1, MPI_LONG, 0, rank, comm);
    for (int i = 1; rank == 0 && i < ranks; i++) {
        MPI_Status s;
        MPI_Recv(&word, 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &s);
        called();
        expect_status(&s, s.MPI_TAG, s.MPI_TAG, sizeof word);
        expect(word == round * 100L + s.MPI_SOURCE && !(seen >> s.MPI_SOURCE & 1));
        seen |= 1 << s.MPI_SOURCE;
    }
    MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm comms[COMMS] = {MPI_COMM_WORLD};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[2]);
    for (int round = 0; round < ROUNDS; round++) {
        srand(round);
        MPI_Comm comm = comms[rand() % COMMS];
        if (round % 20 == 0)
            collect(round, comm);
        if (round % 500 == 499) { /* another one, at the place of this */
            MPI_Comm_free(&comms[1]);
            MPI_Comm_dup(comms[2], &comms[1]);
        } else {
            pass(round, comm);
        }
    }
    int sums[3] = {wrong, calls, without}, all[3];
    MPI_Reduce(sums, all, 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong, %s without the core\n", all[0], all[2] > all[1] / 2 ? "most" : all[2] > 0 ? "some" : "none");
    MPI_Finalize();
}
