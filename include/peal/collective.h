/* SPDX-License-Identifier: MIT */
/* Collectives: calls for node programs, operators, and the catalogue of algorithms behind them. */
#ifndef PEAL_COLLECTIVE_H
#define PEAL_COLLECTIVE_H

#include <peal/cost.h>
#include <peal/machine.h>
#include <peal/node.h>

PEAL_BEGIN

/* ------------------------------------------------------------------ operators */

/* An associative operator on words.  combine puts left ⊕ right into result, word by word; the words of lower ranks are on
 * the left.  result may be left or right. */
struct peal_op {
    const char *name;
    bool commutative;
    size_t word_bytes; /* the size of word it works on */
    void (*combine)(const void *left, const void *right, void *result, size_t words);
};

extern PEAL_API const struct peal_op peal_sum_double, peal_max_double, peal_min_double, peal_prod_double;
extern PEAL_API const struct peal_op peal_sum_int64, peal_max_int64, peal_min_int64, peal_prod_int64;
/* Composition of the maps x -> a·x + b modulo 2^32, a in the low half of the word: associative, not commutative. */
extern PEAL_API const struct peal_op peal_affine;
#define PEAL_SUM_DOUBLE (&peal_sum_double)
#define PEAL_MAX_DOUBLE (&peal_max_double)
#define PEAL_MIN_DOUBLE (&peal_min_double)
#define PEAL_PROD_DOUBLE (&peal_prod_double)
#define PEAL_SUM_INT64 (&peal_sum_int64)
#define PEAL_MAX_INT64 (&peal_max_int64)
#define PEAL_MIN_INT64 (&peal_min_int64)
#define PEAL_PROD_INT64 (&peal_prod_int64)
#define PEAL_AFFINE (&peal_affine)

/* The operator called `name` ("sum", "max", "min", "prod" on int64; "sum-double", ...; "affine"), or NULL. */
PEAL_API const struct peal_op *peal_op_find(const char *name);

/* ------------------------------------------------------------------ the calls of the lecture
 *
 * Every node of the group makes the same call with the same sizes and root.  The algorithm is the one whose closed form
 * is lowest on this machine; the _by forms name one ("binomial").  Buffers are the caller's and are free again when the
 * call returns.  Vectors have n words; P blocks have m words each, block i for or from node i.
 *
 * in and out must not overlap, but for a block that is in its place: of a gather (at the root) and an all-gather, in may be
 * the node's own block of out; of a scatter (at the root) and a reduce-scatter, out may be the node's own block of in, of
 * which nothing else is written.  Each node decides for itself.  An all-to-all and a shift need separate buffers.
 *
 *   errors   bad-rank for a root that is not there; bad-request for an algorithm that is not there or does not fit, and
 *            where in and out overlap otherwise; bad-size if m·P overflows, or the operator's words are of another size;
 *            collective-mismatch where another node's call of the same turn is not this one (on the engine mpi, at the end) */

/* a at the root becomes the combination of all a, in rank order; the others' stay as they are. */
#define peal_reduce(me, op, a, n, root) peal_reduce_at(me, NULL, op, a, n, root, PEAL_HERE_OF(a))
#define peal_reduce_by(me, algorithm, op, a, n, root) peal_reduce_at(me, algorithm, op, a, n, root, PEAL_HERE_OF(a))
PEAL_API void peal_reduce_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n,
                             int root, const char *file, int line);

/* a at every node becomes the root's. */
#define peal_broadcast(me, a, n, root) peal_broadcast_at(me, NULL, a, n, root, PEAL_HERE_OF(a))
#define peal_broadcast_by(me, algorithm, a, n, root) peal_broadcast_at(me, algorithm, a, n, root, PEAL_HERE_OF(a))
PEAL_API void peal_broadcast_at(struct peal_node *me, const char *algorithm, void *a, size_t n, int root,
                                const char *file, int line);

/* out at the root (P blocks) becomes every node's in (m words).  out of the others is not used. */
#define peal_gather(me, in, m, root, out) peal_gather_at(me, NULL, in, m, root, out, PEAL_HERE_OF_TWO(out, in))
#define peal_gather_by(me, algorithm, in, m, root, out)                                                                \
    peal_gather_at(me, algorithm, in, m, root, out, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_gather_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, int root, void *out,
                             const char *file, int line);

