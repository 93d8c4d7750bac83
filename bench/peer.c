/*
 * What "musubi bench" measures, for any MPI: the same calls in the same order.
 *
 *     peer TEST ITERATIONS WARMUP BYTES...
 *
 * Rank 0 prints a line for each size: the size and the result. That is microseconds
 * for latency (half a round trip), put, get (each with a flush), lock (an exclusive one, an
 * addition and its release), barrier and other collective operations (the mean over the
 * ranks), MB/s for bw and millions of messages a second for rate.
 *
 * exchange is a persistent one with both neighbours on a ring of two: microseconds from
 * start to the end of wait, the median of blocks. beside is the same with a computation
 * of 10 us after start. overlap is which part of an exchange as long a computation hides,
 * in per cent.
 *
 * column is latency of a column of a matrix: cells of 8 bytes, one in every 128. incast is what rank 0
 * takes to ask all others, with 64 bytes, for a block each, and to get them, in microseconds.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64, TAG = 1, BLOCK = 50, CELL = 8, PITCH = 128, REQUEST = 64 };

static int rank, ranks;
static char *in, *out;
static MPI_Win window;

/* A window of messages from rank 0 to rank 1, and an answer. */
static void stream(int bytes)
{
	MPI_Request open[WINDOW];
	char answer[4] = {0};
	int i;

	for (i = 0; i < WINDOW; i++)
		if (rank == 0)
			MPI_Isend(out, bytes, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, &open[i]);
		else
			MPI_Irecv(in, bytes, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, &open[i]);
	MPI_Waitall(WINDOW, open, MPI_STATUSES_IGNORE);
	if (rank == 0)
		MPI_Recv(answer, 4, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Send(answer, 4, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
}

static void latency(int bytes)
{
	if (rank == 0)
		MPI_Send(out, bytes, MPI_CHAR, 1, TAG, MPI_COMM_WORLD);
	MPI_Recv(in, bytes, MPI_CHAR, 1 - rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 1)
		MPI_Send(out, bytes, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
}

static MPI_Datatype cells;

static void column(int bytes)
{
	(void)bytes;
	if (rank == 0)
		MPI_Send(out, 1, cells, 1, TAG, MPI_COMM_WORLD);
	MPI_Recv(in, 1, cells, 1 - rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 1)
		MPI_Send(out, 1, cells, 0, TAG, MPI_COMM_WORLD);
}

static MPI_Request *blocks;

static void incast(int bytes)
{
	char request[REQUEST] = {0};
	int i;

	if (rank > 0) {
		MPI_Recv(request, REQUEST, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(out, bytes, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
		return;
	}
	for (i = 1; i < ranks; i++)
		MPI_Irecv(in + (size_t)i * bytes, bytes, MPI_CHAR, i, TAG, MPI_COMM_WORLD, &blocks[i]);
	for (i = 1; i < ranks; i++)
		MPI_Send(request, REQUEST, MPI_CHAR, i, TAG, MPI_COMM_WORLD);
	MPI_Waitall(ranks - 1, blocks + 1, MPI_STATUSES_IGNORE);
}

static void put(int bytes)
{
	if (rank != 0)
		return;
	MPI_Put(out, bytes, MPI_CHAR, 1, 0, bytes, MPI_CHAR, window);
	MPI_Win_flush(1, window);
}

static void get(int bytes)
{
	if (rank != 0)
		return;
	MPI_Get(in, bytes, MPI_CHAR, 1, 0, bytes, MPI_CHAR, window);
	MPI_Win_flush(1, window);
}

/* Who adds has an exclusive lock. */
static void lock(int bytes)
{
	static long one = 1, was;

	(void)bytes;
	if (rank != 0)
		return;
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
	MPI_Fetch_and_op(&one, &was, MPI_LONG, 1, 0, MPI_SUM, window);
	MPI_Win_unlock(1, window);
}

static void barrier(int bytes)
{
	(void)bytes;
	MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(int bytes)
{
	MPI_Allreduce(out, in, bytes, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
}

/* A size is that of the data of a rank, or of its part for each other rank. */
static int *counts, *places;

static void broadcast(int bytes)
{
	MPI_Bcast(in, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void allgather(int bytes)
{
	MPI_Allgather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
}

static void alltoall(int bytes)
{
	MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
}

static void alltoallv(int bytes)
{
	(void)bytes;
	MPI_Alltoallv(out, counts, places, MPI_CHAR, in, counts, places, MPI_CHAR, MPI_COMM_WORLD);
}

static void gatherv(int bytes)
{
	MPI_Gatherv(out, bytes, MPI_CHAR, in, counts, places, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void reducescatter(int bytes)
{
	(void)bytes;
	MPI_Reduce_scatter(out, in, counts, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
}

static void share(int bytes)
{
	int i;

	for (i = 0; i < ranks; i++) {
		counts[i] = bytes;
		places[i] = i * bytes;
	}
}

/* What is exchanged with the neighbours: a collective operation where there is one. */
static MPI_Request edges[4];
static int started;
static double compute_seconds;

static void prepare_exchange(int bytes)
{
	int other = 1 - rank;
#if MPI_VERSION >= 4
	static int both[2], counts[2];
	static MPI_Aint places[2];
	static MPI_Datatype types[2] = {MPI_CHAR, MPI_CHAR};
	MPI_Comm ring;

	both[0] = both[1] = other;
	counts[0] = counts[1] = bytes;
	places[1] = bytes;
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, both, MPI_UNWEIGHTED, 2, both, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
	MPI_Neighbor_alltoallw_init(out, counts, places, types, in, counts, places, types, ring, MPI_INFO_NULL, &edges[0]);
	started = 1;
#else
	int i;

	for (i = 0; i < 2; i++) {
		MPI_Recv_init(in + i * bytes, bytes, MPI_CHAR, other, i, MPI_COMM_WORLD, &edges[i]);
		MPI_Send_init(out + i * bytes, bytes, MPI_CHAR, other, i, MPI_COMM_WORLD, &edges[2 + i]);
	}
	started = 4;
#endif
}

static void beside(int bytes)
{
	double begin;

	(void)bytes;
	MPI_Startall(started, edges);
	if (compute_seconds > 0)
		for (begin = MPI_Wtime(); MPI_Wtime() - begin < compute_seconds;)
			;
	MPI_Waitall(started, edges, MPI_STATUSES_IGNORE);
}

static void exchange(int bytes)
{
	compute_seconds = 0;
	beside(bytes);
}

static const struct test {
	const char *name;
	void (*once)(int bytes);
	int collective;
} tests[] = {
	{"latency", latency, 0}, {"bw", stream, 0}, {"rate", stream, 0}, {"column", column, 0}, {"incast", incast, 0},
	{"put", put, 0}, {"get", get, 0}, {"lock", lock, 0},
	{"barrier", barrier, 1}, {"allreduce", allreduce, 1}, {"broadcast", broadcast, 1},
	{"allgather", allgather, 1}, {"alltoall", alltoall, 1}, {"alltoallv", alltoallv, 1},
	{"gatherv", gatherv, 1}, {"reducescatter", reducescatter, 1},
	{"exchange", exchange, 0}, {"beside", beside, 0}, {"overlap", beside, 0},
};

static const struct test *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof tests / sizeof *tests; i++)
		if (strcmp(tests[i].name, name) == 0)
			return &tests[i];
	fprintf(stderr, "peer: no test %s\n", name);
	exit(2);
}

static void *memory(size_t bytes)
{
	void *m = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

	if (m == NULL) {
		fprintf(stderr, "peer: no memory for messages of %zu bytes\n", bytes);
		exit(1);
	}
	memset(m, 1, bytes);
	return m;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The time of one exchange in seconds: the mean of a block. */
static double block(void (*once)(int bytes), int bytes, int iterations)
{
	double start = MPI_Wtime();
	int i;

	for (i = 0; i < iterations; i++)
		once(bytes);
	return (MPI_Wtime() - start) / iterations;
}

static double median(double *times, int n)
{
	qsort(times, n, sizeof *times, ascending);
	return times[n / 2];
}

/* The same as the median of blocks, like that of Musubi. */
static double typical(const struct test *t, int bytes, int iterations)
{
	int blocks = iterations < BLOCK ? 1 : iterations / BLOCK, i;
	double *took = memory(blocks * sizeof *took), got;

	for (i = 0; i < blocks; i++)
		took[i] = block(t->once, bytes, iterations / blocks);
	got = median(took, blocks);
	free(took);
	return got;
}

/* The time of one round in seconds. */
static double timed(const struct test *t, int bytes, int iterations, int warmup)
{
	/* Like the original: a barrier between collective operations, outside of the time. */
	int i, apart = t->collective && t->once != barrier;
	double start, each = 0;

	for (i = 0; i < warmup; i++) {
		t->once(bytes);
		if (apart)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	if (t->once == beside || t->once == exchange)
		return typical(t, bytes, iterations);
	start = MPI_Wtime();
	for (i = 0; i < iterations; i++) {
		if (apart)
			start = MPI_Wtime();
		t->once(bytes);
		if (apart) {
			each += MPI_Wtime() - start;
			MPI_Barrier(MPI_COMM_WORLD);
		}
	}
	if (!apart)
		each = MPI_Wtime() - start;
	return each / iterations;
}

/*
 * Which part of an exchange a computation hides, in per cent; both take as long. They are
 * measured in turns, like those of Musubi.
 */
static double overlap(int bytes, int iterations, int warmup)
{
	int blocks = iterations < BLOCK ? 1 : iterations / BLOCK, i;
	double *alone = memory(blocks * sizeof *alone), *both = memory(blocks * sizeof *both);
	double length = timed(find("exchange"), bytes, iterations, warmup), exchange, part;

	MPI_Bcast(&length, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	for (i = 0; i < blocks; i++) {
		compute_seconds = 0;
		alone[i] = block(beside, bytes, iterations / blocks);
		compute_seconds = length;
		both[i] = block(beside, bytes, iterations / blocks);
	}
	exchange = median(alone, blocks);
	part = 100 * (exchange + length - median(both, blocks)) / exchange;
	free(alone);
	free(both);
	return part < 0 ? 0 : part > 100 ? 100 : part;
}

/* What rank 0 prints of the time of a round. */
static double result(const struct test *t, int bytes, double seconds)
{
	double sum;

	if (t->once == latency || t->once == column)
		return seconds / 2 * 1e6;
	if (t->once == stream && t->name[0] == 'b')
		return (double)bytes * WINDOW / seconds / 1e6;
	if (t->once == stream)
		return WINDOW / seconds / 1e6;
	if (!t->collective)
		return seconds * 1e6;
	MPI_Reduce(&seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	return sum / ranks * 1e6;
}

int main(int argc, char **argv)
{
	const struct test *t;
	int i, most = 1;
	size_t room;
	void *exposed;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc < 5) {
		fprintf(stderr, "usage: peer TEST ITERATIONS WARMUP BYTES...\n");
		exit(2);
	}
	t = find(argv[1]);
	if (ranks < 2 || (!t->collective && t->once != incast && ranks != 2)) {
		fprintf(stderr, "peer: %d ranks for %s\n", ranks, t->name);
		exit(2);
	}
	for (i = 4; i < argc; i++)
		if (atoi(argv[i]) > most)
			most = atoi(argv[i]);
	room = (size_t)most * (t->once == column ? PITCH / CELL : ranks);
	in = memory(room);
	out = memory(room);
	blocks = memory(ranks * sizeof *blocks);
	counts = memory(ranks * sizeof *counts);
	places = memory(ranks * sizeof *places);
	if (t->once == put || t->once == get || t->once == lock)
		MPI_Win_allocate(most, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &window);
	if (t->once == put || t->once == get)
		MPI_Win_lock_all(0, window);
	for (i = 4; i < argc; i++) {
		int bytes = atoi(argv[i]);
		double got;

		if (t->once == exchange || t->once == beside)
			prepare_exchange(bytes);
		if (t->once == column) {
			MPI_Type_vector(bytes / CELL, CELL, PITCH, MPI_CHAR, &cells);
			MPI_Type_commit(&cells);
		}
		share(bytes);
		compute_seconds = 10e-6;
		MPI_Barrier(MPI_COMM_WORLD);
		if (t->name[0] == 'o')
			got = overlap(bytes, atoi(argv[2]), atoi(argv[3]));
		else
			got = result(t, bytes, timed(t, bytes, atoi(argv[2]), atoi(argv[3])));
		if (rank == 0)
			printf("%d %.4f\n", bytes, got);
	}
	if (t->once == put || t->once == get)
		MPI_Win_unlock_all(window);
	if (t->once == put || t->once == get || t->once == lock) {
		MPI_Barrier(MPI_COMM_WORLD);
		MPI_Win_free(&window);
	}
	MPI_Finalize();
	return 0;
}
