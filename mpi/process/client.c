/* SPDX-License-Identifier: MIT */
/* MPI in a process that is a node, loaded in place of the library that the program was built for.  Each call is handed
 * over to the node, which makes it (serve.c).  All that this side does of MPI is what the node asks for: copy bytes, or
 * call a function of the program. */
#include "mpi/process/client.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#define PEAL_MPI(type, name, parameters) CALL_##name,
#define PEAL_MPI_ABSENT(type, name, parameters) CALL_##name,
enum call {
    CALL_NONE,
#include <peal/mpi/calls.def>
};
#undef PEAL_MPI
#undef PEAL_MPI_ABSENT

#define LACKING(name)                                                                                                  \
    EXPORT(int, name, (void))                                                                                          \
    {                                                                                                                  \
        if (own)                                                                                                       \
            snprintf(own->lacks, sizeof own->lacks, "MPI_" #name);                                                     \
        return (int)client_call(CALL_NONE, "", NULL, __builtin_return_address(0));                                     \
    }

/* ------------------------------------------------------------------ the names of this interface */

/* The build says: INTERFACE, the file with them; HANDLE_BYTES; STATUS, an enum status_form; IGNORED, the value of
 * MPI_STATUS_IGNORE; SYMBOLS, if handles are addresses of symbols. */
#ifdef SYMBOLS
#define PREDEFINED(symbol, handle) VISIBLE char symbol[8];
#define NUMBER(kind, theirs, ours)
#include INTERFACE
#undef PREDEFINED
#undef NUMBER
#endif

/* ------------------------------------------------------------------ the channel */

static struct hall *hall;                /* NULL: this process is enclosed */
static struct channel *own;              /* NULL: this process is not a node */
static int shared_file;                  /* the file of the channels, by a number that programs do not expect */
static bool second;                      /* another library has the channel */
static _Atomic uint32_t tickets, served; /* of the threads that call, in their order */
static _Thread_local int depth;          /* of this thread's calls: a function that a call runs may call MPI, too */
static const int *caller;                /* the depth of the last thread that was in a call */
static bool several;                     /* more than one has been */
static pid_t main_thread;                /* it has called MPI_Init */
static char script[256];                 /* that R or Julia runs: its lines are not known */

/* A handle in Fortran, and its kind, as Peal has them: mpi/call/handle.c. */
#define KIND_OF(handle) ((uintptr_t)(handle) >> 56)
#define INTEGER_OF(handle) ((uint64_t)KIND_OF(handle) << 27 | (uint32_t)(uintptr_t)(handle))

static void
tell_names(void)
{
    const struct known_name names[] = {
#define PREDEFINED(symbol, handle) {ELEMENT_HANDLE, (uintptr_t)(symbol), (uintptr_t)(handle)},
#define NUMBER(kind, theirs, ours) {kind, (uint64_t)(theirs), (uint64_t)(ours)},
#include INTERFACE
#undef PREDEFINED
#undef NUMBER
        {0, 0, 0}};

    _Static_assert(sizeof names <= sizeof own->names, "room for all");
    memcpy(own->names, names, sizeof names);
    own->handle_bytes = HANDLE_BYTES;
    own->status_form = STATUS;
}

/* Of R and Julia the file is known: it is among their words. */
static void
find_script(char **words)
{
    static const char option[] = "--file=";
    struct stat about;

    if (strcmp(program_invocation_short_name, "R") != 0 && strcmp(program_invocation_short_name, "julia") != 0)
        return;
    for (words++; *words && !script[0]; words++) {
        const char *name = *words + (strncmp(*words, option, sizeof option - 1) == 0 ? sizeof option - 1 : 0);

        if (stat(name, &about) == 0 && S_ISREG(about.st_mode))
            snprintf(script, sizeof script, "%s", name);
    }
}

/* A process that this one forks is not a node. */
static void
client_leave(void)
{
    own = NULL;
}

__attribute__((constructor)) static void
join(int argc, char **argv)
{
    const char *words = getenv(CHANNEL_VARIABLE);
    int file, rank, parent, enclosed = 0;
    struct hall *seen = NULL;
    char text[64];
    enum { MIN_DESCRIPTOR = 500 };

    if (!words || sscanf(words, "%d %d %d %d", &file, &rank, &parent, &enclosed) < 3 || parent != getppid())
        return;
    second = file < 0;
    if (!enclosed && !second)
        seen = mmap(NULL, sizeof *hall, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (second || seen == MAP_FAILED)
        return;
    hall = seen;
    void *memory = mmap(NULL, hall ? hall->channel_bytes : sizeof *own, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                        hall ? (off_t)(hall->channel_bytes * (size_t)(rank + 1)) : 0);

    if (memory == MAP_FAILED)
        return;
    shared_file = fcntl(file, F_DUPFD_CLOEXEC, MIN_DESCRIPTOR);
    close(file);
    snprintf(text, sizeof text, "-1 %d %d %d", rank, parent, enclosed);
    setenv(CHANNEL_VARIABLE, text, 1);
    own = memory;
    own->self = (uintptr_t)own;
    tell_names();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* a process that Python has forked has not asked for that yet */
    if (parent != getppid())          /* the spawner has ended before */
        _exit(1);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* where the system asks for it, the node may read our memory */
    pthread_atfork(NULL, NULL, client_leave);
    (void)argc;
    find_script(argv);
    while (atomic_load(&own->pid) == 0) /* until then nobody could read our memory */
        futex(&own->pid, FUTEX_WAIT, 0, NULL);
}

/* Hand the channel over, and let the nodes know. */
static void
client_hand_over(enum channel_state state)
{
    atomic_store(&own->state.word, state);
    if (!hall) {
        futex(&own->state.word, FUTEX_WAKE, 1, NULL);
        return;
    }
    atomic_fetch_add(&hall->bell.word, 1);
    awaited_wake(&hall->bell);
}

/* Whether a thread waits, without end, for another one of this process: for what is private to that, or for its end.
 * Where the system does not say, those do that have never called. */
static bool
waits_for_another(int thread)
{
    char path[64], other[64];
    long call = -1;
    unsigned operation = 0, value = 0;
    unsigned long time = 1;

    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
    FILE *in = fopen(path, "re");
    const bool known = in && fscanf(in, "%ld %*x %x %x %lx", &call, &operation, &value, &time) == 4;

    if (!in)
        return !several;
    fclose(in);
    snprintf(other, sizeof other, "/proc/self/task/%u", value);
    return known && call == SYS_futex && time == 0 && (operation & FUTEX_PRIVATE_FLAG || access(other, F_OK) == 0);
}

/* Whether this process has another thread that may call MPI, since it does not wait for the one that is in a call. */
static bool
other_threads_may_call(void)
{
    DIR *threads = opendir("/proc/self/task");
    bool found = !threads && several;

    for (const struct dirent *one; threads && !found && (one = readdir(threads));)
        found = atoi(one->d_name) > 0 && atoi(one->d_name) != gettid() && !waits_for_another(atoi(one->d_name));
    if (threads)
        closedir(threads);
    return found;
}

static void
do_what_is_asked(void)
{
    typedef int any(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    void *function = (void *)own->function_at;
    const uint64_t *with = own->with;
    int64_t result = 0;

    switch ((enum process_request)own->asked) {
    case ASK_READ:
        memcpy(own->room, function, with[0]);
        break;
    case ASK_WRITE:
        memcpy(function, own->room, with[0]);
        break;
    case ASK_CALL:
        result = ((any *)function)(with[0], with[1], with[2], with[3], with[4], with[5]);
        break;
    case ASK_ARRAY:
        python_array(own);
        break;
    case ASK_THREADS:
        result = other_threads_may_call();
        break;
    case ASK_MAP:
        result =
            (int64_t)(uintptr_t)mmap(NULL, with[1], PROT_READ | PROT_WRITE, MAP_SHARED, shared_file, (off_t)with[0]);
        break;
    }
    own->result = result;
    client_hand_over(GIVEN);
}

/* ------------------------------------------------------------------ where the call is */

/* The file with the code, and the offset there: remembered, as a program calls from few places. */
static void
place_in_code(const void *site, bool inner, struct call_place *place)
{
    static _Thread_local struct {
        const void *site;
        char file[sizeof place->file];
        uint64_t offset;
    } known[16], *one;
    struct link_map *map = NULL;
    Dl_info info;

    one = &known[(uintptr_t)site * UINT64_C(0x9E3779B97F4A7C15) >> 60];
    if (one->site != site) {
        one->site = site;
        one->file[0] = '\0';
        if (dladdr1(site, &info, (void **)&map, RTLD_DL_LINKMAP) && map) {
            ssize_t length = map->l_name[0] ? -1 : readlink("/proc/self/exe", one->file, sizeof one->file - 1);

            one->file[length > 0 ? length : 0] = '\0';
            if (map->l_name[0])
                snprintf(one->file, sizeof one->file, "%s", map->l_name);
            one->offset = (uintptr_t)site - map->l_addr;
        }
    }
    if (strstr(one->file, "/libmpi_") && !inner) { /* of C++ or Fortran: the place is where that was called */
        void *frames[12];
        const int count = backtrace(frames, 12);

        for (int i = 0; i < count; i++)
            if (dladdr(frames[i], &info) && !strstr(info.dli_fname, "/libmpi")) {
                place_in_code(frames[i], true, place);
                return;
            }
    }
    memcpy(place->file, one->file, sizeof place->file);
    place->function[0] = '\0';
    place->line = 0;
    place->offset = one->offset;
}

/* The line that calls, in Python; else the interpreter's script; else the place in the code. */
static void
note_place(const void *site, struct call_place *place)
{
    if (python_place(place))
        return;
    if (script[0]) {
        *place = (struct call_place){.line = 0};
        memcpy(place->file, script, sizeof script);
    } else
        place_in_code(site, false, place);
}

/* ------------------------------------------------------------------ a call */

/* Let the node know what this thread would call, unless it knows that of another one. */
static void
name_next(int32_t call, const void *site)
{
    int32_t named = CALL_NONE;

    if (!atomic_compare_exchange_strong(&own->next_call, &named, -1))
        return;
    note_place(site, &own->next_place);
    atomic_store(&own->next_call, call);
}

/* One thread at a time: others wait, in their order.  If nothing moves meanwhile, the node reports that. */
static void
take_turn(int32_t call, const void *site)
{
    if (depth++ > 0)
        return;
    const uint32_t ticket = atomic_fetch_add(&tickets, 1);

    if (atomic_load(&served) != ticket) {
        void *left = python_leave(); /* who is in a call may need what Python lets one thread have */

        atomic_fetch_add(&own->waiting, 1);
        for (uint32_t now; (now = atomic_load(&served)) != ticket;) {
            name_next(call, site);
            futex(&served, FUTEX_WAIT, now, NULL);
        }
        atomic_compare_exchange_strong(&own->next_call, &call, CALL_NONE);
        atomic_fetch_sub(&own->waiting, 1);
        futex(&served, FUTEX_WAKE, INT_MAX, NULL); /* another one may be named */
        python_enter(left);
    }
    several |= caller && caller != &depth;
    caller = &depth;
}

static void
end_turn(void)
{
    if (--depth > 0)
        return;
    if (atomic_load(&own->next_call) > 0)
        atomic_store(&own->next_call, CALL_NONE);
    atomic_fetch_add(&served, 1);
    if (atomic_load(&own->waiting))
        futex(&served, FUTEX_WAKE, INT_MAX, NULL);
}

static size_t
bytes_of(char letter)
{
    return letter == '4'                    ? 4
           : letter == '8'                  ? 8
           : letter == 'h'                  ? HANDLE_BYTES
           : letter == 't' || letter == 'T' ? status_bytes[STATUS]
                                            : 0;
}

/* Whether there is nothing at an address: it is NULL, or, for statuses, MPI_STATUS_IGNORE. */
static bool
is_ignored(char letter, uint64_t value)
{
    return !value || (value == IGNORED && strchr("tTs", letter));
}

static void
client_copy_pieces(struct short_pieces *pieces, bool back)
{
    unsigned char *data = pieces->data;

    for (uint32_t i = 0; i < pieces->count; data += pieces->bytes[i++])
        if (back)
            memcpy((void *)pieces->at[i], data, pieces->bytes[i]);
        else
            memcpy(data, (const void *)pieces->at[i], pieces->bytes[i]);
}

/* Hand the arguments over; take the results back. */
static void
give(const char *letters, const uint64_t *values, bool again)
{
    for (int i = 0; letters[i]; i++) {
        const bool ignored = is_ignored(letters[i], values[i]);
        const uint64_t value = ignored ? 0 : letters[i] == 'H' && HANDLE_BYTES == 4 ? (uint32_t)values[i] : values[i];

        again &= own->values[i] == value;
        own->values[i] = value;
        if (!ignored && bytes_of(letters[i]))
            memcpy(own->slots[i], (const void *)values[i], bytes_of(letters[i]));
        if (letters[i] == 'i' && values[i])
            snprintf(own->texts[i], TEXT_BYTES, "%s", (const char *)values[i]);
    }
    own->ahead.count = again ? own->ahead.count : 0;
    client_copy_pieces(&own->ahead, false);
}

static void
take(const char *letters, const uint64_t *values)
{
    enum { LONGEST = 256 }; /* of an error's text: shorter in this interface than in Peal's */

    for (int i = 0; letters[i]; i++) {
        if (letters[i] != 'T' && bytes_of(letters[i]) && !is_ignored(letters[i], values[i]))
            memcpy((void *)values[i], own->slots[i], bytes_of(letters[i]));
        if (letters[i] == 'o' && values[i] && own->texts[i][0] != '\1')
            snprintf((char *)values[i], strnlen(own->texts[i], LONGEST - 1) + 1, "%s", own->texts[i]);
    }
    client_copy_pieces(&own->back, true);
    own->back.count = 0;
}

/* What MPI says of a communicator or type of its own, which mpi4py asks for with each message, stays as it is: the
 * first answer that comes to a place stays there.  The call is written last, and lets other threads read the rest. */
static struct answered {
    _Atomic uint64_t call;
    uint64_t handle;
    unsigned char slots[4][sizeof(MPI_Aint)];
} known_answers[256];

static struct answered *
answer_of(uint64_t call, uint64_t handle)
{
    return &known_answers[(call ^ handle) * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}

static void
client_remember(int call, const char *letters, const uint64_t *values)
{
    const int plain = call & ~LARGE_CALL;
    const bool stays = plain == CALL_Comm_rank || plain == CALL_Comm_size || plain == CALL_Type_size ||
                       plain == CALL_Type_get_extent || plain == CALL_Type_get_envelope;
    struct answered *one = stays ? answer_of((uint64_t)call, values[0]) : NULL;

    for (int i = 0; one && own->names[i].kind == ELEMENT_HANDLE && !atomic_load(&one->call); i++)
        if (own->names[i].theirs == values[0]) {
            one->handle = values[0];
            for (int k = 1; letters[k]; k++)
                memcpy(one->slots[k - 1], own->slots[k], bytes_of(letters[k]));
            atomic_store(&one->call, (uint64_t)call);
        }
}

/* Answer without the node, if that is known; an error it reports. */
static bool
client_answer(int call, const char *letters, const uint64_t *values)
{
    const struct answered *one = letters[0] ? answer_of((uint64_t)call, values[0]) : NULL;

    if (!own->runs || !one || atomic_load(&one->call) != (uint64_t)call || one->handle != values[0])
        return false;
    for (int i = 1; letters[i]; i++)
        if (!values[i])
            return false;
    for (int i = 1; letters[i]; i++)
        memcpy((void *)values[i], one->slots[i - 1], bytes_of(letters[i]));
    return true;
}

static int64_t
client_call(int call, const char *letters, const uint64_t *values, const void *site)
{
    uint32_t state;

    if (!own && (call == CALL_Initialized || call == CALL_Finalized))
        *(int *)values[0] = 1; /* a process that a node has forked ends as that would, and mpi4py asks there */
    if (!own && (call == CALL_Initialized || call == CALL_Finalized || call == CALL_Finalize))
        return MPI_SUCCESS;
    if (!own) {
        fputs(second
                  ? "peal: a process calls MPI by the libraries of two interfaces: build its parts for the same MPI\n"
                  : "peal: MPI was called by a process that is not a node: one that a node has started, or forked\n",
              stderr);
        _exit(1);
    }
    if (client_answer(call, letters, values))
        return MPI_SUCCESS;
    take_turn(call & ~LARGE_CALL, site);
    fflush(stdout);
    if (call == CALL_Init || call == CALL_Init_thread) {
        python_begin(&own);
        main_thread = gettid();
    }
    if (!own->said[0])
        note_place(site, &own->place);
    give(letters, values, own->call == (call & ~LARGE_CALL) && own->large == (call & LARGE_CALL));
    own->call = call & ~LARGE_CALL;
    own->large = call & LARGE_CALL;
    client_hand_over(HAS_CALLED);
    while ((state = atomic_load(&own->state.word)) != ANSWERED)
        if (state == ASKS)
            do_what_is_asked();
        else
            awaited_wait(&own->state, state, NULL, hall ? &hall->yields_not_before : NULL);
    take(letters, values);
    int64_t result = own->result;

    if (result == MPI_SUCCESS)
        client_remember(call, letters, values);
    atomic_store(&own->state.word, COMPUTES);
    end_turn();
    return result;
}

#pragma GCC diagnostic ignored "-Wunused-parameter" /* of functions that Peal lacks */
#include "mpi/process/client_calls.inc"

/* ------------------------------------------------------------------ what needs no node */

EXPORT(double, Wtime, (void))
{
    client_call(CALL_Wtime, "", NULL, __builtin_return_address(0));
    return own->seconds;
}

EXPORT(int, Is_thread_main, (int *flag))
{
    const uint64_t values[] = {(uintptr_t)flag};
    const int64_t result = client_call(CALL_Is_thread_main, "4", values, __builtin_return_address(0));

    if (result == MPI_SUCCESS)
        *flag = gettid() == main_thread;
    return (int)result;
}

EXPORT(double, Wtick, (void))
{
    return 1e-9;
}

EXPORT(int, Get_address, (const void *location, MPI_Aint *address))
{
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}

EXPORT(int, Address, (void *location, MPI_Aint *address))
{
    return PMPI_Get_address(location, address);
}

EXPORT(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint disp))
{
    return base + disp;
}

EXPORT(MPI_Aint, Aint_diff, (MPI_Aint addr1, MPI_Aint addr2))
{
    return addr1 - addr2;
}

EXPORT(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void *baseptr))
{
    void *memory = malloc(size > 0 ? (size_t)size : 1);

    (void)info;
    if (memory)
        memcpy(baseptr, &memory, sizeof memory);
    return memory ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

EXPORT(int, Free_mem, (void *base))
{
    free(base);
    return MPI_SUCCESS;
}

EXPORT(int, Status_c2f, (const MPI_Status *c_status, MPI_Fint *f_status))
{
    memcpy(f_status, c_status, status_bytes[STATUS]);
    return MPI_SUCCESS;
}

EXPORT(int, Status_f2c, (const MPI_Fint *f_status, MPI_Status *c_status))
{
    memcpy(c_status, f_status, status_bytes[STATUS]);
    return MPI_SUCCESS;
}

EXPORT(int, Pcontrol, (const int level, ...))
{
    (void)level;
    return MPI_SUCCESS;
}
