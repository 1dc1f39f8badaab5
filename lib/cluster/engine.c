/* SPDX-License-Identifier: MIT */
/* A machine whose nodes are the processes of an MPI job: every process makes the same machine and the same runs. */
#include "lib/machine/engine.h"
#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "lib/cluster/job.h"
#include "lib/cluster/part.h"
#include "lib/machine/failure.h"
#include "lib/machine/hooks.h"
#include "lib/machine/memory.h"
#include "lib/machine/stacks.h"
#include <stdlib.h>
#include <unistd.h>

/* ------------------------------------------------------------------ memory that nodes write */

static bool
cluster_share_memory(struct peal_machine *machine, void *memory, size_t bytes)
{
    struct job *job = machine->remote_data;
    struct job_share *share = malloc(sizeof *share);

    if (!share || !(share->before = malloc(bytes + 1))) {
        free(share);
        return false;
    }
    share->memory = memory;
    share->bytes = bytes;
    if (bytes > 0)
        memcpy(share->before, memory, bytes);
    share->next = job->shares;
    job->shares = share;
    return true;
}

/* Where this process's node wrote: pairs of where a stretch begins and its bytes, and the bytes themselves. */
struct written {
    uint64_t count, bytes;
    size_t capacity;
    uint64_t (*stretches)[2];
};

static bool
find_written(const struct job_share *share, struct written *written)
{
    enum { NEAR = 16 }; /* stretches this near to one another are one */

    for (size_t i = 0; i < share->bytes; i++) {
        if (share->memory[i] == share->before[i])
            continue;
        if (written->count > 0) {
            uint64_t *last = written->stretches[written->count - 1];

            if (i - (last[0] + last[1]) < NEAR) {
                written->bytes += i + 1 - (last[0] + last[1]);
                last[1] = i + 1 - last[0];
                continue;
            }
        }
        if (!array_grow(&written->stretches, &written->capacity, written->count + 1, sizeof *written->stretches))
            return false;
        written->stretches[written->count][0] = i;
        written->stretches[written->count++][1] = 1;
        written->bytes++;
    }
    return true;
}

/* Put what one process's node wrote in its place: pairs, then bytes, as unite sends them. */
static void
take_written(struct job_share *share, const char *bytes, size_t count)
{
    uint64_t stretches;

    if (count < sizeof stretches)
        return;
    memcpy(&stretches, bytes, sizeof stretches);
    const char *pairs = bytes + sizeof stretches, *at = pairs + stretches * 2 * sizeof(uint64_t);

    for (uint64_t i = 0; i < stretches; i++) {
        uint64_t stretch[2];

        memcpy(stretch, pairs + i * sizeof stretch, sizeof stretch);
        for (uint64_t j = stretch[0]; j < stretch[0] + stretch[1]; j++, at++)
            if (*at != share->before[j]) /* what lies between two stretches was not written */
                share->memory[j] = *at;
    }
}

/* Bring what each process's node wrote to all processes. */
static void
unite(struct job *job, struct job_share *share)
{
    struct written mine = {0};
    size_t *counts = calloc((size_t)job->wire->size, sizeof *counts), count = 0;
    char *bytes = NULL, *all = NULL, *at;
    bool well = counts && find_written(share, &mine);

    if (well && mine.count > 0)
        count = sizeof mine.count + mine.count * sizeof *mine.stretches + mine.bytes;
    if (!well || !(at = bytes = malloc(count + 1)))
        plugged->abort(job->wire, PEAL_RESOURCES);
    if (count > 0) {
        at = mempcpy(at, &mine.count, sizeof mine.count);
        at = mempcpy(at, mine.stretches, mine.count * sizeof *mine.stretches);
        for (uint64_t i = 0; i < mine.count; i++)
            at = mempcpy(at, share->memory + mine.stretches[i][0], mine.stretches[i][1]);
    }
    all = at = plugged->exchange(job->wire, bytes, count, counts);
    if (!all)
        plugged->abort(job->wire, PEAL_RESOURCES);
    for (int rank = 0; rank < job->wire->size; at += counts[rank++])
        if (rank != job->wire->rank)
            take_written(share, at, counts[rank]);
    free(mine.stretches);
    free(counts);
    free(bytes);
    free(all);
}

