/* The front of libmpi_abi.so. In a live job it loads the core, which is written in Go, and calls it.
 * In a simulated one it writes each call into a slot of memory that it shares with the simulator,
 * and sleeps until that has carried the call out; so a simulated rank needs no Go. */
#define _GNU_SOURCE
#include "front.h"
#include "short.h"
#include "mpi.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORDS = 16 };

/* slot is how a thread of a rank and the simulator hand calls to each other. Package mpi/abi/process has the same. */
struct slot {
    _Alignas(64) _Atomic uint32_t turn; /* whose turn it is */
    uint32_t what;
    int64_t number; /* of the function, or what is requested */
    int64_t result;
    int64_t computed; /* ns of processor time since the last call has returned */
    int64_t blocks;   /* that have run since then, if the program counts them */
    int64_t words[MOST_WORDS];
};

enum { MOST_THREADS = 256 };

/* slots is the memory that both share. Each thread that has called has a slot. */
struct slots {
    uint32_t musubi, library; /* the version that each side has */
    _Atomic uint32_t bell;    /* changes when a thread has handed something over */
    uint32_t used;            /* slots that threads have, or had */
    struct slot all[MOST_THREADS];
};

/* Package mpi/abi has the same. It changes with what is in a slot, what is requested, and the functions. */
#ifndef VERSION
#define VERSION 20
#endif
enum { TURN_OF_RANK = 0, TURN_OF_SIMULATOR = 1 };
enum { CALL = 1, REQUEST_DONE, RETURN, REQUEST };

static int64_t (*core)(int number, int64_t *arguments);
static void (*adopt)(void);
static void (*leave)(void);
static struct slots *slots;
static __thread struct slot *own __attribute__((tls_model("initial-exec")));
static __thread int64_t last_return __attribute__((tls_model("initial-exec"))); /* processor time */

/* Slots of threads that have ended. */
static struct slot *spare[MOST_THREADS];
static int spares;
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t thread_end;

/* A compiler that is told -fsanitize-coverage=trace-pc calls this in each basic block of a program. So
 * a program counts what it computes, and counts the same each time. */
static __thread int64_t blocks __attribute__((tls_model("initial-exec")));

void __sanitizer_cov_trace_pc(void) { blocks++; }

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "libmpi_abi.so: %s: %s\n", what, why);
    _exit(1);
}

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* carry_out does what the other side requests. */
static int64_t carry_out(int what, int64_t *a)
{
    void *function = (void *)a[0];
    switch (what) {
    case MUSUBI_REDUCE: {
        MPI_Datatype type = (MPI_Datatype)a[4];
        if (a[5]) {
            MPI_Count length = a[3];
            ((MPI_User_function_c *)function)((void *)a[1], (void *)a[2], &length, &type);
        } else {
            int length = a[3];
            ((MPI_User_function *)function)((void *)a[1], (void *)a[2], &length, &type);
        }
        return 0;
    }
    case MUSUBI_COPY_ATTRIBUTE: {
        void *value = NULL;
        int flag = 0;
        int code = ((MPI_Comm_copy_attr_function *)function)((MPI_Comm)a[1], a[2], (void *)a[3], (void *)a[4], &value, &flag);
        a[0] = (int64_t)value;
        a[1] = flag;
        return code;
    }
    case MUSUBI_DELETE_ATTRIBUTE:
        return ((MPI_Comm_delete_attr_function *)function)((MPI_Comm)a[1], a[2], (void *)a[3], (void *)a[4]);
    case MUSUBI_HANDLE_ERROR: {
        MPI_Comm handle = (MPI_Comm)a[1];
        int code = a[2];
        ((MPI_Comm_errhandler_function *)function)(&handle, &code);
        a[0] = code;
        return 0;
    }
    case MUSUBI_ALLOCATE: {
        void *memory = NULL;
        return posix_memalign(&memory, 64, a[0] ? a[0] : 1) ? 0 : (int64_t)memory;
    }
    case MUSUBI_FREE:
        free(function);
        return 0;
    case MUSUBI_EXIT:
        fflush(NULL);
        _exit(a[0]);
    case MUSUBI_QUERY:
        return ((MPI_Grequest_query_function *)function)((void *)a[1], (MPI_Status *)a[2]);
    case MUSUBI_RELEASE:
        return ((MPI_Grequest_free_function *)function)((void *)a[1]);
    case MUSUBI_CANCEL:
        return ((MPI_Grequest_cancel_function *)function)((void *)a[1], a[2]);
    case MUSUBI_REDUCE_WIDE:
        musubi_reduce_wide(a[0], (const void *)a[1], (void *)a[2], a[3], a[4]);
        return 0;
    case MUSUBI_MAP_SHARED: {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)a[1], (int)a[0]);
        int file = open(path, O_RDWR | O_CLOEXEC);
        void *memory = file < 0 ? MAP_FAILED : mmap(NULL, a[2], PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (file >= 0)
            close(file);
        return memory == MAP_FAILED ? 0 : (int64_t)memory;
    }
    case MUSUBI_UNMAP_SHARED:
        return munmap(function, a[1]);
    case MUSUBI_DONE_ALREADY:
        return musubi_done_already();
    }
    fail("a request that this version does not know", "expected core and front of one version");
    return 0;
}

