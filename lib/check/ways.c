/* SPDX-License-Identifier: MIT */
/* Which ways of calling a function there are. */
#include "lib/check/ways.h"
#include "lib/check/cases.h"
#include "lib/labels/labels.h"

/* The bits of the ways, with short names for the table. */
enum {
    T = PEAL_CALL_TWICE,
    G = PEAL_CALL_IN_GROUP,
    C = PEAL_CALL_TWO_COMMS,
    H = PEAL_CALL_HALVES,
    V = PEAL_CALL_OVERLAP,
    S = PEAL_CALL_SPACED,
    X = PEAL_CALL_STRUCT,
    GAPS = PEAL_CALL_GAPS,
    N = PEAL_CALL_GIVEN,
    O = CALLS_OTHER_FIRST
};

static const unsigned alone[] = {PEAL_CALL_ONCE, T, G, S, X, GAPS, C, H, V, N, T | O};

/* A fault may need two things that are harmless alone, as a buffer in place and gaps between blocks.  So the single
 * ways are followed by the rows of a covering array of strength 2: each compatible pair is in some row.  For a function
 * that cannot be called in some ways, those are left out of the rows, which still have all other pairs.
 *
 * Each way of two calls, or of a group, is in a row with each datatype; each pair of the rest is in one of these rows.
 * Nothing is empty there, so that a fault shows; empty sizes have their own rows. */
static const struct called_way pairs[] = {{T | S | GAPS | O, false, true, CALLED_LONG, true},
                                          {T | X | N, true, true, CALLED_SHORT, false},
                                          {G | S | N, false, true, CALLED_SHORT, true},
                                          {G | X | GAPS, true, true, CALLED_LONG, false},
                                          {C | S | GAPS, true, true, CALLED_SHORT, false},
                                          {C | X | N | O, false, true, CALLED_LONG, true},
                                          {H | S | O, true, true, CALLED_LONG, false},
                                          {H | X | GAPS | N, false, true, CALLED_SHORT, true},
                                          {V | S | GAPS | N, false, true, CALLED_LONG, false},
                                          {V | X | O, true, true, CALLED_SHORT, true},
                                          {T | S | N | O, false, true, CALLED_EMPTY, false},
                                          {G | X | GAPS | N, false, true, CALLED_EMPTY, true},
                                          {C | X | GAPS | O, false, true, CALLED_EMPTY, false},
                                          {H | S | GAPS | N, false, true, CALLED_EMPTY, true},
                                          {V | X | GAPS | N | O, false, true, CALLED_EMPTY, false}};

bool
ways_one_buffer(const struct peal_check *check)
{
    return check->arguments && !strstr(check->arguments, "sendbuf");
}

bool
ways_allow_in_place(const struct peal_check *check)
{
    if (check->program || !check->mpi)
        return !check->program && peal_collective_allows_in_place(check->collective);
    return check->collective != PEAL_BROADCAST && check->collective != PEAL_BARRIER && !ways_one_buffer(check);
}

/* Whether the function is given this argument. */
static bool
takes(const struct peal_check *check, const char *argument)
{
    return !check->arguments || strstr(check->arguments, argument);
}

/* Whether the function is given a datatype, and of a reduction an operator, that need not be MPI's own. */
static bool
takes_types(const struct peal_check *check)
{
    return !check->element && peal_form_of(check->collective)->out != PEAL_SIDE_NONE && takes(check, "type") &&
           (!check->arguments || !peal_collective_has_op(check->collective) || !check->op);
}

/* Whether the call says where blocks begin, which need not follow one another. */
static bool
takes_displacements(const struct peal_check *check)
{
    return check->unequal && !check->element && !peal_collective_has_op(check->collective) &&
           (takes(check, "displs") || takes(check, "bytes"));
}

/* Whether the function is given a buffer that only the root's call needs. */
static bool
takes_needless_buffer(const struct peal_check *check)
{
    const struct peal_form *form = peal_form_of(check->collective);
    const bool sends = form->in == PEAL_SIDE_ROOT_BLOCKS;

    return form->root && !ways_one_buffer(check) && takes(check, sends ? "sendbuf" : "recvbuf") &&
           (sends || form->op || form->out == PEAL_SIDE_ROOT_BLOCKS);
}

/* The ways that only a function for MPI has. */
static unsigned
ways_of_mpi(const struct peal_check *check)
{
    return (takes(check, "comm") ? C | H | V : 0) | (takes_types(check) ? S | X : 0) |
           (takes_displacements(check) ? GAPS : 0) | (takes_needless_buffer(check) ? N : 0);
}

