/* SPDX-License-Identifier: MIT */
/* One question, from the cut to the checked proof. */
#include "lib/synthesis/synthesis.h"
#include "lib/base/grow.h"
#include "lib/program/compile.h"
#include "lib/program/compiler.h"
#include "lib/synthesis/encode.h"
#include "lib/synthesis/proof.h"
#include "lib/synthesis/solver.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* An all-reduce is a reduce-scatter and then its reverse; each has half of the steps and rounds. */
static struct peal_synthesis
half_of(const struct peal_synthesis *asked)
{
    struct peal_synthesis half = *asked;

    half.collective = PEAL_ALLGATHER;
    half.steps = asked->steps / 2;
    half.rounds = asked->rounds / 2;
    return half;
}

/* ------------------------------------------------------------------ the files of a search */

struct files {
    char folder[PATH_MAX]; /* removed at the end; "" where the caller named the files */
    char *cnf, *proof;
};

static enum peal_status
files_init(struct files *files, const char *keep, struct peal_error *error)
{
    *files = (struct files){.folder = ""};
    if (keep == NULL && folder_make(files->folder, error) != PEAL_OK) {
        files->folder[0] = '\0';
        return PEAL_RESOURCES;
    }
    if (asprintf(&files->cnf, "%s%s.cnf", keep ? keep : files->folder, keep ? "" : "/formula") < 0)
        files->cnf = NULL;
    if (asprintf(&files->proof, "%s%s.drat", keep ? keep : files->folder, keep ? "" : "/formula") < 0)
        files->proof = NULL;
    return files->cnf && files->proof ? PEAL_OK
                                      : peal_refuse(error, PEAL_RESOURCES, "no memory for the names of files");
}

static void
files_fini(struct files *files)
{
    if (files->folder[0])
        compiler_remove(AT_FDCWD, files->folder, 0);
    free(files->cnf);
    free(files->proof);
}

static enum peal_status
write_formula(const struct cnf *cnf, const char *path, struct peal_error *error)
{
    FILE *out = fopen(path, "w");

    if (out == NULL)
        return peal_refuse(error, PEAL_USAGE, "%s: %s", path, strerror(errno));
    cnf_write(cnf, out);
    bool written = !ferror(out);

    if (fclose(out) != 0 || !written)
        return peal_refuse(error, PEAL_RESOURCES, "%s: cannot be written: %s", path, strerror(errno));
    return PEAL_OK;
}

/* ------------------------------------------------------------------ a search */

static enum peal_status
take_schedule(const struct problem *problem, const struct encoding *encoding, const bool *truth,
              struct peal_synthesized *result, struct peal_error *error)
{
    struct peal_error why = {PEAL_OK, ""};

    if (!moves_read(problem, encoding, truth, &result->moves, &result->move_count))
        return peal_refuse(error, PEAL_RESOURCES, "no memory for the schedule");
    if (moves_verify(problem, result->moves, result->move_count, &result->steps, &result->rounds, &why) != PEAL_OK)
        return peal_refuse(error, PEAL_RESOURCES, "the solver's solution is not a schedule: %s", why.text);
    if (result->steps > problem->asked.steps ||
        (problem->asked.rounds != PEAL_SYNTHESIS_ANY && result->rounds > problem->asked.rounds))
        return peal_refuse(error, PEAL_RESOURCES, "the solver's solution takes %d steps and %d rounds, more than asked",
                           result->steps, result->rounds);
    if (problem->reversed)
        moves_reverse(result->moves, result->move_count);
    result->verdict = PEAL_SYNTHESIS_HERE;
    return PEAL_OK;
}

static enum peal_status
take_proof(const struct encoding *encoding, const char *proof, struct peal_synthesized *result,
           struct peal_error *error)
{
    struct proof_report report;
    double begin = seconds_now();
    enum peal_status status = proof_check(&encoding->cnf, proof, &report, error);

    result->check_seconds = seconds_now() - begin;
    result->unchecked = status == PEAL_TIMEOUT;
    if (status != PEAL_OK)
        return result->unchecked ? PEAL_OK : status;
    result->lemmas = report.lemmas;
    memcpy(result->proof, report.digest, sizeof result->proof);
    result->verdict = PEAL_SYNTHESIS_PROOF;
    return PEAL_OK;
}

static enum peal_status
synthesis_search(const struct problem *problem, const struct encoding *encoding,
                 const struct peal_synthesis_effort *effort, struct peal_synthesized *result, struct peal_error *error)
{
    struct files files;
    enum answer answer = ANSWER_UNKNOWN;
    bool *truth = calloc((size_t)encoding->cnf.variables + 1, sizeof *truth);
    enum peal_status status = files_init(&files, effort->keep, error);

    if (status == PEAL_OK && truth == NULL)
        status = peal_refuse(error, PEAL_RESOURCES, "no memory for the synthesis");
    if (status == PEAL_OK && !effort->recheck)
        status = write_formula(&encoding->cnf, files.cnf, error);
    if (status == PEAL_OK && !effort->recheck && !cnf_is_late(&encoding->cnf)) {
        double begin = seconds_now();

        status = solver_run(files.cnf, files.proof, &effort->deadline, encoding->cnf.variables, truth, &answer, error);
        result->solve_seconds = seconds_now() - begin;
    }
    if (status == PEAL_OK && answer == ANSWER_SATISFIABLE)
        status = take_schedule(problem, encoding, truth, result, error);
    else if (status == PEAL_OK && (answer == ANSWER_UNSATISFIABLE || effort->recheck))
        status = take_proof(encoding, files.proof, result, error);
    free(truth);
    files_fini(&files);
    return status;
}

