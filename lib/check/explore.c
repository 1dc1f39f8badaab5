/* SPDX-License-Identifier: MIT */
/* A depth-first walk over choices, each path of which is one run from the beginning. */
#include "lib/check/answers.h"
#include "lib/machine/machine.h"
#include <stdlib.h>

/* Numbers of requests are reused: the generation identifies the post. */
struct asleep {
    uint32_t receive, receive_generation, send, send_generation, turn;
};

/* The situation besides the messages that the first receive may take. */
struct others {
    bool rivals;      /* another receive has a message to take, too, so that this one may take a later message */
    bool rivals_here; /* such a receive of the same group */
    bool asleep;      /* something else was possible, but is excluded in this run */
    int late;         /* the least level of a rival here with only a "not yet" beyond the run's level; 0: none */
    int late_node;
};

/* ------------------------------------------------------------------ what there is */

static bool
is_active(const struct explorer *explorer, int node)
{
    return explorer->whole || explorer_root(explorer, node) == explorer->active;
}

static bool
explorer_make_room(struct explorer *explorer, void *list, size_t *room, size_t count, size_t bytes)
{
    explorer->no_memory |= !array_grow(list, room, count, bytes);
    return !explorer->no_memory;
}

/* Make room in a list, which does not grow where it is `fixed`: it lies in another's memory then. */
static bool
make_fixed_room(struct explorer *explorer, void *list, size_t *room, size_t count, size_t bytes)
{
    if (!explorer->fixed)
        return explorer_make_room(explorer, list, room, count, bytes);
    explorer->no_memory |= count > *room;
    return !explorer->no_memory;
}

static bool
is_asleep(const struct explorer *explorer, const struct request *requests, const struct round_option *option)
{
    for (size_t i = 0; i < explorer->asleep_count; i++) {
        const struct asleep *one = &explorer->asleep[i];

        if (one->receive == option->receive && one->send == option->send &&
            one->receive_generation == requests[option->receive].generation &&
            one->send_generation == requests[option->send].generation && one->turn == option->turn)
            return true;
    }
    return false;
}

/* Put all offers to sleep for this run: none is taken. */
static void
put_to_sleep(struct explorer *explorer, struct peal_machine *machine)
{
    const struct request *requests = machine->requests;

    if (explorer->offers[0].answers || explorer->offers[explorer->offer_count - 1].answers)
        answers_put_to_sleep(machine, explorer->offers[0].node);
    for (size_t i = 0; i < explorer->offer_count; i++) {
        const struct round_option *option = &explorer->offers[i].option;

        if (!option->receive)
            continue;
        if (!explorer_make_room(explorer, &explorer->asleep, &explorer->asleep_room, explorer->asleep_count + 1,
                                sizeof *explorer->asleep))
            return;
        explorer->asleep[explorer->asleep_count++] =
            (struct asleep){option->receive, requests[option->receive].generation, option->send,
                            requests[option->send].generation, option->turn};
    }
}

/* Nodes that would exchange a message are in one group. */
static void
join_posts(struct explorer *explorer, const struct round *round)
{
    for (int node = 0; explorer->groups > 1 && node < round->nodes; node++) {
        for (uint32_t id = round->node[node].sends; id; id = round->requests[id].next)
            explorer_join(explorer, node, round->requests[id].node);
        for (uint32_t id = round->node[node].receives; id; id = round->requests[id].next)
            if (round->requests[id].peer != PEAL_ANY_SOURCE)
                explorer_join(explorer, node, round->requests[id].peer);
    }
}

/* Whether the node is of the same group as that of the offers. */
static bool
is_here(const struct explorer *explorer, int node)
{
    return explorer->whole || explorer->offer_count == 0 ||
           explorer_root(explorer, node) == explorer_root(explorer, explorer->offers[0].node);
}

/* Note another receive or question that could go on, besides that of the offers.  In the first run, which knows no
 * groups, its node chooses, too: if they are two groups, each is explored by itself. */
