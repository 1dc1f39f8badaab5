/* SPDX-License-Identifier: MIT */
/* Turns the options of a collective into an exercise, with the usual size where none is given. */
#include "run/exercise.h"
#include <stdio.h>

/* The default words of a block. */
enum { DEFAULT_BLOCK = 4 };

static void
note_unused(enum peal_collective collective, bool given, const char *option, const char *why)
{
    if (given)
        fprintf(stderr, "peal: note: %s %s: %s is not used\n", peal_collective_name(collective), why, option);
}

void
exercise_notes(const struct command_request *request, enum peal_collective collective)
{
    const struct peal_form *form = peal_form_of(collective);
    bool barrier = form->out == PEAL_SIDE_NONE;

    note_unused(collective, barrier && request->has_block, "--block", "moves no data");
    note_unused(collective, barrier && request->has_words, "--words", "moves no data");
    note_unused(collective, request->has_root && !form->root, "--root", "has no root");
    note_unused(collective, request->op && !form->op, "--op", "combines nothing");
    note_unused(collective, request->has_by && !form->by, "--by", "does not shift");
    note_unused(collective, request->to && !form->to, "--to", "is for a whole group");
}

struct peal_exercise
exercise_of(const struct command_request *request, enum peal_collective collective)
{
    const struct peal_form *form = peal_form_of(collective);

    return (struct peal_exercise){
        .collective = collective,
        .root = form->root ? request->root : 0,
        .by = request->has_by ? request->by : 1,
        .to = form->to ? request->to : NULL,
        .to_count = request->to_count,
        .sizes = request->sizes,
        .size_count = request->size_count,
        .op = form->op && request->op ? peal_op_find(request->op) : NULL,
    };
}

enum peal_status
exercise_size(const struct command_request *request, enum peal_collective collective, size_t *words,
              struct peal_error *error)
{
    size_t nodes = (size_t)request->machine.nodes, m = DEFAULT_BLOCK, n;
    bool blocks = peal_collective_has_blocks(collective);

    *words = 0;
    if (peal_form_of(collective)->out == PEAL_SIDE_NONE)
        return PEAL_OK;
    if (request->usual_block > 0)
        m = (size_t)request->usual_block;
    if (request->has_block)
        m = request->block_words;
    if (__builtin_mul_overflow(m, nodes, &n))
        return peal_refuse(error, PEAL_USAGE, "--block %zu: %zu blocks of so many words are too many to count", m,
                           nodes);
    if (!blocks && request->usual_vector > 0 && !request->has_block)
        n = (size_t)request->usual_vector;
    if (request->has_words) {
        if (request->has_block && n != request->vector_words)
            return peal_refuse(error, PEAL_USAGE,
                               "--words %zu is not %zu blocks of --block %zu words, which are %zu; "
                               "one of the two is enough",
                               request->vector_words, nodes, m, n);
        n = request->vector_words;
        m = n / nodes;
        if (blocks && n % nodes != 0 && n <= SIZE_MAX - nodes)
            return peal_refuse(error, PEAL_USAGE,
                               "--words %zu: %zu nodes cannot have blocks of the same size; "
                               "%zu and %zu fit",
                               n, nodes, m * nodes, (m + 1) * nodes);
        if (blocks && n % nodes != 0)
            return peal_refuse(error, PEAL_USAGE,
                               "--words %zu: %zu nodes cannot have blocks of the same size; %zu fits", n, nodes,
                               m * nodes);
    }
    *words = blocks ? m : n;
    return PEAL_OK;
}
