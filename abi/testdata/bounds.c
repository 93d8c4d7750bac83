/* Accesses to windows that name places which are not there, and windows of memory that is not there: they fail, and change nothing.
   So do operations on numbers of elements that are none. */
#include <mpi.h>
#include <stdio.h>

enum { WORDS = 4 };
static int wrong;

static void expect(int class, int code)
{
    int is;
    MPI_Error_class(code, &is);
    if (is != class) {
        fprintf(stderr, "error class %d; expected %d\n", is, class);
        wrong++;
    }
}

/* access_far accesses places of a window by all functions, at a displacement that it does not have. */
static void access_far(MPI_Aint disp, int rank, MPI_Win win)
{
    long one = 1, two = 2, was;
    expect(MPI_ERR_RMA_RANGE, MPI_Put(&one, 1, MPI_LONG, rank, disp, 1, MPI_LONG, win));
    expect(MPI_ERR_RMA_RANGE, MPI_Get(&was, 1, MPI_LONG, rank, disp, 1, MPI_LONG, win));
    expect(MPI_ERR_RMA_RANGE, MPI_Accumulate(&one, 1, MPI_LONG, rank, disp, 1, MPI_LONG, MPI_SUM, win));
    expect(MPI_ERR_RMA_RANGE, MPI_Get_accumulate(&one, 1, MPI_LONG, &was, 1, MPI_LONG, rank, disp, 1, MPI_LONG, MPI_SUM, win));
    expect(MPI_ERR_RMA_RANGE, MPI_Fetch_and_op(&one, &was, MPI_LONG, rank, disp, MPI_SUM, win));
    expect(MPI_ERR_RMA_RANGE, MPI_Compare_and_swap(&one, &two, &was, MPI_LONG, rank, disp, win));
    expect(MPI_SUCCESS, MPI_Put(NULL, 0, MPI_LONG, rank, WORDS + 1, 0, MPI_LONG, win));
    expect(MPI_SUCCESS, MPI_Accumulate(NULL, 0, MPI_LONG, rank, WORDS + 1, 0, MPI_LONG, MPI_SUM, win));
}

/* fetch_apart fetches by a datatype that is not one element. */
static void fetch_apart(int rank, MPI_Win win)
{
    long one[3] = {1, 1, 1}, was[3];
    MPI_Datatype apart;
    MPI_Type_vector(2, 1, 2, MPI_LONG, &apart);
    MPI_Type_commit(&apart);
    expect(MPI_ERR_TYPE, MPI_Fetch_and_op(one, was, apart, rank, 0, MPI_SUM, win));
    MPI_Type_free(&apart);
}

/* access_more accesses one element by more than the program has. */
static void access_more(int rank, MPI_Win win)
{
    enum { MORE = 1 << 28 };
    long one = 1, was;
    MPI_Datatype apart;
    MPI_Type_vector(2, 1, 2, MPI_LONG, &apart);
    MPI_Type_commit(&apart);
    expect(MPI_ERR_COUNT, MPI_Put(&one, MORE, apart, rank, 0, 1, MPI_LONG, win));
    expect(MPI_ERR_COUNT, MPI_Get(&was, MORE, apart, rank, 0, 1, MPI_LONG, win));
    expect(MPI_ERR_COUNT, MPI_Accumulate(&one, MORE, apart, rank, 0, 1, MPI_LONG, MPI_SUM, win));
    expect(MPI_ERR_COUNT, MPI_Get_accumulate(&one, MORE, apart, &was, 1, MPI_LONG, rank, 0, 1, MPI_LONG, MPI_SUM, win));
    expect(MPI_ERR_COUNT, MPI_Get_accumulate(&one, 1, MPI_LONG, &was, MORE, apart, rank, 0, 1, MPI_LONG, MPI_SUM, win));
    MPI_Type_free(&apart);
}

/* combine_bytes combines elements of MPI_BYTE, which are no numbers. */
static void combine_bytes(int rank, MPI_Win win)
{
    unsigned char one[8] = {1}, was[8];
    expect(MPI_ERR_OP, MPI_Accumulate(one, 8, MPI_BYTE, rank, 0, 8, MPI_BYTE, MPI_SUM, win));
    expect(MPI_ERR_OP, MPI_Get_accumulate(one, 8, MPI_BYTE, was, 8, MPI_BYTE, rank, 0, 8, MPI_BYTE, MPI_MAX, win));
    expect(MPI_ERR_OP, MPI_Fetch_and_op(one, was, MPI_BYTE, rank, 0, MPI_LAND, win));
    expect(MPI_SUCCESS, MPI_Get_accumulate(NULL, 0, MPI_BYTE, was, 8, MPI_BYTE, rank, 0, 8, MPI_BYTE, MPI_NO_OP, win));
    MPI_Win_fence(0, win);
    expect(MPI_SUCCESS, MPI_Accumulate(was, 8, MPI_BYTE, rank, 0, 8, MPI_BYTE, MPI_BOR, win));
    expect(MPI_SUCCESS, MPI_Accumulate(was, 8, MPI_BYTE, rank, 0, 8, MPI_BYTE, MPI_REPLACE, win));
}

/* allocate_much makes windows of more memory than there is. */
static void allocate_much(void)
{
    void *memory;
    MPI_Win win;
    MPI_Aint much[] = {(MPI_Aint)1 << 46, (MPI_Aint)1 << 62};
    MPI_Comm comm;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < 2; i++) {
        expect(MPI_ERR_NO_MEM, MPI_Win_allocate(much[i], 1, MPI_INFO_NULL, comm, &memory, &win));
        if (MPI_Win_allocate_shared(much[i], 1, MPI_INFO_NULL, comm, &memory, &win) == MPI_SUCCESS) {
            wrong += i == 1; /* less than that may be there as long as nobody uses it */
            MPI_Win_free(&win);
        }
    }
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int rank, size, all;
    long *memory;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(WORDS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, win);
    for (int i = 0; i < WORDS; i++)
        memory[i] = 2;
    MPI_Win_fence(0, win);
    MPI_Aint far[] = {WORDS, (MPI_Aint)1 << 61, ((MPI_Aint)1 << 61) + 1, (MPI_Aint)1 << 60, 0x7fffffffffffffff};
    for (int i = 0; i < 5; i++)
        access_far(far[i], (rank + 1) % size, win);
    fetch_apart((rank + 1) % size, win);
    combine_bytes((rank + 1) % size, win);
    access_more((rank + 1) % size, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < WORDS; i++)
        wrong += memory[i] != 2;
    MPI_Win_free(&win);
    allocate_much();
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    MPI_Finalize();
    return 0;
}
