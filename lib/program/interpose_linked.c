/* SPDX-License-Identifier: MIT */
/* Calls of the C library by linked programs that must be a node's own: time, sleep, atexit, standard input.
 *
 * The time is the model's (model_clock.h), so that a program prints the same in every run. */
#include "lib/base/clock.h"
#include "lib/machine/machine.h"
#include "lib/machine/output.h"
#include "lib/program/compile.h"
#include "lib/program/interpose.h"
#include <peal/author.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

bool interpose_host_clock;

/* A function that is called when the node ends. */
struct interpose_handler {
    void (*call)(void *arg);
    void *arg;
    struct interpose_handler *next;
};

/* ------------------------------------------------------------------ time */

/* Note once that the time between two reads contains no computing: a loop until some time has passed runs long, and a
 * rate divided by that time is meaningless. */
static void
note_still(struct peal_node *me)
{
    static _Atomic bool said;
    const struct peal_options *options = &me->node->machine->options;

    if (options->computing.source != PEAL_COMPUTE_COUNTED || options->parameters.tau > 0)
        return;
    me->node->times = true;
    if (!said && !atomic_exchange(&said, true))
        fputs(
            "peal: note: the program asks for the time again and again, and computing costs nothing here, so that only "
            "communication takes time: --compute measure charges it, too, except where nodes are processes\n",
            stderr);
}

double
peal_program_seconds(struct peal_node *me)
{
    enum { MANY_READS = 1000 }; /* of one node: more than before and after the phases of a program */
    struct interpose_state *state = interpose_state_of(me);

    if (!state || interpose_host_clock)
        return seconds_now();
    if (++state->clock.total == MANY_READS)
        note_still(me);
    return model_clock_read(&state->clock, peal_clock(me));
}

/* Tell the library beneath that the program is in a call here, and, with `ends`, that it goes on. */
static void
interpose_notify_pause(struct peal_node *me, bool ends)
{
    const struct peal_runtime_hooks *guest = runtime_hooks();

    if (guest && guest->stands_still)
        guest->stands_still(me, ends);
}

/* The node's time; false where the host's time is used. */
static bool
model_time(struct timespec *time)
{
    struct peal_node *me = peal_self();

    if (interpose_host_clock || !interpose_state_of(me))
        return false;
    interpose_notify_pause(me, false);
    double seconds = peal_program_seconds(me);

    interpose_notify_pause(me, true);
    time->tv_sec = (time_t)seconds;
    time->tv_nsec = (long)((seconds - (double)time->tv_sec) * 1e9);
    return true;
}

/* The node's calendar time: each run begins on the same day, since programs compare dates. */
static bool
model_date(struct timespec *time)
{
    static const time_t begin = 1767225600; /* 2026-01-01 00:00:00 UTC */

    if (!model_time(time))
        return false;
    time->tv_sec += begin;
    return true;
}

static int
own_clock_gettime(clockid_t clock, struct timespec *time)
{
    bool calendar = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;

    return (calendar ? model_date(time) : model_time(time)) ? 0 : clock_gettime(clock, time);
}

static int
own_timespec_get(struct timespec *time, int base)
{
    return base == TIME_UTC && model_date(time) ? base : timespec_get(time, base);
}

