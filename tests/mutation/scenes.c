/* SPDX-License-Identifier: MIT */
/* Runs a mutant and its original in many scenes and compares their schedules and costs, for mutate.py. */
#include "scenes.h"
#include "lib/machine/machine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_FORMS = 4000, MAX_NAMES = 400, TEXT = 400, COST_SECONDS = 1, RUN_SECONDS = 20 };

static const char *const networks[] = {"full",      "line",     "ring",     "mesh",        "torus",
                                       "hypercube", "mesh:3x2", "mesh:6x2", "torus:3x2x2", "torus:4x2x2"};
static const int nodes_of[] = {[6] = 6, [7] = 12, [8] = 12, [9] = 16}; /* 0: any */
static const int nodes[] = {2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 24, 32, 33};
static const int few_nodes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17}; /* for closed forms */
static const size_t uneven[] = {2, 0, 1};

/* One run. */
struct scene {
    const struct peal_algorithm *algorithm;
    const char *name; /* "chain:3" */
    bool priced;      /* for closed forms */
    struct peal_options options;
    struct peal_exercise exercise;
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void
tell(const struct scene *scene, char *text, size_t bytes)
{
    const struct peal_options *o = &scene->options;

    snprintf(text, bytes, "-p %d -t %s --ports %d%s%s, %zu words, root %d, by %d, %d to, %d sizes, %s", o->nodes,
             o->topology, o->ports, o->half_duplex ? " half duplex" : "",
             o->noncombining ? " noncombining"
             : o->eager      ? " eager"
                             : "",
             scene->exercise.words, scene->exercise.root, scene->exercise.by, scene->exercise.to_count,
             scene->exercise.size_count, peal_switching_name(o->switching));
}

/* Call `visit` for every scene of the machine; false as soon as it gives false. */
static bool
visit_sizes(struct scene *scene, struct peal_machine *machine,
            bool (*visit)(struct scene *, struct peal_machine *, void *), void *arg)
{
    enum peal_collective collective = scene->algorithm->collective;
    int P = scene->options.nodes, turns[] = {0, 1, P / 3, P - 1}, set[40], count = 0;
    size_t vectors[] = {scene->priced ? 2 * (size_t)P : 1, 2 * (size_t)P + 1, 0},
           blocks[] = {1, 3, scene->priced ? 0 : 2, 20};
    bool cut = peal_collective_has_blocks(collective),
         many = peal_collective_has_root(collective) || collective == PEAL_SHIFT;
    size_t sizes = collective == PEAL_BARRIER ? 1 : scene->priced ? 3 : cut ? 4 : 2;

    for (int rank = P - 1; rank >= 0; rank -= 2)
        set[count++] = rank;
    for (size_t i = 0; i < sizes; i++)
        for (int t = 0; t < (many && P > 1 ? 4 : 1); t++)
            for (int some = 0; some <= (collective == PEAL_MULTICAST); some++) {
                struct peal_exercise *e = &scene->exercise;

                if ((t >= 2 && turns[t] <= 1) || (t == 1 && P > 3) || (t == 3 && !scene->priced && P > 9))
                    continue;
                *e = (struct peal_exercise){.collective = collective, .algorithm = scene->name, .op = PEAL_AFFINE};
                if (!peal_collective_has_op(collective))
                    e->op = NULL;
                else if (scene->algorithm->needs.commutative || scene->algorithm->needs.commutative_off_0)
                    e->op = PEAL_SUM_INT64;
                e->words = cut ? blocks[i] : vectors[i];
                if (collective == PEAL_SHIFT)
                    e->by = turns[t];
                else
                    e->root = turns[t];
                if (cut && i == 2 && !scene->priced)
                    e->sizes = uneven, e->size_count = 3;
                if (some)
                    e->to = set, e->to_count = count;
                else if (collective == PEAL_MULTICAST)
                    e->to_count = P;
                if (!visit(scene, machine, arg))
                    return false;
            }
    return true;
}

static bool
visit_machine(struct scene *scene, bool (*visit)(struct scene *, struct peal_machine *, void *), void *arg)
{
    struct peal_machine *machine = peal_machine_create(&scene->options, NULL);

    /* to wake another thread takes longer than a run; a mutant that computes for ever ends with its process */
    if (machine)
        machine->runs_here = true;
    bool going = !machine || visit_sizes(scene, machine, visit, arg);

    peal_machine_destroy(machine);
    return going;
}

/* Ways to charge, and a machine that refuses bundles. */
static void
price(struct peal_options *options, int way)
{
    options->switching = way == 1 ? PEAL_WORMHOLE : way == 2 ? PEAL_STORE_FORWARD : PEAL_IDEAL;
    options->noncombining = way == 3;
    options->parameters.alpha = 2; /* so that more pieces than one are chosen */
    if (way == 4)
        options->congestion = options->congestion == PEAL_COUNT ? PEAL_VOLUME : PEAL_COUNT;
}

/* Every scene of an algorithm: with `priced` all networks and switchings, else those that change what is sent. */
static void
visit_scenes(const char *name, bool priced, bool (*visit)(struct scene *, struct peal_machine *, void *), void *arg)
{
    static const struct {
        int ports;
        bool half;
    } kinds[] = {{1, false}, {PEAL_PORTS_ALL, false}, {2, false}, {3, false},
                 {2, true},  {PEAL_PORTS_ALL, true},  {1, true}};
    char collective[40];
    int parameter;
    enum peal_collective which;
    struct scene scene = {.name = strchr(name, '/') + 1, .priced = priced};

    snprintf(collective, sizeof collective, "%.*s", (int)(scene.name - 1 - name), name);
    if (!peal_collective_find(collective, &which) ||
        !(scene.algorithm = peal_algorithm_parse(which, scene.name, &parameter)))
        return;
    const struct peal_algorithm *a = scene.algorithm;
    bool asks = priced || a->asks_network || a->needs.kinds || a->needs.ports == PEAL_PORTS_ALL;

    for (size_t p = 0; p < (priced ? COUNT(few_nodes) : COUNT(nodes)); p++)
        for (size_t t = 0; t < (priced ? 6 : asks ? COUNT(networks) : a->asks_ports ? 2 : 1); t++)
            for (size_t k = 0; k < (a->asks_ports ? COUNT(kinds) : priced && a->needs.ports == 0 ? 1 : 2); k++)
                for (int way = 0; way < (priced ? 5 : 2); way++) {
                    int P = priced ? few_nodes[p] : nodes[p];

                    if ((t < COUNT(nodes_of) && nodes_of[t] != 0 && nodes_of[t] != P) ||
                        (priced && k > 0 && way > 0 && (way != 3 || t > 0)))
                        continue;
                    peal_options_init(&scene.options);
                    scene.options.nodes = P;
                    scene.options.topology = networks[t];
                    scene.options.ports = kinds[k].ports;
                    scene.options.half_duplex = kinds[k].half;
                    scene.options.engine = "fibers";
                    scene.options.carriers = 1;
                    scene.options.timeout_seconds = 5;
                    if (a->needs.ports == PEAL_PORTS_ALL && k != 1)
                        continue;
                    if (priced)
                        price(&scene.options, way);
                    else
                        scene.options.eager = way == 1, scene.options.eager_words = 1000;
                    if (!visit_machine(&scene, visit, arg))
                        return;
                }
}

/* ------------------------------------------------------------------ a mutant against what it was made from */

/* What was sent in one run. */
struct trace {
    uint64_t schedule; /* a hash; 0: it does not fit */
    uint64_t messages; /* a hash of what each node sends, in its own order, whatever the rounds */
    struct peal_cost cost, path;
};

/* What an algorithm sent in every scene, as it was made.  Kept for all mutants of a file. */
static struct sent {
    char name[100];
    struct trace *traces;
    int count, room;
} sent[MAX_NAMES];
static int sent_count;

struct comparison {
    const struct sent *sent;
    int index, scenes, alike; /* alike: so many sent the same messages in other rounds, and cost no more */
    struct scene different;
    bool differs, wrong;
};

/* Of rounds and their transfers: who, to whom, how much, in this order. */
static uint64_t
hash_of(const struct peal_schedule *schedule)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ schedule->round_count;

