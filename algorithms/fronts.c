/* SPDX-License-Identifier: MIT */
/* The calls of node programs: check what was asked, find or choose the algorithm, run it.
 *
 * What is wrong here is a failure of the run at the caller's line, so the algorithms check nothing. */
#include "blocks.h"
#include "catalog.h"
#include "choice.h"

/* One call: its situation, and where it was made.  Made only for what was not called so before: see `again`. */
struct call {
    struct peal_node *me; /* once begun, the node inside the collective */
    struct peal_node *caller;
    struct peal_situation situation;
    const char *file;
    int line;
};

/* What is run, and on which node. */
struct begun {
    struct peal_node *me;
    const struct peal_algorithm *algorithm;
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

/* Whether in and out, of so many words, do not overlap. */
static bool
are_apart(const struct peal_node *me, const void *in, size_t in_words, const void *out, size_t out_words)
{
    size_t word_bytes = peal_word_bytes(me);
    uintptr_t in_begin = (uintptr_t)in, out_begin = (uintptr_t)out;

    return in_words == 0 || out_words == 0 || in_begin + in_words * word_bytes <= out_begin
           || out_begin + out_words * word_bytes <= in_begin;
}

/* Whether both are there, if they have words, and apart. */
static bool
are_fine(const struct peal_node *me, const void *in, size_t in_words, const void *out, size_t out_words)
{
    return (in != NULL || in_words == 0) && (out != NULL || out_words == 0) && are_apart(me, in, in_words, out, out_words);
}

/* They must not, unless the smaller one is the node's own block of the other, which begins at word `own` of it;
 * PEAL_ALLTOALL and PEAL_SHIFT: in no way. */
static void
check_apart(const struct call *call, const void *in, size_t in_words, const void *out, size_t out_words, size_t own)
{
    uintptr_t in_begin = (uintptr_t)in, out_begin = (uintptr_t)out;
    bool in_place = peal_collective_allows_in_place(call->situation.collective)
                    && (in_words < out_words ? in_begin - out_begin : out_begin - in_begin) == own * peal_word_bytes(call->me);

    if (in_place || are_apart(call->me, in, in_words, out, out_words))
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

    if (algorithm != NULL && algorithm->loaded != NULL)
        peal_refuse(&error, PEAL_USAGE, "%s is a function of a file: call it by its own name", name);
    else if (algorithm == NULL)
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

static bool
reduces(enum peal_collective collective)
{
    return collective == PEAL_REDUCE || collective == PEAL_ALLREDUCE || collective == PEAL_REDUCE_SCATTER
           || collective == PEAL_SCAN || collective == PEAL_EXSCAN;
}

/* All that a choice in this group and run depends on, unless it is made for lists. */
static inline struct peal_asked
asked_of(enum peal_collective collective, const char *algorithm, const struct peal_op *op, size_t words, int root, int by)
{
    return (struct peal_asked){
        .collective = &called[collective],
        .algorithm = algorithm,
        .op = op != NULL ? op->name : NULL,
        .words = words,
        .root = root,
        .by = by,
        .traits = op != NULL ? op->commutative | (int)op->word_bytes << 1 : 0,
    };
}

/* Most calls are made over and over: enter one as it was entered before.  `fine`: there is nothing to say against its
 * buffers.  No node where it was not: the call is then made at length. */
static inline struct begun
again(struct peal_node *me, enum peal_collective collective, const char *algorithm, const struct peal_op *op, size_t words,
      int root, int by, bool fine, const char *file, int line)
{
    const struct peal_asked asked = asked_of(collective, algorithm, op, words, root, by);
    const void *plan = NULL;

    return (struct begun){.me = fine ? peal_enter_again(me, &asked, &plan, file, line) : NULL, .algorithm = plan};
}

/* Tell the machine what is called: it holds it against what the other nodes call.  All lengths of an all-to-all are known to
 * nobody: they are not compared. */
static void
agree(const struct call *call, const char *name, const struct choice *choice, bool fits)
{
    const struct peal_situation *situation = &call->situation;
    bool listed = situation->unequal || situation->collective == PEAL_MULTICAST;
    const struct peal_call told = {
        .collective = &called[situation->collective],
        .algorithm = fits ? choice->algorithm->name : name,
        .parameter = fits ? choice->parameter : 0,
        .op = situation->op != NULL ? situation->op->name : NULL,
        .words = situation->words,
        .list = listed ? list_of(situation) : 0,
        .root = situation->root,
        .by = situation->by,
        .unequal = situation->unequal,
    };

    peal_agree(call->caller, &told, call->file, call->line);
    if (fits && !listed) {
        const struct peal_asked asked = asked_of(situation->collective, name, situation->op, situation->words,
                                                 situation->root, situation->by);

        peal_remember(call->caller, &asked, &told, choice->algorithm);
    }
}

/* Find the algorithm of this name, or the cheapest, to be run on call->me.  Not inlined: what it needs of the stack is free
 * again when the algorithm runs. */
__attribute__((noinline)) static const struct peal_algorithm *
choose(struct call *call, const char *name)
{
    struct choice choice;

    bool fits = choice_make(&choice, &call->situation, name);

    agree(call, name, &choice, fits);
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

/* Make a call at length. */
__attribute__((noinline)) static struct begun
begin(struct peal_node *me, enum peal_collective collective, const char *algorithm, const struct peal_op *op, const void *a,
      size_t n, int root, const char *file, int line)
{
    struct call call = call_of(me, collective, op, n, root, file, line);

    check_root(&call);
    if (reduces(collective))
        check_op(&call);
    check_size(&call);
    check_buffer(&call, a, "a");
    enter(&call);
    return (struct begun){.algorithm = choose(&call, algorithm), .me = call.me};
}

/* The same of a vector that lies at a, or none. */
static inline struct begun
begin_again(struct peal_node *me, enum peal_collective collective, const char *algorithm, const struct peal_op *op,
            const void *a, size_t n, int root, const char *file, int line)
{
    struct begun call = again(me, collective, algorithm, op, n, root, 0, a != NULL || n == 0, file, line);

    return call.me != NULL ? call : begin(me, collective, algorithm, op, a, n, root, file, line);
}

void
peal_reduce_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n, int root,
               const char *file, int line)
{
    struct begun call = begin_again(me, PEAL_REDUCE, algorithm, op, a, n, root, file, line);

    call.algorithm->run.reduce(call.me, op, a, n, root);
    peal_leave(call.me);
}

void
peal_broadcast_at(struct peal_node *me, const char *algorithm, void *a, size_t n, int root, const char *file, int line)
{
    struct begun call = begin_again(me, PEAL_BROADCAST, algorithm, NULL, a, n, root, file, line);

    call.algorithm->run.broadcast(call.me, a, n, root);
    peal_leave(call.me);
}

void
peal_allreduce_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n,
                  const char *file, int line)
{
    struct begun call = begin_again(me, PEAL_ALLREDUCE, algorithm, op, a, n, 0, file, line);

    call.algorithm->run.allreduce(call.me, op, a, n);
    peal_leave(call.me);
}

void
peal_scan_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n, const char *file,
             int line)
{
    struct begun call = begin_again(me, PEAL_SCAN, algorithm, op, a, n, 0, file, line);

    call.algorithm->run.scan(call.me, op, a, n);
    peal_leave(call.me);
}

