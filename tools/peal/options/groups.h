/* SPDX-License-Identifier: MIT */
/* The values of a command line's options, group by group.  A member is zero where its option was not given; where zero
 * can be given, option_given says whether it was. */
#pragma once

#include "lib/study/trial_grid.h"
#include <peal/check.h>
#include <peal/collective.h>

/* ------------------------------------------------------------------ of several commands */

/* Numbers with commas between them.  owner: the request owns them; NULL: not given */
struct ranks {
    int *list;
    int count;
};

/* How an MPI job is started, and how often it measures. */
struct launch_options {
    const char *launcher; /* NULL: the MPI's own */
    int repetitions;      /* 0: the default */
};

/* A machine that exists. */
struct named_options {
    const char *name;      /* or a path; NULL: not given */
    char *text;            /* owned by the request: its topology and routing point into it */
    double beta;           /* of a byte; 0: not given */
    int nodes;             /* of a recorded run; 0: those of --nodes */
    const char *stood[10]; /* the options that it stands for */
    int stood_count;
};

/* Nodes on a part of the network's hosts. */
struct placing_options {
    const char *order; /* NULL: block, where per_host is given */
    int per_host;      /* 0: one */
    char *topology;    /* with the placement; owned by the request */
};

/* Whether --place or --per-host was given, or is the machine's. */
static inline bool
placing_given(const struct placing_options *placing)
{
    return placing->order || placing->per_host;
}

/* The arguments of a collective, and its size. */
struct call_options {
    size_t block_words, vector_words;
    int root, by;
    struct ranks to; /* of a multicast */
    size_t *sizes;   /* the lengths of blocks, size_count of them; NULL: all equal.  Owned by the request */
    int size_count;
    const char *op; /* NULL: sum */
};

/* A function of the user's, as an algorithm; the compiler of this and of programs. */
struct function_options {
    const char *file, *symbol;
    const char *compiler, *flags; /* NULL: the environment's */
    bool mpi;                     /* it has the signature of MPI's collective */
    bool fortran, python;         /* of peal new: a program in that language */
    const char *arguments;        /* or takes these; NULL */
    const char *collective;       /* that an assignment is on; NULL: broadcast */
    bool long_counts;
    enum peal_check_element element; /* numbers in place of labels */
};

/* One run of a collective or of an MPI program. */
struct session_options {
    const char *input, *output;
    const char *messages; /* a scenario in place of a collective or a program; NULL */
    const char *coll;     /* the algorithms of an MPI program's collectives */
    bool host_clock;
    bool computes;                    /* --execute none */
    enum peal_compute_source compute; /* of an MPI program */
    double speed;                     /* 0: not given */
    const char *sample;               /* functions of which only the first calls run */
};

/* Orders of arrival. */
struct orders_options {
    struct ranks choices; /* only this order */
    size_t max_runs;
    int jobs; /* 0: the default */
};

/* What is written, and where. */
struct document_options {
    bool help;
    bool json, csv; /* the document instead of the table */
    const char *json_file, *csv_file;
    int most_mebibytes; /* of a document that is read; 0: as usual */
    const char *junit, *sarif;
    const char *report_file;  /* the page of --report */
    const char *svg_file;     /* the picture of --svg */
    const char *png_file;     /* that of --png; not both */
    const char *view;         /* of that picture, "network:2"; NULL: the page's first */
    const char *trace_file;   /* of export NULL is standard output */
    const char *trace_format; /* of export; NULL: as --trace has it */
};

/* ------------------------------------------------------------------ of one command */

struct step_options { /* run */
    bool step;        /* through the rounds, on a terminal */
    bool strict;      /* a finding fails the run */
    bool profile;     /* of an MPI program, by call */
    bool quiet;
    bool explore; /* all orders of arrival */
};

enum scaling_kind { SCALING_NOT_GIVEN, SCALING_STRONG, SCALING_WEAK };

struct scale_options {  /* run */
    struct range nodes; /* empty: one run */
    /* of the program, with {expressions} of P, or a list for some P, "4:'-i 2';8:'-i 4'"; NULL: those after it */
    const char *arguments;
    enum scaling_kind scaling;
};

struct check_options {
    int nodes_from, nodes_to;   /* 0: not given */
    int nodes_list[MAX_LISTED]; /* only these nodes_count numbers; 0: all */
    int nodes_count;
    unsigned call; /* a set of enum peal_check_call */
    enum peal_check_buffers buffers;
    bool identical, all;
    const char *only; /* preconditions */
    bool divides, nonzero, contiguous, may_refuse, allows_leaks;
    const char *program; /* a whole one */
    const char *max_rounds, *max_words, *max_hops, *max_messages;
    double total_seconds; /* of a program's runs; 0: no limit */
};

struct proof_options {
    bool every;         /* a proof for every number of nodes */
    const char *solver; /* of it; NULL: z3 */
};

struct compare_options {
    bool osu;     /* two columns, as the OSU micro-benchmarks print them */
    bool optimal; /* the optimum beside the catalogue; not of sweep */
};

struct sweep_options {
    struct range nodes, block, words; /* empty where not given */
    enum execute execute;
    const char *plot;
    const char *rules;
};

struct synthesis_options {
    int steps, most_rounds, chunks, limit, jobs; /* 0: not given */
    bool least_steps, pareto, direct, unpruned, recheck;
    const char *from, *c_file, *msccl_file, *keep;
};

struct grade_options {
    int jobs;
    const char *classroom50, *gradescope;
    const char *submission; /* only this one is marked; NULL: all */
    const char *class;      /* the list of the class; NULL: the submissions are named */
    bool resume;
};

struct fit_options {
    struct range words;
    struct ranks ranks;
    const char *output; /* the machine; NULL: none is written */
};

struct import_options {
    const char *as;  /* the collective that a schedule without data is for */
    size_t as_bytes; /* of its block or vector; 0 unknown */
};

struct app_options {
    size_t size;
};

struct list_options {
    enum { NO_BOOK, BOOK_GRAMA } book; /* whose table it shows */
};

struct report_options {
    const char *output;
};

struct lesson_options {
    bool all;
    bool ask; /* the question first */
    struct peal_lesson_numbers numbers;
};