unsigned
ways_kinds(const struct peal_check *check)
{
    const struct peal_form *form = peal_form_of(check->collective);
    const bool words = form->out != PEAL_SIDE_NONE;

    if (check->program || check->identical)
        return 0;
    return (unsigned)(T | (check->mpi ? ways_of_mpi(check) : 0) | (!check->mpi || takes(check, "comm") ? G : 0) |
                      (form->root || form->by ? PEAL_CALL_ROOTS | 1 << PEAL_KIND_ROOT : 0) |
                      (words ? PEAL_CALL_SIZES | 1 << PEAL_KIND_EMPTY : 0) |
                      (check->unequal ? 1 << PEAL_KIND_UNEQUAL : 0) |
                      (ways_allow_in_place(check) ? 1 << PEAL_KIND_IN_PLACE : 0));
}

/* The ways that are tried with `nodes` nodes where none is asked for. */
static unsigned
ways_tried(const struct peal_check *check, int nodes)
{
    const bool words_given = check->has_words || check->words_list || check->sizes,
               root_given = peal_form_of(check->collective)->by ? check->has_by : check->has_root || check->roots;
    unsigned ways = ways_kinds(check) & CALLS_ALL;

    if (words_given)
        ways &= ~(unsigned)PEAL_CALL_SIZES;
    if (root_given || nodes == 1)
        ways &= ~(unsigned)PEAL_CALL_ROOTS;
    if (check->contiguous)
        ways &= ~(unsigned)CALLS_TYPES;
    if (check->topology) /* which is one of P nodes */
        ways &= ~(unsigned)CALLS_MORE_NODES;
    if (2 * nodes > LABEL_EARLIER)
        ways &= ~(unsigned)H;
    if (nodes == 1)
        ways &= ~(unsigned)N;
    return ways;
}

bool
ways_fit(const struct peal_check *check, int nodes, unsigned call, const char **why)
{
    const unsigned without = call & ~ways_kinds(check), on = call & (CALLS_TWO | CALLS_MORE_NODES);
    static const char *ignored;

    const bool gaps_in_types = check->contiguous && call & CALLS_TYPES;

    *(why ? why : &ignored) = gaps_in_types               ? ", which takes contiguous datatypes"
                              : without & GAPS            ? ", which is given no displacements"
                              : without & CALLS_TYPES     ? ", which is given no datatype"
                              : !check->mpi && without    ? ", which is not one for MPI"
                              : without & CALLS_ON_OTHERS ? ", which is given no communicator"
                                                          : "";
    return !without && !gaps_in_types && (on & (on - 1)) == 0 && (call & CALLS_TYPES) != CALLS_TYPES &&
           (!(call & CALLS_OTHER_FIRST) || (call & CALLS_TWO)) && !(call & H && 2 * nodes > LABEL_EARLIER);
}

/* Add the part of the way that this check can have, unless it is empty or already listed. */
static int
add_way(struct called_way ways[MAX_WAYS], int count, struct called_way way, unsigned tried)
{
    way.call &= tried;
    if (!(way.call & CALLS_TWO))
        way.call &= ~(unsigned)CALLS_OTHER_FIRST;
    if (way.call == PEAL_CALL_ONCE)
        return count;
    for (int i = 0; i < count; i++) {
        const struct called_way *known = &ways[i];

        if (known->call == way.call && known->in_place == way.in_place &&
            (!way.combined || (way.size != CALLED_EMPTY && !known->in_place && !known->combined) ||
             (known->combined && known->size == way.size)))
            return count;
    }
    ways[count] = way;
    return count + 1;
}

int
ways_list(const struct peal_check *check, int nodes, struct called_way ways[MAX_WAYS])
{
    const bool single = check->choices || check->has_words || check->sizes || (check->has_ports && check->has_delivery);
    const unsigned tried = ways_tried(check, nodes);
    const bool places = check->buffers == PEAL_BUFFERS_DEFAULT || check->buffers == PEAL_BUFFERS_BOTH;
    int count = 1;

    ways[0] = (struct called_way){.call = check->has_call && nodes <= check->nodes_to ? check->call : PEAL_CALL_ONCE};
    if (check->program || check->identical || check->has_call || single || nodes > check->nodes_to || nodes > MAX_AGAIN)
        return count;
    for (size_t i = 1; i < sizeof alone / sizeof *alone; i++)
        count = add_way(ways, count, (struct called_way){.call = alone[i]}, tried);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && peal_form_of(check->collective)->out != PEAL_SIDE_NONE;
         i++) {
        struct called_way way = pairs[i];

        way.in_place &= places && ways_allow_in_place(check);
        if (way.in_place && peal_form_of(check->collective)->out == PEAL_SIDE_PAIRS)
            way.size = CALLED_EVEN;
        count = add_way(ways, count, way, tried);
    }
    return count;
}
