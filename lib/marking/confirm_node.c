/* SPDX-License-Identifier: MIT */
/* A node in a process of its own: every post and every wait goes to the coordinator. */
#include "lib/machine/engine.h"
#include "lib/machine/failure.h"
#include "lib/machine/lookup.h"
#include "lib/machine/requests.h"
#include "lib/marking/confirm.h"
#include "lib/sandbox/sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* After a call that has failed: whether to try again. */
static bool
goes_on(double deadline)
{
    return errno == EINTR || (errno == EAGAIN && deadline > 0 && peal_spent_seconds() < deadline);
}

bool
confirm_read(int socket, void *bytes, size_t count, double deadline)
{
    for (size_t done = 0; done < count;) {
        ssize_t now = read(socket, (char *)bytes + done, count - done);

        if (now == 0 || (now < 0 && !goes_on(deadline)))
            return false;
        done += now > 0 ? (size_t)now : 0;
    }
    return true;
}

bool
confirm_write(int socket, const void *head, size_t head_bytes, const void *more, size_t bytes, double deadline)
{
    struct iovec both[2] = {{(void *)(uintptr_t)head, head_bytes}, {(void *)(uintptr_t)more, bytes}};

    while (both[0].iov_len + both[1].iov_len > 0) {
        ssize_t now = writev(socket, both, 2);

        if (now < 0 && !goes_on(deadline))
            return false;
        for (int i = 0; i < 2 && now > 0; i++) {
            size_t gone = (size_t)now < both[i].iov_len ? (size_t)now : both[i].iov_len;

            both[i].iov_base = (char *)both[i].iov_base + gone;
            both[i].iov_len -= gone;
            now -= (ssize_t)gone;
        }
    }
    return true;
}

/* There is one node in the process. */
static struct {
    int socket, rank;
    bool prints; /* the coordinator gets what is printed */
    uint32_t posts;
    struct node *node; /* that made the unsaid post */
    uint32_t
        unsaid; /* a post, to `peer`, that the coordinator has not received yet: its extra data come after the post */
    int peer;
    size_t printed; /* bytes that the node has printed since its last message: all of them are one message */
    char print[1 << 14];
    uint64_t random[CONFIRM_RANDOMS];
    uint32_t random_left; /* of them */
} own;

static void
write_both(const void *head, size_t head_bytes, const void *more, size_t bytes)
{
    if (!confirm_write(own.socket, head, head_bytes, more, bytes, 0))
        _exit(0); /* the coordinator ended the conversation */
}

static void
confirm_receive(void *bytes, size_t count)
{
    if (!confirm_read(own.socket, bytes, count, 0))
        _exit(0);
}

/* ------------------------------------------------------------------ posts */

/* Drop the words of a message that the machine kept: the coordinator has them. */
static void
drop_kept(struct node *node, struct request *request, bool buffered)
{
    free(request->data);
    request->data = NULL;
    request->flags |= REQUEST_TAKEN;
    if (buffered) {
        node->buffered--;
        node->buffered_words -= request->words;
    }
}

/* The collective that the post is made in; for a post of the program's own it does not matter. */
static uint8_t
confirm_post_collective(const struct request *request)
{
    enum peal_collective collective = PEAL_COLLECTIVES;
    bool unequal;

    if (request->context % 2 != 0 && request->view->collective)
        peal_call_find(request->view->collective, &collective, &unequal);
    return (uint8_t)collective;
}

