/* SPDX-License-Identifier: MIT */
/* Measured computing (--compute measure): the processor time of a node's thread from the end of one call of MPI to the
 * beginning of the next is charged, one operation per nanosecond.  On fibers the thread is its carrier's: a node that
 * computes does not park, so no other node runs meanwhile.  The time to read the clock is subtracted. */
#include "mpi/call/node.h"
#include <time.h>

/* A sampled region of one node. */
struct sampled_region {
    const char *site; /* a return address */
    int runs;
    double nanoseconds; /* of these runs, in the model */
    bool calls;         /* it calls MPI: it always runs */
    struct sampled_region *next;
};

static int64_t
processor_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The least difference between two successive readings of the clock. */
static int64_t
reading_time(void)
{
    int64_t least = INT64_MAX;

    for (int i = 0; i < 1000; i++) {
        int64_t begin = processor_now(), time = processor_now() - begin;

        least = time < least ? time : least;
    }
    return least;
}

/* Written by the first node that calls MPI_Init, or by several at the same time; then constant. */
static _Atomic int64_t reading;

/* Charge the whole nanoseconds of the model; the fraction is added to the next charge. */
static void
charge(struct mpi *mpi, double nanoseconds)
{
    struct computing *computing = &mpi->computing;
    double all = computing->rest + nanoseconds;
    int64_t whole = all < 9e18 ? (int64_t)all : INT64_MAX;

    computing->rest = all - (double)whole;
    peal_compute_at(mpi->me, whole, mpi->file, mpi->line);
}

void
computing_begin(struct mpi *mpi)
{
    struct peal_computing how = peal_node_options(mpi->me)->computing;

    if (how.source == PEAL_COMPUTE_COUNTED)
        return;
    if (reading == 0)
        reading = reading_time();
    mpi->computing = (struct computing){.on = true,
                                        .calls = 1,
                                        .samples = how.source == PEAL_COMPUTE_SAMPLED,
                                        .scale = 1 / how.speed,
                                        .operation = how.operation};
}

void
computing_pause(struct mpi *mpi)
{
    struct computing *computing = &mpi->computing;

    if (computing->calls++ > 0)
        return;
    int64_t time = processor_now() - computing->since - reading;

    if (time <= 0)
        return;
    if (computing->open)
        computing->open->nanoseconds += (double)time * computing->scale;
    charge(mpi, (double)time * computing->scale);
}

void
computing_call(struct mpi *mpi)
{
    if (mpi->computing.open)
        mpi->computing.open->calls = true;
    computing_pause(mpi);
}

void
computing_resume(struct mpi *mpi)
{
    if (--mpi->computing.calls == 0)
        mpi->computing.since = processor_now();
}

/* ------------------------------------------------------------------ sampled regions */

static struct sampled_region *
sample_of(struct mpi *mpi, const char *site)
{
    struct sampled_region *sample = mpi->computing.list;

    while (sample && sample->site != site)
        sample = sample->next;
    if (!sample) {
        sample = mpi_alloc(mpi, sizeof *sample);
        *sample = (struct sampled_region){.site = site, .next = mpi->computing.list};
        mpi->computing.list = sample;
    }
    return sample;
}

/* Whether the region that begins here runs; if not, the mean of its runs is charged. */
static bool
begins(struct mpi *mpi, const char *site, int runs)
{
    struct computing *computing = &mpi->computing;
    bool runs_now = true;

    computing_pause(mpi);
    struct sampled_region *sample = sample_of(mpi, site);

    if (computing->open && computing->open != sample) {
        computing->inside++; /* it runs as a part of the open region, or of one that was left by a jump */
    } else if (sample->calls || sample->runs < (runs > 0 ? runs : 1)) {
        computing->open = sample;
        computing->inside = 0;
    } else {
        charge(mpi, sample->nanoseconds / sample->runs);
        runs_now = false;
    }
    computing_resume(mpi);
    return runs_now;
}

/* The region has run. */
static void
computing_region_end(struct mpi *mpi)
{
    struct computing *computing = &mpi->computing;

    if (!computing->on || !computing->open)
        return;
    if (computing->inside > 0) {
        computing->inside--;
        return;
    }
    computing_pause(mpi);
    computing->open->runs++;
    computing->open = NULL;
    computing_resume(mpi);
}

int
peal_mpi_sample_begin(int runs)
{
    struct mpi *mpi = mpi_enter_any(CALL_NONE, __builtin_return_address(0));

    return !mpi->computing.on || !mpi->computing.samples || begins(mpi, mpi->file, runs);
}

int
peal_mpi_sample_end(void)
{
    computing_region_end(mpi_enter_any(CALL_NONE, __builtin_return_address(0)));
    return false;
}

/* A sampled function in a region, in another sampled function or in a call of MPI is a part of that one. */
enum peal_sample
computing_function_begins(struct peal_node *me, int function)
{
    enum { RUNS = 3 };
    static const char sites[64];
    struct mpi *mpi = &mpi_nodes[peal_world_rank(me)];
    struct computing *computing = &mpi->computing;

    if (!computing->on || computing->calls > 0 || computing->open)
        return PEAL_SAMPLE_RUNS;
    return begins(mpi, &sites[function], RUNS) ? PEAL_SAMPLE_MEASURED : PEAL_SAMPLE_SKIPPED;
}

void
computing_function_ends(struct peal_node *me)
{
    computing_region_end(&mpi_nodes[peal_world_rank(me)]);
}

void
peal_mpi_compute(long long operations)
{
    struct mpi *mpi = mpi_enter_any(CALL_NONE, __builtin_return_address(0));

    if (mpi->computing.on && operations >= 0)
        charge(mpi, (double)operations * mpi->computing.operation);
    else
        peal_compute_at(mpi->me, operations, mpi->file, mpi->line);
}
