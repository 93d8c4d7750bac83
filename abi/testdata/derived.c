/* Short messages of datatypes that the program has made: each kind to each other one of the same elements, in the ways in which messages
   go. What arrives is compared with what MPI_Pack says, and the bytes in gaps have to stay. With an argument threads may call at once. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 16384, MIDDLE = ROOM / 2, TAG = 5, MOST = 20 };

static int rank, size, next, previous, wrong;

static void expect(const char *what, int type, long got, long want)
{
    if (got != want && wrong++ < 5)
        printf("%d: %s, type %d: %ld; expected %ld\n", rank, what, type, got, want);
}

/* Types of ints. All that has been committed. */
static MPI_Datatype types[MOST];
static int used;

static MPI_Datatype add(MPI_Datatype type)
{
    MPI_Type_commit(&type);
    return types[used++] = type;
}

static void make_types(void)
{
    MPI_Datatype t, pair;
    add((MPI_Type_contiguous(3, MPI_INT, &t), t));
    add((MPI_Type_vector(4, 1, 5, MPI_INT, &t), t));
    add((MPI_Type_vector(3, 2, -7, MPI_INT, &t), t)); /* backwards */
    add((MPI_Type_create_hvector(5, 4, 21, MPI_INT, &t), t));
    add((MPI_Type_create_hvector(2, 2, 1001, MPI_INT, &pair), MPI_Type_create_resized(pair, -4, 2020, &t), MPI_Type_free(&pair), t));
    add((MPI_Type_indexed(3, (int[]){1, 2, 1}, (int[]){4, -3, 9}, MPI_INT, &t), t));
    add((MPI_Type_indexed(6, (int[]){1, 1, 1, 1, 1, 1}, (int[]){0, 2, 5, 9, 14, 20}, MPI_INT, &t), t)); /* more blocks than the front has */
    add((MPI_Type_create_subarray(2, (int[]){5, 6}, (int[]){3, 2}, (int[]){1, 2}, MPI_ORDER_C, MPI_INT, &t), t));
    MPI_Type_vector(2, 3, 4, MPI_INT, &pair);
    add((MPI_Type_contiguous(2, pair, &t), t));
    add((MPI_Type_vector(2, 1, 3, pair, &t), t)); /* series of series */
    MPI_Type_free(&pair);
    add((MPI_Type_dup(types[1], &t), t));
    add((MPI_Type_contiguous(1100, MPI_INT, &t), t)); /* longer than what the front sends */
    add((MPI_Type_vector(1100, 1, 2, MPI_INT, &t), t));
    add((MPI_Type_contiguous(1000, MPI_INT, &t), t));
    add((MPI_Type_vector(700, 1, 2, MPI_INT, &t), t));
}

/* ints_of returns how many ints an element of a type has, and fits whether so many elements are within the room. */
static int ints_of(MPI_Datatype type)
{
    int bytes;
    MPI_Type_size(type, &bytes);
    return bytes / (int)sizeof(int);
}

static int fits(MPI_Datatype type, int count)
{
    MPI_Aint low, extent, true_low, true_extent;
    MPI_Type_get_extent(type, &low, &extent);
    MPI_Type_get_true_extent(type, &true_low, &true_extent);
    MPI_Aint last = (count - 1) * extent;
    return MIDDLE + true_low >= 0 && MIDDLE + true_low + true_extent <= ROOM && MIDDLE + last + true_low >= 0 && MIDDLE + last + true_low + true_extent <= ROOM;
}

static unsigned char from[ROOM], into[ROOM], mask[ROOM], ones[ROOM], sent[ROOM], got[ROOM];

static int packed(const unsigned char *memory, int count, MPI_Datatype type, unsigned char *to)
{
    int at = 0;
    MPI_Pack(memory + MIDDLE, count, type, to, ROOM, &at, MPI_COMM_WORLD);
    return at;
}

/* seed fills memory with what a rank sends. */
static void seed(int whose, int round)
{
    unsigned long long state = 1 + 1000 * whose + round;
    for (int i = 0; i < ROOM; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        from[i] = state >> 40;
    }
    memset(into, 0x5a, ROOM);
}

