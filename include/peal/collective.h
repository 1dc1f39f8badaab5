/* SPDX-License-Identifier: MIT */
/* The catalogue: what an algorithm is, needs and costs; running one with its data checked. */
#ifndef PEAL_COLLECTIVE_H
#define PEAL_COLLECTIVE_H

#include <peal/calls.h>
#include <peal/cost.h>
#include <peal/machine.h>

PEAL_BEGIN

/* How a vector is cut into consecutive blocks, one for each node: of `words` words each, the first `longer` of one word
 * more; or, unless `begins` is NULL, as `begins` says. */
struct peal_blocks {
    size_t words;
    size_t longer;
    const size_t *begins; /* NULL; or P + 1 numbers: block b has the words begins[b] .. begins[b + 1] - 1 */
};

/* Where block b begins; its number of words. */
static inline size_t
peal_blocks_begin(const struct peal_blocks *blocks, int b)
{
    size_t number = (size_t)b;

    if (blocks->begins != NULL)
        return blocks->begins[b];
    return number * blocks->words + (number < blocks->longer ? number : blocks->longer);
}

static inline size_t
peal_blocks_words(const struct peal_blocks *blocks, int b)
{
    if (blocks->begins != NULL)
        return blocks->begins[b + 1] - blocks->begins[b];
    return blocks->words + ((size_t)b < blocks->longer);
}

/* ------------------------------------------------------------------ the catalogue */

/* PEAL_SCATTER, PEAL_GATHER, ... */
enum peal_collective {
#define FORM(collective, folder) collective,
#include <peal/forms.def>
#undef FORM
    PEAL_COLLECTIVES
};

/* "scatter", "reduce-scatter", ... */
PEAL_API const char *peal_collective_name(enum peal_collective collective);
PEAL_API bool peal_collective_find(const char *name, enum peal_collective *collective);
/* The names of calls: that of a collective of blocks may be the one with unequal blocks, "scatterv",
 * "reduce-scatterv". */
PEAL_API const char *peal_call_name(enum peal_collective collective, bool unequal);
PEAL_API bool peal_call_find(const char *name, enum peal_collective *collective, bool *unequal);
/* Whether it has m words per block (scatter), not n per vector (broadcast); whether it has a root, an operator. */
PEAL_API bool peal_collective_has_blocks(enum peal_collective collective);
PEAL_API bool peal_collective_has_root(enum peal_collective collective);
PEAL_API bool peal_collective_has_op(enum peal_collective collective);
/* Whether a node's own block may be in its place: the smaller of in and out a block of the other. */
PEAL_API bool peal_collective_allows_in_place(enum peal_collective collective);

/* What one call asks. */
#define PEAL_SHAPE                                                                                                     \
    int root;                                                                                                          \
    int by;        /* of a shift: the number of ranks up */                                                            \
    const int *to; /* of a multicast: to_count ranks that receive; NULL all */                                         \
    int to_count;                                                                                                      \
    size_t words; /* m of a block collective, n of a vector collective */
struct peal_shape {
    PEAL_SHAPE
};

/* A shape on `nodes` nodes: of equal blocks, of blocks of the lengths `sizes`, repeated over the blocks, or of a
 * vector. */
#define PEAL_LAYOUT                                                                                                    \
    PEAL_EMBED(peal_shape, shape, PEAL_SHAPE);                                                                         \
    int nodes;                                                                                                         \
    const size_t *sizes; /* size_count lengths; NULL: all blocks have `words` */                                       \
    int size_count;
struct peal_layout {
    PEAL_LAYOUT
};

/* A collective call on a machine: everything that a requirement, a closed form or a bound may depend on. */
struct peal_situation {
    enum peal_collective collective;
    PEAL_EMBED(peal_layout, layout, PEAL_LAYOUT);
    bool unequal;                       /* blocks of different lengths, then words is the longest */
    const struct peal_blocks *blocks;   /* their lengths; NULL for an all-to-all, where each node has its own */
    int parameter;                      /* of the algorithm, "16" in "chain:16"; 0 its own choice */
    const struct peal_op *op;           /* NULL without one */
    const struct peal_network *network; /* of exactly these nodes; NULL means full (a group) */
    PEAL_EMBED(peal_rules, rules, PEAL_RULES);
    struct peal_parameters parameters;
};

/* The machine's part of a situation: nodes, network, ports, charging and delivery.  owner: borrows network (NULL:
 * full) as long as the situation is used */
PEAL_API struct peal_situation peal_situation_on(const struct peal_options *options,
                                                 const struct peal_network *network);

