/* SPDX-License-Identifier: MIT */
/* The options of the commands: one table, from which the parser and the help are generated. */
#ifndef PEAL_OPTIONS_H
#define PEAL_OPTIONS_H

#include "command.h"
#include "lib/plan/plan.h"
#include "lib/study/range.h"
#include "lib/study/trial_grid.h"
#include <peal/check.h>
#include <peal/machine.h>

/* Which options a command takes. */
enum option_set {
    OPTIONS_MACHINE = 1, /* those of every command that runs a machine */
    OPTIONS_JSON = 2,
    OPTIONS_HELP = 4,
    OPTIONS_PRICE = 8,
    OPTIONS_LESSON = 16,
    OPTIONS_TARGET = 1 << 12, /* of a collective or a program on that machine */
    OPTIONS_APP = 1 << 13,
    OPTIONS_COMPARE = 1 << 10, /* of both commands that look at many algorithms */
    OPTIONS_SWEEP = 1 << 11,
    OPTIONS_CHECK = 1 << 14,
    OPTIONS_EXPORT = 1 << 15,
    OPTIONS_GRADE = 1 << 16,
    OPTIONS_REPORT = 1 << 20,
    OPTIONS_STEP = 1 << 21, /* of run alone */
    OPTIONS_FIT = 1 << 22,
    OPTIONS_WORD = 1 << 23, /* of run and explain */
    OPTIONS_IMPORT = 1 << 24,
    OPTIONS_SYNTHESIZE = 1 << 28,
    OPTIONS_OPTIMAL = 1 << 29, /* of compare alone */
};

/* The most nodes of a machine; beyond it a typing error is more likely than intent. */
enum { MAX_MACHINE_NODES = 1 << 24 };

/* The most nodes of a check. */
enum { MAX_CHECKED_NODES = 2048 };

/* The rows of the table, at most. */
enum { MAX_ROWS = 160 };

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
    size_t block_words, vector_words;
    int root, by;
    int *to;       /* the ranks of a multicast, to_count of them; NULL: all.  Owned by the request */
    size_t *sizes; /* the lengths of blocks, size_count of them; NULL: all equal.  Owned by the request */
    int to_count, size_count;
    bool has_block, has_words, has_root, has_by;
    bool json;    /* the document instead of the table */
    bool csv;     /* comma-separated values instead of the table */
    bool osu;     /* two columns, as the OSU micro-benchmarks print them */
    bool optimal; /* the optimum beside the catalogue */
    bool all;     /* every lesson */
    bool help;
    bool step;                    /* through the rounds, on a terminal */
    const char *json_file;        /* the document beside the table; NULL: none */
    const char *csv_file;         /* the same beside it; NULL: none */
    const char *op;               /* NULL: sum */
    const char *input, *output;   /* NULL: none */
    const char *compiler, *flags; /* NULL: the environment's */
    bool strict;                  /* a finding fails the run */
    bool watched;                 /* an MPI program's accesses to memory are watched; of no option */
    bool explore;                 /* all orders of arrival of an MPI program */
    bool quiet, host_clock;       /* of an MPI program */
    const char *coll;             /* of an MPI program: the algorithms of collectives; NULL */
    const char *launcher;         /* of an MPI job; NULL: the MPI's own */
    int repetitions;              /* of a collective, on the engine mpi; 0: the default */

    struct range nodes_range, block_range, words_range; /* of a sweep; empty where not given */
    enum execute execute;
    const char *plot;         /* NULL: none */
    const char *report_file;  /* the page of --report; NULL: none */
    const char *trace_file;   /* NULL: none; of export: standard output */
    const char *trace_format; /* of export; NULL: as --trace has it */

    int nodes_from, nodes_to, jobs; /* of a check */
    int nodes_list[MAX_LISTED];     /* only these nodes_count of them; 0: all */
    int nodes_count;
    int *choices; /* choice_count; NULL: not given.  Owned by the request */
    int choice_count;
    size_t max_runs;
    enum peal_check_call call;
    enum peal_check_buffers buffers;
    bool identical;
    const char *checked_program;                                        /* a whole one; NULL */
    const char *file, *symbol, *max_rounds, *max_words, *junit, *sarif; /* NULL: none */
    const char *classroom50, *gradescope;                               /* of a grading; NULL: none */

    int steps, most_rounds, chunks, limit; /* of a synthesis; 0: not given */
    bool least_steps, pareto, direct, plain, recheck;
    const char *from, *c_file, *msccl_file, *keep; /* NULL: none */

    const char **topologies; /* each that -t named, in order; owned by the request */
    int topology_count;
    bool given[MAX_ROWS]; /* whether each row's option was given: see option_given */

    const struct peal_algorithm *schedules[MAX_SCHEDULES]; /* of arguments that are files; owned by the request */
    int schedule_count;
    struct peal_plan *bare;        /* of an argument that is a schedule without data; owned by the request; NULL */
    const char *as;                /* of import: the collective that such a schedule is for; NULL */
    size_t as_bytes;               /* of its block or vector; 0 unknown */
    char chunk_words[2][16];       /* one and two words a chunk of it, for a check */
    const char *chunk_lists[2];    /* these */
    int usual_block, usual_vector; /* words when nothing says so; 0: as for the catalogue */

    struct given_option *options; /* the options as they were given, in order; owned by the request */
    int option_count;
};

