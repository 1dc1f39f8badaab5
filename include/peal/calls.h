/* SPDX-License-Identifier: MIT */
/* Collectives as node programs call them, and the operators of reductions. */
#ifndef PEAL_CALLS_H
#define PEAL_CALLS_H

#include <peal/node.h>

PEAL_BEGIN

/* ------------------------------------------------------------------ operators */

/* An associative operator on words.  combine puts left ⊕ right into result, word by word; the words of lower ranks are
 * on the left.  result may be left or right. */
struct peal_op {
    const char *name;
    bool commutative;
    size_t word_bytes; /* the size of word it works on */
    void (*combine)(const void *left, const void *right, void *result, size_t words);
    /* In its place, unless NULL: the same with `closure`, which is the caller's and is given to every call. */
    void (*combine_with)(const void *left, const void *right, void *result, size_t words, void *closure);
    void *closure;
    /* What combine gives depends on its arguments alone, and it does nothing else: another node, or nobody, may call it
     * in the node's place. */
    bool pure;
    bool exact; /* combining words in any order and grouping gives the same bits */
};

/* Combine `words` words as the operator says: how algorithms call it. */
static inline void
peal_combine(const struct peal_op *op, const void *left, const void *right, void *result, size_t words)
{
    if (op->combine_with)
        op->combine_with(left, right, result, words, op->closure);
    else
        op->combine(left, right, result, words);
}

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
 * is lowest on this machine; the _by forms name one ("binomial").  The call borrows its buffers until it returns.
 * Vectors have n words; P blocks have m words each, block i for or from node i.
 *
 * in and out must not overlap, except for a block in its place: of a gather (at the root) and an all-gather, in may be
 * the node's own block of out; of a scatter (at the root) and a reduce-scatter, out may be the node's own block of in,
 * of which nothing else is written.  Each node decides for itself.  An all-to-all and a shift need separate buffers.
 *
 *   errors   bad-rank for a root out of range; bad-request for an algorithm that is unknown or does not fit, and where
 *            in and out overlap otherwise; bad-size if m·P overflows, or the operator's words are of another size;
 *            collective-mismatch where another node's n-th call differs (on the engine mpi, reported at the end) */

/* a at the root becomes the combination of all a, in rank order; the others' stay as they are.  In the lecture this is
 * reduce(A[1:n], root), a sum: here the operator is named, and n, the length of a, is an argument before root. */
#define peal_reduce(me, op, a, n, root) peal_reduce_at(me, NULL, op, a, n, root, PEAL_HERE_OF(a))
#define peal_reduce_by(me, algorithm, op, a, n, root) peal_reduce_at(me, algorithm, op, a, n, root, PEAL_HERE_OF(a))
PEAL_API void peal_reduce_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n,
                             int root, const char *file, int line);

/* a at every node becomes the root's: a one-to-all broadcast, as MPI_Bcast. */
#define peal_broadcast(me, a, n, root) peal_broadcast_at(me, NULL, a, n, root, PEAL_HERE_OF(a))
#define peal_broadcast_by(me, algorithm, a, n, root) peal_broadcast_at(me, algorithm, a, n, root, PEAL_HERE_OF(a))
PEAL_API void peal_broadcast_at(struct peal_node *me, const char *algorithm, void *a, size_t n, int root,
                                const char *file, int line);

/* out at the root (P blocks) becomes every node's in (m words).  out of the others is not used.  In the lecture this is
 * gather(In[1:m], root, Out[1:m][1:P]), in an answer there gather(In, Out, root): here m, the length of one block, is
 * an argument before root, and out comes last. */
#define peal_gather(me, in, m, root, out) peal_gather_at(me, NULL, in, m, root, out, PEAL_HERE_OF_TWO(out, in))
#define peal_gather_by(me, algorithm, in, m, root, out)                                                                \
    peal_gather_at(me, algorithm, in, m, root, out, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_gather_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, int root, void *out,
                             const char *file, int line);

/* out at node i (m words) becomes block i of the root's in (P blocks), a one-to-all scatter; others' in is not used. */
#define peal_scatter(me, in, m, root, out) peal_scatter_at(me, NULL, in, m, root, out, PEAL_HERE_OF_TWO(out, in))
#define peal_scatter_by(me, algorithm, in, m, root, out)                                                               \
    peal_scatter_at(me, algorithm, in, m, root, out, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_scatter_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, int root,
                              void *out, const char *file, int line);

/* out at every node (P blocks) becomes every node's in (m words): an all-to-all broadcast, or gossip. */
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

/* Block i of out at node j (P blocks of m words) becomes block j of node i's in (P blocks): a total exchange. */
#define peal_alltoall(me, in, m, out) peal_alltoall_at(me, NULL, in, m, out, PEAL_HERE_OF_TWO(out, in))
#define peal_alltoall_by(me, algorithm, in, m, out)                                                                    \
    peal_alltoall_at(me, algorithm, in, m, out, PEAL_HERE_OF_TWO(out, in))
PEAL_API void peal_alltoall_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, void *out,
                               const char *file, int line);

/* a at node i becomes the combination of the a of the nodes 0 .. i, in rank order: inclusive prefix sums. */
#define peal_scan(me, op, a, n) peal_scan_at(me, NULL, op, a, n, PEAL_HERE_OF(a))
#define peal_scan_by(me, algorithm, op, a, n) peal_scan_at(me, algorithm, op, a, n, PEAL_HERE_OF(a))
PEAL_API void peal_scan_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n,
                           const char *file, int line);

/* a at node i becomes the combination of the a of the nodes 0 .. i-1, exclusive prefix sums; node 0 keeps its own. */
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

/* a at the `count` nodes `to` becomes the root's; the others' stays as it is.  Every node gives the same list, without
 * duplicate ranks; it may contain the root.  NULL, with a count of P, means all ranks. */
#define peal_multicast(me, a, n, root, to, count) peal_multicast_at(me, NULL, a, n, root, to, count, PEAL_HERE_OF(a))
#define peal_multicast_by(me, algorithm, a, n, root, to, count)                                                        \
    peal_multicast_at(me, algorithm, a, n, root, to, count, PEAL_HERE_OF(a))
PEAL_API void peal_multicast_at(struct peal_node *me, const char *algorithm, void *a, size_t n, int root, const int *to,
                                int count, const char *file, int line);

/* Return when every node of the group has called it. */
#define peal_barrier(me) peal_barrier_at(me, NULL, PEAL_HERE)
#define peal_barrier_by(me, algorithm) peal_barrier_at(me, algorithm, PEAL_HERE)
PEAL_API void peal_barrier_at(struct peal_node *me, const char *algorithm, const char *file, int line);

/* Collectives with blocks of unequal lengths: words[i] is the length of block i, 0 included, and the blocks follow one
 * another.  Every node gives the same P lengths; in an all-to-all, its own: send[i] words go to node i, receive[i] come
 * from it.
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

/* Block i of x, which is P blocks of m words; x is a pointer to words of its own type.  Block b of a vector of n words,
 * whether or not P divides n, has ⌊n/P⌋ words, the first n mod P one more, and begins at peal_block_begin. */
#define peal_block(x, m, i) ((x) + (size_t)(m) * (size_t)(i))
PEAL_API size_t peal_block_begin(size_t n, int nodes, int block);
PEAL_API size_t peal_block_words(size_t n, int nodes, int block);

PEAL_END

#endif
