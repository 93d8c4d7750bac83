/* Messages between types with gaps, of lengths on both sides of those at which messages go another way: what one type names
   comes where the other one has it, whole, with less than there is room for, or cut short, and nothing else is written.
   Both ranks draw the same random numbers. Rank 1 prints how many messages and how many bytes were wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM (4 << 20)
#define MESSAGES 96

static int rank;
static unsigned int seed = 7;
static unsigned char from[ROOM], to[ROOM], want[ROOM], packed[ROOM];

static int draw(int n)
{
    seed = seed * 1103515245u + 12345;
    return (seed >> 8) % n;
}

/* type draws a type of about so many bytes: a row, a vector, blocks in any order, or a part of a matrix. */
static MPI_Datatype type(int bytes)
{
    static int lengths[400], places[400];
    int n, i, block;
    MPI_Datatype t, inner;

    switch (draw(5)) {
    case 0:
        MPI_Type_contiguous(bytes, MPI_BYTE, &t);
        break;
    case 1:
        block = 1 << draw(7);
        MPI_Type_vector(bytes / block + 1, block, block + 1 + draw(8), MPI_BYTE, &t);
        break;
    case 2:
        n = 2 + draw(398);
        block = bytes / n + 1;
        for (i = 0; i < n; i++)
            places[i] = i * (block + 3) * 2;
        for (i = n - 1; i > 0; i--) {
            int j = draw(i + 1), was = places[i];
            places[i] = places[j];
            places[j] = was;
        }
        for (i = 0; i < n; i++)
            lengths[i] = draw(4) ? block : block + draw(5);
        MPI_Type_indexed(n, lengths, places, MPI_BYTE, &t);
        break;
    case 3:
        n = 1 + bytes / 64;
        MPI_Type_create_subarray(2, (int[]){n, 96}, (int[]){n, 64}, (int[]){0, draw(32)}, MPI_ORDER_C, MPI_BYTE, &t);
        break;
    default:
        MPI_Type_vector(3, 5, 7, MPI_SHORT, &inner);
        MPI_Type_create_resized(inner, 0, 44, &t);
        MPI_Type_free(&inner);
        inner = t;
        MPI_Type_contiguous(bytes / 30 + 1, inner, &t);
        MPI_Type_free(&inner);
    }
    MPI_Type_commit(&t);
    return t;
}

static int size_of(MPI_Datatype t)
{
    int size;

    MPI_Type_size(t, &size);
    return size;
}

static void send(MPI_Datatype t, int tag)
{
    MPI_Request r;

    switch (tag % 3) {
    case 0:
        MPI_Send(from, 1, t, 1, tag, MPI_COMM_WORLD);
        return;
    case 1:
        MPI_Isend(from, 1, t, 1, tag, MPI_COMM_WORLD, &r);
        break;
    default:
        MPI_Issend(from, 1, t, 1, tag, MPI_COMM_WORLD, &r);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* receive returns the class of the error, and how many bytes have come. */
static int receive(MPI_Datatype t, int tag, int *bytes)
{
    MPI_Request r;
    MPI_Status s;
    int code, class;

    if (tag % 2) {
        code = MPI_Recv(to, 1, t, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &s);
    } else {
        MPI_Irecv(to, 1, t, 0, tag, MPI_COMM_WORLD, &r);
        code = MPI_Wait(&r, &s);
    }
    MPI_Error_class(code, &class);
    MPI_Get_count(&s, MPI_BYTE, bytes);
    return class;
}

int main(int argc, char **argv)
{
    int i, k, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (i = 0; i < MESSAGES; i++) {
        int bytes = 100 << draw(13), sent, room, come, class, at = 0, end = 0;
        MPI_Datatype a = type(bytes), b = type(i % 4 ? bytes : bytes * 3 / 4);

        for (k = 0; k < ROOM; k++)
            from[k] = k * 31 + (k >> 8) + i;
        if (rank == 0) {
            send(a, i);
        } else {
            sent = size_of(a);
            room = size_of(b);
            memset(to, 0xee, ROOM);
            memset(want, 0xee, ROOM);
            MPI_Pack(from, 1, a, packed, ROOM, &at, MPI_COMM_SELF);
            if (sent < room) /* what stays as it is */
                memset(packed + sent, 0xee, room - sent);
            MPI_Unpack(packed, ROOM, &end, want, 1, b, MPI_COMM_SELF);
            class = receive(b, i, &come);
            wrong += class != (sent > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
            wrong += come != (sent < room ? sent : room);
            for (k = 0; k < ROOM; k++)
                wrong += to[k] != want[k];
        }
        MPI_Type_free(&a);
        MPI_Type_free(&b);
    }
    if (rank == 1)
        printf("%d messages, %d wrong\n", MESSAGES, wrong);
    MPI_Finalize();
    return 0;
}