/* How the value of an option is read, and the type of its member in the request. */
enum option_kind {
    OPTION_ODD,       /* by a function of its own */
    OPTION_FLAG,      /* bool: takes no value */
    OPTION_INTEGER,   /* int, from least to most, or the word */
    OPTION_SIZE,      /* size_t, from least to most; any where `what` is NULL */
    OPTION_RANGE,     /* struct range, of numbers from least to most */
    OPTION_PARAMETER, /* double: the price of something */
    OPTION_WORD,      /* an enum: one of `words` */
    OPTION_EITHER,    /* bool: one of two words, the second of which is true */
    OPTION_TEXT,      /* const char *, not empty unless `what` is NULL */
    OPTION_DOCUMENT,  /* const char *, a file; without a value the bool at `given` instead */
};

typedef enum peal_status option_reader(struct command_request *request, const char *value, struct peal_error *error);

struct option {
    char letter;  /* 0: none */
    unsigned set; /* of enum option_set */
    const char *name;
    const char *value;   /* its name in the help; NULL: takes none; "[=FILE]": optional */
    const char *summary; /* one line; a line break splits it */
    const char *group;

    enum option_kind kind;
    size_t into, given; /* offsets in struct command_request; `given` of a bool that becomes true, 0: none */
    size_t least, most;
    const char *what;         /* in messages: the noun of a number; of a text what is expected when it is empty */
    const char *const *words; /* NULL after the last; of an odd one for shells alone, as typed */
    int word_value;           /* the value of the first word; an enum counts on from it */
    option_reader *read;
};

/* The possible values of an option; for WORDS_LISTED also gives the words, NULL after the last. */
enum words option_words(const struct option *option, const char *const **words);

/* In the order of the help, options of one group together; name NULL after the last. */
extern const struct option options_table[];

/* Fill *request with the defaults, then with what argv (without "peal" and the command's name) says.
 *
 *   owner    the caller frees it with options_fini, also after an error
 *   errors   PEAL_USAGE with one line: an unknown option (and the nearest one), a value that is missing or wrong */
enum peal_status options_parse(struct command_request *request, const struct command *command, int argc, char **argv,
                               struct peal_error *error);
void options_fini(struct command_request *request);

/* Whether the command takes this option. */
bool option_taken(const struct command *command, const struct option *option);

/* Whether the option of this name was given. */
bool option_given(const struct command_request *request, const char *name);

/* A recorded run, the first argument, has its own machine: refuse options that are not of this set.  The example
 * makes a run now.
 * errors: PEAL_USAGE */
enum peal_status options_fit_recorded(const struct command_request *request, unsigned set, const char *example,
                                      struct peal_error *error);

#endif
