/* SPDX-License-Identifier: MIT */
/* Proving a collective right up to a bound, or finding the smallest run in which it is wrong.
 *
 * In a checking run every word is a label that says whose word it is, and the operator of a reduction joins labels.  An
 * algorithm that only moves words and combines them through its operator, and whose control flow does not depend on the
 * words, is right for every associative operator and all data if and only if it is right for labels: peal-check(1). */
#ifndef PEAL_CHECK_H
#define PEAL_CHECK_H

#include <peal/form.h>
#include <stdio.h>

PEAL_BEGIN

/* How nodes call a function: once, or in ways that are bits of a set.  Twice in a row, on other data; or once in a
 * group that is not the world, one of P of the machine's P + 1 nodes, the ranks in the reverse order of the nodes; of a
 * function for MPI also with a datatype whose extent is larger than its size, with one of a struct, with gaps between
 * blocks, and twice in a row on two communicators, the second one's ranks in reverse order; in two halves of 2P nodes
 * at once, each a communicator; on two communicators in a row, each of all but one of P + 1 nodes; and with buffers
 * where they are not significant, which are otherwise NULL.  Of two calls the first one may have another root, or
 * distance, and other sizes. */
enum peal_check_call {
    PEAL_CALL_ONCE = 0,
    PEAL_CALL_TWICE = 1 << 0,
    PEAL_CALL_IN_GROUP = 1 << 1,
    PEAL_CALL_SPACED = 1 << 2,
    PEAL_CALL_STRUCT = 1 << 3,
    PEAL_CALL_GAPS = 1 << 4,
    PEAL_CALL_TWO_COMMS = 1 << 5,
    PEAL_CALL_HALVES = 1 << 6,
    PEAL_CALL_OVERLAP = 1 << 7,
    PEAL_CALL_GIVEN = 1 << 8,
    PEAL_CALL_ROOTS = 1 << 9,
    PEAL_CALL_SIZES = 1 << 10,
    PEAL_CALLS = 11 /* bits */
};

/* What a case can be, beside the ways of calling, whose bits come first: in place; of blocks, or a vector, that are
 * empty; of blocks of unequal lengths; with a root, or a distance, that is not 0. */
enum { PEAL_KIND_IN_PLACE = PEAL_CALLS, PEAL_KIND_EMPTY, PEAL_KIND_UNEQUAL, PEAL_KIND_ROOT, PEAL_KINDS };

/* One run of a check. */
struct peal_check_case {
    /* nodes: that call the function.  root: of a barrier the node that arrives late, P: none.  to: NULL in a finding,
     * see its rerun.  sizes: constant */
    PEAL_EMBED(peal_layout, layout, PEAL_LAYOUT);
    unsigned call;    /* a set of enum peal_check_call */
    bool commutative; /* the operator is declared so */
    const char *topology;
    PEAL_EMBED(peal_rules, rules, PEAL_RULES);
    uint64_t seed;
    bool in_place; /* own blocks are in their places, see peal/calls.h; else buffers are separate */
};

/* Whether in and out are separate or in place, where the collective allows own blocks in their places.  DEFAULT: both,
 * and a finding about a user's function only in place is a warning. */
enum peal_check_buffers { PEAL_BUFFERS_DEFAULT, PEAL_BUFFERS_SEPARATE, PEAL_BUFFERS_IN_PLACE, PEAL_BUFFERS_BOTH };

/* The elements of a function for MPI: labels, or numbers of these types, which it may add by itself. */
enum peal_check_element {
    PEAL_ELEMENT_LABEL,
    PEAL_ELEMENT_INT,
    PEAL_ELEMENT_FLOAT,
    PEAL_ELEMENT_LONG,
    PEAL_ELEMENT_DOUBLE,
    PEAL_ELEMENTS
};

struct peal_program_file;

/* What is checked: everything, when all but the collective and the range of nodes is zero.  Strings and lists are
 * borrowed until peal_check returns. */
