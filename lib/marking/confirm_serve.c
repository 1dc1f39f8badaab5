/* SPDX-License-Identifier: MIT */
/* The coordinator's nodes: each carries out on the coordinator's machine what the process of a node asks for. */
#include "lib/machine/machine.h"
#include "lib/marking/confirm.h"
#include "lib/marking/contained.h"
#include "lib/sandbox/sandbox.h"
#include <poll.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

static _Noreturn void
serve_give_up(const struct coordinator *coordinator, struct peal_node *me)
{
    const double spent = peal_spent_seconds();

    if (spent >= coordinator->last)
        peal_fail_at(me, PEAL_TIMED_OUT, NULL, 0, "the runs take more time than is left");
    if (spent >= coordinator->deadline)
        peal_fail_at(me, PEAL_TIMED_OUT, NULL, 0, "node %d waits or computes without end", peal_rank(me));
    peal_fail_at(me, PEAL_CRASH, NULL, 0, "node %d ends before its function returns", peal_rank(me));
}

bool
confirm_draw(struct node_process *process, size_t count)
{
    size_t done = 0, bytes = count * sizeof *process->drawn;

    if (!array_grow((void *)&process->drawn, &process->drawn_room, process->drawn_count + count,
                    sizeof *process->drawn))
        return false;
    while (done < bytes) {
        ssize_t now = getrandom((char *)(process->drawn + process->drawn_count) + done, bytes - done, 0);

        if (now <= 0)
            return false;
        done += (size_t)now;
    }
    process->drawn_count += count;
    return true;
}

/* End the run if its time is over, or if the nodes' processes take more memory than one process of a check may: without
 * what each shares with the coordinator, but with what the coordinator holds for them.  `coming`: the bytes that are
 * about to be read. */
static void
look_at_limits(const struct coordinator *coordinator, struct peal_node *me, size_t coming)
{
    enum { MANY = 1 << 26 };
    static double looked;
    static size_t came;

    came += coming;
    if (came < MANY && seconds_now() < looked + 0.1)
        return;
    looked = seconds_now();
    came = 0;
    if (peal_spent_seconds() >= coordinator->deadline)
        serve_give_up(coordinator, me);
    uint64_t own = child_memory(getpid(), true), all = own > coordinator->shared ? own - coordinator->shared : 0;

    for (int rank = 0; rank < coordinator->process_count; rank++) {
        uint64_t bytes = child_memory(coordinator->processes[rank].child.process, true);

        all += bytes > coordinator->shared ? bytes - coordinator->shared : 0;
    }
    if (all > child_memory_limit())
        peal_fail_at(me, PEAL_OUT_OF_MEMORY, NULL, 0,
                     "the nodes and the messages that they have not received take more memory than a check may");
}

static void
read_process(const struct coordinator *coordinator, struct peal_node *me, const struct node_process *process,
             void *bytes, size_t count)
{
    struct pollfd message = {.fd = process->child.report.from, .events = POLLIN};

    if (count == 0) /* nothing comes */
        return;
    do
        look_at_limits(coordinator, me, count);
    while (poll(&message, 1, 100) == 0 && peal_spent_seconds() < coordinator->deadline);
    if (!confirm_read(message.fd, bytes, count, coordinator->deadline))
        serve_give_up(coordinator, me);
}

static void
read_from(const struct coordinator *coordinator, struct peal_node *me, void *bytes, size_t count)
{
    read_process(coordinator, me, &coordinator->processes[peal_world_rank(me)], bytes, count);
}

/* Before the first node gets its data, wait until all have loaded the program, and can open nothing more. */
static void
make_ready(const struct coordinator *coordinator, struct peal_node *me)
{
    struct confirm_message message;

    for (int rank = 0; rank < coordinator->process_count; rank++) {
        struct node_process *process = &coordinator->processes[rank];

        if (process->ready)
            continue;
        read_process(coordinator, me, process, &message, sizeof message);
        if (message.what != CONFIRM_READY || !sandbox_is_shut(process->child.process))
            serve_give_up(coordinator, me);
        process->ready = true;
    }
}