/* The least number of rounds by a cut: ⌈chunks / each_round⌉. */
static int
rounds_by_cut(const struct peal_synthesis_cut *cut)
{
    return cut->each_round == 0 ? 0 : (int)((cut->chunks + cut->each_round - 1) / cut->each_round);
}

static enum peal_status
decide(const struct problem *problem, const struct peal_synthesis_effort *effort, struct peal_synthesized *result,
       struct peal_error *error)
{
    struct encoding encoding;
    double begin = seconds_now();
    enum peal_status status = PEAL_OK;

    if (!problem->asked.unpruned && problem->asked.rounds != PEAL_SYNTHESIS_ANY && problem_cut(problem, &result->cut) &&
        rounds_by_cut(&result->cut) > problem->asked.rounds) {
        result->verdict = PEAL_SYNTHESIS_CUT;
        return PEAL_OK;
    }
    const bool encoded = encode(problem, &effort->deadline, &encoding);

    if (!encoded && !cnf_is_late(&encoding.cnf))
        status = peal_refuse(error, PEAL_RESOURCES, "no memory for the formula of %d chunks in %d steps",
                             problem->chunk_count, problem->asked.steps);
    result->encode_seconds = seconds_now() - begin;
    char digest[65];

    if (encoded)
        cnf_digest(&encoding.cnf, digest);
    if (encoded && !cnf_is_late(&encoding.cnf)) {
        result->variables = encoding.cnf.variables;
        result->clauses = encoding.cnf.clauses;
        memcpy(result->formula, digest, sizeof digest);
        status = synthesis_search(problem, &encoding, effort, result, error);
    }
    cnf_fini(&encoding.cnf);
    return status;
}

/* Put the reverse of the moves before them. */
static enum peal_status
double_moves(struct peal_synthesized *result, struct peal_error *error)
{
    size_t count = result->move_count, room = count;

    if (!array_grow(&result->moves, &room, 2 * count + 1, sizeof *result->moves))
        return peal_refuse(error, PEAL_RESOURCES, "no memory for the schedule");
    struct peal_move *moves = result->moves;

    if (count > 0)
        memcpy(moves + count, moves, count * sizeof *moves);
    moves_reverse(moves, count);
    for (size_t i = count; i < 2 * count; i++)
        moves[i].step += result->steps;
    result->move_count = 2 * count;
    result->steps *= 2;
    result->rounds *= 2;
    return PEAL_OK;
}

/* Whether a message and the one back share the same wires, so that a schedule and its reverse cost the same. */
static bool
routes_reverse(const struct problem *problem)
{
    for (int m = 0; m < problem->message_count; m++) {
        const struct problem_message *one = &problem->messages[m], *other = problem->messages;

        while (other->from != one->to || other->to != one->from)
            other++;
        for (int i = 0; i < one->route_count; i++)
            if (problem->links[problem->route[one->route + i]].reverse !=
                problem->route[other->route + one->route_count - 1 - i])
                return false;
    }
    return true;
}

enum peal_status
peal_synthesize(const struct peal_synthesis *asked, const struct peal_synthesis_effort *effort,
                struct peal_synthesized *result, struct peal_error *error)
{
    bool doubled = asked->collective == PEAL_ALLREDUCE;
    struct peal_synthesis half = half_of(asked);
    struct peal_error own, *why = error ? error : &own;
    struct problem problem;

    *result = (struct peal_synthesized){.verdict = PEAL_SYNTHESIS_UNKNOWN};
    if (doubled && (asked->steps % 2 || asked->rounds % 2))
        return peal_refuse(why, PEAL_USAGE,
                           "allreduce: expected even numbers of steps and rounds, of a reduce-scatter and its "
                           "reverse, got %d and %d",
                           asked->steps, asked->rounds);
    enum peal_status status = problem_init(&problem, doubled ? &half : asked, why);

    if (status != PEAL_OK)
        return status;
    if (doubled && !routes_reverse(&problem))
        status = peal_refuse(why, PEAL_USAGE,
                             "allreduce: on %s a route and its reverse differ: use --direct, or synthesize "
                             "reduce-scatter and allgather separately",
                             peal_network_name(asked->network));
    else
        status = decide(&problem, effort, result, why);
    if (status == PEAL_OK && doubled && result->verdict == PEAL_SYNTHESIS_HERE)
        status = double_moves(result, why);
    problem_fini(&problem);
    if (status != PEAL_OK)
        peal_synthesized_fini(result);
    return status;
}

void
peal_synthesized_fini(struct peal_synthesized *result)
{
    free(result->moves);
    *result = (struct peal_synthesized){.verdict = PEAL_SYNTHESIS_UNKNOWN};
}

/* ------------------------------------------------------------------ bounding */

bool
peal_synthesis_bound(const struct peal_synthesis *asked, struct peal_synthesis_cut *cut)
{
    struct peal_synthesis limits = asked->collective == PEAL_ALLREDUCE ? half_of(asked) : *asked;
    struct peal_error error;
    struct problem problem;

    *cut = (struct peal_synthesis_cut){0};
    limits.steps = limits.rounds = 1;
    if (problem_init(&problem, &limits, &error) != PEAL_OK)
        return false;
    bool found = problem_cut(&problem, cut);

    problem_fini(&problem);
    return found;
}