/* Send what was printed, or the last post, whichever has not been sent; at most one is pending. */
static void
say_post(void)
{
    const struct confirm_message printed = {.what = CONFIRM_PRINT, .words = own.printed};

    if (own.printed > 0)
        write_both(&printed, sizeof printed, own.print, own.printed);
    own.printed = 0;
    if (!own.unsaid)
        return;
    const struct peal_machine *machine = own.node->machine;
    struct request *request = &machine->requests[own.unsaid];
    const struct request_extra *extra = request->flags & REQUEST_EXTRA ? &machine->extras[own.unsaid] : NULL;
    const size_t word_bytes = machine->options.word_bytes;
    const struct confirm_message message = {.what = CONFIRM_POST,
                                            .kind = request->kind == REQUEST_SEND      ? PEAL_POST_SEND
                                                    : request->kind == REQUEST_RECEIVE ? PEAL_POST_RECEIVE
                                                                                       : PEAL_POST_PROBE,
                                            .mode = extra ? extra->mode : PEAL_STANDARD,
                                            .lenient = extra && extra->lenient,
                                            .note = extra ? extra->note : 0,
                                            .peer = own.peer,
                                            .tag = request->tag,
                                            .context = request->context & ~REQUEST_APART,
                                            .words = request->words,
                                            .collective = confirm_post_collective(request)};

    bool whole = message.kind == PEAL_POST_SEND && !(request->flags & REQUEST_PIECES);

    own.unsaid = 0;
    write_both(&message, sizeof message, request->data, whole ? (size_t)request->words * word_bytes : 0);
    if (message.kind != PEAL_POST_SEND)
        return;
    for (uint32_t i = 0; !whole && i < request->piece_count; i++)
        write_both(request->pieces[i].data, request->pieces[i].words * word_bytes, NULL, 0);
    if (request->flags & REQUEST_KEPT)
        drop_kept(own.node, request, message.mode == PEAL_BUFFERED);
}

static void
confirm_send(const struct confirm_message *message, const void *more, size_t bytes)
{
    say_post();
    write_both(message, sizeof *message, more, bytes);
}

/* ------------------------------------------------------------------ the machine's calls */

static void
confirm_posted(struct node *node, uint32_t id, int peer)
{
    struct round_node *boxes = &node->machine->round.node[node->rank];

    say_post();
    boxes->outbox = boxes->mailbox = 0; /* the coordinator's are */
    node->machine->requests[id].partner = own.posts++;
    own.node = node;
    own.unsaid = id;
    own.peer = peer;
}

/* Take the answer for a request that is complete. */
static void
confirm_complete(const struct node *node, uint32_t id, const struct confirm_answer *answer)
{
    struct request *request = &node->machine->requests[id];
    struct request_extra *extra = request->flags & REQUEST_EXTRA ? &node->machine->extras[id] : NULL;
    const size_t word_bytes = node->machine->options.word_bytes;
    size_t left = (size_t)answer->delivered;

    request->flags |= REQUEST_COMPLETE;
    if (extra)
        extra->note = answer->note;
    if (request->kind == REQUEST_SEND)
        return;
    request->rank = answer->source;
    request->tag = answer->tag;
    request->words = answer->words;
    if (request->kind != REQUEST_RECEIVE)
        return;
    if (extra)
        extra->delivered = answer->delivered;
    for (uint32_t i = 0; (request->flags & REQUEST_PIECES) && i < request->piece_count && left > 0; i++) {
        size_t words = request->pieces[i].words < left ? request->pieces[i].words : left;

        confirm_receive(request->pieces[i].data, words * word_bytes);
        left -= words;
    }
    if (!(request->flags & REQUEST_PIECES))
        confirm_receive(request->data, left * word_bytes);
}

static void
confirm_wait_all(struct node *node)
{
    struct request *requests = node->machine->requests;
    uint32_t *waiting = &node->machine->round.node[node->rank].waiting, ids[CONFIRM_MAX_POSTS],
             numbers[CONFIRM_MAX_POSTS];
    struct confirm_answer answer;

    while (*waiting > 0) {
        struct confirm_message message = {.what = CONFIRM_WAIT};

        for (uint32_t id = node->open; id && message.number < CONFIRM_MAX_POSTS; id = requests[id].open_next)
            if ((requests[id].flags & (REQUEST_AWAITED | REQUEST_COMPLETE)) == REQUEST_AWAITED) {
                ids[message.number] = id;
                numbers[message.number++] = requests[id].partner;
            }
        confirm_send(&message, numbers, message.number * sizeof *numbers);
        for (uint32_t i = 0; i < message.number; i++) {
            confirm_receive(&answer, sizeof answer);
            confirm_complete(node, ids[i], &answer);
            --*waiting;
        }
    }
}