static void
answer(const struct coordinator *coordinator, struct peal_node *me, const struct confirm_answer *how, const void *more,
       size_t bytes)
{
    int socket = coordinator->processes[peal_world_rank(me)].child.report.from;

    if (!confirm_write(socket, how, sizeof *how, more, bytes, coordinator->deadline))
        serve_give_up(coordinator, me);
}

/* ------------------------------------------------------------------ groups */

/* The view that a post in this context is made on. */
static struct peal_node *
serve_view(const struct coordinator *coordinator, struct node_process *process, struct peal_node *me, uint32_t context)
{
    if (context / 2 >= process->group_room || !process->groups[context / 2])
        serve_give_up(coordinator, me);
    return &process->groups[context / 2][context % 2];
}

static void
serve_enter_view(const struct coordinator *coordinator, struct node_process *process, struct peal_node *me,
                 struct peal_node *view)
{
    uint32_t context = view->group->context;

    if (!peal_grow_zeroed((void *)&process->groups, &process->group_room, context / 2 + 1, sizeof *process->groups) ||
        !(process->groups[context / 2] = peal_alloc_at(me, 2 * sizeof *view / peal_word_bytes(me) + 2, NULL, 0)))
        serve_give_up(coordinator, me);
    process->groups[context / 2][0] = *view;
    process->groups[context / 2][1] = *view;
    process->groups[context / 2][1].context = context + 1;
    process->groups[context / 2][1].collective = "collective";
}

static void
serve_split(const struct coordinator *coordinator, struct node_process *process, struct peal_node *me,
            const struct confirm_message *message)
{
    struct peal_node *view =
        peal_split_at(serve_view(coordinator, process, me, message->context), message->peer, message->tag, NULL, 0);
    int32_t members[CONFIRM_MAX_NODES];

    if (!view) {
        answer(coordinator, me, &(struct confirm_answer){.complete = true}, NULL, 0);
        return;
    }
    int size = peal_size(view);

    if (size > CONFIRM_MAX_NODES)
        serve_give_up(coordinator, me);
    serve_enter_view(coordinator, process, me, view);
    for (int i = 0; i < size; i++)
        members[i] = peal_rank_in_world(view, i);
    answer(coordinator, me,
           &(struct confirm_answer){
               .complete = true, .source = size, .tag = peal_rank(view), .context = view->group->context},
           members, (size_t)size * sizeof *members);
}

static void
serve_meet(const struct coordinator *coordinator, struct node_process *process, struct peal_node *me,
           const struct confirm_message *message)
{
    struct peal_node *on = serve_view(coordinator, process, me, message->context);
    const size_t bytes = (size_t)message->words;
    int ranks[CONFIRM_MAX_NODES];
    struct peal_meeting meeting = {.ranks = message->peer >= 0 ? ranks : NULL,
                                   .count = message->peer,
                                   .number = (int)message->number,
                                   .bytes = bytes,
                                   .group = message->tag};

    if (message->words > CONFIRM_MAX_WORDS || message->peer > CONFIRM_MAX_NODES)
        serve_give_up(coordinator, me);
    size_t all = (size_t)(message->peer >= 0 ? message->peer : peal_size(on)) * bytes;

    if (message->peer > 0)
        read_from(coordinator, me, ranks, (size_t)message->peer * sizeof *ranks);
    char *mine = malloc(bytes + all + 1);

    if (!mine)
        serve_give_up(coordinator, me);
    read_from(coordinator, me, mine, bytes);
    confirm_note(coordinator, process, ranks, (size_t)(message->peer > 0 ? message->peer : 0) * sizeof *ranks);
    confirm_note(coordinator, process, mine, bytes);
    meeting.mine = mine;
    meeting.all = mine + bytes;
    process->waits = true;
    struct peal_node *view = peal_meet_at(on, &meeting, NULL, 0);

    process->waits = false;
    if (view)
        serve_enter_view(coordinator, process, me, view);
    answer(coordinator, me, &(struct confirm_answer){.complete = true, .context = view ? view->group->context : 0},
           mine + bytes, all);
    free(mine);
}

/* ------------------------------------------------------------------ posts */

