/* SPDX-License-Identifier: MIT */
/* Helpers for tests of programs in files: where the files are, their output, and the files and processes that
 * remain. */
#ifndef TESTS_PROGRAM_HELPERS_H
#define TESTS_PROGRAM_HELPERS_H

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <fcntl.h>
#include <limits.h>
#include <peal/tools.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where a file of this folder is. */
static inline const char *
here(const char *name)
{
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", PROGRAMS, name);
    return path;
}

/* Read all of an open file, from its start, as a string of at most 64 KiB. */
static inline const char *
contents(int file)
{
    static char text[1 << 16];
    ssize_t length = pread(file, text, sizeof text - 1, 0);

    cr_assert(length >= 0);
    text[length] = '\0';
    return text;
}

static inline int
scratch(void)
{
    char name[] = "/tmp/peal-test-XXXXXX";
    int file = mkstemp(name);

    cr_assert(file >= 0);
    unlink(name);
    return file;
}

/* An empty directory of the test's own, which TMPDIR names from now on. */
static inline const char *
empty_directory(void)
{
    static char name[] = "/tmp/peal-test-XXXXXX";

    cr_assert(mkdtemp(name));
    setenv("TMPDIR", name, 1);
    return name;
}

/* Remove it: possible only when it is still empty. */
static inline void
expect_empty(const char *directory)
{
    cr_expect(rmdir(directory) == 0, "%s is not empty", directory);
}

static inline struct peal_program_file *
load(const char *name, int nodes, int argc, char **argv)
{
    struct peal_program_options options = {.argc = argc, .argv = argv};
    struct peal_error error;
    struct peal_program_file *file = peal_program_load(here(name), nodes, &options, &error);

    cr_assert(file, "%s: %s", name, error.text);
    return file;
}

struct run {
    int nodes;
    uint64_t seed;
    bool tag;
    const char *flags, *engine, *compiler;
    const char *const *sources;
    char *argv[5];
};

/* Copy the failure so that its texts outlive the machine. */
static inline void
keep_failure(const struct peal_failure *failed, struct peal_failure *failure)
{
    *failure = failed ? *failed : (struct peal_failure){.kind = PEAL_FAILURE_KINDS};
}

/* Load `name`, run it once and give what its nodes printed; `failure`, unless NULL, gets the run's failure. */
static inline const char *
printed(const char *name, struct run run, struct peal_failure *failure)
{
    struct peal_program_options given = {
        .flags = run.flags, .argv = run.argv, .compiler = run.compiler, .sources = run.sources};
    struct peal_options options;
    struct peal_error error;
    int output = scratch();

    while (run.argv[given.argc])
        given.argc++;
    peal_options_init(&options);
    options.nodes = run.nodes;
    options.seed = run.seed;
    options.tag_output = run.tag;
    options.output = output;
    if (run.engine)
        options.engine = run.engine;
    struct peal_program_file *file = peal_program_load(here(name), run.nodes, &given, &error);
    cr_assert(file, "%s: %s", name, error.text);
    struct peal_machine *machine = peal_machine_create(&options, &error);
    cr_assert(machine, "%s", error.text);
    const struct peal_failure *failed = peal_program_run(machine, file);
    if (failure)
        keep_failure(failed, failure);
    else
        cr_assert_null(failed, "%s: %s", name, failed ? failed->message : "");
    peal_machine_destroy(machine);
    peal_program_destroy(file);
    return contents(output);
}

/* Expect that `path` is refused with this status and a line that has `part` in it. */
static inline void
expect_refused(const char *path, const struct peal_program_options *options, enum peal_status status, const char *part)
{
    struct peal_error error = {.status = PEAL_OK};

    cr_assert_null(peal_program_load(path, 2, options, &error), "%s was loaded", path);
    cr_expect(error.status == status, "%s: status %d, not %d", path, (int)error.status, (int)status);
    cr_expect(strstr(error.text, part) != NULL, "%s: \"%s\" does not say \"%s\"", path, error.text, part);
    cr_expect_null(strchr(error.text, '\n'));
}

/* Send standard error into a file, to be read by contents(). */
static inline int
catch_messages(void)
{
    int file = scratch();

    fflush(stderr);
    dup2(file, STDERR_FILENO);
    return file;
}

/* Expect the lines of writes.c: each node's first is made in two rounds; the last ones, without a newline, come
 * when the run ends. */
static inline void
expect_lines(const char *text, int nodes)
{
    char expected[2000];
    int length = 0;

    for (int rank = 0; rank < nodes; rank++)
        length += snprintf(expected + length, sizeof expected - (size_t)length,
                           "a%db%dc%dc%ddefghijklmn\nsecond round\n", rank, rank, rank, rank);
    for (int rank = 0; rank < nodes; rank++)
        length += snprintf(expected + length, sizeof expected - (size_t)length, "no end\n");
    cr_expect_str_eq(text, expected);
}

#endif