struct peal_check {
    enum peal_collective collective;
    bool unequal;              /* only the call with unequal blocks, as peal_scatterv */
    const char *algorithm;     /* of the catalogue, "chain:16"; NULL: `file` */
    const char *file, *symbol; /* a C file, and the function in it, declared as in union peal_check_function */
    bool mpi;                  /* the function has the signature of MPI's collective */
    const char *arguments;     /* mpi: those it takes, in C, by MPI's names, "recvbuf, count, comm"; NULL: MPI's */
    enum peal_check_element element; /* mpi */
    bool long_counts;                /* mpi: its lists of counts and displacements are of size_t */
    bool program;               /* `file` is a whole node program, with peal_main; the collective is PEAL_COLLECTIVES */
    const char *const *sources; /* further files of the program, or beside the function's; up to NULL; NULL: none */
    int argc;                   /* its arguments, argv[0] included; 0: only the file's name */
    char **argv;
    const char *compiler, *flags; /* NULL: $CC, $CFLAGS */
    /* of a program for MPI, in place of what compiles and starts it: it, loaded for nodes_to nodes; the machine of its
     * runs, with bytes as words; and further options of peal check for them.  Every order of arrival is one run, and
     * each has all of this process's standard input, which is read to its end */
    struct peal_program_file *loaded;
    const struct peal_options *machine;
    const char *rerun_options; /* each after a blank; NULL */
    bool untrusted;            /* the file may include nothing from its folder, and compiler messages are not shown */
    int nodes_from, nodes_to;  /* 1 .. 16, say */
    const int *nodes_list;     /* only these nodes_count of the range; NULL: all */
    int nodes_count;
    bool beyond; /* then some cases of P = 17, 24, 31, 32, 33, unless a receive from any source had a choice */
    bool has_root, has_by, has_to, has_words, has_ports, has_delivery; /* only the value below */
    PEAL_EMBED(peal_layout, layout, PEAL_LAYOUT);                      /* sizes: of a user's function, with `unequal` */
    /* noncombining and switching: unless set, a catalogue's algorithm also runs so where its closed form holds so */
    PEAL_EMBED(peal_rules, rules, PEAL_RULES);
    const int *roots; /* not NULL: only these root_count, those that are less than P */
    int root_count;
    const char *const
        *words_list; /* not NULL: only these m or n, words_count expressions of P, at most 8; rounded down;
                                    * `unequal`: all blocks of m words, and m, 0, ⌈m/2⌉ over and over */
    int words_count;
    enum peal_check_buffers buffers;
    const char *topology;     /* NULL: those that matter */
    bool has_switching;       /* charged in this way only; else, if an algorithm looks at its network, in all ways */
    bool has_call;            /* only this way to call; else, of few nodes, also twice and in a group */
    unsigned call;            /* a set of enum peal_check_call */
    const struct peal_op *op; /* only .commutative is read, and of numbers whether it is the sum, the largest or the
                               * smallest; NULL: rank order is needed unless the algorithm says not */
    uint64_t seed;
    const int *choices; /* not NULL: only this schedule, the `choices` of a finding */
    int choice_count;
    const char *only;      /* preconditions of the function: only cases that fulfil this, "P = 2^q, n >= P"; NULL */
    bool divides, nonzero; /* further ones: P divides the words; no block, or vector, is empty */
    bool contiguous;       /* of a function for MPI: it is given only datatypes of elements without gaps */
    bool may_refuse;       /* all nodes may return an error code, or throw, or one may end the run before it sends */
    bool allows_leaks;
    bool identical;    /* of a reduction: the verdict says where brackets differ; both kinds of operator */
    bool first_only;   /* end at the first finding that is not a warning */
    bool suggests;     /* search for a precondition under which a wrong function is right */
    uint64_t max_runs; /* a check that needs more ends without a proof; 0: a million */
    const char *max_rounds, *max_words;  /* expressions in P, m, n, q = ⌈log₂P⌉; NULL: no limit */
    const char *max_hops, *max_messages; /* as these: links of each message's route; messages from a node to another */
    double timeout_seconds;              /* of one run; 0: 10 seconds */
    double total_seconds;                /* from peal_check on, for all of them; 0: no limit.  Those of a program, and
                                          * max_runs, are shared over its numbers of nodes */
    uint64_t refused; /* of an untrusted function: collectives that its nodes must not call, 1 << enum peal_collective;
                       * 1 << PEAL_COLLECTIVES: those of no catalogue */
    const char *engine;       /* NULL: fibers where this build has them, else threads */
    struct shown_page *shown; /* of peal_check_show; else NULL */
};

