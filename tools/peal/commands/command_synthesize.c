/* SPDX-License-Identifier: MIT */
/* peal synthesize: the best possible schedule, or a proof that none is better. */
#include "commands/commands.h"
#include "show/synthesize.h"

/* The most chunks of a front without --chunks; the words of a block or vector by which --from's algorithm is measured,
 * a number with many divisors; the default of --search-seconds. */
enum { FRONT_CHUNKS = 4, MEASURED_WORDS = 5040, SEARCH_SECONDS = 60 };

DOCUMENT_WRITER(synthesize_document_json, synthesis_write)

/* The schedule that is written: the result's, or the last of the front.
 *
 *   errors   PEAL_FAILED: none was found */
static enum peal_status
synthesize_find_schedule(const struct synthesis *synthesis, struct peal_synthesis *asked,
                         struct peal_synthesized *shown, struct peal_error *error)
{
    *asked = synthesis->asked;
    *shown = synthesis->result;
    for (size_t i = 0; synthesis->front && i < synthesis->found.point_count; i++) {
        const struct peal_synthesis_point *point = &synthesis->found.points[i];

        if (point->moves == NULL)
            continue;
        asked->chunks = point->chunks;
        *shown = (struct peal_synthesized){.verdict = PEAL_SYNTHESIS_HERE,
                                           .moves = point->moves,
                                           .move_count = point->move_count,
                                           .steps = point->steps,
                                           .rounds = point->rounds};
    }
    if (shown->verdict != PEAL_SYNTHESIS_HERE || shown->moves == NULL)
        return peal_refuse(error, PEAL_FAILED, "no schedule was found that could be written");
    return PEAL_OK;
}

static enum peal_status
write_c(FILE *out, const void *what, struct peal_error *error)
{
    struct peal_synthesis asked;
    struct peal_synthesized shown;
    const struct synthesis *synthesis = what;
    const bool ended = synthesis->front && (synthesis->late || synthesis->interrupted);
    char name[64];

    if (synthesize_find_schedule(what, &asked, &shown, error) != PEAL_OK)
        return error->status;
    snprintf(name, sizeof name, "%s_%s", peal_collective_name(asked.collective), ended ? "found" : "optimal");
    text_replace(name, '-', '_');
    if (ended)
        fprintf(stderr, "peal: note: the search ended early: what --c writes is %s\n", name);
    return peal_synthesis_write_c(out, &asked, &shown, name, error);
}

/* Write the schedule as MSCCL XML, once it is proved with labels for every order that the file allows. */
static enum peal_status
write_msccl(FILE *out, const void *what, struct peal_error *error)
{
    const struct synthesis *synthesis = what;
    struct peal_synthesis asked;
    struct peal_synthesized shown;
    struct peal_plan_verdict verdict;

    if (synthesize_find_schedule(what, &asked, &shown, error) != PEAL_OK)
        return error->status;
    struct peal_plan *plan = peal_synthesis_plan(&asked, &shown, error);

    if (plan == NULL)
        return error->status;
    enum peal_status status =
        peal_plan_judge(plan, synthesis->asked.neighbours ? synthesis->network : NULL, &verdict, error);

    if (status == PEAL_OK && !verdict.proved)
        status = peal_refuse(error, PEAL_RESOURCES, "the schedule as MSCCL XML is not proved: %s",
                             verdict.finding_count > 0 ? verdict.findings[0].message : "no finding");
    if (status == PEAL_OK)
        status = peal_plan_write_msccl(out, plan, error);
    peal_plan_destroy(plan);
    return status;
}

/* ------------------------------------------------------------------ --from */

