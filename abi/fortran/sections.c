/* Sections of arrays as mpi_f08 passes them to messages, which use the array itself. What lies in a row goes on as it is.
 * For what has gaps there is a datatype, which is freed when the call has returned; what is under way keeps it. */
#include "fortran.h"

#include <string.h>

static int64_t extent_of(const struct musubi_dimension *d) { return d->upper < d->lower ? 0 : d->upper - d->lower + 1; }

/* step_of returns how many bytes lie between the beginnings of two elements along a dimension. */
static int64_t step_of(const struct musubi_section *s, const struct musubi_dimension *d) { return d->stride * s->span; }

/* has_gaps reports whether there are elements that do not lie in a row. */
static int has_gaps(const struct musubi_section *s)
{
    int64_t next = s->element.bytes;
    int gaps = 0;
    for (int i = 0; i < s->element.rank; i++) {
        int64_t extent = extent_of(&s->dimension[i]);
        gaps = gaps || (extent != 1 && step_of(s, &s->dimension[i]) != next);
        if (extent == 0) /* the section is empty, or this is the last dimension of an array of assumed size */
            return gaps && i == s->element.rank - 1;
        next *= extent;
    }
    return gaps;
}

/* first returns a datatype of the first n elements, at least 1, of the lower dimensions of a section. */
static MPI_Datatype first(const struct musubi_section *s, int dimensions, int64_t n, MPI_Datatype element)
{
    MPI_Datatype made;
    if (dimensions == 0) {
        PMPI_Type_dup(element, &made);
        return made;
    }
    int64_t below = 1, step = step_of(s, &s->dimension[dimensions - 1]);
    for (int i = 0; i < dimensions - 1; i++)
        below *= extent_of(&s->dimension[i]);
    int64_t whole = n / below, rest = n % below;
    if (whole == 0)
        return first(s, dimensions - 1, rest, element);
    MPI_Datatype all = first(s, dimensions - 1, below, element);
    PMPI_Type_create_hvector_c(whole, 1, step, all, &made);
    PMPI_Type_free(&all);
    if (rest == 0)
        return made;
    MPI_Datatype parts[] = {made, first(s, dimensions - 1, rest, element)};
    PMPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, whole * step}, parts, &made);
    PMPI_Type_free(&parts[0]);
    PMPI_Type_free(&parts[1]);
    return made;
}

/* copy copies the elements of the lower dimensions of a section into a row, or from it back. It returns where the row ends. */
static char *copy(const struct musubi_section *s, int dimensions, char *element, char *row, int back)
{
    if (dimensions == 0) {
        memcpy(back ? element : row, back ? row : element, s->element.bytes);
        return row + s->element.bytes;
    }
    const struct musubi_dimension *d = &s->dimension[dimensions - 1];
    for (int64_t i = 0; i < extent_of(d); i++)
        row = copy(s, dimensions - 1, element + i * step_of(s, d), row, back);
    return row;
}

/* copy_all makes a message of a copy of a section. */
static void copy_all(struct musubi_message *m)
{
    size_t bytes = m->section->element.bytes;
    for (int i = 0; i < m->section->element.rank; i++)
        bytes *= extent_of(&m->section->dimension[i]);
    m->address = m->copy = malloc(bytes + 1);
    copy(m->section, m->section->element.rank, m->section->base, m->copy, 0);
}

struct musubi_message musubi_message(const struct musubi_section *s, int64_t count, MPI_Fint datatype, enum musubi_use use)
{
    struct musubi_message m = {musubi_buffer(s->base), count, (MPI_Datatype)(intptr_t)datatype, s, use, 0, NULL};
    MPI_Count lower = 0, extent = 0, size = 0;
    if (m.address != s->base || count <= 0 || m.type == MPI_DATATYPE_NULL || !has_gaps(s))
        return m;
    if (PMPI_Type_get_extent_c(m.type, &lower, &extent) != MPI_SUCCESS || PMPI_Type_size_c(m.type, &size) != MPI_SUCCESS || size == 0)
        return m;
    int64_t bytes = s->element.bytes, n = count * size / bytes;
    if (lower != 0 || extent != size || count * size % bytes != 0) { /* it has gaps itself, or ends within an element */
        if (use == MUSUBI_GOES_ON)
            m.type = MPI_DATATYPE_NULL; /* so the call fails */
        else
            copy_all(&m);
        return m;
    }
    MPI_Datatype element;
    if (bytes % size == 0)
        PMPI_Type_contiguous_c(bytes / size, m.type, &element);
    else
        PMPI_Type_contiguous_c(bytes, MPI_BYTE, &element);
    m.type = first(s, s->element.rank, n, element);
    PMPI_Type_free(&element);
    PMPI_Type_commit(&m.type);
    m.count = m.is_made = 1;
    return m;
}

void musubi_forget(struct musubi_message *m)
{
    if (m->is_made)
        PMPI_Type_free(&m->type);
    if (m->copy && m->use == MUSUBI_WRITES)
        copy(m->section, m->section->element.rank, m->section->base, m->copy, 1);
    free(m->copy);
}
