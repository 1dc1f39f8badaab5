/* SPDX-License-Identifier: MIT */
/* Running the cases of a check, one after another, on machines that are kept for all cases of one P. */
#include "lib/base/unbacked.h"
#include "lib/check/expression.h"
#include "lib/check/rerun.h"
#include "lib/child/child_message.h"
#include "lib/machine/machine.h"
#include "lib/memory/branches.h"
#include "lib/memory/watch.h"
#include "lib/sandbox/sandbox.h"
#include <stdlib.h>
#include <unistd.h>

enum { MAX_RUNS = 1000000 }; /* that explore choices */

/* Two calls in a row multiply their orders of arrival: the most runs for one number of nodes. */
enum { MAX_CALLED_RUNS = 20000, MAX_COMBINED_RUNS = MAX_CALLED_RUNS / 40 };

/* Whether the algorithm can be called this way. */
static bool
algorithm_fits(const struct prover *prover, const struct peal_check_case *c, const struct peal_machine *machine)
{
    const struct peal_check *check = prover->check;
    struct peal_situation situation = runner_situation(&prover->runner, c, machine);

    situation.op = !peal_collective_has_op(check->collective) ? NULL
                   : c->commutative                           ? &label_op_commutative
                                                              : &label_op;
    const struct peal_algorithm *algorithm =
        peal_algorithm_parse(check->collective, check->algorithm, &situation.parameter);

    return peal_algorithm_fits(algorithm, &situation, NULL) == PEAL_OK;
}

/* Whether the case is to be run. */
static bool
prover_case_fits(const struct prover *prover, const struct peal_check_case *c, const struct peal_machine *machine)
{
    const struct peal_check *check = prover->check;
    const struct peal_check_case first = cases_earlier(check, c);
    const bool separate =
        prover->never_in_place || (atomic_load(&prover->progress->separate) && check->buffers == PEAL_BUFFERS_DEFAULT);

    /* where something is already wrong, a warning is too much */
    if (!cases_fits(check, c) || (c->in_place && (separate || (prover->reporter.wrong && cases_tolerated(check, c)))))
        return false;
    return !check->algorithm || (algorithm_fits(prover, c, machine) && algorithm_fits(prover, &first, machine));
}

/* ------------------------------------------------------------------ all cases */

struct peal_machine **
prover_machine(struct prover *prover, size_t index, const struct cases *cases)
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

static int
parameter_of(const struct prover *prover, const struct peal_check_case *c, const struct peal_machine *machine)
{
    struct peal_situation situation = runner_situation(&prover->runner, c, machine);
    const struct peal_algorithm *algorithm =
        peal_algorithm_parse(prover->check->collective, prover->check->algorithm, &situation.parameter);

    return peal_algorithm_parameter(algorithm, &situation);
}

/* Whether the case was run already, as the one before it, which differs only in the eager limit: a run is the same
 * for all limits between which none of its messages lies.  Holds for the catalogue's algorithms, which use the limit
 * only to choose their parameter. */
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

/* Whether the time for this number of nodes is over. */
static bool
prover_is_late(struct prover *prover)
{
    prover->out_of_time |= prover->until > 0 && seconds_now() > prover->until;
    return prover->out_of_time;
}

/* Whether the explorer may make another run of this case, of which there were `runs`. */
static bool
may_go_on(struct prover *prover, uint64_t runs)
{
    if (prover->reporter.wrong && runs >= FEW_RUNS)
        return false;
    if (prover_is_late(prover))
        return false;
    if (prover->way.call != PEAL_CALL_ONCE && !prover->check->has_call) { /* not counted in --max-runs */
        if (++prover->called_runs <= (prover->way.combined ? MAX_COMBINED_RUNS : MAX_CALLED_RUNS))
            return true;
        if (!prover->end.called_cut)
            prover->end.called_cut = atomic_load(&prover->progress->nodes);
        return false;
    }
    if (atomic_fetch_add(&prover->progress->explored, 1) < prover->most)
        return true;
    prover->out_of_runs = true;
    return false;
}

