/* SPDX-License-Identifier: MIT */
/* The end of a run: node 0 asks all for their logs when every node waits or has ended, and replays them. */
#include "lib/base/clock.h"
#include "lib/cluster/job.h"
#include <stdlib.h>

/* A node reports to node 0 when it has waited for a while, and when it has ended.  When all have, node 0 asks a
 * question; each answers with the part of its log since the last answer.  Two answers in a row in which no node went
 * on, and, by the replay, none can, are a deadlock: nothing is guessed from time.  A node that failed ends the run as
 * soon as the replay reaches that place.  Control messages have a separate communicator, and are looked for where nodes
 * wait: there is no helper thread.
 *
 * A node that prints reports it, and node 0 asks the same question now and then: the replay's output up to the end of
 * the first log is shown, in the order that it has on threads. */

enum {
    LOOK_EVERY = 500 * 1000,       /* nanoseconds between two looks for control messages */
    IDLE_AFTER = 50 * 1000 * 1000, /* the time a node waits before it reports to node 0 */
    ASK_EVERY = 100 * 1000 * 1000,
    SHOW_EVERY = 40 * 1000 * 1000, /* between two looks for output, at least; also REPLAYS times what a replay takes */
    REPLAYS = 20,
};

static void
send_log(struct job *job, uint64_t question)
{
    size_t bytes;

    job->unsaid = false; /* the text goes along */
    char *all = log_write(&job->log, question, job->over, &bytes);

    if (job->wire->rank == 0) {
        log_read(&job->logs[0], all, bytes);
        job->news = true;
    } else {
        plugged->post(job->wire, 0, CONTROL_LOG, all, bytes);
    }
    free(all);
}

static void
control_msg_handle(struct job *job, int source, int kind, const char *bytes, size_t count)
{
    uint64_t number = 0;

    if (count >= sizeof number)
        number = *(const uint64_t *)(const void *)bytes;
    switch ((enum control_kind)kind) {
    case CONTROL_IDLE:
        job->logs[source].now.epoch = number;
        job->logs[source].now.end = NODE_IS_IDLE;
        job->news = true;
        break;
    case CONTROL_ASK:
        if (!job->stopped)
            send_log(job, number);
        break;
    case CONTROL_LOG:
        log_read(&job->logs[source], bytes, count);
        job->news |= job->logs[source].now.end >= NODE_HAS_ENDED;
        break;
    case CONTROL_PRINTED:
        job->printed = true;
        break;
    case CONTROL_STOP:
        job->stopped = true;
        break;
    }
}

/* ------------------------------------------------------------------ node 0 */

static void
stop_all(struct job *job)
{
    uint64_t nothing = 0;

    for (int rank = 1; rank < job->wire->size; rank++)
        plugged->post(job->wire, rank, CONTROL_STOP, &nothing, sizeof nothing);
    job->stopped = true;
}

static void
ask_all(struct job *job, int64_t now)
{
    job->question++;
    job->asked = now;
    job->open = true;
    job->news = job->printed = false;
    for (int rank = 1; rank < job->wire->size; rank++)
        if (!job->logs[rank].now.last)
            plugged->post(job->wire, rank, CONTROL_ASK, &job->question, sizeof job->question);
    if (!job->logs[0].now.last)
        send_log(job, job->question);
    job->news = false;
}

/* The state of the nodes, as far as node 0 knows. */
struct node_summary {
    int idle, ended, failed, last;
    bool answered; /* by all that have not ended */
    uint64_t epochs;
};

static struct node_summary
node_summary_take(const struct job *job)
{
    struct node_summary summary = {.answered = true};

    for (int rank = 0; rank < job->wire->size; rank++) {
        const struct log *log = &job->logs[rank];

        summary.idle += log->now.end == NODE_IS_IDLE;
        summary.ended += log->now.end == NODE_HAS_ENDED;
        summary.failed += log->now.end == NODE_HAS_FAILED;
        summary.last += log->now.last;
        summary.epochs += log->now.epoch;
        summary.answered &= log->now.last || log->now.question == job->question;
    }
    return summary;
}

/* Whether some output that is known was not shown: the first log may end before it. */
static bool
holds_back(const struct job *job)
{
    size_t printed = 0;

    for (int rank = 0; rank < job->wire->size; rank++)
        printed += job->logs[rank].printed;
    return printed > job->shown;
}

/* Whether the run is over by the replay of the known logs. */
static bool
cluster_is_over(struct job *job, const struct node_summary *summary)
{
    bool all_idle = summary->idle + summary->ended + summary->failed == job->wire->size;
    int64_t began = nanoseconds_now();
    enum replay_outcome outcome = replay(job, false, false);

    job->pause = REPLAYS * (nanoseconds_now() - began);
    if (outcome != REPLAY_FAILED) {
        if (outcome == REPLAY_SHORT) {
            replay_show(job, false);
            job->printed |= holds_back(job);
        }
        job->suspected = false;
        return false;
    }
    if (summary->failed > 0)
        return true;
    bool again = job->suspected && all_idle && summary->epochs == job->quiet;

    job->suspected = all_idle;
    job->quiet = summary->epochs;
    job->news = true; /* ask once more */
    return again;
}

static void
cluster_coordinate(struct job *job, int64_t now)
{
    struct node_summary summary = node_summary_take(job);
    int size = job->wire->size;

    if (summary.last == size) {
        stop_all(job);
        return;
    }
    if (job->expired)
        return; /* each node's last log comes by itself */
    if (job->open && summary.answered) {
        job->open = false;
        if (cluster_is_over(job, &summary)) {
            stop_all(job);
            return;
        }
    }
    bool all_idle = summary.idle + summary.ended + summary.failed == size;

    bool show = job->printed && now - job->asked > (job->pause > SHOW_EVERY ? job->pause : SHOW_EVERY);

    if (!job->open && (show || (all_idle && job->news) || (summary.failed > 0 && now - job->asked > ASK_EVERY)))
        ask_all(job, now);
}

/* ------------------------------------------------------------------ every node */

void
watch_look(struct job *job, bool at_once)
{
    int64_t now = nanoseconds_now();
    int source, kind;
    size_t count;
    char *control;

    if (!at_once && now - job->looked < LOOK_EVERY)
        return;
    job->looked = now;
    while ((control = plugged->look(job->wire, &source, &kind, &count))) {
        control_msg_handle(job, source, kind, control, count);
        free(control);
    }
    if (job->log.now.end == NODE_IS_IDLE && job->idle_since && now - job->idle_since > IDLE_AFTER &&
        job->reported != job->log.now.epoch + 1) {
        job->reported = job->log.now.epoch + 1;
        if (job->wire->rank == 0) {
            job->logs[0].now.epoch = job->log.now.epoch;
            job->logs[0].now.end = NODE_IS_IDLE;
            job->news = true;
        } else {
            plugged->post(job->wire, 0, CONTROL_IDLE, &job->log.now.epoch, sizeof job->log.now.epoch);
        }
    }
    if (job->unsaid && job->wire->rank == 0)
        job->printed = true;
    else if (job->unsaid)
        plugged->post(job->wire, 0, CONTROL_PRINTED, &job->log.now.epoch, sizeof job->log.now.epoch);
    job->unsaid = false;
    if (job->wire->rank == 0 && !job->stopped)
        cluster_coordinate(job, now);
}

void
watch_ended(struct job *job)
{
    job->over = true;
    send_log(job, 0);
}