static void
note_rival(const struct explorer *explorer, int node, struct others *others)
{
    explorer->chooses[node] |= explorer->whole;
    others->rivals = true;
    others->rivals_here |= is_here(explorer, node);
}

/* Note another receive or question that could go on in runs of a larger level. */
static void
note_late(const struct explorer *explorer, int node, int level, struct others *others)
{
    if (!is_here(explorer, node) || (others->late > 0 && others->late <= level))
        return;
    others->late = level;
    others->late_node = node;
}

/* Whether the node has a question that is not answered. */
static bool
has_question(const struct explorer *explorer, const struct peal_machine *machine, int node)
{
    const struct node_question *question = machine->nodes[node].question;

    return explorer->chooser.refuse && question && !question->answered;
}

/* Offer the answers of a question all of whose answers are possible now: there is nothing to wait for. */
static bool
look_for_whole(struct explorer *explorer, const struct peal_machine *machine)
{
    for (int node = 0; node < machine->options.nodes; node++) {
        if (!has_question(explorer, machine, node))
            continue;
        const struct answers answers = answers_find(explorer, machine, node, false);

        if (answers.now > 0 && answers.now == answers.ever) {
            answers_find(explorer, machine, node, true);
            return true;
        }
    }
    return false;
}

/* Whether the offers are messages for the node's probe. */
static bool
is_of_question(const struct explorer *explorer, const struct peal_machine *machine, int node)
{
    return machine->nodes[node].question->probe &&
           machine->nodes[node].question->probe == explorer->offers[0].option.receive;
}

/* Offer the messages of the first receive that has some, and, if it is a probe that may fail, "not yet". */
static void
look_at_receives(struct explorer *explorer, const struct peal_machine *machine, struct others *others)
{
    const struct round *round = &machine->round;
    struct round_option option = {0};
    size_t *count = &explorer->offer_count;

    while (!others->rivals_here && round_next_option(round, &option)) {
        if (is_asleep(explorer, round->requests, &option)) {
            others->asleep = true;
            continue;
        }
        if (*count > 0 && explorer->offers[0].option.receive != option.receive)
            note_rival(explorer, option.node, others);
        else if (explorer_make_room(explorer, &explorer->offers, &explorer->offer_room, *count + 1,
                                    sizeof *explorer->offers))
            explorer->offers[(*count)++] =
                (struct offer){option, option.node, round->requests[option.send].node, false, 0, false};
    }
    int node = *count > 0 ? explorer->offers[0].node : 0;

    if (*count > 0 && has_question(explorer, machine, node) && is_of_question(explorer, machine, node))
        answers_offer_no(explorer, machine, node);
}

/* Offer the answers of the first question that has some, unless there are offers. */
static void
look_at_questions(struct explorer *explorer, const struct peal_machine *machine, struct others *others)
{
    for (int node = 0; node < machine->options.nodes; node++) {
        if (!has_question(explorer, machine, node) ||
            (explorer->offer_count > 0 && explorer->offers[0].node == node &&
             (explorer->offers[0].answers || is_of_question(explorer, machine, node))))
            continue;
        bool first = explorer->offer_count == 0;
        const struct answers answers = answers_find(explorer, machine, node, first);

        others->asleep |= answers.asleep;
        if (answers.now > 0 && !first)
            note_rival(explorer, node, others);
    }
}

/* Find questions whose only answer is a "not yet" beyond the run's level. */
static void
look_at_late(struct explorer *explorer, const struct peal_machine *machine, struct others *others)
{
    for (int node = 0; node < machine->options.nodes; node++)
        if (has_question(explorer, machine, node)) {
            const struct answers answers = answers_find(explorer, machine, node, false);

            if (answers.late > 0)
                note_late(explorer, node, answers.late, others);
        }
}

/* Find the first receive or question that can go on, its messages or answers, and whether there is another one.
 * Sleeping ones are skipped. */
