/* SPDX-License-Identifier: MIT */
/* The line of an address in a file.  For a crash another process (addr2line) finds it, since this one may be damaged;
 * for a call this process does, where the build can. */
#include "lib/machine/lookup.h"
#include "lib/base/process.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

struct line_finder line_finder;

bool
lookup_is_system(const char *file)
{
    return strncmp(file, "/usr/", 5) == 0;
}

/* Read a line of addr2line's, "ring.c:12"; gives what follows it, NULL where the line is not known. */
static char *
lookup_read_line(char *answer, char *file, size_t bytes, int *line)
{
    size_t end = strcspn(answer, "\n"), length = strcspn(answer, "\n ");
    char *rest = answer + end + (answer[end] == '\n');

    answer[length] = '\0';
    char *colon = strrchr(answer, ':');
    int number = colon ? atoi(colon + 1) : 0;

    if (answer[0] == '?' || number <= 0)
        return NULL;
    snprintf(file, bytes, "%.*s", (int)(colon - answer), answer);
    *line = number;
    return rest;
}

/* Ask addr2line for the line of `offset` in `path`; false when it does not know.  Of code that is inlined it names the
 * calls, too, from the innermost on: the first in the program's own source is taken. */
static bool
addr2line_query(const char *path, uintptr_t offset, char *file, size_t bytes, int *line)
{
    char text[32], answer[4096], outer[1024];
    size_t used = 0;
    ssize_t count;
    pid_t child;
    int from, number;

    snprintf(text, sizeof text, "0x%llx", (unsigned long long)offset);
    char *words[] = {"addr2line", "-i", "-e", (char *)(uintptr_t)path, text, NULL};

    if (peal_spawn(words, (int[]){PEAL_SPAWN_SAME, PEAL_SPAWN_PIPE, PEAL_SPAWN_NOTHING}, &child, &from) != 0)
        return false;
    while (used < sizeof answer - 1 && (count = read(from, answer + used, sizeof answer - 1 - used)) > 0)
        used += (size_t)count;
    close(from);
    peal_spawn_wait(child, 0);
    answer[used] = '\0';
    char *rest = lookup_read_line(answer, file, bytes, line);

    if (!rest)
        return false;
    while (lookup_is_system(file) && (rest = lookup_read_line(rest, outer, sizeof outer, &number)))
        if (!lookup_is_system(outer)) {
            snprintf(file, bytes, "%s", outer);
            *line = number;
        }
    return true;
}

/* A question for line_finder: for a line, or, where that is NULL, for a function. */
struct question {
    const char *path;
    uintptr_t offset;
    char *name;
    size_t bytes;
    int *line;
    bool found;
};

static void *
answer_question(void *arg)
{
    struct question *question = arg;

    if (question->line)
        question->found =
            line_finder.find(question->path, question->offset, question->name, question->bytes, question->line);
    else
        question->found = line_finder.function(question->path, question->offset, question->name, question->bytes);
    return NULL;
}

bool
lookup_apart(void *(*act)(void *arg), void *arg)
{
    pthread_t thread;

    if (!PEAL_THREADS) {
        act(arg);
        return true;
    }
    return pthread_create(&thread, NULL, act, arg) == 0 && pthread_join(thread, NULL) == 0;
}

/* The last answer: a function that crashes does so in each of thousands of runs, at the same line. */
static struct {
    atomic_flag busy;
    struct stat of;
    uintptr_t offset;
    char file[1024];
    int line;
} last = {.busy = ATOMIC_FLAG_INIT};

static bool
lookup_query(const char *path, uintptr_t offset, char *file, size_t bytes, int *line)
{
    struct question question = {path, offset, file, bytes, line, false};
    struct stat of;

    if (!line_finder.find)
        return false;
    if (stat(path, &of) != 0 || atomic_flag_test_and_set(&last.busy))
        return lookup_apart(answer_question, &question) && question.found;
    if (last.line > 0 && last.offset == offset && last.of.st_dev == of.st_dev && last.of.st_ino == of.st_ino &&
        last.of.st_ctim.tv_sec == of.st_ctim.tv_sec && last.of.st_ctim.tv_nsec == of.st_ctim.tv_nsec) {
        snprintf(file, bytes, "%s", last.file);
        *line = last.line;
        question.found = true;
    } else if (lookup_apart(answer_question, &question) && question.found) {
        last.of = of, last.offset = offset, last.line = *line;
        snprintf(last.file, sizeof last.file, "%s", file);
    }
    atomic_flag_clear(&last.busy);
    return question.found;
}

bool
lookup_line(const char *path, uintptr_t offset, char *file, size_t bytes, int *line)
{
    return line_finder.alone ? lookup_query(path, offset, file, bytes, line)
                             : addr2line_query(path, offset, file, bytes, line);
}

bool
lookup_frame(const char *path, uintptr_t offset, struct frame_line *known)
{
    struct frame_line next;

    if (!lookup_line(path, offset, next.file, sizeof next.file, &next.line))
        return false;
    if (known->line == 0 || !lookup_is_system(next.file))
        *known = next;
    return !lookup_is_system(known->file);
}

bool
lookup_site(const char *path, uintptr_t offset, char *file, size_t bytes, int *line)
{
    return lookup_query(path, offset, file, bytes, line) || lookup_line(path, offset, file, bytes, line);
}

bool
lookup_function(const char *path, uintptr_t offset, char *name, size_t bytes)
{
    struct question question = {path, offset, name, bytes, NULL, false};

    return line_finder.function && lookup_apart(answer_question, &question) && question.found;
}

/* A question for line_finder.passed. */
struct passed_question {
    const char *path, *callee;
    uintptr_t offset;
    struct passed *passed;
    bool found;
};

static void *
answer_passed(void *arg)
{
    struct passed_question *question = arg;

    question->found = line_finder.passed(question->path, question->offset, question->callee, question->passed);
    return NULL;
}

bool
lookup_passed(const char *path, uintptr_t offset, const char *callee, struct passed *passed)
{
    struct passed_question question = {path, callee, offset, passed, false};

    return line_finder.passed && lookup_apart(answer_passed, &question) && question.found;
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