/* compare compares what has come into elements of a type with what the previous rank has sent, and gaps with what was there. */
static void compare(const char *what, int index, MPI_Datatype in, int in_count, MPI_Datatype out, int out_count, int round, const MPI_Status *s)
{
    unsigned char kept[ROOM];
    int at = 0, count;
    memcpy(kept, into, ROOM);
    seed(previous, round);
    int n = packed(from, out_count, out, sent);
    packed(kept, in_count, in, got);
    expect(what, index, memcmp(sent, got, n), 0);
    memset(mask, 0, ROOM);
    memset(ones, 0xff, ROOM);
    MPI_Unpack(ones, ROOM, &at, mask + MIDDLE, n / (int)sizeof(int) / ints_of(in), in, MPI_COMM_WORLD);
    for (int i = 0; i < ROOM; i++) {
        if (!mask[i] && kept[i] != 0x5a && n % (ints_of(in) * (int)sizeof(int)) == 0) {
            expect("byte in a gap", index, i, -1);
            break;
        }
    }
    MPI_Get_elements(s, MPI_INT, &count);
    expect("ints", index, count, n / (int)sizeof(int));
    expect("source", index, s->MPI_SOURCE, previous);
}

/* exchange sends elements of one type to the next rank, and receives those of another one from the previous one. */
static void exchange(int out_index, int in_index, int out_count, int way)
{
    static int round;
    MPI_Datatype out = types[out_index], in = types[in_index];
    int in_count = (out_count * ints_of(out) + ints_of(in) - 1) / ints_of(in);
    if (!fits(out, out_count) || !fits(in, in_count))
        return;
    MPI_Status s, two[2];
    MPI_Request r[2];
    MPI_Message m;
    round++;
    seed(rank, round);
    unsigned char *o = from + MIDDLE, *i = into + MIDDLE;
    switch (way) {
    case 0:
        MPI_Sendrecv(o, out_count, out, next, TAG, i, in_count, in, previous, TAG, MPI_COMM_WORLD, &s);
        break;
    case 1:
        MPI_Irecv(i, in_count, in, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &r[0]);
        MPI_Isend(o, out_count, out, next, TAG, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, two);
        s = two[0];
        break;
    case 2: /* the core takes the receive over */
        MPI_Irecv(i, in_count, in, previous, TAG, MPI_COMM_WORLD, &r[0]);
        MPI_Type_free(&(MPI_Datatype){(MPI_Type_contiguous(2, MPI_INT, &in), in)});
        in = types[in_index];
        MPI_Send(o, out_count, out, next, TAG, MPI_COMM_WORLD);
        MPI_Wait(&r[0], &s);
        break;
    case 3: /* a type that is freed before its message comes */
        MPI_Type_dup(types[in_index], &in);
        MPI_Irecv(i, in_count, in, previous, TAG, MPI_COMM_WORLD, &r[0]);
        MPI_Type_free(&in);
        in = types[in_index];
        MPI_Send(o, out_count, out, next, TAG, MPI_COMM_WORLD);
        MPI_Wait(&r[0], &s);
        break;
    case 4:
        MPI_Isend(o, out_count, out, next, TAG, MPI_COMM_WORLD, &r[0]);
        MPI_Mprobe(previous, TAG, MPI_COMM_WORLD, &m, &s);
        MPI_Mrecv(i, in_count, in, &m, &s);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        break;
    case 5:
        MPI_Recv_init(i, in_count, in, previous, TAG, MPI_COMM_WORLD, &r[0]);
        MPI_Send_init(o, out_count, out, next, TAG, MPI_COMM_WORLD, &r[1]);
        MPI_Startall(2, r);
        MPI_Waitall(2, r, two);
        s = two[0];
        MPI_Request_free(&r[0]);
        MPI_Request_free(&r[1]);
        break;
    }
    compare("data", 100 * out_index + in_index, in, in_count, out, out_count, round, &s);
}

/* Collective operations of datatypes whose elements are bytes in a row. */
static void together(void)
{
    int value[3], all[3 * 8];
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 3; i++)
            value[i] = rank == round % size ? 100 * round + i : -1;
        MPI_Bcast(value, 1, types[0], round % size, MPI_COMM_WORLD);
        expect("broadcast", 0, value[2], 100 * round + 2);
        value[0] = value[1] = value[2] = 10 * round + rank;
        MPI_Allgather(value, 1, types[0], all, 3, MPI_INT, MPI_COMM_WORLD);
        for (int i = 0; i < size; i++)
            expect("allgather", 0, all[3 * i + 1], 10 * round + i);
    }
}