static struct others
explorer_look(struct explorer *explorer, const struct peal_machine *machine)
{
    struct others others = {.rivals = false};

    explorer->offer_count = 0;
    join_posts(explorer, &machine->round);
    if (look_for_whole(explorer, machine))
        return others;
    look_at_receives(explorer, machine, &others);
    look_at_questions(explorer, machine, &others);
    look_at_late(explorer, machine, &others);
    return others;
}

/* ------------------------------------------------------------------ choosing */

/* The level of one of the offers, or of waiting. */
static int
level_of_way(const struct explorer *explorer, struct others others, int way)
{
    if (way < (int)explorer->offer_count)
        return explorer->offers[way].level;
    return others.rivals_here ? 0 : others.late;
}

/* Follow the given list.  Returns the index of the message taken among the offers, their number for waiting. */
static size_t
as_given(struct explorer *explorer, struct others others)
{
    if (explorer->choice_count >= explorer->given_count)
        return 0;
    int given = explorer->given[explorer->choice_count];

    for (size_t i = 0; i < explorer->offer_count; i++)
        if (explorer->offers[i].choice == given)
            return i;
    if (given == PEAL_CHOICE_WAITS && (others.rivals || others.late > 0))
        return explorer->offer_count;
    explorer->misfit = true;
    return 0;
}

/* The way to go on at this point of this run. */
static size_t
as_explored(struct explorer *explorer, struct others others)
{
    const bool waits = others.rivals_here || others.late > 0;
    const int count = (int)explorer->offer_count + waits;
    bool active = false;

    if (count < 2)
        return 0;
    for (size_t i = 0; i < explorer->offer_count; i++) {
        explorer->chooses[explorer->offers[i].node] = true;
        active |= is_active(explorer, explorer->offers[i].node);
    }
    if (!active)
        return 0;
    if (explorer->depth == explorer->point_count) {
        if (!make_fixed_room(explorer, &explorer->points, &explorer->point_room, explorer->depth + 1,
                             sizeof *explorer->points))
            return 0;
        explorer->points[explorer->point_count++] = (struct point){
            .count = count,
            .levels = {level_of_way(explorer, others, count - 1), level_of_way(explorer, others, count - 2)},
            .waits = explorer->offers[explorer->offer_count - 1].waits};
    }
    struct point *point = &explorer->points[explorer->depth++];

    point->at = (uint32_t)explorer->choice_count;
    if (point->taken <
        (int)explorer->offer_count + (others.rivals || waits)) /* as the first run saw it, rivals were of any group */
        return (size_t)point->taken;
    explorer->strays = true;
    return 0;
}

static void
note_choice(struct explorer *explorer, int choice, bool is_first)
{
    if (!make_fixed_room(explorer, &explorer->choices, &explorer->choice_room, explorer->choice_count + 1,
                         sizeof *explorer->choices))
        return;
    explorer->choices[explorer->choice_count++] = choice;
    if (!is_first || explorer->choice_count == 1)
        explorer->described = explorer->choice_count;
}

/* Make one choice.  Returns the index among the offers, their number for waiting. */
static size_t
choose_way(struct explorer *explorer, struct peal_machine *machine, struct others others)
{
    size_t alternative = explorer->replays ? as_given(explorer, others) : as_explored(explorer, others);
    const struct offer *offer = &explorer->offers[alternative < explorer->offer_count ? alternative : 0];
    int choice = alternative < explorer->offer_count ? offer->choice : PEAL_CHOICE_WAITS;
    int level = level_of_way(explorer, others, (int)alternative);

    if (explorer->level < level)
        explorer->level = level;
    note_choice(explorer, choice, alternative == 0);
    if (explorer->tell)
        explorer->tell(explorer, machine, offer, choice);
    return alternative;
}

/* Nothing can move except by "not yet".  All tests get it, or some wait.  False: all get it, and nothing was chosen. */
static bool
choose_waits(struct explorer *explorer, struct peal_machine *machine, node_releaser release)
{
    bool waits = false;

    for (int from = 0; explorer->chooser.refuse;) {
        answers_offer_waits(explorer, machine, from);
        size_t way = explorer->offer_count > 1 ? choose_way(explorer, machine, (struct others){.rivals = false}) : 0;

        if (way == 0)
            return waits && answers_refuse(explorer, machine, true, release);
        answers_put_to_sleep(machine, explorer->offers[way].node);
        from = explorer->offers[way].node + 1;
        waits = true;
    }
    return false;
}

