/* SPDX-License-Identifier: MIT */
/* Starts children that report, reads what they write, and ends them.  What an untrusted child writes is not believed:
 * the reader compares the token. */
#include "lib/child/child.h"
#include "lib/child/child_failure.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Who guarantees what to whom:
 *
 *   the caller  Starts a child while its process has no other thread, and leaves the struct in place until
 *               peal_child_end.  It calls peal_child_attend repeatedly, and decides by child_look: nothing here
 *               kills a child unasked.  The texts of the streams are the caller's to free.
 *   a child     Closes the pipes of its siblings, which it inherited by the fork.  It dies with its parent, and ends
 *               at once if the parent ended before the signal for that was set.
 *   untrusted   Its process group has its number, which no process that it starts can leave (the sandbox refuses
 *               setsid and setpgid): a kill of the group ends them all.  The number stays reserved until then:
 *               peal_child_end first waits with WNOWAIT, then kills the group.  With `alone` the end of the child
 *               also ends all processes of its namespace.
 *   the report  A program that a child runs may write into the pipe, too.  So each message begins with the token,
 *               which the reader compares (child_message.h).  Reading stops beyond most_reported or most_printed bytes.
 *   `over`      The child has ended, by its pidfd, and all that it wrote was read after that; without a pidfd: both
 *               pipes are closed.  Never set for a child that talks: only its owner reads that socket, where each
 *               read and write ends after 100 ms.
 *   the clock   A child in a sandbox cannot measure what it uses: peal_child_attend counts it, and publishes it in
 *               the box. */

static struct child *children; /* of this process */
static jmp_buf *here;          /* where the child that this process runs ends; NULL: it runs none */

/* ------------------------------------------------------------------ beginning */

static void
child_leave_session(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
}

static bool
open_ends(const struct child_setup *setup, struct child *child, int report[2], int printed[2])
{
    const struct timeval moment = {.tv_usec = 100000};

    if (getrandom(child->token, sizeof child->token, 0) != (ssize_t)sizeof child->token)
        return false;
    if (!setup->body)
        return true;
    if (!setup->talks)
        return pipe2(report, O_CLOEXEC) == 0 && (!setup->prints || pipe2(printed, O_CLOEXEC) == 0);
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, report) == 0 &&
           setsockopt(report[0], SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof moment) == 0 &&
           setsockopt(report[0], SOL_SOCKET, SO_SNDTIMEO, &moment, sizeof moment) == 0;
}

