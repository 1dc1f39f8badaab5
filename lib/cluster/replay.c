/* SPDX-License-Identifier: MIT */
/* The charge of a run on threads: the nodes' actions are repeated, without their data, on a machine of this process. */
#include "lib/base/text.h"
#include "lib/cluster/job.h"
#include "lib/machine/failure.h"
#include "lib/machine/hooks.h"
#include "lib/machine/park.h"
#include "lib/machine/requests.h"
#include "lib/machine/rules.h"
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* Every post is posted again with its words, peer, tag and call site, every wait waited for, and the machine's own
 * rounds match, admit, route, charge and fail.  A receive from any source, or with any tag, names the message it really
 * got.  So a program whose posts depend only on its data gets exactly the schedule it has on threads; where it relied
 * on MPI to buffer a message, it gets the deadlock it has there. */

/* A node's posts, and the views of it that its splits made: by context, program's and collectives'. */
struct again {
    struct post_again {
        struct peal_handle handle;
        int32_t source, tag; /* that it got, if that is known */
        bool known;
    } * posts;
    struct peal_node *views; /* the collectives' view of each group; made from the program's */
    struct peal_node **groups;
    uint32_t contexts;
    struct peal_node *entered; /* of the collective that the node is in or was in last, if its call is in the log */
    uint32_t entered_context;  /* as the log has it */
};

/* A collective's row, from the log: one for all nodes, since calls are compared by it. */
struct replay_row {
    struct peal_form form;
    struct replay_row *next;
};

struct play {
    struct job *job;
    bool whole, late;
    bool guesses; /* from here on longer logs might lead to other rounds */
    _Atomic bool is_short;
    struct again *nodes;
    struct replay_row *rows;
};

static const char *
log_site_file(const struct log *log, int site)
{
    return site > 0 && site < log->site_count ? log->sites[site] : NULL;
}

/* Output after this may be different in a replay of longer logs. */
static void
guess(struct play *play)
{
    off_t written = play->guesses || play->job->output < 0 ? -1 : lseek(play->job->output, 0, SEEK_CUR);

    play->guesses = true;
    if (written >= 0)
        play->job->sure = (size_t)written;
}

/* The log is at its end, but the node would have gone on. */
static _Noreturn void
run_short(struct play *play, struct peal_node *me, const struct log *log)
{
    struct peal_machine *machine = me->node->machine;

    guess(play);
    call_enter(me, log_site_file(log, log->now.site), log->now.line);
    if (play->late) {
        failure_set(machine, INT_MAX, PEAL_TIMED_OUT, NULL, 0, "after %g second%s the run has not ended",
                    play->job->machine->options.timeout_seconds, plural(play->job->machine->options.timeout_seconds));
    } else {
        atomic_store(&play->is_short, true);
        failure_set(machine, INT_MIN, PEAL_TIMED_OUT, NULL, 0, "the log of node %d ends here", me->rank);
    }
    siglongjmp(*me->node->entry, EXIT_FAILED);
}

/* The view that a context's posts are made on. */
static struct peal_node *
replay_view(struct again *again, struct peal_node *me, uint32_t context)
{
    if (again->entered && context == again->entered_context)
        return again->entered;
    if (context == 0 || context >= again->contexts || !again->groups[context / 2])
        return me;
    return context % 2 ? &again->views[context / 2] : again->groups[context / 2];
}

/* The node was seen outside of a collective: it has left the one that it was in. */
static void
leave_again(struct again *again)
{
    if (again->entered)
        peal_leave(again->entered);
    again->entered = NULL;
}

/* Leave the collective, unless this post is one of its own. */
static void
leave_with(struct again *again, const struct peal_node *me, uint32_t post)
{
    if (again->entered && me->node->machine->requests[again->posts[post].handle.slot].view != again->entered)
        leave_again(again);
}

static void
enter_group(struct again *again, uint32_t context, struct peal_node *view)
{
    again->groups[context / 2] = view;
    again->views[context / 2] = *view;
    again->views[context / 2].context = view->group->context + 1;
    again->views[context / 2].collective = "collective"; /* calls on it are not the program's own */
}

static bool
replay_row_matches(const struct peal_form *form, const char *name, const struct call_kind *kind)
{
    return strcmp(form->name, name) == 0 && (form->out != PEAL_SIDE_NONE) == kind->sized &&
           (form->unequal != NULL) == kind->blocks && form->root == kind->rooted && form->by == kind->shifts;
}

