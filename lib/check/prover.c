/* SPDX-License-Identifier: MIT */
/* Running the cases of a check, one after another, on machines that are kept for all cases of one P. */
#include "lib/check/prover.h"
#include "lib/base/plural.h"
#include "lib/check/blame.h"
#include "lib/check/explore.h"
#include "lib/check/heap.h"
#include "lib/check/sandbox.h"
#include "lib/check/trail.h"
#include "lib/check/vectors.h"
#include "lib/check/watch.h"
#include "lib/machine/futex.h"
#include "lib/machine/machine.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <peal/program.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A machine is kept for each (topology, ports, delivery). */
enum { MACHINES = MOST_NETWORKS * MOST_PORTS * DELIVERIES };

enum {
    MOST_RUNS = 1000000, /* that explore choices */
    FEW_RUNS = 100,      /* of a case, once something is known to be wrong */
};

/* Which lengths the messages of a case have, in all its runs. */
struct traffic {
    struct witness witness;
    uint64_t least, longest; /* words; UINT64_MAX and 0 when there are none */
    size_t index;            /* of the case */
    int parameter;           /* the algorithm's, there */
    bool well;               /* the case fits, and nothing is wrong in it */
};

struct prover {
    const struct peal_check *check;
    struct progress *progress;
    const unsigned char *token;
    int out;
    const char *engine;
    int null;                       /* /dev/null */
    int printed;                    /* what the nodes of a whole program print: a file in memory */
    char *first_text, *text;        /* of the first run of a case, and of the last one: by nodes */
    struct peal_program_file *file; /* a user's; NULL */
    const struct unit *unit;        /* it, compiled */
    struct peal_machine *machines[MACHINES];
    bool seen[PEAL_FAILURE_KINDS], warned[PEAL_FAILURE_KINDS];
    struct explorer explorer;
    struct traffic traffic; /* of the case that was run last */
    bool wrong;             /* something is */
    bool extra; /* the case is on a network, or charged in a way, that nobody asked for: no limit holds there */
    bool chose; /* a receive from any source had a choice */
    bool asks_time, out_of_runs;
};

/* The case that is being run; nodes find it here, as a program in a file has no other way. */
static struct {
    const struct peal_check *check;
    struct vectors data;
    atomic_int entered, early;
} now;

/* ------------------------------------------------------------------ time */

/* Runs of the catalogue's algorithms are made on the prover's own thread: waking another one takes longer than most of
 * them.  This is the thread that watches the time instead. */
