/* SPDX-License-Identifier: MIT */
/* The outcomes of an exploration: equal ones are one, with the orders that show it, and the text that says so. */
#include "lib/base/grow.h"
#include "lib/base/in_fortran.h"
#include "lib/base/text.h"
#include "lib/check/exploration.h"
#include <inttypes.h>
#include <peal/hints.h>
#include <stdlib.h>

static bool
same_outcome(const struct outcome *a, const struct outcome *b)
{
    return a->kind == b->kind && a->severity == b->severity && a->code == b->code && a->line == b->line &&
           strcmp(a->file, b->file) == 0;
}

int
outcomes_join(struct exploration *all, const struct outcome *outcome)
{
    for (size_t i = 0; i < all->count; i++)
        if (same_outcome(&all->list[i].outcome, outcome))
            return (int)i;
    if (all->count == MAX_OUTCOMES) {
        all->more = true;
        return -1;
    }
    all->list[all->count] = (struct explored_outcome){.outcome = *outcome};
    return (int)all->count++;
}

bool
outcome_keep_order(struct explored_outcome *one, const struct peal_order_run *run)
{
    size_t at = one->order_count;

    while (at > 0 && one->orders[at - 1].number > run->number)
        at--;
    if (at == MAX_ORDERS_KEPT)
        return true;
    int *list = malloc((run->choice_count + 1) * sizeof *list);

    if (!list || !grow_by_one(&one->orders, one->order_count, sizeof *one->orders)) {
        free(list);
        return false;
    }
    struct order_choices *orders = one->orders;

    memcpy(list, run->choices, run->choice_count * sizeof *list);
    memmove(&orders[at + 1], &orders[at], (one->order_count - at) * sizeof *orders);
    orders[at] = (struct order_choices){run->number, list, run->choice_count};
    if (one->order_count == MAX_ORDERS_KEPT)
        free(orders[MAX_ORDERS_KEPT].list);
    else
        one->order_count++;
    return true;
}

const struct order_choices *
outcome_order(const struct explored_outcome *one, uint64_t number)
{
    for (size_t i = 0; i < one->order_count; i++)
        if (one->orders[i].number == number)
            return &one->orders[i];
    return NULL;
}

/* ------------------------------------------------------------------ texts */

/* Whether the outcome depends on which node came first to memory, or a lock, and not on a message. */
static bool
choice_is_of_memory(const struct peal_order_choice *choice)
{
    return strncmp(choice->text, "is served", 9) == 0 || strstr(choice->text, "until another node asks");
}

/* Advise what to do about the choice; without one, or for one of locks, the outcome's own fix stays. */
static void
advise_order(const struct peal_order_choice *choice, struct peal_fault *told)
{
    const char *call = choice->call, *rule = peal_rule_of(PEAL_ORDER_DEPENDENT)->rule;
    const size_t bytes = sizeof told->fix;

    if (choice->line == 0)
        return;
    if (strncmp(call, "MPI_Wait", 8) == 0)
        snprintf(told->fix, bytes, PEAL_HINT(order_wait), call);
    else if (strncmp(call, "MPI_Test", 8) == 0 || strstr(call, "Iprobe") || strstr(call, "Improbe"))
        snprintf(told->fix, bytes, PEAL_HINT(order_test), call);
    else if (!choice_is_of_memory(choice))
        snprintf(told->fix, bytes, "%s", call[0] ? PEAL_HINT(order_receive) : PEAL_HINT(order_source));
    else if (!told->fix[0])
        snprintf(told->fix, bytes, "%s", PEAL_HINT(order_served));
    if (peal_is_fortran(choice->file))
        fortran_words(told->fix, bytes);
    if (!choice_is_of_memory(choice))
        snprintf(told->rule, sizeof told->rule, "%s", rule);
}

/* Put what the outcome depends on into its text. */
static void
outcome_report_order(const struct exploration *all, struct explored_outcome *one)
{
    const struct outcome *outcome = &one->outcome;
    const struct peal_order_choice *choice = &one->choice;
    struct peal_fault *told = &one->told.fault;
    struct peal_text text = empty_text(told->message, sizeof told->message);

    told->kind = PEAL_ORDER_DEPENDENT;
    if (choice->line > 0)
        peal_append(text, "%s of node %d %s, and ", choice->call[0] ? choice->call : "a receive", choice->node,
                    choice->text);
    peal_append(text, "the run %s %s: %s (in %" PRIu64 " of %" PRIu64 " orders; others are right)",
                outcome->severity == PEAL_SEVERITY_ERROR ? "ends with" : "has", peal_failure_name(outcome->kind),
                outcome->message, one->times, all->sum.orders);
    advise_order(choice, told);
}

/* Complete the text of an outcome: what it depends on, if on anything, and its places. */
static void
outcome_report(const struct exploration *all, struct explored_outcome *one)
{
    const struct outcome *outcome = &one->outcome;
    const struct peal_order_choice *choice = &one->choice;
    int count = 0;

    one->told = (struct peal_run_finding){.fault = outcome->fault, .places = one->places};
    if (choice->line > 0) {
        one->places[count++] = (struct peal_place){choice->node, choice->file, choice->line};
        one->told.rank = choice->node;
        one->told.line = choice->line;
        snprintf(one->told.file, sizeof one->told.file, "%s", choice->file);
    }
    for (int i = 0; i < outcome->place_count; i++) {
        const struct spot *spot = &outcome->places[i];

        one->places[count++] = (struct peal_place){spot->rank, spot->file[0] ? spot->file : NULL, spot->line};
    }
    one->told.place_count = count;
    if (one->depends)
        outcome_report_order(all, one);
}

/* By the number of the first order that shows it; the usual run comes first. */
static int
outcome_compare(const void *a, const void *b)
{
    const struct explored_outcome *x = a, *y = b;

    return x->first < y->first ? -1 : x->first > y->first;
}

void
outcomes_report(struct exploration *all)
{
    qsort(all->list, all->count, sizeof *all->list, outcome_compare);
    for (size_t i = 0; i < all->count; i++)
        outcome_report(all, &all->list[i]);
}

/* ------------------------------------------------------------------ all of them */

void
peal_exploration_fini(struct exploration *all)
{
    for (size_t i = 0; i < all->count; i++) {
        for (size_t j = 0; j < all->list[i].order_count; j++)
            free(all->list[i].orders[j].list);
        free(all->list[i].orders);
    }
    free(all->pair.order.list);
}

bool
peal_exploration_is_wrong(const struct exploration *all, bool strict)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].outcome.severity == PEAL_SEVERITY_ERROR || strict || all->list[i].depends)
            return true;
    return false;
}
