/* SPDX-License-Identifier: MIT */
/* The clock of time limits.  It allocates nothing: a machine asks it before it ends a node whose heap may be
 * damaged. */
#include "lib/base/clock.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    IDLE = 64,
    PATIENCE = 10,  /* this part of the clock's time counts in any case */
    MAX_PASSED = 3, /* the most windows that count between two looks: in others the looker was stopped, too */
    COST = 32,      /* looking takes at most this part of the time */
    MAX_DEPTH = 16,
    MAX_CHILDREN = 128 /* counted one by one; of the others only what they computed, once they have ended */
};

_Atomic int64_t *spent_published;

/* What all threads of some processes did until now. */
struct threads_tally {
    int64_t computed, waited, ended; /* ended: what processes computed that have ended */
    bool runnable; /* a thread other than the asking one computes, or waits for a processor, at this moment */
    bool known;
};

#if PEAL_PROCESSES

static bool
thread_read_file(int folder, const char *thread, const char *name, char *text, size_t bytes)
{
    char path[64];

    snprintf(path, sizeof path, "%s/%s", thread, name);
    int in = openat(folder, path, O_RDONLY | O_CLOEXEC);
    ssize_t count = in < 0 ? -1 : read(in, text, bytes - 1);

    if (in >= 0)
        close(in);
    text[count > 0 ? count : 0] = '\0';
    return count > 0;
}

/* A process whose threads are added, so many steps below the first. */
struct counted_process {
    struct threads_tally *tally;
    pid_t process;
    int depth;
};

static void add_process(struct threads_tally *tally, pid_t process, int depth);

/* cutime and cstime of proc(5)'s stat, from the name's parenthesis on. */
#define ENDED_TICKS ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %ld %ld"

/* Add a thread, and the processes that it has started. */
static void
add_thread(void *what, int folder, const char *thread)
{
    const struct counted_process *counted = what;
    struct threads_tally *tally = counted->tally;
    char text[1024];
    unsigned long long computed, waited, slices;
    long ended[2];

    if (!thread_read_file(folder, thread, "schedstat", text, sizeof text) ||
        sscanf(text, "%llu %llu %llu", &computed, &waited, &slices) != 3)
        return;
    tally->waited += (int64_t)waited;
    tally->known |= slices > 0;
    thread_read_file(folder, thread, "stat", text, sizeof text);
    const char *state = strrchr(text, ')');

    tally->runnable |= state && strncmp(state, ") R", 3) == 0 && atoi(thread) != gettid();
    if (state && atoi(thread) == counted->process && sscanf(state, ENDED_TICKS, &ended[0], &ended[1]) == 2)
        tally->ended += (ended[0] + ended[1]) * (1000000000 / sysconf(_SC_CLK_TCK));
    thread_read_file(folder, thread, "children", text, sizeof text);
    for (char *at = text, *rest; counted->depth < MAX_DEPTH && *at; at = rest) {
        long process = strtol(at, &rest, 10);

        if (rest == at)
            break;
        add_process(tally, (pid_t)process, counted->depth + 1);
    }
}

void
peal_threads_each(pid_t process, thread_taker *take, void *what)
{
    char path[64], entries[2048];
    long count;

    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    while (folder >= 0 && (count = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
        for (long at = 0; at < count;) {
            unsigned short length;

            memcpy(&length, entries + at + 16, sizeof length); /* of struct linux_dirent64 */
            if (entries[at + 19] >= '0' && entries[at + 19] <= '9')
                take(what, folder, entries + at + 19);
            at += length;
        }
    if (folder >= 0)
        close(folder);
}

static void
add_process(struct threads_tally *tally, pid_t process, int depth)
{
    struct counted_process counted = {tally, process, depth};
    clockid_t clock;

    if (clock_getcpuclockid(process, &clock) == 0)
        tally->computed += nanoseconds_of(clock);
    peal_threads_each(process, add_thread, &counted);
}

static struct threads_tally
process_tally(pid_t process)
{
    struct threads_tally tally = {.known = false};

    add_process(&tally, process ? process : getpid(), 0);
    if (!tally.known)
        tally.computed = process ? tally.computed : nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID);
    return tally;
}

/* The processes that the calling thread has started, and not waited for. */
static int
children_list(pid_t children[MAX_CHILDREN])
{
    char text[MAX_CHILDREN * 12];
    int count = 0, folder = open("/proc/thread-self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (folder < 0 || !thread_read_file(folder, ".", "children", text, sizeof text))
        text[0] = '\0';
    for (char *at = text, *rest; count < MAX_CHILDREN; at = rest) {
        const long process = strtol(at, &rest, 10);

        if (rest == at)
            break;
        children[count++] = (pid_t)process;
    }
    if (folder >= 0)
        close(folder);
    return count;
}

#else

void
peal_threads_each(pid_t process, thread_taker *take, void *what)
{
    (void)process, (void)take, (void)what;
}

static int
children_list(pid_t children[MAX_CHILDREN])
{
    (void)children;
    return 0;
}

static struct threads_tally
process_tally(pid_t process)
{
    (void)process;
    return (struct threads_tally){.computed = nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID)};
}

#endif

struct time_spent
peal_spent_begin(pid_t process)
{
    return (struct time_spent){
        .process = process,
        .known = process != 0,
        .looked = nanoseconds_now(),
        .computed = process ? 0 : nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID),
        .published = spent_published ? atomic_load(spent_published) : 0,
    };
}