static const struct peal_form *
replay_row_find(struct play *play, const struct log *log, const struct call_kind *kind)
{
    const char *file = log_site_file(log, kind->collective), *name = file ? file : "";
    struct replay_row *row = play->rows;

    while (row && !replay_row_matches(&row->form, name, kind))
        row = row->next;
    if (!row && (row = malloc(sizeof *row))) {
        *row = (struct replay_row){{.name = name,
                                    .out = kind->sized ? PEAL_SIDE_VECTOR : PEAL_SIDE_NONE,
                                    .unequal = kind->blocks ? name : NULL,
                                    .root = kind->rooted,
                                    .by = kind->shifts},
                                   play->rows};
        play->rows = row;
    }
    return row ? &row->form : NULL;
}

/* Call a collective: from here on the node is in it, until it is seen outside. */
static void
call_again(struct play *play, struct again *again, struct peal_node *me, const struct log *log,
           const struct record *record, const char *file)
{
    struct peal_node *view;
    struct call_kind kind;

    leave_again(again);
    view = replay_view(again, me, record->call.context);
    memcpy(&kind, log->text + record->call.kind, sizeof kind);
    struct peal_call call = {
        .form = replay_row_find(play, log, &kind),
        .algorithm = log_site_file(log, kind.algorithm),
        .op = log_site_file(log, kind.op),
        .words = record->call.words,
        .list = kind.list,
        .root = record->call.root,
        .by = kind.by,
        .parameter = kind.parameter,
        .unequal = kind.unequal,
    };

    if (!call.form)
        peal_fail_at(me, PEAL_OUT_OF_MEMORY, file, record->line, "no memory to note a call");
    peal_declare_call(view, &call, file, record->line);
    again->entered = peal_enter(view, call.form->name, file, record->line);
    again->entered_context = record->call.context + 1;
}

static void
post_again(struct play *play, struct again *again, struct peal_node *me, const struct record *record, uint32_t number,
           const char *file)
{
    bool both = record->kind == LOG_SENT || record->kind == LOG_RECEIVED;
    uint32_t context = record->post.context;
    uint64_t words = record->post.words | (uint64_t)(both ? 0 : record->post.more_words) << 32;
    int peer = record->post.peer, tag = record->post.tag;
    static char nothing; /* words have no bytes here */

    if (context % 2 == 0)
        leave_again(again);
    struct peal_node *view = replay_view(again, me, context);

    if (record->kind == LOG_SEND || record->kind == LOG_SENT) {
        again->posts[number].handle = peal_send_async_at(view, &nothing, words, peer, tag, file, record->line);
        return;
    }
    if (again->posts[number].known) {
        peer = again->posts[number].source;
        tag = again->posts[number].tag;
    } else if (peer == PEAL_ANY_SOURCE || tag == PEAL_ANY_TAG) {
        guess(play);
    }
    again->posts[number].handle = peal_recv_async_at(view, &nothing, words, peer, tag, file, record->line);
}

static void
wait_for_post(struct again *again, struct peal_node *me, uint32_t post, const char *file, int line)
{
    leave_with(again, me, post);
    peal_wait_at(me, again->posts[post].handle, file, line);
}

/* Note when, on the real machine, the waits that a round completed came back. */
static void
note_time(struct play *play, const struct peal_node *me, const struct log *log, int64_t ticks)
{
    struct job *job = play->job;
    size_t round = me->node->machine->round.recorder.schedule.round_count;
    double seconds = (double)ticks / log->now.ticks_a_second;

    if (round == 0 || !play->whole)
        return;
    if (!peal_grow_zeroed(&job->round_seconds, &job->round_count, round, sizeof seconds))
        return;
    if (seconds > job->round_seconds[round - 1])
        job->round_seconds[round - 1] = seconds;
}

/* Repeat failed tests: the node rests while the request is not complete here either. */
static void
test_again(const struct again *again, struct peal_node *me, const struct record *record, const char *file,
           bool for_ever)
{
    struct peal_handle handle = again->posts[record->test.post].handle;
    const struct request *request = &me->node->machine->requests[handle.slot];

    for (uint64_t i = 0; (i < record->test.count || for_ever) && !(request->flags & REQUEST_COMPLETE); i++) {
        call_enter(me, file, record->line);
        node_park(me->node, NODE_TESTS);
    }
}

