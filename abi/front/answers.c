/* What programs ask again and again, and the front knows: lengths of the standard's datatypes, what is in a status, and ranks and an attribute of communicators. */
#include "front.h"
#include "mpi.h"
#include "short.h"

#include <limits.h>
#include <string.h>

/* size_of returns the bytes of a datatype whose elements are bytes in a row, 0 if it is another one. */
static uint64_t size_of(MPI_Datatype datatype)
{
    uintptr_t type = (uintptr_t)datatype - MUSUBI_FIRST_TYPE;
    return type < MUSUBI_TYPES ? musubi_lanes.sizes[type] : 0;
}

int musubi_short_Type_size_c(MPI_Datatype datatype, MPI_Count *size)
{
    uint64_t bytes = size_of(datatype);
    if (bytes == 0 || !size)
        return 0;
    *size = (MPI_Count)bytes;
    return 1;
}

int musubi_short_Type_size(MPI_Datatype datatype, int *size)
{
    MPI_Count bytes;
    if (!size || !musubi_short_Type_size_c(datatype, &bytes))
        return 0;
    *size = (int)bytes;
    return 1;
}

int musubi_short_Type_get_extent(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent)
{
    uint64_t bytes = size_of(datatype);
    if (bytes == 0 || !lb || !extent)
        return 0;
    *lb = 0;
    *extent = (MPI_Aint)bytes;
    return 1;
}

int musubi_short_Type_get_extent_c(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
    MPI_Aint low, length;
    if (!lb || !extent || !musubi_short_Type_get_extent(datatype, &low, &length))
        return 0;
    *lb = low;
    *extent = length;
    return 1;
}

int musubi_short_Get_count_c(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
    uint64_t bytes, size = size_of(datatype);
    if (size == 0 || !status || !count)
        return 0;
    memcpy(&bytes, status->MPI_internal + 1, sizeof bytes);
    *count = bytes % size == 0 ? (MPI_Count)(bytes / size) : MPI_UNDEFINED;
    return 1;
}

int musubi_short_Get_count(const MPI_Status *status, MPI_Datatype datatype, int *count)
{
    MPI_Count n;
    if (!count || !musubi_short_Get_count_c(status, datatype, &n) || n > INT_MAX)
        return 0;
    *count = (int)n;
    return 1;
}

int musubi_short_Status_set_source(MPI_Status *status, int source) { return status && (status->MPI_SOURCE = source, 1); }
int musubi_short_Status_set_tag(MPI_Status *status, int tag) { return status && (status->MPI_TAG = tag, 1); }
int musubi_short_Status_set_error(MPI_Status *status, int error) { return status && (status->MPI_ERROR = error, 1); }
int musubi_short_Status_get_source(const MPI_Status *status, int *source) { return status && source && (*source = status->MPI_SOURCE, 1); }
int musubi_short_Status_get_tag(const MPI_Status *status, int *tag) { return status && tag && (*tag = status->MPI_TAG, 1); }
int musubi_short_Status_get_error(const MPI_Status *status, int *error) { return status && error && (*error = status->MPI_ERROR, 1); }

int musubi_short_Comm_size(MPI_Comm comm, int *size)
{
    const struct musubi_comm *c = musubi_comm_of(comm);
    if (!c || !size)
        return 0;
    *size = (int)c->ranks;
    return 1;
}

int musubi_short_Comm_rank(MPI_Comm comm, int *rank)
{
    const struct musubi_comm *c = musubi_comm_of(comm);
    if (!c || !rank)
        return 0;
    *rank = (int)c->own;
    return 1;
}

/* Libraries keep what they have to know of a communicator in an attribute, and ask for it in each of their calls. */
int musubi_short_Comm_get_attr(MPI_Comm comm, int key, void *value, int *flag)
{
    const struct musubi_attribute *a = &musubi_lanes.attribute;
    if (!musubi_lanes.open || a->comm != (intptr_t)comm || a->key != key || a->comm == 0 || !value || !flag)
        return 0;
    memcpy(value, &a->value, sizeof a->value);
    *flag = 1;
    return 1;
}

/* No intercommunicator has lanes. */
int musubi_short_Comm_test_inter(MPI_Comm comm, int *flag)
{
    const struct musubi_comm *c = musubi_comm_of(comm);
    if (!c || !flag)
        return 0;
    *flag = 0;
    return 1;
}