/* open_core loads the core with threads whose sleeps may take longer. Go's monitor is one: while the program is in C it means to wake every
 * 20 us for a millisecond, many times a second, and takes the processor from this rank or others each time. Threads have what the one has that
 * starts them, here as the library is loaded. */
static void *open_core(const char *path)
{
    enum { SLACK = 1000 * 1000 }; /* ns */
    int before = prctl(PR_GET_TIMERSLACK);
    if (before >= 0 && before < SLACK)
        prctl(PR_SET_TIMERSLACK, (unsigned long)SLACK);
    void *library = dlopen(path, RTLD_NOW | RTLD_NODELETE);
    if (before >= 0 && before < SLACK)
        prctl(PR_SET_TIMERSLACK, (unsigned long)before);
    return library;
}

/* load_core loads the core from the directory of this library. */
static void load_core(void)
{
    Dl_info self;
    char path[4096];
    const char *slash;
    if (!dladdr((void *)load_core, &self) || !(slash = strrchr(self.dli_fname, '/')))
        fail("cannot find its own directory", "expected it to be linked by its path");
    snprintf(path, sizeof path, "%.*s/libmusubi_core.so", (int)(slash - self.dli_fname), self.dli_fname);
    void *library = open_core(path);
    if (!library)
        fail("cannot load the core", dlerror());
    void (*start)(void *, void *) = (void (*)(void *, void *))dlsym(library, "musubi_core_start");
    core = (int64_t(*)(int, int64_t *))dlsym(library, "musubi_core_call");
    adopt = (void (*)(void))dlsym(library, "musubi_core_adopt");
    leave = (void (*)(void))dlsym(library, "musubi_core_leave");
    int (*version)(void) = (int (*)(void))dlsym(library, "musubi_core_version");
    if (!start || !core || !adopt || !leave || !version || version() != VERSION)
        fail(path, "is of another version than this library; expected what one abi/install has installed");
    start((void *)carry_out, &musubi_lanes);
}

static void give_slot_back(void *slot)
{
    pthread_mutex_lock(&spare_lock);
    spare[spares++] = slot;
    pthread_mutex_unlock(&spare_lock);
}

static void open_slot(const char *descriptor)
{
    slots = mmap(NULL, sizeof *slots, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(descriptor), 0);
    if (slots == MAP_FAILED)
        fail("MUSUBI_CALL_SLOT", "is not a file descriptor of a slot");
    if (slots->musubi != VERSION)
        fail("musubi is of another version than this library", "expected what one abi/install has installed");
    slots->library = VERSION;
    close(atoi(descriptor));
    unsetenv("MUSUBI_CALL_SLOT");
    if (pthread_key_create(&thread_end, give_slot_back) != 0)
        fail("the slot of a thread", "cannot be given back when it ends");
}