static _Noreturn void
fail_again(struct peal_node *me, const struct log *log, const struct record *record, const char *file)
{
    char message[1000 + ADVICE_BYTES], *fix;
    size_t length = record->text.count < sizeof message - 1 ? record->text.count : sizeof message - 1;

    memcpy(message, log->text + record->text.begin, length);
    message[length] = '\0';
    if ((fix = strchr(message, '\n'))) {
        *fix++ = '\0';
        peal_advise(me, "%s", fix);
    }
    peal_fail_at(me, (int)record->text.failure, file, record->line, "%s", message);
}

static void
do_again(struct play *play, struct again *again, struct peal_node *me, const struct log *log, size_t i, uint32_t *posts)
{
    const struct record *record = &log->records[i];
    const char *file = log_site_file(log, record->site);

    switch ((enum record_kind)record->kind) {
    case LOG_SEND:
    case LOG_RECEIVE:
        post_again(play, again, me, record, (*posts)++, file);
        break;
    case LOG_SENT:
    case LOG_RECEIVED:
        post_again(play, again, me, record, *posts, file);
        wait_for_post(again, me, (*posts)++, file, record->line);
        note_time(play, me, log, record->post.ticks);
        break;
    case LOG_CONSUME:
        wait_for_post(again, me, record->consume.post, file, record->line);
        note_time(play, me, log, record->consume.ticks);
        break;
    case LOG_TEST: {
        bool for_ever = i + 1 == log->count && log->now.end == NODE_IS_IDLE && log->now.state == NODE_TESTS;

        if (for_ever)
            guess(play);
        leave_with(again, me, record->test.post);
        test_again(again, me, record, file, for_ever);
        break;
    }
    case LOG_REST:
        for (uint64_t n = 0; n < record->test.count; n++)
            peal_next_round_at(me, file, record->line);
        break;
    case LOG_CALL:
        call_again(play, again, me, log, record, file);
        break;
    case LOG_SPLIT: {
        if (record->split.context % 2 == 0)
            leave_again(again);
        struct peal_node *view = peal_split_at(replay_view(again, me, record->split.context), record->split.color,
                                               record->split.key, file, record->line);

        if (view && record->split.made)
            enter_group(again, record->split.made, view);
        break;
    }
    case LOG_COMPUTE:
        peal_compute_at(me, record->operations, file, record->line);
        break;
    case LOG_PRINT:
        if (play->whole || play->job->output >= 0)
            peal_write(me, log->text + record->text.begin, record->text.count);
        break;
    case LOG_FAIL:
        fail_again(me, log, record, file);
    case LOG_END:
        break;
    }
}

/* Repeat the node's wait. */
static void
wait_again(struct again *again, struct peal_node *me, const struct log *log)
{
    struct peal_machine *machine = me->node->machine;
    const char *file = log_site_file(log, log->now.site);

    if (log->now.state == NODE_SPLITS && log->now.split.split.context % 2 == 0)
        leave_again(again);
    if (log->now.state == NODE_SPLITS)
        peal_split_at(replay_view(again, me, log->now.split.split.context), log->now.split.split.color,
                      log->now.split.split.key, file, log->now.line);
    if (log->now.state != NODE_WAITS)
        return;
    if (log->awaited_count > 0)
        leave_with(again, me, log->awaited[0]);
    call_enter(me, file, log->now.line);
    for (uint32_t i = 0; i < log->awaited_count; i++) {
        struct request *request = &machine->requests[again->posts[log->awaited[i]].handle.slot];

        if (!(request->flags & REQUEST_COMPLETE)) {
            request->flags |= REQUEST_AWAITED;
            machine->round.node[me->rank].waiting++;
        }
    }
    if (machine->round.node[me->rank].waiting > 0)
        node_park(me->node, NODE_WAITS);
}

static void
play_node(struct peal_node *me, void *arg)
{
    struct play *play = arg;
    const struct log *log = &play->job->logs[me->rank];
    struct again *again = &play->nodes[me->rank];
    struct peal_node own = *me;
    uint32_t posts = 0;

    enter_group(again, 0, &own);
    for (size_t i = 0; i < log->count; i++)
        do_again(play, again, me, log, i, &posts);
    if (log->now.end == NODE_IS_IDLE)
        wait_again(again, me, log);
    if (log->now.end == NODE_IS_IDLE || log->now.end == NODE_GOES_ON)
        run_short(play, me, log);
}

