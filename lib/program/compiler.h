/* SPDX-License-Identifier: MIT */
/* Running a compiler: its command line, its processes, the signals that end it. */
#pragma once

#include <peal/base.h>
#include <signal.h>
#include <stdbool.h>

enum { MAX_WORDS = 768, COMPILER_WAITS = 3 };

/* A command line that grows.  Words are borrowed. */
struct compiler_command {
    char *words[MAX_WORDS + 1];
    int count;
    bool full;
};

void compiler_add(struct compiler_command *command, const char *word);
void compiler_add_all(struct compiler_command *command, const char *const *words);
/* Add the words of `text`, which is cut up where it has spaces. */
void compiler_add_split(struct compiler_command *command, char *text);

/* Run the command, with its standard output joined to standard error and its temporary files in `folder`, and wait for
 * it.  It has a process group of its own, which is ended when one of compiler_signals comes; the caller has blocked
 * them.
 *
 *   errors   PEAL_PROGRAM when it cannot be started, fails, is ended, or does not end; *error then says that `path`
 *            `failed` */
enum peal_status compiler_run(struct compiler_command *command, const char *folder, const char *path,
                              const char *failed, struct peal_error *error);

/* The seconds of processor time that a compiler may take, from $PEAL_COMPILE_SECONDS; it is waited for COMPILER_WAITS
 * times as long. */
int compiler_seconds(void);

/* Leave the compilers of this process in its own process group, since the group is ended as a whole. */
void compiler_in_own_group(void);

/* The signals that may end the process, except those it ignores.  They are blocked while a compiler runs. */
void compiler_signals(sigset_t *fatal);

/* Remove the folder `name` in the open folder `at` with its contents, following no link.  `depth` is 0. */
void compiler_remove(int at, const char *name, int depth);

/* Whether the command's compiler is this one, "gcc" or "clang", as far as its name says. */
bool compiler_is(const struct compiler_command *command, const char *compiler);