void
peal_exscan_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, void *a, size_t n,
               const char *file, int line)
{
    struct begun call = begin_again(me, PEAL_EXSCAN, algorithm, op, a, n, 0, file, line);

    call.algorithm->run.exscan(call.me, op, a, n);
    peal_leave(call.me);
}

void
peal_barrier_at(struct peal_node *me, const char *algorithm, const char *file, int line)
{
    struct begun call = begin_again(me, PEAL_BARRIER, algorithm, NULL, NULL, 0, 0, file, line);

    call.algorithm->run.barrier(call.me);
    peal_leave(call.me);
}

__attribute__((noinline)) static struct begun
begin_shift(struct peal_node *me, const char *algorithm, const void *in, size_t n, int by, const void *out, const char *file,
            int line)
{
    struct call call = call_of(me, PEAL_SHIFT, NULL, n, 0, file, line);

    check_size(&call);
    check_buffer(&call, in, "in");
    check_buffer(&call, out, "out");
    check_apart(&call, in, n, out, n, 0);
    call.situation.by = by;
    enter(&call);
    return (struct begun){.algorithm = choose(&call, algorithm), .me = call.me};
}

void
peal_shift_at(struct peal_node *me, const char *algorithm, const void *in, size_t n, int by, void *out, const char *file,
              int line)
{
    int P = peal_size(me), distance = (by % P + P) % P;
    struct begun call = again(me, PEAL_SHIFT, algorithm, NULL, n, 0, distance, are_fine(me, in, n, out, n), file, line);

    if (call.me == NULL)
        call = begin_shift(me, algorithm, in, n, distance, out, file, line);
    call.algorithm->run.shift(call.me, in, n, distance, out);
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

/* ------------------------------------------------------------------ collectives of blocks */

/* What the calls with equal and with unequal blocks have in common, from when the blocks are known. */
static struct begun
begin_scatter(struct call *call, const char *algorithm, const void *in, const struct peal_blocks *blocks, void *out)
{
    int rank = peal_rank(call->me);
    size_t own = peal_blocks_words(blocks, rank);

    if (rank == call->situation.root)
        check_buffer(call, in, "in");
    if (own > 0)
        check_buffer(call, out, "out");
    if (rank == call->situation.root)
        check_apart(call, in, blocks_all(call->me, blocks), out, own, peal_blocks_begin(blocks, rank));
    return (struct begun){.algorithm = choose(call, algorithm), .me = call->me};
}

void
peal_scatter_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, int root, void *out,
                const char *file, int line)
{
    size_t all = m * (size_t)peal_size(me);
    struct peal_blocks blocks = blocks_equal(m);
    bool fine = are_fine(me, in, peal_rank(me) == root ? all : 0, out, m);
    struct begun call = again(me, PEAL_SCATTER, algorithm, NULL, m, root, 0, fine, file, line);

    if (call.me == NULL) {
        struct call slow = call_of(me, PEAL_SCATTER, NULL, m, root, file, line);

        check_root(&slow);
        check_size(&slow);
        enter(&slow);
        call = begin_scatter(&slow, algorithm, in, &blocks, out);
    }
    call.algorithm->run.scatter(call.me, in, &blocks, root, out);
    peal_leave(call.me);
}

