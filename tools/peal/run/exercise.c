/* SPDX-License-Identifier: MIT */
/* Turns the options of a collective into an exercise, with the usual size where none is given. */
#include "run/target.h"

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

    note_unused(collective, barrier && option_given(request, "block"), "--block", "moves no data");
    note_unused(collective, barrier && option_given(request, "words"), "--words", "moves no data");
    bool late = request->check && form->waits; /* in a check --root is the node that comes late */
    note_unused(collective, option_given(request, "root") && !form->root && !late, "--root", "has no root");
    note_unused(collective, request->call.op && !form->op, "--op", "combines nothing");
    note_unused(collective, option_given(request, "by") && !form->by, "--by", "does not shift");
    note_unused(collective, request->call.to.list && !form->to, "--to", "is for a whole group");
}

struct peal_exercise
exercise_of(const struct command_request *request, enum peal_collective collective)
{
    const struct peal_form *form = peal_form_of(collective);

    return (struct peal_exercise){
        .collective = collective,
        .root = form->root ? request->call.root : 0,
        .by = option_given(request, "by") ? request->call.by : 1,
        .to = form->to ? request->call.to.list : NULL,
        .to_count = request->call.to.count,
        .sizes = request->call.sizes,
        .size_count = request->call.size_count,
        .op = form->op && request->call.op ? peal_op_find(request->call.op) : NULL,
    };
}

enum peal_status
exercise_size(const struct command_request *request, enum peal_collective collective, size_t *words,
              struct peal_error *error)
{
    int nodes = request->machine.nodes;
    bool vector = !peal_collective_has_blocks(collective) && request->usual_vector > 0; /* usually */
    size_t m = option_given(request, "block") ? request->call.block_words
               : request->usual_block > 0     ? (size_t)request->usual_block
                                              : DEFAULT_BLOCK;
    enum peal_status status = PEAL_OK;

    if (option_given(request, "block") || !(option_given(request, "words") || vector))
        status = peal_size_words(collective, nodes, true, m, words, error);
    if (status != PEAL_OK || !(option_given(request, "words") || vector) ||
        (option_given(request, "block") && !option_given(request, "words")))
        return status;
    if (option_given(request, "block") && m * (size_t)nodes != request->call.vector_words &&
        peal_form_of(collective)->out != PEAL_SIDE_NONE)
        return peal_refuse(error, PEAL_USAGE,
                           "--words %zu is not %d blocks of --block %zu words, which are %zu; "
                           "one of the two is enough",
                           request->call.vector_words, nodes, m, m * (size_t)nodes);
    return peal_size_words(collective, nodes, false,
                           option_given(request, "words") ? request->call.vector_words : (size_t)request->usual_vector,
                           words, error);
}