/* The nodes no longer write it; `well`: what they wrote counts. */
static void
unite_all(struct job *job, bool well)
{
    for (struct job_share *share; (share = job->shares); free(share)) {
        job->shares = share->next;
        if (well)
            unite(job, share);
        free(share->before);
    }
}

/* ------------------------------------------------------------------ a machine */

static void
close_job(struct peal_machine *machine)
{
    struct job *job = machine->remote_data;

    if (!job)
        return;
    if (job->wire)
        plugged->close(job->wire);
    peal_machine_destroy(job->replay);
    if (job->output > 0)
        close(job->output);
    log_clear(&job->log);
    for (int rank = 0; job->logs && rank < machine->options.nodes; rank++)
        log_clear(&job->logs[rank]);
    unite_all(job, false);
    free(job->logs);
    free(job->early);
    free(job->packed);
    free(job->round_seconds);
    free(job->samples);
    free(job->spreads);
    free(job);
    machine->remote_data = NULL;
    machine->replayed = NULL;
}

static _Thread_local bool is_lost; /* the machine that is made now is not run */

static enum peal_status
open_job(struct peal_machine *machine, struct peal_error *error)
{
    if (is_lost) {
        machine->remote = NULL;
        return PEAL_OK;
    }
    struct job *job = calloc(1, sizeof *job);
    int nodes = machine->options.nodes;

    machine->remote_data = job;
    if (!job)
        return peal_refuse(error, PEAL_RESOURCES, "no memory for a machine");
    if (!world_wire)
        return peal_refuse(error, PEAL_USAGE,
                           "the engine mpi runs in an MPI job, and this process is in none: "
                           "peal run starts one, and peal_mpi_begin joins it");
    if (world_wire->size != nodes)
        return peal_refuse(error, PEAL_USAGE, "the job has %d process%s and the machine %d node%s: start %d process%s",
                           world_wire->size, world_wire->size == 1 ? "" : "es", nodes, plural(nodes), nodes,
                           nodes == 1 ? "" : "es");
    job->machine = machine;
    job->wire = plugged->open(world_communicator);
    if (job->wire && job->wire->rank == 0)
        job->logs = calloc((size_t)nodes, sizeof *job->logs);
    if (!job->wire || (job->wire->rank == 0 && !job->logs))
        return peal_refuse(error, PEAL_RESOURCES, "%s has no communicator left for a machine", plugged->name);
    return PEAL_OK;
}

/* ------------------------------------------------------------------ the time */

/* Ends a node that still computes when the time is up. */
struct time_limit {
    struct job *job;
    pthread_t node, thread;
    pthread_mutex_t lock;
    pthread_cond_t over;
    bool done, there;
};

static void *
keep_time(void *arg)
{
    struct time_limit *limit = arg;
    double seconds = limit->job->machine->options.timeout_seconds;
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    pthread_mutex_lock(&limit->lock);
    while (!limit->done) {
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        if (pthread_cond_timedwait(&limit->over, &limit->lock, &until) == 0 || limit->done)
            continue;
        limit->job->expired = true;
        atomic_store(&limit->job->machine->stopping, true);
        pthread_kill(limit->node, SIGNAL_STOP);
        until.tv_nsec += 20 * 1000 * 1000;
    }
    pthread_mutex_unlock(&limit->lock);
    return NULL;
}