/* Whether an algorithm bundles packets on a machine that refuses that and was not asked for, and no closed form
 * promises that it runs there. */
static bool
prover_is_refused(const struct prover *prover, const struct peal_machine *machine, const struct peal_check_case *c,
                  bool extra, enum peal_failure_kind kind)
{
    return kind == PEAL_NONCOMBINING && extra &&
           !excess_promised(prover->check, runner_situation(&prover->runner, c, machine));
}

/* Note what the first run of a program's case shows about its number of nodes.  True: the program refuses it, and
 * others are checked, too. */
static bool
program_refuses(struct prover *prover, const struct peal_machine *machine, const struct peal_check_case *c, bool well,
                const struct peal_finding *finding)
{
    const struct peal_check *check = prover->check;
    enum number_end is = number_end_of(machine, 0);

    prover->silent &= well && is == NUMBER_SILENT;
    prover->refused = is == NUMBER_REFUSED && numbers_from(check, check->nodes_from) > 1;
    if (prover->refused)
        check_report_refusal(&prover->reporter, c, *finding, prover->runner.printed.fd);
    return prover->refused;
}

static void look_below(struct prover *prover, const struct cases *cases, const struct peal_check_case *c,
                       enum peal_failure_kind kind);
static bool tell_simpler(struct prover *prover, const struct cases *cases, const struct peal_check_case *c);

static void
note_size(struct prover *prover, const struct peal_check_case *c)
{
    branches_case(c->words);
    atomic_store(&prover->progress->unstored, cases_unstored(c));
    if (!cases_unstored(c) && c->words > prover->end.most_words)
        prover->end.most_words = c->words;
}

/* Run the case in every order of arrival. */
static bool
explore_all(struct prover *prover, const struct cases *cases, const struct peal_check_case *c,
            struct peal_machine *machine, bool extra)
{
    struct explorer *explorer = &prover->explorer;
    struct peal_finding finding, wrong = {.kind = PEAL_FAILURE_KINDS};
    bool right = false, well_in_all = true, limited = excess_limited(prover->check);
    uint64_t runs = 0;

    if (prover->check->choices)
        explorer_replay(explorer, cases_machine_nodes(c), prover->check->choices, (size_t)prover->check->choice_count);
    else
        explorer_begin(explorer, cases_machine_nodes(c));
    note_size(prover, c);
    printed_begin_case(&prover->runner.printed);
    if (prover->check->choices && prover->check->program)
        rerun_in_another_order(prover, c);
    do {
        explorer_attach(explorer, machine);
        bool well = prover_once(prover, machine, c, &finding);

        runs++;
        if (explorer->no_memory || explorer->misfit)
            prover_report_obstacle(prover);
        if (explorer->cut)
            continue;
        if (prover->check->program && runs == 1 && program_refuses(prover, machine, c, well, &finding))
            return false;
        prover->chose |= explorer_chose(explorer);
        prover->end.asks_time |= explorer_chose(explorer) && atomic_load(&machine->asks_time);
        if (prover->check->program && well && !prover->end.asks_time)
            well = printed_same(&prover->runner.printed, &finding);
        prover_keep_choices(prover, &finding);
        if (well && prover->check->identical && !prover->below)
            identical_note(&prover->identical, &prover->runner.data);
        if (well && (limited || !right) && !cases_tolerated(prover->check, c) && c->call == PEAL_CALL_ONCE &&
            !cases_unstored(c))
            prover_check_limits(prover, machine, c, extra);
        right |= well;
        well_in_all &= well;
        if (well && runner_noted(machine, &finding))
            check_report_finding(&prover->reporter, c, finding);
        if (well)
            continue;
        if (prover_is_refused(prover, machine, c, extra, finding.kind))
            break;
        if (tell_simpler(prover, cases, c))
            break;
        if (!fault_is_of_words(finding.kind) || wrong.kind == PEAL_FAILURE_KINDS)
            look_below(prover, cases, c, finding.kind);
        if (!fault_is_of_words(finding.kind))
            prover_report_failure(prover, c, &finding);
        else if (wrong.kind == PEAL_FAILURE_KINDS)
            wrong = finding;
    } while (explorer_next(explorer, machine) && (wrong.kind == PEAL_FAILURE_KINDS || !right) &&
             may_go_on(prover, runs));
    if (wrong.kind != PEAL_FAILURE_KINDS)
        prover_report_wrong(prover, c, &wrong,
                            right ||
                                (wrong.choice_count > 0 && prover->check->choices && rerun_while(prover, c, false)));
    if (well_in_all && cases_unstored(c))
        prover->end.unstored = c->words;
    if (!prover->below && !prover->simpler && !prover->runner.turned_down)
        cases_count_runs(&prover->progress->tally, cases, prover->check, c, runs);
    if (unbacked_is_on())
        unbacked_end(); /* what it holds counts as memory once the run is over */
    atomic_store(&prover->progress->unstored, false);
    return well_in_all;
}

