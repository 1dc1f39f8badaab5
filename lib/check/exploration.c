/* SPDX-License-Identifier: MIT */
/* Goes through the orders of arrival of an MPI program, a child process for each, and collects their outcomes. */
#include "lib/check/exploration.h"
#include "lib/base/grow.h"
#include "lib/base/in_fortran.h"
#include "lib/base/text.h"
#include "lib/child/stderr_tail.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <peal/hints.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_LATE = 3 };

/* A run that is over. */
struct past {
    uint64_t from;
    size_t at;
    uint64_t outcomes; /* a bit each */
    uint64_t output;   /* its hash, if it went well */
    bool cut, repeats, fails;
};

struct order_search {
    struct exploration *all;
    struct explore_setup setup;
    struct peal_orders *orders;
    struct explore_child *places;
    int jobs;
    struct past *past; /* by number, from 0 for the usual run */
    size_t past_count;
    uint64_t *outputs;   /* their hashes */
    char *first, *other; /* what was printed in the first order, and in that of all->pair, by nodes */
    int late;            /* runs that did not end in time */
    double until;        /* no more runs are begun after this time; 0: no limit */
};

static volatile sig_atomic_t stopped;

static void
exploration_stop(int number)
{
    stopped = number;
}

/* ------------------------------------------------------------------ what was found */

static bool
same_outcome(const struct outcome *a, const struct outcome *b)
{
    return a->kind == b->kind && a->severity == b->severity && a->code == b->code && a->line == b->line &&
           strcmp(a->file, b->file) == 0;
}

/* Find the outcome among all, or add it, and return its number; -1: there are too many. */
static int
join_outcome(struct exploration *all, const struct outcome *outcome)
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

/* Keep the choices of a run among the first that show an outcome; runs of several jobs end in any order. */
static bool
keep_order(struct explored_outcome *one, const struct peal_order_run *run)
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

/* Hash the lines of each node, which begin with its rank: how the lines of several nodes interleave does not count. */
static uint64_t
hash_output(int file, int nodes)
{
    uint64_t hash = DIGEST_NOTHING, *of_node = calloc((size_t)nodes, sizeof *of_node);
    FILE *in = fdopen(dup(file), "r");
    size_t room = 0;
    char *line = NULL, *end;

    if (in)
        rewind(in);
    for (ssize_t got; in && (got = getline(&line, &room, in)) > 0;) {
        long rank = strtol(line, &end, 10);
        uint64_t *one = of_node && *end == ':' && rank >= 0 && rank < nodes ? &of_node[rank] : &hash;

        *one = digest_bytes(line, (size_t)got, *one);
    }
    if (of_node)
        hash = digest_bytes(of_node, (size_t)nodes * sizeof *of_node, hash);
    if (in)
        fclose(in);
    free(line);
    free(of_node);
    return hash;
}

/* Keep the first output, and that of the first order with another one: orders end in any order. */
static bool
keep_output(struct order_search *explorer, int file, const struct peal_order_run *run)
{
    struct output_pair *pair = &explorer->all->pair;

    if (run->number == 1) {
        explorer->first = printed_by_node(file);
        return explorer->first != NULL;
    }
    if (explorer->past[run->number].output == explorer->past[1].output ||
        (pair->order.number > 0 && pair->order.number < run->number))
        return true;
    free(explorer->other);
    free(pair->order.list);
    explorer->other = printed_by_node(file);
    pair->order = (struct order_choices){run->number, malloc((run->choice_count + 1) * sizeof(int)), run->choice_count};
    if (pair->order.list)
        memcpy(pair->order.list, run->choices, run->choice_count * sizeof(int));
    return explorer->other && pair->order.list;
}

/* Count the different outputs of runs that ended well. */
static bool
order_search_note_output(struct order_search *explorer, int file, const struct peal_order_run *run)
{
    struct exploration *all = explorer->all;
    uint64_t hash = hash_output(file, all->nodes);

    explorer->past[run->number].output = hash;
    if (explorer->first || run->number == 1) /* otherwise the first failed */
        if (!keep_output(explorer, file, run))
            return false;
    for (size_t i = 0; i < all->outputs; i++)
        if (explorer->outputs[i] == hash)
            return true;
    if (grow_by_one(&explorer->outputs, all->outputs, sizeof hash))
        explorer->outputs[all->outputs++] = hash;
    return true;
}

/* Whether the outcome adds nothing to the run's end: a deadlock that buffers would not prevent. */
static bool
outcome_says_nothing(const struct run_report *report, int count, const struct outcome *outcome)
{
    return outcome->kind == PEAL_DEADLOCK_IF_UNBUFFERED && count > 0 &&
           report->found[count - 1].severity == PEAL_SEVERITY_ERROR && report->found[count - 1].kind == PEAL_DEADLOCK;
}

