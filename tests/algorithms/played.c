/* SPDX-License-Identifier: MIT */
/* Collectives that rounds carry out (lib/score/score.h) give what they give when nodes run them: every algorithm, run
 * on one machine with PEAL_PLAY=0 and =2, has the same data, clocks, cost, critical path and schedule.  Between the
 * calls there is nothing, or messages, computing, a collective of some nodes, nodes that are late. */
#include "lib/machine/host.h"
#include "lib/score/score.h"
#include <inttypes.h>
#include <math.h>
#include <peal/peal.h>
#include <peal/tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 7, MAX_NODES = 64, BETWEEN = 6, LONG = 4096 };

/* What a node has seen. */
struct seen {
    uint64_t data;
    double clocks;
};

struct trial {
    const struct peal_algorithm *algorithm;
    const struct peal_form *form;
    struct peal_layout layout;
    const struct peal_op *op;
    int between;
    struct seen seen[MAX_NODES];
};

static uint64_t
mixed(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* What happens before call `call`. */
static void
between(struct peal_node *me, int what, int call)
{
    int P = peal_size(me), r = peal_rank(me);
    int64_t word = r, other = 0;

    if (what == BETWEEN - 1) /* a bit of all */
        what = (int)(mixed((uint64_t)call + 17) % (BETWEEN - 1));
    switch (what) {
    case 1: /* a chain of messages: the nodes' clocks differ */
        if (r > 0)
            peal_recv(me, &other, 1, r - 1);
        if (r + 1 < P)
            peal_send(me, &word, 1, r + 1);
        break;
    case 2:
        peal_compute(me, r * 3 + call);
        peal_sendrecv(me, &word, 1, (r + 1) % P, &other, 1, (r + P - 1) % P);
        break;
    case 3: { /* some nodes are late by a collective of their own */
        struct peal_node *half = peal_split(me, r % 2, r);

        if (r % 2 == 0)
            peal_allreduce(half, PEAL_SUM_INT64, &other, 1);
        break;
    }
    case 4: /* late by rounds without messages, and by computing */
        for (int i = 0; i < (r + call) % 3; i++)
            peal_next_round(me);
        if (r == call % P)
            peal_compute(me, 5);
        break;
    default:
        break;
    }
}

static void
fill(double *words, size_t count, int rank, int call)
{
    for (size_t i = 0; i < count; i++)
        words[i] = (double)(mixed((uint64_t)rank * 1000003 + i * 31 + (uint64_t)call) >> 40) / 1024 + 0.1;
}

static void
note(struct seen *seen, const void *words, size_t bytes)
{
    const unsigned char *at = words;

    for (size_t i = 0; i < bytes; i++)
        seen->data = (seen->data ^ at[i]) * UINT64_C(0x100000001b3);
}

static void
program(struct peal_node *me, void *arg)
{
    struct trial *trial = arg;
    const struct peal_form *form = trial->form;
    struct seen *seen = &trial->seen[peal_rank(me)];
    const bool in_place = form->in == PEAL_SIDE_NONE;
    const size_t out_words = trial->layout.words * (size_t)trial->layout.nodes, in_words = in_place ? 0 : out_words;
    double *in = peal_alloc(me, in_words + 1), *out = peal_alloc(me, out_words + 1);

    for (int call = 0; call < CALLS; call++) {
        struct peal_callee callee = {.algorithm = trial->algorithm};
        struct peal_arguments x = {.op = form->op ? trial->op : NULL,
                                   .in = in_place ? NULL : in,
                                   .out = out,
                                   .words = trial->layout.words,
                                   .root = trial->layout.root,
                                   .by = trial->layout.by};

        fill(in, in_words, peal_rank(me), call);
        fill(out, out_words, peal_rank(me), in_place ? call : 77);
        between(me, trial->between, call);
        peal_make_call(me, form, &callee, &x);
        note(seen, in, in_words * sizeof *in);
        note(seen, out, out_words * sizeof *out);
        seen->clocks += peal_clock(me) * (call + 1);
    }
}

/* ------------------------------------------------------------------ one run */

struct run {
    struct seen seen[MAX_NODES];
    struct peal_cost cost, path;
    uint64_t rounds, played, copied_words;
    size_t order, kept, transfers;
    uint64_t schedule; /* a hash */
    bool failed;
};

static void
run(struct peal_machine *machine, struct trial *trial, const char *play, struct run *run)
{
    setenv("PEAL_PLAY", play, 1);
    memset(trial->seen, 0, sizeof trial->seen);
    run->failed = peal_run(machine, program, trial) != NULL;
    memcpy(run->seen, trial->seen, sizeof run->seen);
    run->cost = peal_machine_cost(machine);
    run->path = peal_machine_critical_path(machine);
    run->rounds = peal_machine_rounds(machine);
    run->played = peal_machine_played(machine);
    run->copied_words = peal_machine_host(machine).copied_words;

    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    struct seen hash = {0};

    note(&hash, schedule->order, schedule->round_count * sizeof *schedule->order);
    note(&hash, schedule->rounds, schedule->kept_rounds * sizeof *schedule->rounds);
    note(&hash, schedule->transfers, schedule->kept_transfers * sizeof *schedule->transfers);
    run->schedule = hash.data;
    run->order = schedule->round_count;
    run->kept = schedule->kept_rounds;
    run->transfers = schedule->kept_transfers;
}

static bool
same_cost(struct peal_cost a, struct peal_cost b)
{
    return a.alpha == b.alpha && a.beta == b.beta && a.hop == b.hop && a.tau == b.tau;
}

/* What differs, or NULL. */
static const char *
difference(const struct run *a, const struct run *b, int nodes)
{
    for (int n = 0; n < nodes; n++) {
        if (a->seen[n].data != b->seen[n].data)
            return "data";
        if (memcmp(&a->seen[n].clocks, &b->seen[n].clocks, sizeof(double)) != 0)
            return "clocks";
    }
    return a->failed != b->failed         ? "an end"
           : !same_cost(a->cost, b->cost) ? "cost"
           : !same_cost(a->path, b->path) ? "critical path"
           : a->rounds != b->rounds       ? "rounds"
           : a->order != b->order || a->kept != b->kept || a->transfers != b->transfers || a->schedule != b->schedule
               ? "schedule"
           : a->copied_words != b->copied_words ? "copied words"
                                                : NULL;
}

/* ------------------------------------------------------------------ all of them */

static int wrong, trials;
static uint64_t played;
static bool was_played[1000];

static void
try(struct peal_machine *machine, struct trial *trial, int index)
{
    const struct peal_options *options = peal_machine_options(machine);
    struct run live, plays;
    const char *differs;

    run(machine, trial, "0", &live);
    run(machine, trial, "2", &plays);
    trials++;
    played += plays.played;
    was_played[index] |= plays.played > 0;
    if (live.played > 0)
        wrong++, printf("%s is played with PEAL_PLAY=0\n", trial->algorithm->name);
    differs = difference(&live, &plays, options->nodes);
    if (live.failed)
        wrong++, printf("%s fails on %d nodes: %s\n", trial->algorithm->name, options->nodes,
                        peal_machine_failure(machine) ? peal_machine_failure(machine)->message : "");
    if (!differs)
        return;
    wrong++;
    printf("%s of %s, P = %d, n = %zu, root %d, %s, %s, between %d: played %" PRIu64 " times, and differs in its %s\n",
           trial->algorithm->name, trial->form->name, options->nodes, trial->layout.words, trial->layout.root,
           options->topology, options->engine, trial->between, plays.played, differs);
}

static void
all_on(const struct peal_options *options, const size_t *sizes, int size_count, int betweens)
{
    struct peal_error error;
    struct peal_machine *machine = peal_machine_create(options, &error);
    struct trial trial;

    if (!machine) {
        printf("%s\n", error.text);
        wrong++;
        return;
    }
    for (int i = 0; peal_algorithm_get(i); i++) {
        const struct peal_algorithm *algorithm = peal_algorithm_get(i);
        const struct peal_op *const ops[] = {PEAL_SUM_DOUBLE, PEAL_AFFINE, PEAL_SUM_INT64};

        if (algorithm->collective == PEAL_MULTICAST)
            continue;
        for (int variant = 0; variant < size_count * 6; variant++) {
            struct peal_situation situation = peal_situation_on(options, peal_machine_network(machine));

            trial = (struct trial){.algorithm = algorithm,
                                   .form = peal_form_of(algorithm->collective),
                                   .op = ops[variant / 2 % 3],
                                   .between = (i + variant) % betweens};
            trial.layout = (struct peal_layout){.nodes = options->nodes,
                                                .root = trial.form->root && variant % 2 ? options->nodes - 1 : 0,
                                                .by = trial.form->by ? 1 + variant % 2 : 0,
                                                .words = sizes[variant / 6]};
            if ((variant % 6 > 1 && !trial.form->op) || (variant % 2 == 1 && !trial.form->root && !trial.form->by))
                continue;
            situation.collective = algorithm->collective;
            situation.nodes = options->nodes;
            situation.root = trial.layout.root;
            situation.by = trial.layout.by;
            situation.words = trial.layout.words;
            situation.op = trial.form->op ? trial.op : NULL;
            if (peal_algorithm_fits(algorithm, &situation, NULL) == PEAL_OK)
                try(machine, &trial, i);
        }
    }
    peal_machine_destroy(machine);
}

/* Calls of many kinds, in turns, each with clocks that are apart as never before. */
static void
many_kinds(struct peal_node *me, void *arg)
{
    int64_t words[20 * SCORES] = {0}, other[20 * SCORES];
    int P = peal_size(me), r = peal_rank(me);

    (void)arg;
    for (size_t call = 1; call < 20 * SCORES; call++) {
        peal_sendrecv(me, words, r == 0 ? call : 1, (r + 1) % P, other, r == 1 ? call : 1, (r + P - 1) % P);
        peal_allreduce(me, PEAL_SUM_INT64, words, 1 + call % SCORES);
    }
}

static void
records_little(void)
{
    struct peal_options options;
    struct peal_error error;

    peal_options_init(&options);
    options.nodes = 4;
    options.engine = peal_fibers_built() ? "fibers" : "threads";
    setenv("PEAL_PLAY", "2", 1);
    struct peal_machine *machine = peal_machine_create(&options, &error);

    if (!machine || peal_run(machine, many_kinds, NULL) || machine->scores->recorded == 0 ||
        machine->scores->recorded > 2 * SCORES)
        wrong++, printf("of many kinds in turns too many are recorded, or none\n");
    peal_machine_destroy(machine);
}

/* Results so long that several threads copy them: what all get is brought to one node before it goes to the others. */
static void
long_results(struct peal_node *me, void *arg)
{
    size_t words = LONG * (size_t)peal_size(me);
    uint64_t *in = peal_alloc(me, LONG), *out = peal_alloc(me, words), rank = (uint64_t)peal_rank(me);

    for (uint64_t call = 0; call < CALLS; call++) {
        for (size_t i = 0; i < LONG; i++)
            in[i] = call << 32 | (rank * LONG + i);
        peal_allgather(me, in, LONG, out);
        for (size_t i = 0; i < words; i++)
            ((struct seen *)arg)[rank].data += out[i] != (call << 32 | i);
    }
}

static void
copies_in_order(void)
{
    struct peal_options options;
    struct peal_error error;
    struct seen seen[MAX_NODES] = {{0}};

    peal_options_init(&options);
    options.nodes = MAX_NODES / 2;
    options.engine = peal_fibers_built() ? "fibers" : "threads";
    setenv("PEAL_PLAY", "1", 1);
    struct peal_machine *machine = peal_machine_create(&options, &error);
    bool right = machine && !peal_run(machine, long_results, seen) && peal_machine_played(machine) > 0;

    for (int n = 0; n < options.nodes; n++)
        right &= seen[n].data == 0;
    if (!right)
        wrong++, printf("of long blocks not all are right in a result, or none is played\n");
    peal_machine_destroy(machine);
}

int
main(int argc, char **argv)
{
    static const struct {
        int nodes;
        const char *topology;
        enum peal_switching switching;
        double hop;
        const char *engine;
        int carriers;
    } machines[] = {
        {2, "full", PEAL_IDEAL, 0, "fibers", 0},        {3, "full", PEAL_IDEAL, 0, "fibers", 0},
        {5, "ring", PEAL_WORMHOLE, 3, "fibers", 0},     {4, "full", PEAL_IDEAL, 0, "threads", 2},
        {8, "full", PEAL_IDEAL, 0, "fibers", 0},        {8, "hypercube", PEAL_STORE_FORWARD, 0, "fibers", 0},
        {9, "torus", PEAL_WORMHOLE, .7, "fibers", 0},   {12, "mesh", PEAL_STORE_FORWARD, 2, "fibers", 0},
        {16, "torus", PEAL_WORMHOLE, 0.1, "fibers", 2}, {16, "full", PEAL_IDEAL, 0, "fibers", 0},
        {17, "full", PEAL_IDEAL, 0, "fibers", 0},       {27, "torus:3x3x3", PEAL_WORMHOLE, 10, "fibers", 0},
        {16, "fattree:4", PEAL_IDEAL, 0, "fibers", 0},
    };
    const size_t sizes[] = {5, 1, 32, 0}; /* with several carriers, which a busy host slows down, only the first */
    int only = argc > 1 ? atoi(argv[1]) : -1;

    for (int i = 0; i < (int)(sizeof machines / sizeof *machines); i++) {
        struct peal_options options;

        if (only >= 0 && only != i)
            continue;
        peal_options_init(&options);
        options.nodes = machines[i].nodes;
        options.topology = machines[i].topology;
        options.switching = machines[i].switching;
        options.parameters = (struct peal_parameters){.alpha = 10, .beta = .3, .hop = machines[i].hop, .tau = 1.7};
        options.engine = peal_fibers_built() ? machines[i].engine : "threads";
        options.carriers = machines[i].carriers;
        if (i % 3 == 2)
            options.rounds = PEAL_ROUNDS_NONE;
        all_on(&options, sizes, machines[i].carriers > 1 ? 1 : 4, BETWEEN);
    }
    if (only < 0) {
        records_little();
        copies_in_order();
    }
    int ever = 0, count = 0;

    for (int i = 0; peal_algorithm_get(i); i++, count++)
        ever += was_played[i];
    printf("%d trials, %" PRIu64 " calls played, %d of %d algorithms\n", trials, played, ever, count);
    if (wrong > 0)
        printf("%d differ\n", wrong);
    return wrong > 0 || (only < 0 && ever < 60);
}
