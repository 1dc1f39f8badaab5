/* SPDX-License-Identifier: MIT */
/* The judge's nodes: each carries out on the judge's machine what the process of a node asks for. */
#include "lib/base/clock.h"
#include "lib/base/process.h"
#include "lib/machine/machine.h"
#include "lib/marking/confirm.h"
#include "lib/marking/contained.h"
#include "lib/sandbox/sandbox.h"
#include <poll.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

static _Noreturn void
lose(const struct judge *judge, struct peal_node *me)
{
    const double spent = peal_spent_seconds();

    if (spent >= judge->last)
        peal_fail_at(me, PEAL_TIMED_OUT, NULL, 0, "the runs take more time than is left");
    if (spent >= judge->deadline)
        peal_fail_at(me, PEAL_TIMED_OUT, NULL, 0, "node %d waits or computes without end", peal_rank(me));
    peal_fail_at(me, PEAL_CRASH, NULL, 0, "node %d ends before its function returns", peal_rank(me));
}

bool
confirm_draw(struct seat *seat, size_t count)
{
    size_t done = 0, bytes = count * sizeof *seat->drawn;

    if (!grow((void *)&seat->drawn, &seat->drawn_room, seat->drawn_count + count, sizeof *seat->drawn))
        return false;
    while (done < bytes) {
        ssize_t now = getrandom((char *)(seat->drawn + seat->drawn_count) + done, bytes - done, 0);

        if (now <= 0)
            return false;
        done += (size_t)now;
    }
    seat->drawn_count += count;
    return true;
}

/* End the run if its time is over, or if the nodes' processes take more memory than one process of a check may: without
 * what each shares with the judge, and with what the judge holds for them.  `coming`: the bytes that are about to be
 * read. */
static void
look_at_limits(const struct judge *judge, struct peal_node *me, size_t coming)
{
    enum { MANY = 1 << 26 };
    static double looked;
    static size_t came;

    came += coming;
    if (came < MANY && seconds_now() < looked + 0.1)
        return;
    looked = seconds_now();
    came = 0;
    if (peal_spent_seconds() >= judge->deadline)
        lose(judge, me);
    uint64_t own = child_memory(getpid(), true), all = own > judge->shared ? own - judge->shared : 0;

    for (int rank = 0; rank < judge->seat_count; rank++) {
        uint64_t bytes = child_memory(judge->seats[rank].child.process, true);

        all += bytes > judge->shared ? bytes - judge->shared : 0;
    }
    if (all > child_memory_limit())
        peal_fail_at(me, PEAL_OUT_OF_MEMORY, NULL, 0,
                     "the nodes and the messages that they have not received take more memory than a check may");
}

static void
read_seat(const struct judge *judge, struct peal_node *me, const struct seat *seat, void *bytes, size_t count)
{
    struct pollfd message = {.fd = seat->child.report.from, .events = POLLIN};

    if (count == 0) /* nothing comes */
        return;
    do
        look_at_limits(judge, me, count);
    while (poll(&message, 1, 100) == 0 && peal_spent_seconds() < judge->deadline);
    if (!confirm_read(message.fd, bytes, count, judge->deadline))
        lose(judge, me);
}

static void
read_from(const struct judge *judge, struct peal_node *me, void *bytes, size_t count)
{
    read_seat(judge, me, &judge->seats[peal_world_rank(me)], bytes, count);
}

/* Before the first node gets its data, all have loaded the program, and can open nothing more. */
static void
make_ready(const struct judge *judge, struct peal_node *me)
{
    struct confirm_message message;

    for (int rank = 0; rank < judge->seat_count; rank++) {
        struct seat *seat = &judge->seats[rank];

        if (seat->ready)
            continue;
        read_seat(judge, me, seat, &message, sizeof message);
        if (message.what != CONFIRM_READY || !sandbox_is_shut(seat->child.process))
            lose(judge, me);
        seat->ready = true;
    }
}

static void
answer(const struct judge *judge, struct peal_node *me, const struct confirm_answer *how, const void *more,
       size_t bytes)
{
    int socket = judge->seats[peal_world_rank(me)].child.report.from;

    if (!confirm_write(socket, how, sizeof *how, more, bytes, judge->deadline))
        lose(judge, me);
}

/* ------------------------------------------------------------------ groups */

/* The view that a post in this context is made on. */
static struct peal_node *
view_of(const struct judge *judge, struct seat *seat, struct peal_node *me, uint32_t context)
{
    if (context / 2 >= seat->group_room || !seat->groups[context / 2])
        lose(judge, me);
    return &seat->groups[context / 2][context % 2];
}

