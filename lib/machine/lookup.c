/* SPDX-License-Identifier: MIT */
/* The line of an address in a file: of a crash by another process (addr2line), since this one may be damaged; of a call
 * in this one, where the build can. */
#include "lib/machine/lookup.h"
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

struct line_finder line_finder;

/* Ask addr2line for the line of `offset` in `path`; false when it does not know. */
static bool
find_line(const char *path, uintptr_t offset, char *file, size_t bytes, int *line)
{
    char text[32], answer[1024];
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    extern char **environ;

    snprintf(text, sizeof text, "0x%llx", (unsigned long long)offset);
    char *arguments[] = {"addr2line", "-e", (char *)(uintptr_t)path, text, NULL};

    if (pipe(ends) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    bool started = posix_spawnp(&child, "addr2line", &actions, NULL, arguments, environ) == 0;

    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t used = 0;
    ssize_t count;

    while (started && used < sizeof answer - 1 && (count = read(ends[0], answer + used, sizeof answer - 1 - used)) > 0)
        used += (size_t)count;
    close(ends[0]);
    if (!started)
        return false;
    waitpid(child, NULL, 0);
    answer[used] = '\0';
    answer[strcspn(answer, "\n ")] = '\0';
    char *colon = strrchr(answer, ':');

    if (!colon || answer[0] == '?' || (*line = atoi(colon + 1)) <= 0)
        return false;
    *colon = '\0';
    snprintf(file, bytes, "%.*s", (int)bytes - 1, answer);
    return true;
}

/* A question for line_finder. */
struct question {
    const char *path;
    uintptr_t offset;
    char *file;
    size_t bytes;
    int *line;
    bool found;
};

static void *
answer_question(void *arg)
{
    struct question *question = arg;

    question->found =
        line_finder.find(question->path, question->offset, question->file, question->bytes, question->line);
    return NULL;
}

/* Answer it on a separate stack: a node's is small. */
static bool
ask(const char *path, uintptr_t offset, char *file, size_t bytes, int *line)
{
    struct question question = {path, offset, file, bytes, line, false};
    pthread_t thread;

    if (!line_finder.find || pthread_create(&thread, NULL, answer_question, &question) != 0)
        return false;
    pthread_join(thread, NULL);
    return question.found;
}

bool
lookup_line(const char *path, uintptr_t offset, char *file, size_t bytes, int *line)
{
    return line_finder.alone ? ask(path, offset, file, bytes, line) : find_line(path, offset, file, bytes, line);
}

bool
lookup_site(const char *path, uintptr_t offset, char *file, size_t bytes, int *line)
{
    return ask(path, offset, file, bytes, line) || lookup_line(path, offset, file, bytes, line);
}

const char *
lookup_module_file(const Dl_info *module, char own[40])
{
    Dl_info program;

    if (access(module->dli_fname, R_OK) == 0 || !dladdr((const void *)getauxval(AT_PHDR), &program) ||
        program.dli_fbase != module->dli_fbase)
        return module->dli_fname;
    snprintf(own, 40, "/proc/%d/exe", (int)getpid()); /* addr2line is another process: not "self" */
    return own;
}