static int
own_gettimeofday(struct timeval *time, void *zone)
{
    struct timespec now;

    if (!model_date(&now))
        return gettimeofday(time, zone);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

static time_t
own_time(time_t *result)
{
    struct timespec now;

    if (!model_date(&now))
        return time(result);
    if (result)
        *result = now.tv_sec;
    return now.tv_sec;
}

static clock_t
own_clock(void)
{
    struct timespec now;

    return model_time(&now)
               ? (clock_t)((double)now.tv_sec * CLOCKS_PER_SEC + (double)now.tv_nsec * 1e-9 * CLOCKS_PER_SEC)
               : clock();
}

static int
own_getrusage(__rusage_who_t who, struct rusage *usage)
{
    struct timespec now;
    int code = getrusage(who, usage);

    if (code == 0 && who != RUSAGE_CHILDREN && model_time(&now)) {
        usage->ru_utime = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
        usage->ru_stime = (struct timeval){0, 0};
    }
    return code;
}

static clock_t
own_times(struct tms *used)
{
    struct timespec now;

    if (!model_time(&now))
        return times(used);
    clock_t ticks = (clock_t)((double)sysconf(_SC_CLK_TCK) * ((double)now.tv_sec + (double)now.tv_nsec * 1e-9));

    if (used)
        *used = (struct tms){.tms_utime = ticks};
    return ticks;
}

/* Advance the node's time, and let the others have a round.  False outside of nodes. */
static bool
interpose_sleep(double seconds)
{
    struct peal_node *me = peal_self();
    struct interpose_state *state = interpose_state_of(me);

    if (!state || interpose_host_clock)
        return false;
    interpose_notify_pause(me, false);
    state->clock.offset += seconds * 1e9;
    peal_next_round_at(me, NULL, 0);
    interpose_notify_pause(me, true);
    return true;
}

static unsigned
own_sleep(unsigned seconds)
{
    return interpose_sleep(seconds) ? 0 : sleep(seconds);
}

static int
own_usleep(useconds_t microseconds)
{
    return interpose_sleep((double)microseconds * 1e-6) ? 0 : usleep(microseconds);
}

static int
own_nanosleep(const struct timespec *wanted, struct timespec *left)
{
    return interpose_sleep((double)wanted->tv_sec + (double)wanted->tv_nsec * 1e-9) ? 0 : nanosleep(wanted, left);
}

/* ------------------------------------------------------------------ the end */

extern int __cxa_atexit(void (*call)(void *arg), void *arg, void *object);

static int
own_cxa_atexit(void (*call)(void *arg), void *arg, void *object)
{
    struct peal_node *me = peal_self();
    struct interpose_state *state = interpose_state_of(me);

    if (!state)
        return __cxa_atexit(call, arg, object);
    struct interpose_handler *handler = peal_alloc_at(me, (sizeof *handler - 1) / peal_word_bytes(me) + 1, NULL, 0);

    *handler = (struct interpose_handler){call, arg, state->handlers};
    state->handlers = handler;
    return 0;
}

void
interpose_run_handlers(struct interpose_state *state)
{
    while (state->handlers) {
        const struct interpose_handler *handler = state->handlers;

        state->handlers = handler->next;
        handler->call(handler->arg);
    }
}

/* ------------------------------------------------------------------ standard input */

/* Only node 0 has standard input; its output so far is shown before it reads.  The others get an empty file, or
 * NULL. */
static FILE *
reading(FILE *file)
{
    struct peal_node *me = file == stdin ? peal_self() : NULL;

    if (!me)
        return file;
    if (peal_world_rank(me) != 0)
        return NULL;
    output_show_all(me->node);
    return file;
}

static int
own_vfscanf(FILE *file, const char *format, va_list list)
{
    file = reading(file);
    return file ? vfscanf(file, format, list) : EOF;
}

#define FORWARD_SCAN(file)                                                                                             \
    va_list list;                                                                                                      \
                                                                                                                       \
    va_start(list, format);                                                                                            \
    int count = own_vfscanf(file, format, list);                                                                       \
    va_end(list);                                                                                                      \
    return count

static int
own_scanf(const char *format, ...)
{
    FORWARD_SCAN(stdin);
}

static int
own_fscanf(FILE *file, const char *format, ...)
{
    FORWARD_SCAN(file);
}

static int
own_fgetc(FILE *file)
{
    file = reading(file);
    return file ? fgetc(file) : EOF;
}

static int
own_getchar(void)
{
    return own_fgetc(stdin);
}

static char *
own_fgets(char *line, int bytes, FILE *file)
{
    file = reading(file);
    return file ? fgets(line, bytes, file) : NULL;
}

static size_t
own_fread(void *data, size_t size, size_t count, FILE *file)
{
    file = reading(file);
    return file ? fread(data, size, count, file) : 0;
}

static ssize_t
own_getline(char **line, size_t *bytes, FILE *file)
{
    file = reading(file);
    return file ? getline(line, bytes, file) : -1;
}

static ssize_t
own_read(int file, void *data, size_t bytes)
{
    if (file == STDIN_FILENO && !reading(stdin))
        return 0;
    return read(file, data, bytes);
}

/* ------------------------------------------------------------------ random numbers */

/* Give the node's own random bytes; false outside of nodes. */
static bool
interpose_fill_random(void *data, size_t bytes)
{
    struct interpose_state *state = interpose_state_of(peal_self());

    for (size_t i = 0; state && i < bytes; i++) {
        uint64_t x = interpose_first_seed() + UINT64_C(0x9E3779B97F4A7C15) * ++state->entropy;

        x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
        ((unsigned char *)data)[i] = (unsigned char)(x >> 56);
    }
    return state;
}

static int
own_getentropy(void *data, size_t bytes)
{
    return interpose_fill_random(data, bytes) ? 0 : getentropy(data, bytes);
}

static ssize_t
own_getrandom(void *data, size_t bytes, unsigned flags)
{
    return interpose_fill_random(data, bytes) ? (ssize_t)bytes : getrandom(data, bytes, flags);
}

/* ------------------------------------------------------------------ names */

void *(*interpose_further)(const char *name);

void *
interpose_address(const char *name)
{
    typedef void (*call)(void);
    static const struct interpose_call calls[] = {
        {"clock_gettime", (call)own_clock_gettime},
        {"timespec_get", (call)own_timespec_get},
        {"gettimeofday", (call)own_gettimeofday},
        {"time", (call)own_time},
        {"clock", (call)own_clock},
        {"getrusage", (call)own_getrusage},
        {"times", (call)own_times},
        {"getentropy", (call)own_getentropy},
        {"getrandom", (call)own_getrandom},
        {"sleep", (call)own_sleep},
        {"usleep", (call)own_usleep},
        {"nanosleep", (call)own_nanosleep},
        {"__cxa_atexit", (call)own_cxa_atexit},
        {"scanf", (call)own_scanf},
        {"__isoc99_scanf", (call)own_scanf},
        {"__isoc23_scanf", (call)own_scanf},
        {"fscanf", (call)own_fscanf},
        {"__isoc99_fscanf", (call)own_fscanf},
        {"__isoc23_fscanf", (call)own_fscanf},
        {"getchar", (call)own_getchar},
        {"fgetc", (call)own_fgetc},
        {"getc", (call)own_fgetc},
        {"fgets", (call)own_fgets},
        {"fread", (call)own_fread},
        {"getline", (call)own_getline},
        {"read", (call)own_read},
    };
    void *address = interpose_further ? interpose_further(name) : NULL;

    if (!address)
        address = interpose_common_address(name);
    return address ? address : interpose_find(calls, sizeof calls / sizeof *calls, name);
}