/* out at node i (m words) becomes block i of the root's in (P blocks).  in of the others is not used. */
#define peal_scatter(me, in, m, root, out) peal_scatter_at(me, NULL, in, m, root, out, PEAL_HERE_OF_TWO(out, in))
#define peal_scatter_by(me, algorithm, in, m, root, out)                                                               \
    peal_scatter_at(me, algorithm, in, m, root, out, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_scatter_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, int root,
                              void *out, const char *file, int line);

/* out at every node (P blocks) becomes every node's in (m words). */
#define peal_allgather(me, in, m, out) peal_allgather_at(me, NULL, in, m, out, PEAL_HERE_OF_TWO(out, in))
#define peal_allgather_by(me, algorithm, in, m, out)                                                                   \
    peal_allgather_at(me, algorithm, in, m, out, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_allgather_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, void *out,
                                const char *file, int line);

/* out at node i (m words) becomes the combination of block i of all in (P blocks). */
#define peal_reduce_scatter(me, op, in, m, out)                                                                        \
    peal_reduce_scatter_at(me, NULL, op, in, m, out, PEAL_HERE_OF_TWO(out, in))
#define peal_reduce_scatter_by(me, algorithm, op, in, m, out)                                                          \
    peal_reduce_scatter_at(me, algorithm, op, in, m, out, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_reduce_scatter_at(struct peal_node *me, const char *algorithm, const struct peal_op *op,
                                     const void *in, size_t m, void *out, const char *file, int line);

/* a at every node becomes the combination of all a. */
#define peal_allreduce(me, op, a, n) peal_allreduce_at(me, NULL, op, a, n, PEAL_HERE_OF(a))
#define peal_allreduce_by(me, algorithm, op, a, n) peal_allreduce_at(me, algorithm, op, a, n, PEAL_HERE_OF(a))
PEAL_API void peal_allreduce_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a,
                                size_t n, const char *file, int line);

/* Block i of out at node j (P blocks of m words) becomes block j of node i's in (P blocks). */
#define peal_alltoall(me, in, m, out) peal_alltoall_at(me, NULL, in, m, out, PEAL_HERE_OF_TWO(out, in))
#define peal_alltoall_by(me, algorithm, in, m, out)                                                                    \
    peal_alltoall_at(me, algorithm, in, m, out, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_alltoall_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, void *out,
                               const char *file, int line);

/* a at node i becomes the combination of the a of the nodes 0 .. i, in rank order. */
#define peal_scan(me, op, a, n) peal_scan_at(me, NULL, op, a, n, PEAL_HERE_OF(a))
#define peal_scan_by(me, algorithm, op, a, n) peal_scan_at(me, algorithm, op, a, n, PEAL_HERE_OF(a))
PEAL_API void peal_scan_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n,
                           const char *file, int line);

/* a at node i becomes the combination of the a of the nodes 0 .. i-1; node 0's stays as it is. */
#define peal_exscan(me, op, a, n) peal_exscan_at(me, NULL, op, a, n, PEAL_HERE_OF(a))
#define peal_exscan_by(me, algorithm, op, a, n) peal_exscan_at(me, algorithm, op, a, n, PEAL_HERE_OF(a))
PEAL_API void peal_exscan_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n,
                             const char *file, int line);