/* What an algorithm needs.  All zero: nothing. */
struct peal_requirements {
    bool power_of_two;      /* P = 2^q */
    bool even;              /* P, unless it is 1 */
    bool commutative;       /* the operator */
    bool commutative_off_0; /* the operator, unless the root is 0 */
    bool equal_blocks;      /* no blocks of different lengths */
    bool divides;           /* P divides n */
    int ports;              /* at least this number, or PEAL_PORTS_ALL */
    const char *kinds;      /* of network, separated by blanks: "line ring mesh torus"; NULL any */
    int nodes;              /* exactly this number; 0 any */
    int multiple;           /* the words of a block, or of the vector, are a multiple of it; 0 any */
    bool root_is;           /* the root, of a collective with one, is `root` */
    int root;
};

/* The number that an algorithm may take after its name, "chain:16". */
struct peal_algorithm_parameter {
    const char *name;                                      /* "pieces"; NULL when it takes none */
    int least, most;                                       /* most 0: no limit */
    int (*choose)(const struct peal_situation *situation); /* its own choice */
};

/* Places between which the results of a reduction are identical if their words are combined in the same brackets: nodes
 * that get the same words, roots, lengths of blocks or vectors and places in them, orders of arrival. */
enum peal_identical {
    PEAL_IDENTICAL_NODES,
    PEAL_IDENTICAL_ROOTS,
    PEAL_IDENTICAL_SIZES,
    PEAL_IDENTICAL_ORDERS,
    PEAL_IDENTICALS
};

/* The bit of one of them in an algorithm's `differs`: PEAL_DIFFERS(ROOTS) | PEAL_DIFFERS(SIZES). */
#define PEAL_DIFFERS(way) (1u << PEAL_IDENTICAL_##way)

/* Whether results of this collective can be compared in this way; not known of orders. */
PEAL_API bool peal_identical_applies(enum peal_collective collective, enum peal_identical way);

/* Their names: "nodes", "roots", "sizes", "orders". */
PEAL_API const char *peal_identical_name(enum peal_identical way);

/* A closed form as text, where it holds.  A table of them ends with a row of zeros; the first that holds is shown.
 * algorithms/README.md has the language, which the suite evaluates. */
struct peal_closed_text {
    const char *on;           /* kinds of network, "full hypercube"; NULL: every one on which there is a closed form */
    const char *when;         /* what else must hold: "P = 2^q, root 0", in words of texts.c; NULL nothing */
    const char *alpha, *beta; /* "α⌈log₂P⌉", "βm(P−1)"; beta NULL: without words */
    bool near;                /* all messages go over one link: t_d as often as α, β the same under store-forward */
    const char *hop;          /* "t_d(P−1)", added under wormhole; NULL: not near, no text there */
    const char *stored;       /* in place of beta under store-forward; NULL: not near, no text there */
    const char *names;        /* what letters in it mean, "q = log₂P, B = parameter"; NULL */
    const char *cited; /* when the algorithm's source has this α and β, like `when`, "" always; NULL: derived here */
    const struct peal_closed_text *rows; /* another table, which stands in this row's place; NULL */
};

/* The posts that a node may have at once.  They decide under which ports a closed form holds. */
enum peal_posts {
    PEAL_POSTS_EXCHANGE, /* one send and one receive: needs both ports at once */
    PEAL_POSTS_ONE,      /* one of either: more ports change nothing, nor does half duplex */
    PEAL_POSTS_MANY      /* needs ports = 1 to hold it back */
};

/* Special values of `holds`: each node holds the vectors of as many nodes as the parameter says, or of all. */
enum { PEAL_HOLDS_PARAMETER = 254, PEAL_HOLDS_ALL = 255 };

/* A closed form that is added up round by round: lib/collective/closed.h. */
struct closed;