static void
limit_begin(struct time_limit *limit, struct job *job)
{
    double seconds = job->machine->options.timeout_seconds;

    *limit = (struct time_limit){.job = job, .node = pthread_self()};
    if (!(seconds > 0 && seconds < 1e9))
        return;
    pthread_mutex_init(&limit->lock, NULL);
    pthread_cond_init(&limit->over, NULL);
    limit->there = pthread_create(&limit->thread, NULL, keep_time, limit) == 0;
}

static void
limit_end(struct time_limit *limit)
{
    if (!limit->there)
        return;
    pthread_mutex_lock(&limit->lock);
    limit->done = true;
    pthread_cond_signal(&limit->over);
    pthread_mutex_unlock(&limit->lock);
    pthread_join(limit->thread, NULL);
    pthread_cond_destroy(&limit->over);
    pthread_mutex_destroy(&limit->lock);
}

/* ------------------------------------------------------------------ a run */

/* Write down the node's failure as the machine has it: the message, and in a second line its fix. */
static void
log_failure(struct job *job)
{
    const struct peal_failure *failure = &job->machine->reports.failure;
    char text[sizeof failure->message + sizeof failure->fix];

    snprintf(text, sizeof text, "%s%s%s", failure->message, failure->fix[0] ? "\n" : "", failure->fix);
    struct record *record = log_add(&job->log, LOG_FAIL, failure->file[0] ? failure->file : NULL, failure->line);

    record->text.failure = (uint8_t)failure->kind;
    log_text(&job->log, record, text, strlen(text));
    job->log.now.end = NODE_HAS_FAILED;
}

static void
run_node(struct job *job, struct node *node)
{
    enum node_exit way = node_run_alone(node);

    if (way == EXIT_DONE) {
        log_add(&job->log, LOG_END, node->file, node->line);
        job->log.now.end = NODE_HAS_ENDED;
    } else if (way != EXIT_UNWOUND) {
        log_failure(job);
    }
}

static void
measure_ticks(struct job *job)
{
    int64_t ticks = ticks_now() - job->began_ticks, nanoseconds = nanoseconds_now() - job->began;

    job->log.now.ended_ticks = ticks;
    job->log.now.ticks_a_second = nanoseconds > 0 ? (double)ticks / ((double)nanoseconds * 1e-9) : 1e9;
}

static void
cluster_meet(struct job *job)
{
    plugged->meet_begin(job->wire);
    while (!plugged->meet_done(job->wire))
        wire_relax(job->wire);
}

/* How long each round took, since the last wait that an earlier round completed. */
static void
difference_rounds(struct job *job)
{
    double latest = 0;

    for (size_t i = 0; i < job->round_count; i++) {
        double end = job->round_seconds[i] > latest ? job->round_seconds[i] : latest;

        job->round_seconds[i] = end - latest;
        latest = end;
    }
}

/* Keep the times of the run; those of runs with another number of rounds are dropped. */
static void
keep_sample(struct job *job)
{
    size_t rounds = peal_machine_schedule(job->replay)->round_count, width = rounds + 1;
    double whole = 0;

    if (rounds != job->sample_rounds)
        job->sample_count = 0;
    job->sample_rounds = rounds;
    if (!array_grow(&job->samples, &job->sample_room, ((size_t)job->sample_count + 1) * width, sizeof *job->samples))
        return;
    for (int rank = 0; rank < job->wire->size; rank++) {
        const struct log *log = &job->logs[rank];
        double seconds = (double)log->now.ended_ticks / log->now.ticks_a_second;

        whole = seconds > whole ? seconds : whole;
    }
    double *sample = job->samples + (size_t)job->sample_count++ * width;

    sample[0] = whole;
    for (size_t i = 0; i < rounds; i++)
        sample[i + 1] = i < job->round_count ? job->round_seconds[i] : 0;
}

/* The spread of column `column` of the samples from `first` on. */
static struct peal_spread
spread_of(const struct job *job, int first, size_t column, double *room)
{
    int count = job->sample_count - first;

    for (int i = 0; i < count; i++)
        room[i] = job->samples[(size_t)(first + i) * (job->sample_rounds + 1) + column];
    qsort(room, (size_t)count, sizeof *room, compare_doubles);
    return (struct peal_spread){
        .median = (room[(count - 1) / 2] + room[count / 2]) / 2, .minimum = room[0], .maximum = room[count - 1]};
}

