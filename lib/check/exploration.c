/* SPDX-License-Identifier: MIT */
/* Goes through the orders of arrival of an MPI program, a child process for each, and collects their outcomes. */
#include "lib/check/exploration.h"
#include "lib/base/grow.h"
#include "lib/base/process.h"
#include "lib/base/text.h"
#include "lib/child/stderr_tail.h"
#include <errno.h>
#include <fcntl.h>
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
};

static volatile sig_atomic_t stopped;

static void
exploration_stop(int number)
{
    stopped = number;
}

/* ------------------------------------------------------------------ what was found */

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
keep_output(struct order_search *search, int file, const struct peal_order_run *run)
{
    struct output_pair *pair = &search->all->pair;

    if (run->number == 1) {
        search->first = printed_by_node(file);
        return search->first != NULL;
    }
    if (search->past[run->number].output == search->past[1].output ||
        (pair->order.number > 0 && pair->order.number < run->number))
        return true;
    free(search->other);
    free(pair->order.list);
    search->other = printed_by_node(file);
    pair->order = (struct order_choices){run->number, malloc((run->choice_count + 1) * sizeof(int)), run->choice_count};
    if (pair->order.list)
        memcpy(pair->order.list, run->choices, run->choice_count * sizeof(int));
    return search->other && pair->order.list;
}

/* Count the different outputs of runs that ended well. */
static bool
order_search_note_output(struct order_search *search, int file, const struct peal_order_run *run)
{
    struct exploration *all = search->all;
    uint64_t hash = hash_output(file, all->nodes);

    search->past[run->number].output = hash;
    if (search->first || run->number == 1) /* otherwise the first failed */
        if (!keep_output(search, file, run))
            return false;
    for (size_t i = 0; i < all->outputs; i++)
        if (search->outputs[i] == hash)
            return true;
    if (grow_by_one(&search->outputs, all->outputs, sizeof hash))
        search->outputs[all->outputs++] = hash;
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
order_search_take(struct order_search *search, const struct explore_child *place, struct peal_error *error)
{
    struct exploration *all = search->all;
    struct run_report *report = place->report;
    struct peal_order_run run = {.number = 0};

    if (place->order)
        run = peal_order_run(place->order);
    if (!peal_grow_zeroed(&search->past, &search->past_count, (size_t)run.number + 1, sizeof *search->past))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for the runs");
    struct past *past = &search->past[run.number];

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
        past->outcomes = search->past[1].outcomes;
        past->fails = search->past[1].fails;
        past->repeats = true;
    }
    if (past->cut)
        return PEAL_OK;
    for (int i = 0, count = atomic_load(&report->count); i < count && i < MAX_FOUND; i++) {
        past->fails |= report->found[i].severity == PEAL_SEVERITY_ERROR;
        if (outcome_says_nothing(report, count, &report->found[i]))
            continue;
        peal_stderr_tail_read(place->error_output, report->found[i].error_output, sizeof report->found[i].error_output);
        int number = outcomes_join(all, &report->found[i]);

        search->late += report->found[i].kind == PEAL_TIMED_OUT;
        if (number < 0 || past->outcomes >> number & 1)
            continue;
        struct explored_outcome *one = &all->list[number];

        past->outcomes |= UINT64_C(1) << number;
        one->times += place->order != NULL;
        if (place->order && (one->first == 0 || run.number < one->first)) {
            one->first = run.number;
            one->outcome = report->found[i];
        }
        if (place->order && !outcome_keep_order(one, &run))
            return peal_refuse(error, PEAL_RESOURCES, "not enough memory for the orders that fail");
    }
    if (!past->fails && place->order && !order_search_note_output(search, place->output, &run))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for two outputs");
    return PEAL_OK;
}

/* ------------------------------------------------------------------ runs */

/* Wait until a child has ended, or must be ended. */
static struct explore_child *
order_search_await(struct order_search *search)
{
    for (;;) {
        for (int i = 0; i < search->jobs; i++) {
            struct explore_child *place = &search->places[i];

            if (place->child.process && !place->killed && (stopped || child_look(&place->child) != CHILD_WELL)) {
                place->killed = true;
                peal_child_kill(&place->child);
            }
        }
        peal_child_attend();
        for (int i = 0; i < search->jobs; i++)
            if (search->places[i].child.process && search->places[i].child.over &&
                explore_child_end(&search->setup, &search->places[i]))
                return &search->places[i];
    }
}

