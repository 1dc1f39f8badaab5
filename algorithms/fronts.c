/* SPDX-License-Identifier: MIT */
/* The calls of node programs: check what was asked, find or choose the algorithm, run it.
 *
 * What is wrong here is a failure of the run at the caller's line, so the algorithms check nothing. */
#include "blocks.h"
#include "catalog.h"
#include "choice.h"

/* One call: its situation, and where it was made. */
struct call {
    struct peal_node *me; /* once begun, the node inside the collective */
    struct peal_node *caller;
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

    struct call call = {.me = me, .caller = me, .file = file, .line = line};

    call.situation = peal_situation_on(options, peal_is_world(me) ? peal_node_network(me) : NULL);
    call.situation.collective = collective;
    call.situation.nodes = peal_size(me);
    call.situation.words = words;
    call.situation.root = root;
    call.situation.op = op;
    return call;
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

/* in and out, of so many words, must not overlap, unless the smaller one is the node's own block of the other, which begins
 * at word `own` of it; PEAL_ALLTOALL and PEAL_SHIFT: in no way. */
static void
check_apart(const struct call *call, const void *in, size_t in_words, const void *out, size_t out_words, size_t own)
{
    size_t word_bytes = peal_word_bytes(call->me);
    uintptr_t in_begin = (uintptr_t)in, out_begin = (uintptr_t)out;
    bool in_place = peal_collective_allows_in_place(call->situation.collective) &&
                    (in_words < out_words ? in_begin - out_begin : out_begin - in_begin) == own * word_bytes;

    if (in_words == 0 || out_words == 0 || in_place || in_begin + in_words * word_bytes <= out_begin ||
        out_begin + out_words * word_bytes <= in_begin)
        return;
    if (peal_collective_allows_in_place(call->situation.collective))
        peal_fail_at(call->me, PEAL_BAD_REQUEST, call->file, call->line,
                     "%s: in and out overlap; they may where one is block %d, the node's own, of the other",
                     name_of(call), peal_rank(call->me));
    peal_fail_at(call->me, PEAL_BAD_REQUEST, call->file, call->line, "%s: in and out overlap; it needs separate buffers",
                 name_of(call));
}

static void
check_list(const struct call *call, const void *list, const char *what)
{
    if (list == NULL)
        peal_fail_at(call->me, PEAL_BAD_REQUEST, call->file, call->line, "%s: %s is NULL", name_of(call), what);
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
        peal_algorithm_check(call->situation.collective, name, &error);
    else
        peal_algorithm_fits(algorithm, &call->situation, &error);
    peal_fail_at(call->me, PEAL_BAD_REQUEST, call->file, call->line, "%s", error.text);
}

static void
enter(struct call *call)
{
    call->me = peal_enter(call->me, name_of(call), call->file, call->line);
}

/* A number made of a list, in its order; never 0. */
static uint64_t
hash(uint64_t number, uint64_t next)
{
    uint64_t x = (number ^ next) * UINT64_C(0x9e3779b97f4a7c15);

    return (x ^ x >> 32) | 1;
}

/* What the caller's list says: the lengths of the blocks, the ranks of a multicast unless they are all in their order. */
static uint64_t
list_of(const struct peal_situation *situation)
{
    const struct peal_blocks *blocks = situation->unequal ? situation->blocks : NULL;
    uint64_t number = 1;
    bool all = situation->to_count == situation->nodes;

    for (int i = 0; blocks != NULL && i < situation->nodes; i++)
        number = hash(number, peal_blocks_words(blocks, i));
    if (situation->collective != PEAL_MULTICAST)
        return blocks != NULL ? number : 0;
    for (int i = 0; situation->to != NULL && i < situation->to_count; i++) {
        number = hash(number, (uint64_t)situation->to[i]);
        all = all && situation->to[i] == i;
    }
    return all ? 0 : number;
}

static const struct peal_called called[PEAL_COLLECTIVES] = {
    [PEAL_SCATTER]        = {"scatter", .sized = true, .blocks = true, .rooted = true},
    [PEAL_GATHER]         = {"gather", .sized = true, .blocks = true, .rooted = true},
    [PEAL_BROADCAST]      = {"broadcast", .sized = true, .rooted = true},
    [PEAL_REDUCE]         = {"reduce", .sized = true, .rooted = true},
    [PEAL_ALLGATHER]      = {"allgather", .sized = true, .blocks = true},
    [PEAL_REDUCE_SCATTER] = {"reduce-scatter", .sized = true, .blocks = true},
    [PEAL_ALLREDUCE]      = {"allreduce", .sized = true},
    [PEAL_ALLTOALL]       = {"alltoall", .sized = true, .blocks = true},
    [PEAL_SCAN]           = {"scan", .sized = true},
    [PEAL_EXSCAN]         = {"exscan", .sized = true},
    [PEAL_SHIFT]          = {"shift", .sized = true, .shifts = true},
    [PEAL_MULTICAST]      = {"multicast", .sized = true, .rooted = true},
    [PEAL_BARRIER]        = {.name = "barrier"},
};

/* Tell the machine what is called: it holds it against what the other nodes call.  All lengths of an all-to-all are known to
 * nobody: they are not compared. */
static void
agree(const struct call *call, const char *algorithm, int parameter)
{
    const struct peal_situation *situation = &call->situation;
    const struct peal_call told = {
        .collective = &called[situation->collective],
        .algorithm = algorithm,
        .parameter = parameter,
        .op = situation->op != NULL ? situation->op->name : NULL,
        .words = situation->words,
        .list = situation->unequal || situation->collective == PEAL_MULTICAST ? list_of(situation) : 0,
        .root = situation->root,
        .by = situation->by,
        .unequal = situation->unequal,
    };

    peal_agree(call->caller, &told, call->file, call->line);
}

/* Find the algorithm of this name, or the cheapest, to be run on call->me.  Not inlined: what it needs of the stack is free
 * again when the algorithm runs. */
__attribute__((noinline)) static const struct peal_algorithm *
choose(struct call *call, const char *name)
{
    struct choice choice;

    bool fits = choice_make(&choice, &call->situation, name);

    agree(call, fits ? choice.algorithm->name : name, fits ? choice.parameter : 0);
    if (!fits)
        refuse(call, choice.algorithm, name);
    if (choice.parameter > 0)
        peal_set_parameter(call->me, choice.parameter);
    return choice.algorithm;
}

/* Cut a vector into blocks of the given lengths.  *begins is the call's until it leaves. */
static struct peal_blocks
cut(struct call *call, const size_t *words)
{
    int nodes = call->situation.nodes;
    size_t *begins, word_bytes = peal_word_bytes(call->me), most = PTRDIFF_MAX / word_bytes;

    begins = peal_scratch(call->me, (((size_t)nodes + 1) * sizeof *begins + word_bytes - 1) / word_bytes);
    begins[0] = 0;
    for (int i = 0; i < nodes; i++) {
        if (words[i] > most - begins[i])
            peal_fail_at(call->me, PEAL_BAD_SIZE, call->file, call->line,
                         "%s: %zu words in block %d, and %zu before it: at most %zu words of %zu bytes fit in memory",
                         name_of(call), words[i], i, begins[i], most, word_bytes);
        begins[i + 1] = begins[i] + words[i];
        if (words[i] > call->situation.words)
            call->situation.words = words[i];
    }
    call->situation.unequal = true;
    return (struct peal_blocks){.begins = begins};
}

/* ------------------------------------------------------------------ collectives of vectors */

void
peal_reduce_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n, int root,
               const char *file, int line)
{
    struct call call = call_of(me, PEAL_REDUCE, op, n, root, file, line);

    check_root(&call);
    check_op(&call);
    check_size(&call);
    check_buffer(&call, a, "a");
    enter(&call);
    choose(&call, algorithm)->run.reduce(call.me, op, a, n, root);
    peal_leave(call.me);
}