/* Take what a run has found. */
static enum peal_status
order_search_take(struct order_search *explorer, const struct explore_child *place, struct peal_error *error)
{
    struct exploration *all = explorer->all;
    struct run_report *report = place->report;
    struct peal_order_run run = {.number = 0};

    if (place->order)
        run = peal_order_run(place->order);
    if (!peal_grow_zeroed(&explorer->past, &explorer->past_count, (size_t)run.number + 1, sizeof *explorer->past))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for the runs");
    struct past *past = &explorer->past[run.number];

    *past = (struct past){.from = run.from, .at = run.at, .cut = run.cut || run.repeats};
    all->chose |= run.choice_count > 0;
    all->strays |= run.strays;
    all->time_dependent |= run.time_dependent;
    if (run.misfit)
        return peal_refuse(error, PEAL_USAGE,
                           "--choices: number %zu is not a rank whose message could be received at that point, or "
                           "another choice there",
                           run.choice_count);
    if (run.repeats) { /* as the first run shows */
        past->outcomes = explorer->past[1].outcomes;
        past->fails = explorer->past[1].fails;
        past->repeats = true;
    }
    if (past->cut)
        return PEAL_OK;
    for (int i = 0, count = atomic_load(&report->count); i < count && i < MAX_FOUND; i++) {
        past->fails |= report->found[i].severity == PEAL_SEVERITY_ERROR;
        if (outcome_says_nothing(report, count, &report->found[i]))
            continue;
        peal_stderr_tail_read(place->error_output, report->found[i].error_output, sizeof report->found[i].error_output);
        int number = join_outcome(all, &report->found[i]);

        explorer->late += report->found[i].kind == PEAL_TIMED_OUT;
        if (number < 0 || past->outcomes >> number & 1)
            continue;
        struct explored_outcome *one = &all->list[number];

        past->outcomes |= UINT64_C(1) << number;
        one->times += place->order != NULL;
        if (place->order && (one->first == 0 || run.number < one->first)) {
            one->first = run.number;
            one->outcome = report->found[i];
        }
        if (place->order && !keep_order(one, &run))
            return peal_refuse(error, PEAL_RESOURCES, "not enough memory for the orders that fail");
    }
    if (!past->fails && place->order && !order_search_note_output(explorer, place->output, &run))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for two outputs");
    return PEAL_OK;
}

/* ------------------------------------------------------------------ runs */

/* Wait until a child has ended, or must be ended. */
static struct explore_child *
order_search_await(struct order_search *explorer)
{
    for (;;) {
        for (int i = 0; i < explorer->jobs; i++) {
            struct explore_child *place = &explorer->places[i];

            if (place->child.process && !place->killed && (stopped || child_look(&place->child) != CHILD_WELL)) {
                place->killed = true;
                peal_child_kill(&place->child);
            }
        }
        peal_child_attend();
        for (int i = 0; i < explorer->jobs; i++)
            if (explorer->places[i].child.process && explorer->places[i].child.over &&
                explore_child_end(&explorer->setup, &explorer->places[i]))
                return &explorer->places[i];
    }
}

/* Make the usual run, and show what it prints. */
static enum peal_status
run_usual(struct order_search *explorer, struct peal_error *error)
{
    struct explore_child *place = &explorer->places[0];
    char bytes[4096];
    off_t at = 0;

    if (explore_child_begin(&explorer->setup, place, NULL, error) != PEAL_OK)
        return error->status;
    order_search_await(explorer);
    for (ssize_t got; explorer->setup.request->out >= 0 && (got = pread(place->output, bytes, sizeof bytes, at)) > 0;
         at += got)
        if (write(explorer->setup.request->out, bytes, (size_t)got) != got)
            return peal_refuse(error, PEAL_RESOURCES, "what the nodes printed could not be written: %s",
                               strerror(errno));
    if (place->report->refused) {
        *error = place->report->error;
        return error->status;
    }
    explorer->all->code = place->report->code;
    explorer->all->number = place->report->number;
    if (explorer->all->number == NUMBER_REFUSED) {
        peal_stderr_tail_read(place->error_output, explorer->all->said, sizeof explorer->all->said);
        if (!explorer->all->said[0])
            peal_stderr_tail_read(place->output, explorer->all->said, sizeof explorer->all->said);
    }
    return stopped ? PEAL_OK : order_search_take(explorer, place, error);
}

static struct explore_child *
free_place(const struct order_search *explorer)
{
    for (int i = 0; i < explorer->jobs; i++)
        if (!explorer->places[i].child.process)
            return &explorer->places[i];
    return NULL;
}

