/* SPDX-License-Identifier: MIT */
/* Lists the answers that open questions may have, for the explorer to choose from, and gives the chosen one.  Called
 * by the maker of a round when nothing else can move. */
#include "lib/check/answers.h"
#include "lib/base/text.h"
#include "lib/machine/machine.h"
#include "lib/round/match.h"
#include <limits.h>

enum { MAX_SUBSETS = 10 }; /* with at most this many complete requests all subsets are tried */

/* A call in the code at which a node was answered "not yet": how often by choice, and in total. */
struct refused {
    int node, line;
    const char *file;
    int chosen, all;
};

/* ------------------------------------------------------------------ "not yet" */

static bool
may_say_no(const struct node_question *question)
{
    return !question->pick || question->pick->tests;
}

/* The entry of the node's call; NULL: it was never answered "not yet". */
static struct refused *
find_refused(const struct explorer *explorer, int node, const struct node_question *question)
{
    for (size_t i = 0; i < explorer->refused_count; i++)
        if (explorer->refused[i].node == node && explorer->refused[i].line == question->line &&
            explorer->refused[i].file == question->file)
            return &explorer->refused[i];
    return NULL;
}

/* The level of answering "not yet" now. */
static int
level_of_no(const struct explorer *explorer, int node, const struct node_question *question)
{
    const struct refused *refused = find_refused(explorer, node, question);

    return refused ? refused->chosen + 1 : 1;
}

static void
note_no(struct explorer *explorer, int node, const struct node_question *question, bool chosen)
{
    struct refused *refused = find_refused(explorer, node, question);

    if (!refused) {
        if (!array_grow(&explorer->refused, &explorer->refused_room, explorer->refused_count + 1,
                        sizeof *explorer->refused)) {
            explorer->no_memory = true;
            return;
        }
        refused = &explorer->refused[explorer->refused_count++];
        *refused = (struct refused){node, question->line, question->file, 0, 0};
    }
    refused->chosen += chosen;
    refused->all++;
}

/* ------------------------------------------------------------------ offers */

static void
offer(struct explorer *explorer, int node, struct round_option option, int choice)
{
    if (!array_grow(&explorer->offers, &explorer->offer_room, explorer->offer_count + 1, sizeof *explorer->offers)) {
        explorer->no_memory = true;
        return;
    }
    explorer->offers[explorer->offer_count++] = (struct offer){option, node, choice, true, 0, false};
}

void
answers_offer_no(struct explorer *explorer, const struct peal_machine *machine, int node)
{
    const struct node_question *question = machine->nodes[node].question;

    if (question->no_asleep || !may_say_no(question))
        return;
    offer(explorer, node, (struct round_option){0}, PEAL_CHOICE_NOT_YET);
    if (!explorer->no_memory)
        explorer->offers[explorer->offer_count - 1].level = level_of_no(explorer, node, question);
}

static bool
is_complete(const struct peal_machine *machine, const struct peal_pickable *one)
{
    for (int i = 0; i < 2; i++)
        if (one->handles[i].slot != 0 && !(machine->requests[one->handles[i].slot].flags & REQUEST_COMPLETE))
            return false;
    return one->open;
}

/* The requests of a call, counted. */
struct counts {
    int open, complete, seen; /* seen: complete, and asleep */
};

static struct counts
count_requests(const struct peal_machine *machine, const struct peal_pick *pick)
{
    struct counts counts = {0};

    for (int i = 0; i < pick->count; i++) {
        bool complete = is_complete(machine, &pick->list[i]);

        counts.open += pick->list[i].open;
        counts.complete += complete;
        counts.seen += complete && pick->list[i].seen;
    }
    return counts;
}

static uint64_t
subsets_of(int count)
{
    return count < 63 ? (UINT64_C(1) << count) - 1 : UINT64_MAX - 1;
}

/* Whether the subset, a bit each, has the complete request of this number among them; subsets are of the first ones. */
static bool
subset_has(int subset, int number)
{
    return number < MAX_SUBSETS && subset >> number & 1;
}