void
peal_scatterv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *words, int root, void *out,
                 const char *file, int line)
{
    struct call call = call_of(me, PEAL_SCATTER, NULL, 0, root, file, line);
    struct peal_blocks blocks;
    struct begun begun;

    check_root(&call);
    check_list(&call, words, "the list of lengths");
    enter(&call);
    blocks = cut(&call, words);
    call.situation.blocks = &blocks;
    begun = begin_scatter(&call, algorithm, in, &blocks, out);
    begun.algorithm->run.scatter(begun.me, in, &blocks, root, out);
    peal_leave(begun.me);
}

static struct begun
begin_gather(struct call *call, const char *algorithm, const void *in, const struct peal_blocks *blocks, void *out)
{
    int rank = peal_rank(call->me);
    size_t own = peal_blocks_words(blocks, rank);

    if (own > 0)
        check_buffer(call, in, "in");
    if (rank == call->situation.root)
        check_buffer(call, out, "out");
    if (rank == call->situation.root)
        check_apart(call, in, own, out, blocks_all(call->me, blocks), peal_blocks_begin(blocks, rank));
    return (struct begun){.algorithm = choose(call, algorithm), .me = call->me};
}

void
peal_gather_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, int root, void *out,
               const char *file, int line)
{
    size_t all = m * (size_t)peal_size(me);
    struct peal_blocks blocks = blocks_equal(m);
    bool fine = are_fine(me, in, m, out, peal_rank(me) == root ? all : 0);
    struct begun call = again(me, PEAL_GATHER, algorithm, NULL, m, root, 0, fine, file, line);

    if (call.me == NULL) {
        struct call slow = call_of(me, PEAL_GATHER, NULL, m, root, file, line);

        check_root(&slow);
        check_size(&slow);
        enter(&slow);
        call = begin_gather(&slow, algorithm, in, &blocks, out);
    }
    call.algorithm->run.gather(call.me, in, &blocks, root, out);
    peal_leave(call.me);
}

void
peal_gatherv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *words, int root, void *out,
                const char *file, int line)
{
    struct call call = call_of(me, PEAL_GATHER, NULL, 0, root, file, line);
    struct peal_blocks blocks;
    struct begun begun;

    check_root(&call);
    check_list(&call, words, "the list of lengths");
    enter(&call);
    blocks = cut(&call, words);
    call.situation.blocks = &blocks;
    begun = begin_gather(&call, algorithm, in, &blocks, out);
    begun.algorithm->run.gather(begun.me, in, &blocks, root, out);
    peal_leave(begun.me);
}

static struct begun
begin_allgather(struct call *call, const char *algorithm, const void *in, const struct peal_blocks *blocks, void *out)
{
    int rank = peal_rank(call->me);
    size_t own = peal_blocks_words(blocks, rank);

    if (own > 0)
        check_buffer(call, in, "in");
    check_buffer(call, out, "out");
    check_apart(call, in, own, out, blocks_all(call->me, blocks), peal_blocks_begin(blocks, rank));
    return (struct begun){.algorithm = choose(call, algorithm), .me = call->me};
}