void
peal_broadcast_at(struct peal_node *me, const char *algorithm, void *a, size_t n, int root, const char *file, int line)
{
    struct call call = call_of(me, PEAL_BROADCAST, NULL, n, root, file, line);

    check_root(&call);
    check_size(&call);
    check_buffer(&call, a, "a");
    enter(&call);
    choose(&call, algorithm)->run.broadcast(call.me, a, n, root);
    peal_leave(call.me);
}

void
peal_allreduce_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n,
                  const char *file, int line)
{
    struct call call = call_of(me, PEAL_ALLREDUCE, op, n, 0, file, line);

    check_op(&call);
    check_size(&call);
    check_buffer(&call, a, "a");
    enter(&call);
    choose(&call, algorithm)->run.allreduce(call.me, op, a, n);
    peal_leave(call.me);
}

void
peal_scan_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n, const char *file,
             int line)
{
    struct call call = call_of(me, PEAL_SCAN, op, n, 0, file, line);

    check_op(&call);
    check_size(&call);
    check_buffer(&call, a, "a");
    enter(&call);
    choose(&call, algorithm)->run.scan(call.me, op, a, n);
    peal_leave(call.me);
}

void
peal_exscan_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n,
               const char *file, int line)
{
    struct call call = call_of(me, PEAL_EXSCAN, op, n, 0, file, line);

    check_op(&call);
    check_size(&call);
    check_buffer(&call, a, "a");
    enter(&call);
    choose(&call, algorithm)->run.exscan(call.me, op, a, n);
    peal_leave(call.me);
}