/* Whether a subset of the complete requests has one that is not asleep. */
static bool
is_awake(const struct peal_machine *machine, const struct peal_pick *pick, int subset)
{
    int number = 0;

    for (int i = 0; i < pick->count; i++)
        if (is_complete(machine, &pick->list[i]) && subset_has(subset, number++) && !pick->list[i].seen)
            return true;
    return false;
}

static void
offer_subsets(struct explorer *explorer, const struct peal_machine *machine, int node, int complete)
{
    const struct peal_pick *pick = machine->nodes[node].question->pick;
    int most = complete < MAX_SUBSETS ? complete : MAX_SUBSETS;

    explorer->partial |= complete > most;
    offer(explorer, node, (struct round_option){0}, PEAL_CHOICE_ALL);
    for (int subset = 1; (uint64_t)subset < subsets_of(complete) && (uint64_t)subset <= subsets_of(most); subset++)
        if (is_awake(machine, pick, subset))
            offer(explorer, node, (struct round_option){0}, subset);
}

static struct answers
find_picks(struct explorer *explorer, const struct peal_machine *machine, int node, bool offers)
{
    const struct peal_pick *pick = machine->nodes[node].question->pick;
    struct counts counts = count_requests(machine, pick);
    struct answers answers = {.asleep = counts.seen > 0};

    switch (pick->kind) {
    case PEAL_PICK_ONE:
        answers.now = (uint64_t)(counts.complete - counts.seen);
        answers.ever = (uint64_t)(counts.open - counts.seen);
        for (int i = 0; offers && i < pick->count; i++)
            if (is_complete(machine, &pick->list[i]) && !pick->list[i].seen)
                offer(explorer, node, (struct round_option){0}, i);
        break;
    case PEAL_PICK_SOME:
        answers.now = subsets_of(counts.complete) - subsets_of(counts.seen);
        answers.ever = subsets_of(counts.open) - subsets_of(counts.seen);
        if (offers && answers.now > 0)
            offer_subsets(explorer, machine, node, counts.complete);
        break;
    case PEAL_PICK_ALL:
        answers.now = counts.complete == counts.open;
        answers.ever = 1;
        answers.asleep = false;
        if (offers && answers.now > 0)
            offer(explorer, node, (struct round_option){0}, PEAL_CHOICE_ALL);
        break;
    }
    return answers;
}

/* A probe from any source is offered its messages as a receive is (explore.c): this is for a probe from one source. */
static struct answers
answers_find_message(struct explorer *explorer, const struct peal_machine *machine, int node, bool offers)
{
    struct round_option option = {.node = node, .receive = machine->nodes[node].question->probe};
    const struct request *probe = &machine->requests[option.receive];
    struct answers answers = {.ever = UINT64_MAX};
    uint32_t previous;

    if (probe->peer == PEAL_ANY_SOURCE)
        return answers;
    option.send = probe_find(&machine->round, &machine->round.node[node], probe, &previous);
    answers.now = option.send != 0;
    answers.ever = 1;
    if (offers && option.send)
        offer(explorer, node, option, probe->peer);
    return answers;
}

struct answers
answers_find(struct explorer *explorer, const struct peal_machine *machine, int node, bool offers)
{
    const struct node_question *question = machine->nodes[node].question;
    struct answers answers = question->pick ? find_picks(explorer, machine, node, offers)
                                            : answers_find_message(explorer, machine, node, offers);

    answers.asleep |= question->no_asleep;
    if (!may_say_no(question) || question->no_asleep)
        return answers;
    int level = level_of_no(explorer, node, question);

    if (answers.now == 0 && level > explorer->level) {
        answers.late = level;
        return answers;
    }
    answers.now++;
    answers.ever += answers.ever < UINT64_MAX;
    if (offers)
        answers_offer_no(explorer, machine, node);
    return answers;
}

/* ------------------------------------------------------------------ giving them */