bool
prover_explore(struct prover *prover, const struct cases *cases, const struct peal_check_case *c,
               struct peal_machine *machine, bool extra)
{
    struct vectors *data = &prover->runner.data, *earlier = &prover->runner.earlier;
    const struct peal_check *check = prover->check;
    const int kept = data->leads, leads = vectors_leads(data->numbers, c->nodes);
    const bool single = check->has_ports && check->has_delivery,
               each =
                   leads == 0 || single || (c->ports == 1 && !c->eager && c->root == 0 && c->nodes <= check->nodes_to);
    bool well = true;

    for (int i = leads > 0; i <= leads && well; i = each ? i + 1 : leads + 1) {
        data->leads = earlier->leads = each ? i : 1 + (int)(atomic_load(&prover->progress->runs) % (uint64_t)leads);
        well = explore_all(prover, cases, c, machine, extra);
    }
    data->leads = earlier->leads = kept;
    return well;
}

/* Whether a finding of this kind was reported before.  A deadlock may turn out to be due to missing buffers. */
static bool
prover_has_reported(const struct prover *prover, enum peal_failure_kind kind)
{
    const bool *seen = prover->reporter.seen[PEAL_SEVERITY_ERROR];

    return seen[kind] || (kind == PEAL_DEADLOCK && seen[PEAL_DEADLOCK_IF_UNBUFFERED]);
}

/* A user's function is wrong in this case.  Not every size is run: if a smaller one is wrong, too, report that. */
static void
look_below(struct prover *prover, const struct cases *cases, const struct peal_check_case *c,
           enum peal_failure_kind kind)
{
    const struct peal_check *check = prover->check;
    struct explorer kept = prover->explorer;
    struct peal_check_case below = *c;
    struct peal_machine *machine = NULL;
    struct peal_error error;

    if (prover->below || !prover->runner.file || check->program || check->has_words || check->words_list || c->sizes ||
        check->choices || cases_tolerated(check, c) || prover_has_reported(prover, kind))
        return;
    below.words = cases_below(cases, c->words);
    if (below.words >= c->words || !(machine = runner_machine(&prover->runner, c, &error)) ||
        explorer_init(&prover->explorer, cases_machine_nodes(c), &error) != PEAL_OK) {
        prover->explorer = kept;
        peal_machine_destroy(machine);
        return;
    }
    prover->below = true;
    for (; below.words < c->words && !prover_has_reported(prover, kind); below.words++)
        for (int turn = 0; turn < cases->turn_count && !prover_has_reported(prover, kind); turn++) {
            *(peal_form_of(check->collective)->by ? &below.by : &below.root) = cases->turns[turn];
            atomic_store(&prover->progress->words, below.words);
            atomic_store(&prover->progress->turn, cases->turns[turn]);
            atomic_store(&prover->progress->below, true);
            if (!peal_check_asks_for(check, &below))
                continue;
            prover_explore(prover, cases, &below, machine, false);
        }
    atomic_store(&prover->progress->below, false);
    prover->below = false;
    explorer_fini(&prover->explorer);
    prover->explorer = kept;
    peal_machine_destroy(machine);
}