/* Measure the algorithm: its rounds are the steps; its β words give the ratio of rounds to chunks. */
static enum peal_status
synthesize_measure(struct synthesis *synthesis, const char *name, struct peal_error *error)
{
    const struct command_request *request = synthesis->request;
    struct peal_options options = request->machine;
    struct peal_machine *machine = peal_machine_create(&options, error);
    struct peal_synthesis *asked = &synthesis->asked;
    size_t nodes = (size_t)peal_network_nodes(synthesis->network);
    size_t words = (size_t)MEASURED_WORDS * (peal_collective_has_blocks(asked->collective) ? 1 : nodes);
    struct peal_exercise exercise = {
        .collective = asked->collective, .algorithm = name, .words = words, .root = asked->root};
    struct peal_outcome outcome;

    if (machine == NULL)
        return error->status;
    enum peal_status status = peal_exercise(machine, &exercise, &outcome, error);
    struct peal_cost cost = status == PEAL_OK ? peal_machine_cost(machine) : (struct peal_cost){0};

    peal_machine_destroy(machine);
    if (status != PEAL_OK)
        return status;
    /* the number of rounds and of chunks in lowest terms, where a chunk of an all-reduce is one of a block */
    struct fraction part;
    __int128 rounds = (__int128)cost.beta * (asked->collective == PEAL_ALLREDUCE ? (__int128)nodes : 1);

    if (!peal_fraction_make(rounds, (__int128)words, &part) || cost.alpha < 1 || cost.alpha > 1000 || part.num < 1 ||
        part.num > 1000 || part.den > 1000)
        return peal_refuse(error, PEAL_USAGE,
                           "--from %s: %lld rounds of the machine and %llu words of %zu are not the steps "
                           "and rounds of a synthesis",
                           name, (long long)cost.alpha, (unsigned long long)cost.beta, words);
    asked->steps = (int)cost.alpha;
    asked->rounds = (int)part.num;
    asked->chunks = (int)part.den;
    return PEAL_OK;
}

/* ------------------------------------------------------------------ what is asked */

static enum peal_status
refuse_mixtures(const struct command_request *request, struct peal_error *error)
{
    const struct synthesis_options *wanted = request->synthesis;
    int ways = (wanted->most_rounds > 0) + wanted->least_steps + wanted->pareto + (wanted->from != NULL);

    if (request->argument_count != 1)
        return peal_refuse(error, PEAL_USAGE, "expected one collective, as in peal synthesize allgather -t dgx1");
    if (ways > 1)
        return peal_refuse(error, PEAL_USAGE,
                           "--rounds, --least-steps, --pareto and --from ask different questions: give one");
    if (wanted->most_rounds > 0 && wanted->steps == 0)
        return peal_refuse(error, PEAL_USAGE, "--rounds %d needs --steps", wanted->most_rounds);
    if (wanted->recheck && (wanted->keep == NULL || wanted->most_rounds == 0))
        return peal_refuse(error, PEAL_USAGE, "--recheck needs --keep NAME, --steps and --rounds of the proof");
    if (wanted->keep && wanted->most_rounds == 0)
        return peal_refuse(error, PEAL_USAGE, "--keep is for one question: give --steps and --rounds");
    return PEAL_OK;
}

static enum peal_status
synthesize_begin(struct synthesis *synthesis, struct command_request *request, struct peal_error *error)
{
    const struct synthesis_options *wanted = request->synthesis;
    const struct peal_algorithm *algorithm = NULL;
    enum peal_collective collective;

    if (refuse_mixtures(request, error) != PEAL_OK)
        return error->status;
    if (target_find_listed(request->arguments[0], &collective, &algorithm, error) != PEAL_OK)
        return error->status;
    if (algorithm != NULL)
        return peal_refuse(error, PEAL_USAGE, "%s is an algorithm: peal synthesize %s --from %s", request->arguments[0],
                           peal_collective_name(collective), algorithm->name);
    synthesis->front = wanted->most_rounds == 0;
    synthesis->most_chunks = wanted->chunks > 0 ? wanted->chunks : synthesis->front ? FRONT_CHUNKS : 1;
    exercise_notes(request, collective);
    if (!option_given(request, "nodes") && peal_topology_nodes(request->machine.topology) > 0)
        request->machine.nodes = peal_topology_nodes(request->machine.topology);
    synthesis->network =
        peal_network_create(request->machine.topology, request->machine.nodes, request->machine.routing, error);
    if (synthesis->network == NULL)
        return error->status;
    if (peal_network_placement(synthesis->network) != NULL)
        return peal_refuse(error, PEAL_USAGE, NOT_PLACED);
    synthesis->asked = (struct peal_synthesis){.collective = collective,
                                               .network = synthesis->network,
                                               .root = request->call.root,
                                               .rules = request->machine.rules,
                                               .neighbours = wanted->direct,
                                               .chunks = synthesis->most_chunks,
                                               .steps = wanted->steps,
                                               .rounds = wanted->most_rounds,
                                               .unpruned = wanted->unpruned};
    return wanted->from ? synthesize_measure(synthesis, wanted->from, error) : PEAL_OK;
}

