/* SPDX-License-Identifier: MIT */
/* Starts a compiler, bounds its time and memory, and ends it when a fatal signal arrives.  One compiler runs at a
 * time in a process. */
#include "lib/program/compiler.h"
#include "lib/base/clock.h"
#include "lib/base/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool same_group; /* compilers stay in the process group of this process */

void
compiler_in_own_group(void)
{
    same_group = true;
}

int
compiler_seconds(void)
{
    const char *said = getenv("PEAL_COMPILE_SECONDS");
    int seconds = said ? atoi(said) : 0;

    return seconds > 0 && seconds < 100000 ? seconds : 20;
}

void
compiler_remove(int at, const char *name, int depth)
{
    int fd = depth < 20 ? openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    while (directory && (entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlinkat(fd, entry->d_name, 0) != 0)
            compiler_remove(fd, entry->d_name, depth + 1);
    if (directory)
        closedir(directory);
    else if (fd >= 0)
        close(fd);
    unlinkat(at, name, AT_REMOVEDIR);
}

void
compiler_signals(sigset_t *fatal)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    struct sigaction now;

    sigemptyset(fatal);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_IGN))
            sigaddset(fatal, numbers[i]);
}

void
compiler_add(struct compiler_command *command, const char *word)
{
    if (command->count < MAX_WORDS)
        command->words[command->count++] = (char *)(uintptr_t)word; /* posix_spawn takes them as char *, writes none */
    else
        command->full = true;
}

void
compiler_add_all(struct compiler_command *command, const char *const *words)
{
    while (*words)
        compiler_add(command, *words++);
}

void
compiler_add_split(struct compiler_command *command, char *text)
{
    char *rest = NULL;

    for (char *word = strtok_r(text, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest))
        compiler_add(command, word);
}

/* Whether the file that this word starts is this compiler, by its name with all links followed. */
static bool
compiler_resolves_to(const char *word, const char *compiler)
{
    char *file = peal_along_path(word, X_OK), real[PATH_MAX] = "";
    const char *name = file && realpath(file, real) ? strrchr(real, '/') : NULL;

    free(file);
    return name && strstr(name, compiler);
}

bool
compiler_is(const struct compiler_command *command, const char *compiler)
{
    for (int i = 0; i < command->count; i++) /* it may follow a cache such as ccache */
        if (compiler_resolves_to(command->words[i], compiler))
            return true;
    return false;
}

/* Keep the compiler, and the processes that it starts, from taking all memory: the program may include a device. */
static void
limit_memory(pid_t process)
{
    rlim_t half = (rlim_t)sysconf(_SC_PHYS_PAGES) / 2 * (rlim_t)sysconf(_SC_PAGESIZE), most = (rlim_t)4 << 30;
    struct rlimit now;

    if (prlimit(process, RLIMIT_DATA, NULL, &now) != 0)
        return;
    most = half < most ? half : most;
    now.rlim_cur = now.rlim_cur < most ? now.rlim_cur : most; /* no limit is the largest number */
    prlimit(process, RLIMIT_DATA, &now, NULL);
}

/* Wait for the compiler.  When a fatal signal arrives first, or it does not end in time, end it and all processes that
 * it has started. */
static int
compiler_wait(pid_t process, bool *interrupted, bool *late)
{
    sigset_t fatal;
    enum { MOMENT = 200 }; /* milliseconds */
    const double end = peal_spent_seconds() + COMPILER_WAITS * compiler_seconds();
    int ready = 0;

    compiler_signals(&fatal);
    struct pollfd ends[2] = {{.fd = (int)syscall(SYS_pidfd_open, process, 0), .events = POLLIN},
                             {.fd = signalfd(-1, &fatal, SFD_CLOEXEC), .events = POLLIN}};

    while (ends[0].fd >= 0 && ready <= 0 && peal_spent_seconds() < end &&
           ((ready = poll(ends, 2, MOMENT)) >= 0 || errno == EINTR))
        ;
    *interrupted = ends[1].revents != 0;
    *late = ends[0].fd >= 0 && !ends[0].revents && !*interrupted;
    if (*interrupted || *late)
        kill(same_group ? process : -process, SIGKILL);
    /* 0 when SIGCHLD is ignored; a failed compiler is recognised by its missing output */
    int status = peal_spawn_wait(process, 0);

    for (int i = 0; i < 2; i++)
        if (ends[i].fd >= 0)
            close(ends[i].fd);
    return status;
}

/* Start the command: its standard output joined to standard error, in a process group of its own, with its temporary
 * files in the folder.  Gives an error's number. */
static int
compiler_start(struct compiler_command *command, const char *folder, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t mask;
    char temporary[PATH_MAX + 8];
    size_t count = 0, used = 0;

    while (environ[count])
        count++;
    char **environment = calloc(count + 2, sizeof *environment);

    if (!environment)
        return ENOMEM;
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0)
            environment[used++] = environ[i];
    environment[used] = temporary;
    sigemptyset(&mask);
    sigaddset(&mask, SIGTTOU); /* so that its messages reach a terminal that belongs to another group */
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGMASK | (same_group ? 0 : POSIX_SPAWN_SETPGROUP)));
    int trouble = posix_spawnp(process, command->words[0], &actions, &attributes, command->words, environment);

    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return trouble;
}

/* Say what is missing: the user's compiler, or Peal's own wrapper of it. */
static enum peal_status
refuse_missing(const char *compiler, const char *path, struct peal_error *error)
{
    if (strcmp(compiler, "pealcc") == 0 || strcmp(compiler, "pealc++") == 0)
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s needs %s, which is neither beside this peal nor in PATH: in a build folder, "
                           "ninja command makes it",
                           path, compiler);
    return peal_refuse(error, PEAL_PROGRAM,
                       "%s needs a C compiler, and %s was not found: install one (apt-get install gcc libc6-dev) or "
                       "set CC to yours",
                       path, compiler);
}

enum peal_status
compiler_run(struct compiler_command *command, const char *folder, const char *path, const char *failed,
             struct peal_error *error)
{
    bool interrupted, late;
    pid_t process;

    if (command->full)
        return peal_refuse(error, PEAL_PROGRAM, "%s: $CC and $CFLAGS have more than %d words", path, MAX_WORDS - 356);
    int trouble = compiler_start(command, folder, &process);

    if (trouble == ENOENT)
        return refuse_missing(command->words[0], path, error);
    if (trouble)
        return peal_refuse(error, PEAL_PROGRAM, "%s: the compiler %s cannot be started: %s", path, command->words[0],
                           strerror(trouble));
    limit_memory(process);
    int status = compiler_wait(process, &interrupted, &late);

    if (late)
        return peal_refuse(error, PEAL_PROGRAM, "%s: the compiler %s did not end within %d seconds", path,
                           command->words[0], COMPILER_WAITS * compiler_seconds());
    if (interrupted)
        return peal_refuse(error, PEAL_PROGRAM, "%s: interrupted while it was compiled", path);
    if (WIFSIGNALED(status))
        return peal_refuse(error, PEAL_PROGRAM, "%s: the compiler %s was ended by signal %d", path, command->words[0],
                           WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return peal_refuse(error, PEAL_PROGRAM, "%s %s: see the message of %s above", path, failed, command->words[0]);
    return PEAL_OK;
}