static const struct peal_measured *
get_measured(const struct peal_machine *machine)
{
    struct job *job = machine->remote_data;
    int first = job->sample_count > 1;

    if (job->sample_count == 0)
        return NULL;
    double *room = malloc((size_t)job->sample_count * sizeof *room);

    free(job->spreads);
    job->spreads = malloc((job->sample_rounds + 1) * sizeof *job->spreads);
    if (room && job->spreads) {
        job->measured = (struct peal_measured){.repetitions = job->sample_count - first,
                                               .rounds = job->sample_rounds,
                                               .whole = spread_of(job, first, 0, room),
                                               .round = job->spreads};
        for (size_t i = 0; i < job->sample_rounds; i++)
            job->spreads[i] = spread_of(job, first, i + 1, room);
    }
    free(room);
    return room && job->spreads ? &job->measured : NULL;
}

/* Node 0 replays the whole run, and sends the others the result. */
static void
agree(struct job *job)
{
    struct peal_machine *machine = job->machine;
    static struct job_verdict verdict;

    verdict = (struct job_verdict){0};
    if (job->wire->rank == 0) {
        enum replay_outcome outcome = replay(job, true, job->expired);

        replay_show(job, true);
        const struct peal_failure *failure = job->replay ? peal_machine_failure(job->replay) : NULL;

        machine->replayed = job->replay;
        difference_rounds(job);
        verdict.failed = outcome != REPLAY_WELL;
        if (outcome == REPLAY_WELL)
            keep_sample(job);
        else
            job->sample_count = 0;
        if (failure) {
            verdict.fault = failure->fault;
        } else if (verdict.failed) {
            verdict.kind = PEAL_OUT_OF_MEMORY;
            snprintf(verdict.message, sizeof verdict.message, "no memory to replay the nodes' records");
        }
        if (job->replay) {
            verdict.cost = peal_machine_cost(job->replay);
            verdict.rounds = job->replay->rounds_made;
        }
    }
    plugged->broadcast(job->wire, &verdict, sizeof verdict, 0);
    failure_clear(machine);
    machine->round.cost = verdict.cost;
    machine->rounds_made = verdict.rounds;
    if (!verdict.failed)
        return;
    failure_set(machine, verdict.rank, verdict.kind, verdict.file[0] ? verdict.file : NULL, verdict.line, "%s",
                verdict.message);
    memcpy(machine->reports.failure.fix, verdict.fix, sizeof verdict.fix);
}

static void
cluster_begin_run(struct job *job)
{
    log_reset(&job->log);
    for (int rank = 0; job->logs && rank < job->wire->size; rank++)
        log_reset(&job->logs[rank]);
    job->machine->replayed = NULL;
    job->looked = job->idle_since = job->asked = 0;
    job->reported = job->question = job->quiet = 0;
    job->stopped = job->expired = job->open = job->news = job->suspected = false;
    job->printed = job->unsaid = job->over = false;
    job->look_ticks = job->pause = 0;
    job->sure = job->shown = 0;
    job->early_count = 0;
}

/* A signal stack for this thread, so that an overflowed stack can be reported. */
static stack_t
stack_begin(struct peal_machine *machine, void **memory)
{
    stack_t stack = {.ss_size = signal_stack_bytes()}, before = {0};
    pthread_attr_t attributes;
    void *low = NULL;
    size_t bytes = 0;

    if ((*memory = stack.ss_sp = malloc(stack.ss_size)))
        sigaltstack(&stack, &before);
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &low, &bytes);
        pthread_attr_destroy(&attributes);
    }
    machine->stacks.guard_bytes = 1 << 20;
    machine->stacks.mapping = (char *)low - machine->stacks.guard_bytes;
    machine->stacks.stride = 0;
    machine->stacks.stack_bytes = bytes;
    return before;
}

