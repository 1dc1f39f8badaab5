/* SPDX-License-Identifier: MIT */
/* One front for all collectives: a call checks its arguments by the collective's row, finds or chooses the algorithm,
 * and runs it.
 *
 * Most calls are repeated.  Their short path is here, where the compiler knows the row and so omits what this
 * collective does not have: an empty call costs as much as a hand-written one.  A row includes this alone. */
#pragma once

#include "lib/collective/demand.h"
#include "lib/machine/site.h"
#include "lib/score/score_call.h"

/* Make a call by the long path: check it, find the algorithm (call->asked, "chain:16"; NULL: the cheapest), agree with
 * the other nodes, enter, run it.  What is not in the call is passed as separate arguments: so the short path keeps it
 * in registers, off the stacks of a million nodes.
 *
 *   errors   as in <peal/collective.h>; they fail the run at file and line, so algorithms check nothing */
void front_at_length(struct peal_node *me, const struct peal_form *form, struct peal_call *call, const char *file,
                     int line, const struct peal_op *op, const void *in, void *out, const int *to, int to_count);

/* The node's words on one side of a call with equal blocks: none, its own (or the vector), or all. */
static inline size_t
front_words(const struct peal_node *me, const struct peal_arguments *x, enum peal_side side)
{
    if (side == PEAL_SIDE_NONE || (side == PEAL_SIDE_ROOT_BLOCKS && peal_rank(me) != x->root))
        return 0;
    return side == PEAL_SIDE_BLOCK || side == PEAL_SIDE_VECTOR ? x->words : x->words * (size_t)peal_size(me);
}

/* Whether in and out, of this many words each, do not overlap. */
static inline bool
front_apart(const struct peal_node *me, const struct peal_arguments *x, size_t in_words, size_t out_words)
{
    uintptr_t in = (uintptr_t)x->in, out = (uintptr_t)x->out;

    return in_words == 0 || out_words == 0 || in + in_words * peal_word_bytes(me) <= out ||
           out + out_words * peal_word_bytes(me) <= in;
}

/* Whether the buffers are valid. */
static inline bool
front_is_plain(const struct peal_node *me, const struct peal_form *form, const struct peal_arguments *x)
{
    size_t in = front_words(me, x, form->in), out = front_words(me, x, form->out);

    return !form->to && x->lengths == NULL && (x->in != NULL || in == 0) && (x->out != NULL || out == 0) &&
           front_apart(me, x, in, out);
}

static inline struct peal_call
front_call(const struct peal_form *form, const struct peal_arguments *x, const char *name, int number)
{
    const struct peal_op *op = form->op ? x->op : NULL;

    return (struct peal_call){
        .form = form,
        .asked = name,
        .number = number,
        .op = op != NULL ? op->name : NULL,
        .traits = op != NULL ? op->commutative | (int)op->word_bytes << 1 : 0,
        .words = x->words,
        .root = form->root ? x->root : 0,
        .by = form->by ? x->by : 0,
        .unequal = form->unequal != NULL && x->lengths != NULL,
    };
}

/* The distance of a shift, upwards. */
static inline int
front_upwards(const struct peal_node *me, int by)
{
    int P = peal_size(me);

    return by >= 0 && by < P ? by : (by % P + P) % P;
}

/* Make a call of the collective with this row by the algorithm of this name; errors: as front_at_length. */
static inline void
front(struct peal_node *me, const struct peal_form *form, const char *algorithm, struct peal_arguments x,
      const char *file, int line)
{
    const struct peal_blocks blocks = {.words = x.words};
    struct peal_node *entered = NULL;

    if (form->by)
        x.by = front_upwards(me, x.by);
    struct peal_call call = front_call(form, &x, algorithm, 0);

    if (front_is_plain(me, form, &x))
        entered = peal_enter_cached(me, &call, file, line);
    if (entered == NULL) {
        front_at_length(me, form, &call, file, line, x.op, x.in, x.out, x.to, x.to_count);
        return;
    }
    if (!score_call(me, entered, &call, &x)) {
        form->run(entered, call.plan, &x, &blocks, &blocks);
        score_left(me);
    }
    peal_leave(entered);
}

/* Make a call that lists the lengths of its blocks, not NULL. */
void front_of_lists(struct peal_node *me, const struct peal_form *form, const char *algorithm, struct peal_arguments x,
                    const char *file, int line);

/* Define the call of a collective, which has these parameters besides those that all have, and puts them into struct
 * peal_arguments. */
#define FRONT(function, form, parameters, ...) FRONT_BY(front, function, form, parameters, __VA_ARGS__)
#define FRONT_OF_LISTS(function, form, parameters, ...)                                                                \
    FRONT_BY(front_of_lists, function, form, parameters, __VA_ARGS__)
#define FRONT_PARAMETERS(...) __VA_ARGS__
#define FRONT_BY(by, function, form, parameters, ...)                                                                  \
    void function(struct peal_node *me, const char *algorithm, FRONT_PARAMETERS parameters, const char *file,          \
                  int line)                                                                                            \
    {                                                                                                                  \
        const struct call_site site = passed_place(me, __builtin_return_address(0), file, line);                       \
                                                                                                                       \
        by(me, &(form), algorithm, (struct peal_arguments){__VA_ARGS__}, site.file, site.line);                        \
    }                                                                                                                  \
    struct peal_node

/* Define how a row runs an algorithm of the collective and how it calls a user's function, with these arguments. */
#define RUNS(name, ...) RUNS_BY(algorithm->run.name(__VA_ARGS__), function->name(__VA_ARGS__))
/* With arguments before and after the block: an algorithm gets blocks, a function the words of each or their list. */
#define RUNS_BLOCKS(name, before, ...)                                                                                 \
    RUNS_BY(algorithm->run.name(FRONT_PARAMETERS before, blocks, __VA_ARGS__),                                         \
            x->lengths != NULL ? function->name##v(FRONT_PARAMETERS before, x->lengths, __VA_ARGS__)                   \
                               : function->name(FRONT_PARAMETERS before, x->words, __VA_ARGS__))
#define RUNS_BY(an_algorithm, a_function)                                                                              \
    static void run(struct peal_node *me, const struct peal_algorithm *algorithm, const struct peal_arguments *x,      \
                    const struct peal_blocks *blocks, const struct peal_blocks *received)                              \
    {                                                                                                                  \
        (void)x, (void)blocks, (void)received;                                                                         \
        an_algorithm;                                                                                                  \
    }                                                                                                                  \
    static void call(struct peal_node *me, const union peal_check_function *function, const struct peal_arguments *x)  \
    {                                                                                                                  \
        (void)x;                                                                                                       \
        a_function;                                                                                                    \
    }                                                                                                                  \
    struct peal_node