/* See struct remote. */
static void
confirm_ask(struct node *node, const uint32_t *ids, int count, int enough)
{
    const struct request *requests = node->machine->requests;
    struct confirm_message message = {.what = CONFIRM_ASK, .tag = enough};
    uint32_t numbers[CONFIRM_MAX_POSTS], asked[CONFIRM_MAX_POSTS];
    struct confirm_answer answer;

    for (int i = 0; i < count && message.number < CONFIRM_MAX_POSTS; i++)
        if (!(requests[ids[i]].flags & REQUEST_COMPLETE)) {
            asked[message.number] = ids[i];
            numbers[message.number++] = requests[ids[i]].partner;
        }
    if (message.number == 0)
        return;
    confirm_send(&message, numbers, message.number * sizeof *numbers);
    for (uint32_t i = 0; i < message.number; i++) {
        confirm_receive(&answer, sizeof answer);
        if (answer.complete)
            confirm_complete(node, asked[i], &answer);
    }
}

static bool
probes(struct peal_node *me, const struct peal_post *probe, struct peal_envelope *envelope)
{
    struct confirm_answer answer;

    confirm_send(
        &(struct confirm_message){
            .what = CONFIRM_PROBE, .peer = probe->peer, .tag = probe->tag, .context = me->context},
        NULL, 0);
    confirm_receive(&answer, sizeof answer);
    *envelope = (struct peal_envelope){
        .source = answer.source, .tag = answer.tag, .words = (size_t)answer.words / me->scale, .note = answer.note};
    return answer.complete;
}

static void
parks(struct node *node, enum node_state state)
{
    struct confirm_answer answer;

    if (state == NODE_WAITS) {
        confirm_wait_all(node);
    } else if (state == NODE_RESTS) {
        confirm_send(&(struct confirm_message){.what = CONFIRM_REST}, NULL, 0);
        confirm_receive(&answer, sizeof answer);
    }
}

static void
consumed(struct node *node, uint32_t id)
{
    (void)node, (void)id;
    say_post();
}

static bool
tests(struct node *node, uint32_t id)
{
    confirm_ask(node, &id, 1, 1);
    return node->machine->requests[id].flags & REQUEST_COMPLETE;
}

static void
computed(struct node *node, int64_t operations)
{
    node->operations = 0;
    node->machine->round.clocks.node[node->rank].tau = 0;
    confirm_send(&(struct confirm_message){.what = CONFIRM_COMPUTE, .words = (uint64_t)operations}, NULL, 0);
}

static double
confirm_clock(struct node *node)
{
    struct confirm_answer answer;

    (void)node;
    confirm_send(&(struct confirm_message){.what = CONFIRM_CLOCK}, NULL, 0);
    confirm_receive(&answer, sizeof answer);
    return answer.clock;
}

static void
prints(struct node *node, const void *bytes, size_t count)
{
    (void)node;
    if (!own.prints)
        return;
    if (own.unsaid || own.printed + count > sizeof own.print)
        say_post();
    if (count > sizeof own.print) {
        confirm_send(&(struct confirm_message){.what = CONFIRM_PRINT, .words = count}, bytes, count);
    } else {
        memcpy(own.print + own.printed, bytes, count);
        own.printed += count;
    }
}

static uint64_t
random_of(const struct node *node)
{
    (void)node;
    if (own.random_left == 0) {
        confirm_send(&(struct confirm_message){.what = CONFIRM_RANDOM}, NULL, 0);
        confirm_receive(own.random, sizeof own.random);
        own.random_left = CONFIRM_RANDOMS;
    }
    return own.random[CONFIRM_RANDOMS - own.random_left--];
}

