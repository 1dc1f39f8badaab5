/* SPDX-License-Identifier: MIT */
/* A child process that runs a program, and the parent that watches it: <peal/supervise.h>.
 *
 * The parent blocks the signals of interest, and takes them one by one: it never runs a handler.  The child reports
 * that it is lost by SIGCHLD, the signal by which the system reports that it has ended. */
#include "lib/child/supervise.h"
#include "lib/child/box.h"
#include "lib/child/child.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int ends[] = {SIGHUP, SIGINT, SIGTERM};
enum { ENDS = sizeof ends / sizeof *ends };

struct peal_supervisor {
    struct black_box *box;
    struct child child; /* process 0: it has ended, or this is the child */
    struct crash_note words;
    sigset_t awaited, before;
};

/* Handlers in the child while nodes run: the parent receives the same signal, and asks where the nodes are before it
 * ends them.  A signal that the program sends to itself ends the node that sends it. */
static struct sigaction ends_before[ENDS];

static void
obey(int number, siginfo_t *info, void *context)
{
    bool own = (info->si_code == SI_USER || info->si_code == SI_TKILL) && info->si_pid == getpid();

    if (atomic_load(&black_box->stage) == BOX_RUNS) {
        if (own)
            signals_crashed(number, info, context);
        return;
    }
    for (int i = 0; i < ENDS; i++)
        if (ends[i] == number)
            sigaction(number, &ends_before[i], NULL);
    raise(number);
}

bool
peal_supervisor_wanted(void)
{
    FILE *in = fopen("/proc/self/status", "re");
    char line[200];
    int tracer = 0;

    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "TracerPid: %d", &tracer) == 1)
            break;
    if (in)
        fclose(in);
    return tracer == 0;
}

/* Wait for the child and give its status; -1 while it runs. */
static int
supervisor_reap(struct peal_supervisor *supervisor)
{
    int how;
    pid_t child;

    if (supervisor->child.process == 0)
        return -1;
    while ((child = waitpid(supervisor->child.process, &how, WNOHANG)) < 0 && errno == EINTR)
        ;
    if (child != supervisor->child.process)
        return -1;
    supervisor->child.process = 0;
    return how;
}

/* End the processes that the child has started and left: they are children of this process now, and so are theirs once
 * they have ended. */
static void
end_orphans(void)
{
    char path[64];
    int child;
    bool found = true;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)gettid());
    while (found) {
        FILE *in = fopen(path, "re");

        found = in && fscanf(in, "%d", &child) == 1 && kill(child, SIGKILL) == 0;
        if (found)
            waitpid(child, NULL, 0);
        if (in)
            fclose(in);
    }
}

void
peal_supervisor_destroy(struct peal_supervisor *supervisor)
{
    if (!supervisor)
        return;
    if (supervisor->child.process > 0)
        peal_child_kill(&supervisor->child);
    if (supervisor->child.setup.what)
        peal_child_end(&supervisor->child);
    if (black_box != supervisor->box) { /* the parent */
        end_orphans();
        prctl(PR_SET_CHILD_SUBREAPER, 0);
        sigprocmask(SIG_SETMASK, &supervisor->before, NULL);
        box_destroy(supervisor->box);
    }
    free(supervisor);
}

