/* SPDX-License-Identifier: MIT */
/* All orders of arrival of a program: the messages that receives and probes from any source may take, and the answers
 * that peal_choose and peal_probe_now may give, one run for each.
 *
 * The caller makes the runs, each in a child process, as many at a time as it likes:
 *
 *     while ((order = peal_orders_next(orders)))       fork; in the child:
 *         peal_order_take(order, machine);                 before the run
 *         peal_order_end(order, machine);                  after it
 *     peal_orders_done(orders, order);                 in the parent, when the child has ended, however it did
 *
 * Orders that differ only in the order of independent matches are one: peal-check(1).  They come in waves: those of
 * wave n differ from the first order in n choices.  The orders, and their numbers, do not depend on how many are under
 * way at a time. */
#pragma once

/* The value of --choices that is an empty list: the first possible choice everywhere. */
#define FIRST_CHOICES "first"

#include "lib/base/private.h"
#include <peal/check.h>

struct peal_orders;
struct peal_order;

/* Begin with a program on `nodes` nodes, of which at most `most` runs are made.
 *
 *   owner    the caller destroys it, with no run under way
 *   errors   PEAL_RESOURCES                                                                         */
PEAL_PRIVATE struct peal_orders *peal_orders_create(int nodes, uint64_t most, struct peal_error *error);
PEAL_PRIVATE void peal_orders_destroy(struct peal_orders *orders);

/* Begin with one order alone, with the first possible choice after the list's end; borrows the list.  peal_order_choice
 * gives its choices. */
PEAL_PRIVATE struct peal_orders *peal_orders_given(int nodes, const int *choices, size_t count,
                                                   struct peal_error *error);

/* The next order to be run.  NULL: there are no more, or none until those under way are done; peal_orders_under_way
 * says which. */
PEAL_PRIVATE struct peal_order *peal_orders_next(struct peal_orders *orders);
PEAL_PRIVATE size_t peal_orders_under_way(const struct peal_orders *orders);

/* Call in the process that makes the run: before it, and after it if the run ended. */
PEAL_PRIVATE void peal_order_take(struct peal_order *order, struct peal_machine *machine);
PEAL_PRIVATE void peal_order_end(struct peal_order *order, struct peal_machine *machine);

/* The run of an order, when it is over. */
struct peal_order_run {
    uint64_t number;    /* from 1 */
    uint64_t from;      /* the number of the order that it differs from in one choice; 0: all first choices */
    size_t at;          /* the place of that choice in both lists */
    const int *choices; /* up to the last that was not the first possible one; owned by the order */
    size_t choice_count;
    bool cut; /* it was only the beginning of other runs: it shows nothing */
    /* it repeats the first order: the nodes whose choices follow exchange no messages with the others */
    bool repeats;
    bool misfit; /* a given choice was not possible: the number of choices before it is choice_count */
    bool strays; /* the choices of an earlier run were not possible: the program behaves differently each time */
    bool time_dependent; /* a node asked for the time, or cancelled: other timings are not explored */
    bool full;           /* it had more choices than could be kept */
};
PEAL_PRIVATE struct peal_order_run peal_order_run(const struct peal_order *order);

/* A choice of the run of a given order. */
struct peal_order_choice {
    int node;       /* that receives, waits or tests */
    int taken;      /* the sender, the request, or PEAL_CHOICE_* */
    char text[100]; /* the same in words: "takes what node 2 sent" */
    char call[40];
    char file[200]; /* of the receive; "": unknown */
    int line;
};
PEAL_PRIVATE const struct peal_order_choice *peal_order_choice(const struct peal_order *order, size_t number);

/* The run is over, and its result was read: the order no longer exists. */
PEAL_PRIVATE void peal_orders_done(struct peal_orders *orders, struct peal_order *order);

/* What was explored. */
struct peal_orders_sum {
    uint64_t runs, orders; /* orders: runs that were not cut, and no repetitions */
    bool all;              /* there are no others */
    bool bounded;          /* runs were left out, or are not over */
    int differing;         /* if so, all that differ from the first one in at most this many choices were run */
    bool noes_left;        /* calls could get "not yet" more often than was tried */
    int noes; /* if so, all in which each call in a node's code gets it at most this often were run; 0: not all */
};
PEAL_PRIVATE struct peal_orders_sum peal_orders_sum(const struct peal_orders *orders);