static int64_t
clamp(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

int64_t
spent_counts(int64_t passed, int64_t computed, int64_t waited, bool runnable)
{
    if (runnable && computed < passed / (IDLE * PATIENCE)) /* it waited all the time, and still waits */
        waited = passed;
    const int64_t least = computed > passed / PATIENCE ? computed : passed / PATIENCE;

    return clamp(runnable ? passed - waited : passed, least < passed ? least : passed, passed);
}

int64_t
spent_counts_together(int64_t passed, int64_t computed, int64_t waited, bool runnable)
{
    if (runnable || waited < 0 || waited > passed)
        waited = passed;
    const int64_t least = computed > passed / PATIENCE ? computed : passed / PATIENCE;

    return passed - waited > least ? passed - waited : least;
}

/* The part that counts where it is unknown how long threads waited; the looking thread may itself be late. */
static int64_t
counts_blindly(int64_t passed, int64_t computed, int64_t window)
{
    if (computed > passed / IDLE)
        return computed > passed / PATIENCE ? computed : passed / PATIENCE;
    return window && window < passed ? window : passed;
}

int64_t
peal_spent_look(struct time_spent *spent, int64_t window, bool last)
{
    const int64_t now = nanoseconds_now(), passed = now - spent->looked;

    if ((passed < window || passed < spent->pause) && !last)
        return spent->counted;
    struct threads_tally tally = process_tally(spent->process);

    if (!tally.known && spent_published && spent->process == 0)
        return spent->counted = atomic_load(spent_published) - spent->published;
    tally.computed += spent->together ? tally.ended : 0;
    const int64_t most = MAX_PASSED * window + 2 * spent->pause, more = tally.computed - spent->computed,
                  part = clamp(more, passed < most ? passed : most, passed), /* what was computed counts */
        computed = more < 0 ? part / PATIENCE : clamp(more, 0, part);        /* below 0: a process has ended */

    if (spent->together && tally.known && spent->known)
        spent->counted += spent_counts_together(passed < most ? passed : most, more > 0 ? more : 0,
                                                tally.waited - spent->waited, tally.runnable);
    else
        spent->counted +=
            tally.known && spent->known
                ? spent_counts(part, computed, clamp(tally.waited - spent->waited, 0, part), tally.runnable)
                : counts_blindly(passed, computed, window);
    spent->looked = now;
    spent->pause = COST * (nanoseconds_now() - now);
    spent->known = tally.known;
    spent->computed = tally.computed;
    spent->waited = tally.waited;
    return spent->counted;
}

int64_t
peal_spent_window(double seconds)
{
    return seconds > 0 && seconds * 1e9 / 8 < SPENT_WINDOW ? (int64_t)(seconds * 1e9 / 8) : SPENT_WINDOW;
}

/* ------------------------------------------------------------------ the clock of this process */

static struct time_spent own;
static enum spent_by own_by;
static struct time_spent own_children[MAX_CHILDREN]; /* for SPENT_EACH: those that it has started */
static int own_child_count;

/* What this process has computed, with its children that have ended and were waited for. */
static int64_t
computed_here(void)
{
    struct rusage ended;

    getrusage(RUSAGE_CHILDREN, &ended);
    return nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID) +
           (int64_t)(ended.ru_utime.tv_sec + ended.ru_stime.tv_sec) * 1000000000 +
           (int64_t)(ended.ru_utime.tv_usec + ended.ru_stime.tv_usec) * 1000;
}

void
peal_spent_count(enum spent_by by)
{
    const int64_t counted = own.counted;

    own = peal_spent_begin(0);
    own.counted = counted;
    own.together = by == SPENT_TOGETHER;
    own.computed = by == SPENT_EACH ? computed_here() : own.computed;
    own_by = by;
    own_child_count = 0;
}

/* Count what each child took since the last look, and what this process took alone. */
static void
look_at_each(void)
{
    const int64_t now = nanoseconds_now(), passed = now - own.looked,
                  least = clamp(passed, 0, MAX_PASSED * SPENT_WINDOW);
    pid_t children[MAX_CHILDREN];
    struct time_spent kept[MAX_CHILDREN];
    int64_t counted = 0;

    if (passed < SPENT_WINDOW)
        return;
    const int count = children_list(children);

    for (int i = 0; i < count; i++) {
        kept[i] = peal_spent_begin(children[i]);
        kept[i].together = true;
        for (int k = 0; k < own_child_count; k++)
            if (own_children[k].process == children[i]) {
                kept[i] = own_children[k];
                own_children[k].computed = 0; /* it has not ended */
            }
        const int64_t before = kept[i].counted;

        counted += peal_spent_look(&kept[i], SPENT_WINDOW, true) - before;
    }
    const int64_t here = computed_here();
    int64_t more = here - own.computed;

    for (int k = 0; k < own_child_count; k++)
        more -= own_children[k].computed;
    counted += more > 0 ? more : 0;
    own.counted += counted > least / PATIENCE ? counted : least / PATIENCE;
    own.looked = now;
    own.computed = here;
    memcpy(own_children, kept, (size_t)count * sizeof *kept);
    own_child_count = count;
}

double
peal_spent_seconds(void)
{
    if (own.looked == 0)
        peal_spent_count(SPENT_ALONE);
    if (own_by == SPENT_EACH)
        look_at_each();
    else
        peal_spent_look(&own, SPENT_WINDOW, nanoseconds_now() - own.looked >= SPENT_WINDOW / 2);
    return (double)own.counted * 1e-9;
}