/* The choices of receives from any source: ranks of senders, in the order of the choices.  PEAL_CHOICE_WAITS: the
 * receive took none of the messages that it could have had, and waited for a later one.
 *
 * Those of MPI's waits and tests, where these are explored: which request a call for one returns, its index; of one for
 * some, a bit for each of its complete requests, or all of these; and that a test or a probe says "not yet".  And of
 * locks and atomic updates, the node that is served next: the list begins with those that are explored, each as a
 * number from PEAL_CHOICE_ORDERS down. */
enum {
    PEAL_CHOICE_WAITS = -1,
    PEAL_CHOICE_NOT_YET = -2,
    PEAL_CHOICE_ALL = -3,
    PEAL_CHOICE_ORDERS = -1000,
    PEAL_CHOICES = 256
};

/* A finding, in the smallest case that shows it. */
struct peal_finding {
    PEAL_EMBED(peal_fault, fault, PEAL_FAULT);
    struct peal_check_case where;
    int choices[PEAL_CHOICES]; /* without trailing ones that took the first possible sender */
    int choice_count;
    bool choices_cut; /* there were more than fit, so they do not reproduce the case */
    char rerun
        [1500]; /* the options of `peal check` that run exactly this case: "-p 5 -r 3 -m 4 --delivery rendezvous" */
    char error_output[500]; /* the last of what the nodes wrote to standard error in this run; untrusted; "" */
    int round;              /* the one that brought the wrong message, from 1; 0 where not known */
};

enum { PEAL_FINDINGS = PEAL_FAILURE_KINDS };

/* Whether a reduction combines in the same brackets wherever results should be the same. */
struct peal_identity {
    bool known;                     /* else nothing was combined, or memory ran out */
    bool compared[PEAL_IDENTICALS]; /* there were results to compare */
    bool differs[PEAL_IDENTICALS];  /* some two are in other brackets: */
    char how[PEAL_IDENTICALS][420]; /* "P = 3, n = 1, word 0: x₀⊕(x₁⊕x₂) on node 0, ..."; else "" */
    int depth, nodes; /* the combinations on the longest path of a tree, with `nodes` nodes, the most that were run */
};

/* The result of a check. */
struct peal_verdict {
    bool proved;      /* every case was run, and all are right */
    char bound[400];  /* the numbers of nodes that were run: "1..16", "1, 2, 4, 8, 16"; "" none */
    char beyond[100]; /* numbers of nodes with some cases run: "17, 24, 31..33"; "" none */
    char reason[300]; /* why nothing is proved, without a finding; "" */
    /* proved: variables of the file that messages came from or went to, and whose bounds the check does not know:
     * "variables within a stack frame, and global variables"; "" none */
    char not_told_apart[80];
    char not_watched[320]; /* what was watched of the memory of an MPI program, and what was not; "" */
    char cases[1000]; /* what was run with each of these numbers of nodes: sizes, roots, orders, calls; "" a program */
    char
        limits[800]; /* what of it was cut short, and sizes that the function compares with and that were not run; "" */
    char right_where[300]; /* of a wrong function, with `suggests`: what would make it right; "" */
    char costs_as[200];    /* of a function for MPI: algorithms with its charge on one port, unbuffered, in each case */
    char not_run[200];     /* lines of a user's function that no case ran, "12, 14..21"; "" none, or not known */
    uint64_t kinds[PEAL_KINDS][PEAL_KINDS]; /* of a function or an algorithm: runs that were of both kinds */
    bool finished; /* of a program: with the numbers of nodes in `bound` every order of arrival was run */
    uint64_t runs;
    double seconds;
    struct peal_finding findings[PEAL_FINDINGS]; /* one per kind, the smallest case first */
    int finding_count;
    struct peal_identity identity; /* as far as the check came */
    struct peal_error error;       /* status not PEAL_OK: the check could not be made */
};