static enum peal_status
run_orders(struct order_search *explorer, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    while (status == PEAL_OK && !stopped) {
        explorer->all->late = explorer->late >= MAX_LATE;
        explorer->all->over |= explorer->until > 0 && seconds_now() > explorer->until;
        bool ends = explorer->all->late || explorer->all->over;
        struct explore_child *place = ends ? NULL : free_place(explorer);
        struct peal_order *order = place ? peal_orders_next(explorer->orders) : NULL;

        if (order) {
            status = explore_child_begin(&explorer->setup, place, order, error);
            if (status != PEAL_OK)
                peal_orders_done(explorer->orders, order);
            continue;
        }
        if (peal_orders_under_way(explorer->orders) == 0)
            break;
        place = order_search_await(explorer);
        if (!stopped)
            status = order_search_take(explorer, place, error);
        peal_orders_done(explorer->orders, place->order);
    }
    while (peal_orders_under_way(explorer->orders) > 0) {
        stopped = stopped ? stopped : SIGTERM; /* after an error */
        peal_orders_done(explorer->orders, order_search_await(explorer)->order);
    }
    return status;
}

/* ------------------------------------------------------------------ what depends on the order */

/* The nearest order that this one descends from and that shows something; 0: none. */
static uint64_t
parent_of(const struct order_search *explorer, uint64_t number)
{
    uint64_t from = explorer->past[number].from;

    return from && explorer->past[from].cut && !explorer->past[from].repeats ? 0 : from;
}

/* Find an order with this outcome, and one that ends well and differs from it in one choice; *at is the place of that
 * choice in both.  False: none ends well. */
static bool
order_search_find_pair(const struct order_search *explorer, int bit, uint64_t *wrong, uint64_t *right, size_t *at)
{
    bool well = false;

    *wrong = *right = 0;
    for (uint64_t n = 1; n <= explorer->all->sum.runs && n < explorer->past_count; n++) {
        const struct past *past = &explorer->past[n];
        uint64_t from = parent_of(explorer, n);
        bool has = past->outcomes >> bit & 1;

        if (past->cut)
            continue;
        well |= !has && !past->fails;
        if (*wrong || !from)
            continue;
        const struct past *before = &explorer->past[from];
        bool had = before->outcomes >> bit & 1;

        if (has == had || (has && before->fails) || (had && past->fails))
            continue;
        *wrong = has ? n : before->repeats ? 1 : from;
        *right = has ? from : n;
        *at = past->at;
    }
    return well;
}

/* The choices of the order of this number, if they were kept. */
static const struct order_choices *
kept_order(const struct explored_outcome *one, uint64_t number)
{
    for (size_t i = 0; i < one->order_count; i++)
        if (one->orders[i].number == number)
            return &one->orders[i];
    return NULL;
}

/* Run the order once more, and read one of its choices. */
static enum peal_status
order_search_read_choice(struct order_search *explorer, const struct order_choices *order, size_t at,
                         struct peal_order_choice *choice, struct peal_error *error)
{
    struct peal_orders *orders = peal_orders_given(explorer->all->nodes, order->list, order->count, error);
    struct peal_order *given = orders ? peal_orders_next(orders) : NULL;
    enum peal_status status =
        given ? explore_child_begin(&explorer->setup, &explorer->places[0], given, error) : PEAL_RESOURCES;