/* One algorithm: a file that fills one of these, and a line in the catalogue. */
struct peal_algorithm {
    enum peal_collective collective;
    const char *name;
    const char *also;    /* another name for it; NULL */
    const char *summary; /* one line */
    union {
        void (*scatter)(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out);
        void (*gather)(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out);
        void (*broadcast)(struct peal_node *me, void *a, size_t n, int root);
        void (*reduce)(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root);
        /* in may be the node's own block of out */
        void (*allgather)(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out);
        /* out may be the node's own block of in; nothing else of in is written */
        void (*reduce_scatter)(struct peal_node *me, const struct peal_op *op, const void *in,
                               const struct peal_blocks *blocks, void *out);
        void (*allreduce)(struct peal_node *me, const struct peal_op *op, void *a, size_t n);
        /* in is cut as `send` says, out as `receive` */
        void (*alltoall)(struct peal_node *me, const void *in, const struct peal_blocks *send, void *out,
                         const struct peal_blocks *receive);
        void (*scan)(struct peal_node *me, const struct peal_op *op, void *a, size_t n);
        void (*exscan)(struct peal_node *me, const struct peal_op *op, void *a, size_t n);
        void (*shift)(struct peal_node *me, const void *in, size_t n, int by, void *out); /* by in 0 .. P-1 */
        void (*multicast)(struct peal_node *me, void *a, size_t n, int root, const int *to, int count);
        void (*barrier)(struct peal_node *me);
    } run;
    struct peal_requirements needs;
    struct peal_algorithm_parameter parameter;
    /* Add up the exact charge in an empty sum of these posts.  NULL: no closed form is known anywhere.  Called by
     * peal_algorithm_cost. */
    void (*cost)(struct closed *sum);
    enum peal_posts posts;
    const struct peal_algorithm *costs_as; /* one whose messages are as long and go as far, backwards perhaps; NULL */
    /* Give an upper bound of the charge, for the choice where there is no closed form; NULL where that is not
     * needed. */
    bool (*at_most)(const struct peal_situation *situation, struct peal_cost *cost);
    /* The kinds of network on which `cost` gives a closed form from rank 0 of any 2^q nodes, one port and ideal
     * switching; NULL full, line, ring, mesh, torus and hypercube; "" none. */
    const char *closed_on;
    bool asks_network; /* what it sends depends on the network, not only on P and sizes */
    bool asks_ports;   /* or on the ports and the duplex */
    /* What its nodes allocate beside the data, at most, in halves of the data of all nodes on their longer side; or one
     * of PEAL_HOLDS; 0: as is usual for the collective */
    unsigned char holds;
    unsigned char lists; /* bytes that a node keeps for each of P blocks, in eights: pieces, or requests */
    unsigned differs;    /* of a reduction: the PEAL_DIFFERS of the places between which results may differ where the
                       * operator is not associative, as with floating-point numbers.  What differs between nodes is
                       * never chosen by cost */
    const struct peal_closed_text *texts; /* the closed form as text, where it is short; NULL: nowhere */
    const char *optimal;                  /* the terms in which it is optimal, "α, β"; NULL */
    const char *source;
    struct peal_loaded *loaded; /* of one that was loaded: <peal/loaded.h>; NULL: of the catalogue */
};

/* The i-th algorithm of the catalogue, then of the loaded ones, NULL after the last; the one of this collective and
 * name, or NULL. */
PEAL_API const struct peal_algorithm *peal_algorithm_get(int i);
PEAL_API const struct peal_algorithm *peal_algorithm_find(enum peal_collective collective, const char *name);

/* Find the algorithm that a text such as "chain:16" names: *parameter is 16, or 0 when no number follows the name.
 * NULL also where the algorithm does not take this number. */
PEAL_API const struct peal_algorithm *peal_algorithm_parse(enum peal_collective collective, const char *text,
                                                           int *parameter);

/* Check such a text.  errors: PEAL_USAGE, names the algorithms there are, or the numbers that this one takes */
PEAL_API enum peal_status peal_algorithm_check(enum peal_collective collective, const char *text,
                                               struct peal_error *error);

/* The algorithm's parameter in this situation: the situation's, or its own choice; 0 when it takes none. */
PEAL_API int peal_algorithm_parameter(const struct peal_algorithm *algorithm, const struct peal_situation *situation);

/* Check that the algorithm can run in this situation.  errors: PEAL_USAGE with one line that says what would fit */
PEAL_API enum peal_status peal_algorithm_fits(const struct peal_algorithm *algorithm,
                                              const struct peal_situation *situation, struct peal_error *error);

/* Give the algorithm's closed form in this situation in *cost; false where none is known, and where it is too large to
 * count (then peal_cost_counted says so of *cost). */
PEAL_API bool peal_algorithm_cost(const struct peal_algorithm *algorithm, const struct peal_situation *situation,
                                  struct peal_cost *cost);

/* Write the closed form as the text that holds in this situation, "α⌈log₂P⌉ + βm(P−1)": its value is what
 * peal_algorithm_cost gives.  NULL where no short one is known. */
PEAL_API char *peal_closed_form_text(const struct peal_algorithm *algorithm, const struct peal_situation *situation,
                                     char *text, size_t bytes);