/* Make the usual run, and show what it prints. */
static enum peal_status
run_usual(struct order_search *search, struct peal_error *error)
{
    struct explore_child *place = &search->places[0];
    char bytes[4096];
    off_t at = 0;

    if (explore_child_begin(&search->setup, place, NULL, error) != PEAL_OK)
        return error->status;
    order_search_await(search);
    for (ssize_t got; search->setup.request->out >= 0 && (got = pread(place->output, bytes, sizeof bytes, at)) > 0;
         at += got)
        if (!peal_write_whole(search->setup.request->out, bytes, (size_t)got))
            return peal_refuse(error, PEAL_RESOURCES, "what the nodes printed could not be written: %s",
                               strerror(errno));
    if (place->report->refused) {
        *error = place->report->error;
        return error->status;
    }
    search->all->code = place->report->code;
    search->all->number = place->report->number;
    if (search->all->number == NUMBER_REFUSED) {
        peal_stderr_tail_read(place->error_output, search->all->said, sizeof search->all->said);
        if (!search->all->said[0])
            peal_stderr_tail_read(place->output, search->all->said, sizeof search->all->said);
    }
    return stopped ? PEAL_OK : order_search_take(search, place, error);
}

static struct explore_child *
free_place(const struct order_search *search)
{
    for (int i = 0; i < search->jobs; i++)
        if (!search->places[i].child.process)
            return &search->places[i];
    return NULL;
}

static enum peal_status
run_orders(struct order_search *search, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    while (status == PEAL_OK && !stopped) {
        search->all->late = search->late >= MAX_LATE;
        search->all->over |= search->setup.request->until > 0 && seconds_now() > search->setup.request->until;
        bool ends = search->all->late || search->all->over;
        struct explore_child *place = ends ? NULL : free_place(search);
        struct peal_order *order = place ? peal_orders_next(search->orders) : NULL;

        if (order) {
            status = explore_child_begin(&search->setup, place, order, error);
            if (status != PEAL_OK)
                peal_orders_done(search->orders, order);
            continue;
        }
        if (peal_orders_under_way(search->orders) == 0)
            break;
        place = order_search_await(search);
        if (!stopped)
            status = order_search_take(search, place, error);
        peal_orders_done(search->orders, place->order);
    }
    while (peal_orders_under_way(search->orders) > 0) {
        stopped = stopped ? stopped : SIGTERM; /* after an error */
        peal_orders_done(search->orders, order_search_await(search)->order);
    }
    return status;
}

/* ------------------------------------------------------------------ what depends on the order */

/* The nearest order that this one descends from and that shows something; 0: none. */
static uint64_t
parent_of(const struct order_search *search, uint64_t number)
{
    uint64_t from = search->past[number].from;

    return from && search->past[from].cut && !search->past[from].repeats ? 0 : from;
}

/* Find an order with this outcome, and one that ends well and differs from it in one choice; *at is the place of that
 * choice in both.  False: none ends well. */
static bool
order_search_find_pair(const struct order_search *search, int bit, uint64_t *wrong, uint64_t *right, size_t *at)
{
    bool well = false;

    *wrong = *right = 0;
    for (uint64_t n = 1; n <= search->all->sum.runs && n < search->past_count; n++) {
        const struct past *past = &search->past[n];
        uint64_t from = parent_of(search, n);
        bool has = past->outcomes >> bit & 1;

        if (past->cut)
            continue;
        well |= !has && !past->fails;
        if (*wrong || !from)
            continue;
        const struct past *before = &search->past[from];
        bool had = before->outcomes >> bit & 1;

        if (has == had || (has && before->fails) || (had && past->fails))
            continue;
        *wrong = has ? n : before->repeats ? 1 : from;
        *right = has ? from : n;
        *at = past->at;
    }
    return well;
}

/* Run the order once more, and read one of its choices. */
static enum peal_status
order_search_read_choice(struct order_search *search, const struct order_choices *order, size_t at,
                         struct peal_order_choice *choice, struct peal_error *error)
{
    struct peal_orders *orders = peal_orders_given(search->all->nodes, order->list, order->count, error);
    struct peal_order *given = orders ? peal_orders_next(orders) : NULL;
    enum peal_status status = given ? explore_child_begin(&search->setup, &search->places[0], given, error)
                                    : peal_refuse(error, PEAL_RESOURCES, "not enough memory to run an order again");

    if (status == PEAL_OK) {
        order_search_await(search);
        const struct peal_order_choice *described = peal_order_choice(given, at);

        if (described)
            *choice = *described;
    }
    if (given)
        peal_orders_done(orders, given);
    peal_orders_destroy(orders);
    return status;
}

