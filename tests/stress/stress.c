/* SPDX-License-Identifier: MIT */
/* Runs a program in every way that a machine can be driven, and compares all results as text. */
#include "tests/stress/stress.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct totals totals;

static const struct way {
    const char *name;
    int carriers;
    bool wake_all;
    const char *engine;
} ways[] = {
    {"one carrier", 1, false, "threads"},
    {"two carriers", 2, false, "threads"},
    {"four carriers", 4, false, "threads"},
    {"wake all", PEAL_CARRIERS_AUTO, true, "threads"},
    {"wake all, once more", PEAL_CARRIERS_AUTO, true, "threads"},
    {"one carrier of fibers", 1, false, "fibers"},
    {"two carriers of fibers", 2, false, "fibers"},
    {"four carriers of fibers", 4, false, "fibers"},
};
enum { WAYS = sizeof ways / sizeof ways[0], WAYS_OF_THREADS = 5 };

static int
ways_here(void)
{
    return peal_fibers_built() ? WAYS : WAYS_OF_THREADS;
}

uint64_t
mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

uint64_t
chance(uint64_t seed, uint64_t a, uint64_t b, uint64_t i)
{
    return mix(mix(mix(mix(seed + 1) + a + 1) + b + 1) + i + 1);
}

void
saw(struct stage *stage, const struct peal_node *me, uint64_t what)
{
    uint64_t *digest = &stage->digest[peal_world_rank(me)];

    *digest = mix(*digest + mix(what + 1));
}

void
dawdle(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    switch (mix((uint64_t)now.tv_nsec) % 16) {
    case 0:
    case 1:
        sched_yield();
        break;
    case 2:
        for (volatile int i = 0; i < 2000; i++)
            continue;
        break;
    }
}

/* ------------------------------------------------------------------ transcripts */

static void
print_schedule(FILE *out, const struct peal_schedule *schedule)
{
    for (size_t r = 0; r < schedule->round_count; r++) {
        const struct peal_round *round = peal_schedule_round(schedule, r);

        fprintf(out, "round %zu: %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 ":", r, round->charge.alpha,
                round->charge.beta, round->charge.hop, round->charge.tau);
        for (size_t i = round->first; i < round->first + round->count; i++) {
            const struct peal_transfer *transfer = &schedule->transfers[i];

            fprintf(out, " %d>%d %" PRIu64 "w %" PRIu32 "h k%" PRIu32, transfer->from, transfer->to, transfer->words,
                    transfer->hops, transfer->k);
        }
        fputc('\n', out);
    }
}

static void
print_failure(FILE *out, const struct peal_failure *failure)
{
    fprintf(out, "failure %s: node %d, line %d: %s\n", peal_failure_name(failure->kind), failure->rank, failure->line,
            failure->message);
    for (int i = 0; i < failure->node_count; i++) {
        const struct peal_waiting *node = &failure->nodes[i];

        fprintf(out, "node %d %s for %s: peer %d, %zu words, tag %d, line %d\n", node->rank, node->state,
                node->what ? node->what : "nothing", node->peer, node->words, node->tag, node->line);
    }
    for (int i = 0; i < failure->cycle_length; i++)
        fprintf(out, "cycle: %d\n", failure->cycle[i]);
}

/* Run once and return all results as text, one fact a line; the caller frees it.  NULL if it could not be run. */
static char *
transcript(const struct peal_options *options, peal_program program, struct stage *stage)
{
    char *text = NULL;
    size_t bytes;
    struct peal_error error;
    struct peal_machine *machine = peal_machine_create(options, &error);

    if (!machine) {
        printf("no machine: %s\n", error.text);
        return NULL;
    }
    memset(stage->digest, 0, sizeof stage->digest);

    const struct peal_failure *failure = peal_run(machine, program, stage);
    const struct peal_schedule *schedule = peal_machine_schedule(machine);
    struct peal_cost cost = peal_machine_cost(machine), path = peal_machine_critical_path(machine);
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        abort();
    print_schedule(out, schedule);
    fprintf(out, "cost %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", cost.alpha, cost.beta, cost.hop, cost.tau);
    fprintf(out, "path %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", path.alpha, path.beta, path.hop, path.tau);
    if (failure)
        print_failure(out, failure);
    for (int rank = 0; rank < options->nodes; rank++)
        fprintf(out, "node %d saw %016" PRIx64 "\n", rank, stage->digest[rank]);
    fclose(out);

    totals.runs++;
    totals.rounds += schedule->round_count;
    totals.transfers += schedule->transfer_count;
    totals.failures += failure != NULL;
    peal_machine_destroy(machine);
    return text;
}

/* Print the first line in which two texts differ. */
static void
print_difference(const char *a, const char *b)
{
    int line = 1;

    for (; *a && *a == *b; a++, b++)
        line += *a == '\n';
    printf("  the first difference is in line %d:\n  %.*s\n  %.*s\n", line, (int)strcspn(a, "\n"), a,
           (int)strcspn(b, "\n"), b);
}

bool
same_every_way(const struct peal_options *options, peal_program program, struct stage *stage)
{
    char *first = NULL;
    bool same = true;

    totals.programs++;
    for (int i = 0; i < ways_here() && same; i++) {
        struct peal_options changed = *options;

        changed.carriers = ways[i].carriers;
        changed.wake_all = ways[i].wake_all;
        changed.engine = ways[i].engine;
        char *text = transcript(&changed, program, stage);
        if (!text || (first && strcmp(first, text) != 0)) {
            printf("%s differs from %s: seed %" PRIu64 ", %d nodes, mailbox %d, eager %d:%zu\n", ways[i].name,
                   ways[0].name, stage->seed, options->nodes, options->mailbox, options->eager, options->eager_words);
            if (text)
                print_difference(first, text);
            same = false;
        }
        if (first)
            free(text);
        else
            first = text;
    }
    free(first);
    return same;
}

int
tell(const char *name, bool good)
{
    printf("%s: %" PRIu64 " programs, each run %d ways: %" PRIu64 " runs (%" PRIu64 " ended as failures), %" PRIu64
           " rounds, %" PRIu64 " transfers: %s\n",
           name, totals.programs, ways_here(), totals.runs, totals.failures, totals.rounds, totals.transfers,
           good ? "the same every way" : "NOT the same");
    return good ? 0 : 1;
}

int
how_many(int argc, char **argv, int usual)
{
    int number = argc > 1 ? atoi(argv[1]) : usual;

    return number > 0 ? number : usual;
}