struct peal_supervisor *
peal_supervisor_fork(bool *parent, struct peal_error *error)
{
    struct peal_supervisor *supervisor = calloc(1, sizeof *supervisor);

    *parent = true;
    if (!supervisor || !(supervisor->box = box_create())) {
        free(supervisor);
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        return NULL;
    }
    const struct child_setup setup = {
        .what = "the run", .box = supervisor->box, .signals = true, .limits.silent_seconds = CHILD_SILENT_SECONDS};

    sigemptyset(&supervisor->awaited);
    sigaddset(&supervisor->awaited, SIGCHLD);
    for (int i = 0; i < ENDS; i++) {
        struct sigaction action;

        if (sigaction(ends[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&supervisor->awaited, ends[i]);
    }
    sigprocmask(SIG_BLOCK, &supervisor->awaited, &supervisor->before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (peal_child_start(&supervisor->child, &setup, error) != PEAL_OK) {
        peal_supervisor_destroy(supervisor);
        return NULL;
    }
    *parent = supervisor->child.process != 0;
    if (*parent)
        return supervisor;
    sigprocmask(SIG_SETMASK, &supervisor->before, NULL);
    saved_fds_keep();
    for (int i = 0; i < ENDS; i++)
        if (sigismember(&supervisor->awaited, ends[i])) {
            struct sigaction action = {.sa_sigaction = obey,
                                       .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};

            sigemptyset(&action.sa_mask);
            sigaddset(&action.sa_mask, SIGNAL_STOP);
            sigaction(ends[i], &action, &ends_before[i]);
        }
    return supervisor;
}

static const struct crash_note locked = {.kind = PEAL_CRASH, .rank = -1, .locked = true};

static const struct crash_note bereft = {.kind = PEAL_CRASH, .rank = -1, .bereft = true};

static const struct crash_note limited = {.kind = PEAL_CRASH, .rank = -1, .limited = true};

/* Check that the locks that a report needs can be taken; if not, this does not return. */
static void
try_locks(void)
{
    Dl_info module;

    FILE *const files[] = {stdout, stderr};

    for (int i = 0; i < 2; i++)
        if (ftrylockfile(files[i]) == 0)
            funlockfile(files[i]);
        else
            box_lose(&locked, NULL);
    for (size_t bytes = 16; bytes <= 1 << 20; bytes *= 4)
        free(malloc(bytes));
    dladdr(&black_box, &module);
}

void
peal_supervised_reports(struct peal_supervisor *supervisor)
{
    (void)supervisor;
    box_stage(BOX_RAN);
    enum saved_fds_state state = saved_fds_restore();

    if (state != SAVED_FDS_RESTORED)
        box_lose(state == SAVED_FDS_CLOSED ? &bereft : &limited, NULL);
    try_locks();
    box_stage(BOX_REPORTS);
}

void
peal_supervised_shown(struct peal_supervisor *supervisor)
{
    atomic_store(&supervisor->box->shown, 1);
}

bool
peal_supervised_has_shown(const struct peal_supervisor *supervisor)
{
    return atomic_load(&supervisor->box->shown) != 0;
}

void
peal_supervised_done(struct peal_supervisor *supervisor, int code)
{
    supervisor->box->code = code;
    supervisor->box->machine = NULL; /* its run has been reported */
    box_stage(BOX_DONE);
}

/* ------------------------------------------------------------------ the parent */

/* How long a child may stay in this stage (struct time_spent); INT64_MAX: for ever. */
static int64_t
stage_limit(const struct child *child)
{
    const struct child_limits *limits = &child->setup.limits;
    const struct black_box *box = child->setup.box;
    const double seconds = limits->run_seconds;
    const int64_t second = 1000 * 1000 * 1000, more = (int64_t)(limits->silent_seconds * 1e9);
    int64_t limit = seconds > 0 && seconds < 1e9 ? (int64_t)(seconds * 1e9) : INT64_MAX;

    switch ((enum box_stage)atomic_load(&box->stage)) {
    case BOX_LOADS:
    case BOX_DONE: /* destructors run; on a busy system they may not have begun */
        return limit == INT64_MAX ? limit : limit + second;
    case BOX_RUNS: /* the machine ends it by itself, unless the process is stopped or is another program now */
        return limit == INT64_MAX ? limit : limit + (atomic_load(&box->watch) == BOX_WATCHED ? second : more);
    case BOX_RAN: /* locks are tried, nothing else */
        return more;
    case BOX_BEGINS:
    case BOX_REPORTS:
        break;
    }
    return INT64_MAX;
}

/* Stop the child for good: its memory no longer changes.  A child that is writing gigabytes stops only afterwards, and
 * is not waited for. */
static void
supervisor_stop(struct peal_supervisor *supervisor)
{
    const struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
    enum { MOMENTS = 50 };
    pid_t child = 0;
    int how = 0;

    kill(supervisor->child.process, SIGSTOP);
    for (int i = 0; i < MOMENTS && (child = waitpid(supervisor->child.process, &how, WUNTRACED | WNOHANG)) == 0; i++)
        nanosleep(&moment, NULL);
    if (child == supervisor->child.process && (WIFEXITED(how) || WIFSIGNALED(how)))
        supervisor->child.process = 0;
}

/* Whether the child has become another program. */
static bool
became(const struct peal_supervisor *supervisor)
{
    struct stat own, other;
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/exe", (int)supervisor->child.process);
    return stat("/proc/self/exe", &own) == 0 && stat(path, &other) == 0 &&
           (own.st_ino != other.st_ino || own.st_dev != other.st_dev);
}

/* Whether a signal has stopped it. */
static bool
is_stopped(const struct peal_supervisor *supervisor)
{
    siginfo_t how = {.si_pid = 0};

    return waitid(P_PID, (id_t)supervisor->child.process, &how, WSTOPPED | WNOHANG | WNOWAIT) == 0 && how.si_pid != 0;
}

/* The child does not finish its stage. */
static void
supervisor_give_up(struct peal_supervisor *supervisor)
{
    const struct black_box *box = supervisor->box;
    bool ran = atomic_load(&box->stage) == BOX_RAN, stopped = is_stopped(supervisor);

    if (!ran && !stopped)
        box_ask(supervisor->box, supervisor->child.process);
    supervisor_stop(supervisor);
    supervisor->words = ran ? locked : box->words; /* the answer */
    if (ran)
        return;
    supervisor->words.kind = PEAL_TIMED_OUT;
    supervisor->words.became = became(supervisor);
    supervisor->words.stopped = stopped;
}

/* The child has ended: check whether it had finished its work. */
static enum peal_supervised
ended(struct peal_supervisor *supervisor, int how, int *code)
{
    const struct black_box *box = supervisor->box;

    if (atomic_load(&box->stage) == BOX_DONE) {
        *code = box->code;
        return PEAL_SUPERVISED_DONE;
    }
    supervisor->words = (struct crash_note){.kind = PEAL_CRASH, .rank = -1, .process_ended = true};
    supervisor->words.signal = WIFSIGNALED(how) ? WTERMSIG(how) : -WEXITSTATUS(how);
    return PEAL_SUPERVISED_LOST;
}

/* A signal asks this process to end: it ends the child, too.  Unless the child only compiles, it is first asked where
 * its nodes are. */
static enum peal_supervised
supervisor_interrupted(struct peal_supervisor *supervisor, int number, int *code)
{
    const struct timespec moment = {.tv_sec = 2};
    struct black_box *box = supervisor->box;
    int how;

    *code = number;
    if (atomic_load(&box->stage) == BOX_RUNS) {
        box_ask(box, supervisor->child.process);
        supervisor_stop(supervisor);
        supervisor->words = box->words;
        supervisor->words.kind = PEAL_TIMED_OUT;
        return PEAL_SUPERVISED_INTERRUPTED;
    }
    kill(supervisor->child.process, number);
    sigset_t child;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    for (how = supervisor_reap(supervisor); how < 0 && sigtimedwait(&child, NULL, &moment) > 0;)
        how = supervisor_reap(supervisor);
    return PEAL_SUPERVISED_UNBEGUN;
}

enum peal_supervised
peal_supervise(struct peal_supervisor *supervisor, double seconds, int *code)
{
    const int64_t longest = peal_spent_window(seconds); /* the child does not signal the beginning of a stage */
    const struct child_clock *clock = &supervisor->child.clock;
    struct black_box *box = supervisor->box;

    supervisor->child.setup.limits.run_seconds = seconds;
    for (;;) {
        int how = supervisor_reap(supervisor);
        int64_t left = stage_limit(&supervisor->child);

        if (how >= 0)
            return ended(supervisor, how, code);
        child_clock_look(&supervisor->child);
        left = left == INT64_MAX ? longest : left - (clock->spent.counted - clock->stage_began);
        if (atomic_load(&box->note_state) == NOTE_WRITTEN) {
            supervisor_stop(supervisor);
            supervisor->words = box->words;
            return PEAL_SUPERVISED_LOST;
        }
        if (left <= 0) {
            supervisor_give_up(supervisor);
            return PEAL_SUPERVISED_LOST;
        }
        left = left < longest ? left : longest;
        struct timespec wait = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        int number = sigtimedwait(&supervisor->awaited, NULL, &wait);

        if (number > 0 && number != SIGCHLD)
            return supervisor_interrupted(supervisor, number, code);
    }
}

void
peal_supervisor_recover(struct peal_supervisor *supervisor, struct peal_machine *machine)
{
    const struct black_box *box = supervisor->box;
    int64_t began = atomic_load(&box->since);

    recover_machine(machine, supervisor->child.process, box);
    machine->host.seconds = began ? (double)(nanoseconds_now() - began) * 1e-9 : 0;
    recover_failure(machine, box, &supervisor->words);
}