void
peal_shift_at(struct peal_node *me, const char *algorithm, const void *in, size_t n, int by, void *out, const char *file,
              int line)
{
    struct call call = call_of(me, PEAL_SHIFT, NULL, n, 0, file, line);

    check_size(&call);
    check_buffer(&call, in, "in");
    check_buffer(&call, out, "out");
    check_apart(&call, in, n, out, n, 0);
    call.situation.by = (by % call.situation.nodes + call.situation.nodes) % call.situation.nodes;
    enter(&call);
    choose(&call, algorithm)->run.shift(call.me, in, n, call.situation.by, out);
    peal_leave(call.me);
}

/* The ranks of a multicast must be there, each once. */
static void
check_ranks(const struct call *call)
{
    const struct peal_situation *situation = &call->situation;
    struct peal_error error;

    if (situation->to != NULL && catalog_check_ranks(situation->to, situation->to_count, situation->nodes, &error) != PEAL_OK)
        peal_fail_at(call->me, PEAL_BAD_RANK, call->file, call->line, "%s: %s", name_of(call), error.text);
}

void
peal_multicast_at(struct peal_node *me, const char *algorithm, void *a, size_t n, int root, const int *to, int count,
                  const char *file, int line)
{
    struct call call = call_of(me, PEAL_MULTICAST, NULL, n, root, file, line);

    check_root(&call);
    check_size(&call);
    check_buffer(&call, a, "a");
    if (count != 0 && count != call.situation.nodes)
        check_list(&call, to, "the list of ranks");
    call.situation.to = to;
    call.situation.to_count = count;
    check_ranks(&call);
    enter(&call);
    choose(&call, algorithm)->run.multicast(call.me, a, n, root, to, count);
    peal_leave(call.me);
}

void
peal_barrier_at(struct peal_node *me, const char *algorithm, const char *file, int line)
{
    struct call call = call_of(me, PEAL_BARRIER, NULL, 0, 0, file, line);

    enter(&call);
    choose(&call, algorithm)->run.barrier(call.me);
    peal_leave(call.me);
}

/* ------------------------------------------------------------------ collectives of blocks */

/* What the calls with equal and with unequal blocks have in common, from when the blocks are known. */
static void
scatter(struct call *call, const char *algorithm, const void *in, const struct peal_blocks *blocks, void *out)
{
    int rank = peal_rank(call->me);
    size_t own = peal_blocks_words(blocks, rank);

    if (rank == call->situation.root)
        check_buffer(call, in, "in");
    if (own > 0)
        check_buffer(call, out, "out");
    if (rank == call->situation.root)
        check_apart(call, in, blocks_all(call->me, blocks), out, own, peal_blocks_begin(blocks, rank));
    choose(call, algorithm)->run.scatter(call->me, in, blocks, call->situation.root, out);
    peal_leave(call->me);
}

void
peal_scatter_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, int root, void *out,
                const char *file, int line)
{
    struct call call = call_of(me, PEAL_SCATTER, NULL, m, root, file, line);
    struct peal_blocks blocks = blocks_equal(m);

    check_root(&call);
    check_size(&call);
    enter(&call);
    scatter(&call, algorithm, in, &blocks, out);
}

void
peal_scatterv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *words, int root, void *out,
                 const char *file, int line)
{
    struct call call = call_of(me, PEAL_SCATTER, NULL, 0, root, file, line);
    struct peal_blocks blocks;

    check_root(&call);
    check_list(&call, words, "the list of lengths");
    enter(&call);
    blocks = cut(&call, words);
    call.situation.blocks = &blocks;
    scatter(&call, algorithm, in, &blocks, out);
}

static void
gather(struct call *call, const char *algorithm, const void *in, const struct peal_blocks *blocks, void *out)
{
    int rank = peal_rank(call->me);
    size_t own = peal_blocks_words(blocks, rank);

    if (own > 0)
        check_buffer(call, in, "in");
    if (rank == call->situation.root)
        check_buffer(call, out, "out");
    if (rank == call->situation.root)
        check_apart(call, in, own, out, blocks_all(call->me, blocks), peal_blocks_begin(blocks, rank));
    choose(call, algorithm)->run.gather(call->me, in, blocks, call->situation.root, out);
    peal_leave(call->me);
}

void
peal_gather_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, int root, void *out,
               const char *file, int line)
{
    struct call call = call_of(me, PEAL_GATHER, NULL, m, root, file, line);
    struct peal_blocks blocks = blocks_equal(m);

    check_root(&call);
    check_size(&call);
    enter(&call);
    gather(&call, algorithm, in, &blocks, out);
}