/* The node has ended: until the run is over answer the others, and then let go of what the node has posted. */
static __attribute__((noinline)) void
cluster_end_node(struct job *job, struct node *node, struct time_limit *limit)
{
    watch_ended(job);
    while (!job->stopped) {
        watch_look(job, true);
        if (!job->stopped)
            wire_relax(job->wire);
    }
    limit_end(limit);
    node_let_go(job, node);
}

/* End the run of a node that left receives open.  MPI writes what comes for them to where the frames of its functions
 * were, so nothing else is kept there before they are released. */
static __attribute__((noinline)) void
end_below(struct job *job, struct node *node, struct time_limit *limit)
{
    enum { MAX = 1 << 26 };
    const struct peal_machine *machine = job->machine;
    const char *low = (const char *)machine->stacks.mapping + machine->stacks.guard_bytes,
               *here = __builtin_frame_address(0);
    size_t most = machine->stacks.stack_bytes > 0 ? (size_t)(here - low) / 8 * 7 : 0;
    char *frames = __builtin_alloca(most < MAX ? most : MAX);

    __asm__ volatile("" ::"r"(frames) : "memory");
    cluster_end_node(job, node, limit);
    __asm__ volatile("" ::"r"(frames) : "memory");
}

static void
cluster_run(struct peal_machine *machine)
{
    struct job *job = machine->remote_data;
    struct node *node = &machine->nodes[job->wire->rank];
    FILE *quiet = stderr, *own = fdopen(dup(STDERR_FILENO), "w");
    struct time_limit limit;
    void *memory;
    stack_t before = stack_begin(machine, &memory);

    cluster_begin_run(job);
    if (own) { /* a node's stderr is shown, whatever this process's command does with its own messages */
        setvbuf(own, NULL, _IONBF, 0);
        stderr = own;
    }
    self = node;
    node->context = job;
    cluster_meet(job);
    job->began = nanoseconds_now();
    job->began_ticks = ticks_now();
    limit_begin(&limit, job);
    run_node(job, node);
    measure_ticks(job);
    (node->open ? end_below : cluster_end_node)(job, node, &limit);
    stderr = quiet;
    if (own)
        fclose(own);
    node_clear(node);
    memory_release(node);
    self = NULL;
    agree(job);
    unite_all(job, !machine->reports.failed);
    plugged->forget(job->wire, machine->reports.failed);
    before.ss_flags = before.ss_sp ? before.ss_flags : SS_DISABLE;
    sigaltstack(&before, NULL);
    free(memory);
    machine->stacks.mapping = NULL;
}

static bool
has_one_clock(const struct peal_machine *machine)
{
    const struct job *job = machine->remote_data;

    return job->wire->local == job->wire->size;
}

static const struct remote mpi_remote = {
    .open = open_job,
    .close = close_job,
    .run = cluster_run,
    .posted = node_posted,
    .park = node_waits,
    .consumed = node_consumed,
    .test = node_tests,
    .computed = node_computed,
    .clock = node_clock,
    .print = node_prints,
    .called = node_calls,
    .split = node_splits,
    .share = cluster_share_memory,
    .measured = get_measured,
    .one_clock = has_one_clock,
};

static const struct engine mpi = {.name = "mpi", .remote = &mpi_remote};

struct peal_machine *
peal_mpi_lost(const struct peal_options *options, enum peal_failure_kind kind, const char *message,
              struct peal_error *error)
{
    is_lost = true;
    struct peal_machine *machine = peal_machine_create(options, error);

    is_lost = false;
    if (machine)
        failure_set(machine, NO_RANK, kind, NULL, 0, "%s", message);
    return machine;
}

__attribute__((constructor)) static void
offer(void)
{
    engine_mpi = &mpi;
}