/* End the run where a collective posts a message that the test refuses.  Collectives have contexts of their own.  The
 * node names its collective, so an allowed one may pass for another; but a barrier's messages have no words. */
static void
refuse_collective(const struct coordinator *coordinator, struct peal_node *me, const struct confirm_message *message)
{
    const enum peal_collective collective =
        message->collective < PEAL_COLLECTIVES ? (enum peal_collective)message->collective : PEAL_COLLECTIVES;
    bool lies = collective == PEAL_BARRIER && message->words > 0;

    if (message->context % 2 != 0 && coordinator->refused != 0 && (lies || coordinator->refused >> collective & 1))
        peal_fail_at(me, PEAL_BAD_REQUEST, NULL, 0, "node %d calls %s%s, which the test forbids", peal_rank(me),
                     collective < PEAL_COLLECTIVES ? "the collective " : "a collective",
                     collective < PEAL_COLLECTIVES ? peal_collective_name(collective) : "");
}

static void
serve_post(const struct coordinator *coordinator, struct node_process *process, struct peal_node *me,
           const struct confirm_message *message)
{
    struct peal_node *view = serve_view(coordinator, process, me, message->context);
    struct judged_post *one;
    const size_t bytes = (size_t)message->words * peal_word_bytes(me);

    if (message->words > CONFIRM_MAX_WORDS || message->kind > PEAL_POST_PROBE || message->mode > PEAL_BUFFERED ||
        !array_grow((void *)&process->posts, &process->post_room, process->post_count + 1, sizeof *process->posts))
        serve_give_up(coordinator, me);
    one = &process->posts[process->post_count];
    *one = (struct judged_post){.words = malloc(bytes + 1), .receive = message->kind == PEAL_POST_RECEIVE};
    if (!one->words)
        serve_give_up(coordinator, me);
    process->post_count++;
    if (coordinator->program && !coordinator->mpi && message->note)
        peal_fail_at(me, PEAL_PRIVATE_MEMORY, NULL, 0, "node %d adds a note to a message: data go in its words",
                     peal_rank(me));
    refuse_collective(coordinator, me, message);
    if (message->kind == PEAL_POST_SEND)
        read_from(coordinator, me, one->words, bytes);
    const struct peal_piece piece = {one->words, (size_t)message->words};

    one->handle = peal_post_at(view,
                               &(struct peal_post){.kind = (enum peal_post_kind)message->kind,
                                                   .mode = (enum peal_send_mode)message->mode,
                                                   .pieces = &piece,
                                                   .piece_count = message->kind != PEAL_POST_PROBE,
                                                   .peer = message->peer,
                                                   .tag = message->tag,
                                                   .note = message->note,
                                                   .lenient = message->lenient},
                               NULL, 0);
}

/* Read the numbers of the posts that the node asks for, and give their handles. */
static void
read_posts(const struct coordinator *coordinator, const struct node_process *process, struct peal_node *me,
           uint32_t count, uint32_t numbers[CONFIRM_MAX_POSTS], struct peal_handle handles[CONFIRM_MAX_POSTS])
{
    if (count > CONFIRM_MAX_POSTS)
        serve_give_up(coordinator, me);
    read_from(coordinator, me, numbers, count * sizeof *numbers);
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] < process->post_count)
            handles[i] = process->posts[numbers[i]].handle;
        else
            serve_give_up(coordinator, me);
}

static void
answer_post(const struct coordinator *coordinator, struct peal_node *me, struct judged_post *one)
{
    struct peal_envelope came = peal_wait_envelope_at(me, one->handle, NULL, 0);
    const struct confirm_answer how = {.complete = true,
                                       .source = came.source,
                                       .tag = came.tag,
                                       .words = came.words,
                                       .delivered = came.delivered,
                                       .note = came.note};

    answer(coordinator, me, &how, one->words, one->receive ? came.delivered * peal_word_bytes(me) : 0);
    free(one->words);
    one->words = NULL;
}