static void
close_ends(const int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

/* Without processes: run it, and keep what it writes in a file. */
static enum peal_status
child_run_here(struct child *child, struct peal_error *error)
{
    jmp_buf end;

    child->report.from = child->report.to = memfd_create("report", MFD_CLOEXEC);
    if (child->report.from < 0)
        return peal_refuse(error, PEAL_RESOURCES, "no file for %s: %s", child->setup.what, strerror(errno));
    child->process = getpid();
    here = &end;
    if (setjmp(end) == 0)
        child->setup.body(child->setup.arg, child);
    here = NULL;
    lseek(child->report.from, 0, SEEK_SET);
    return PEAL_OK;
}

void
child_exit(int code)
{
    if (here)
        longjmp(*here, 1);
    _exit(code);
}

/* In a user namespace: map the user's and the group's numbers to themselves, the only ones that may be mapped there. */
static void
keep_numbers(unsigned user, unsigned group)
{
    const char *const files[] = {"/proc/self/setgroups", "/proc/self/uid_map", "/proc/self/gid_map"};
    const int dumpable = prctl(PR_GET_DUMPABLE);
    char lines[3][40] = {"deny"};

    snprintf(lines[1], sizeof lines[1], "%u %u 1", user, user);
    snprintf(lines[2], sizeof lines[2], "%u %u 1", group, group);
    prctl(PR_SET_DUMPABLE, 1); /* else the files are root's */
    for (int i = 0; i < 3; i++) {
        const int out = open(files[i], O_WRONLY | O_CLOEXEC);

        (void)!write(out, lines[i], strlen(lines[i]));
        if (out >= 0)
            close(out);
    }
    prctl(PR_SET_DUMPABLE, dumpable);
}

/* fork; `alone`: into a namespace of process numbers, which takes a user namespace, too.  The C library does not learn
 * the thread's number there, which it needs only for robust mutexes. */
static pid_t
fork_child(bool alone)
{
    const uid_t user = geteuid();
    const gid_t group = getegid();
    const long flags = CLONE_NEWPID | (user == 0 ? 0 : CLONE_NEWUSER) | SIGCHLD;
    const long process = alone ? syscall(SYS_clone, flags, NULL, NULL, NULL, NULL) : -1;

    if (process == 0 && user != 0)
        keep_numbers(user, group);
    return process >= 0 ? (pid_t)process : fork();
}

/* Returns in a child without a body. */
static void
child_main(struct child *child, pid_t parent)
{
    const struct child_setup *setup = &child->setup;

    if (setup->untrusted)
        child_leave_session();
    else
        prctl(PR_SET_PDEATHSIG, setup->on_death ? setup->on_death : SIGKILL);
    if (!(setup->alone && getpid() == 1) && getppid() != parent) /* process 1 knows no parent */
        _exit(PEAL_FAILED);
    for (const struct child *other = children; other; other = other->next) {
        close(other->report.from);
        close(other->printed.from);
    }
    children = NULL;
    if (setup->box) {
        box_use(setup->box, setup->signals ? parent : 0);
        signals_hold();
    }
    if (setup->body)
        _exit(setup->body(setup->arg, child));
}

enum peal_status
peal_child_start(struct child *child, const struct child_setup *setup, struct peal_error *error)
{
    int report[2] = {-1, -1}, printed[2] = {-1, -1};
    const pid_t parent = getpid();

    *child = (struct child){.setup = *setup, .ends = -1};
    child->report.from = child->printed.from = -1;
    if (!PEAL_PROCESSES && setup->here) {
        if (child_run_here(child, error) != PEAL_OK)
            return error->status;
    } else {
        bool ready = open_ends(setup, child, report, printed);

        if (ready)
            fflush(NULL);
        child->process = ready ? fork_child(setup->alone) : -1;
        child->report.to = report[1];
        child->printed.to = printed[1];
        if (child->process == 0) {
            close_ends((const int[]){report[0], printed[0]});
            child_main(child, parent);
            return PEAL_OK;
        }
        if (child->process < 0) {
            peal_refuse(error, PEAL_RESOURCES, "no %s for %s: %s", ready ? "process" : "pipe", setup->what,
                        strerror(errno));
            close_ends(report);
            close_ends(printed);
            child->process = 0;
            return PEAL_RESOURCES;
        }
        close_ends((const int[]){report[1], printed[1]});
        child->report.from = report[0];
        child->printed.from = printed[0];
        child->ends = (int)syscall(SYS_pidfd_open, child->process, 0);
        child->clock = (struct child_clock){.spent = peal_spent_begin(child->process), .stage_since = -1};
    }
    child->next = children;
    children = child;
    return PEAL_OK;
}

/* ------------------------------------------------------------------ reading */

static bool
pipe_is_readable(int from)
{
    struct pollfd one = {.fd = from, .events = POLLIN};

    return poll(&one, 1, 0) > 0;
}

/* Read something; `most`: bytes that are kept, 0: all. */
static void
child_stream_read(struct child_stream *stream, size_t most)
{
    enum { PIECE = 1 << 16 };
    size_t wanted = most == 0 || most + 1 - stream->bytes > PIECE ? PIECE : most + 1 - stream->bytes;
    ssize_t count = -1;

    errno = ENOMEM;
    if (array_grow((void *)&stream->text, &stream->room, stream->bytes + wanted + 1, 1))
        count = read(stream->from, stream->text + stream->bytes, wanted);
    if (count < 0 && errno == EINTR)
        return;
    stream->bytes += count > 0 ? (size_t)count : 0;
    if (count > 0 && (most == 0 || stream->bytes <= most))
        return;
    close(stream->from);
    stream->from = -1;
}

/* Read what has come; once the child has ended, all of it. */
static void
read_all_messages(struct child *child, bool ended)
{
    enum { PIECES = 1024 }; /* more than a pipe holds */

    for (int i = 0; i < PIECES && child->report.from >= 0 && pipe_is_readable(child->report.from);
         i = ended ? i + 1 : PIECES)
        child_stream_read(&child->report, child->setup.most_reported);
    for (int i = 0; i < PIECES && child->printed.from >= 0 && pipe_is_readable(child->printed.from);
         i = ended ? i + 1 : PIECES)
        child_stream_read(&child->printed, child->setup.most_printed);
    child->overflows = child->setup.prints && child->printed.bytes > child->setup.most_printed;
    child->over = ended || (child->ends < 0 && child->report.from < 0 && child->printed.from < 0);
}

void
child_clock_look(struct child *child)
{
    enum { WINDOW = 40 * 1000 * 1000 };
    struct child_clock *clock = &child->clock;
    struct black_box *box = child->setup.box;

    peal_spent_look(&clock->spent, WINDOW, false);
    if (!box)
        return;
    atomic_store(&box->spent, clock->spent.counted);
    const int64_t since = atomic_load(&box->since);

    if (since != clock->stage_since)
        clock->stage_began = clock->spent.counted;
    clock->stage_since = since;
}

void
peal_child_attend(void)
{
    enum { MOMENT = 100, EACH = 3 }; /* milliseconds; descriptors of a child */
    static struct pollfd *polls;
    static size_t room;
    size_t count = 0;

    for (const struct child *child = children; child; child = child->next)
        count += EACH;
    if (!array_grow((void *)&polls, &room, count, sizeof *polls))
        count = 0;
    struct pollfd *at = polls;

    for (const struct child *child = children; count > 0 && child; child = child->next) {
        const int of[EACH] = {child->setup.talks ? -1 : child->report.from, child->printed.from, child->ends};

        for (int i = 0; i < EACH; i++)
            *at++ = (struct pollfd){.fd = of[i], .events = POLLIN};
    }
    poll(polls, (nfds_t)count, MOMENT);
    for (struct child *child = children; child; child = child->next) {
        if (!child->setup.talks)
            read_all_messages(child, child->ends >= 0 && pipe_is_readable(child->ends));
        child_clock_look(child);
    }
    peal_spent_seconds(); /* of this process, for later readers */
}

/* ------------------------------------------------------------------ trouble, and the end */

uint64_t
child_memory(pid_t process, bool own)
{
    char path[64], line[200], name[20];
    unsigned long kibibytes;
    uint64_t all = 0;

    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *in = fopen(path, "re");

    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "%19[^:]: %lu", name, &kibibytes) == 2 &&
            (strcmp(name, own ? "RssAnon" : "VmRSS") == 0 || strcmp(name, "VmPTE") == 0 || strcmp(name, "VmSwap") == 0))
            all += (uint64_t)kibibytes << 10;
    if (in)
        fclose(in);
    return all;
}