static bool
splits(struct node *node, struct split_call *call)
{
    struct confirm_answer answer;

    confirm_send(
        &(struct confirm_message){
            .what = CONFIRM_SPLIT, .peer = call->color, .tag = call->key, .context = call->parent->context},
        NULL, 0);
    confirm_receive(&answer, sizeof answer);
    if (call->color == PEAL_NO_COLOR)
        return true;
    int32_t *members = malloc(((size_t)answer.source + 1) * sizeof *members);

    if (!members)
        return false;
    confirm_receive(members, (size_t)answer.source * sizeof *members);
    struct group *group = group_make(node->machine, members, answer.source, (struct call_site){node->file, node->line});

    if (!group)
        return false;
    group->context = answer.context;
    group_enter(&call->view, group, answer.tag);
    free(members);
    return true;
}

static bool
confirm_meets(struct peal_node *me, const struct peal_meeting *meeting, struct peal_node *view)
{
    const int size = meeting->ranks ? meeting->count : peal_size(me);
    const struct confirm_message message = {.what = CONFIRM_MEET,
                                            .peer = meeting->ranks ? meeting->count : -1,
                                            .tag = meeting->group,
                                            .context = me->context,
                                            .number = (uint32_t)meeting->number,
                                            .words = meeting->bytes};
    const size_t all_bytes = (size_t)size * meeting->bytes;
    struct confirm_answer answer;
    int32_t *members = malloc(((size_t)size + 1) * sizeof *members);
    char *all = malloc(all_bytes + 1);
    bool memory = members && all;

    if (memory) {
        confirm_send(&message, meeting->ranks, meeting->ranks ? (size_t)size * sizeof *meeting->ranks : 0);
        write_both(meeting->mine, meeting->bytes, NULL, 0);
        confirm_receive(&answer, sizeof answer);
        confirm_receive(all, all_bytes);
        if (meeting->all)
            memcpy(meeting->all, all, all_bytes);
    }
    for (int i = 0; memory && i < size; i++)
        members[i] = peal_rank_in_world(me, meeting->ranks ? meeting->ranks[i] : i);
    struct group *group =
        memory && view ? group_make(me->node->machine, members, size, (struct call_site){NULL, 0}) : NULL;

    for (int i = 0; group && i < size; i++)
        if (members[i] == own.rank) {
            group->context = answer.context;
            group_enter(view, group, i);
        }
    free(members);
    free(all);
    return memory && (group || !view);
}

/* The node from entry to end. */
static void
confirm_run_node(struct peal_machine *machine)
{
    struct node *node = &machine->nodes[own.rank];

    own.posts = own.unsaid = 0;
    self = node;
    if (node_run_alone(node) != EXIT_DONE && !machine->reports.failed)
        failure_set(machine, own.rank, PEAL_CRASH, NULL, 0, "it ended inside the function");
    if (!machine->reports.failed)
        say_post();
    own.unsaid = 0;
    while (node->open) {
        machine->requests[node->open].flags |= REQUEST_COMPLETE | REQUEST_TAKEN;
        request_consume(node, node->open);
    }
    node_clear(node);
    self = NULL;
}

static const struct remote judged = {.run = confirm_run_node,
                                     .posted = confirm_posted,
                                     .park = parks,
                                     .consumed = consumed,
                                     .test = tests,
                                     .computed = computed,
                                     .clock = confirm_clock,
                                     .print = prints,
                                     .split = splits,
                                     .ask = confirm_ask,
                                     .probe = probes,
                                     .meet = confirm_meets};
static const struct engine engine_judged = {.name = "judged", .remote = &judged};

/* ------------------------------------------------------------------ the process */