/* out at node (i + by) mod P (n words) becomes node i's in; by may be negative. */
#define peal_shift(me, in, n, by, out) peal_shift_at(me, NULL, in, n, by, out, PEAL_HERE_OF_TWO(out, in))
#define peal_shift_by(me, algorithm, in, n, by, out)                                                                   \
    peal_shift_at(me, algorithm, in, n, by, out, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_shift_at(struct peal_node *me, const char *algorithm, const void *in, size_t n, int by, void *out,
                            const char *file, int line);

/* a at the `count` nodes `to` becomes the root's; the others' stays as it is.  Every node gives the same list, in which no
 * rank stands twice; the root may stand in it.  NULL, with a count of P, stands for all ranks. */
#define peal_multicast(me, a, n, root, to, count) peal_multicast_at(me, NULL, a, n, root, to, count, PEAL_HERE_OF(a))
#define peal_multicast_by(me, algorithm, a, n, root, to, count)                                                        \
    peal_multicast_at(me, algorithm, a, n, root, to, count, PEAL_HERE_OF(a))
PEAL_API void peal_multicast_at(struct peal_node *me, const char *algorithm, void *a, size_t n, int root, const int *to,
                                int count, const char *file, int line);

/* Return when every node of the group has called it. */
#define peal_barrier(me) peal_barrier_at(me, NULL, PEAL_HERE)
#define peal_barrier_by(me, algorithm) peal_barrier_at(me, algorithm, PEAL_HERE)
PEAL_API void peal_barrier_at(struct peal_node *me, const char *algorithm, const char *file, int line);

/* The same with blocks of unequal lengths: words[i] is the length of block i, 0 included, and the blocks lie one behind the
 * other.  Every node gives the same P lengths; in an all-to-all, its own: send[i] words go to node i, receive[i] come from it.
 *
 *   owner    borrows the lengths until it returns                                                  */
#define peal_scatterv(me, in, words, root, out)                                                                        \
    peal_scatterv_at(me, NULL, in, words, root, out, PEAL_HERE_OF_TWO(out, in))
#define peal_scatterv_by(me, algorithm, in, words, root, out)                                                          \
    peal_scatterv_at(me, algorithm, in, words, root, out, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_scatterv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *words,
                               int root, void *out, const char *file, int line);
#define peal_gatherv(me, in, words, root, out)                                                                         \
    peal_gatherv_at(me, NULL, in, words, root, out, PEAL_HERE_OF_TWO(out, in))
#define peal_gatherv_by(me, algorithm, in, words, root, out)                                                           \
    peal_gatherv_at(me, algorithm, in, words, root, out, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_gatherv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *words,
                              int root, void *out, const char *file, int line);
#define peal_allgatherv(me, in, words, out) peal_allgatherv_at(me, NULL, in, words, out, PEAL_HERE_OF_TWO(out, in))
#define peal_allgatherv_by(me, algorithm, in, words, out)                                                              \
    peal_allgatherv_at(me, algorithm, in, words, out, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_allgatherv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *words,
                                 void *out, const char *file, int line);
#define peal_reduce_scatterv(me, op, in, words, out)                                                                   \
    peal_reduce_scatterv_at(me, NULL, op, in, words, out, PEAL_HERE_OF_TWO(out, in))
#define peal_reduce_scatterv_by(me, algorithm, op, in, words, out)                                                     \
    peal_reduce_scatterv_at(me, algorithm, op, in, words, out, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_reduce_scatterv_at(struct peal_node *me, const char *algorithm, const struct peal_op *op,
                                      const void *in, const size_t *words, void *out, const char *file, int line);
#define peal_alltoallv(me, in, send, out, receive)                                                                     \
    peal_alltoallv_at(me, NULL, in, send, out, receive, PEAL_HERE_OF_TWO(out, in))
#define peal_alltoallv_by(me, algorithm, in, send, out, receive)                                                       \
    peal_alltoallv_at(me, algorithm, in, send, out, receive, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_alltoallv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *send,
                                void *out, const size_t *receive, const char *file, int line);

/* Block i of x, which is P blocks of m words; x is a pointer to words of its own type.  Block b of a vector of n words
 * that P need not divide has ⌊n/P⌋ words, the first n mod P one more, and begins at peal_block_begin. */
#define peal_block(x, m, i) ((x) + (size_t)(m) * (size_t)(i))
PEAL_API size_t peal_block_begin(size_t n, int nodes, int block);
PEAL_API size_t peal_block_words(size_t n, int nodes, int block);

/* How a vector is cut into blocks that lie one behind the other, one for each node: all of `words` words but the first
 * `longer`, which have one word more; or, with `begins`, as that says. */
struct peal_blocks {
    size_t words;
    size_t longer;
    const size_t *begins; /* NULL; or P + 1 numbers: block b has the words begins[b] .. begins[b + 1] - 1 */
};

/* Where block b begins, and how many words it has. */
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

enum peal_collective {
    PEAL_SCATTER,
    PEAL_GATHER,
    PEAL_BROADCAST,
    PEAL_REDUCE,
    PEAL_ALLGATHER,
    PEAL_REDUCE_SCATTER,
    PEAL_ALLREDUCE,
    PEAL_ALLTOALL,
    PEAL_SCAN,
    PEAL_EXSCAN,
    PEAL_SHIFT,
    PEAL_MULTICAST,
    PEAL_BARRIER,
    PEAL_COLLECTIVES
};

/* "scatter", "reduce-scatter", ... */
PEAL_API const char *peal_collective_name(enum peal_collective collective);
PEAL_API bool peal_collective_find(const char *name, enum peal_collective *collective);
/* The same of a call, which of a collective of blocks may be the one with unequal blocks: "scatterv", "reduce-scatterv". */
PEAL_API const char *peal_call_name(enum peal_collective collective, bool unequal);
PEAL_API bool peal_call_find(const char *name, enum peal_collective *collective, bool *unequal);
/* Whether its size is m words a block (scatter) rather than n words a vector (broadcast); whether it has a root, an operator. */
PEAL_API bool peal_collective_has_blocks(enum peal_collective collective);
PEAL_API bool peal_collective_has_root(enum peal_collective collective);
PEAL_API bool peal_collective_has_op(enum peal_collective collective);
/* Whether a node's own block may be in its place: the smaller of in and out a block of the other. */
PEAL_API bool peal_collective_allows_in_place(enum peal_collective collective);

/* What a collective call is made with: all that a requirement, a closed form or a bound may depend on. */
struct peal_situation {
    enum peal_collective collective;
    int nodes;
    size_t words; /* m of a block collective, n of a vector collective */
    int root;
    int by;        /* of a shift: so many ranks up */
    const int *to; /* of a multicast: the ranks that get it; NULL all */
    int to_count;
    bool unequal;                       /* blocks of different lengths, then words is the longest */
    const struct peal_blocks *blocks;   /* how long they are; NULL for an all-to-all, where each node has its own */
    int parameter;                      /* of the algorithm, "16" in "chain:16"; 0 its own choice */
    const struct peal_op *op;           /* NULL without one */
    const struct peal_network *network; /* of exactly these nodes; NULL stands for full (a group) */
    int ports;                          /* or PEAL_PORTS_ALL */
    bool half_duplex, noncombining;
    enum peal_switching switching;
    enum peal_congestion congestion;
    bool eager;
    size_t eager_words;
    struct peal_parameters parameters;
};

/* What of a situation is the machine's: nodes, network, ports, how it charges and delivers.  owner: borrows network (NULL:
 * full) as long as the situation is used */
PEAL_API struct peal_situation peal_situation_on(const struct peal_options *options,
                                                 const struct peal_network *network);

/* What an algorithm needs.  Zero means anything goes. */
struct peal_requirements {
    bool power_of_two;      /* P = 2^q */
    bool even;              /* P, unless it is 1 */
    bool commutative;       /* the operator */
    bool commutative_off_0; /* the operator, unless the root is 0 */
    bool equal_blocks;      /* no blocks of different lengths */
    bool divides;           /* P divides n */
    int ports;              /* so many or more, or PEAL_PORTS_ALL */
    const char *kinds;      /* of network, space between: "line ring mesh torus"; NULL any */
};

/* The number that an algorithm may be given behind its name, "chain:16". */
struct peal_algorithm_parameter {
    const char *name;                                      /* "pieces"; NULL when it takes none */
    int least, most;                                       /* most 0: no limit */
    int (*choose)(const struct peal_situation *situation); /* its own choice */
};

/* One algorithm: a file that fills one of these, and a line in the catalogue. */
struct peal_algorithm {
    enum peal_collective collective;
    const char *name;
    const char *also;    /* another name it is found by; NULL */
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
    /* Give the exact charge in *cost; false where no closed form is known.  NULL: none is known anywhere.  Asked through
     * peal_algorithm_cost. */
    bool (*cost)(const struct peal_situation *situation, struct peal_cost *cost);
    /* Give what it cannot exceed, for the choice where it has no closed form; NULL where that is not needed. */
    bool (*at_most)(const struct peal_situation *situation, struct peal_cost *cost);
    /* The kinds of network on which `cost` gives a closed form from rank 0 of any 2^q nodes, one port and ideal switching;
     * NULL full, line, ring, mesh, torus and hypercube; "" none. */
    const char *closed_on;
    bool asks_network;       /* what it sends depends on the network, not only on P and sizes */
    bool asks_ports;         /* or on the ports and the duplex */
    const char *closed_form; /* as text, "α⌈log₂P⌉ + βm(P−1)"; NULL without `cost` */
    const char *optimal;     /* what it is optimal in, "α, β"; NULL */
    const char *source;
    struct peal_loaded *loaded; /* of one that does not come with Peal: <peal/loaded.h>; NULL: of the catalogue */
};

/* The i-th algorithm of the catalogue and of those that are loaded, NULL after the last; the one of this collective and name, or NULL. */
PEAL_API const struct peal_algorithm *peal_algorithm_get(int i);
PEAL_API const struct peal_algorithm *peal_algorithm_find(enum peal_collective collective, const char *name);

/* The same for "chain:16": *parameter is 16, or 0 when there is none behind the name.  NULL also where the algorithm takes
 * no such number. */
PEAL_API const struct peal_algorithm *peal_algorithm_parse(enum peal_collective collective, const char *text,
                                                           int *parameter);

/* Refuse such a text: says which algorithms there are, or which numbers this one takes.  PEAL_OK when it can be parsed. */
PEAL_API enum peal_status peal_algorithm_check(enum peal_collective collective, const char *text,
                                               struct peal_error *error);

/* The number that the algorithm works with here: the situation's, or its own choice; 0 when it takes none. */
PEAL_API int peal_algorithm_parameter(const struct peal_algorithm *algorithm, const struct peal_situation *situation);

/* Say whether the algorithm can run here.  errors: PEAL_USAGE with one line that says what would fit */
PEAL_API enum peal_status peal_algorithm_fits(const struct peal_algorithm *algorithm,
                                              const struct peal_situation *situation, struct peal_error *error);

/* Give the algorithm's closed form in this situation in *cost; false where none is known, and where it is too large to count
 * (then peal_cost_counted says so of *cost). */
PEAL_API bool peal_algorithm_cost(const struct peal_algorithm *algorithm, const struct peal_situation *situation,
                                  struct peal_cost *cost);

/* The algorithm that fits and has the lowest closed form here (or, without one, cannot exceed the lowest): by time, then as
 * the catalogue has it.  Never NULL. */
PEAL_API const struct peal_algorithm *peal_algorithm_choose(const struct peal_situation *situation);

/* Write what it requires in words, "P = 2^q; a commutative operator", "" for nothing. */
PEAL_API char *peal_requirements_text(const struct peal_algorithm *algorithm, char *text, size_t bytes);

/* A cost that no run of this collective can be below, term by term; false where none is known.  *source names it. */
PEAL_API bool peal_lower_bound(const struct peal_situation *situation, struct peal_cost *bound, const char **source);

/* ------------------------------------------------------------------ running one, with its data checked */

struct peal_exercise {
    enum peal_collective collective;
    const char *algorithm; /* "binomial", "chain:16"; NULL: the lowest closed form */
    size_t words;          /* m or n */
    int root;
    int by;        /* of a shift */
    const int *to; /* of a multicast: to_count ranks, borrowed while the outcome is used; NULL all of them */
    int to_count;
    const size_t *sizes; /* of a block collective: size_count lengths, repeated over the blocks; NULL all of `words` */
    int size_count;
    const struct peal_op *op; /* NULL: PEAL_SUM_INT64 */
    const void *input;        /* NULL: made up.  Else input_bytes bytes, padded with zeros: the root's vector, or every
                                node's block in the order of the ranks */
    size_t input_bytes;
    void *output; /* NULL, or where input_bytes bytes of the result go: the blocks gathered, or a copy */
};

struct peal_outcome {
    const struct peal_algorithm *algorithm;
    struct peal_situation situation; /* its network lives as long as the machine */
    size_t block_words, vector_words;
    const size_t *sizes; /* the exercise's, borrowed */
    int size_count;
    bool has_closed_form, closed_form_equal;
    struct peal_cost closed_form;
    bool has_lower_bound;
    struct peal_cost lower_bound;
    const char *lower_bound_source;
    bool verified;     /* the run ended well and every node holds what it should */
    int nodes_correct; /* -1 when the run failed */
    char wrong[200];   /* the first thing that is not as it should be, "node 3, word 5: ..."; "" */
};

/* Run one collective on the machine with made-up or given data, and check what every node then holds, word for word.
 *
 *   errors   PEAL_USAGE when the algorithm does not exist or fit, sizes overflow, the root is not there;
 *            PEAL_FAILED, PEAL_TIMEOUT, PEAL_RESOURCES as the run's failure (see peal_machine_failure);
 *            PEAL_FAILED too when the data is wrong                                               */
PEAL_API enum peal_status peal_exercise(struct peal_machine *machine, const struct peal_exercise *exercise,
                                        struct peal_outcome *outcome, struct peal_error *error);

PEAL_END

#endif
