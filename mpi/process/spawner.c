/* SPDX-License-Identifier: MIT */
/* Starts the processes that are nodes, and writes into their channels how they end: spawner FILE PARENT FOLDER PROGRAM
 * ARGUMENT... It ends them all at SIGTERM, or when its parent has ended. */
#include "mpi/process/channel.h"
#include "mpi/process/children.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

static struct hall *hall;
static struct channel **channels; /* by rank */
static pid_t *numbers;            /* of the processes, which can change those in the channels */
static volatile sig_atomic_t over;
static sigset_t none; /* SIGTERM and SIGCHLD come only while this process waits, so that it misses neither */

static void
come(int signal)
{
    over |= signal == SIGTERM;
}

static void
ring(void)
{
    atomic_fetch_add(&hall->bell.word, 1);
    awaited_wake(&hall->bell);
}

/* How a process is started. */
struct start_words {
    int file;
    const char *folder;
    char **words;
};

/* Put our folder before those that a variable of the environment has; where it has none, before this one. */
static void
put_before(const char *variable, const char *folder, const char *other)
{
    const char *value = getenv(variable), *others = value && *value ? value : other;
    char *text;

    if (asprintf(&text, "%s%s%s", folder, *others ? ":" : "", others) < 0 || setenv(variable, text, 1) != 0)
        _exit(127);
    free(text);
}

/* Make the loader find our library before others.  R searches folders of its own first, unless it is told others. */
static void
lead_to_library(const char *folder)
{
    static const char of_r[] = "/usr/lib/R/lib";

    put_before("LD_LIBRARY_PATH", folder, "");
    if (access(of_r, X_OK) == 0)
        put_before("R_LD_LIBRARY_PATH", folder, of_r);
}

/* In the process that becomes a node. */
_Noreturn static void
become(int rank, pid_t spawner, const struct start_words *start)
{
    struct channel *channel = channels[rank];
    const int file = hall->enclosed ? hall->files[rank] : start->file;
    char text[64];
    int nothing;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const pid_t parent = getppid(); /* 0 in a namespace of its own */

    if (parent != spawner && !(hall->enclosed && parent == 0))
        _exit(1);
    dup2(channel->output, STDOUT_FILENO);
    if (rank > 0 && (nothing = open("/dev/null", O_RDONLY)) >= 0)
        dup2(nothing, STDIN_FILENO);
    for (int i = 0; i < hall->count; i++)
        close(channels[i]->output);
    snprintf(text, sizeof text, "%d %d %d %d", file, rank, (int)parent, hall->enclosed);
    setenv(CHANNEL_VARIABLE, text, 1);
    snprintf(text, sizeof text, "%llu", (unsigned long long)channel->seed);
    setenv(SEED_VARIABLE, text, 1);
    lead_to_library(start->folder);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(start->words[0], start->words);
    atomic_store(&channel->refused, (uint32_t)errno);
    _exit(127);
}

/* fork; an enclosed node, where the system allows, into a namespace of process numbers. */
static pid_t
fork_node(void)
{
    const long process = hall->enclosed ? syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL) : -1;

    return process >= 0 ? (pid_t)process : fork();
}

/* Fork each node from here. */
static void
fork_each(const struct start_words *start)
{
    pid_t spawner = getpid();

    for (int i = 0; i < hall->count && !over; i++) {
        pid_t pid = numbers[i] ? numbers[i] : fork_node();

        if (pid == 0)
            become(i, spawner, start);
        numbers[i] = pid;
        atomic_store(&channels[i]->pid, (uint32_t)pid);
        futex(&channels[i]->pid, FUTEX_WAKE, 1, NULL);
        if (pid < 0) {
            atomic_store(&channels[i]->refused, (uint32_t)errno);
            atomic_store(&channels[i]->ended, 1);
            ring();
        }
    }
}

/* ------------------------------------------------------------------ Python */

static const char zygote[] = {
#include "mpi/process/zygote.inc"
    , 0};

/* Whether the words are python3 SCRIPT ARGUMENT..., with nothing between. */
static int
is_python(char *const *words)
{
    const char *slash = strrchr(words[0], '/'), *name = slash ? slash + 1 : words[0];

    return strncmp(name, "python", 6) == 0 && words[1] && words[1][0] != '-' && access(words[1], R_OK) == 0;
}