void
peal_allgather_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, void *out, const char *file,
                  int line)
{
    size_t all = m * (size_t)peal_size(me);
    struct peal_blocks blocks = blocks_equal(m);
    bool fine = are_fine(me, in, m, out, all);
    struct begun call = again(me, PEAL_ALLGATHER, algorithm, NULL, m, 0, 0, fine, file, line);

    if (call.me == NULL) {
        struct call slow = call_of(me, PEAL_ALLGATHER, NULL, m, 0, file, line);

        check_size(&slow);
        enter(&slow);
        call = begin_allgather(&slow, algorithm, in, &blocks, out);
    }
    call.algorithm->run.allgather(call.me, in, &blocks, out);
    peal_leave(call.me);
}

void
peal_allgatherv_at(struct peal_node *me, const char *algorithm, const void *in, const size_t *words, void *out,
                   const char *file, int line)
{
    struct call call = call_of(me, PEAL_ALLGATHER, NULL, 0, 0, file, line);
    struct peal_blocks blocks;
    struct begun begun;

    check_list(&call, words, "the list of lengths");
    enter(&call);
    blocks = cut(&call, words);
    call.situation.blocks = &blocks;
    begun = begin_allgather(&call, algorithm, in, &blocks, out);
    begun.algorithm->run.allgather(begun.me, in, &blocks, out);
    peal_leave(begun.me);
}

static struct begun
begin_reduce_scatter(struct call *call, const char *algorithm, const void *in, const struct peal_blocks *blocks, void *out)
{
    int rank = peal_rank(call->me);
    size_t own = peal_blocks_words(blocks, rank);

    check_buffer(call, in, "in");
    if (own > 0)
        check_buffer(call, out, "out");
    check_apart(call, in, blocks_all(call->me, blocks), out, own, peal_blocks_begin(blocks, rank));
    return (struct begun){.algorithm = choose(call, algorithm), .me = call->me};
}

void
peal_reduce_scatter_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, const void *in, size_t m,
                       void *out, const char *file, int line)
{
    size_t all = m * (size_t)peal_size(me);
    struct peal_blocks blocks = blocks_equal(m);
    bool fine = are_fine(me, in, all, out, m);
    struct begun call = again(me, PEAL_REDUCE_SCATTER, algorithm, op, m, 0, 0, fine, file, line);

    if (call.me == NULL) {
        struct call slow = call_of(me, PEAL_REDUCE_SCATTER, op, m, 0, file, line);

        check_op(&slow);
        check_size(&slow);
        enter(&slow);
        call = begin_reduce_scatter(&slow, algorithm, in, &blocks, out);
    }
    call.algorithm->run.reduce_scatter(call.me, op, in, &blocks, out);
    peal_leave(call.me);
}

void
peal_reduce_scatterv_at(struct peal_node *me, const char *algorithm, const struct peal_op *op, const void *in,
                        const size_t *words, void *out, const char *file, int line)
{
    struct call call = call_of(me, PEAL_REDUCE_SCATTER, op, 0, 0, file, line);
    struct peal_blocks blocks;
    struct begun begun;

    check_op(&call);
    check_list(&call, words, "the list of lengths");
    enter(&call);
    blocks = cut(&call, words);
    call.situation.blocks = &blocks;
    begun = begin_reduce_scatter(&call, algorithm, in, &blocks, out);
    begun.algorithm->run.reduce_scatter(begun.me, op, in, &blocks, out);
    peal_leave(begun.me);
}

void
peal_alltoall_at(struct peal_node *me, const char *algorithm, const void *in, size_t m, void *out, const char *file,
                 int line)
{
    size_t all = m * (size_t)peal_size(me);
    struct peal_blocks blocks = blocks_equal(m);
    bool fine = are_fine(me, in, all, out, all);
    struct begun call = again(me, PEAL_ALLTOALL, algorithm, NULL, m, 0, 0, fine, file, line);

    if (call.me == NULL) {
        struct call slow = call_of(me, PEAL_ALLTOALL, NULL, m, 0, file, line);

        check_size(&slow);
        check_buffer(&slow, in, "in");
        check_buffer(&slow, out, "out");
        check_apart(&slow, in, all, out, all, 0);
        enter(&slow);
        call = (struct begun){.algorithm = choose(&slow, algorithm), .me = slow.me};
    }
    call.algorithm->run.alltoall(call.me, in, &blocks, out, &blocks);
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
