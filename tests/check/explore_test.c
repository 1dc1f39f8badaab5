/* SPDX-License-Identifier: MIT */
/* The explorer against a model that goes through every order of single steps: posts, matches, waits.
 *
 * Programs are drawn by chance: scripts of a few sends, posts of receives and waits, with destinations that depend on
 * who was received from last, and words that tell all that their sender has received. */
#include "lib/check/explore.h"
#include "lib/machine/machine.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 4, MAX_STEPS = 6, MAX_POSTS = 3, QUEUE = 4, TABLE = 1 << 13 };

enum step_kind { STEP_END, STEP_SEND, STEP_POST, STEP_WAIT };

struct step {
    enum step_kind kind;
    int peer;      /* from the sender's place on: rank, or PEAL_ANY_SOURCE */
    int tag;       /* or PEAL_ANY_TAG */
    bool relative; /* to the node received from last */
};

struct script {
    int nodes;
    bool eager;
    struct step steps[MAX_NODES][MAX_STEPS];
};

/* What every node has received in the end, mixed into a number. */
struct outcome {
    uint64_t history[MAX_NODES];
};

struct outcomes {
    struct outcome all[20000];
    int count;
};

static uint64_t
mix(uint64_t history, int source, uint64_t word)
{
    uint64_t x = (history ^ (uint64_t)(source + 1) * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);

    return (x ^ x >> 31 ^ word) * UINT64_C(0x94d049bb133111eb) + 1;
}

static int
dest_of(const struct script *script, const struct step *step, int last)
{
    return step->relative ? (last + step->peer) % script->nodes : step->peer;
}

static bool
add(struct outcomes *outcomes, const struct outcome *outcome)
{
    for (int i = 0; i < outcomes->count; i++)
        if (memcmp(&outcomes->all[i], outcome, sizeof *outcome) == 0)
            return false;
    cr_assert_lt(outcomes->count, (int)(sizeof outcomes->all / sizeof *outcomes->all));
    outcomes->all[outcomes->count++] = *outcome;
    return true;
}

/* ------------------------------------------------------------------ the model */

struct message {
    uint64_t word;
    int8_t source, dest, tag, used;
};

enum { ANY = -1 };

struct post {
    int8_t source, tag, used, filled; /* source and tag may be ANY */
    struct message with;
};

struct state {
    int8_t at[MAX_NODES], last[MAX_NODES];
    int8_t sent[MAX_NODES]; /* the message of a send that blocks is on its way */
    uint64_t history[MAX_NODES];
    struct post posts[MAX_NODES][MAX_POSTS];
    struct message wires[MAX_NODES][MAX_NODES][QUEUE]; /* from, to */
};

static struct state *seen;
static uint32_t *places;
static size_t seen_count;

