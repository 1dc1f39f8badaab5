/* SPDX-License-Identifier: MIT */
/* What a collective call costs the host: every algorithm of the catalogue for the five collectives that are compared
 * with other message-passing libraries.
 *
 * Protocol
 *   machine     P nodes on the full network, the default options but for the engine: every round is matched, charged,
 *               recorded and kept, with the critical path.
 *   call        one collective with blocks (vectors) of --bytes, then a barrier; of the barrier two.  One call for
 *               warm-up, then batches of as many calls as take --milliseconds; rank 0 looks at the clock before and
 *               after a batch. A batch's figure is its time / calls; median, least and greatest of the batches are
 *               given.
 *   barrier     the fastest of the catalogue's, found first.
 *   algorithms  each that fits.  One whose first call takes ten times as long as the best of its collective makes no
 *               other.
 *   back to back  scatter/binomial only, with a barrier only after the last call of a batch.
 *   checked     what every node holds after the last call.
 *
 *   collectives [--threads] [--back-to-back] [--nodes=8] [--bytes=8] [--repetitions=7] [--milliseconds=20] */
#include "bench/bench.h"

#include <peal/tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run keeps every transfer it made: at most this many. */
static const double most_transfers = 4e6;

struct job {
    const struct peal_algorithm *algorithm;
    const char *barrier; /* the algorithm of the barrier after a call */
    bool back_to_back;
    size_t words;
    int batches, calls;         /* calls in a batch */
    double seconds[MAX_VALUES]; /* of a call, by batch; written by rank 0 */
    double cpu[MAX_VALUES];     /* the same by the clock of rank 0's thread: of fibers on one carrier, all of them */
};

/* Word w of block b of node r. */
static uint64_t
word_of(int r, int b, size_t w)
{
    return ((uint64_t)r << 40) + ((uint64_t)b << 20) + w % 1021;
}

/* Make one call; `with` a barrier after it. */
static void
call(struct peal_node *me, const struct job *job, bool with, uint64_t *in, uint64_t *out)
{
    const char *name = job->algorithm->name;
    size_t m = job->words;
    enum peal_collective collective = job->algorithm->collective;

    if (collective == PEAL_BARRIER)
        peal_barrier_by(me, name);
    else if (collective == PEAL_SCATTER)
        peal_scatter_by(me, name, in, m, 0, out);
    else if (collective == PEAL_BROADCAST)
        peal_broadcast_by(me, name, out, m, 0);
    else if (collective == PEAL_ALLREDUCE)
        peal_allreduce_by(me, name, PEAL_MAX_INT64, out, m);
    else if (collective == PEAL_ALLTOALL)
        peal_alltoall_by(me, name, in, m, out);
    if (with)
        peal_barrier_by(me, job->barrier);
}

static void
check(struct peal_node *me, const struct job *job, const uint64_t *out)
{
    int rank = peal_rank(me), size = peal_size(me);
    enum peal_collective collective = job->algorithm->collective;
    int blocks = collective == PEAL_ALLTOALL ? size : 1;

    for (int b = 0; b < blocks && collective != PEAL_BARRIER; b++)
        for (size_t w = 0; w < job->words; w++) {
            uint64_t right = collective == PEAL_SCATTER     ? word_of(0, rank, w)
                             : collective == PEAL_BROADCAST ? word_of(0, 0, w)
                             : collective == PEAL_ALLREDUCE ? word_of(size - 1, 0, w)
                                                            : word_of(b, rank, w);
            if (out[(size_t)b * job->words + w] != right)
                peal_abort(me, "a wrong word");
        }
}

static void
program(struct peal_node *me, void *arg)
{
    struct job *job = arg;
    int rank = peal_rank(me), size = peal_size(me);
    enum peal_collective collective = job->algorithm->collective;
    size_t m = job->words, vectors = collective == PEAL_ALLTOALL || (collective == PEAL_SCATTER && rank == 0);
    size_t blocks = vectors ? (size_t)size : 1;
    uint64_t *in = peal_alloc(me, m * blocks), *out = peal_alloc(me, m * blocks);

    for (size_t i = 0; i < m * blocks; i++)
        in[i] = word_of(rank, (int)(i / m), i % m);
    for (size_t w = 0; w < m; w++)
        out[w] = word_of(rank, 0, w);
    call(me, job, true, in, out);
    for (int b = 0; b < job->batches; b++) {
        double begin = rank == 0 ? now_seconds() : 0, cpu_begin = rank == 0 ? cpu_seconds() : 0;

        for (int i = 0; i < job->calls; i++)
            call(me, job, !job->back_to_back || i == job->calls - 1, in, out);
        if (rank == 0) {
            job->seconds[b] = (now_seconds() - begin) / job->calls;
            job->cpu[b] = (cpu_seconds() - cpu_begin) / job->calls;
        }
    }
    check(me, job, out);
}