static void
enter(const struct judge *judge, struct seat *seat, struct peal_node *me, struct peal_node *view)
{
    uint32_t context = view->group->context;

    if (!peal_grow_zeroed((void *)&seat->groups, &seat->group_room, context / 2 + 1, sizeof *seat->groups) ||
        !(seat->groups[context / 2] = peal_alloc_at(me, 2 * sizeof *view / peal_word_bytes(me) + 2, NULL, 0)))
        lose(judge, me);
    seat->groups[context / 2][0] = *view;
    seat->groups[context / 2][1] = *view;
    seat->groups[context / 2][1].context = context + 1;
    seat->groups[context / 2][1].collective = "collective";
}

static void
split(const struct judge *judge, struct seat *seat, struct peal_node *me, const struct confirm_message *message)
{
    struct peal_node *view =
        peal_split_at(view_of(judge, seat, me, message->context), message->peer, message->tag, NULL, 0);
    int32_t members[CONFIRM_MAX_NODES];

    if (!view) {
        answer(judge, me, &(struct confirm_answer){.complete = true}, NULL, 0);
        return;
    }
    int size = peal_size(view);

    if (size > CONFIRM_MAX_NODES)
        lose(judge, me);
    enter(judge, seat, me, view);
    for (int i = 0; i < size; i++)
        members[i] = peal_rank_in_world(view, i);
    answer(judge, me,
           &(struct confirm_answer){
               .complete = true, .source = size, .tag = peal_rank(view), .context = view->group->context},
           members, (size_t)size * sizeof *members);
}

static void
meet(const struct judge *judge, struct seat *seat, struct peal_node *me, const struct confirm_message *message)
{
    struct peal_node *on = view_of(judge, seat, me, message->context);
    const size_t bytes = (size_t)message->words;
    int ranks[CONFIRM_MAX_NODES];
    struct peal_meeting meeting = {.ranks = message->peer >= 0 ? ranks : NULL,
                                   .count = message->peer,
                                   .number = (int)message->number,
                                   .bytes = bytes,
                                   .group = message->tag};

    if (message->words > CONFIRM_MAX_WORDS || message->peer > CONFIRM_MAX_NODES)
        lose(judge, me);
    size_t all = (size_t)(message->peer >= 0 ? message->peer : peal_size(on)) * bytes;

    if (message->peer > 0)
        read_from(judge, me, ranks, (size_t)message->peer * sizeof *ranks);
    char *mine = malloc(bytes + all + 1);

    if (!mine)
        lose(judge, me);
    read_from(judge, me, mine, bytes);
    confirm_note(judge, seat, ranks, (size_t)(message->peer > 0 ? message->peer : 0) * sizeof *ranks);
    confirm_note(judge, seat, mine, bytes);
    meeting.mine = mine;
    meeting.all = mine + bytes;
    seat->waits = true;
    struct peal_node *view = peal_meet_at(on, &meeting, NULL, 0);

    seat->waits = false;
    if (view)
        enter(judge, seat, me, view);
    answer(judge, me, &(struct confirm_answer){.complete = true, .context = view ? view->group->context : 0},
           mine + bytes, all);
    free(mine);
}

/* ------------------------------------------------------------------ posts */

/* End the run where a collective posts a message that the test refuses.  Collectives have contexts of their own.  The
 * node names its collective, so an allowed one may pass for another; but a barrier's messages have no words. */
static void
refuse_collective(const struct judge *judge, struct peal_node *me, const struct confirm_message *message)
{
    const enum peal_collective collective =
        message->collective < PEAL_COLLECTIVES ? (enum peal_collective)message->collective : PEAL_COLLECTIVES;
    bool lies = collective == PEAL_BARRIER && message->words > 0;

    if (message->context % 2 != 0 && judge->refused != 0 && (lies || judge->refused >> collective & 1))
        peal_fail_at(me, PEAL_BAD_REQUEST, NULL, 0, "node %d calls %s%s, which the test forbids", peal_rank(me),
                     collective < PEAL_COLLECTIVES ? "the collective " : "a collective",
                     collective < PEAL_COLLECTIVES ? peal_collective_name(collective) : "");
}

