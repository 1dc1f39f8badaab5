/* SPDX-License-Identifier: MIT */
/* The checks of a call, and the search for its algorithm.
 *
 * A fault found here is a failure of the run at the caller's line, so the algorithms check nothing. */
#include "lib/collective/fronts.h"
#include "lib/base/text.h"
#include "lib/collective/catalog.h"
#include "lib/machine/rules.h"
#include <peal/loaded.h>

/* A node's request.  An algorithm is given by its name or directly. */
struct fronts_request {
    struct peal_node *me;
    const struct peal_form *form;
    struct peal_arguments x;
    const struct peal_algorithm *algorithm;
    const char *file;
    int line;
};

/* ------------------------------------------------------------------ faults */

static void
check_root(const struct fronts_request *r)
{
    int root = r->x.root, nodes = peal_size(r->me);

    if (root < 0 || root >= nodes)
        peal_fail_at(r->me, PEAL_BAD_RANK, r->file, r->line,
                     "%s from root %d, which is out of range: ranks are 0 to %d", r->form->name, root, nodes - 1);
}

static void
check_op(const struct fronts_request *r)
{
    const struct peal_op *op = r->x.op;

    if (op == NULL)
        peal_fail_at(r->me, PEAL_BAD_REQUEST, r->file, r->line, "%s without an operator", r->form->name);
    if (op->word_bytes != peal_word_bytes(r->me))
        peal_fail_at(r->me, PEAL_BAD_SIZE, r->file, r->line,
                     "%s by %s, which works on words of %zu bytes: this machine's have %zu", r->form->name, op->name,
                     op->word_bytes, peal_word_bytes(r->me));
}

/* The bytes of the whole vector must fit in a size_t. */
static void
front_check_size(const struct fronts_request *r)
{
    size_t blocks = r->form->unequal != NULL ? (size_t)peal_size(r->me) : 1;
    size_t most = PTRDIFF_MAX / peal_word_bytes(r->me) / blocks;

    if (r->x.words > most) {
        node_advise_length(r->me, r->x.words);
        peal_fail_at(r->me, PEAL_BAD_SIZE, r->file, r->line,
                     "%s of %zu words%s: at most %zu words of %zu bytes fit in memory", r->form->name, r->x.words,
                     blocks > 1 ? " a block" : "", most, peal_word_bytes(r->me));
    }
}

/* `longest`: the words of a vector or of the longest block. */
static void
check_buffer(const struct fronts_request *r, const void *buffer, size_t words, size_t longest, const char *what)
{
    if (buffer == NULL && words > 0)
        peal_fail_at(r->me, PEAL_BAD_SIZE, r->file, r->line, "%s: %s is NULL, with %zu word%s", r->form->name, what,
                     longest, plural(longest));
}

static void
check_list(const struct fronts_request *r, const void *list, const char *what)
{
    if (list == NULL)
        peal_fail_at(r->me, PEAL_BAD_REQUEST, r->file, r->line, "%s: %s is NULL", r->form->name, what);
}

/* The ranks of a list must be in range, each once. */
static void
front_check_ranks(const struct fronts_request *r)
{
    int count = r->x.to_count, nodes = peal_size(r->me);
    struct peal_error error;

    if (count != 0 && count != nodes)
        check_list(r, r->x.to, "the list of ranks");
    if (r->x.to != NULL && catalog_check_ranks(r->x.to, count, nodes, &error) != PEAL_OK)
        peal_fail_at(r->me, PEAL_BAD_RANK, r->file, r->line, "%s: %s", r->form->name, error.text);
}

/* in and out must not overlap, unless the smaller one is the node's own block of the other, which begins at word `own`,
 * if the row allows that. */
static void
check_apart(const struct fronts_request *r, size_t in_words, size_t out_words, size_t own)
{
    uintptr_t in = (uintptr_t)r->x.in, out = (uintptr_t)r->x.out;

    if (front_apart(r->me, &r->x, in_words, out_words) ||
        (r->form->in_place && (in_words < out_words ? in - out : out - in) == own * peal_word_bytes(r->me)))
        return;
    if (r->form->in_place)
        peal_fail_at(r->me, PEAL_BAD_REQUEST, r->file, r->line,
                     "%s: in, %zu word%s, and out, %zu word%s, overlap; they may only where one is block %d, the "
                     "node's own, of the other",
                     r->form->name, in_words, plural(in_words), out_words, plural(out_words), peal_rank(r->me));
    peal_fail_at(r->me, PEAL_BAD_REQUEST, r->file, r->line,
                 "%s: in, %zu word%s, and out, %zu word%s, overlap; it needs separate buffers", r->form->name, in_words,
                 plural(in_words), out_words, plural(out_words));
}

/* Fail because the algorithm is unknown, or does not fit.  A separate function, since the text is long and stacks are
 * small. */
