/* Attributes of Fortran, in terms of those of C. C has addresses as values and Fortran has integers. What one
 * language has set the other reads as MPI has it: Fortran gets the address as an integer, and C the address of
 * the integer, an int if it came from MPI_ATTR_PUT, else an MPI_Aint. So an integer of Fortran lies in memory of this
 * library, and its address is the value for C. */
#include "fortran.h"

#include <pthread.h>

/* integer is a value that Fortran has set. C may have its address, which is that of either member of now. */
struct integer {
    union {
        int narrow;
        MPI_Aint wide;
    } now;
    int is_narrow;
    struct integer *next; /* of the same place */
};

/* All integers there are, by address: a value that is not among them is an address that C has set. */
enum { PLACES = 1024 };
static struct integer *integers[PLACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct integer **place_of(const void *address) { return &integers[(uintptr_t)address / 16 % PLACES]; }

static void *new_integer(MPI_Aint number, int is_narrow)
{
    struct integer *made = malloc(sizeof *made), **place = place_of(made);
    made->is_narrow = is_narrow;
    if (is_narrow)
        made->now.narrow = number;
    else
        made->now.wide = number;
    pthread_mutex_lock(&lock);
    made->next = *place;
    *place = made;
    pthread_mutex_unlock(&lock);
    return made;
}

/* integer_at returns the integer whose address a value is, or NULL. */
static struct integer *integer_at(const void *value)
{
    pthread_mutex_lock(&lock);
    struct integer *found = *place_of(value);
    while (found && (void *)found != value)
        found = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

static void free_integer(void *value)
{
    pthread_mutex_lock(&lock);
    for (struct integer **link = place_of(value); *link; link = &(*link)->next)
        if ((void *)*link == value) {
            *link = (*link)->next;
            free(value);
            break;
        }
    pthread_mutex_unlock(&lock);
}

/* number_of returns a value as Fortran has it. */
static MPI_Aint number_of(void *value)
{
    struct integer *found = integer_at(value);
    if (!found)
        return (MPI_Aint)value;
    return found->is_narrow ? found->now.narrow : found->now.wide;
}

/* number_of_key is number_of with attributes of the standard, of which C has the address, but for that of a window. */
static MPI_Aint number_of_key(int key, void *value)
{
    switch (key) {
    case MPI_TAG_UB:
    case MPI_HOST:
    case MPI_IO:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_UNIVERSE_SIZE:
    case MPI_LASTUSEDCODE:
    case MPI_APPNUM:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL:
        return *(int *)value;
    case MPI_WIN_SIZE:
        return *(MPI_Aint *)value;
    }
    return number_of(value);
}

/* like returns a number as a value of the same kind as another value, of which it is the copy. */
static void *like(void *value, MPI_Aint number)
{
    struct integer *found = integer_at(value);
    return found ? new_integer(number, found->is_narrow) : (void *)number;
}

/* A key of Fortran has its procedures and its extra state as the extra state of one of C,
 * for as long as the program runs: attributes may outlive the key. Its attributes have integers of their own, which go
 * with them. Those of a key of C stay, as functions of C may have handed their addresses on. */

typedef void copy_procedure(MPI_Fint *handle, int *key, MPI_Aint *extra, MPI_Aint *in, MPI_Aint *out, int *flag, MPI_Fint *ierror);
typedef void delete_procedure(MPI_Fint *handle, int *key, MPI_Aint *value, MPI_Aint *extra, MPI_Fint *ierror);
typedef void narrow_copy(MPI_Fint *handle, int *key, int *extra, int *in, int *out, int *flag, MPI_Fint *ierror);
typedef void narrow_delete(MPI_Fint *handle, int *key, int *value, int *extra, MPI_Fint *ierror);

struct key {
    void (*copy)(void), (*delete)(void);
    MPI_Aint extra;
};

static void *state(void (*copy)(void), void (*delete)(void), MPI_Aint extra)
{
    struct key *k = malloc(sizeof *k);
    k->copy = copy;
    k->delete = delete;
    k->extra = extra;
    return k;
}

/* copied is what a function of C that copies an attribute gives back. */
static int copied(void *in, MPI_Aint number, void *out, int flag, int code)
{
    if (code == MPI_SUCCESS && flag)
        *(void **)out = like(in, number);
    return code;
}

/* deleted is what one that deletes it gives back. */
static int deleted(void *value, int code)
{
    if (code == MPI_SUCCESS)
        free_integer(value);
    return code;
}

static int copy_attribute(intptr_t object, int key, void *extra, void *in, void *out, int *flag)
{
    struct key *k = extra;
    MPI_Fint handle = object, code = MPI_SUCCESS;
    MPI_Aint before = number_of(in), after = 0;
    ((copy_procedure *)k->copy)(&handle, &key, &k->extra, &before, &after, flag, &code);
    return copied(in, after, out, *flag, code);
}

static int delete_attribute(intptr_t object, int key, void *value, void *extra)
{
    struct key *k = extra;
    MPI_Fint handle = object, code = MPI_SUCCESS;
    MPI_Aint number = number_of(value);
    ((delete_procedure *)k->delete)(&handle, &key, &number, &k->extra, &code);
    return deleted(value, code);
}

/* Those of MPI-1 have integers of 4 bytes. */
static int copy_narrow(MPI_Comm object, int key, void *extra, void *in, void *out, int *flag)
{
    struct key *k = extra;
    MPI_Fint handle = (intptr_t)object, code = MPI_SUCCESS;
    int number = k->extra, before = number_of(in), after = 0;
    ((narrow_copy *)k->copy)(&handle, &key, &number, &before, &after, flag, &code);
    return copied(in, after, out, *flag, code);
}

static int delete_narrow(MPI_Comm object, int key, void *value, void *extra)
{
    struct key *k = extra;
    MPI_Fint handle = (intptr_t)object, code = MPI_SUCCESS;
    int number = k->extra, was = number_of(value);
    ((narrow_delete *)k->delete)(&handle, &key, &was, &number, &code);
    return deleted(value, code);
}

#pragma weak mpi_keyval_create_ = pmpi_keyval_create_
void pmpi_keyval_create_(void (*copy)(void), void (*delete)(void), int *key, int *extra, MPI_Fint *ierror)
{
    ENDS(PMPI_Comm_create_keyval(copy_narrow, delete_narrow, key, state(copy, delete, *extra)));
}

/* set_integer sets an attribute by a function of C; an integer that no attribute has taken is freed. */
static int set_integer(int set(void *, int, void *), MPI_Fint object, int key, MPI_Aint number, int is_narrow)
{
    void *value = new_integer(number, is_narrow);
    int code = set((void *)(intptr_t)object, key, value);
    if (code != MPI_SUCCESS)
        free_integer(value);
    return code;
}

/* get_integer gets an attribute by a function of C, and leaves the number as it is where there is none. */
static int get_integer(int get(void *, int, void *, int *), MPI_Fint object, int key, MPI_Aint *number, int *flag)
{
    void *value = NULL;
    *flag = 0;
    int code = get((void *)(intptr_t)object, key, &value, flag);
    if (code == MPI_SUCCESS && *flag)
        *number = number_of_key(key, value);
    return code;
}

/* The functions of C for the three kinds of objects, whose handles are addresses to all. */
#define FUNCTIONS_OF_C(Kind)                                                                                           \
    static int set_##Kind(void *object, int key, void *value) { return PMPI_##Kind##_set_attr(object, key, value); }   \
    static int get_##Kind(void *object, int key, void *value, int *flag)                                               \
    {                                                                                                                  \
        return PMPI_##Kind##_get_attr(object, key, value, flag);                                                       \
    }
FUNCTIONS_OF_C(Comm)
FUNCTIONS_OF_C(Type)
FUNCTIONS_OF_C(Win)

#pragma weak mpi_attr_put_ = pmpi_attr_put_
void pmpi_attr_put_(MPI_Fint *object, int *key, int *value, MPI_Fint *ierror)
{
    ENDS(set_integer(set_Comm, *object, *key, *value, 1));
}

#pragma weak mpi_attr_get_ = pmpi_attr_get_
void pmpi_attr_get_(MPI_Fint *object, int *key, int *value, int *flag, MPI_Fint *ierror)
{
    MPI_Aint number = *value;
    ENDS(get_integer(get_Comm, *object, *key, &number, flag));
    *value = number;
}

#define ATTRIBUTE_FUNCTIONS(Kind, create, set, get)                                                                    \
    void p##create(void (*copy)(void), void (*delete)(void), int *key, MPI_Aint *extra, MPI_Fint *ierror)             \
    {                                                                                                                  \
        ENDS(PMPI_##Kind##_create_keyval((MPI_##Kind##_copy_attr_function *)copy_attribute,                            \
                                         (MPI_##Kind##_delete_attr_function *)delete_attribute, key,                   \
                                         state(copy, delete, *extra)));                                                \
    }                                                                                                                  \
    void create(void (*copy)(void), void (*delete)(void), int *key, MPI_Aint *extra, MPI_Fint *ierror)                \
        __attribute__((weak, alias("p" #create)));                                                                     \
    void p##set(MPI_Fint *object, int *key, MPI_Aint *value, MPI_Fint *ierror)                                         \
    {                                                                                                                  \
        ENDS(set_integer(set_##Kind, *object, *key, *value, 0));                                                       \
    }                                                                                                                  \
    void set(MPI_Fint *object, int *key, MPI_Aint *value, MPI_Fint *ierror) __attribute__((weak, alias("p" #set)));    \
    void p##get(MPI_Fint *object, int *key, MPI_Aint *value, int *flag, MPI_Fint *ierror)                              \
    {                                                                                                                  \
        ENDS(get_integer(get_##Kind, *object, *key, value, flag));                                                     \
    }                                                                                                                  \
    void get(MPI_Fint *object, int *key, MPI_Aint *value, int *flag, MPI_Fint *ierror)                                 \
        __attribute__((weak, alias("p" #get)));
ATTRIBUTE_FUNCTIONS(Comm, mpi_comm_create_keyval_, mpi_comm_set_attr_, mpi_comm_get_attr_)
ATTRIBUTE_FUNCTIONS(Type, mpi_type_create_keyval_, mpi_type_set_attr_, mpi_type_get_attr_)
ATTRIBUTE_FUNCTIONS(Win, mpi_win_create_keyval_, mpi_win_set_attr_, mpi_win_get_attr_)

/* The procedures that programs name: they copy the attribute or do not, and delete nothing. */
static void copy_none(int *flag, MPI_Fint *ierror)
{
    *flag = 0;
    *ierror = MPI_SUCCESS;
}

static void copy_same(MPI_Aint *in, MPI_Aint *out, int *flag, MPI_Fint *ierror)
{
    *out = *in;
    *flag = 1;
    *ierror = MPI_SUCCESS;
}

#define PROCEDURES(kind)                                                                                                \
    void mpi_##kind##_null_copy_fn_(MPI_Fint *o, int *k, MPI_Aint *e, MPI_Aint *in, MPI_Aint *out, int *flag, MPI_Fint *ierror) \
    {                                                                                                                  \
        copy_none(flag, ierror);                                                                                       \
    }                                                                                                                  \
    void mpi_##kind##_dup_fn_(MPI_Fint *o, int *k, MPI_Aint *e, MPI_Aint *in, MPI_Aint *out, int *flag, MPI_Fint *ierror) \
    {                                                                                                                  \
        copy_same(in, out, flag, ierror);                                                                              \
    }                                                                                                                  \
    void mpi_##kind##_null_delete_fn_(MPI_Fint *o, int *k, MPI_Aint *v, MPI_Aint *e, MPI_Fint *ierror)                 \
    {                                                                                                                  \
        *ierror = MPI_SUCCESS;                                                                                         \
    }
PROCEDURES(comm)
PROCEDURES(type)
PROCEDURES(win)

void mpi_null_copy_fn_(MPI_Fint *o, int *k, int *e, int *in, int *out, int *flag, MPI_Fint *ierror) { copy_none(flag, ierror); }

void mpi_dup_fn_(MPI_Fint *o, int *k, int *e, int *in, int *out, int *flag, MPI_Fint *ierror)
{
    *out = *in;
    *flag = 1;
    *ierror = MPI_SUCCESS;
}

void mpi_null_delete_fn_(MPI_Fint *o, int *k, int *v, int *e, MPI_Fint *ierror) { *ierror = MPI_SUCCESS; }
