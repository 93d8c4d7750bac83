/* Whom the front wakes when it posts a note, where members may sleep: one process has the notes of two members, the other one of which says that
 * it sleeps. No call here is for the core, which no process has. */
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

/* begin says that the other member sleeps. It has posted in all rounds before the next one, and perhaps in that. */
static void begin(int has_posted)
{
    uint64_t round = state.round + has_posted;
    parts[OTHER].notes[round % MUSUBI_NOTE_SLOTS].word = round << MUSUBI_NOTE_ROUND_SHIFT;
    sleeping[OTHER] = 1;
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
    notes = (struct musubi_notes){.state = &state, .parts = {&parts[OWN], &parts[OTHER]}, .members = MEMBERS, .own = OWN,
                                  .sleeping = {&sleeping[OWN], &sleeping[OTHER]}, .sleeps = 1, .alone = &alone};
    musubi_lanes.comm = (intptr_t)MPI_COMM_WORLD;
    musubi_lanes.notes = &notes;
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

    printf("%d operations, %d wrong\n", (int)musubi_lanes.operations, wrong);
    return wrong != 0;
}