/* What is too long for its elements, and a type that has not been committed. */
enum { ROWS = 5, COLUMNS = 3 };

/* add_columns is an operation on columns, each of which lies among the others. */
static void add_columns(void *in, void *inout, int *columns, MPI_Datatype *type)
{
    for (int c = 0; c < *columns; c++)
        for (int r = 0; r < ROWS; r++)
            ((int *)inout)[r * COLUMNS + c] += ((int *)in)[r * COLUMNS + c];
}

/* reduce combines two columns of matrices, whose third one stays as it is, and pairs. */
static void reduce(void)
{
    int given[ROWS * COLUMNS], got[ROWS * COLUMNS], class, code;
    double pairs[24] = {0};
    MPI_Datatype apart, column, several;
    MPI_Op op;
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &apart);
    MPI_Type_create_resized(apart, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    MPI_Op_create(add_columns, 1, &op);
    for (int kind = 0; kind < 5; kind++) {
        int below = kind == 1 ? rank + 1 : size, columns = kind == 2 ? 1 : 2;
        if (kind == 2 && size != 2)
            continue;
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            given[i] = 100 * i + rank;
            got[i] = kind >= 3 ? given[i] : -1;
        }
        switch (kind) {
        case 0: MPI_Allreduce(given, got, 2, column, op, MPI_COMM_WORLD); break;
        case 1: MPI_Scan(given, got, 2, column, op, MPI_COMM_WORLD); break;
        case 2: MPI_Reduce_scatter_block(given, got, 1, column, op, MPI_COMM_WORLD); break;
        case 3: MPI_Allreduce(MPI_IN_PLACE, got, 2, column, op, MPI_COMM_WORLD); break;
        case 4: MPI_Reduce_local(given, got, 2, column, op); break;
        }
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            int from = kind == 2 ? i + rank : i, all = below * 100 * from + below * (below - 1) / 2;
            if (kind == 4)
                all = 2 * given[i];
            expect("reduced", kind, got[i], i % COLUMNS < columns ? all : kind >= 3 ? given[i] : -1);
        }
    }
    MPI_Op_free(&op);
    MPI_Type_free(&apart);
    MPI_Type_free(&column);

    MPI_Type_vector(2, 1, 2, MPI_DOUBLE_INT, &several);
    MPI_Type_commit(&several);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Allreduce(pairs, pairs + 12, 1, several, MPI_MAXLOC, MPI_COMM_WORLD);
    MPI_Error_class(code, &class);
    expect("class of a reduction of several pairs", 0, class, MPI_ERR_OP);
    MPI_Type_free(&several);
}

static void errors(void)
{
    int data[64] = {0}, code, class;
    MPI_Datatype raw;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int round = 0; round < 3; round++) {
        code = MPI_Sendrecv(data, 9, MPI_INT, next, TAG, data + 20, 2, types[1], previous, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Error_class(code, &class);
        expect("class of a long message", 1, class, MPI_ERR_TRUNCATE);
        code = MPI_Sendrecv(data, 5, MPI_SHORT, next, TAG, data + 20, 2, types[1], previous, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Error_class(code, &class);
        expect("class of a message that ends within an element", 1, class, MPI_ERR_TYPE);
        MPI_Type_contiguous(2, MPI_INT, &raw);
        code = MPI_Send(data, 1, raw, next, TAG, MPI_COMM_WORLD);
        MPI_Error_class(code, &class);
        expect("class of a type that is not committed", 0, class, MPI_ERR_TYPE);
        MPI_Type_free(&raw);
    }
}

int main(int argc, char **argv)
{
    int level, total;
    MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    make_types();
    for (int way = 0; way < 6; way++)
        for (int out = 0; out < used; out++)
            for (int in = 0; in < used; in++)
                for (int count = 0; count < 4; count++)
                    exchange(out, in, count, way);
    together();
    reduce();
    errors();
    MPI_Reduce(&wrong, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", total);
    MPI_Finalize();
    return 0;
}