/* Remove from the case's ways of calling, one after another, those without which it is still wrong. */
static struct peal_check_case
prover_simplest_case(struct prover *prover, const struct cases *cases, const struct peal_check_case *c)
{
    struct proof_progress *progress = prover->progress;
    const size_t index = atomic_load(&progress->index);
    struct peal_check_case best = *c;

    for (int i = -1; i < PEAL_CALLS; i++) {
        struct peal_check_case fewer = best;

        fewer.in_place &= i >= 0;
        fewer.call &= i < 0 ? ~0U : ~(1U << i);
        fewer.call &= fewer.call & CALLS_TWO ? ~0U : ~(unsigned)CALLS_OTHER_FIRST;
        if (fewer.in_place == best.in_place && fewer.call == best.call)
            continue;
        atomic_store(&progress->call, fewer.call);
        atomic_store(&progress->index, fewer.in_place ? index : cases_separate(cases, prover->check, index));
        best = rerun_while(prover, &fewer, true) ? best : fewer;
    }
    atomic_store(&progress->call, best.call);
    atomic_store(&progress->index, best.in_place ? index : cases_separate(cases, prover->check, index));
    return best;
}

/* A function is wrong in a case.  If it combines several ways of calling, and fewer are enough, report that case
 * instead. */
static bool
tell_simpler(struct prover *prover, const struct cases *cases, const struct peal_check_case *c)
{
    const size_t index = atomic_load(&prover->progress->index);
    struct explorer kept = prover->explorer;
    struct peal_machine *machine;
    struct peal_error error;

    if (!way_is_several(&(struct called_way){.call = c->call, .in_place = c->in_place}) || prover->check->has_call ||
        prover->below || prover->simpler)
        return false;
    prover->simpler = true;
    struct peal_check_case simpler = prover_simplest_case(prover, cases, c);
    bool told = false;

    if ((simpler.call != c->call || simpler.in_place != c->in_place) &&
        (machine = runner_machine(&prover->runner, &simpler, &error))) {
        if (explorer_init(&prover->explorer, cases_machine_nodes(&simpler), &error) == PEAL_OK) {
            told = !prover_explore(prover, cases, &simpler, machine, false);
            explorer_fini(&prover->explorer);
        }
        peal_machine_destroy(machine);
    }
    prover->explorer = kept;
    prover->simpler = false;
    atomic_store(&prover->progress->call, c->call);
    atomic_store(&prover->progress->index, index);
    return told;
}

/* Run one case.  False: it does not fit the algorithm. */
static bool
run_case(struct prover *prover, const struct cases *cases, size_t index)
{
    struct peal_check_case c = cases_get(cases, prover->check, index);

    c.call = prover->way.call;
    struct peal_machine **machine = prover_machine(prover, index, cases);
    struct peal_error error;

    if (!*machine && !(*machine = runner_machine(&prover->runner, &c, &error)))
        check_report_last_error(&prover->reporter, &error);
    if (is_decided(prover, &c, *machine, index)) {
        prover->traffic.index = index;
        return true;
    }
    prover->traffic = (struct traffic){.listener = {.look = see_traffic, .arg = &prover->traffic}, .least = UINT64_MAX};
    if (!prover_case_fits(prover, &c, *machine))
        return false;
    prover->traffic.well = prover_explore(prover, cases, &c, *machine, cases_is_extra(cases, prover->check, index));
    prover->traffic.index = index;
    prover->traffic.parameter = prover->check->algorithm ? parameter_of(prover, &c, *machine) : 0;
    return true;
}

/* Whether no more cases of this number of nodes are run. */
static bool
prover_is_over(struct prover *prover)
{
    return prover->out_of_runs || prover->refused || prover_is_late(prover);
}