static void
post(const struct judge *judge, struct seat *seat, struct peal_node *me, const struct confirm_message *message)
{
    struct peal_node *view = view_of(judge, seat, me, message->context);
    struct judged_post *one;
    const size_t bytes = (size_t)message->words * peal_word_bytes(me);

    if (message->words > CONFIRM_MAX_WORDS || message->kind > PEAL_POST_PROBE || message->mode > PEAL_BUFFERED ||
        !grow((void *)&seat->posts, &seat->post_room, seat->post_count + 1, sizeof *seat->posts))
        lose(judge, me);
    one = &seat->posts[seat->post_count];
    *one = (struct judged_post){.words = malloc(bytes + 1), .receive = message->kind == PEAL_POST_RECEIVE};
    if (!one->words)
        lose(judge, me);
    seat->post_count++;
    if (judge->program && !judge->mpi && message->note)
        peal_fail_at(me, PEAL_PRIVATE_MEMORY, NULL, 0, "node %d adds a note to a message: data go in its words",
                     peal_rank(me));
    refuse_collective(judge, me, message);
    if (message->kind == PEAL_POST_SEND)
        read_from(judge, me, one->words, bytes);
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
read_posts(const struct judge *judge, const struct seat *seat, struct peal_node *me, uint32_t count,
           uint32_t numbers[CONFIRM_MAX_POSTS], struct peal_handle handles[CONFIRM_MAX_POSTS])
{
    if (count > CONFIRM_MAX_POSTS)
        lose(judge, me);
    read_from(judge, me, numbers, count * sizeof *numbers);
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] < seat->post_count)
            handles[i] = seat->posts[numbers[i]].handle;
        else
            lose(judge, me);
}

static void
answer_post(const struct judge *judge, struct peal_node *me, struct judged_post *one)
{
    struct peal_envelope came = peal_wait_envelope_at(me, one->handle, NULL, 0);
    const struct confirm_answer how = {.complete = true,
                                       .source = came.source,
                                       .tag = came.tag,
                                       .words = came.words,
                                       .delivered = came.delivered,
                                       .note = came.note};

    answer(judge, me, &how, one->words, one->receive ? came.delivered * peal_word_bytes(me) : 0);
    free(one->words);
    one->words = NULL;
}

static void
wait_for_posts(const struct judge *judge, struct seat *seat, struct peal_node *me, uint32_t count)
{
    uint32_t numbers[CONFIRM_MAX_POSTS];
    struct peal_handle handles[CONFIRM_MAX_POSTS];

    read_posts(judge, seat, me, count, numbers, handles);
    confirm_note(judge, seat, numbers, count * sizeof *numbers);
    seat->waits = true;
    for (uint32_t i = 0; i < count; i++)
        answer_post(judge, me, &seat->posts[numbers[i]]);
    seat->waits = false;
}

static void
ask(const struct judge *judge, struct seat *seat, struct peal_node *me, const struct confirm_message *message)
{
    uint32_t numbers[CONFIRM_MAX_POSTS], count = message->number;
    struct peal_handle handles[CONFIRM_MAX_POSTS];

    read_posts(judge, seat, me, count, numbers, handles);
    confirm_note(judge, seat, numbers, count * sizeof *numbers);
    seat->waits = message->tag < 0;
    if (message->tag < 0)
        peal_wait_any_at(me, handles, (int)count, NULL, 0);
    else if (message->tag > 0)
        peal_count_complete_at(me, handles, (int)count, message->tag, NULL, 0);
    seat->waits = false;
    for (uint32_t i = 0; i < count; i++)
        if (peal_is_complete_at(me, handles[i], NULL, NULL, 0))
            answer_post(judge, me, &seat->posts[numbers[i]]);
        else
            answer(judge, me, &(struct confirm_answer){.complete = false}, NULL, 0);
}

static void
probe(const struct judge *judge, struct seat *seat, struct peal_node *me, const struct confirm_message *message)
{
    const struct peal_post post = {.kind = PEAL_POST_PROBE, .peer = message->peer, .tag = message->tag};
    struct peal_envelope there = {.source = 0};
    bool found = peal_probe_now_at(view_of(judge, seat, me, message->context), &post, &there, NULL, 0);

    answer(judge, me,
           &(struct confirm_answer){
               .complete = found, .source = there.source, .tag = there.tag, .words = there.words, .note = there.note},
           NULL, 0);
}

/* ------------------------------------------------------------------ ends */

static _Noreturn void
fail(const struct judge *judge, struct peal_node *me, const struct confirm_message *message)
{
    char text[400];
    size_t length = message->words < sizeof text - 1 ? (size_t)message->words : sizeof text - 1;
    uint32_t kind = message->number < PEAL_FAILURE_KINDS ? message->number : PEAL_CRASH;

    read_from(judge, me, text, length);
    text[length] = '\0';
    peal_fail_at(me, (int)kind, NULL, 0, "%s", text);
}

/* The case of this run. */
static const struct peal_check_case *
case_of(const struct judge *judge)
{
    return &judge->runs[judge->number].where;
}

/* Whether this is a run of a barrier that a node enters late: which one. */
static int
late_node(const struct judge *judge)
{
    const struct peal_check_case *c = judge->program ? NULL : case_of(judge);

    return !judge->program && judge->runner.data.form->waits && c->root < c->nodes ? c->root : -1;
}