void
peal_gatherv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *words, int root, void *out,
                const char *file, int line)
{
    struct call call = call_of(me, PEAL_GATHER, NULL, 0, root, file, line);
    struct peal_blocks blocks;

    check_root(&call);
    check_list(&call, words, "the list of lengths");
    enter(&call);
    blocks = cut(&call, words);
    call.situation.blocks = &blocks;
    gather(&call, algorithm, in, &blocks, out);
}

static void
allgather(struct call *call, const char *algorithm, const void *in, const struct peal_blocks *blocks, void *out)
{
    int rank = peal_rank(call->me);
    size_t own = peal_blocks_words(blocks, rank);

    if (own > 0)
        check_buffer(call, in, "in");
    check_buffer(call, out, "out");
    check_apart(call, in, own, out, blocks_all(call->me, blocks), peal_blocks_begin(blocks, rank));
    choose(call, algorithm)->run.allgather(call->me, in, blocks, out);
    peal_leave(call->me);
}

void
peal_allgather_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, void *out, const char *file,
                  int line)
{
    struct call call = call_of(me, PEAL_ALLGATHER, NULL, m, 0, file, line);
    struct peal_blocks blocks = blocks_equal(m);

    check_size(&call);
    enter(&call);
    allgather(&call, algorithm, in, &blocks, out);
}

void
peal_allgatherv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *words, void *out,
                   const char *file, int line)
{
    struct call call = call_of(me, PEAL_ALLGATHER, NULL, 0, 0, file, line);
    struct peal_blocks blocks;

    check_list(&call, words, "the list of lengths");
    enter(&call);
    blocks = cut(&call, words);
    call.situation.blocks = &blocks;
    allgather(&call, algorithm, in, &blocks, out);
}

static void
reduce_scatter(struct call *call, const char *algorithm, const void *in, const struct peal_blocks *blocks, void *out)
{
    int rank = peal_rank(call->me);
    size_t own = peal_blocks_words(blocks, rank);

    check_buffer(call, in, "in");
    if (own > 0)
        check_buffer(call, out, "out");
    check_apart(call, in, blocks_all(call->me, blocks), out, own, peal_blocks_begin(blocks, rank));
    choose(call, algorithm)->run.reduce_scatter(call->me, call->situation.op, in, blocks, out);
    peal_leave(call->me);
}

void
peal_reduce_scatter_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, const void *in, size_t m,
                       void *out, const char *file, int line)
{
    struct call call = call_of(me, PEAL_REDUCE_SCATTER, op, m, 0, file, line);
    struct peal_blocks blocks = blocks_equal(m);

    check_op(&call);
    check_size(&call);
    enter(&call);
    reduce_scatter(&call, algorithm, in, &blocks, out);
}

void
peal_reduce_scatterv_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, const void *in,
                        const size_t *words, void *out, const char *file, int line)
{
    struct call call = call_of(me, PEAL_REDUCE_SCATTER, op, 0, 0, file, line);
    struct peal_blocks blocks;

    check_op(&call);
    check_list(&call, words, "the list of lengths");
    enter(&call);
    blocks = cut(&call, words);
    call.situation.blocks = &blocks;
    reduce_scatter(&call, algorithm, in, &blocks, out);
}

void
peal_alltoall_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, void *out, const char *file,
                 int line)
{
    struct call call = call_of(me, PEAL_ALLTOALL, NULL, m, 0, file, line);
    struct peal_blocks blocks = blocks_equal(m);

    check_size(&call);
    check_buffer(&call, in, "in");
    check_buffer(&call, out, "out");
    check_apart(&call, in, m * (size_t)call.situation.nodes, out, m * (size_t)call.situation.nodes, 0);
    enter(&call);
    choose(&call, algorithm)->run.alltoall(call.me, in, &blocks, out, &blocks);
    peal_leave(call.me);
}

/* Its nodes know different lengths, so the choice must not depend on them: it is made as for blocks of one word. */
void
peal_alltoallv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *send, void *out,
                  const size_t *receive, const char *file, int line)
{
    struct call call = call_of(me, PEAL_ALLTOALL, NULL, 0, 0, file, line);
    struct peal_blocks from, to;

    check_list(&call, send, "the list of lengths to send");
    check_list(&call, receive, "the list of lengths to receive");
    enter(&call);
    from = cut(&call, send);
    to = cut(&call, receive);
    if (peal_blocks_begin(&from, call.situation.nodes) > 0)
        check_buffer(&call, in, "in");
    if (peal_blocks_begin(&to, call.situation.nodes) > 0)
        check_buffer(&call, out, "out");
    check_apart(&call, in, blocks_all(call.me, &from), out, blocks_all(call.me, &to), 0);
    call.situation.words = 1;
    choose(&call, algorithm)->run.alltoall(call.me, in, &from, out, &to);
    peal_leave(call.me);
}
