/* SPDX-License-Identifier: MIT */
/* The options of the commands: one table, from which the parser and the help are generated. */
#pragma once

#include "command.h"
#include "lib/plan/plan.h"
#include "options/groups.h"

/* Sets of commands: those that take an option. */
enum {
    OF_ALL = -1,
    OF_RUNS = OF(run) | OF(explain),                             /* which show one run */
    OF_MADE = OF_RUNS | OF(report) | OF(export),                 /* one run, made now */
    OF_ONE = OF_MADE | OF(price),                                /* one run, priced elsewhere */
    OF_MANY = OF(compare) | OF(sweep),                           /* many algorithms */
    OF_CALLS = OF_ONE | OF_MANY | OF(check) | OF(fit),           /* of a collective */
    OF_RUNNING = OF_MADE | OF_MANY | OF(app) | OF(import),       /* on a machine that is as the options say */
    OF_MPI = OF_RUNS | OF_MANY | OF(fit) | OF(export) | OF(app), /* also on the processes of an MPI job */
    OF_MACHINE = OF_RUNNING | OF(price) | OF(check) | OF(fit) | OF(synthesize), /* which use a machine at all */
};

/* The most nodes of a machine; beyond it a typing error is more likely than intent. */
enum { MAX_MACHINE_NODES = 1 << 24 };

/* The most nodes of a check. */
enum { MAX_CHECKED_NODES = 2048 };

/* The rows of the table, at most. */
enum { MAX_ROWS = 176 };

/* The schedules that arguments may name. */
enum { MAX_SCHEDULES = 8 };

/* An option that was given.  The strings of the request point into the values. */
struct given_option {
    const struct option *option;
    char *value; /* NULL: it takes none */
};

/* The request of a command line. */
struct command_request {
    const struct command *command;
    int argument_count, program_count;
    char **arguments; /* without options; owned by the request */
    char **program;   /* the words after "--"; NULL without "--" */

    struct peal_options machine;
    struct named_options named;
    struct placing_options placing;
    struct launch_options launch;
    struct call_options call;
    struct function_options function;
    struct session_options session;
    struct orders_options orders;
    struct proof_options proof;
    struct document_options document;
    struct step_options *step; /* these are owned by the request; NULL where the command does not take them */
    struct scale_options *scale;
    struct check_options *check;
    struct compare_options *compare;
    struct sweep_options *sweep;
    struct synthesis_options *synthesis;
    struct grade_options *grade;
    struct fit_options *fit;
    struct import_options *import;
    struct app_options *app;
    struct report_options *report;
    struct lesson_options *lesson;
    struct list_options *list;

    const struct peal_algorithm *schedules[MAX_SCHEDULES]; /* of arguments that are files; owned by the request */
    int schedule_count;
    struct peal_plan *bare;        /* of an argument that is a schedule without data; owned by the request; NULL */
    char chunk_words[2][16];       /* one and two words per chunk of it, for a check */
    const char *chunk_lists[2];    /* these */
    int usual_block, usual_vector; /* words where none are given; 0: as for the catalogue */

    bool given[MAX_ROWS];         /* whether each row's option was given: see option_given */
    struct given_option *options; /* the options as they were given, in order; owned by the request */
    int option_count;
};

/* How the value of an option is read, and the type of its member in the group. */
enum option_kind {
    OPTION_ODD,       /* by a function of its own */
    OPTION_FLAG,      /* bool: takes no value */
    OPTION_INTEGER,   /* int, from least to most, or the word */
    OPTION_SIZE,      /* size_t, from least to most; any where `what` is NULL */
    OPTION_RANGE,     /* struct range, of numbers from least to most */
    OPTION_RANKS,     /* struct ranks; "none" is an empty list */
    OPTION_PARAMETER, /* double: the price of something */
    OPTION_SECONDS,   /* double; 0: without a limit */
    OPTION_WORD,      /* an enum: one of `words` */
    OPTION_EITHER,    /* bool: one of two words, the second of which is true */
    OPTION_TEXT,      /* const char *, not empty unless `what` is NULL */
    OPTION_DOCUMENT,  /* const char *, a file; without a value the bool at `alone` instead */
};

typedef enum peal_status option_reader(struct command_request *request, const char *value, struct peal_error *error);

struct option {
    char letter; /* 0: none */
    int of;      /* the commands that take it: of OF(name) and the sets above */
    const char *name;
    const char *value;   /* its name in the help; NULL: takes none; "[=FILE]": optional */
    const char *summary; /* one line; a line break splits it */
    const char *group;

    enum option_kind kind;
    size_t base;        /* offset in struct command_request: of the group, or of the pointer to it */
    size_t own_bytes;   /* of a group with memory of its own; 0 */
    size_t into, alone; /* offsets in the group */
    size_t least, most;
    const char *what;         /* in messages: the noun of a number; of a text what is expected when it is empty */
    const char *const *words; /* NULL after the last; of an odd one only for shells, as typed */
    bool is_input;            /* its value may name a file that is read, as FILE or file:FILE */
    int word_value;           /* the value of the first word; an enum counts on from it */
    option_reader *read;
};

/* The possible values of an option; for WORDS_LISTED also gives the words, NULL after the last. */
enum words option_words(const struct option *option, const char *const **words);

/* In the order of the help, options of one group together; name NULL after the last. */
extern const struct option options_table[];

/* Fill *request with the defaults, then from argv (without "peal" and the command's name).
 *
 *   owner    the caller frees it with options_fini, also after an error
 *   errors   PEAL_USAGE with one line: an unknown option (and the nearest one), a value that is missing or wrong */
enum peal_status options_parse(struct command_request *request, const struct command *command, int argc, char **argv,
                               struct peal_error *error);
void options_fini(struct command_request *request);

/* The topology with the placement of the options.
 *
 *   owner    free; NULL when refused
 *   errors   PEAL_USAGE when it has one; PEAL_RESOURCES without memory */
char *options_placed(const struct command_request *request, const char *topology, struct peal_error *error);

#define NOT_PLACED "synthesize finds schedules for networks that are used whole, with a node per host: no placement"

/* Whether the command takes this option. */
bool option_taken(const struct command *command, const struct option *option);

/* Whether the option of this name was given. */
bool option_given(const struct command_request *request, const char *name);

/* The first of these names (NULL after the last) whose option was given; NULL. */
const char *option_among(const struct command_request *request, const char *const *names);

/* The first option of the table that was given and is not one of these names (NULL after the last); NULL: none. */
const struct option *option_besides(const struct command_request *request, const char *const *names);

/* A recorded run, the first argument, has its own machine: refuse options that are not one of these names (NULL after
 * the last).  The example makes a run now.
 * errors: PEAL_USAGE */
enum peal_status options_fit_recorded(const struct command_request *request, const char *const *names,
                                      const char *example, struct peal_error *error);