    for (size_t i = 0; i < schedule->round_count; i++) {
        const struct peal_round *round = peal_schedule_round(schedule, i);

        hash = (hash ^ round->count) * UINT64_C(0x100000001b3);
        for (size_t j = round->first; j < round->first + round->count; j++) {
            const struct peal_transfer *t = &schedule->transfers[j];

            hash = (hash ^ (((uint64_t)t->from << 48) + ((uint64_t)t->to << 32) + t->words)) *
                   UINT64_C(0x9e3779b97f4a7c15);
            hash ^= hash >> 29;
        }
    }
    return hash ? hash : 1;
}

/* A hash that depends on the order of what is added. */
static uint64_t
add(uint64_t hash, uint64_t next)
{
    hash = (hash ^ next) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t
hash_of_messages(const struct peal_schedule *schedule, int P)
{
    uint64_t sends[64] = {0}, hash = 1;

    for (size_t i = 0; i < schedule->round_count; i++) {
        const struct peal_round *round = peal_schedule_round(schedule, i);

        for (size_t j = round->first; j < round->first + round->count; j++) {
            const struct peal_transfer *t = &schedule->transfers[j];

            sends[t->from] = add(add(sends[t->from], (uint64_t)t->to + 1), t->words);
        }
    }
    for (int rank = 0; rank < P; rank++)
        hash = add(hash, sends[rank]);
    return hash;
}

static struct trace
trace_of(const struct peal_machine *machine)
{
    const struct peal_schedule *schedule = peal_machine_schedule(machine);

    return (struct trace){.schedule = hash_of(schedule),
                          .messages = hash_of_messages(schedule, peal_machine_options(machine)->nodes),
                          .cost = peal_machine_cost(machine),
                          .path = peal_machine_critical_path(machine)};
}

/* In each coefficient. */
static bool
costs_no_more(struct peal_cost a, struct peal_cost b)
{
    return a.alpha <= b.alpha && a.beta <= b.beta && a.hop <= b.hop && a.tau <= b.tau;
}

static bool
are_alike(const struct trace *now, const struct trace *before)
{
    return now->messages == before->messages && costs_no_more(now->cost, before->cost) &&
           costs_no_more(now->path, before->path);
}

/* Keep what the original sends. */
static bool
keep(struct scene *scene, struct peal_machine *machine, void *arg)
{
    struct peal_outcome outcome;
    struct peal_error error;
    struct sent *all = arg;
    bool done = peal_exercise(machine, &scene->exercise, &outcome, &error) == PEAL_OK;

    if (all->count == all->room) {
        all->room = 2 * all->room + 1000;
        all->traces = realloc(all->traces, (size_t)all->room * sizeof *all->traces);
        if (!all->traces)
            exit(4);
    }
    all->traces[all->count++] = done ? trace_of(machine) : (struct trace){0};
    return true;
}

/* What is kept of this algorithm, or found now.  Never given back. */
static const struct sent *
sent_by(const char *name, int *mutant)
{
    struct sent *all = &sent[sent_count];

    for (int i = 0; i < sent_count; i++)
        if (strcmp(sent[i].name, name) == 0)
            return &sent[i];
    if (sent_count == MAX_NAMES)
        exit(4);
    sent_count++;
    snprintf(all->name, sizeof all->name, "%s", name);
    *mutant = 0;
    visit_scenes(name, false, keep, all);
    return all;
}

static bool
compare(struct scene *scene, struct peal_machine *machine, void *arg)
{
    struct comparison *all = arg;
    struct peal_outcome outcome;
    struct peal_error error;
    struct trace before = all->sent->traces[all->index++], now = {0};

    if (before.schedule == 0)
        return true; /* it does not fit */
    bool right = peal_exercise(machine, &scene->exercise, &outcome, &error) == PEAL_OK;

    if (right)
        now = trace_of(machine);
    bool alike = right && are_alike(&now, &before);

    all->scenes++;
    all->alike += alike && now.schedule != before.schedule;
    if (!alike && (!all->differs || !right)) {
        all->different = *scene;
        all->differs = true;
        all->wrong = !right;
    }
    return right; /* one that differs may yet be wrong */
}

/* Call `work` in a child, which writes `text`; what it says if it dies. */
static void
in_child(void (*work)(void *arg, char *text, size_t bytes), void *arg, unsigned seconds, const char *dead, char *text,
         size_t bytes)
{
    int ends[2], how;

    if (pipe(ends) != 0)
        exit(4);
    fflush(NULL);
    pid_t child = fork();

    if (child == 0) {
        struct rlimit limit = {seconds, seconds + 1};
        char said[TEXT] = "";

        setrlimit(RLIMIT_CPU, &limit);
        close(STDERR_FILENO);
        work(arg, said, sizeof said);
        _exit(write(ends[1], said, strlen(said) + 1) < 0);
    }
    close(ends[1]);
    ssize_t count = child > 0 ? read(ends[0], text, bytes - 1) : -1;

    close(ends[0]);
    text[count > 0 ? count : 0] = '\0';
    if (child > 0 && (waitpid(child, &how, 0) != child || how != 0 || count <= 0))
        snprintf(text, bytes, "%s", dead);
}

struct forms;

struct task {
    const char *name;
    const struct peal_algorithm *mutated;
    int *mutant, number;
    const struct sent *sent;
    const struct forms *all;
};

static void
do_compare(void *arg, char *text, size_t bytes)
{
    struct task *task = arg;
    struct comparison all = {.sent = task->sent};
    char where[TEXT];

    *task->mutant = task->number;
    visit_scenes(task->name, false, compare, &all);
    tell(&all.different, where, all.differs ? sizeof where : 0);
    if (all.differs)
        snprintf(text, bytes, "%s %s: %s", all.wrong ? "WRONG" : "differs", task->name, where);
    else
        snprintf(text, bytes, "%s %d", all.alike > 0 ? "alike" : "same", all.scenes);
}

void
scenes_compare(const char *name, int *mutant, int number, char *text, size_t bytes)
{
    struct task task = {.name = name, .mutant = mutant, .number = number, .sent = sent_by(name, mutant)};

    in_child(do_compare, &task, RUN_SECONDS, "WRONG it does not end, or crashes", text, bytes);
}

/* ------------------------------------------------------------------ closed forms */

/* What an algorithm is charged in one scene, as it was made. */
struct form {
    struct peal_situation situation;
    struct peal_cost charged;
    bool refused;  /* by the noncombining machine: there is no closed form */
    bool promised; /* it gives a closed form where it says so */
};

/* All of an algorithm; kept for all mutants of a file. */
static struct forms {
    char name[100];
    struct form *forms;
    int count;
} kept[MAX_NAMES];
static int kept_count;

/* Whether the kind of network is among those named. */
static bool
names(const char *kinds, const char *kind)
{
    size_t length = strlen(kind);

    for (const char *at = kinds; kinds && (at = strstr(at, kind)); at++)
        if ((at == kinds || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return !kinds;
}

static bool
note(struct scene *scene, struct peal_machine *machine, void *arg)
{
    struct peal_outcome outcome;
    struct peal_error error;
    struct forms *all = arg;
    int P = scene->options.nodes;
    bool done, refused;

    if (all->count == MAX_FORMS)
        return false;
    done = peal_exercise(machine, &scene->exercise, &outcome, &error) == PEAL_OK;
    refused = !done && scene->options.noncombining && peal_machine_failure(machine) &&
              peal_machine_failure(machine)->kind == PEAL_NONCOMBINING;
    if ((!done && !refused) || outcome.situation.unequal)
        return true;
    if (outcome.has_closed_form && (refused || !outcome.closed_form_equal)) {
        char where[TEXT];

        tell(scene, where, sizeof where);
        fprintf(stderr, "%s, as it is: the closed form is wrong: %s\n", scene->name, where);
        exit(4);
    }
    struct form *form = &all->forms[all->count++];

    *form = (struct form){.situation = outcome.situation, .refused = refused};
    if (done)
        form->charged = peal_machine_cost(machine);
    if (!strchr(scene->name, ':'))
        form->situation.parameter = 0; /* another choice of the number is another closed form */
    form->situation.network = peal_network_create(scene->options.topology, P, NULL, NULL);
    if (scene->exercise.to) { /* they outlive the scene */
        int *to = malloc((size_t)scene->exercise.to_count * sizeof *to);

        for (int i = 0; to && i < scene->exercise.to_count; i++)
            to[i] = scene->exercise.to[i];
        form->situation.to = to;
    }
    form->promised = outcome.has_closed_form && scene->exercise.root == 0 && (P & (P - 1)) == 0 &&
                     scene->options.ports == 1 && !scene->options.half_duplex &&
                     scene->options.switching == PEAL_IDEAL &&
                     names(scene->algorithm->closed_on, peal_network_kind(form->situation.network));
    return true;
}

/* Whether the closed form that has been there and the one that is now are not the same. */
static bool
changed(bool had, struct peal_cost before, bool has, struct peal_cost now)
{
    return had != has || (had && !peal_cost_equal(before, now));
}

static void
do_refute(void *arg, char *text, size_t bytes)
{
    struct task *task = arg;
    int changes = 0;

    for (int i = 0; i < task->all->count; i++) {
        struct peal_cost closed, before;
        const struct form *form = &task->all->forms[i];
        const struct peal_situation *s = &form->situation;
        bool had, has;

        *task->mutant = 0;
        had = peal_algorithm_cost(task->mutated, s, &before);
        *task->mutant = task->number;
        has = peal_algorithm_cost(task->mutated, s, &closed);
        changes += changed(had, before, has, closed);
        if (has ? !form->refused && peal_cost_equal(closed, form->charged) : !form->promised)
            continue;
        snprintf(text, bytes, "%s %s: P = %d on %s, %d ports, %zu words, root %d%s", has ? "wrong-form" : "no-form",
                 task->name, s->nodes, peal_network_kind(s->network), s->ports, s->words, s->root,
                 s->noncombining ? ", noncombining" : "");
        return;
    }
    if (changes > 0)
        snprintf(text, bytes, "survived elsewhere %d", changes);
    else
        snprintf(text, bytes, "survived same %d", task->all->count);
}

/* What is kept of this algorithm, or found now.  Never given back. */
static const struct forms *
forms_of(const char *name, int *mutant)
{
    struct forms *all = &kept[kept_count];

    for (int i = 0; i < kept_count; i++)
        if (strcmp(kept[i].name, name) == 0)
            return &kept[i];
    if (kept_count == MAX_NAMES || !(all->forms = calloc(MAX_FORMS, sizeof *all->forms)))
        exit(4);
    kept_count++;
    snprintf(all->name, sizeof all->name, "%s", name);
    *mutant = 0;
    visit_scenes(name, true, note, all);
    return all;
}

bool
scenes_refute_cost(const char *name, const struct peal_algorithm *mutated, int *mutant, int number, char *text,
                   size_t bytes)
{
    struct task task = {
        .name = name, .mutated = mutated, .mutant = mutant, .number = number, .all = forms_of(name, mutant)};

    in_child(do_refute, &task, COST_SECONDS, "wrong-form it crashes, or does not end", text, bytes);
    return strncmp(text, "survived ", 9) != 0;
}