static void
wait_for_posts(const struct coordinator *coordinator, struct node_process *process, struct peal_node *me,
               uint32_t count)
{
    uint32_t numbers[CONFIRM_MAX_POSTS];
    struct peal_handle handles[CONFIRM_MAX_POSTS];

    read_posts(coordinator, process, me, count, numbers, handles);
    confirm_note(coordinator, process, numbers, count * sizeof *numbers);
    process->waits = true;
    for (uint32_t i = 0; i < count; i++)
        answer_post(coordinator, me, &process->posts[numbers[i]]);
    process->waits = false;
}

static void
serve_ask(const struct coordinator *coordinator, struct node_process *process, struct peal_node *me,
          const struct confirm_message *message)
{
    uint32_t numbers[CONFIRM_MAX_POSTS], count = message->number;
    struct peal_handle handles[CONFIRM_MAX_POSTS];

    read_posts(coordinator, process, me, count, numbers, handles);
    confirm_note(coordinator, process, numbers, count * sizeof *numbers);
    process->waits = message->tag < 0;
    if (message->tag < 0)
        peal_wait_any_at(me, handles, (int)count, NULL, 0);
    else if (message->tag > 0)
        peal_count_complete_at(me, handles, (int)count, message->tag, NULL, 0);
    process->waits = false;
    for (uint32_t i = 0; i < count; i++)
        if (peal_is_complete_at(me, handles[i], NULL, NULL, 0))
            answer_post(coordinator, me, &process->posts[numbers[i]]);
        else
            answer(coordinator, me, &(struct confirm_answer){.complete = false}, NULL, 0);
}

static void
serve_probe(const struct coordinator *coordinator, struct node_process *process, struct peal_node *me,
            const struct confirm_message *message)
{
    const struct peal_post post = {.kind = PEAL_POST_PROBE, .peer = message->peer, .tag = message->tag};
    struct peal_envelope there = {.source = 0};
    bool found = peal_probe_now_at(serve_view(coordinator, process, me, message->context), &post, &there, NULL, 0);

    answer(coordinator, me,
           &(struct confirm_answer){
               .complete = found, .source = there.source, .tag = there.tag, .words = there.words, .note = there.note},
           NULL, 0);
}

/* ------------------------------------------------------------------ ends */

static _Noreturn void
serve_fail(const struct coordinator *coordinator, struct peal_node *me, const struct confirm_message *message)
{
    char text[400];
    size_t length = message->words < sizeof text - 1 ? (size_t)message->words : sizeof text - 1;
    uint32_t kind = message->number < PEAL_FAILURE_KINDS ? message->number : PEAL_CRASH;

    read_from(coordinator, me, text, length);
    text[length] = '\0';
    peal_fail_at(me, (int)kind, NULL, 0, "%s", text);
}

static const struct peal_check_case *
case_of(const struct coordinator *coordinator)
{
    return &coordinator->runs[coordinator->number].where;
}

/* The node that enters the barrier of this run late; -1: there is none. */
static int
late_node(const struct coordinator *coordinator)
{
    const struct peal_check_case *c = coordinator->program ? NULL : case_of(coordinator);

    return !coordinator->program && coordinator->runner.data.form->waits && c->root < c->nodes ? c->root : -1;
}

static void
serve_end(const struct coordinator *coordinator, struct node_process *process, struct peal_node *me,
          const struct confirm_message *message)
{
    const size_t words = (size_t)message->words;
    int late = late_node(coordinator);

    if (late >= 0 && !coordinator->processes[late].entered)
        peal_fail_at(me, PEAL_WRONG_RESULT, NULL, 0, "node %d leaves before node %d, which comes late, has entered",
                     peal_rank(me), late);
    if (message->words > CONFIRM_MAX_WORDS || !(process->row = malloc(words * sizeof *process->row + 1)))
        serve_give_up(coordinator, me);
    if (coordinator->program && message->number <= process->drawn_count)
        process->drawn_count -= message->number; /* only here, or it could draw until it likes a number */
    process->row_words = words;
    read_from(coordinator, me, process->row, words * sizeof *process->row);
}