/* All that could move is asleep, and a test's only answer is a "not yet" beyond the run's level: the run ends, or its
 * level grows. */
static bool
explorer_level_grows(struct explorer *explorer, struct peal_machine *machine, struct others others)
{
    explorer->offer_count = 0;
    if (others.late == 0 ||
        !explorer_make_room(explorer, &explorer->offers, &explorer->offer_room, 2, sizeof *explorer->offers))
        return false;
    explorer->offers[0] = explorer->offers[1] = (struct offer){.node = others.late_node, .answers = true};
    explorer->offers[0].choice = PEAL_CHOICE_WAITS;
    explorer->offers[1].choice = PEAL_CHOICE_NOT_YET;
    explorer->offers[1].level = others.late;
    explorer->offer_count = 2;
    return choose_way(explorer, machine, (struct others){.rivals = false}) == 1;
}

static bool
explorer_choose_match(struct match_chooser *chooser, struct peal_machine *machine, node_releaser release)
{
    struct explorer *explorer = (struct explorer *)chooser;

    for (;;) {
        struct others others = explorer_look(explorer, machine);
        const struct offer *first = explorer->offers;
        size_t alternative = 0;

        explorer->cut = explorer->offer_count == 0 && others.asleep;
        if (explorer->cut) {
            if (!explorer_level_grows(explorer, machine, others))
                return false;
            continue;
        }
        if (explorer->offer_count == 0 ||
            (explorer->offer_count == 1 && first->choice == PEAL_CHOICE_NOT_YET && !others.rivals && !others.asleep))
            return choose_waits(explorer, machine, release);
        if (explorer->offer_count > 1 || others.rivals || others.late > 0)
            alternative = choose_way(explorer, machine, others);
        first = explorer->offers;
        if (alternative < explorer->offer_count) {
            if (first[alternative].answers)
                answers_give(explorer, machine, &first[alternative], release);
            else if (!round_choose(&machine->round, &first[alternative].option))
                explorer->no_memory = true;
            return !explorer->no_memory;
        }
        put_to_sleep(explorer, machine);
        if (explorer->no_memory)
            return false;
    }
}

static bool
explorer_is_asked(struct match_chooser *chooser, const struct peal_machine *machine)
{
    struct explorer *explorer = (struct explorer *)chooser;

    for (int node = 0; node < machine->options.nodes; node++)
        if (has_question(explorer, machine, node) && answers_find(explorer, machine, node, false).now > 0)
            return true;
    return false;
}

static bool
explorer_refuse(struct match_chooser *chooser, struct peal_machine *machine, node_releaser release)
{
    struct explorer *explorer = (struct explorer *)chooser;

    return !explorer->cut && answers_refuse(explorer, machine, false, release);
}

/* A request for a lock, or to update memory, has come. */
static bool
contend(void *arg, int owner, uint64_t name, int node, bool shares)
{
    struct contention *contention = arg;
    size_t i = map_mix(map_mix(0, name), (uint64_t)owner) % CONTENDED;
    int *asked = &contention->asked[i];

    *asked = *asked == 0 || *asked == node + 1 ? node + 1 : -1;
    contention->owner[i] = owner;
    contention->weighs[i] |= !shares;
    contention->found[i] |= *asked < 0 && contention->weighs[i];
    return contention->known[i];
}

/* A list of choices begins with the contended locks and memory. */
static void
note_contended(struct explorer *explorer)
{
    for (int i = 0; i < CONTENDED; i++)
        if (explorer->contention->known[i])
            note_choice(explorer, PEAL_CHOICE_ORDERS - i, false);
}

void
explorer_answer(struct explorer *explorer)
{
    explorer->chooser.is_asked = explorer_is_asked;
    explorer->chooser.refuse = explorer_refuse;
}

