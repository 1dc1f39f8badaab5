/* SPDX-License-Identifier: MIT */
/* A command of `peal`.  A new command is one file that fills one of these structs and one line in
 * commands.def. */
#pragma once

#include <peal/base.h>

struct command_request;

/* The kind of word in a place of the command line, for shells that complete it. */
enum words {
    WORDS_NONE,   /* numbers, or nothing */
    WORDS_LISTED, /* the option's own */
    WORDS_FILE,
    WORDS_EXPLAINED,        /* a target or a kind of finding */
    WORDS_TARGET,           /* as WORDS_LISTED_ALGORITHM, or a program's file */
    WORDS_LISTED_ALGORITHM, /* as WORDS_ALGORITHM, or machines */
    WORDS_ALGORITHM,        /* a collective, with or without its algorithm */
    WORDS_MACHINE,          /* a name, or a file */
    WORDS_LESSON,
    WORDS_APPLICATION,
    WORDS_TOPOLOGY,
    WORDS_ROUTING,
};

struct command {
    const char *name;
    const char *arguments; /* "COLLECTIVE[/ALGORITHM] | FILE.c [-- ARGUMENT...]"; not NULL; nor are the next two */
    const char *summary;   /* one line, no full stop */
    const char *examples;  /* lines, each a command and what it does, indented by two blanks */
    enum words completes;  /* the words that a shell offers for its arguments */
    bool reads_rounds;     /* of a session: its output needs more than the first and last rounds */
    /* Run it and return the exit code.  The options are already parsed; it reports wrong arguments itself. */
    int (*run)(const struct command_request *request);
};

/* In the order of the help; NULL after the last.  Set by main before anything else. */
extern const struct command *const *commands;

/* A command as a bit, OF(run), of a set of commands; whether the command is in the set. */
enum {
#define COMMAND(name) COMMAND_##name,
#include "commands.def"
#undef COMMAND
    COMMANDS
};
#define OF(name) (1 << COMMAND_##name)
bool command_is(const struct command *command, int of);

/* The command of this name; NULL, with a line in *error, when it is unknown. */
const struct command *command_find(const char *name, struct peal_error *error);

/* Print the help of one command, or of `peal` itself for NULL, on stdout. */
void help_print(const struct command *command);

/* Print, for a shell, the completions of the last of these words after `peal`; nothing on stderr. */
void complete(int count, char **words);

/* Print "peal: " and the error's line, or that of a refusal, on stderr; return its exit code. */
int complain(const struct peal_error *error);
int complain_of(enum peal_status status, const char *format, ...) PEAL_PRINTF(2, 3);