static bool
is_new(const struct state *state)
{
    const unsigned char *bytes = (const unsigned char *)state;
    uint64_t hash = 7;

    for (size_t i = 0; i < sizeof *state; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    hash ^= hash >> 29;
    for (;; hash++) {
        uint32_t *place = &places[hash % (2 * TABLE)];

        if (!*place) {
            if (seen_count == TABLE)
                return false;
            seen[seen_count++] = *state;
            *place = (uint32_t)seen_count;
            return true;
        }
        if (memcmp(&seen[*place - 1], state, sizeof *state) == 0)
            return false;
    }
}

static bool
takes(const struct post *post, const struct message *message)
{
    return post->used && !post->filled && message->used && (post->source == ANY || post->source == message->source) &&
           (post->tag == ANY || post->tag == message->tag);
}

/* Whether receive i of the node may have message j from `from`: no earlier receive may, and it may have none before
 * it. */
static bool
may_match(const struct state *state, int node, int i, int from, int j)
{
    const struct message *wire = state->wires[from][node];

    if (!takes(&state->posts[node][i], &wire[j]))
        return false;
    for (int k = 0; k < i; k++)
        if (takes(&state->posts[node][k], &wire[j]))
            return false;
    for (int k = 0; k < j; k++)
        if (takes(&state->posts[node][i], &wire[k]))
            return false;
    return true;
}

static void
match(struct state *state, const struct script *script, int node, int i, int from, int j)
{
    struct message *wire = state->wires[from][node];
    struct post *post = &state->posts[node][i];

    post->filled = true;
    post->with = wire[j];
    memmove(&wire[j], &wire[j + 1], (size_t)(QUEUE - 1 - j) * sizeof *wire);
    memset(&wire[QUEUE - 1], 0, sizeof *wire);
    if (!script->eager) {
        state->sent[from] = false;
        state->at[from]++;
    }
}

static void
send(struct state *state, const struct script *script, int node, int dest, int tag)
{
    struct message *wire = state->wires[node][dest];

    while (wire->used)
        wire++;
    cr_assert_lt(wire - state->wires[node][dest], QUEUE);
    *wire = (struct message){state->history[node], (int8_t)node, (int8_t)dest, (int8_t)tag, 1};
    if (script->eager)
        state->at[node]++;
    else
        state->sent[node] = true;
}

/* All receives of the node are filled: take them in. */
static bool
take_in(struct state *state, int node)
{
    struct post *posts = state->posts[node];

    for (int i = 0; i < MAX_POSTS; i++)
        if (posts[i].used && !posts[i].filled)
            return false;
    for (int i = 0; i < MAX_POSTS && posts[i].used; i++) {
        state->history[node] = mix(state->history[node], posts[i].with.source, posts[i].with.word);
        state->last[node] = posts[i].with.source;
    }
    memset(posts, 0, sizeof state->posts[node]);
    state->at[node]++;
    return true;
}

/* Let a node go one step on; false: it cannot. */
static bool
step(struct state *state, const struct script *script, int node)
{
    const struct step *step = &script->steps[node][state->at[node]];
    struct post *post = state->posts[node];

    switch (step->kind) {
    case STEP_END:
        return false;
    case STEP_SEND:
        if (state->sent[node])
            return false;
        send(state, script, node, dest_of(script, step, state->last[node]), step->tag);
        return true;
    case STEP_POST:
        while (post->used)
            post++;
        *post = (struct post){.source = step->peer == PEAL_ANY_SOURCE ? ANY : (int8_t)step->peer,
                              .tag = step->tag == PEAL_ANY_TAG ? ANY : (int8_t)step->tag,
                              .used = 1};
        state->at[node]++;
        return true;
    case STEP_WAIT:
        return take_in(state, node);
    }
    return false;
}

static void
search(const struct script *script, const struct state *state, struct outcomes *outcomes)
{
    bool moved = false;

    if (!is_new(state))
        return;
    for (int node = 0; node < script->nodes; node++) {
        struct state next = *state;

        if (step(&next, script, node)) {
            moved = true;
            search(script, &next, outcomes);
        }
        for (int way = 0; way < MAX_POSTS * MAX_NODES * QUEUE; way++) {
            int i = way % MAX_POSTS, from = way / MAX_POSTS % MAX_NODES, j = way / MAX_POSTS / MAX_NODES;

            if (!may_match(state, node, i, from, j))
                continue;
            next = *state;
            match(&next, script, node, i, from, j);
            moved = true;
            search(script, &next, outcomes);
        }
    }
    if (!moved) {
        struct outcome outcome;

        memcpy(outcome.history, state->history, sizeof outcome.history);
        add(outcomes, &outcome);
    }
}

/* All outcomes; false when there are too many states. */
static bool
enumerate(const struct script *script, struct outcomes *outcomes)
{
    struct state first;

    memset(&first, 0, sizeof first);
    memset(places, 0, 2 * TABLE * sizeof *places);
    seen_count = 0;
    outcomes->count = 0;
    for (int node = 0; node < script->nodes; node++) {
        first.history[node] = (uint64_t)node;
        first.last[node] = node;
    }
    search(script, &first, outcomes);
    return seen_count < TABLE;
}

/* ------------------------------------------------------------------ the machine */

static struct outcome result;

static void
play(struct peal_node *me, void *arg)
{
    const struct script *script = arg;
    int rank = peal_rank(me), posts = 0, last = rank;
    uint64_t *history = &result.history[rank], words[MAX_POSTS];
    struct peal_handle handles[MAX_POSTS];

    *history = (uint64_t)rank;
    for (const struct step *step = script->steps[rank]; step->kind != STEP_END; step++) {
        if (step->kind == STEP_SEND) {
            peal_send_tag(me, history, 1, dest_of(script, step, last), step->tag);
        } else if (step->kind == STEP_POST) {
            handles[posts] = peal_recv_async_tag(me, &words[posts], 1, step->peer, step->tag);
            posts++;
        } else {
            struct peal_message messages[MAX_POSTS];

            for (int i = 0; i < posts; i++)
                messages[i] = peal_wait(me, handles[i]);
            for (int i = 0; i < posts; i++) {
                *history = mix(*history, messages[i].source, words[i]);
                last = messages[i].source;
            }
            posts = 0;
        }
    }
}

static struct peal_machine *
machine_for(const struct script *script)
{
    struct peal_options options;

    peal_options_init(&options);
    options.nodes = script->nodes;
    options.eager = script->eager;
    options.eager_words = 1;
    options.carriers = 1;
    struct peal_machine *machine = peal_machine_create(&options, NULL);

    cr_assert(machine);
    machine->keeps_contexts = true;
    return machine;
}

/* The nodes of one group alone. */
static struct outcome
projection(struct explorer *explorer, const struct outcome *outcome, int of)
{
    struct outcome some = {{0}};
    int root = of;

    while (explorer->group[root] != root)
        root = explorer->group[root];
    for (int node = 0; node < explorer->nodes; node++) {
        int its = node;

        while (explorer->group[its] != its)
            its = explorer->group[its];
        if (its == root)
            some.history[node] = outcome->history[node];
    }
    return some;
}

static struct outcomes model, explored, some, others;

/* Explore the script, compare with the model; return the number of groups with choices. */
static void
compare(const struct script *script, int seed, int *runs_of_all, int *waits)
{
    struct explorer explorer;
    struct peal_machine *machine = machine_for(script);
    struct peal_error error;
    int runs = 0, groups = 0, full = 0;
    bool more, stuck = false;

    explored.count = 0;
    cr_assert_eq(explorer_init(&explorer, script->nodes, &error), PEAL_OK);
    explorer_begin(&explorer, script->nodes);
    do {
        explorer_attach(&explorer, machine);
        const struct peal_failure *failure = peal_run(machine, play, (void *)(uintptr_t)script);

        stuck |= failure && !explorer.cut;
        cr_assert_lt(++runs, 100000);
        if (!explorer.cut) {
            full++;
            add(&explored, &result);
        }
        for (size_t i = 0; i < explorer.choice_count; i++)
            *waits += explorer.choices[i] == PEAL_CHOICE_WAITS;
        more = explorer_next(&explorer, machine);
    } while (more);
    *runs_of_all += runs;
    for (int node = 0; node < script->nodes; node++)
        groups += explorer.group[node] == node;
    if (groups == 1) {
        cr_expect_eq(explored.count, model.count, "seed %d: %d explored, %d there are", seed, explored.count,
                     model.count);
        cr_expect(full == explored.count || stuck, "seed %d: %d runs for %d outcomes", seed, full, explored.count);
    }
    for (int node = 0; node < script->nodes; node++) {
        some.count = others.count = 0;
        for (int i = 0; i < explored.count; i++) {
            struct outcome one = projection(&explorer, &explored.all[i], node);

            add(&some, &one);
        }
        for (int i = 0; i < model.count; i++) {
            struct outcome one = projection(&explorer, &model.all[i], node);

            cr_expect(!add(&some, &one), "seed %d: the model has what was not explored", seed);
            add(&others, &one);
        }
        cr_expect_eq(some.count, others.count, "seed %d: more was explored than there is", seed);
    }
    explorer_fini(&explorer);
    peal_machine_destroy(machine);
}

static void
draw(struct script *script)
{
    *script = (struct script){.nodes = 2 + rand() % 3, .eager = rand() % 2};
    for (int node = 0; node < script->nodes; node++) {
        int posts = 0, count = 1 + rand() % (MAX_STEPS - 2);

        for (int i = 0; i < count; i++) {
            struct step *step = &script->steps[node][i];

            if (posts > 0 && (rand() % 2 || posts == MAX_POSTS)) {
                step->kind = STEP_WAIT;
                posts = 0;
            } else if (rand() % 2) {
                *step = (struct step){STEP_SEND, rand() % script->nodes, rand() % 2, rand() % 4 == 0};
            } else {
                *step = (struct step){STEP_POST, rand() % 4 ? PEAL_ANY_SOURCE : rand() % script->nodes,
                                      rand() % 3 ? PEAL_ANY_TAG : rand() % 2, false};
                posts++;
            }
        }
        if (posts > 0)
            script->steps[node][count].kind = STEP_WAIT;
    }
}

static void
make_tables(void)
{
    seen = malloc(TABLE * sizeof *seen);
    places = malloc(2 * TABLE * sizeof *places);
    cr_assert(seen && places);
}

Test(explore, makes_every_way_to_match_that_can_be_and_each_once, .timeout = 300)
{
    int branching = 0, runs = 0, waits = 0;

    make_tables();
    for (int seed = 0; seed < 2000; seed++) {
        struct script script;

        srand((unsigned)seed);
        draw(&script);
        if (!enumerate(&script, &model))
            continue;
        branching += model.count > 1;
        compare(&script, seed, &runs, &waits);
    }
    cr_expect_gt(branching, 100, "%d programs had a choice", branching);
    cr_expect_gt(waits, 20, "%d receives waited for later messages", waits);
    free(seen);
    free(places);
}

/* ------------------------------------------------------------------ numbers of runs */

static int
runs_of(int nodes, peal_program program)
{
    struct script script = {.nodes = nodes};
    struct peal_machine *machine = machine_for(&script);
    struct explorer explorer;
    struct peal_error error;
    int runs = 0;

    cr_assert_eq(explorer_init(&explorer, nodes, &error), PEAL_OK);
    explorer_begin(&explorer, nodes);
    do {
        explorer_attach(&explorer, machine);
        const struct peal_failure *failure = peal_run(machine, program, NULL);

        cr_assert(!failure, "%s", failure->message);
        runs++;
    } while (explorer_next(&explorer, machine));
    explorer_fini(&explorer);
    peal_machine_destroy(machine);
    return runs;
}

/* Every node sends to the first node of its half, or of all. */
static void
gather_in(struct peal_node *me, int first, int last)
{
    if (peal_rank(me) != first)
        peal_send(me, NULL, 0, first);
    else
        for (int i = first + 1; i < last; i++)
            peal_recv(me, NULL, 0, PEAL_ANY_SOURCE);
}

static void
gather_all(struct peal_node *me, void *arg)
{
    (void)arg;
    gather_in(me, 0, peal_size(me));
}

static void
gather_halves(struct peal_node *me, void *arg)
{
    int half = peal_size(me) / 2;

    (void)arg;
    if (peal_rank(me) < half)
        gather_in(me, 0, half);
    else
        gather_in(me, half, peal_size(me));
}

Test(explore, of_a_gather_takes_as_many_runs_as_there_are_orders, .timeout = 60)
{
    cr_expect_eq(runs_of(1, gather_all), 1);
    cr_expect_eq(runs_of(2, gather_all), 1);
    cr_expect_eq(runs_of(4, gather_all), 6);
    cr_expect_eq(runs_of(6, gather_all), 120);
}

Test(explore, adds_up_choices_that_are_independent, .timeout = 60)
{
    int runs = runs_of(10, gather_halves); /* 4! orders twice, not 4! times 4! */

    cr_expect(runs >= 48 && runs <= 49, "%d runs", runs);
}