/* The algorithm that fits and has the lowest closed form (or, without one, the lowest upper bound): by time, then in
 * the order of the catalogue.  Never NULL. */
PEAL_API const struct peal_algorithm *peal_algorithm_choose(const struct peal_situation *situation);

/* Write its requirements in words, "P = 2^q; a commutative operator", "" for none. */
PEAL_API char *peal_requirements_text(const struct peal_algorithm *algorithm, char *text, size_t bytes);

/* A cost that no run of this collective can be below, term by term; false where none is known.  *source names it. */
PEAL_API bool peal_lower_bound(const struct peal_situation *situation, struct peal_cost *bound, const char **source);

enum { PEAL_CUT_NODES = 4096 };

/* The nodes on one side of a cut of the network: `words` words must come into them, or out of them, over links of
 * `capacity` in all. */
struct peal_cut {
    int count; /* of the nodes; 0: there is no cut */
    bool into; /* else out of */
    uint64_t words, capacity;
    uint64_t member[PEAL_CUT_NODES / 64]; /* one bit per node */
};

/* Give the cut that makes the β of the lower bound ⌈words/capacity⌉; false, and a cut of no nodes, where something else
 * bounds it. */
PEAL_API bool peal_lower_bound_cut(const struct peal_situation *situation, struct peal_cut *cut);

/* Write "nodes {0 1 4} must take in 20 words over links of capacity 3" into text and return text; "" without nodes. */
PEAL_API char *peal_cut_text(const struct peal_cut *cut, char *text, size_t bytes);

/* ------------------------------------------------------------------ running one, with its data checked */

enum { PEAL_CLOSED_TEXT = 400 }; /* enough bytes for every text of a closed form */

struct peal_exercise {
    enum peal_collective collective;
    const char *algorithm; /* "binomial", "chain:16"; NULL: the lowest closed form */
    PEAL_EMBED(peal_layout, layout,
               PEAL_LAYOUT);  /* nodes: those of the machine.  Lists are borrowed while the outcome is used */
    const struct peal_op *op; /* NULL: PEAL_SUM_INT64 */
    const void *input; /* NULL: generated.  Else input_bytes bytes, padded with zeros: the root's vector, or every
                                node's block in the order of the ranks */
    size_t input_bytes;
    void *output; /* NULL, or room for input_bytes bytes of the result: the blocks gathered, or a copy */
};

struct peal_outcome {
    const struct peal_algorithm *algorithm;
    struct peal_situation situation; /* its network lives as long as the machine */
    size_t block_words, vector_words;
    bool has_closed_form, closed_form_equal;
    struct peal_cost closed_form;
    char closed_form_text[PEAL_CLOSED_TEXT]; /* "": there is no short one */
    const char *closed_form_source;          /* which has this formula, or "derived here"; without one, why */
    bool has_lower_bound;
    struct peal_cost lower_bound;
    const char *lower_bound_source;
    bool verified;     /* the run succeeded, and every node's result is right */
    int nodes_correct; /* -1 when the run failed */
    char wrong[200];   /* the first wrong word, "node 3, word 5: ..."; "" */
};

/* Run one collective on the machine with generated or given data, and check the result of every node, word for word.
 *
 *   errors   PEAL_USAGE when the algorithm is unknown or does not fit, sizes overflow, the root is out of range;
 *            PEAL_FAILED, PEAL_TIMEOUT, PEAL_RESOURCES as the run's failure (see peal_machine_failure);
 *            PEAL_FAILED too when the data is wrong                                               */
PEAL_API enum peal_status peal_exercise(struct peal_machine *machine, const struct peal_exercise *exercise,
                                        struct peal_outcome *outcome, struct peal_error *error);

/* Fill *outcome with what is known of an exercise before it is run: algorithm, situation, sizes, closed form, bound.
 * peal_exercise gives the same.  errors: as of peal_exercise, but for those of the run */
PEAL_API enum peal_status peal_exercise_expect(const struct peal_machine *machine, const struct peal_exercise *exercise,
                                               struct peal_outcome *outcome, struct peal_error *error);

/* Find the situation in which the exercise calls its collective on this network, its algorithm apart.
 *
 *   owner    the situation borrows network (NULL: full) and the exercise's lists
 *   errors   PEAL_USAGE for what no algorithm can do: a root or rank out of range, an operator for words of another
 *            size */
PEAL_API enum peal_status peal_exercise_situation(const struct peal_exercise *exercise,
                                                  const struct peal_options *options,
                                                  const struct peal_network *network, struct peal_situation *situation,
                                                  struct peal_error *error);

PEAL_END

#endif