/* slot_of_thread returns the slot of the thread that calls. */
static struct slot *slot_of_thread(void)
{
    if (own)
        return own;
    pthread_mutex_lock(&spare_lock);
    if (spares > 0)
        own = spare[--spares];
    else if (slots->used < MOST_THREADS)
        own = &slots->all[slots->used++];
    pthread_mutex_unlock(&spare_lock);
    if (!own)
        fail("MPI", "is called by more than 256 threads at once");
    pthread_setspecific(thread_end, own);
    return own;
}

/* hand_over gives the simulator its turn, and waits for the next one of this thread. */
static void hand_over(struct slot *slot, uint32_t what, int64_t number)
{
    slot->what = what;
    slot->number = number;
    slot->computed = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - last_return;
    slot->blocks = blocks;
    atomic_store(&slot->turn, TURN_OF_SIMULATOR);
    atomic_fetch_add(&slots->bell, 1);
    syscall(SYS_futex, &slots->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
    for (uint32_t turn; (turn = atomic_load(&slot->turn)) != TURN_OF_RANK;) {
        struct timespec second = {1, 0};
        syscall(SYS_futex, &slot->turn, FUTEX_WAIT, turn, &second, NULL, 0);
        if (getppid() == 1)
            _exit(1); /* the simulator is gone */
    }
    last_return = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    blocks = 0;
}

static int64_t call_simulator(int number, const int64_t *arguments, int count)
{
    struct slot *slot = slot_of_thread();
    memcpy(slot->words, arguments, count * sizeof *arguments);
    hand_over(slot, CALL, number);
    while (slot->what == REQUEST) {
        int64_t a[MOST_WORDS];
        int what = slot->number;
        memcpy(a, slot->words, sizeof a);
        int64_t result = carry_out(what, a); /* may call MPI itself */
        memcpy(slot->words, a, sizeof a);
        slot->result = result;
        hand_over(slot, REQUEST_DONE, what);
    }
    return slot->result;
}

/* A program that has only had sessions leaves its job when it ends. */
__attribute__((destructor)) static void end(void)
{
    if (leave)
        leave();
}

static void begin(void)
{
    const char *descriptor = getenv("MUSUBI_CALL_SLOT");
    if (descriptor)
        open_slot(descriptor);
    else
        load_core();
}

/* call_core calls the core, which has the lanes then. */
static int64_t call_core(int number, int64_t *arguments)
{
    if (!musubi_lanes.shared) {
        musubi_close_lanes(adopt);
        return core(number, arguments);
    }
    __atomic_fetch_add(&musubi_lanes.callers, 1, __ATOMIC_SEQ_CST);
    int64_t result = core(number, arguments);
    __atomic_fetch_sub(&musubi_lanes.callers, 1, __ATOMIC_SEQ_CST);
    return result;
}

int64_t musubi_call(int number, int64_t *arguments, int count)
{
    if (__builtin_expect(core != NULL, 1))
        return call_core(number, arguments);
    if (!slots)
        begin();
    return slots ? call_simulator(number, arguments, count) : core(number, arguments);
}

int64_t musubi_ask(int number, int64_t *arguments, int count)
{
    return core ? core(number, arguments) : musubi_call(number, arguments, count);
}

/* Live time is that of the host; simulated time comes in picoseconds. */
double musubi_Wtime(void)
{
    int64_t none = 0;
    if (!core && !slots)
        begin();
    return core ? nanoseconds(CLOCK_MONOTONIC) * 1e-9 : call_simulator(musubi_number_of_Wtime, &none, 0) * 1e-12;
}

double musubi_Wtick(void) { return slots ? 1e-12 : 1e-9; }
