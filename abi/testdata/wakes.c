/* Whom the front wakes where ranks may sleep: one process has the notes and the rings of two ranks, the other one of which says that it
 * sleeps. No call here is for the core, which no process has. */
#include "../front/notes.h"
#include "../front/short.h"
#include <mpi.h>
#include <stdio.h>

enum { OWN, OTHER, MEMBERS };

static struct musubi_part parts[MEMBERS];
static struct musubi_note_state state;
static struct musubi_notes notes;
static uint32_t sleeping[MEMBERS], alone;
static int wrong;

enum { RING = 4096, GRAIN = 32, FOR_DATA = MUSUBI_FOR_ALL + 1 };
static const uint64_t message = UINT64_C(1) << 56, skip = UINT64_C(2) << 56;

static struct musubi_writer writer = {.wall = RING, .lap = RING, .longest = RING / 4};
static struct musubi_reader reader;
static _Alignas(64) unsigned char out[RING], in[RING];
static struct musubi_half line_out, line_in;
static uint64_t taken_in, taken_out;
static struct musubi_lane lane = {
    .writer = &writer, .reader = &reader, .out = out, .in = in, .line_out = &line_out, .line_in = &line_in, .taken_in = &taken_in,
    .taken_out = &taken_out, .bytes = RING, .flush_bytes = GRAIN, .message = message, .skip = skip, .longest_in = RING / 4,
    .sleeping = &sleeping[OTHER]};
static struct musubi_lane *to[MEMBERS] = {NULL, &lane};

/* begin says that the other member sleeps. It has posted in all rounds before the next one, and perhaps in that. */
static void begin(int has_posted)
{
    uint64_t round = state.round + has_posted;
    parts[OTHER].notes[round % MUSUBI_NOTE_SLOTS].word = round << MUSUBI_NOTE_ROUND_SHIFT;
    sleeping[OTHER] = MUSUBI_FOR_ALL;
}

/* arrive puts a message of a word and a tag into the ring from the other rank. */
static void arrive(int tag)
{
    uint64_t *record = (uint64_t *)(in + reader.tail % RING);
    record[1] = (uint64_t)tag << 32;
    record[0] = message | (uint64_t)(2 * sizeof *record) << 32;
}

static void end(const char *what, int is_woken)
{
    if ((sleeping[OTHER] == 0) == is_woken)
        return;
    wrong++;
    printf("%s: the other member %s; expected that it %s\n", what, is_woken ? "sleeps on" : "has been woken", is_woken ? "is woken" : "sleeps on");
}

int main(void)
{
    char data[8] = "", all[MEMBERS * sizeof data];
    notes = (struct musubi_notes){.state = &state, .parts = {&parts[OWN], &parts[OTHER]}, .members = MEMBERS, .own = OWN, .most = MUSUBI_SHORT_NOTE,
                                  .sleeping = {&sleeping[OWN], &sleeping[OTHER]}};
    uintptr_t world = (uintptr_t)MPI_COMM_WORLD;
    musubi_lanes.comms[(world >> MUSUBI_INDEX_SHIFT ^ world) % MUSUBI_COMMS] = (struct musubi_comm){.handle = world, .is_open = 1, .ranks = MEMBERS, .to = to, .notes = &notes};
    musubi_lanes.open = 1;
    musubi_lanes.alone = &alone;
    musubi_lanes.all = to;
    musubi_lanes.processes = MEMBERS;
    musubi_lanes.left = MUSUBI_PER_LOOK;
    musubi_lanes.sizes[(uintptr_t)MPI_CHAR - MUSUBI_FIRST_TYPE] = 1;

    begin(1);
    MPI_Barrier(MPI_COMM_WORLD);
    end("the last note of a barrier", 1);

    begin(0);
    MPI_Bcast(data, sizeof data, MPI_CHAR, OWN, MPI_COMM_WORLD);
    end("the note of the root of a broadcast", 1);

    begin(0);
    MPI_Scatter(all, sizeof data, MPI_CHAR, data, sizeof data, MPI_CHAR, OWN, MPI_COMM_WORLD);
    end("the note of the root of a scatter", 1);

    begin(0);
    MPI_Gather(data, sizeof data, MPI_CHAR, NULL, 0, MPI_CHAR, OTHER, MPI_COMM_WORLD);
    end("the first note of a gather", 0);

    begin(1);
    MPI_Gather(data, sizeof data, MPI_CHAR, NULL, 0, MPI_CHAR, OTHER, MPI_COMM_WORLD);
    end("the last note of a gather", 1);

    begin(0);
    MPI_Send(data, sizeof data, MPI_CHAR, OTHER, 1, MPI_COMM_WORLD);
    end("a message by the common line", 1);

    begin(0);
    MPI_Send(all, sizeof all, MPI_CHAR, OTHER, 1, MPI_COMM_WORLD);
    end("a message by the ring", 1);

    begin(0);
    arrive(1);
    MPI_Recv(data, sizeof data, MPI_CHAR, OTHER, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    end("room, for who sleeps for all", 1);

    begin(0);
    sleeping[OTHER] = FOR_DATA;
    arrive(1);
    MPI_Recv(data, sizeof data, MPI_CHAR, OTHER, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    end("room, for who sleeps for data", 0);

    printf("%d messages, %d operations, %d wrong\n", (int)musubi_lanes.messages, (int)musubi_lanes.operations, wrong);
    return wrong != 0;
}
