/* Ranks exchange short and long data with their neighbours, in grids and in random graphs where two ranks may be neighbours several times, by all
 * operations that there are, as a number tells all of them alike. Some ranks come late, and some describe their data by a datatype with gaps, so that in
 * one operation some ranks go by the front, others by the core. Rank 0 prints how many results there were, how many were wrong, and
 * how many operations the fronts of all ranks have carried out. */
#include "../front/short.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 4000, COMMS = 8, EDGES = 24, MOST = EDGES, LONGEST = 2600, GAP = 77 };

/* Integers of a part. Several of 1,000 have no room in one note, those of LONGEST none in any. */
static const int counts[] = {1, 1, 2, 2, 3, 5, 16, 64, 100, 255, 256, 257, 500, 1000, 1024, 1025, LONGEST, 0};

static MPI_Comm comms[COMMS];
static MPI_Datatype pair; /* two integers with one between them that is left alone */
static int in_edges[COMMS][MOST], out_edges[COMMS][MOST], from[COMMS][MOST], into[COMMS][MOST]; /* by neighbour: number of the edge, -1: nobody; the other rank */
static int sources[COMMS], destinations[COMMS];
static unsigned long long state = 88172645463325252ULL;
static int rank, size, results, wrong;

static unsigned draw(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

/* Element i of what goes along an edge in a step, or from a rank to all. */
static int given(int step, int edge, int i) { return step * 1009 + edge * 131 + i; }
static int same(int from) { return 1000 + from; }

static int count_of(int step, int edge) { return counts[(step * 7 + edge * 5) % (sizeof counts / sizeof *counts)]; }

/* In a grid an edge leads from a rank along a dimension, to the rank before or after it. */
static void make_grid(int c, int dims, const int *ends, const int *periodic)
{
    MPI_Cart_create(MPI_COMM_WORLD, dims, ends, periodic, 0, &comms[c]);
    sources[c] = destinations[c] = 2 * dims;
    for (int d = 0; d < dims; d++) {
        int before, after;
        MPI_Cart_shift(comms[c], d, 1, &before, &after);
        for (int way = 0; way < 2; way++) {
            int other = way ? after : before, k = 2 * d + way;
            from[c][k] = into[c][k] = other;
            out_edges[c][k] = other < 0 ? -1 : rank * 2 * dims + k;
            in_edges[c][k] = other < 0 ? -1 : other * 2 * dims + (k ^ 1);
        }
    }
}

static void make_graph(int c, int edges)
{
    static const int ones[MOST] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    sources[c] = destinations[c] = 0;
    for (int e = 0; e < edges; e++) {
        int a = draw(size), b = draw(size);
        if (a == rank) {
            into[c][destinations[c]] = b;
            out_edges[c][destinations[c]++] = e;
        }
        if (b == rank) {
            from[c][sources[c]] = a;
            in_edges[c][sources[c]++] = e;
        }
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, sources[c], from[c], ones, destinations[c], into[c], ones, MPI_INFO_NULL, 0, &comms[c]);
}

/* Parts of one side in memory: one behind the other if all are as long, else with an integer between two, from the last to the first. */
struct side {
    int n, wide[MOST], counts[MOST], places[MOST], end; /* integers, or pairs */
    MPI_Aint bytes[MOST];
    MPI_Datatype types[MOST], type;
};

/* at is where integer i of a part lies. With pairs the second of them lies behind a gap. */
static int at(const struct side *s, int part, int i) { return s->wide[part] ? s->places[part] + i / 2 * 3 + i % 2 * 2 : s->places[part] + i; }

static void put_side(struct side *s, int n, const int *lengths, int regular, int is_wide, int each)
{
    int place = 0;
    s->n = n;
    s->type = is_wide ? pair : MPI_INT;
    for (int k = 0; k < n; k++) {
        int part = regular ? k : n - 1 - k;
        s->wide[part] = each ? is_wide && part % 2 && lengths[part] % 2 == 0 : is_wide;
        s->places[part] = place;
        s->types[part] = s->wide[part] ? pair : MPI_INT;
        s->counts[part] = s->wide[part] ? lengths[part] / 2 : lengths[part];
        place += (s->wide[part] ? lengths[part] / 2 * 3 : lengths[part]) + !regular * 3;
        s->bytes[part] = s->places[part] * (MPI_Aint)sizeof(int);
    }
    s->end = place + 8;
}

/* in_elements says where parts begin in elements of their datatype. Those with gaps are three integers long, and so their places are multiples. */
static int *in_elements(const struct side *s)
{
    static int list[2][MOST], turn;
    int *l = list[turn = !turn];
    for (int k = 0; k < s->n; k++)
        l[k] = s->type == pair ? s->places[k] / 3 : s->places[k];
    return l;
}

static void step(int number)
{
    static int in[MOST * (2 * LONGEST + 3) + 8], out[MOST * (2 * LONGEST + 3) + 8];
    int c = draw(4) ? draw(2) : draw(COMMS), what = draw(6), one = counts[draw(sizeof counts / sizeof *counts)];
    int late = draw(150), gaps_out = draw(8), gaps_in = draw(8), lengths_in[MOST], lengths_out[MOST];
    int is_same = what < 2, regular = what == 0 || what == 2 || what == 5, each = what == 4;
    struct side give = {0}, take = {0};
    if (what == 5 && draw(3) == 0)
        what = 2;
    for (int k = 0; k < sources[c]; k++)
        lengths_in[k] = is_same || regular ? one : in_edges[c][k] < 0 ? 1 : count_of(number, in_edges[c][k]);
    for (int k = 0; k < destinations[c]; k++)
        lengths_out[k] = is_same || regular ? one : out_edges[c][k] < 0 ? 1 : count_of(number, out_edges[c][k]);
    /* Only data of even length may lie in pairs. */
    int even_in = 1, even_out = one % 2 == 0 || !(is_same || regular);
    for (int k = 0; k < sources[c]; k++)
        even_in = even_in && lengths_in[k] % 2 == 0;
    for (int k = 0; k < destinations[c]; k++)
        even_out = even_out && lengths_out[k] % 2 == 0;
    put_side(&give, is_same ? 1 : destinations[c], is_same ? &one : lengths_out, regular || is_same, gaps_out == rank && (each || even_out), each);
    put_side(&take, sources[c], lengths_in, regular, gaps_in == rank && (each || even_in), each);
    for (int i = 0; i < take.end; i++)
        out[i] = GAP;
    for (int k = 0; k < give.n; k++) {
        for (int i = 0; i < (is_same ? one : lengths_out[k]); i++)
            in[at(&give, k, i)] = given(number, is_same ? same(rank) : out_edges[c][k], i);
    }
    if (late == rank) {
        struct timespec t = {0, 500000};
        nanosleep(&t, NULL);
    }
    int n = is_same || destinations[c] ? give.counts[0] : 0, m = sources[c] ? take.counts[0] : 0;
    MPI_Request request;
    switch (what) {
    case 0: MPI_Neighbor_allgather(in, n, give.type, out, m, take.type, comms[c]); break;
    case 1: MPI_Neighbor_allgatherv(in, n, give.type, out, take.counts, in_elements(&take), take.type, comms[c]); break;
    case 2: MPI_Neighbor_alltoall(in, n, give.type, out, m, take.type, comms[c]); break;
    case 3: MPI_Neighbor_alltoallv(in, give.counts, in_elements(&give), give.type, out, take.counts, in_elements(&take), take.type, comms[c]); break;
    case 4: MPI_Neighbor_alltoallw(in, give.counts, give.bytes, give.types, out, take.counts, take.bytes, take.types, comms[c]); break;
    case 5:
        MPI_Ineighbor_alltoall(in, n, give.type, out, m, take.type, comms[c], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    }
    for (int k = 0; k < sources[c]; k++) {
        for (int i = 0; i < lengths_in[k] && in_edges[c][k] >= 0; i++) {
            int *result = &out[at(&take, k, i)], want = given(number, is_same ? same(from[c][k]) : in_edges[c][k], i);
            results++;
            if (*result != want && wrong++ < 5)
                printf("rank %d, step %d, operation %d, communicator %d: integer %d of part %d is %d; expected %d\n", rank, number, what, c, i, k, *result, want);
            *result = GAP;
        }
    }
    for (int i = 0; i < take.end; i++) {
        if (out[i] != GAP && wrong++ < 5)
            printf("rank %d, step %d, operation %d, communicator %d: a gap at %d is %d\n", rank, number, what, c, i, out[i]);
    }
    if (draw(5) == 0) {
        int mine = rank + number, sum;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comms[c]);
        wrong += sum != size * number + size * (size - 1) / 2;
    }
}

/* What is shorter or longer than expected is an error at the rank that gets it, and what follows is as if it had not been called. */
static void different(void)
{
    static int in[4 * LONGEST], out[4 * LONGEST];
    static const int pairs[][2] = {{1, 2}, {2, 1}, {LONGEST, 2}};
    MPI_Comm_set_errhandler(comms[0], MPI_ERRORS_RETURN);
    for (int i = 0; i < 6; i++) {
        int code, class = MPI_SUCCESS, mine = i, sum, given = pairs[i / 2][0], taken = pairs[i / 2][1];
        if (i % 2)
            code = MPI_Neighbor_alltoall(in, given, MPI_INT, out, taken, MPI_INT, comms[0]);
        else
            code = MPI_Neighbor_allgather(in, given, MPI_INT, out, taken, MPI_INT, comms[0]);
        MPI_Error_class(code, &class);
        if (class != (given > taken ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT) && wrong++ < 5)
            printf("%d integers where %d are expected: class %d\n", given, taken, class);
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comms[0]);
        wrong += sum != size * i;
    }
}

int main(int argc, char **argv)
{
    long mine[3], sum[3];
    int dims[2] = {0, 0}, open[2] = {0, 0}, round[2] = {1, 1}, line[2] = {1, 1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    line[0] = size;
    MPI_Dims_create(size, 2, dims);
    make_grid(0, 1, line, round);
    make_graph(1, EDGES);
    make_grid(2, 2, dims, round);
    make_grid(3, 2, line, open);
    make_grid(4, 1, line, open);
    for (int c = 5; c < COMMS; c++)
        make_graph(c, 3 + draw(EDGES - 3));
    for (int i = 0; i < STEPS; i++)
        step(i);
    different();
    mine[0] = results, mine[1] = wrong, mine[2] = musubi_lanes.operations;
    MPI_Reduce(mine, sum, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld results, %ld wrong, %ld by the front\n", sum[0], sum[1], sum[2]);
    for (int c = 0; c < COMMS; c++)
        MPI_Comm_free(&comms[c]);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
