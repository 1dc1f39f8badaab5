/* SPDX-License-Identifier: MIT */
/* Starts the processes that are nodes, and writes into their channels how they end: keeper FILE PARENT FOLDER PROGRAM
 * ARGUMENT...  It ends them all when it is told to, or its parent is gone. */
#include "mpi/process/channel.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct hall *hall;
static char *channels;
static volatile sig_atomic_t over;

static struct channel *
channel_of(int rank)
{
    return (struct channel *)(void *)(channels + hall->channel_bytes * (size_t)rank);
}

static void
end(int signal)
{
    (void)signal;
    over = 1;
}

static void
ring(void)
{
    atomic_fetch_add(&hall->bell, 1);
    syscall(SYS_futex, &hall->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* In the process that becomes a node. */
_Noreturn static void
become(int rank, int file, pid_t keeper, const char *folder, char **words)
{
    struct channel *channel = channel_of(rank);
    const char *before = getenv("LD_LIBRARY_PATH");
    char text[4096];
    int nothing;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper)
        _exit(1);
    dup2(channel->output, STDOUT_FILENO);
    if (rank > 0 && (nothing = open("/dev/null", O_RDONLY)) >= 0)
        dup2(nothing, STDIN_FILENO);
    for (int i = 0; i < hall->count; i++)
        close(channel_of(i)->output);
    snprintf(text, sizeof text, "%d %d %d", file, rank, (int)keeper);
    setenv(CHANNEL_VARIABLE, text, 1);
    snprintf(text, sizeof text, "%s%s%s", folder, before && *before ? ":" : "", before ? before : "");
    setenv("LD_LIBRARY_PATH", text, 1);
    signal(SIGTERM, SIG_DFL);
    execvp(words[0], words);
    atomic_store(&channel->refused, (uint32_t)errno);
    _exit(127);
}

/* Kill all that is left of our children, and of theirs, which become ours. */
static void
kill_all(void)
{
    char path[64], text[4096];
    int status;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    for (;;) {
        FILE *list = fopen(path, "re");
        size_t count = list ? fread(text, 1, sizeof text - 1, list) : 0;

        if (list)
            fclose(list);
        text[count] = '\0';
        for (char *at = text, *next; strtol(at, &next, 10) > 0; at = next)
            kill((pid_t)strtol(at, NULL, 10), SIGKILL);
        for (int i = 0; !list && i < hall->count; i++)
            if (!atomic_load(&channel_of(i)->ended))
                kill(channel_of(i)->pid, SIGKILL);
        if (waitpid(-1, &status, 0) < 0 && errno == ECHILD)
            return;
    }
}

static void
note(pid_t pid, int status)
{
    for (int i = 0; i < hall->count; i++)
        if (channel_of(i)->pid == pid) {
            if (WIFSTOPPED(status))
                atomic_store(&channel_of(i)->stopped, (uint32_t)WSTOPSIG(status));
            else
                atomic_store(&channel_of(i)->ended, 1 + (uint32_t)status);
        }
    ring();
}

int
main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = end}; /* without SA_RESTART: it ends a wait */
    int file, status;

    if (argc < 5) {
        fputs("keeper: started by pealrun\n", stderr);
        return 2;
    }
    file = atoi(argv[1]);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGINT, SIG_IGN); /* pealrun ends the run */
    signal(SIGQUIT, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (getppid() != (pid_t)atoi(argv[2]))
        return 1;
    hall = mmap(NULL, sizeof *hall, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (hall == MAP_FAILED)
        return 1;
    channels = mmap(NULL, hall->channel_bytes * (size_t)hall->count, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                    (off_t)hall->channel_bytes);
    if (channels == MAP_FAILED)
        return 1;
    for (int i = 0; i < hall->count && !over; i++) {
        pid_t keeper = getpid(), pid = fork();

        if (pid == 0)
            become(i, file, keeper, argv[3], argv + 4);
        channel_of(i)->pid = pid;
        if (pid < 0) {
            atomic_store(&channel_of(i)->refused, (uint32_t)errno);
            atomic_store(&channel_of(i)->ended, 1);
            ring();
        }
    }
    for (int i = 0; i < hall->count; i++)
        close(channel_of(i)->output);
    while (!over) {
        pid_t pid = waitpid(-1, &status, WUNTRACED);

        if (pid < 0 && errno != EINTR)
            break;
        if (pid > 0)
            note(pid, status);
    }
    kill_all();
    return 0;
}