/* Make `count` checks, `jobs` at a time (0: two per core), each in a child process.  A file that does not compile is
 * reported in its verdict's error.
 *
 *   blocks   until all are done
 *   thread   no other thread may run in the process: it forks
 *   errors   PEAL_USAGE for an impossible check; PEAL_RESOURCES                                     */
PEAL_API enum peal_status peal_check(const struct peal_check *checks, int count, int jobs,
                                     struct peal_verdict *verdicts, struct peal_error *error);

/* Make a check of few cases (those of a finding's rerun), and give the first wrong run, or else a right one, as JSON:
 * {"run": peal/run/1, "observed": as in the data of peal-report(1), "blocks": as of peal_check_holdings, or null,
 * "blocks_absent": why}.  *text is NULL when the child that made the run wrote nothing.  The text of an untrusted file
 * is untrusted.
 *
 *   owner    the caller frees *text
 *   errors   as of peal_check                                                                         */
PEAL_API enum peal_status peal_check_show(const struct peal_check *check, struct peal_verdict *verdict, char **text,
                                          struct peal_error *error);

/* Write what every node holds after each round of a recorded run of a collective, as JSON: the "blocks" of
 * peal-json(5).  The run is made once more with labels in place of words, by the algorithm it names, or by `function`
 * unless that is NULL, and must make the same rounds.  Long blocks and vectors are shortened to as few words as show
 * every difference.
 *
 *   blocks   until the run is over, at most 30 seconds
 *   thread   no other check, and no machine, may run in the process
 *   errors   PEAL_USAGE, and nothing is written, where it is not known: the line says why, beginning in lower case;
 *            also when it takes more than `most` bytes.  PEAL_RESOURCES without memory                   */
struct peal_record;
PEAL_API enum peal_status peal_check_holdings(FILE *out, const struct peal_record *run,
                                              const union peal_check_function *function, size_t most,
                                              struct peal_error *error);

/* Call the function on the data of the current case.  For the program that Peal compiles around a user's file. */
PEAL_API void peal_check_call(struct peal_node *me, const union peal_check_function *function);

/* Call a function for MPI on it: a peal_mpi_function of <peal/mpi/judged.h>. */
struct peal_mpi_call;
PEAL_API void peal_check_call_mpi(struct peal_node *me, int (*function)(const struct peal_mpi_call *call));

/* The arguments of MPI's call of a collective, or of that with unequal blocks, by their names in the standard, with
 * commas between them; NULL: MPI has no such call. */
PEAL_API const char *peal_check_arguments(enum peal_collective collective, bool unequal);

/* The operator on labels that commutes. */
PEAL_API const struct peal_op *peal_check_labels(void);

/* The calls that one node makes, and what the library for MPI needs to make them (peal_runtime_hooks). */
struct peal_judged_call {
    struct peal_arguments arguments;
    int rank; /* of the node in this call; -1: it makes none */
    const struct peal_layout *layout;
    int error; /* what it returned, as a code and as text */
    char text[100];
};
struct peal_judged_calls {
    enum peal_collective collective;
    const struct peal_check_case *where;
    int (*function)(const struct peal_mpi_call *call);
    enum peal_check_element element;
    bool largest, smallest;        /* of numbers: the operator; else their sum */
    bool unstored;                 /* data are not stored: long copies may be left out */
    struct peal_judged_call *call; /* one, or two in a row */
    int count;
    void (*comes)(struct peal_node *me, int call, int rank); /* before each call, the first 0 */
    void (*goes)(int call);                                  /* after it */
};

PEAL_END

#endif
