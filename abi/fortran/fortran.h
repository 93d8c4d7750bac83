/* What the subroutines of Fortran have in common. */
#ifndef MUSUBI_FORTRAN_H
#define MUSUBI_FORTRAN_H

#include "mpi.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Variables of Fortran that stand for special addresses, as such addresses. */
void *musubi_buffer(void *address);
int *musubi_weights(const int *weights);
MPI_Status *musubi_status(const MPI_Status *status);

/* Arrays of handles, whose numbers have 4 bytes in Fortran and 8 in C. narrow frees the wide one. */
int64_t *musubi_widen(const MPI_Fint *narrow, int64_t n);
void musubi_narrow(MPI_Fint *narrow, int64_t *wide, int64_t n);

/* How many ranks, or neighbours, of a communicator this one sends to, or receives from. */
int64_t musubi_peers(MPI_Fint comm, int neighbours, int receives);

/* Texts: of Fortran with blanks at the end, of C with a zero. The caller frees the first two; pad
 * frees its room. */
char *musubi_text(const char *text, size_t length);
char *musubi_room(size_t length);
void musubi_pad(char *text, char *room, size_t length);

/* A section of an array as gfortran describes it: stride counts elements, and span is the bytes of one step. */
struct musubi_dimension {
    ptrdiff_t stride, lower, upper;
};
struct musubi_section {
    void *base;
    size_t offset;
    struct {
        size_t bytes;
        int version;
        signed char rank, type;
        short attribute;
    } element;
    ptrdiff_t span;
    struct musubi_dimension dimension[15];
};

/* What a call does with a section: it reads or writes it until it returns, or uses it later as well. */
enum musubi_use { MUSUBI_READS, MUSUBI_WRITES, MUSUBI_GOES_ON };

/* A section as a message of C. Whoever has got one forgets it when the call has returned. */
struct musubi_message {
    void *address;
    MPI_Count count;
    MPI_Datatype type;
    const struct musubi_section *section;
    enum musubi_use use;
    int is_made; /* the datatype is, for this message */
    char *copy;  /* which the message is of; NULL: of the section */
};
struct musubi_message musubi_message(const struct musubi_section *section, int64_t count, MPI_Fint datatype, enum musubi_use use);
void musubi_forget(struct musubi_message *message);

/* ENDS ends a subroutine with the code of a function of C. */
#define ENDS(code)       \
    do {                 \
        int c_ = (code); \
        if (ierror)      \
            *ierror = c_; \
    } while (0)

#endif
