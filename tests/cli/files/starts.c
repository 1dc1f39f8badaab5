/* The start of an algorithm, S of its collective, called as a function of the user's. */
#include <peal/peal.h>

#define START(collective) collective##_s.run.collective
#define BLOCKS (&(struct peal_blocks){.words = m})
#define OWN(collective, parameters, arguments)                                                                         \
    void own parameters;                                                                                               \
    void own parameters { START(collective) arguments; }

#include "s.c"
#ifdef scatter_
OWN(scatter, (struct peal_node *me, const void *in, size_t m, int root, void *out), (me, in, BLOCKS, root, out))
#elif defined gather_
OWN(gather, (struct peal_node *me, const void *in, size_t m, int root, void *out), (me, in, BLOCKS, root, out))
#elif defined broadcast_
OWN(broadcast, (struct peal_node *me, void *a, size_t n, int root), (me, a, n, root))
#elif defined reduce_
OWN(reduce, (struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root), (me, op, a, n, root))
#elif defined allgather_
OWN(allgather, (struct peal_node *me, const void *in, size_t m, void *out), (me, in, BLOCKS, out))
#elif defined reduce_scatter_
OWN(reduce_scatter, (struct peal_node *me, const struct peal_op *op, const void *in, size_t m, void *out), (me, op, in, BLOCKS, out))
#elif defined allreduce_
OWN(allreduce, (struct peal_node *me, const struct peal_op *op, void *a, size_t n), (me, op, a, n))
#elif defined alltoall_
OWN(alltoall, (struct peal_node *me, const void *in, size_t m, void *out), (me, in, BLOCKS, out, BLOCKS))
#elif defined scan_
OWN(scan, (struct peal_node *me, const struct peal_op *op, void *a, size_t n), (me, op, a, n))
#elif defined exscan_
OWN(exscan, (struct peal_node *me, const struct peal_op *op, void *a, size_t n), (me, op, a, n))
#elif defined shift_
OWN(shift, (struct peal_node *me, const void *in, size_t n, int by, void *out), (me, in, n, by, out))
#elif defined multicast_
OWN(multicast, (struct peal_node *me, void *a, size_t n, int root, const int *to, int count), (me, a, n, root, to, count))
#elif defined barrier_
OWN(barrier, (struct peal_node *me), (me))
#endif