uint64_t
child_memory_limit(void)
{
    uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2, most = (uint64_t)4 << 30;
    const char *said = getenv("PEAL_CHECK_MEBIBYTES");
    long mebibytes = said ? atol(said) : 0;

    if (mebibytes > 0 && mebibytes < 1 << 30)
        return (uint64_t)mebibytes << 20;
    return half < most ? half : most;
}

enum child_fault
child_look(const struct child *child)
{
    const struct child_limits *limits = &child->setup.limits;
    const struct black_box *box = child->setup.box;
    const double run = (double)(child->clock.spent.counted - child->progressed) * 1e-9,
                 stage = (double)(child->clock.spent.counted - child->clock.stage_began) * 1e-9;

    if (!PEAL_PROCESSES && child->setup.here)
        return CHILD_WELL;
    if (box && atomic_load(&box->note_state) == NOTE_WRITTEN)
        return CHILD_LOST;
    if (limits->run_seconds > 0 && box && atomic_load(&box->stage) == BOX_LOADS && stage > limits->run_seconds)
        return CHILD_LOADS;
    if (limits->run_seconds > 0 && run > limits->run_seconds + limits->silent_seconds)
        return CHILD_LATE;
    if (limits->memory_bytes > 0 && child_memory(child->process, limits->own_memory) > limits->memory_bytes)
        return CHILD_LARGE;
    return CHILD_WELL;
}

void
peal_child_kill(const struct child *child)
{
    if (child->setup.untrusted)
        kill(-child->process, SIGKILL);
    kill(child->process, SIGKILL); /* it may not have left yet */
}

int
peal_child_end(struct child *child)
{
    siginfo_t ended;
    int how = 0;

    for (struct child **at = &children; *at; at = &(*at)->next)
        if (*at == child) {
            *at = child->next;
            break;
        }
    close_ends((const int[]){child->report.from, child->printed.from});
    close_ends((const int[]){child->ends, -1});
    child->report.from = child->printed.from = child->ends = -1;
    if (child->process > 0 && (PEAL_PROCESSES || !child->setup.here)) {
        /* the processes that it left behind; its number stays reserved until it has been waited for */
        while (child->setup.untrusted && waitid(P_PID, (id_t)child->process, &ended, WEXITED | WNOWAIT) < 0 &&
               errno == EINTR)
            ;
        if (child->setup.untrusted)
            peal_child_kill(child);
        while (wait4(child->process, &how, 0, &child->used) < 0 && errno == EINTR)
            ;
    }
    child->process = 0;
    return how;
}
