/* SPDX-License-Identifier: MIT */
/* Orders that differ from the first in one choice, in two, and so on, each run by the caller in its own process. */
#include "lib/check/orders.h"
#include "lib/check/answers.h"
#include "lib/machine/requests.h"
#include <sys/mman.h>

/* What is guaranteed:
 *
 *   a run     Follows its beginning, the points of an earlier run up to one where it takes another way, and then
 *             takes the first way everywhere.  Its explorer lies in memory that the child shares, so its choices are
 *             known however it ends.  The parent reads them only after that.
 *   a wave    Within a group and a level, holds the runs that differ from the first in one more choice than those of
 *             the last wave: each point after a run's beginning leads to further runs, in the next wave.
 *   numbers   Runs are numbered in the order of their wave.  The next wave is made once all of a wave is done, in
 *             the same order: what comes does not depend on which run ends first.
 *   groups    What runs show about groups is noted in `after`, and takes effect between waves.  If a wave joins
 *             groups, or shows new contention, the group that is explored begins anew.
 *   levels    Ways of a larger level (answers.h) follow when all waves without them are over, if that takes few
 *             runs.
 *   left_out  Set by a run that is not queued, strays, or has more choices than are kept: then the sum is `bounded`,
 *             never `all`. */

/* The most that is kept of a run. */
enum { MAX_POINTS = 1 << 18, MAX_CHOICES = 1 << 19, MAX_DESCRIBED = 1 << 14 };

/* How many runs are queued before levels are left out. */
enum { LEVEL_RUNS = 500 };

/* The points of a run, which others begin with. */
struct base {
    uint64_t number;
    int references;
    size_t count;
    struct point points[];
};

/* A run to be made: the first `length` points of the base, the last of which takes another way. */
struct item {
    struct base *base; /* NULL: no beginning */
    size_t length;
    int alternative;
    struct base *made;
};

/* Runs to be made. */
struct items {
    struct item *list;
    size_t count, room;
};

struct peal_order {
    struct explorer explorer;
    uint64_t number;
    struct item *item; /* NULL: of a given order */
    size_t index;      /* of the item in the wave */
    struct peal_order *next;
    size_t described;
    bool time_dependent;
    struct peal_order_choice choices[MAX_DESCRIBED];
    struct point points[MAX_POINTS];
    int taken[MAX_CHOICES];
    struct contention contention;
    char nodes[]; /* group, explored, chooses */
};

struct peal_orders {
    int nodes;
    uint64_t most;
    struct explorer now,
        after; /* the groups in this wave, and as known after it; nothing else of these explorers is used */
    struct items wave, coming;
    struct items later; /* of levels beyond this one */
    bool crowded;       /* there is no place for some of these */
    int level;          /* ways of this level and smaller ones are explored */
    int done_level;     /* the lowest of all groups that are done; 0: there is none */
    bool left_levels;   /* there are ways of larger levels */
    size_t begun, under_way;
    uint64_t runs, cut;           /* cut: or repeated */
    uint64_t queued;              /* runs in all, those of the coming wave included */
    bool left_out;                /* more would have been queued */
    struct contention contention; /* known: as in this wave; found: after it */
    int waves;                    /* that are over */
    const int *given;
    size_t given_count;
    bool is_given;
    struct peal_order *free;
};

/* ------------------------------------------------------------------ memory */

static size_t
order_bytes(int nodes)
{
    return sizeof(struct peal_order) + (size_t)nodes * (sizeof(int) + 2 * sizeof(bool));
}