/* Run the job; gives the transfers of one call. */
static double
measure(struct job *job, const struct peal_options *options)
{
    struct peal_error error;
    struct peal_machine *machine = peal_machine_create(options, &error);

    if (!machine)
        give_up("%s", error.text);
    const struct peal_failure *failure = peal_run(machine, program, job);
    if (failure)
        give_up("%s", failure->message);
    double transfers = (double)peal_machine_schedule(machine)->transfer_count / ((double)job->batches * job->calls + 1);

    peal_machine_destroy(machine);
    return transfers;
}

/* Find how many calls make a batch of `seconds`, unless the algorithm is far slower than `best`, and make the batches.
 * Gives the median of a call in seconds: of fibers by their carrier's own clock, so that a busy machine prefers
 * none. */
static double
measure_batches(struct job *job, const struct peal_options *options, int repetitions, double seconds, double best)
{
    bool fibers = strcmp(options->engine, "fibers") == 0;
    const char *work = job->back_to_back ? "scatter back to back" : peal_collective_name(job->algorithm->collective);
    double *clock = fibers ? job->cpu : job->seconds;
    char cpu[40] = "";

    job->batches = job->calls = 1;
    double transfers = measure(job, options);

    if (best == 0 || clock[0] < 10 * best) {
        double least = job->back_to_back ? 16 : 1, most = most_transfers / transfers / repetitions;
        double calls = seconds / job->seconds[0];

        calls = calls < least ? least : calls;
        job->batches = repetitions;
        job->calls = (int)(calls < most ? calls : most < 1 ? 1 : most);
        measure(job, options);
    }
    double middle = median(clock, job->batches);

    for (int b = 0; b < job->batches; b++)
        job->seconds[b] *= 1e6;
    if (fibers)
        snprintf(cpu, sizeof cpu, ", \"cpu_us\": %.6g", 1e6 * middle);
    figure(work, "us", job->seconds, job->batches,
           "\"algorithm\": \"%s\", \"barrier\": \"%s\", \"nodes\": %d, \"bytes\": %zu, \"engine\": \"%s\", "
           "\"calls\": %d, \"transfers\": %.0f%s",
           job->algorithm->name, job->barrier, options->nodes, job->words * 8, options->engine, job->calls, transfers,
           cpu);
    return middle;
}

/* Measure every algorithm of the collective that fits; gives the fastest one's name. */
static const char *
measure_all(struct job *job, enum peal_collective collective, const struct peal_options *options, int repetitions,
            double seconds)
{
    struct peal_situation situation = {.collective = collective,
                                       .nodes = options->nodes,
                                       .words = job->words,
                                       .op = PEAL_MAX_INT64,
                                       .ports = 1,
                                       .parameters = options->parameters};
    const char *name = NULL;
    double best = 0;

    for (int i = 0; (job->algorithm = peal_algorithm_get(i)) != NULL; i++) {
        if (job->algorithm->collective != collective ||
            peal_algorithm_fits(job->algorithm, &situation, NULL) != PEAL_OK ||
            (job->back_to_back && strcmp(job->algorithm->name, "binomial") != 0))
            continue;
        if (collective == PEAL_BARRIER)
            job->barrier = job->algorithm->name;
        double middle = measure_batches(job, options, repetitions, seconds, best);

        if (best == 0 || middle < best) {
            best = middle;
            name = job->algorithm->name;
        }
    }
    return name;
}

int
main(int argc, char **argv)
{
    static const enum peal_collective others[] = {PEAL_SCATTER, PEAL_BROADCAST, PEAL_ALLREDUCE, PEAL_ALLTOALL};
    static struct job job = {.barrier = "dissemination"};
    struct peal_options options;

    peal_options_init(&options);
    options.engine = option_flag(argc, argv, "threads") ? "threads" : "fibers";
    job.back_to_back = option_flag(argc, argv, "back-to-back");
    options.nodes = (int)option_number(argc, argv, "nodes", 8);
    job.words = (size_t)option_number(argc, argv, "bytes", 8) / 8;
    int repetitions = (int)option_number(argc, argv, "repetitions", 7);
    double seconds = option_number(argc, argv, "milliseconds", 20) / 1000;
    refuse_unknown(argc, argv);
    if (repetitions > MAX_VALUES)
        repetitions = MAX_VALUES;

    if (job.back_to_back) {
        measure_all(&job, PEAL_SCATTER, &options, repetitions, seconds);
        return 0;
    }
    job.barrier = measure_all(&job, PEAL_BARRIER, &options, repetitions, seconds);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        measure_all(&job, others[i], &options, repetitions, seconds);
    return 0;
}