__attribute__((noinline, noreturn)) static void
refuse(const struct fronts_request *r, const struct peal_algorithm *algorithm, const struct peal_situation *situation,
       const char *name)
{
    struct peal_error error;

    if (algorithm != NULL && algorithm->loaded != NULL)
        peal_refuse(&error, PEAL_USAGE, "%s is a function of a file: call it by its own name", name);
    else if (algorithm == NULL)
        peal_algorithm_check(situation->collective, name, &error);
    else
        peal_algorithm_fits(algorithm, situation, &error);
    peal_fail_at(r->me, PEAL_BAD_REQUEST, r->file, r->line, "%s", error.text);
}

/* ------------------------------------------------------------------ sizes and lists */

/* A hash of a list, which depends on its order; never 0. */
static uint64_t
front_hash(uint64_t number, uint64_t next)
{
    uint64_t x = (number ^ next) * UINT64_C(0x9e3779b97f4a7c15);

    return (x ^ x >> 32) | 1;
}

/* Add up a list of lengths, which must fit in a size_t; *longest is the longest one, and *list a hash of them. */
static size_t
add_up(const struct fronts_request *r, const size_t *words, size_t *longest, uint64_t *list)
{
    size_t all = 0, word_bytes = peal_word_bytes(r->me), most = PTRDIFF_MAX / word_bytes;

    *longest = 0;
    *list = 1;
    for (int i = 0; i < peal_size(r->me); i++) {
        if (words[i] > most - all) {
            node_advise_length(r->me, words[i]);
            peal_fail_at(r->me, PEAL_BAD_SIZE, r->file, r->line,
                         "%s: %zu words in block %d, and %zu before it: at most %zu words of %zu bytes fit in memory",
                         r->form->name, words[i], i, all, most, word_bytes);
        }
        all += words[i];
        *longest = words[i] > *longest ? words[i] : *longest;
        *list = front_hash(*list, words[i]);
    }
    return all;
}

/* The node's words on one side of a call with blocks of these lengths. */
static size_t
front_side_words(const struct fronts_request *r, enum peal_side side, const size_t *lengths, size_t all)
{
    if (side == PEAL_SIDE_ROOT_BLOCKS && peal_rank(r->me) != r->x.root)
        return 0;
    return side == PEAL_SIDE_BLOCK ? lengths[peal_rank(r->me)] : all;
}

/* A hash of the caller's list of ranks; 0 for all ranks in order. */
static uint64_t
hash_ranks(const struct fronts_request *r)
{
    uint64_t number = 1;
    bool all = r->x.to_count == peal_size(r->me);

    for (int i = 0; r->x.to != NULL && i < r->x.to_count; i++) {
        number = front_hash(number, (uint64_t)r->x.to[i]);
        all = all && r->x.to[i] == i;
    }
    return all ? 0 : number;
}

/* Cut a vector into blocks of the given lengths.  Their begins belong to the entered call until it leaves. */
static struct peal_blocks
front_cut_blocks(struct peal_node *entered, const size_t *words)
{
    size_t nodes = (size_t)peal_size(entered), word_bytes = peal_word_bytes(entered);
    size_t *begins = peal_scratch(entered, ((nodes + 1) * sizeof *begins + word_bytes - 1) / word_bytes);

    begins[0] = 0;
    for (size_t i = 0; i < nodes; i++)
        begins[i + 1] = begins[i] + words[i];
    return (struct peal_blocks){.begins = begins};
}

/* ------------------------------------------------------------------ a call */

/* Refuse an invalid call; fill in what the lists determine.  The nodes of an all-to-all know different lengths, so the
 * choice must not depend on them: it is made as for blocks of one word. */
static void
front_check(const struct fronts_request *r, struct peal_call *call)
{
    const struct peal_form *form = r->form;
    const struct peal_arguments *x = &r->x;
    bool pairs = form->in == PEAL_SIDE_PAIRS;
    size_t in = front_words(r->me, x, form->in), out = front_words(r->me, x, form->out), own = 0, all;

    if (form->root)
        check_root(r);
    if (form->op)
        check_op(r);
    if (call->unequal) {
        all = add_up(r, x->lengths, &call->words, &call->list);
        in = front_side_words(r, form->in, x->lengths, all);
        out = pairs ? add_up(r, x->receive, &own, &call->list) : front_side_words(r, form->out, x->lengths, all);
    } else {
        front_check_size(r);
    }
    check_buffer(r, x->in, in, call->words, "in");
    check_buffer(r, x->out, out, call->words, form->in == PEAL_SIDE_NONE ? "a" : "out");
    if (form->to) {
        front_check_ranks(r);
        call->list = hash_ranks(r);
    }
    own = call->unequal ? 0 : x->words * (size_t)peal_rank(r->me);
    for (int i = 0; call->unequal && i < peal_rank(r->me); i++)
        own += x->lengths[i];
    if (form->in != PEAL_SIDE_NONE)
        check_apart(r, in, out, own);
    if (call->unequal && pairs) {
        call->words = 1;
        call->list = 1;
    }
}

/* Everything that a choice may depend on.  It is the same on every node of the group, so all nodes choose the same
 * algorithm. */