/* Allocate an order's memory, which a child will share; unused parts take no memory. */
static struct peal_order *
order_make(struct peal_orders *orders)
{
    struct peal_order *order = orders->free;

    if (order) {
        orders->free = order->next;
        return order;
    }
    order = mmap(NULL, order_bytes(orders->nodes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
    return order == MAP_FAILED ? NULL : order;
}

static void
base_drop(struct base *base)
{
    if (base && --base->references == 0)
        free(base);
}

static void
items_free(struct items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        base_drop(items->list[i].base);
        base_drop(items->list[i].made);
    }
    free(items->list);
    *items = (struct items){.list = NULL};
}

static bool
items_add(struct items *items, struct base *base, size_t length, int alternative)
{
    if (!array_grow(&items->list, &items->room, items->count + 1, sizeof *items->list))
        return false;
    if (base)
        base->references++;
    items->list[items->count++] = (struct item){.base = base, .length = length, .alternative = alternative};
    return true;
}

struct peal_orders *
peal_orders_create(int nodes, uint64_t most, struct peal_error *error)
{
    struct peal_orders *orders = calloc(1, sizeof *orders);

    if (orders && explorer_init(&orders->now, nodes, error) == PEAL_OK &&
        explorer_init(&orders->after, nodes, error) == PEAL_OK && items_add(&orders->wave, NULL, 0, 0)) {
        explorer_answer(&orders->now);
        explorer_begin(&orders->now, nodes);
        explorer_begin(&orders->after, nodes);
        orders->nodes = nodes;
        orders->most = most;
        orders->queued = 1;
        orders->level = 1;
        return orders;
    }
    peal_orders_destroy(orders);
    peal_refuse(error, PEAL_RESOURCES, "not enough memory to explore orders");
    return NULL;
}

struct peal_orders *
peal_orders_given(int nodes, const int *choices, size_t count, struct peal_error *error)
{
    struct peal_orders *orders = peal_orders_create(nodes, 1, error);

    if (orders) {
        orders->given = choices;
        orders->given_count = count;
        orders->is_given = true;
    }
    return orders;
}

void
peal_orders_destroy(struct peal_orders *orders)
{
    if (!orders)
        return;
    for (struct peal_order *order; (order = orders->free);) {
        orders->free = order->next;
        munmap(order, order_bytes(orders->nodes));
    }
    items_free(&orders->wave);
    items_free(&orders->coming);
    items_free(&orders->later);
    explorer_fini(&orders->now);
    explorer_fini(&orders->after);
    free(orders);
}

/* ------------------------------------------------------------------ beginning a run */

/* Give the explorer the order's memory, and what is known about groups. */
static void
explorer_place(struct peal_order *order, const struct explorer *now, int nodes)
{
    struct explorer *explorer = &order->explorer;
    size_t count = (size_t)nodes;

    *explorer = (struct explorer){.chooser = now->chooser, .listener = now->listener, .fixed = true};
    explorer->listener.arg = explorer;
    explorer->points = order->points;
    explorer->point_room = MAX_POINTS;
    explorer->choices = order->taken;
    explorer->choice_room = MAX_CHOICES;
    explorer->group = (int *)(void *)order->nodes;
    explorer->explored = (bool *)(order->nodes + count * sizeof(int));
    explorer->chooses = explorer->explored + count;
    explorer_begin(explorer, nodes);
    memcpy(explorer->group, now->group, count * sizeof *now->group);
    explorer->groups = now->groups;
    explorer->whole = now->whole;
    explorer->active = now->active;
    order->contention = (struct contention){.known = {false}};
    explorer->contention = &order->contention;
}

struct peal_order *
peal_orders_next(struct peal_orders *orders)
{
    if (orders->begun == orders->wave.count)
        return NULL;
    struct peal_order *order = order_make(orders);

    if (!order)
        return NULL;
    order->index = orders->begun++;
    order->item = &orders->wave.list[order->index];
    order->number = ++orders->runs;
    order->described = 0;
    order->time_dependent = false;
    orders->under_way++;
    explorer_place(order, &orders->now, orders->nodes);
    memcpy(order->contention.known, orders->contention.known, sizeof order->contention.known);
    if (orders->is_given) {
        explorer_replay(&order->explorer, orders->nodes, orders->given, orders->given_count);
        return order;
    }
    const struct base *base = order->item->base;

    if (base) {
        memcpy(order->points, base->points, order->item->length * sizeof *base->points);
        order->points[order->item->length - 1].taken = order->item->alternative;
        order->explorer.point_count = order->item->length;
    }
    return order;
}

size_t
peal_orders_under_way(const struct peal_orders *orders)
{
    return orders->under_way;
}

/* A choice in words. */
static void
say_choice(const struct peal_machine *machine, const struct offer *offer, int choice, char *text, size_t bytes)
{
    const struct node_question *question = offer->answers ? machine->nodes[offer->node].question : NULL;
    const struct peal_pick *pick = question ? question->pick : NULL;

    if (offer->option.served > 0 && choice == PEAL_CHOICE_WAITS)
        snprintf(text, bytes, "waits until another node asks node %d, too", offer->node);
    else if (offer->option.served > 0)
        snprintf(text, bytes, "is served by node %d before the others that ask", offer->node);
    else if (offer->waits && choice >= 0)
        snprintf(text, bytes, "waits while others say \"not yet\"");
    else if (choice == PEAL_CHOICE_NOT_YET)
        snprintf(text, bytes, "says \"not yet\"");
    else if (choice == PEAL_CHOICE_WAITS)
        snprintf(text, bytes, "waits for a later %s", pick ? "completion" : "message");
    else if (!pick)
        snprintf(text, bytes, "takes what node %d sent", choice);
    else if (pick->kind == PEAL_PICK_ONE)
        snprintf(text, bytes, "returns request %d", choice);
    else if (pick->kind == PEAL_PICK_ALL)
        snprintf(text, bytes, "says that it is complete");
    else if (choice == PEAL_CHOICE_ALL)
        snprintf(text, bytes, "returns all that is complete");
    else
        answers_say_subset(machine, pick, choice, text, bytes);
}

/* The request that goes on, or waits, by the choice; for a lock or an update that of the chosen node. */
static const struct request *
taken_request(const struct peal_machine *machine, const struct explorer *explorer, const struct offer *offer,
              int choice)
{
    for (size_t i = 0; offer->option.served > 0 && i < explorer->offer_count; i++)
        if (explorer->offers[i].choice == choice)
            return &machine->requests[explorer->offers[i].option.send];
    return &machine->requests[offer->option.receive];
}

/* A choice of a given order is made. */
static void
tell_choice(struct explorer *explorer, struct peal_machine *machine, const struct offer *offer, int choice)
{
    struct peal_order *order = explorer->told_arg;
    const struct node_question *question = offer->answers ? machine->nodes[offer->node].question : NULL;
    const struct request *request = taken_request(machine, explorer, offer, choice);
    const struct call_site posted = question ? (struct call_site){question->file, question->line}
                                             : request_site(machine, request),
                           site = site_of(machine, posted.file, posted.line);
    const char *call = site_call(posted.line);

    if (order->described == MAX_DESCRIBED)
        return;
    struct peal_order_choice *described = &order->choices[order->described++];

    *described = (struct peal_order_choice){
        .node = offer->option.served > 0 ? request->node : offer->node, .taken = choice, .line = site.line};
    say_choice(machine, offer, choice, described->text, sizeof described->text);
    snprintf(described->call, sizeof described->call, "%s", call ? call : "");
    snprintf(described->file, sizeof described->file, "%s", site.file ? site.file : "");
}

void
peal_order_take(struct peal_order *order, struct peal_machine *machine)
{
    if (order->explorer.replays) {
        order->explorer.tell = tell_choice;
        order->explorer.told_arg = order;
    }
    explorer_attach(&order->explorer, machine);
    order->described = order->explorer.choice_count; /* the contended locks and memory, which no call shows */
    memset(order->choices, 0, order->described * sizeof *order->choices);
}

void
peal_order_end(struct peal_order *order, struct peal_machine *machine)
{
    order->time_dependent = atomic_load(&machine->asks_time);
    for (int node = 1; machine->had_groups && node < order->explorer.nodes; node++) /* transfers do not show groups */
        explorer_join(&order->explorer, 0, node);
}

/* ------------------------------------------------------------------ after a run */

struct peal_order_run
peal_order_run(const struct peal_order *order)
{
    const struct explorer *explorer = &order->explorer;
    const struct item *item = order->item;
    struct peal_order_run run = {.number = order->number,
                                 .choices = order->taken,
                                 .choice_count = explorer->misfit ? explorer->choice_count : explorer->described,
                                 .cut = explorer->cut,
                                 .repeats = item && !item->base && order->number > 1,
                                 .misfit = explorer->misfit,
                                 .strays = explorer->strays,
                                 .time_dependent = order->time_dependent,
                                 .full = explorer->no_memory};

    if (item && item->base) {
        run.from = item->base->number;
        run.at = order->points[item->length - 1].at;
    }
    return run;
}

const struct peal_order_choice *
peal_order_choice(const struct peal_order *order, size_t number)
{
    return number < order->described ? &order->choices[number] : NULL;
}

/* Learn which nodes exchanged messages, and chose. */
static void
learn(struct peal_orders *orders, const struct explorer *explorer)
{
    for (int node = 0; node < orders->nodes; node++) {
        if (explorer->group[node] >= 0 && explorer->group[node] < orders->nodes)
            explorer_join(&orders->after, node, explorer->group[node]);
        orders->after.chooses[node] |= explorer->chooses[node];
    }
    for (int i = 0; i < CONTENDED; i++)
        if (explorer->contention->found[i] && !orders->contention.found[i]) {
            orders->contention.found[i] = true;
            orders->contention.owner[i] = explorer->contention->owner[i];
        }
}

/* Whether a run of this wave has shown further contention: the owners then choose, so that all explored without these
 * choices must be explored again. */
static bool
contends(struct peal_orders *orders)
{
    bool more = false;

    for (int i = 0; i < CONTENDED; i++) {
        if (!orders->contention.found[i] || orders->contention.known[i])
            continue;
        int owner = orders->contention.owner[i];

        more = orders->contention.known[i] = orders->now.chooses[owner] = orders->after.chooses[owner] = true;
        orders->now.explored[explorer_root(&orders->now, owner)] = false;
    }
    return more;
}

static bool
queue(struct peal_orders *orders, struct base *base, size_t length, int alternative)
{
    if (orders->queued == orders->most) {
        orders->left_out = true;
        return false;
    }
    if (!items_add(&orders->coming, base, length, alternative)) {
        orders->left_out = true;
        return false;
    }
    orders->queued++;
    return true;
}

/* Keep a run of a larger level for later. */
static void
defer(struct peal_orders *orders, struct base *base, size_t length, int alternative, int level)
{
    if (level > MAX_LEVEL)
        orders->left_levels = true;
    else if (orders->later.count == orders->most || !items_add(&orders->later, base, length, alternative))
        orders->crowded = true;
}

/* The level of the beginning of a run that was kept for later. */
static int
level_of(const struct item *item)
{
    return point_level(&item->base->points[item->length - 1], item->alternative);
}

/* Queue the runs that differ from this one in one of its later choices. */
static void
queue_after(struct peal_orders *orders, const struct item *item)
{
    struct base *base = item->made;

    for (size_t i = item->length; base && i < base->count; i++)
        for (int alternative = 1; alternative < base->points[i].count; alternative++)
            if (point_level(&base->points[i], alternative) > orders->level)
                defer(orders, base, i + 1, alternative, point_level(&base->points[i], alternative));
            else if (!queue(orders, base, i + 1, alternative))
                return;
}

/* Queue the runs of this level that were kept for later. */
static void
queue_level(struct peal_orders *orders)
{
    struct items later = orders->later;

    orders->later = (struct items){.list = NULL};
    for (size_t i = 0; i < later.count; i++) {
        const struct item *item = &later.list[i];

        if (level_of(item) > orders->level)
            defer(orders, item->base, item->length, item->alternative, level_of(item));
        else
            queue(orders, item->base, item->length, item->alternative);
    }
    items_free(&later);
}

/* All runs of this level are over: go on to the next level that has some, if they are few. */
static void
next_level(struct peal_orders *orders)
{
    while (orders->coming.count == 0 && orders->later.count > 0 && !orders->crowded && !orders->left_out) {
        size_t count = 0;

        for (size_t i = 0; i < orders->later.count; i++)
            count += level_of(&orders->later.list[i]) == orders->level + 1;
        if (orders->queued + count > LEVEL_RUNS)
            return;
        orders->level++;
        queue_level(orders);
    }
}

/* All runs of this group are over. */
static void
end_levels(struct peal_orders *orders)
{
    orders->left_levels |= orders->later.count > 0;
    if (orders->done_level == 0 || orders->level < orders->done_level)
        orders->done_level = orders->level;
}

/* Begin with the choices of the next group, from their first run on. */
static void
queue_group(struct peal_orders *orders)
{
    items_free(&orders->later);
    orders->crowded = false;
    orders->level = 1;
    if (explorer_next_group(&orders->now)) {
        queue(orders, NULL, 0, 0);
        orders->waves = 0;
    }
}

/* Whether a run of this wave has shown that other nodes belong to the explored group. */
static bool
has_merged(const struct peal_orders *orders)
{
    int active = explorer_root(&orders->after, orders->now.active);

    for (int node = 0; node < orders->nodes; node++)
        if (explorer_root(&orders->after, node) == active &&
            explorer_root(&orders->now, node) != explorer_root(&orders->now, orders->now.active))
            return true;
    return false;
}

/* Every run of the wave is over: find those of the next. */
static void
next_wave(struct peal_orders *orders)
{
    bool first = orders->now.whole, merged = !first && has_merged(orders);
    struct items over = orders->wave;

    memcpy(orders->now.group, orders->after.group, (size_t)orders->nodes * sizeof(int));
    memcpy(orders->now.chooses, orders->after.chooses, (size_t)orders->nodes * sizeof(bool));
    orders->now.groups = orders->after.groups;
    if (!orders->left_out)
        orders->waves++;
    bool more = contends(orders);

    if ((first && !explorer_is_one_group(&orders->now)) || merged || more) {
        if (!first)
            orders->now.explored[explorer_root(&orders->now, orders->now.active)] = false;
        queue_group(orders);
    } else {
        for (size_t i = 0; i < over.count; i++)
            queue_after(orders, &over.list[i]);
        next_level(orders);
        if (orders->coming.count == 0) {
            end_levels(orders);
            orders->now.explored[explorer_root(&orders->now, orders->now.active)] = true;
            queue_group(orders);
        }
    }
    items_free(&over);
    orders->wave = orders->coming;
    orders->coming = (struct items){.list = NULL};
    orders->begun = 0;
}

/* Keep the points of a run, for those that begin with them. */
static struct base *
base_of(const struct peal_order *order)
{
    size_t count = order->explorer.point_count < MAX_POINTS ? order->explorer.point_count : MAX_POINTS;
    struct base *base = malloc(sizeof *base + count * sizeof *base->points);

    if (!base)
        return NULL;
    *base = (struct base){.number = order->number, .references = 1, .count = count};
    memcpy(base->points, order->points, count * sizeof *base->points);
    return base;
}

void
peal_orders_done(struct peal_orders *orders, struct peal_order *order)
{
    const struct explorer *explorer = &order->explorer;

    orders->cut += explorer->cut || (order->item && !order->item->base && order->number > 1);
    orders->left_out |= explorer->no_memory || explorer->strays || explorer->partial;
    orders->left_levels |= explorer->beyond;
    if (!orders->is_given) {
        learn(orders, explorer);
        order->item->made = explorer->strays ? NULL : base_of(order);
        orders->left_out |= !order->item->made;
    }
    orders->under_way--;
    order->next = orders->free;
    orders->free = order;
    if (!orders->is_given && orders->under_way == 0 && orders->begun == orders->wave.count)
        next_wave(orders);
}

struct peal_orders_sum
peal_orders_sum(const struct peal_orders *orders)
{
    bool over = orders->under_way == 0 && orders->begun == orders->wave.count && !orders->left_out;
    int level = over ? orders->done_level : orders->level - 1;

    return (struct peal_orders_sum){.runs = orders->runs,
                                    .orders = orders->runs - orders->cut,
                                    .all = over && !orders->left_levels && !orders->is_given,
                                    .bounded = !over,
                                    .differing = orders->waves > 0 ? orders->waves - 1 : 0,
                                    .noes_left = orders->left_levels || orders->later.count > 0,
                                    .noes = level};
}
