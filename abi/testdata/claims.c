/* Matched probes, and what they leave to others; functions with large counts; what programs ask of datatypes. Every rank but 0
   sends numbered messages, which rank 0 receives in many orders. With an argument threads may call at once. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 200, TAG = 7 };

static int rank, size, wrong;

static void expect(const char *what, long got, long want)
{
    if (got != want && wrong++ < 5)
        printf("%d: %s: %ld; expected %ld\n", rank, what, got, want);
}

static void check_status(const char *what, const MPI_Status *s, int source, int tag, int ints)
{
    int count;
    MPI_Count large;
    MPI_Get_count(s, MPI_INT, &count);
    MPI_Get_count_c(s, MPI_INT, &large);
    expect(what, s->MPI_SOURCE, source);
    expect(what, s->MPI_TAG, tag);
    expect(what, count, ints);
    expect(what, large, ints);
}

/* Three messages with one tag, claimed and received in some order. */
static void sender(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        int values[3];
        for (int i = 0; i < 3; i++) {
            values[0] = values[1] = values[2] = 10 * round + i;
            MPI_Send_c(values, i + 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
        }
        MPI_Recv(values, 0, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void receive(MPI_Message *m, int round, int i, int source)
{
    int values[3] = {-1, -1, -1};
    MPI_Status s;
    if ((round + i) % 2)
        MPI_Mrecv(values, 3, MPI_INT, m, &s);
    else
        MPI_Mrecv_c(values, 3, MPI_INT, m, &s);
    check_status("MPI_Mrecv", &s, source, TAG, i + 1);
    for (int k = 0; k < 3; k++)
        expect("data of MPI_Mrecv", values[k], k <= i ? 10 * round + i : -1);
    expect("message", *m == MPI_MESSAGE_NULL, 1);
}

static void claim(MPI_Message *m, int round, int i, int source)
{
    MPI_Status s;
    int flag = 0, from = round % 4 < 2 ? source : MPI_ANY_SOURCE, tag = round % 8 < 4 ? TAG : MPI_ANY_TAG;
    if (round % 3 == 0)
        MPI_Mprobe(from, tag, MPI_COMM_WORLD, m, &s);
    else
        while (!flag)
            MPI_Improbe(from, tag, MPI_COMM_WORLD, &flag, m, &s);
    check_status("probe", &s, source, TAG, i + 1);
}

static int new_keyval(void)
{
    int keyval;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    return keyval;
}

static void receiver(int source)
{
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Message m[3];
        MPI_Request r;
        MPI_Status s;
        int values[3] = {-1, -1, -1}, more[3], flag;
        switch (round % 6) {
        case 0: /* one after the other */
            for (int i = 0; i < 3; i++) {
                claim(&m[i], round, i, source);
                receive(&m[i], round, i, source);
            }
            break;
        case 1: /* all claimed before any is received */
            for (int i = 0; i < 3; i++)
                claim(&m[i], round, i, source);
            for (int i = 2; i >= 0; i--)
                receive(&m[i], round, i, source);
            break;
        case 2: /* a receive that is started behind the probe gets the next one */
            claim(&m[0], round, 0, source);
            MPI_Irecv_c(values, 3, MPI_INT, source, TAG, MPI_COMM_WORLD, &r);
            claim(&m[2], round, 2, source);
            receive(&m[2], round, 2, source);
            receive(&m[0], round, 0, source);
            MPI_Wait(&r, &s);
            check_status("MPI_Irecv", &s, source, TAG, 2);
            expect("data of MPI_Irecv", values[1], 10 * round + 1);
            break;
        case 3: /* one that has been started before gets the first one */
            MPI_Irecv(values, 3, MPI_INT, source, TAG, MPI_COMM_WORLD, &r);
            claim(&m[1], round, 1, source);
            MPI_Comm_free_keyval(&(int){new_keyval()}); /* for the core, which takes over what the front keeps */
            MPI_Recv_c(more, 3, MPI_INT, source, TAG, MPI_COMM_WORLD, &s);
            check_status("MPI_Recv", &s, source, TAG, 3);
            expect("data of MPI_Recv", more[2], 10 * round + 2);
            receive(&m[1], round, 1, source);
            MPI_Wait(&r, &s);
            check_status("MPI_Irecv", &s, source, TAG, 1);
            break;
        case 5: /* a receive behind the probe, which is there already */
            claim(&m[0], round, 0, source);
            MPI_Recv(values, 3, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &s);
            check_status("MPI_Recv", &s, source, TAG, 2);
            receive(&m[0], round, 0, source);
            MPI_Recv(more, 3, MPI_INT, source, TAG, MPI_COMM_WORLD, &s);
            check_status("MPI_Recv", &s, source, TAG, 3);
            break;
        case 4: /* probes that claim nothing see the one behind */
            claim(&m[0], round, 0, source);
            do
                MPI_Iprobe(source, TAG, MPI_COMM_WORLD, &flag, &s);
            while (!flag);
            check_status("MPI_Iprobe", &s, source, TAG, 2);
            receive(&m[0], round, 0, source);
            MPI_Recv(values, 2, MPI_INT, source, TAG, MPI_COMM_WORLD, &s);
            claim(&m[2], round, 2, source);
            receive(&m[2], round, 2, source);
            break;
        }
        MPI_Send(values, 0, MPI_INT, source, TAG, MPI_COMM_WORLD);
    }
}

/* Messages of several ranks, claimed at the same time. */
static void claim_of_each(void)
{
    int value = rank;
    MPI_Message m[8];
    MPI_Status s;
    for (int round = 0; round < ROUNDS; round++) {
        for (int other = 1; rank == 0 && other < size; other++)
            MPI_Mprobe(other, TAG, MPI_COMM_WORLD, &m[other], MPI_STATUS_IGNORE);
        for (int other = 1; rank == 0 && other < size; other++) {
            MPI_Mrecv(&value, 1, MPI_INT, &m[other], &s);
            expect("source", s.MPI_SOURCE, other);
            expect("data", value, other);
        }
        if (rank > 0)
            MPI_Send(&value, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD);
    }
}

/* A message that is longer than the receive is an error, and gone. */
static void truncate(void)
{
    int value[2] = {1, 2}, class = 0;
    MPI_Message m;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Recv(value, 2, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        value[1] = 5;
        MPI_Mprobe(1, TAG, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
        MPI_Error_class(MPI_Mrecv(value, 1, MPI_INT, &m, MPI_STATUS_IGNORE), &class);
        expect("error of MPI_Mrecv", class, MPI_ERR_TRUNCATE);
        expect("what is behind the buffer", value[1], 5);
    } else if (rank == 1) {
        MPI_Send(value, 2, MPI_INT, 0, TAG, MPI_COMM_WORLD);
        MPI_Send(value, 2, MPI_INT, 0, TAG, MPI_COMM_WORLD);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Rank r gives r + 1 numbers, or so many to each. */
static void collect(void)
{
    int given[8], taken[64], sum = 0, all = 0;
    MPI_Count counts[8], back[8];
    MPI_Aint at[8], from[8];
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        at[i] = sum;
        sum += i + 1;
        back[i] = rank + 1;
        from[i] = 0;
    }
    for (int i = 0; i < 8; i++)
        given[i] = 100 * rank + i;
    MPI_Allgatherv_c(given, rank + 1, MPI_INT, taken, counts, at, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        expect("MPI_Allgatherv_c", taken[at[i] + i], 100 * i + i);
    MPI_Gatherv_c(given, rank + 1, MPI_INT, taken, counts, at, MPI_INT, size - 1, MPI_COMM_WORLD);
    expect("MPI_Gatherv_c", taken[sum - 1], 100 * (size - 1) + size - 1);
    MPI_Alltoallv_c(given, back, from, MPI_INT, taken, counts, at, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        expect("MPI_Alltoallv_c", taken[at[i] + i], 100 * i + i);
    for (int round = 0; round < 4; round++) { /* the second time, with parts that are too long for notes, and then short ones again */
        static int long_parts[4][8 * 1000];
        MPI_Count length = round == 1 ? 1000 : rank + 1;
        for (int i = 0; i < size; i++) {
            counts[i] = round == 1 ? 1000 : i + 1;
            at[i] = 1000 * i;
            long_parts[1][at[i] + counts[i] - 1] = 10 * i + round;
        }
        MPI_Scatterv_c(long_parts[1], counts, at, MPI_INT, long_parts[2], length, MPI_INT, round % size, MPI_COMM_WORLD);
        expect("MPI_Scatterv_c", long_parts[2][length - 1], 10 * rank + round);
    }
    for (int i = 0; i < size; i++)
        counts[i] = 1;
    MPI_Reduce_scatter_c(given, &all, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect("MPI_Reduce_scatter_c", all, 50 * size * (size - 1) + size * rank);
    MPI_Reduce_scatter_block_c(given, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect("MPI_Reduce_scatter_block_c", all, 50 * size * (size - 1) + size * rank);
    MPI_Allreduce_c(given, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    expect("MPI_Allreduce_c", all, 100 * (size - 1));
    for (int times = 0; times < 2; times++) {
        MPI_Scan_c(given, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        expect("MPI_Scan_c", all, 50 * rank * (rank + 1));
        all = -1;
        MPI_Exscan(given, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        expect("MPI_Exscan", all, rank ? 50 * rank * (rank - 1) : -1);
    }
    for (int i = 0; i < 5000; i++) /* the first ranks run ahead, until too many messages are in flight */
        MPI_Scan(given, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect("the last of many MPI_Scan", all, 50 * rank * (rank + 1));
    int together[2] = {rank + 1, 1};
    MPI_Scan(MPI_IN_PLACE, together, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    expect("MPI_Scan in place", 10 * together[0] + together[1], 10 * (rank + 1) + 1);
    MPI_Exscan(MPI_IN_PLACE, together, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect("MPI_Exscan in place", 10 * together[0] + together[1], rank ? 5 * rank * (rank + 1) + rank : 11);
    all = -1;
    MPI_Reduce_c(given, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    expect("MPI_Reduce_c", all, rank ? -1 : 50 * size * (size - 1));
    MPI_Bcast_c(given, 2, MPI_INT, size - 1, MPI_COMM_WORLD);
    expect("MPI_Bcast_c", given[1], 100 * (size - 1) + 1);
    given[0] = rank;
    MPI_Gather_c(given, 1, MPI_INT, taken, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter_c(taken, 1, MPI_INT, &all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    expect("MPI_Scatter_c", all, rank);
    MPI_Allgather_c(given, 1, MPI_INT, taken, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall_c(taken, 1, MPI_INT, given, 1, MPI_INT, MPI_COMM_WORLD);
    expect("MPI_Alltoall_c", given[size - 1], rank);
    MPI_Sendrecv_c(&rank, 1, MPI_INT, (rank + 1) % size, 1, &all, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect("MPI_Sendrecv_c", all, (rank + size - 1) % size);
}

static void ask(void)
{
    const struct {
        MPI_Datatype type;
        int size;
    } types[] = {{MPI_INT, 4}, {MPI_DOUBLE, 8}, {MPI_CHAR, 1}, {MPI_C_DOUBLE_COMPLEX, 16}, {MPI_SHORT_INT, 6}, {MPI_BYTE, 1}};
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        int bytes;
        MPI_Count large, lb, extent;
        MPI_Aint low = 1, length;
        MPI_Type_size(types[i].type, &bytes);
        MPI_Type_size_c(types[i].type, &large);
        MPI_Type_get_extent(types[i].type, &low, &length);
        MPI_Type_get_extent_c(types[i].type, &lb, &extent);
        expect("size", bytes, types[i].size);
        expect("large size", large, types[i].size);
        expect("extent", length, types[i].type == MPI_SHORT_INT ? 8 : types[i].size);
        expect("large extent", extent, length);
        expect("bounds", low + lb, 0);
    }
    MPI_Status s;
    int source, tag, error;
    MPI_Status_set_source(&s, 3);
    MPI_Status_set_tag(&s, 4);
    MPI_Status_set_error(&s, MPI_ERR_TAG);
    MPI_Status_get_source(&s, &source);
    MPI_Status_get_tag(&s, &tag);
    MPI_Status_get_error(&s, &error);
    expect("source of a status", source, 3);
    expect("tag of a status", tag, 4);
    expect("error of a status", error, MPI_ERR_TAG);
    int n, r, inter = 1;
    MPI_Comm odd;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &odd);
    MPI_Barrier(odd);
    MPI_Comm_size(odd, &n);
    MPI_Comm_rank(odd, &r);
    MPI_Comm_test_inter(odd, &inter);
    expect("size", n, (size + 1 - rank % 2) / 2);
    expect("rank", r, n - 1 - rank / 2);
    expect("intercommunicator", inter, 0);
    static int values[3] = {1, 2, 3};
    int key, other, *value, flag;
    MPI_Comm twin;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &other, NULL);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_set_attr(odd, key, &values[i]);
        for (int times = 0; times < 3; times++) {
            MPI_Barrier(odd);
            MPI_Comm_get_attr(odd, key, &value, &flag);
            expect("attribute", flag ? *value : 0, i + 1);
            MPI_Comm_get_attr(odd, other, &value, &flag);
            expect("attribute that is not set", flag, 0);
            MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
            expect("attribute of another communicator", flag, 0);
        }
    }
    MPI_Comm_dup(odd, &twin);
    MPI_Comm_get_attr(odd, key, &value, &flag);
    MPI_Comm_delete_attr(odd, key);
    for (int times = 0; times < 3; times++) {
        MPI_Barrier(odd);
        MPI_Comm_get_attr(odd, key, &value, &flag);
        expect("attribute that is deleted", flag, 0);
        MPI_Comm_get_attr(twin, key, &value, &flag);
        expect("attribute that is copied", flag ? *value : 0, 3);
    }
    MPI_Comm_free(&twin);
    MPI_Comm_free(&odd);
    char *memory, *found;
    MPI_Aint bytes;
    int unit;
    MPI_Win win;
    MPI_Win_allocate(10 + rank, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &found);
    expect("none, or the first rank's memory", bytes == 0 || bytes == 10, 1);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    int all = 0, provided;
    MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int other = 1; other < size; other++) {
        if (rank == 0)
            receiver(other);
        else if (rank == other)
            sender();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    claim_of_each();
    truncate();
    collect();
    ask();
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}
