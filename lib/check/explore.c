/* SPDX-License-Identifier: MIT */
/* A depth-first walk over choices, each path of which is one run from the beginning. */
#include "lib/check/explore.h"
#include <stdlib.h>
#include <string.h>

/* Numbers of requests are reused: the generation identifies the post. */
struct asleep {
    uint32_t receive, receive_generation, send, send_generation;
};

/* The situation besides the messages that the first receive may take. */
struct others {
    bool rivals;      /* another receive has a message to take, too */
    bool rivals_here; /* one of the same group */
};

/* ------------------------------------------------------------------ groups of nodes */

int
explorer_root(const struct explorer *explorer, int node)
{
    while (explorer->group[node] != node)
        node = explorer->group[node];
    return node;
}

void
explorer_join(struct explorer *explorer, int one, int other)
{
    int a = explorer_root(explorer, one), b = explorer_root(explorer, other);

    if (a == b)
        return;
    explorer->merged |= a == explorer->active || b == explorer->active;
    if (explorer->active == b)
        explorer->active = a;
    explorer->group[b] = a;
    explorer->explored[a] = false;
    explorer->groups--;
}

static bool
is_active(const struct explorer *explorer, int node)
{
    return explorer->whole || explorer_root(explorer, node) == explorer->active;
}

/* ------------------------------------------------------------------ what there is */

static bool
make_room(struct explorer *explorer, void *list, size_t *room, size_t count, size_t bytes)
{
    explorer->no_memory |= !grow(list, room, count, bytes);
    return !explorer->no_memory;
}

/* The same for a list that may be another's. */
static bool
make_fixed_room(struct explorer *explorer, void *list, size_t *room, size_t count, size_t bytes)
{
    if (!explorer->fixed)
        return make_room(explorer, list, room, count, bytes);
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
            one->send_generation == requests[option->send].generation)
            return true;
    }
    return false;
}