static void
end_question(struct peal_machine *machine, struct node *node, bool yes, node_releaser release)
{
    struct node_question *question = node->question;

    question->answered = true;
    question->yes = yes;
    machine->round.node[node->rank].waiting = 0;
    if (question->probe)
        machine->requests[question->probe].flags &= (uint16_t)~REQUEST_AWAITED;
    release(machine, node);
}

static void
give_requests(const struct peal_machine *machine, struct peal_pick *pick, int choice)
{
    int number = 0;

    for (int i = 0; i < pick->count; i++)
        if (is_complete(machine, &pick->list[i])) {
            bool chosen = pick->kind == PEAL_PICK_ONE ? i == choice : subset_has(choice, number);

            pick->list[i].picked = choice == PEAL_CHOICE_ALL || chosen;
            number++;
        }
}

void
answers_give(struct explorer *explorer, struct peal_machine *machine, const struct offer *offer, node_releaser release)
{
    struct node *node = &machine->nodes[offer->node];

    if (offer->choice == PEAL_CHOICE_NOT_YET)
        note_no(explorer, offer->node, node->question, true);
    if (!node->question->pick && offer->choice != PEAL_CHOICE_NOT_YET) {
        round_choose(&machine->round, &offer->option); /* the round releases it */
        return;
    }
    if (offer->choice != PEAL_CHOICE_NOT_YET)
        give_requests(machine, node->question->pick, offer->choice);
    end_question(machine, node, offer->choice != PEAL_CHOICE_NOT_YET, release);
}

void
answers_say_subset(const struct peal_machine *machine, const struct peal_pick *pick, int subset, char *text,
                   size_t bytes)
{
    struct peal_text out = empty_text(text, bytes);
    int number = 0;

    peal_append(out, "returns request");
    for (int i = 0; i < pick->count; i++)
        if (is_complete(machine, &pick->list[i]) && subset_has(subset, number++))
            peal_append(out, " %d", i);
    peal_append(out, " alone");
}

void
answers_put_to_sleep(struct peal_machine *machine, int node)
{
    struct node_question *question = machine->nodes[node].question;

    question->no_asleep = may_say_no(question);
    for (int i = 0; question->pick && i < question->pick->count; i++)
        question->pick->list[i].seen |= is_complete(machine, &question->pick->list[i]);
}

/* Whether the node has a test that is answered "not yet" when nothing else can move. */
static bool
answers_is_refused(const struct peal_machine *machine, int rank)
{
    const struct node_question *question = machine->nodes[rank].question;

    return question && !question->answered && may_say_no(question) && !question->no_asleep;
}

void
answers_offer_waits(struct explorer *explorer, const struct peal_machine *machine, int from)
{
    int count = 0, level = INT_MAX;

    explorer->offer_count = 0;
    for (int rank = 0; rank < machine->options.nodes; rank++) {
        if (!answers_is_refused(machine, rank))
            continue;
        const struct refused *refused = find_refused(explorer, rank, machine->nodes[rank].question);

        if (refused ? refused->all + 1 < level : level > 1)
            level = refused ? refused->all + 1 : 1;
        if (count++ == 0)
            offer(explorer, rank, (struct round_option){0}, PEAL_CHOICE_NOT_YET);
    }
    explorer->beyond |= count > 1 && level > MAX_LEVEL;
    for (int rank = from; count > 1 && level <= MAX_LEVEL && rank < machine->options.nodes; rank++) {
        if (!answers_is_refused(machine, rank))
            continue;
        offer(explorer, rank, (struct round_option){0}, rank);
        if (!explorer->no_memory) {
            explorer->offers[explorer->offer_count - 1].level = level;
            explorer->offers[explorer->offer_count - 1].waits = true;
        }
    }
}

bool
answers_refuse(struct explorer *explorer, struct peal_machine *machine, bool chosen, node_releaser release)
{
    bool refused = false;

    for (int rank = 0; rank < machine->options.nodes; rank++) {
        if (!answers_is_refused(machine, rank))
            continue;
        note_no(explorer, rank, machine->nodes[rank].question, chosen);
        end_question(machine, &machine->nodes[rank], false, release);
        refused = true;
    }
    return refused;
}