/* Run the cases of `nodes` nodes in which the function is called in this way; false: none fits. */
static bool
run_calls(struct prover *prover, const struct cases *cases, const struct called_way *way)
{
    bool some = false;

    prover->way = *way;
    prover->called_runs = 0;
    branches_forget();
    atomic_store(&prover->progress->call, way->call);
    for (size_t i = 0, count = cases_count(cases, prover->check); i < count && !prover_is_over(prover); i++) {
        atomic_store(&prover->progress->index, i);
        if (!cases_needless(cases, prover->check, i, prover->chose) && cases_is_called(cases, prover->check, i, way))
            some |= run_case(prover, cases, i);
    }
    if (way->call == PEAL_CALL_ONCE) {
        breakpoint_run(prover, cases);
        breakpoint_arrays(prover, cases);
    }
    for (int i = 0; i < MACHINES; i++) {
        peal_machine_destroy(prover->machines[i]);
        prover->machines[i] = NULL;
    }
    return some;
}

/* Give these nodes their runs and their time: those of a program an equal share of what is left. */
static void
take_share(struct prover *prover, int nodes)
{
    const struct peal_check *check = prover->check;
    const uint64_t most = check->max_runs > 0 ? check->max_runs : MAX_RUNS,
                   used = atomic_load(&prover->progress->explored);
    const int shares = check->program ? numbers_from(check, nodes) : 1;
    const double now = seconds_now(), ends = prover->progress->ends;

    prover->most = used < most ? used + (most - used) / (uint64_t)shares : used;
    prover->until = ends > 0 ? now + (ends - now) / shares : 0;
    prover->refused = prover->out_of_runs = prover->out_of_time = false;
    prover->silent = true;
}

/* Report how a program's check ended with `nodes` nodes. */
static void
tell_number(const struct prover *prover, int nodes, uint64_t runs)
{
    struct prover_message message = {.what = MESSAGE_NUMBER};

    message.as.number.nodes = nodes;
    message.as.number.runs = runs;
    message.as.number.end = prover->out_of_runs   ? NUMBER_OUT_OF_RUNS
                            : prover->out_of_time ? NUMBER_OUT_OF_TIME
                            : prover->silent      ? NUMBER_SILENT
                                                  : NUMBER_FINISHED;
    if (!prover->refused && runs > 0)
        child_send_message(prover->reporter.child, &message, sizeof message);
}

/* Run every case of `nodes` nodes, and report that if there was any. */
static void
run_nodes(struct prover *prover, int nodes)
{
    struct prover_message message = {.what = MESSAGE_NODES};
    struct peal_error error;
    struct cases cases;
    struct called_way ways[MAX_WAYS];
    bool some = false;
    uint64_t runs = atomic_load(&prover->progress->runs);

    if (cases_init(&cases, prover->check, nodes, &error) != PEAL_OK)
        check_report_last_error(&prover->reporter, &error);
    take_share(prover, nodes);
    atomic_store(&prover->progress->index, 0);
    atomic_store(&prover->progress->below, false);
    atomic_store(&prover->progress->nodes, nodes);
    prover->runner.refused = prover->runner.accepted = false;
    for (int i = 0, count = ways_list(prover->check, nodes, ways); i < count; i++) {
        ways[i].in_place &= !prover->never_in_place;
        if (!prover->reporter.wrong || !way_is_several(&ways[i])) /* it would only show a fault again */
            some |= run_calls(prover, &cases, &ways[i]);
    }
    cases_fini(&cases);
    message.as.nodes = nodes;
    bool refused = prover->runner.refused && !prover->runner.accepted;

    prover->end.refused |= refused;
    if (prover->check->program)
        tell_number(prover, nodes, atomic_load(&prover->progress->runs) - runs);
    else if (some && !refused && !prover->out_of_runs)
        child_send_message(prover->reporter.child, &message, sizeof message);
}

/* ------------------------------------------------------------------ a whole check */

/* Whether the function takes a buffer as a std::vector, or returns it so: its object has the function that counts the
 * elements (<peal/mpi/judged.h>).  Sides: sendbuf, recvbuf and buffer. */
static bool
takes_vector(const struct peal_check *check, const struct unit *unit, int side)
{
    char name[40];

    snprintf(name, sizeof name, "peal_judged_bufferILi%dEE8elements", side);
    return check->mpi && unit && unit->program.calls && strstr(unit->program.calls, name);
}