static volatile sig_atomic_t stopped;

static void
synthesize_stop(int number)
{
    stopped = number;
}

/* A signal that would end this process ends the search; it makes no read or write fail. */
static void
synthesize_catch_signals(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    const struct sigaction action = {.sa_handler = synthesize_stop, .sa_flags = SA_RESTART};
    struct sigaction before;

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
}

static enum peal_status
synthesize_solve(struct synthesis *synthesis, const struct deadline *deadline, struct peal_error *error)
{
    const struct synthesis_options *wanted = synthesis->request->synthesis;
    struct peal_synthesis_effort effort = {.deadline = *deadline, .keep = wanted->keep, .recheck = wanted->recheck};
    struct peal_front_limits limits = {.steps = wanted->steps,
                                       .chunks = synthesis->most_chunks,
                                       .jobs = wanted->jobs,
                                       .least = wanted->least_steps,
                                       .tell = synthesis_tell,
                                       .context = synthesis};

    if (!synthesis->front)
        return peal_synthesize(&synthesis->asked, &effort, &synthesis->result, error);
    if (!wanted->from)
        return peal_synthesis_front(&synthesis->asked, &limits, &effort, &synthesis->found, error);
    if (asprintf(&synthesis->beaten, "%s/%s", peal_collective_name(synthesis->asked.collective), wanted->from) < 0) {
        synthesis->beaten = NULL;
        return peal_refuse(error, PEAL_RESOURCES, "no memory for a name");
    }
    return peal_synthesis_beat(&synthesis->asked, &limits, &effort, &synthesis->found, error);
}

static int
command_synthesize_run(const struct command_request *given)
{
    struct command_request request = *given;
    struct synthesis synthesis = {.request = &request};
    struct writings writings = {
        .request = &request,
        .list = {{synthesize_document_json, request.document.json_file, request.document.json, false},
                 {write_c, request.synthesis->c_file, false, false},
                 {write_msccl, request.synthesis->msccl_file, false, false}},
    };
    struct peal_error error = {PEAL_OK, ""};

    synthesis.seconds = option_given(given, "search-seconds") ? given->synthesis->limit : SEARCH_SECONDS;
    struct deadline deadline = {synthesis.seconds > 0 ? seconds_now() + synthesis.seconds : 0, &stopped};
    enum peal_status status = synthesize_begin(&synthesis, &request, &error);

    if (status == PEAL_OK)
        status = writings_open(&writings, &error);
    if (status == PEAL_OK) {
        synthesize_catch_signals();
        status = synthesize_solve(&synthesis, &deadline, &error);
        synthesis.interrupted = stopped != 0;
        synthesis.late = synthesis.front ? synthesis.found.late : synthesis.result.verdict == PEAL_SYNTHESIS_UNKNOWN;
        synthesis.late = synthesis.late && !synthesis.interrupted;
    }
    if (status == PEAL_OK && request.synthesis->keep && synthesis.result.verdict == PEAL_SYNTHESIS_CUT)
        fprintf(stderr, "peal: note: a cut needs no formula: --keep %s is not used; --plain makes one\n",
                request.synthesis->keep);
    if (status == PEAL_OK && !request.document.json)
        synthesis_show(stdout, &synthesis);
    status = writings_close(&writings, status, &synthesis, &error);
    peal_synthesized_fini(&synthesis.result);
    peal_front_fini(&synthesis.found);
    peal_network_destroy(synthesis.network);
    free(synthesis.beaten);
    if (status != PEAL_OK)
        return complain(&error);
    if (synthesis.interrupted) {
        fprintf(stderr, "peal: interrupted (%s): this is what was found until then\n", strsignal(stopped));
        signal(stopped, SIG_DFL);
        raise(stopped);
    }
    return 0;
}

const struct command command_synthesize = {
    .name = "synthesize",
    .arguments = "COLLECTIVE [options]",
    .summary = "the best schedule there is, or a proof that none is better",
    .examples = "  peal synthesize allgather -t dgx1 --ports all --direct    the front\n"
                "  peal synthesize broadcast -p 4 --steps 2 --rounds 1       a proof of none\n"
                "  peal synthesize broadcast -p 6 --from binomial            what beats it\n"
                "  peal synthesize scatter -p 5 --least-steps --c s.c        for peal check\n",
    .completes = WORDS_ALGORITHM,
    .run = command_synthesize_run,
};