/* Find out where two outputs differ, and by which choice. */
static enum peal_status
explain_outputs(struct order_search *search, struct peal_error *error)
{
    struct output_pair *pair = &search->all->pair;
    const uint64_t number = pair->order.number, from = number ? parent_of(search, number) : 0;

    if (number == 0)
        return PEAL_OK;
    printed_differ(search->first, search->other, &pair->difference);
    if (from == 0 || search->past[from].output != search->past[1].output)
        return PEAL_OK;
    return order_search_read_choice(search, &pair->order, search->past[number].at, &pair->choice, error);
}

static enum peal_status
order_search_explain(struct order_search *search, struct peal_error *error)
{
    struct exploration *all = search->all;
    enum peal_status status = PEAL_OK;

    for (size_t i = 0; i < all->count && status == PEAL_OK && !stopped; i++) {
        struct explored_outcome *one = &all->list[i];
        uint64_t wrong = 0, right = 0;
        size_t at = 0;

        if (one->first == 0)
            continue;
        one->depends = one->outcome.kind != PEAL_DEADLOCK_IF_UNBUFFERED &&
                       order_search_find_pair(search, (int)i, &wrong, &right, &at);
        const struct order_choices *order = outcome_order(one, wrong ? wrong : one->first);

        if (!order)
            continue;
        one->shown = *order;
        if (one->depends && wrong)
            status = order_search_read_choice(search, order, at, &one->choice, error);
    }
    if (status == PEAL_OK && !stopped)
        status = explain_outputs(search, error);
    outcomes_report(all);
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
        if (!peal_write_whole(kept, bytes, (size_t)got))
            break;
    return kept;
}

static enum peal_status
order_search_prepare(struct order_search *search, struct peal_error *error)
{
    search->places = calloc((size_t)search->jobs, sizeof *search->places);
    if (!search->places)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (int i = 0; i < search->jobs; i++) {
        struct explore_child *place = &search->places[i];

        place->output = memfd_create("output", MFD_CLOEXEC);
        place->error_output = memfd_create("error", MFD_CLOEXEC);
        place->report = mmap(NULL, sizeof *place->report, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (place->report == MAP_FAILED)
            place->report = NULL;
        if (place->output < 0 || place->error_output < 0 || !place->report)
            return peal_refuse(error, PEAL_RESOURCES, "not enough memory for %d runs at a time", search->jobs);
    }
    const struct exploration_request *request = search->setup.request;

    search->orders =
        request->choices
            ? peal_orders_given(request->nodes, request->choices, request->choice_count, error)
            : peal_orders_create(request->nodes, request->max_runs ? request->max_runs : DEFAULT_RUNS, error);
    return search->orders ? PEAL_OK : error->status;
}

static void
order_search_fini(struct order_search *search)
{
    for (int i = 0; search->places && i < search->jobs; i++) {
        if (search->places[i].output > 0)
            close(search->places[i].output);
        if (search->places[i].error_output > 0)
            close(search->places[i].error_output);
        if (search->places[i].report)
            munmap(search->places[i].report, sizeof *search->places[i].report);
    }
    free(search->places);
    free(search->past);
    free(search->outputs);
    free(search->first);
    free(search->other);
    peal_orders_destroy(search->orders);
    if (search->setup.input >= 0)
        close(search->setup.input);
}

enum peal_status
peal_explore(struct exploration *all, const struct exploration_request *request, struct peal_error *error)
{
    enum { DEFAULT_SECONDS = 10 };
    double limit = request->machine->timeout_seconds, begun = seconds_now();
    struct sigaction action = {.sa_handler = exploration_stop}, before;
    struct order_search search = {
        .all = all,
        .jobs = request->jobs > 0 ? request->jobs : (int)sysconf(_SC_NPROCESSORS_ONLN),
        .setup = {request, keep_input(), limit > 0 ? limit : DEFAULT_SECONDS},
    };

    *all = (struct exploration){.nodes = request->nodes};
    search.jobs = search.jobs > 0 ? search.jobs : 1;
    stopped = 0;
    fflush(NULL);
    sigaction(SIGINT, &action, &before);
    enum peal_status status = order_search_prepare(&search, error);

    if (status == PEAL_OK && !request->choices)
        status = run_usual(&search, error);
    if (status == PEAL_OK)
        status = run_orders(&search, error);
    if (search.orders)
        all->sum = peal_orders_sum(search.orders);
    if (status == PEAL_OK)
        status = order_search_explain(&search, error);
    all->interrupted = stopped == SIGINT;
    all->seconds = seconds_now() - begun;
    sigaction(SIGINT, &before, NULL);
    order_search_fini(&search);
    return status;
}