/* Report the result of all runs so far. */
static void
say_end(struct prover *prover, const struct unit *unit)
{
    const struct peal_check *check = prover->check;
    struct watch_variables variables = watch_variables();
    struct prover_message message = {.what = MESSAGE_END};

    if (unit && unit->real && !check->program && !prover->reporter.wrong)
        branches_unreached(unit->real, prover->end.not_run, sizeof prover->end.not_run);
    if (check->mpi)
        alike_say(&prover->alike, check->collective, prover->end.alike, sizeof prover->end.alike);
    message.as.end = prover->end;
    message.as.end.frames = variables.frames;
    message.as.end.globals = variables.globals;
    message.as.end.out_of_runs = prover->out_of_runs;
    child_send_message(prover->reporter.child, &message, sizeof message);
}

void
prover_run(const struct peal_check *check, const struct unit *unit, int from, struct proof_progress *progress,
           struct child *child)
{
    struct prover prover = {
        .check = check,
        .progress = progress,
        .never_in_place = takes_vector(check, unit, check->collective == PEAL_SCATTER),
        .reporter = {.check = check, .unit = unit, .progress = progress, .child = child},
    };
    struct runner *runner = &prover.runner;
    struct peal_error error;

    if (explorer_init(&prover.explorer, cases_most(check), &error) != PEAL_OK) {
        check_report_error(&prover.reporter, &error);
        return;
    }
    runner_init(runner, check, unit);
    if (check->mpi && !compile_mpi_preload()) {
        peal_refuse(&error, PEAL_RESOURCES, "libpealmpi.so cannot be loaded");
        check_report_last_error(&prover.reporter, &error);
    }
    if (unit && PEAL_PROCESSES) { /* this process is its own */
        child->report.to = sandbox_hide(child->report.to);
        runner->error_output = progress->error_output[0];
        runner->hurried = &progress->hurried;
        dup2(runner->null, STDIN_FILENO);
        dup2(runner->null, STDOUT_FILENO);
        dup2(progress->error_output[1] >= 0 ? progress->error_output[1] : runner->null, STDERR_FILENO);
        sandbox_close_others((const int[]){child->report.to, runner->null, runner->printed.fd, runner->error_output},
                             4);
        program_reserve(unit->program.writable ? cases_most(check) : 1);
        unbacked_prepare();
        sandbox_program(0, false, &progress->denied);
    }
    if (unit) {
        if (check->mpi)
            setenv("PEAL_STRICT", "1", 1); /* leaks are listed, and buffers watched */
        if (runner_load(runner, &error) != PEAL_OK) {
            check_report_error(&prover.reporter, &error);
            explorer_fini(&prover.explorer);
            close(runner->null);
            return;
        }
    }
    for (int nodes = from; nodes <= check->nodes_to && (check->program || !prover.out_of_runs); nodes++)
        if (cases_wanted(check, nodes))
            run_nodes(&prover, nodes);
    for (int i = 0; check->beyond && from == check->nodes_from && cases_beyond[i] > 0; i++)
        if (cases_beyond[i] > check->nodes_to && !prover.reporter.wrong && !prover.chose && !prover.out_of_runs)
            run_nodes(&prover, cases_beyond[i]);
    const bool stores = takes_vector(check, unit, 0) || takes_vector(check, unit, 1) || takes_vector(check, unit, 2);

    if (cases_far(check) > 0 && !stores && !prover.reporter.wrong &&
        !prover.out_of_runs) { /* these runs may be ended at any time */
        say_end(&prover, unit);
        breakpoint_far(&prover);
    }
    say_end(&prover, unit);
    branches_end();
    identical_fini(&prover.identical);
    runner_fini(runner);
    explorer_fini(&prover.explorer);
    if (prover.identical.identity.known) {
        struct prover_message identity = {.what = MESSAGE_IDENTITY, .as.identity = prover.identical.identity};

        child_send_message(child, &identity, sizeof identity);
    }
}