/* Become the process that imports for all nodes, and forks them. */
_Noreturn static void
become_zygote(pid_t spawner, int to, const struct start_words *start)
{
    enum { BEFORE = 7 };
    size_t count = 0, room = (size_t)hall->count * 12 + 1;
    char texts[3][16], *outputs = calloc(1, room);
    char option[] = "-c";

    while (start->words[count])
        count++;
    char **words = calloc(count + BEFORE + 1, sizeof *words);

    if (!words || !outputs)
        _exit(1);
    for (int i = 0; i < hall->count; i++)
        snprintf(outputs + strlen(outputs), room - strlen(outputs), "%s%d", i ? "," : "", channels[i]->output);
    for (int i = 0; i < 3; i++)
        snprintf(texts[i], sizeof texts[i], "%d", i == 0 ? (int)spawner : i == 1 ? start->file : to);
    memcpy(words, (char *[]){start->words[0], option, (char *)(uintptr_t)zygote, texts[0], texts[1], texts[2], outputs},
           BEFORE * sizeof *words);
    memcpy(words + BEFORE, start->words + 1, (count - 1) * sizeof *words);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nothing = open("/dev/null", O_WRONLY);

    if (getppid() != spawner || nothing < 0)
        _exit(1);
    dup2(nothing, STDOUT_FILENO);
    lead_to_library(start->folder);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(words[0], words);
    _exit(1);
}

/* Have Python fork the nodes; those that it has not forked are left to fork_each. */
static void
fork_python(const struct start_words *start)
{
    pid_t spawner = getpid(), pid;
    int pipes[2];
    int32_t node[2]; /* its rank and its number, which it writes itself: so each that was forked is noted */
    struct pollfd from;

    if (!is_python(start->words) || pipe(pipes) != 0)
        return;
    pid = fork();
    if (pid == 0) {
        close(pipes[0]);
        become_zygote(spawner, pipes[1], start);
    }
    close(pipes[1]);
    from = (struct pollfd){.fd = pipes[0], .events = POLLIN};
    while (pid > 0 && !over) {
        if (ppoll(&from, 1, NULL, &none) < 0 && errno == EINTR)
            continue;
        if (read(from.fd, node, sizeof node) != sizeof node)
            break;
        numbers[node[0]] = node[1];
    }
    close(pipes[0]);
}

static void
note(pid_t pid, int status)
{
    for (int i = 0; i < hall->count; i++)
        if (numbers[i] == pid)
            atomic_store(&channels[i]->ended, 1 + (uint32_t)status);
    ring();
}

/* Whether SIGTERM has come: of a signal for all processes of a run it has when one of them has ended by it. */
static bool
must_end(void)
{
    sigset_t pending;

    sigpending(&pending);
    over |= sigismember(&pending, SIGTERM);
    return over;
}

/* Map bytes of a file, or end. */
static void *
map_shared(int file, size_t offset, size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);

    if (memory == MAP_FAILED)
        _exit(1);
    return memory;
}

int
main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = come};
    sigset_t awaited;
    pid_t pid;
    int file, status;

    if (argc < 5) {
        fputs("spawner: started by pealrun\n", stderr);
        return 2;
    }
    file = atoi(argv[1]);
    sigemptyset(&none);
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, SIGCHLD);
    sigprocmask(SIG_BLOCK, &awaited, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGCHLD, &action, NULL);
    signal(SIGINT, SIG_IGN); /* pealrun ends the run */
    signal(SIGQUIT, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (getppid() != (pid_t)atoi(argv[2]))
        return 1;
    hall = map_shared(file, 0, sizeof *hall);
    channels = calloc((size_t)hall->count, sizeof *channels);
    numbers = calloc((size_t)hall->count, sizeof *numbers);
    if (!channels || !numbers)
        return 1;
    for (int i = 0; i < hall->count; i++)
        channels[i] = hall->enclosed ? map_shared(hall->files[i], 0, hall->channel_bytes)
                                     : map_shared(file, (size_t)(i + 1) * hall->channel_bytes, hall->channel_bytes);
    const struct start_words start = {file, argv[3], argv + 4};

    fork_python(&start);
    fork_each(&start);
    for (int i = 0; i < hall->count; i++)
        close(channels[i]->output);
    for (;;) {
        while ((pid = waitpid(-1, &status, WUNTRACED | WNOHANG)) > 0 && !must_end())
            note(pid, status);
        if (pid < 0 || must_end())
            break;
        sigsuspend(&none);
    }
    children_end();
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    return over ? raise(SIGTERM) : 0;
}