/* Put these messages to sleep for this run: none is taken. */
static void
put_to_sleep(struct explorer *explorer, const struct request *requests)
{
    for (size_t i = 0; i < explorer->offer_count; i++) {
        const struct round_option *option = &explorer->offers[i];

        if (!make_room(explorer, &explorer->asleep, &explorer->asleep_room, explorer->asleep_count + 1,
                       sizeof *explorer->asleep))
            return;
        explorer->asleep[explorer->asleep_count++] = (struct asleep){
            option->receive, requests[option->receive].generation, option->send, requests[option->send].generation};
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

/* Find the first receive that has messages to take, these messages, and whether there is another such receive.
 * Sleeping messages are skipped. */
static struct others
look(struct explorer *explorer, const struct round *round)
{
    struct round_option option = {0};
    struct others others = {false, false};
    size_t *count = &explorer->offer_count;

    *count = 0;
    join_posts(explorer, round);
    while (!others.rivals_here && round_next_option(round, &option)) {
        if (is_asleep(explorer, round->requests, &option))
            continue;
        if (*count > 0 && explorer->offers[0].receive != option.receive) {
            others.rivals = true;
            others.rivals_here = explorer->whole || explorer_root(explorer, option.node) ==
                                                        explorer_root(explorer, explorer->offers[0].node);
        } else if (make_room(explorer, &explorer->offers, &explorer->offer_room, *count + 1,
                             sizeof *explorer->offers)) {
            explorer->offers[(*count)++] = option;
        }
    }
    return others;
}

/* ------------------------------------------------------------------ choosing */

/* Follow the given list.  Returns the index of the message taken among the offers, their number for waiting. */
static size_t
as_given(struct explorer *explorer, const struct round *round, struct others others)
{
    if (explorer->choice_count >= explorer->given_count)
        return 0;
    int given = explorer->given[explorer->choice_count];

    for (size_t i = 0; i < explorer->offer_count; i++)
        if (round->requests[explorer->offers[i].send].node == given)
            return i;
    if (given == PEAL_CHOICE_WAITS && others.rivals)
        return explorer->offer_count;
    explorer->misfit = true;
    return 0;
}

/* The way to go on at this point of this run. */
static size_t
as_explored(struct explorer *explorer, struct others others)
{
    int node = explorer->offers[0].node, count = (int)explorer->offer_count + others.rivals_here;

    if (count < 2)
        return 0;
    explorer->chooses[node] = true;
    if (!is_active(explorer, node))
        return 0;
    if (explorer->depth == explorer->point_count) {
        if (!make_fixed_room(explorer, &explorer->points, &explorer->point_room, explorer->depth + 1,
                             sizeof *explorer->points))
            return 0;
        explorer->points[explorer->point_count++] = (struct point){.node = node, .count = count};
    }
    struct point *point = &explorer->points[explorer->depth++];

    point->at = (uint32_t)explorer->choice_count;
    if (point->taken <
        (int)explorer->offer_count + others.rivals) /* as the first run saw it, rivals were of any group */
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
        explorer->told = explorer->choice_count;
}

static bool
choose(struct match_chooser *chooser, struct peal_machine *machine)
{
    struct explorer *explorer = (struct explorer *)chooser;
    struct round *round = &machine->round;

    for (;;) {
        struct others others = look(explorer, round);
        size_t way = 0;

        explorer->cut = false;
        if (explorer->offer_count == 0) {
            explorer->cut = explorer->asleep_count > 0 && round_next_option(round, &(struct round_option){0});
            return false;
        }
        if (explorer->offer_count > 1 || others.rivals) {
            way = explorer->replays ? as_given(explorer, round, others) : as_explored(explorer, others);
            int choice =
                way < explorer->offer_count ? round->requests[explorer->offers[way].send].node : PEAL_CHOICE_WAITS;

            note_choice(explorer, choice, way == 0);
            if (explorer->tell)
                explorer->tell(explorer, machine, explorer->offers[0].receive, choice);
        }
        if (way < explorer->offer_count) {
            round_choose(round, &explorer->offers[way]);
            return true;
        }
        put_to_sleep(explorer, round->requests);
        if (explorer->no_memory)
            return false;
    }
}

/* A round has ended. */
static void
see(struct peal_machine *machine, void *arg)
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

    *explorer = (struct explorer){.chooser = {choose}, .listener = {.look = see, .arg = explorer}};
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
}

void
explorer_attach(struct explorer *explorer, struct peal_machine *machine)
{
    if (machine->match_chooser != &explorer->chooser)
        round_listener_add(machine, &explorer->listener);
    machine->match_chooser = &explorer->chooser;
    round_hold(&machine->round, true);
    explorer->depth = explorer->asleep_count = explorer->choice_count = explorer->told = 0;
    explorer->cut = explorer->merged = false;
}

/* Begin with the choices of the next group that has any.  False: none is left. */
bool
explorer_next_group(struct explorer *explorer)
{
    explorer->point_count = 0;
    for (int node = 0; node < explorer->nodes; node++) {
        int root = explorer_root(explorer, node);

        if (!explorer->chooses[node] || explorer->explored[root])
            continue;
        explorer->active = root;
        return true;
    }
    return false;
}

/* After the first run it is known which nodes exchange messages.  True: all choices were those of one group. */
bool
explorer_is_one_group(struct explorer *explorer)
{
    int root = -1;

    explorer->whole = false;
    for (int node = 0; node < explorer->nodes; node++) {
        if (!explorer->chooses[node])
            continue;
        if (root >= 0 && root != explorer_root(explorer, node))
            return false;
        root = explorer_root(explorer, node);
    }
    explorer->active = root;
    return root >= 0;
}

bool
explorer_next(struct explorer *explorer, const struct peal_machine *machine)
{
    bool first = explorer->whole;

    if (machine->had_groups) /* it has groups: their creation is not seen in transfers */
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