static void
serve_print(const struct coordinator *coordinator, struct node_process *process, struct peal_node *me, size_t bytes)
{
    size_t printed = bytes;

    for (int rank = 0; rank < coordinator->process_count; rank++)
        printed += coordinator->processes[rank].printed;
    char *text = bytes <= printed && printed <= PEAL_CONTAINED_OUTPUT ? malloc(bytes + 1) : NULL;

    if (!text)
        peal_fail_at(me, PEAL_CRASH, NULL, 0, "the nodes print more than %d bytes", PEAL_CONTAINED_OUTPUT);
    read_from(coordinator, me, text, bytes);
    peal_write(me, text, bytes);
    process->printed += bytes;
    free(text);
}

/* Rest until all other nodes have waited for more rounds than there are nodes: none of them can leave the barrier
 * alone.  Nodes that neither wait nor send may leave within a number of rounds that they do not know. */
static void
come_late(const struct coordinator *coordinator, struct peal_node *me)
{
    const struct round *round = &me->node->machine->round;
    int P = peal_size(me);

    for (int idle = 0, still = 0; idle < coordinator->idle_rounds && still < 2 * P + 2;) {
        int64_t carried = round->cost.alpha;
        int waiting = 0;

        peal_next_round_at(me, NULL, 0);
        for (int rank = 0; rank < P; rank++)
            waiting += coordinator->processes[rank].waits;
        idle = round->cost.alpha == carried ? idle + 1 : 0;
        still = waiting == P - 1 && idle > 0 ? still + 1 : 0;
    }
}

void
confirm_serve(struct peal_node *me, void *arg)
{
    const struct coordinator *coordinator = arg;
    struct node_process *process = &coordinator->processes[peal_rank(me)];
    const struct confirm_order order = {.number = coordinator->number, .words = process->drawn_count};
    struct confirm_message message = {.what = CONFIRM_REST};

    make_ready(coordinator, me);
    process->entered = process->waits = false;
    serve_enter_view(coordinator, process, me, me);
    if (late_node(coordinator) == peal_rank(me))
        come_late(coordinator, me);
    process->entered = true;
    if (!confirm_write(process->child.report.from, &order, sizeof order, process->drawn,
                       process->drawn_count * sizeof *process->drawn, coordinator->deadline))
        serve_give_up(coordinator, me);
    while (message.what != CONFIRM_END) {
        read_from(coordinator, me, &message, sizeof message);
        confirm_note_message(coordinator, process, &message);
        switch (message.what) {
        case CONFIRM_POST:
            serve_post(coordinator, process, me, &message);
            break;
        case CONFIRM_WAIT:
            wait_for_posts(coordinator, process, me, message.number);
            break;
        case CONFIRM_ASK:
            serve_ask(coordinator, process, me, &message);
            break;
        case CONFIRM_PROBE:
            serve_probe(coordinator, process, me, &message);
            break;
        case CONFIRM_REST:
            peal_next_round_at(me, NULL, 0);
            answer(coordinator, me, &(struct confirm_answer){.complete = true}, NULL, 0);
            break;
        case CONFIRM_COMPUTE:
            peal_compute_at(me, (int64_t)(message.words & INT64_MAX), NULL, 0);
            break;
        case CONFIRM_CLOCK:
            answer(coordinator, me, &(struct confirm_answer){.clock = peal_clock(me)}, NULL, 0);
            break;
        case CONFIRM_RANDOM:
            if (!coordinator->program || !confirm_draw(process, CONFIRM_RANDOMS) ||
                !confirm_write(process->child.report.from, &process->drawn[process->drawn_count - CONFIRM_RANDOMS],
                               CONFIRM_RANDOMS * sizeof *process->drawn, NULL, 0, coordinator->deadline))
                serve_give_up(coordinator, me);
            break;
        case CONFIRM_PRINT:
            serve_print(coordinator, process, me, (size_t)message.words);
            break;
        case CONFIRM_SPLIT:
            serve_split(coordinator, process, me, &message);
            break;
        case CONFIRM_MEET:
            serve_meet(coordinator, process, me, &message);
            break;
        case CONFIRM_FAIL:
            serve_fail(coordinator, me, &message);
        case CONFIRM_END:
            serve_end(coordinator, process, me, &message);
            break;
        case CONFIRM_READY:
        default:
            serve_give_up(coordinator, me);
        }
    }
}