static void
explorer_note_round(struct peal_machine *machine, void *arg)
{
    struct explorer *explorer = arg;
    const struct round *round = &machine->round;

    for (size_t i = 0; explorer->groups > 1 && i < round->transfer_count; i++)
        explorer_join(explorer, round->transfers[i].from, round->transfers[i].to);
}

/* ------------------------------------------------------------------ from run to run */

enum peal_status
explorer_init(struct explorer *explorer, int nodes, struct peal_error *error)
{
    size_t count = (size_t)nodes + 1;

    *explorer = (struct explorer){.chooser = {.choose = explorer_choose_match},
                                  .listener = {.look = explorer_note_round, .arg = explorer}};
    explorer->group = calloc(count, sizeof *explorer->group);
    explorer->explored = calloc(count, sizeof *explorer->explored);
    explorer->chooses = calloc(count, sizeof *explorer->chooses);
    if (explorer->group && explorer->explored && explorer->chooses)
        return PEAL_OK;
    explorer_fini(explorer);
    return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
}

void
explorer_fini(struct explorer *explorer)
{
    free(explorer->points);
    free(explorer->asleep);
    free(explorer->refused);
    free(explorer->offers);
    free(explorer->choices);
    free(explorer->group);
    free(explorer->explored);
    free(explorer->chooses);
    *explorer = (struct explorer){.nodes = 0};
}

void
explorer_begin(struct explorer *explorer, int nodes)
{
    explorer->nodes = explorer->groups = nodes;
    explorer->point_count = 0;
    explorer->replays = explorer->misfit = explorer->strays = false;
    explorer->whole = true;
    explorer->active = -1;
    for (int node = 0; node < nodes; node++) {
        explorer->group[node] = node;
        explorer->explored[node] = explorer->chooses[node] = false;
    }
}

void
explorer_replay(struct explorer *explorer, int nodes, const int *choices, size_t count)
{
    explorer_begin(explorer, nodes);
    explorer->replays = true;
    explorer->given = choices;
    explorer->given_count = count;
    for (size_t i = 0; explorer->contention && i < count && choices[i] <= PEAL_CHOICE_ORDERS; i++)
        explorer->contention->known[(PEAL_CHOICE_ORDERS - choices[i]) % CONTENDED] = true;
}

void
explorer_attach(struct explorer *explorer, struct peal_machine *machine)
{
    if (machine->match_chooser != &explorer->chooser)
        round_listener_add(machine, &explorer->listener);
    machine->match_chooser = &explorer->chooser;
    round_hold(&machine->round, true);
    explorer->depth = explorer->asleep_count = explorer->refused_count = explorer->choice_count = explorer->described =
        0;
    explorer->cut = explorer->merged = explorer->beyond = false;
    explorer->level = 1;
    machine->round.holds = explorer->contention ? contend : NULL;
    machine->round.holds_arg = explorer->contention;
    if (explorer->contention)
        note_contended(explorer);
}

bool
explorer_next(struct explorer *explorer, const struct peal_machine *machine)
{
    bool first = explorer->whole;

    if (machine->had_groups) /* it made groups, which transfers do not show */
        for (int node = 1; node < explorer->nodes; node++)
            explorer_join(explorer, 0, node);
    if (explorer->replays || explorer->no_memory)
        return false;
    if ((first && !explorer_is_one_group(explorer)) || (!first && explorer->merged))
        return explorer_next_group(explorer);
    struct point *points = explorer->points;

    while (explorer->point_count > 0 &&
           points[explorer->point_count - 1].taken + 1 == points[explorer->point_count - 1].count)
        explorer->point_count--;
    if (explorer->point_count > 0) {
        points[explorer->point_count - 1].taken++;
        return true;
    }
    explorer->explored[explorer->active] = true;
    return explorer_next_group(explorer);
}

bool
explorer_chose(const struct explorer *explorer)
{
    return explorer->choice_count > 0;
}