    if (status == PEAL_OK) {
        order_search_await(explorer);
        const struct peal_order_choice *described = peal_order_choice(given, at);

        if (described)
            *choice = *described;
    }
    if (given)
        peal_orders_done(orders, given);
    peal_orders_destroy(orders);
    return status;
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

/* Find out where two outputs differ, and by which choice. */
static enum peal_status
explain_outputs(struct order_search *explorer, struct peal_error *error)
{
    struct output_pair *pair = &explorer->all->pair;
    const uint64_t number = pair->order.number, from = number ? parent_of(explorer, number) : 0;

    if (number == 0)
        return PEAL_OK;
    printed_differ(explorer->first, explorer->other, &pair->difference);
    if (from == 0 || explorer->past[from].output != explorer->past[1].output)
        return PEAL_OK;
    return order_search_read_choice(explorer, &pair->order, explorer->past[number].at, &pair->choice, error);
}

static enum peal_status
order_search_explain(struct order_search *explorer, struct peal_error *error)
{
    struct exploration *all = explorer->all;
    enum peal_status status = PEAL_OK;

    for (size_t i = 0; i < all->count && status == PEAL_OK && !stopped; i++) {
        struct explored_outcome *one = &all->list[i];
        uint64_t wrong = 0, right = 0;
        size_t at = 0;

        if (one->first == 0)
            continue;
        one->depends = one->outcome.kind != PEAL_DEADLOCK_IF_UNBUFFERED &&
                       order_search_find_pair(explorer, (int)i, &wrong, &right, &at);
        const struct order_choices *order = kept_order(one, wrong ? wrong : one->first);

        if (!order)
            continue;
        one->shown = *order;
        if (one->depends && wrong)
            status = order_search_read_choice(explorer, order, at, &one->choice, error);
    }
    if (status == PEAL_OK && !stopped)
        status = explain_outputs(explorer, error);
    qsort(all->list, all->count, sizeof *all->list, outcome_compare);
    for (size_t i = 0; i < all->count; i++)
        outcome_report(all, &all->list[i]);
    return status;
}

/* ------------------------------------------------------------------ the whole */

/* Standard input for every run: a file is read again, the contents of a pipe are kept. */
static int
keep_input(void)
{
    char bytes[4096];
    int kept;

    if (isatty(STDIN_FILENO) || fcntl(STDIN_FILENO, F_GETFD) < 0)
        return -1;
    if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0)
        return dup(STDIN_FILENO);
    kept = memfd_create("input", MFD_CLOEXEC);
    for (ssize_t got; kept >= 0 && (got = read(STDIN_FILENO, bytes, sizeof bytes)) > 0;)
        if (write(kept, bytes, (size_t)got) != got)
            break;
    return kept;
}

static enum peal_status
order_search_prepare(struct order_search *explorer, struct peal_error *error)
{
    explorer->places = calloc((size_t)explorer->jobs, sizeof *explorer->places);
    if (!explorer->places)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (int i = 0; i < explorer->jobs; i++) {
        struct explore_child *place = &explorer->places[i];

        place->output = memfd_create("output", MFD_CLOEXEC);
        place->error_output = memfd_create("error", MFD_CLOEXEC);
        place->report = mmap(NULL, sizeof *place->report, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (place->report == MAP_FAILED)
            place->report = NULL;
        if (place->output < 0 || place->error_output < 0 || !place->report)
            return peal_refuse(error, PEAL_RESOURCES, "not enough memory for %d runs at a time", explorer->jobs);
    }
    const struct exploration_request *request = explorer->setup.request;

    explorer->orders =
        request->choices
            ? peal_orders_given(request->nodes, request->choices, request->choice_count, error)
            : peal_orders_create(request->nodes, request->max_runs ? request->max_runs : DEFAULT_RUNS, error);
    return explorer->orders ? PEAL_OK : error->status;
}

static void
order_search_fini(struct order_search *explorer)
{
    for (int i = 0; explorer->places && i < explorer->jobs; i++) {
        if (explorer->places[i].output > 0)
            close(explorer->places[i].output);
        if (explorer->places[i].error_output > 0)
            close(explorer->places[i].error_output);
        if (explorer->places[i].report)
            munmap(explorer->places[i].report, sizeof *explorer->places[i].report);
    }
    free(explorer->places);
    free(explorer->past);
    free(explorer->outputs);
    free(explorer->first);
    free(explorer->other);
    peal_orders_destroy(explorer->orders);
    if (explorer->setup.input >= 0)
        close(explorer->setup.input);
}

enum peal_status
peal_explore(struct exploration *all, const struct exploration_request *request, struct peal_error *error)
{
    enum { DEFAULT_SECONDS = 10 };
    double limit = request->machine->timeout_seconds, begun = seconds_now();
    struct sigaction action = {.sa_handler = exploration_stop}, before;
    struct order_search explorer = {
        .all = all,
        .until = request->until,
        .jobs = request->jobs > 0 ? request->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN),
        .setup = {request, keep_input(), limit > 0 ? limit : DEFAULT_SECONDS},
    };

    *all = (struct exploration){.nodes = request->nodes};
    explorer.jobs = explorer.jobs > 0 ? explorer.jobs : 1;
    stopped = 0;
    fflush(NULL);
    sigaction(SIGINT, &action, &before);
    enum peal_status status = order_search_prepare(&explorer, error);

    if (status == PEAL_OK && !request->choices)
        status = run_usual(&explorer, error);
    if (status == PEAL_OK)
        status = run_orders(&explorer, error);
    if (explorer.orders)
        all->sum = peal_orders_sum(explorer.orders);
    if (status == PEAL_OK)
        status = order_search_explain(&explorer, error);
    all->interrupted = stopped == SIGINT;
    all->seconds = seconds_now() - begun;
    sigaction(SIGINT, &before, NULL);
    order_search_fini(&explorer);
    return status;
}

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