static struct peal_situation
situation_of(const struct fronts_request *r, const struct peal_call *call)
{
    struct peal_situation situation =
        peal_situation_on(peal_node_options(r->me), peal_is_world(r->me) ? peal_node_network(r->me) : NULL);

    situation.collective = form_collective(r->form);
    situation.nodes = peal_size(r->me);
    situation.shape = (struct peal_shape){call->root, call->by, r->x.to, r->x.to_count, call->words};
    situation.unequal = call->unequal;
    situation.op = r->form->op ? r->x.op : NULL;
    situation.parameter = call->number;
    return situation;
}

/* Find the algorithm, and agree with the other nodes on the call, even if it is refused afterwards.  Not inlined: its
 * stack is free again when the algorithm runs. */
__attribute__((noinline)) static void
choose(const struct fronts_request *r, struct peal_call *call)
{
    struct peal_situation situation = situation_of(r, call);
    const struct peal_algorithm *algorithm = r->algorithm;
    bool fits;

    if (algorithm == NULL && call->asked == NULL)
        algorithm = peal_algorithm_choose(&situation);
    else if (algorithm == NULL)
        algorithm = peal_algorithm_parse(situation.collective, call->asked, &situation.parameter);
    fits =
        algorithm != NULL && algorithm->loaded == NULL && peal_algorithm_fits(algorithm, &situation, NULL) == PEAL_OK;
    call->algorithm = fits ? algorithm->name : call->asked;
    call->plan = fits ? algorithm : NULL;
    call->parameter = fits ? peal_algorithm_parameter(algorithm, &situation) : 0;
    peal_declare_call(r->me, call, r->file, r->line);
    if (!fits)
        refuse(r, algorithm, &situation, call->asked);
}

/* Not inlined either. */
__attribute__((noinline)) static struct peal_node *
begin(const struct fronts_request *r, struct peal_call *call)
{
    struct peal_node *me;

    front_check(r, call);
    me = peal_enter_cached(r->me, call, r->file, r->line);
    if (me == NULL) {
        choose(r, call);
        me = peal_enter(r->me, r->form->name, r->file, r->line);
        if (call->parameter > 0)
            me->parameter = call->parameter;
    }
    return me;
}

/* The long path, with an algorithm that may be given. */
static void
front_make_call(struct peal_node *me, const struct peal_form *form, struct peal_arguments *x,
                const struct peal_algorithm *algorithm, struct peal_call *call, const char *file, int line)
{
    struct peal_node *entered = begin(&(struct fronts_request){me, form, *x, algorithm, file, line}, call);
    struct peal_arguments own = *x;

    if (score_call(me, entered, call, &own)) {
        peal_leave(entered);
        return;
    }
    struct peal_blocks blocks =
        call->unequal ? front_cut_blocks(entered, x->lengths) : (struct peal_blocks){.words = x->words};
    struct peal_blocks received =
        call->unequal && form->in == PEAL_SIDE_PAIRS ? front_cut_blocks(entered, x->receive) : blocks;

    form->run(entered, call->plan, &own, &blocks, &received);
    score_left(me);
    peal_leave(entered);
}

void
front_at_length(struct peal_node *me, const struct peal_form *form, struct peal_call *call, const char *file, int line,
                const struct peal_op *op, const void *in, void *out, const int *to, int to_count)
{
    struct peal_arguments x = {
        .op = op, .in = in, .out = out, .shape = {call->root, call->by, to, to_count, call->words}};

    front_make_call(me, form, &x, NULL, call, file, line);
}

void
front_of_lists(struct peal_node *me, const struct peal_form *form, const char *algorithm, struct peal_arguments x,
               const char *file, int line)
{
    const struct fronts_request r = {.me = me, .form = form, .x = x, .file = file, .line = line};
    struct peal_call call = front_call(form, &x, algorithm, 0);
    bool pairs = form->in == PEAL_SIDE_PAIRS;

    check_list(&r, x.lengths, pairs ? "the list of lengths to send" : "the list of lengths");
    if (pairs)
        check_list(&r, x.receive, "the list of lengths to receive");
    front_make_call(me, form, &x, NULL, &call, file, line);
}

/* Make a call by an algorithm of the catalogue, or by the cheapest. */
static void
call_resolved(struct peal_node *me, const struct peal_form *form, const struct peal_callee *callee,
              struct peal_arguments x)
{
    const struct peal_algorithm *algorithm = callee->algorithm;

    if (form->by)
        x.by = front_upwards(me, x.by);
    struct peal_call call = front_call(form, &x, algorithm != NULL ? algorithm->name : NULL, callee->parameter);

    front_make_call(me, form, &x, algorithm, &call, __FILE__, __LINE__);
}

void
peal_make_call(struct peal_node *me, const struct peal_form *form, const struct peal_callee *callee,
               const struct peal_arguments *arguments)
{
    const struct peal_algorithm *algorithm = callee->algorithm;

    if (callee->function != NULL)
        form->call(me, callee->function, arguments);
    else if (algorithm != NULL && algorithm->loaded != NULL)
        algorithm->loaded->call(algorithm->loaded, me, form, arguments);
    else
        call_resolved(me, form, callee, *arguments);
}