/* ------------------------------------------------------------------ around the run */

static bool
replay_prepare(struct again *again, const struct log *log)
{
    uint32_t highest = 0;

    for (size_t i = 0; i < log->count; i++)
        if (log->records[i].kind == LOG_SPLIT && log->records[i].split.made > highest)
            highest = log->records[i].split.made;
    again->contexts = highest + 2;
    again->posts = calloc(log->posts + 1, sizeof *again->posts);
    again->views = calloc(again->contexts, sizeof *again->views);
    again->groups = calloc(again->contexts, sizeof(struct peal_node *));
    if (!again->posts || !again->views || !again->groups)
        return false;
    for (size_t i = 0; i < log->count; i++) {
        const struct record *record = &log->records[i];

        if (record->kind != LOG_CONSUME)
            continue;
        struct post_again *post = &again->posts[record->consume.post];

        *post = (struct post_again){post->handle, record->consume.source, record->consume.tag, true};
    }
    return true;
}

/* The machine that the logs are replayed on: as this one, but with its nodes in this process and words of no bytes. */
static struct peal_machine *
replay_machine_create(const struct job *job)
{
    struct peal_options options = job->machine->options;

    options.engine = "auto";
    options.carriers = 1;
    options.wake_all = false;
    options.timeout_seconds = 0;
    options.word_bytes = 1;
    options.stack_bytes = 0;
    options.output = job->output >= 0 ? job->output : options.output;
    struct peal_machine *machine = peal_machine_create(&options, NULL);

    if (machine)
        machine->options.word_bytes = machine->round.word_bytes = 0;
    return machine;
}

static void
put_away(struct play *play, int count)
{
    for (int rank = 0; play->nodes && rank < count; rank++) {
        struct again *again = &play->nodes[rank];

        free(again->posts);
        free(again->views);
        free(again->groups);
    }
    free(play->nodes);
    for (struct replay_row *row; (row = play->rows); free(row))
        play->rows = row->next;
}

void
replay_show(struct job *job, bool whole)
{
    char bytes[1 << 13];
    ssize_t count;

    while (job->output >= 0 && (whole || job->shown < job->sure)) {
        size_t most = whole || job->sure - job->shown > sizeof bytes ? sizeof bytes : job->sure - job->shown;

        if ((count = pread(job->output, bytes, most, (off_t)job->shown)) <= 0)
            break;
        job->shown += (size_t)count;
        for (ssize_t done = 0, gone; done < count; done += gone)
            if ((gone = write(job->machine->options.output, bytes + done, (size_t)(count - done))) < 0) {
                if (errno != EINTR) { /* what the system does not accept is lost, as with printf, and noted */
                    if (!atomic_load(&job->machine->reports.output_error))
                        atomic_store(&job->machine->reports.output_error, errno);
                    break;
                }
                gone = 0;
            }
    }
}

/* An empty file for what is printed. */
static void
begin_output(struct job *job)
{
    if (!job->replay)
        job->output = memfd_create("peal output", MFD_CLOEXEC);
    if (job->output >= 0) {
        lseek(job->output, 0, SEEK_SET);
        (void)!ftruncate(job->output, 0);
    }
}

enum replay_outcome
replay(struct job *job, bool whole, bool late)
{
    int nodes = job->wire->size;
    struct play play = {.job = job, .whole = whole, .late = late, .nodes = calloc((size_t)nodes, sizeof *play.nodes)};
    struct node *kept = self;
    bool memory = play.nodes;
    const struct peal_failure *failure = NULL;

    begin_output(job);
    if (!job->replay)
        job->replay = replay_machine_create(job);
    memory = memory && job->replay;
    for (int rank = 0; memory && rank < nodes; rank++)
        memory = replay_prepare(&play.nodes[rank], &job->logs[rank]);
    if (memory) {
        bool installed = job->machine->signals_installed;

        crash_hooks->restore(job->machine);
        job->round_count = 0;
        failure = peal_run(job->replay, play_node, &play);
        self = kept;
        if (installed)
            crash_hooks->install(job->machine);
    }
    put_away(&play, nodes);
    if (atomic_load(&play.is_short))
        return REPLAY_SHORT;
    return failure || !memory ? REPLAY_FAILED : REPLAY_WELL;
}