static void
end(const struct judge *judge, struct seat *seat, struct peal_node *me, const struct confirm_message *message)
{
    const size_t words = (size_t)message->words;
    int late = late_node(judge);

    if (late >= 0 && !judge->seats[late].entered)
        peal_fail_at(me, PEAL_WRONG_RESULT, NULL, 0, "node %d leaves before node %d, which comes late, has entered",
                     peal_rank(me), late);
    if (message->words > CONFIRM_MAX_WORDS || !(seat->row = malloc(words * sizeof *seat->row + 1)))
        lose(judge, me);
    if (judge->program && message->number <= seat->drawn_count)
        seat->drawn_count -= message->number; /* only here, or it could draw until it likes a number */
    seat->row_words = words;
    read_from(judge, me, seat->row, words * sizeof *seat->row);
}

static void
print(const struct judge *judge, struct seat *seat, struct peal_node *me, size_t bytes)
{
    size_t printed = bytes;

    for (int rank = 0; rank < judge->seat_count; rank++)
        printed += judge->seats[rank].printed;
    char *text = bytes <= printed && printed <= PEAL_CONTAINED_OUTPUT ? malloc(bytes + 1) : NULL;

    if (!text)
        peal_fail_at(me, PEAL_CRASH, NULL, 0, "the nodes print more than %d bytes", PEAL_CONTAINED_OUTPUT);
    read_from(judge, me, text, bytes);
    peal_write(me, text, bytes);
    seat->printed += bytes;
    free(text);
}

/* Rest until all other nodes have waited for more rounds than there are nodes: none of them can leave the barrier
 * alone.  Nodes that neither wait nor send may leave within a number of rounds that they do not know. */
static void
come_late(const struct judge *judge, struct peal_node *me)
{
    const struct round *round = &me->node->machine->round;
    int P = peal_size(me);

    for (int idle = 0, still = 0; idle < judge->idle_rounds && still < 2 * P + 2;) {
        int64_t carried = round->cost.alpha;
        int waiting = 0;

        peal_next_round_at(me, NULL, 0);
        for (int rank = 0; rank < P; rank++)
            waiting += judge->seats[rank].waits;
        idle = round->cost.alpha == carried ? idle + 1 : 0;
        still = waiting == P - 1 && idle > 0 ? still + 1 : 0;
    }
}

void
confirm_serve(struct peal_node *me, void *arg)
{
    const struct judge *judge = arg;
    struct seat *seat = &judge->seats[peal_rank(me)];
    const struct confirm_order order = {.number = judge->number, .words = seat->drawn_count};
    struct confirm_message message = {.what = CONFIRM_REST};

    make_ready(judge, me);
    seat->entered = seat->waits = false;
    enter(judge, seat, me, me);
    if (late_node(judge) == peal_rank(me))
        come_late(judge, me);
    seat->entered = true;
    if (!confirm_write(seat->child.report.from, &order, sizeof order, seat->drawn,
                       seat->drawn_count * sizeof *seat->drawn, judge->deadline))
        lose(judge, me);
    while (message.what != CONFIRM_END) {
        read_from(judge, me, &message, sizeof message);
        confirm_note_message(judge, seat, &message);
        switch (message.what) {
        case CONFIRM_POST:
            post(judge, seat, me, &message);
            break;
        case CONFIRM_WAIT:
            wait_for_posts(judge, seat, me, message.number);
            break;
        case CONFIRM_ASK:
            ask(judge, seat, me, &message);
            break;
        case CONFIRM_PROBE:
            probe(judge, seat, me, &message);
            break;
        case CONFIRM_REST:
            peal_next_round_at(me, NULL, 0);
            answer(judge, me, &(struct confirm_answer){.complete = true}, NULL, 0);
            break;
        case CONFIRM_COMPUTE:
            peal_compute_at(me, (int64_t)(message.words & INT64_MAX), NULL, 0);
            break;
        case CONFIRM_CLOCK:
            answer(judge, me, &(struct confirm_answer){.clock = peal_clock(me)}, NULL, 0);
            break;
        case CONFIRM_RANDOM:
            if (!judge->program || !confirm_draw(seat, CONFIRM_RANDOMS) ||
                !confirm_write(seat->child.report.from, &seat->drawn[seat->drawn_count - CONFIRM_RANDOMS],
                               CONFIRM_RANDOMS * sizeof *seat->drawn, NULL, 0, judge->deadline))
                lose(judge, me);
            break;
        case CONFIRM_PRINT:
            print(judge, seat, me, (size_t)message.words);
            break;
        case CONFIRM_SPLIT:
            split(judge, seat, me, &message);
            break;
        case CONFIRM_MEET:
            meet(judge, seat, me, &message);
            break;
        case CONFIRM_FAIL:
            fail(judge, me, &message);
        case CONFIRM_END:
            end(judge, seat, me, &message);
            break;
        case CONFIRM_READY:
        default:
            lose(judge, me);
        }
    }
}
