/* SPDX-License-Identifier: MIT */
/* The calls of node programs: check what was asked, find or choose the algorithm, run it.
 *
 * What is wrong here is a failure of the run at the caller's line, so the algorithms check nothing. */
#include "catalog.h"

/* One call: its situation, and where it was made. */
struct call {
    struct peal_node *me;
    struct peal_situation situation;
    const char *file;
    int line;
};

static const char *
name_of(const struct call *call)
{
    return peal_collective_name(call->situation.collective);
}

/* Fill in all that a choice may depend on.  Every node of the group gets the same, so every node chooses alike. */
static struct call
call_of(struct peal_node *me, enum peal_collective collective, const struct peal_op *op, size_t words, int root,
        const char *file, int line)
{
    const struct peal_options *options = peal_node_options(me);

    return (struct call){
        .me = me,
        .situation = {.collective = collective,
                      .nodes = peal_size(me),
                      .words = words,
                      .root = root,
                      .op = op,
                      .network = peal_is_world(me) ? peal_node_network(me) : NULL,
                      .ports = options->ports,
                      .half_duplex = options->half_duplex,
                      .noncombining = options->noncombining,
                      .switching = options->switching,
                      .congestion = options->congestion,
                      .eager = options->eager,
                      .eager_words = options->eager_words,
                      .parameters = options->parameters},
        .file = file,
        .line = line,
    };
}

static void
check_root(const struct call *call)
{
    int root = call->situation.root, nodes = call->situation.nodes;

    if (root < 0 || root >= nodes)
        peal_fail_at(call->me, PEAL_BAD_RANK, call->file, call->line, "%s from root %d: ranks are 0 .. %d", name_of(call),
                     root, nodes - 1);
}

/* The bytes of the whole vector must be countable. */
static void
check_size(const struct call *call)
{
    const struct peal_situation *situation = &call->situation;
    size_t blocks = peal_collective_has_blocks(situation->collective) ? (size_t)situation->nodes : 1;
    size_t most = PTRDIFF_MAX / peal_word_bytes(call->me) / blocks;

    if (situation->words > most)
        peal_fail_at(call->me, PEAL_BAD_SIZE, call->file, call->line,
                     "%s of %zu words%s: at most %zu words of %zu bytes fit in memory", name_of(call), situation->words,
                     blocks > 1 ? " a block" : "", most, peal_word_bytes(call->me));
}

static void
check_buffer(const struct call *call, const void *buffer, const char *what)
{
    if (buffer == NULL && call->situation.words > 0)
        peal_fail_at(call->me, PEAL_BAD_SIZE, call->file, call->line, "%s: %s is NULL, with %zu words", name_of(call),
                     what, call->situation.words);
}

static void
check_op(const struct call *call)
{
    const struct peal_op *op = call->situation.op;

    if (op == NULL)
        peal_fail_at(call->me, PEAL_BAD_REQUEST, call->file, call->line, "%s without an operator", name_of(call));
    if (op->word_bytes != peal_word_bytes(call->me))
        peal_fail_at(call->me, PEAL_BAD_SIZE, call->file, call->line,
                     "%s by %s, which works on words of %zu bytes: this machine's have %zu", name_of(call), op->name,
                     op->word_bytes, peal_word_bytes(call->me));
}

/* Fail since there is no algorithm of this name, or it does not fit.  Apart, for the text is long and stacks are small. */
__attribute__((noinline, noreturn)) static void
refuse(const struct call *call, const struct peal_algorithm *algorithm, const char *name)
{
    struct peal_error error;

    if (algorithm == NULL)
        catalog_refuse_name(call->situation.collective, name, &error);
    else
        peal_algorithm_fits(algorithm, &call->situation, &error);
    peal_fail_at(call->me, PEAL_BAD_REQUEST, call->file, call->line, "%s", error.text);
}

/* The algorithm of this name, or the cheapest. */
static const struct peal_algorithm *
algorithm_for(const struct call *call, const char *name)
{
    const struct peal_situation *situation = &call->situation;
    const struct peal_algorithm *algorithm = name == NULL ? peal_algorithm_choose(situation)
                                                          : peal_algorithm_find(situation->collective, name);

    if (algorithm == NULL || peal_algorithm_fits(algorithm, situation, NULL) != PEAL_OK)
        refuse(call, algorithm, name);
    return algorithm;
}

static struct peal_node *
enter(const struct call *call)
{
    return peal_enter(call->me, name_of(call), call->file, call->line);
}