static struct {
    pthread_t thread, prover;
    pthread_mutex_t lock;         /* held to end a run, and to have it over */
    struct peal_machine *machine; /* that runs; NULL */
    uint64_t runs;                /* begun */
    int64_t limit;                /* nanoseconds */
    _Atomic uint32_t over;
    bool there;
} keeper = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What the prover's thread has had of the processor. */
static int64_t
nanoseconds_used(void)
{
    struct timespec used = {0};
    clockid_t clock;

    if (pthread_getcpuclockid(keeper.prover, &clock) == 0)
        clock_gettime(clock, &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

/* A run's time is what it had of the processor, so that none is ended because others have it; it may wait for ten times as
 * long. */
static void *
keeper_main(void *arg)
{
    enum { LOOKS = 4, PATIENCE = 10 }; /* in the time that a run may take; times that */
    uint64_t seen = 0;
    int64_t used = 0, began = 0;

    (void)arg;
    while (!atomic_load(&keeper.over)) {
        futex_wait(&keeper.over, 0, keeper.limit / LOOKS + 1);
        int64_t used_now = nanoseconds_used(), now_is = nanoseconds_now();

        pthread_mutex_lock(&keeper.lock);
        if (keeper.machine && keeper.runs == seen &&
            (used_now - used >= keeper.limit || (now_is - began) / PATIENCE >= keeper.limit))
            machine_expire(keeper.machine);
        if (keeper.runs != seen) {
            seen = keeper.runs;
            used = used_now;
            began = now_is;
        }
        pthread_mutex_unlock(&keeper.lock);
    }
    return NULL;
}

static double
seconds_allowed(const struct peal_check *check)
{
    return check->timeout_seconds > 0 ? check->timeout_seconds : 10;
}

/* Have the time watched, if that can be. */
static void
keeper_begin(const struct peal_check *check)
{
    double seconds = seconds_allowed(check);

    keeper.limit = seconds < 1e9 ? (int64_t)(seconds * 1e9) : INT64_MAX / 2;
    keeper.prover = pthread_self();
    keeper.there = pthread_create(&keeper.thread, NULL, keeper_main, NULL) == 0;
}

static void
keeper_end(void)
{
    if (!keeper.there)
        return;
    atomic_store(&keeper.over, 1);
    futex_wake(&keeper.over, 1);
    pthread_join(keeper.thread, NULL);
}

/* This machine runs from now on; NULL: no machine does. */
static void
keeper_watch(struct peal_machine *machine)
{
    if (!keeper.there)
        return;
    pthread_mutex_lock(&keeper.lock);
    keeper.machine = machine;
    keeper.runs += machine != NULL;
    pthread_mutex_unlock(&keeper.lock);
}

/* ------------------------------------------------------------------ telling */

static void
tell(const struct prover *prover, struct message *message)
{
    const char *bytes = (const char *)message;

    memcpy(message->token, prover->token, TOKEN_BYTES);

    for (size_t done = 0; done < sizeof *message;) {
        ssize_t count = write(prover->out, bytes + done, sizeof *message - done);

        if (count < 0 && errno != EINTR)
            _exit(1); /* the parent is gone */
        done += count > 0 ? (size_t)count : 0;
    }
}

/* Tell an error that ends the check. */
static void
tell_error(const struct prover *prover, const struct peal_error *error)
{
    struct message message = {.what = MESSAGE_ERROR};

    message.as.error = *error;
    tell(prover, &message);
}

/* Note which choices the run made. */
static void
keep_choices(const struct prover *prover, struct peal_finding *finding)
{
    const struct explorer *explorer = &prover->explorer;
    size_t count = explorer->told < PEAL_CHOICES ? explorer->told : PEAL_CHOICES;

    finding->choices_cut = explorer->told > PEAL_CHOICES;
    finding->choice_count = (int)count;
    if (count > 0)
        memcpy(finding->choices, explorer->choices, count * sizeof *finding->choices);
}

/* " --choices 2,1", behind the case. */
static void
tell_choices(struct peal_finding *finding)
{
    for (int i = 0; i < finding->choice_count && !finding->choices_cut; i++) {
        size_t length = strlen(finding->rerun);

        snprintf(finding->rerun + length, sizeof finding->rerun - length, "%s%d", i == 0 ? " --choices " : ",",
                 finding->choices[i]);
    }
}

/* Tell the first of each kind. */
static void
tell_finding(struct prover *prover, const struct peal_check_case *where, struct peal_finding finding)
{
    struct message message = {.what = MESSAGE_FINDING};

    if (cases_tolerated(prover->check, where)) {
        finding.warning = true;
        atomic_store(&prover->progress->separate, true);
    }
    if (prover->seen[finding.kind] || (finding.warning && prover->warned[finding.kind]))
        return;
    (finding.warning ? prover->warned : prover->seen)[finding.kind] = true;
    prover->wrong |= !finding.warning;
    finding.where = *where;
    finding.where.to = NULL;
    cases_text(prover->check, where, finding.rerun, sizeof finding.rerun);
    tell_choices(&finding);
    if (prover->file) { /* a crash is told of the program around it, at the line of the file */
        unit_shorten(prover->unit, prover->check->file, finding.message, sizeof finding.message);
        unit_shorten(prover->unit, prover->check->file, finding.file, sizeof finding.file);
    }
    message.as.finding = finding;
    tell(prover, &message);
    if (prover->check->first_only && !finding.warning) {
        message.what = MESSAGE_END;
        message.as.end.asks_time = message.as.end.out_of_runs = false;
        tell(prover, &message);
        _exit(0);
    }
}

/* ------------------------------------------------------------------ one node */

/* Before a barrier: one node comes late, by more rounds than any barrier takes. */
static void
come(struct peal_node *me)
{
    if (now.check->collective != PEAL_BARRIER)
        return;
    for (int i = 0; peal_rank(me) == now.data.where->root && i < 2 * peal_size(me) && i < 64; i++)
        peal_next_round(me);
    atomic_fetch_add(&now.entered, 1);
}

static void
go(struct peal_node *me)
{
    if (now.check->collective == PEAL_BARRIER && atomic_load(&now.entered) < peal_size(me))
        atomic_fetch_add(&now.early, 1);
}

void
peal_check_call(struct peal_node *me, const union peal_check_function *function)
{
    if (!now.check) /* nobody checks: the file was run as a program */
        return;
    come(me);
    vectors_call_function(&now.data, me, function);
    go(me);
}

static void
program(struct peal_node *me, void *arg)
{
    come(me);
    vectors_call(&now.data, me, ((const struct peal_check *)arg)->algorithm);
    go(me);
}

/* ------------------------------------------------------------------ one case */

/* The machine for this case; NULL when there is none, and *error says why. */
static struct peal_machine *
machine_make(const struct prover *prover, const struct peal_check_case *c, struct peal_error *error)
{
    struct peal_options options;

    peal_options_init(&options);
    options.nodes = c->nodes;
    options.topology = c->topology;
    options.ports = c->ports;
    options.half_duplex = c->half_duplex;
    options.switching = c->switching;
    options.eager = c->eager;
    options.eager_words = c->eager_words;
    options.seed = c->seed;
    options.engine = prover->engine;
    options.stack_bytes = prover->unit ? prover_stack_bytes(c->nodes) : 0;
    options.carriers = 1; /* the labels' table is for one thread at a time */
    options.rounds = PEAL_ROUNDS_NONE;
    options.timeout_seconds = seconds_allowed(prover->check);
    options.output = prover->check->program ? prover->printed : prover->null;
    options.tag_output = prover->check->program;
    struct peal_machine *machine = peal_machine_create(&options, error);

    if (machine)
        machine->keeps_contexts = !prover->unit || !prover->unit->program.writable; /* thread-locals begin anew */
    if (machine)
        machine->runs_here = keeper.there;
    return machine;
}

static struct peal_situation
situation_of(const struct peal_check *check, const struct peal_check_case *c, const struct peal_machine *machine)
{
    const struct peal_options *options = peal_machine_options(machine);
    bool shift = check->collective == PEAL_SHIFT;

    return (struct peal_situation){
        .collective = check->collective,
        .nodes = c->nodes,
        .words = c->words,
        .root = peal_collective_has_root(check->collective) ? c->root : 0,
        .by = shift ? (c->by % c->nodes + c->nodes) % c->nodes : 0,
        .to = c->to,
        .to_count = c->to_count,
        .unequal = c->sizes != NULL,
        .op = peal_collective_has_op(check->collective) ? now.data.op : NULL,
        .network = peal_machine_network(machine),
        .ports = c->ports,
        .half_duplex = c->half_duplex,
        .switching = options->switching,
        .congestion = options->congestion,
        .eager = c->eager,
        .eager_words = c->eager_words,
        .parameters = options->parameters,
    };
}

/* Whether the algorithm can be called so. */
static bool
fits(const struct prover *prover, const struct peal_check_case *c, const struct peal_machine *machine)
{
    const struct peal_check *check = prover->check;
    struct peal_situation situation = situation_of(check, c, machine);

    bool told = prover->wrong || atomic_load(&prover->progress->separate);

    if (c->in_place && (c->words == 0 || (told && cases_tolerated(check, c))))
        return false; /* no words are in no place; where something is wrong already, a warning is too much */
    if (!check->algorithm)
        return true;
    situation.op = !peal_collective_has_op(check->collective) ? NULL
                   : c->commutative                           ? &label_op_commutative
                                                              : &label_op;
    const struct peal_algorithm *algorithm =
        peal_algorithm_parse(check->collective, check->algorithm, &situation.parameter);

    return peal_algorithm_fits(algorithm, &situation, NULL) == PEAL_OK;
}

/* Run it; false, with the finding filled, when something is wrong. */
static bool
run_once(struct prover *prover, struct peal_machine *machine, const struct peal_check_case *c,
         struct peal_finding *finding, struct peal_error *error)
{
    const struct peal_failure *failure;
    int left;

    *finding = (struct peal_finding){.kind = PEAL_FAILURE_KINDS};
    if (vectors_begin(&now.data, prover->check->collective, c, error) != PEAL_OK) {
        tell_error(prover, error);
        _exit(0);
    }
    if (prover->printed >= 0 && ftruncate(prover->printed, 0) == 0)
        lseek(prover->printed, 0, SEEK_SET);
    now.check = prover->check;
    atomic_store(&now.entered, 0);
    atomic_store(&now.early, 0);
    watch_begin(machine, &now.data);
    witness_add(machine, &prover->traffic.witness);
    keeper_watch(machine);
    if (prover->file)
        failure = peal_program_run(machine, prover->file);
    else
        failure = peal_run(machine, program, (void *)(uintptr_t)prover->check);
    keeper_watch(NULL);
    witness_remove(machine, &prover->traffic.witness);
    atomic_fetch_add(&prover->progress->runs, 1);
    if (failure) {
        finding->kind = failure->kind;
        snprintf(finding->message, sizeof finding->message, "%.*s", (int)sizeof finding->message - 1, failure->message);
        snprintf(finding->file, sizeof finding->file, "%s", failure->file ? failure->file : "");
        finding->line = failure->file ? failure->line : 0;
        if (machine->uncalled) /* nothing moves since a node stays away from a collective */
            finding->kind = PEAL_COLLECTIVE_MISMATCH;
        blame_explain(failure, finding);
        return false;
    }
    if (prover->file && !prover->check->program && (left = program_left(prover->file, c->nodes)) >= 0) {
        finding->kind = PEAL_CRASH;
        snprintf(finding->message, sizeof finding->message,
                 "node %d ended inside of the function, which has to return: it calls peal_exit, exit or the like",
                 left);
        return false;
    }
    if (atomic_load(&now.early) > 0) {
        finding->kind = PEAL_WRONG_RESULT;
        snprintf(finding->message, sizeof finding->message,
                 "%d of %d nodes %s before node %d, which comes late, has entered", atomic_load(&now.early), c->nodes,
                 atomic_load(&now.early) == 1 ? "leaves" : "leave", c->root);
        return false;
    }
    return vectors_check(&now.data, finding) && !heap_leaked(finding);
}

/* Make runs of the case in few orders of arrival, whatever the check narrowed them to, as long as they go well, or as long as
 * they do not; give back whether the last one did.  One that is only a beginning of others counts as neither. */
static bool
runs_on_while(struct prover *prover, const struct peal_check_case *c, bool well)
{
    struct explorer kept = prover->explorer;
    struct traffic traffic = prover->traffic;
    struct peal_finding finding;
    struct peal_error error;
    bool last = well;
    struct peal_machine *machine = machine_make(prover, c, &error);

    if (!machine || explorer_init(&prover->explorer, c->nodes, &error) != PEAL_OK) {
        peal_machine_destroy(machine);
        return false;
    }
    explorer_begin(&prover->explorer, c->nodes);
    for (int i = 0; last == well && (i == 0 || (i < FEW_RUNS && explorer_next(&prover->explorer, machine))); i++) {
        explorer_attach(&prover->explorer, machine);
        last = run_once(prover, machine, c, &finding, &error);
        last = prover->explorer.cut ? well : last;
    }
    peal_machine_destroy(machine);
    explorer_fini(&prover->explorer);
    prover->explorer = kept;
    prover->traffic = traffic;
    return last;
}

/* Whether it is only for want of buffers that nothing moves: it runs well with them, whatever is received first. */
static bool
runs_buffered(struct prover *prover, const struct peal_check_case *c)
{
    struct peal_check_case buffered = *c;

    buffered.eager = true;
    buffered.eager_words = SIZE_MAX / 16;
    return runs_on_while(prover, &buffered, true);
}

/* ------------------------------------------------------------------ once more, message by message */

/* Make a run of the case once more, with these choices where receives have any, and follow its messages.  The finding is of
 * this run.  False: it cannot be followed; `trail` is to be given back all the same. */
static bool
follow(struct prover *prover, const struct peal_check_case *c, const int *choices, size_t count, struct trail *trail,
       struct peal_finding *finding)
{
    struct explorer kept = prover->explorer;
    struct traffic traffic = prover->traffic;
    struct peal_error error;
    struct peal_machine *machine = machine_make(prover, c, &error);
    bool followed = false;

    *trail = (struct trail){.count = 0};
    if (machine && explorer_init(&prover->explorer, c->nodes, &error) == PEAL_OK) {
        if (trail_begin(trail, machine, &error) == PEAL_OK) {
            explorer_replay(&prover->explorer, c->nodes, choices, count);
            explorer_attach(&prover->explorer, machine);
            run_once(prover, machine, c, finding, &error);
            atomic_fetch_sub(&prover->progress->runs, 1); /* it was counted */
            followed = !trail->full && !prover->explorer.misfit && !prover->explorer.no_memory;
        }
        explorer_fini(&prover->explorer);
    }
    peal_machine_destroy(machine);
    prover->explorer = kept;
    prover->traffic = traffic;
    return followed;
}

/* Say which message brought the wrong word. */
static void
tell_message(struct prover *prover, const struct peal_check_case *c, struct peal_finding *finding)
{
    struct peal_finding again;
    struct trail trail;
    int rank;
    size_t word;

    if (finding->choices_cut || prover->check->program)
        return;
    if (follow(prover, c, finding->choices, (size_t)finding->choice_count, &trail, &again) &&
        strcmp(again.message, finding->message) == 0 && vectors_find_wrong(&now.data, &rank, &word))
        trail_explain(&trail, &now.data, rank, word, prover->file != NULL, finding);
    trail_fini(&trail);
}

/* Say, of a run that took more rounds or words than `most`, who sends or receives most. */
static void
tell_busiest(struct prover *prover, const struct peal_check_case *c, int64_t most, struct peal_finding *finding)
{
    const struct explorer *explorer = &prover->explorer;
    size_t length = strlen(finding->message), count = explorer->told;
    int *choices = calloc(count + 1, sizeof *choices);
    struct peal_finding again;
    struct trail trail;
    char text[300];

    if (!choices || prover->seen[finding->kind]) {
        free(choices);
        return;
    }
    memcpy(choices, explorer->choices ? explorer->choices : choices, count * sizeof *choices);
    if (follow(prover, c, choices, count, &trail, &again)) {
        trail_say_busiest(&trail, &now.data, finding->kind == PEAL_EXCESS_WORDS, most, text, sizeof text);
        if (text[0])
            snprintf(finding->message + length, sizeof finding->message - length, ": %s", text);
    }
    trail_fini(&trail);
    free(choices);
}

/* ------------------------------------------------------------------ limits */

struct limit {
    enum peal_failure_kind kind;
    const char *expression;
    int64_t is, bound;
};

static const char *
units_of(const struct limit *limit)
{
    if (limit->kind == PEAL_EXCESS_ROUNDS)
        return limit->is == 1 ? "round" : "rounds";
    return limit->is == 1 ? "word (each round's longest message)" : "words (each round's longest message)";
}

/* Compare one coefficient with the limit given, or with what no run can be below. */
static void
compare(struct prover *prover, const struct peal_check_case *c, const struct limit *limit, bool has_bound,
        struct peal_check_values values)
{
    struct peal_finding finding = {.kind = limit->kind};
    struct peal_error error;
    double most = 0;

    if (limit->expression) {
        if (peal_check_expression(limit->expression, values, &most, &error) != PEAL_OK) {
            tell_error(prover, &error);
            _exit(0);
        }
        if ((double)limit->is <= most)
            return;
        bool number = limit->expression[strspn(limit->expression, "0123456789")] == '\0';

        keep_choices(prover, &finding);
        snprintf(finding.message, sizeof finding.message, "takes %lld %s; the limit %s%sis %g", (long long)limit->is,
                 units_of(limit), number ? "" : limit->expression, number ? "" : " ", most);
    } else {
        finding.warning = true;
        if (!has_bound || limit->is <= limit->bound)
            return;
        snprintf(finding.message, sizeof finding.message, "takes %lld %s; no run can be below %lld",
                 (long long)limit->is, units_of(limit), (long long)limit->bound);
    }
    tell_busiest(prover, c, limit->expression ? (int64_t)most : limit->bound, &finding);
    tell_finding(prover, c, finding);
}

/* Hold what an algorithm of the catalogue was charged against its closed form, where there is one. */
static void
check_closed_form(struct prover *prover, const struct peal_machine *machine, const struct peal_check_case *c)
{
    int parameter;
    struct peal_situation situation = situation_of(prover->check, c, machine);
    const struct peal_algorithm *algorithm =
        peal_algorithm_parse(prover->check->collective, prover->check->algorithm, &parameter);
    struct peal_cost cost = peal_machine_cost(machine), closed;

    situation.parameter = parameter;
    if (!algorithm->cost(&situation, &closed))
        return;
    if (peal_cost_equal(cost, closed))
        return;
    bool rounds = cost.alpha != closed.alpha;
    int64_t is = rounds ? cost.alpha : cost.beta, most = rounds ? closed.alpha : closed.beta;
    struct peal_finding finding = {.kind = rounds ? PEAL_EXCESS_ROUNDS : PEAL_EXCESS_WORDS};
    char charged[100], form[100];

    snprintf(finding.message, sizeof finding.message, "costs %s; its closed form %s is %s",
             peal_cost_text(cost, charged, sizeof charged), algorithm->closed_form,
             peal_cost_text(closed, form, sizeof form));
    if (is > most)
        tell_busiest(prover, c, most, &finding);
    tell_finding(prover, c, finding);
}

/* Look at what the run was charged. */
static void
check_limits(struct prover *prover, const struct peal_machine *machine, const struct peal_check_case *c)
{
    if (prover->check->algorithm &&
        (prover->check->collective != PEAL_BARRIER || c->root == c->nodes)) /* nobody late */
        check_closed_form(prover, machine, c);
    const struct peal_check *check = prover->check;
    struct peal_cost cost = peal_machine_cost(machine), bound = {0};
    const char *source;
    bool blocks = peal_collective_has_blocks(check->collective);
    bool empty = c->sizes && c->words == 0; /* no message has to be sent, and few programs see that */
    bool usual = !check->algorithm && !check->program && c->ports == 1 && !c->eager && !empty;

    if (prover->extra || (!usual && !check->max_rounds && !check->max_words))
        return;
    struct peal_situation situation = situation_of(check, c, machine);
    size_t begins[LABEL_NODES + 1] = {0}, all = c->words * (size_t)c->nodes;
    const struct peal_blocks blocks_of = {.begins = begins};

    if (c->sizes && check->collective != PEAL_ALLTOALL) { /* there each node has its own */
        for (int b = 0; b < c->nodes; b++)
            begins[b + 1] = begins[b] + vectors_block(&now.data, b);
        situation.blocks = &blocks_of;
        all = begins[c->nodes];
    }
    bool has_bound = usual && peal_lower_bound(&situation, &bound, &source);
    double P = c->nodes, q = 0, words = (double)c->words;

    while ((1 << (int)q) < c->nodes)
        q++;
    struct peal_check_values values = {P, blocks ? words : words / P, blocks ? (double)all : words, q};
    const struct limit limits[] = {
        {PEAL_EXCESS_ROUNDS, check->max_rounds, cost.alpha, bound.alpha},
        {PEAL_EXCESS_WORDS, check->max_words, cost.beta, bound.beta},
    };

    for (int i = 0; i < 2; i++)
        if (limits[i].expression || usual)
            compare(prover, c, &limits[i], has_bound, values);
}

/* ------------------------------------------------------------------ what a program prints */

/* What was printed since the last time, sorted by node: "0: ...\n0: ...\n1: ...".  NULL without memory. */
static char *
take_text(const struct prover *prover)
{
    off_t bytes = lseek(prover->printed, 0, SEEK_END);
    char *raw = calloc((size_t)bytes + 1, 1), *sorted = calloc((size_t)bytes + 2, 1), *to = sorted;
    ssize_t got = raw ? pread(prover->printed, raw, (size_t)bytes, 0) : -1;

    if (!raw || !sorted || got < 0) {
        free(raw);
        free(sorted);
        return NULL;
    }
    for (int node = 0, next; node < INT_MAX; node = next) {
        next = INT_MAX;
        for (char *line = raw, *end; *line; line = end) {
            int of = atoi(line);

            end = strchr(line, '\n');
            end = end ? end + 1 : line + strlen(line);
            if (of == node)
                to = mempcpy(to, line, (size_t)(end - line));
            else if (of > node && of < next)
                next = of;
        }
    }
    free(raw);
    return sorted;
}

/* Behind "3: ". */
static const char *
after_tag(const char *line)
{
    const char *colon = strstr(line, ": ");

    return colon ? colon + 2 : line;
}

/* Whether the program printed the same as in the first run of the case; else the finding is filled. */
static bool
prints_the_same(struct prover *prover, struct peal_finding *finding)
{
    const char *one = prover->first_text, *other;

    free(prover->text);
    prover->text = take_text(prover);
    if (!prover->text)
        return true;
    if (!one) {
        prover->first_text = prover->text;
        prover->text = NULL;
        return true;
    }
    other = prover->text;
    if (strcmp(one, other) == 0)
        return true;
    while (*one && strncmp(one, other, strcspn(one, "\n") + 1) == 0) {
        other += strcspn(one, "\n") + 1;
        one += strcspn(one, "\n") + 1;
    }
    int node = atoi(*other ? other : one);

    finding->kind = PEAL_ORDER_DEPENDENT;
    one = after_tag(one);
    other = after_tag(other);
    snprintf(finding->message, sizeof finding->message,
             "node %d prints \"%.*s\"; when messages come in another order, it prints \"%.*s\"", node,
             (int)(strcspn(other, "\n") < 200 ? strcspn(other, "\n") : 200), other,
             (int)(strcspn(one, "\n") < 200 ? strcspn(one, "\n") : 200), one);
    return false;
}

/* Of a case in one order alone: what the program prints in another one, with which it is to be compared. */
static void
print_in_another_order(struct prover *prover, const struct peal_check_case *c)
{
    if (runs_on_while(prover, c, false))
        prover->first_text = take_text(prover);
}

/* ------------------------------------------------------------------ all cases */

/* Which of the kept machines is for this case. */
static struct peal_machine **
machine_place(struct prover *prover, size_t index, const struct cases *cases)
{
    size_t deliveries = (size_t)cases_deliveries(prover->check), ports = (size_t)cases->port_count;

    return &prover->machines[index % (deliveries * ports * (size_t)cases->network_count)];
}

/* Note how long the messages of a round are. */
static void
see_traffic(struct peal_machine *machine, void *arg)
{
    const struct round *round = &machine->round;
    struct traffic *traffic = arg;

    for (size_t i = 0; i < round->transfer_count; i++) {
        uint64_t words = round->transfers[i].words;

        traffic->least = words < traffic->least ? words : traffic->least;
        traffic->longest = words > traffic->longest ? words : traffic->longest;
    }
}

/* The number that the algorithm works with in this case. */
static int
parameter_of(const struct prover *prover, const struct peal_check_case *c, const struct peal_machine *machine)
{
    struct peal_situation situation = situation_of(prover->check, c, machine);
    const struct peal_algorithm *algorithm =
        peal_algorithm_parse(prover->check->collective, prover->check->algorithm, &situation.parameter);

    return peal_algorithm_parameter(algorithm, &situation);
}

/* Whether the case was run already, as the one before it, which differs in what counts as eager alone: a run is the same
 * for all limits between which no message of it lies.  Said of the catalogue's algorithms, which do not ask for the limit
 * but to choose their number. */
static bool
is_decided(const struct prover *prover, const struct peal_check_case *c, const struct peal_machine *machine,
           size_t index)
{
    const struct traffic *traffic = &prover->traffic;
    int deliveries = cases_deliveries(prover->check);

    if (!prover->check->algorithm || index % (size_t)deliveries == 0 || !traffic->well || traffic->index + 1 != index)
        return false;
    if (c->eager_words == 1 ? traffic->least <= 1 : traffic->longest > 1)
        return false;
    return parameter_of(prover, c, machine) == traffic->parameter;
}

/* What is wrong with where the words are, not with how they came there. */
static bool
is_about_words(enum peal_failure_kind kind)
{
    return kind == PEAL_WRONG_RESULT || kind == PEAL_NONCOMMUTATIVE_ORDER;
}

/* A run failed. */
static void
tell_failure(struct prover *prover, const struct peal_check_case *c, struct peal_finding *finding)
{
    bool both = prover->seen[PEAL_DEADLOCK] && prover->seen[PEAL_DEADLOCK_IF_UNBUFFERED];

    if (finding->kind == PEAL_DEADLOCK && !both && runs_buffered(prover, c))
        finding->kind = PEAL_DEADLOCK_IF_UNBUFFERED;
    if (finding->kind == PEAL_OUT_OF_MEMORY)
        snprintf(finding->message + strlen(finding->message), sizeof finding->message - strlen(finding->message),
                 " (the bound was not reached)");
    tell_finding(prover, c, *finding);
    if (finding->kind == PEAL_TIMED_OUT &&
        !cases_tolerated(prover->check, c)) { /* each further one would take as long */
        struct message message = {.what = MESSAGE_END};

        tell(prover, &message);
        _exit(0);
    }
}

/* The words were wrong in a run; `right`: and not in another one of the same case. */
static void
tell_wrong(struct prover *prover, const struct peal_check_case *c, struct peal_finding *finding, bool right)
{
    bool told = prover->seen[right ? PEAL_ORDER_DEPENDENT : finding->kind];

    if (!told)
        tell_message(prover, c, finding);
    size_t length = strlen(finding->message);

    if (!right || finding->kind == PEAL_NONCOMMUTATIVE_ORDER)
        tell_finding(prover, c, *finding);
    if (!right)
        return;
    snprintf(finding->message + length, sizeof finding->message - length,
             "; it is right when messages come in another order");
    finding->kind = PEAL_ORDER_DEPENDENT;
    tell_finding(prover, c, *finding);
}

/* Whether the explorer may make another run of this case, of which there were `runs`. */
static bool
may_go_on(struct prover *prover, uint64_t runs)
{
    uint64_t most = prover->check->max_runs > 0 ? prover->check->max_runs : MOST_RUNS;

    if (prover->wrong && runs >= FEW_RUNS)
        return false;
    if (atomic_fetch_add(&prover->progress->explored, 1) < most)
        return true;
    prover->out_of_runs = true;
    return false;
}

/* Something keeps the explorer from going on. */
static void
tell_obstacle(const struct prover *prover)
{
    struct peal_error error;

    if (prover->explorer.no_memory)
        peal_refuse(&error, PEAL_RESOURCES, "not enough memory for the choices of a run");
    else
        peal_refuse(&error, PEAL_USAGE,
                    "--choices: number %zu is no rank that a message from could be received at that point",
                    prover->explorer.choice_count);
    tell_error(prover, &error);
    _exit(0);
}

/* Run one case, with all choices that there are.  False: it does not fit the algorithm. */
static bool
run_case(struct prover *prover, const struct cases *cases, size_t index)
{
    struct peal_check_case c = cases_get(cases, prover->check, index);
    struct peal_machine **machine = machine_place(prover, index, cases);
    struct explorer *explorer = &prover->explorer;
    struct peal_finding finding, wrong = {.kind = PEAL_FAILURE_KINDS};
    struct peal_error error;
    bool right = false, well_in_all = true, limited = prover->check->max_rounds || prover->check->max_words;
    uint64_t runs = 0;

    if (!*machine && !(*machine = machine_make(prover, &c, &error))) {
        tell_error(prover, &error);
        _exit(0);
    }
    if (is_decided(prover, &c, *machine, index)) {
        prover->traffic.index = index;
        return true;
    }
    prover->extra = cases_is_extra(cases, prover->check, index);
    prover->traffic = (struct traffic){.witness = {.look = see_traffic, .arg = &prover->traffic}, .least = UINT64_MAX};
    if (!fits(prover, &c, *machine))
        return false;
    if (prover->check->choices)
        explorer_replay(explorer, c.nodes, prover->check->choices, (size_t)prover->check->choice_count);
    else
        explorer_begin(explorer, c.nodes);
    free(prover->first_text);
    prover->first_text = NULL;
    if (prover->check->choices && prover->check->program)
        print_in_another_order(prover, &c);
    do {
        explorer_attach(explorer, *machine);
        bool well = run_once(prover, *machine, &c, &finding, &error);

        runs++;
        if (explorer->no_memory || explorer->misfit)
            tell_obstacle(prover);
        if (explorer->cut)
            continue;
        prover->chose |= explorer_chose(explorer);
        prover->asks_time |= explorer_chose(explorer) && atomic_load(&(*machine)->asks_time);
        if (prover->check->program && well && !prover->asks_time)
            well = prints_the_same(prover, &finding);
        keep_choices(prover, &finding);
        if (well && (limited || !right) && !cases_tolerated(prover->check, &c))
            check_limits(prover, *machine, &c);
        right |= well;
        well_in_all &= well;
        if (well)
            continue;
        if (!is_about_words(finding.kind))
            tell_failure(prover, &c, &finding);
        else if (wrong.kind == PEAL_FAILURE_KINDS)
            wrong = finding;
    } while (explorer_next(explorer, *machine) && (wrong.kind == PEAL_FAILURE_KINDS || !right) &&
             may_go_on(prover, runs));
    if (wrong.kind != PEAL_FAILURE_KINDS)
        tell_wrong(prover, &c, &wrong,
                   right || (wrong.choice_count > 0 && prover->check->choices && runs_on_while(prover, &c, false)));
    prover->traffic.index = index;
    prover->traffic.well = well_in_all;
    prover->traffic.parameter = prover->check->algorithm ? parameter_of(prover, &c, *machine) : 0;
    return true;
}

/* Run every case of so many nodes, and say so if there was one. */
static void
run_nodes(struct prover *prover, int nodes)
{
    struct message message = {.what = MESSAGE_NODES};
    struct peal_error error;
    struct cases cases;
    bool some = false;

    if (cases_init(&cases, prover->check, nodes, &error) != PEAL_OK) {
        tell_error(prover, &error);
        _exit(0);
    }
    atomic_store(&prover->progress->index, 0);
    atomic_store(&prover->progress->nodes, nodes);
    for (size_t i = 0, count = cases_count(&cases, prover->check); i < count && !prover->out_of_runs; i++) {
        atomic_store(&prover->progress->index, i);
        if (!cases_needless(&cases, prover->check, i, prover->chose))
            some |= run_case(prover, &cases, i);
    }
    for (int i = 0; i < MACHINES; i++) {
        peal_machine_destroy(prover->machines[i]);
        prover->machines[i] = NULL;
    }
    cases_fini(&cases);
    message.as.nodes = nodes;
    if (some && !prover->out_of_runs)
        tell(prover, &message);
}

/* ------------------------------------------------------------------ a user's file */

/* The name of the call as a member of union peal_check_function. */
static void
member_name(const struct peal_check *check, char name[40])
{
    snprintf(name, 40, "%s", peal_call_name(check->collective, check->unequal));
    for (char *c = name; *c; c++)
        if (*c == '-')
            *c = '_';
}

/* The program around the file hands its function to peal_check_call. */
struct unit_source
prover_source(const struct peal_check *check, char text[1000])
{
    char member[40];

    if (check->program)
        return (struct unit_source){
            .file = check->file, .compiler = check->compiler, .flags = check->flags, .watched = true};
    member_name(check, member);
    snprintf(text, 1000,
             "#undef peal_main\n"
             "#pragma GCC diagnostic error \"-Wincompatible-pointer-types\"\n"
             "void\npeal_main(struct peal_node *me, int argc, char **argv)\n{\n"
             "    /* a %s: see union peal_check_function in peal/check.h */\n"
             "    union peal_check_function function = {.%s = %s};\n\n"
             "    (void)argc, (void)argv;\n"
             "    peal_check_call(me, &function);\n}\n",
             peal_call_name(check->collective, check->unequal), member, check->symbol);
    return (struct unit_source){
        .file = check->file,
        .before = "#include <peal/peal.h>\n#define peal_main peal_main_of_the_file\n",
        .after = text,
        .compiler = check->compiler,
        .flags = check->flags,
        .watched = true,
        .stranger = check->stranger,
    };
}

/* Load the user's file. */
static enum peal_status
load(struct prover *prover, struct peal_error *error)
{
    const struct peal_program_options options = {.argc = prover->check->argc, .argv = prover->check->argv};

    int most = cases_most(prover->check);

    if (watch_prepare(most, error) != PEAL_OK)
        return error->status;
    prover->file = program_load_compiled(prover->unit->wrapper, most, &options, &prover->unit->program, error);
    if (!prover->file)
        return error->status;
    if (!program_keep(prover->file))
        return peal_refuse(error, PEAL_RESOURCES, "no memory for the globals of %d nodes", most);
    return watch_loaded(prover->file, prover->unit->program.how, error);
}

const char *
prover_engine(void)
{
    struct peal_options options;

    peal_options_init(&options);
    options.nodes = 1;
    options.engine = "fibers";
    struct peal_machine *machine = peal_machine_create(&options, NULL);

    peal_machine_destroy(machine);
    return machine ? "fibers" : "threads";
}

size_t
prover_stack_bytes(int nodes)
{
    const size_t threads = (size_t)8 << 20, all = (size_t)64 << 30, each = all / (size_t)nodes;

    return each < threads ? each : threads;
}

void
prover_run(const struct peal_check *check, const struct unit *unit, int from, struct progress *progress,
           const unsigned char token[TOKEN_BYTES], int out)
{
    struct prover prover = {.check = check, .unit = unit, .progress = progress, .token = token, .out = out};
    struct message message = {.what = MESSAGE_END};
    struct peal_error error;

    prover.engine = check->engine ? check->engine : prover_engine();
    if (explorer_init(&prover.explorer, cases_most(check), &error) != PEAL_OK) {
        tell_error(&prover, &error);
        return;
    }
    prover.null = open("/dev/null", O_RDWR | O_CLOEXEC);
    prover.printed = check->program ? memfd_create("peal-check", MFD_CLOEXEC) : -1;
    if (!unit && strcmp(prover.engine, "fibers") == 0)
        keeper_begin(check);
    if (unit) {
        prover.out = sandbox_hide(out);
        sandbox_close_others((const int[]){prover.out, prover.null, prover.printed}, 3);
        dup2(prover.null, STDIN_FILENO);
        dup2(prover.null, STDOUT_FILENO);
        dup2(prover.null, STDERR_FILENO);
        sandbox_program(0, &progress->denied);
        if (load(&prover, &error) != PEAL_OK) {
            tell_error(&prover, &error);
            explorer_fini(&prover.explorer);
            close(prover.null);
            return;
        }
    }
    for (int nodes = from; nodes <= check->nodes_to && !prover.out_of_runs; nodes++)
        if (cases_wanted(check, nodes))
            run_nodes(&prover, nodes);
    for (int i = 0; check->beyond && from == check->nodes_from && cases_beyond[i] > 0; i++)
        if (cases_beyond[i] > check->nodes_to && !prover.wrong && !prover.chose && !prover.out_of_runs)
            run_nodes(&prover, cases_beyond[i]);
    keeper_end();
    watch_fini();
    peal_program_destroy(prover.file);
    vectors_fini(&now.data);
    close(prover.null);
    explorer_fini(&prover.explorer);
    free(prover.first_text);
    free(prover.text);
    message.as.end.asks_time = prover.asks_time;
    message.as.end.out_of_runs = prover.out_of_runs;
    tell(&prover, &message);
}