/* Send the coordinator the elements of the node's result. */
static void
say_result(const struct vectors *data)
{
    const struct row *row = &data->out[own.rank];
    struct confirm_message message = {.what = CONFIRM_END, .words = row->words ? row->count : 0};
    uint64_t *words = malloc(((size_t)message.words + 1) * sizeof *words);

    if (!words)
        _exit(1);
    for (size_t i = 0; i < message.words; i++)
        words[i] = vectors_get(data, row, i);
    confirm_send(&message, words, (size_t)message.words * sizeof *words);
    free(words);
}

void
confirm_ready(void)
{
    sandbox_close_others(&own.socket, 1); /* what a constructor has opened */
    if (!sandbox_shut())
        _exit(1);
    write_both(&(struct confirm_message){.what = CONFIRM_READY}, sizeof(struct confirm_message), NULL, 0);
}

bool
confirm_next(struct confirm_order *order)
{
    return confirm_read(own.socket, order, sizeof *order, 0);
}

void
confirm_leave(void)
{
    confirm_send(&(struct confirm_message){.what = CONFIRM_END, .number = own.random_left}, NULL, 0);
    own.random_left = 0;
}

void
confirm_fail(enum peal_failure_kind kind, const char *text)
{
    confirm_send(&(struct confirm_message){.what = CONFIRM_FAIL, .number = (uint32_t)kind, .words = strlen(text)}, text,
                 strlen(text));
}

/* Make one run, and send the coordinator its end. */
static void
do_run(struct runner *runner, struct peal_machine *machine, const struct peal_check_case *c, size_t words)
{
    static uint64_t *drawn;
    static size_t room;
    struct peal_error error = {PEAL_OK, "not enough memory"};
    const struct peal_failure *failure = NULL;

    if (!array_grow((void *)&drawn, &room, words + 1, sizeof *drawn))
        _exit(1);
    confirm_receive(drawn, words * sizeof *drawn);
    if (machine && runner_apart(runner, machine, c, own.rank, drawn, words, &failure, &error) == PEAL_OK && !failure) {
        say_result(&runner->data);
    } else {
        confirm_fail(failure ? failure->kind : PEAL_OUT_OF_MEMORY, failure ? failure->message : error.text);
    }
}

void
confirm_enter(int rank, int socket, bool mpi, bool prints)
{
    atomic_int *denied = mmap(NULL, sizeof *denied, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    sandbox_take_network(rank);
    own.socket = sandbox_hide(socket);
    own.rank = rank;
    own.prints = prints;
    random_source = prints ? random_of : NULL;
    sandbox_close_others((const int[]){own.socket, null}, 2);
    if (dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
        denied == MAP_FAILED || (mpi && !compile_mpi_preload()))
        _exit(1);
    program_reserve(1);
    sandbox_program(0, true, denied);
    engine_mpi = &engine_judged;
    line_finder.find = NULL; /* the coordinator asks for no lines, which would take a thread and files to look up */
    line_finder.function = NULL;
    program_compiled = NULL; /* one copy is enough for one node: nothing is compiled here */
}

void
confirm_be_node(void *arg, int rank, int socket)
{
    const struct coordinator *coordinator = arg;
    const struct confirm_task *tasks = coordinator->tasks;
    struct runner runner;
    struct confirm_order order;
    struct peal_error error;
    struct peal_machine *machine = NULL;
    int machine_case = -1;

    confirm_enter(rank, socket, tasks[0].check->mpi, false);
    runner_init(&runner, tasks[0].check, coordinator->runner.unit);
    if (runner_load_apart(&runner, coordinator->process_count, &error) != PEAL_OK)
        _exit(1);
    confirm_ready();
    while (confirm_next(&order)) {
        const struct confirm_run *next = &coordinator->runs[order.number];

        runner_take(&runner, tasks[next->task].check);
        runner.engine = engine_judged.name;
        if (machine_case != order.number / 2) { /* a case is run twice */
            machine_case = order.number / 2;
            peal_machine_destroy(machine);
            machine = runner_machine(&runner, &next->where, &error);
        }
        do_run(&runner, machine, &next->where, (size_t)order.words);
    }
    _exit(0);
}