void
peal_reduce_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n, int root,
               const char *file, int line)
{
    struct call call = call_of(me, PEAL_REDUCE, op, n, root, file, line);
    const struct peal_algorithm *chosen;

    check_root(&call);
    check_op(&call);
    check_size(&call);
    check_buffer(&call, a, "a");
    chosen = algorithm_for(&call, algorithm);
    me = enter(&call);
    chosen->run.reduce(me, op, a, n, root);
    peal_leave(me);
}

void
peal_broadcast_at(struct peal_node *me, const char *algorithm, void *a, size_t n, int root, const char *file, int line)
{
    struct call call = call_of(me, PEAL_BROADCAST, NULL, n, root, file, line);
    const struct peal_algorithm *chosen;

    check_root(&call);
    check_size(&call);
    check_buffer(&call, a, "a");
    chosen = algorithm_for(&call, algorithm);
    me = enter(&call);
    chosen->run.broadcast(me, a, n, root);
    peal_leave(me);
}

void
peal_gather_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, int root, void *out,
               const char *file, int line)
{
    struct call call = call_of(me, PEAL_GATHER, NULL, m, root, file, line);
    const struct peal_algorithm *chosen;

    check_root(&call);
    check_size(&call);
    check_buffer(&call, in, "in");
    if (peal_rank(me) == root)
        check_buffer(&call, out, "out");
    chosen = algorithm_for(&call, algorithm);
    me = enter(&call);
    chosen->run.gather(me, in, m, root, out);
    peal_leave(me);
}

void
peal_scatter_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, int root, void *out,
                const char *file, int line)
{
    struct call call = call_of(me, PEAL_SCATTER, NULL, m, root, file, line);
    const struct peal_algorithm *chosen;

    check_root(&call);
    check_size(&call);
    if (peal_rank(me) == root)
        check_buffer(&call, in, "in");
    check_buffer(&call, out, "out");
    chosen = algorithm_for(&call, algorithm);
    me = enter(&call);
    chosen->run.scatter(me, in, m, root, out);
    peal_leave(me);
}

void
peal_allgather_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, void *out, const char *file,
                  int line)
{
    struct call call = call_of(me, PEAL_ALLGATHER, NULL, m, 0, file, line);
    const struct peal_algorithm *chosen;

    check_size(&call);
    check_buffer(&call, in, "in");
    check_buffer(&call, out, "out");
    chosen = algorithm_for(&call, algorithm);
    me = enter(&call);
    chosen->run.allgather(me, in, m, out);
    peal_leave(me);
}

void
peal_alltoall_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, void *out, const char *file,
                 int line)
{
    struct call call = call_of(me, PEAL_ALLTOALL, NULL, m, 0, file, line);
    const struct peal_algorithm *chosen;

    check_size(&call);
    check_buffer(&call, in, "in");
    check_buffer(&call, out, "out");
    chosen = algorithm_for(&call, algorithm);
    me = enter(&call);
    chosen->run.alltoall(me, in, m, out);
    peal_leave(me);
}

void
peal_reduce_scatter_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, const void *in, size_t m,
                       void *out, const char *file, int line)
{
    struct call call = call_of(me, PEAL_REDUCE_SCATTER, op, m, 0, file, line);
    const struct peal_algorithm *chosen;

    check_op(&call);
    check_size(&call);
    check_buffer(&call, in, "in");
    check_buffer(&call, out, "out");
    chosen = algorithm_for(&call, algorithm);
    me = enter(&call);
    chosen->run.reduce_scatter(me, op, in, m, out);
    peal_leave(me);
}

void
peal_allreduce_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n,
                  const char *file, int line)
{
    struct call call = call_of(me, PEAL_ALLREDUCE, op, n, 0, file, line);
    const struct peal_algorithm *chosen;

    check_op(&call);
    check_size(&call);
    check_buffer(&call, a, "a");
    chosen = algorithm_for(&call, algorithm);
    me = enter(&call);
    chosen->run.allreduce(me, op, a, n);
    peal_leave(me);
}

void
peal_barrier_at(struct peal_node *me, const char *algorithm, const char *file, int line)
{
    struct call call = call_of(me, PEAL_BARRIER, NULL, 0, 0, file, line);
    const struct peal_algorithm *chosen = algorithm_for(&call, algorithm);

    me = enter(&call);
    chosen->run.barrier(me);
    peal_leave(me);
}
