/* SPDX-License-Identifier: MIT */
/* A node in a process of its own: every post and every wait goes to the judge. */
#include "lib/base/child.h"
#include "lib/base/grow.h"
#include "lib/check/confirm.h"
#include "lib/machine/requests.h"
#include "lib/sandbox/sandbox.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* There is one node in the process. */
static struct {
    int socket, rank;
    uint32_t posts;
} own;

static void
say(const struct confirm_said *said, const void *more, size_t bytes)
{
    if (!peal_write_whole(own.socket, said, sizeof *said) || !peal_write_whole(own.socket, more, bytes))
        _exit(0); /* the judge has heard enough */
}

static void
hear(void *bytes, size_t count)
{
    if (!confirm_read(own.socket, bytes, count, 0))
        _exit(0);
}

/* ------------------------------------------------------------------ the machine's calls */

static enum peal_status
open_nothing(struct peal_machine *machine, struct peal_error *error)
{
    (void)machine, (void)error;
    return PEAL_OK;
}

static void
close_nothing(struct peal_machine *machine)
{
    (void)machine;
}

static void
posted(struct node *node, uint32_t id, int peer)
{
    struct request *request = &node->machine->requests[id];
    struct round_node *boxes = &node->machine->round.node[node->rank];
    bool send = request->kind == REQUEST_SEND;
    const struct confirm_said said = {.what = send ? CONFIRM_SEND : CONFIRM_RECEIVE,
                                      .peer = peer,
                                      .tag = request->tag,
                                      .context = request->context,
                                      .number = own.posts,
                                      .words = request->words};

    boxes->outbox = boxes->mailbox = 0; /* the judge's are */
    request->partner = own.posts++;
    say(&said, NULL, 0);
    if (send && request->piece_count > 1)
        for (uint32_t i = 0; i < request->piece_count; i++)
            if (!peal_write_whole(own.socket, request->pieces[i].data, request->pieces[i].words * sizeof(uint64_t)))
                _exit(0);
    if (send && request->piece_count <= 1 &&
        !peal_write_whole(own.socket, request->data, (size_t)request->words * sizeof(uint64_t)))
        _exit(0);
    if (request->flags & REQUEST_EAGER) { /* its copy is the judge's now */
        free(request->data);
        request->data = NULL;
        request->flags |= REQUEST_TAKEN;
    }
}

/* Take the answer for a request that is complete. */
static void
complete(struct request *request, const struct confirm_answer *answer)
{
    size_t left = (size_t)answer->words;

    request->flags |= REQUEST_COMPLETE;
    if (request->kind == REQUEST_SEND)
        return;
    request->rank = answer->source;
    request->tag = answer->tag;
    request->words = answer->words;
    for (uint32_t i = 0; request->piece_count > 1 && i < request->piece_count && left > 0; i++) {
        size_t words = request->pieces[i].words < left ? request->pieces[i].words : left;

        hear(request->pieces[i].data, words * sizeof(uint64_t));
        left -= words;
    }
    if (request->piece_count <= 1)
        hear(request->data, left * sizeof(uint64_t));
}

static void
wait_for_all(struct node *node)
{
    struct request *requests = node->machine->requests;
    uint32_t *waiting = &node->machine->round.node[node->rank].waiting, ids[256], numbers[256];
    struct confirm_answer answer;

    while (*waiting > 0) {
        struct confirm_said said = {.what = CONFIRM_WAIT};

        for (uint32_t id = node->open; id && said.number < 256; id = requests[id].open_next)
            if ((requests[id].flags & (REQUEST_AWAITED | REQUEST_COMPLETE)) == REQUEST_AWAITED) {
                ids[said.number] = id;
                numbers[said.number++] = requests[id].partner;
            }
        say(&said, numbers, said.number * sizeof *numbers);
        for (uint32_t i = 0; i < said.number; i++) {
            hear(&answer, sizeof answer);
            complete(&requests[ids[i]], &answer);
            --*waiting;
        }
    }
}

static void
parks(struct node *node, enum node_state state)
{
    struct confirm_answer answer;

    if (state == NODE_WAITS) {
        wait_for_all(node);
    } else if (state == NODE_RESTS) {
        say(&(struct confirm_said){.what = CONFIRM_REST}, NULL, 0);
        hear(&answer, sizeof answer);
    }
}

static void
consumed(struct node *node, uint32_t id)
{
    (void)node, (void)id;
}

static bool
tests(struct node *node, uint32_t id)
{
    struct request *request = &node->machine->requests[id];
    struct confirm_answer answer;

    if (request->flags & REQUEST_COMPLETE)
        return true;
    say(&(struct confirm_said){.what = CONFIRM_TEST, .number = request->partner}, NULL, 0);
    hear(&answer, sizeof answer);
    if (answer.complete)
        complete(request, &answer);
    return answer.complete;
}

static void
computed(struct node *node, int64_t operations)
{
    node->operations = 0;
    node->machine->round.clocks.node[node->rank].tau = 0;
    say(&(struct confirm_said){.what = CONFIRM_COMPUTE, .words = (uint64_t)operations}, NULL, 0);
}

static double
clock_of(struct node *node)
{
    struct confirm_answer answer;

    (void)node;
    say(&(struct confirm_said){.what = CONFIRM_CLOCK}, NULL, 0);
    hear(&answer, sizeof answer);
    return answer.clock;
}

static void
prints(struct node *node, const void *bytes, size_t count)
{
    (void)node, (void)bytes, (void)count;
}

static void
calls(struct peal_node *me, const struct peal_call *call, const char *file, int line)
{
    (void)me, (void)call, (void)file, (void)line;
}

static bool
splits(struct node *node, struct split_call *call)
{
    struct confirm_answer answer;

    say(
        &(struct confirm_said){
            .what = CONFIRM_SPLIT, .peer = call->color, .tag = call->key, .context = call->parent->context},
        NULL, 0);
    hear(&answer, sizeof answer);
    if (call->color == PEAL_NO_COLOR)
        return true;
    int32_t *members = malloc(((size_t)answer.source + 1) * sizeof *members);

    if (!members)
        return false;
    hear(members, (size_t)answer.source * sizeof *members);
    struct group *group = group_make(node->machine, members, answer.source, (struct call_site){node->file, node->line});

    if (!group)
        return false;
    group->context = answer.context;
    group_enter(&call->view, group, answer.tag);
    return true;
}

static const struct peal_measured *
measured(const struct peal_machine *machine)
{
    (void)machine;
    return NULL;
}

static bool
one_clock(const struct peal_machine *machine)
{
    (void)machine;
    return true;
}

static bool
share(struct peal_machine *machine, void *memory, size_t bytes)
{
    (void)machine, (void)memory, (void)bytes;
    return true;
}

/* The node from entry to end. */
static void
run(struct peal_machine *machine)
{
    struct node *node = &machine->nodes[own.rank];

    own.posts = 0;
    self = node;
    if (node_run_alone(node) != EXIT_DONE && !machine->failed)
        failure_set(machine, own.rank, PEAL_CRASH, NULL, 0, "it ended inside the function");
    while (node->open) {
        machine->requests[node->open].flags |= REQUEST_COMPLETE | REQUEST_TAKEN;
        request_consume(node, node->open);
    }
    node_clear(node);
    self = NULL;
}

static const struct remote judged = {.open = open_nothing,
                                     .close = close_nothing,
                                     .run = run,
                                     .posted = posted,
                                     .park = parks,
                                     .consumed = consumed,
                                     .test = tests,
                                     .computed = computed,
                                     .clock = clock_of,
                                     .print = prints,
                                     .called = calls,
                                     .split = splits,
                                     .measured = measured,
                                     .one_clock = one_clock,
                                     .share = share};
static const struct engine engine_judged = {.name = "judged", .remote = &judged};

/* ------------------------------------------------------------------ the process */

/* Make one run, and give the judge the node's result. */
static void
do_run(struct runner *runner, const struct peal_check_case *c, uint64_t key)
{
    struct peal_error error = {PEAL_OK, ""};
    struct peal_machine *machine = runner_machine(runner, c, &error);
    const struct peal_failure *failure = NULL;

    if (machine && runner_apart(runner, machine, c, own.rank, key, &failure, &error) == PEAL_OK && !failure) {
        const struct row *row = &runner->data.out[own.rank];

        say(&(struct confirm_said){.what = CONFIRM_END, .words = row->words ? row->count : 0}, row->words,
            row->words ? row->count * sizeof *row->words : 0);
    } else {
        const char *text = failure ? failure->message : error.text;

        say(&(struct confirm_said){.what = CONFIRM_FAIL,
                                   .number = (uint32_t)(failure ? failure->kind : PEAL_OUT_OF_MEMORY),
                                   .words = strlen(text)},
            text, strlen(text));
    }
    peal_machine_destroy(machine);
}

_Noreturn void
confirm_be_node(const struct confirm_task *tasks, const struct confirm_run *runs, const struct unit *unit,
                int most_nodes, int rank, int socket)
{
    struct runner runner;
    struct confirm_order order;
    struct peal_error error;
    atomic_int *denied = mmap(NULL, sizeof *denied, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    sandbox_leave();
    own.socket = sandbox_hide(socket);
    own.rank = rank;
    runner_init(&runner, tasks[0].check, unit);
    sandbox_close_others((const int[]){own.socket, runner.null}, 2);
    dup2(runner.null, STDIN_FILENO);
    dup2(runner.null, STDOUT_FILENO);
    dup2(runner.null, STDERR_FILENO);
    if (denied == MAP_FAILED)
        _exit(1);
    sandbox_program(0, denied);
    engine_mpi = &engine_judged;
    if (runner_load_apart(&runner, most_nodes, &error) != PEAL_OK)
        _exit(1);
    while (confirm_read(own.socket, &order, sizeof order, 0)) {
        runner.check = tasks[runs[order.number].task].check;
        runner.engine = engine_judged.name;
        do_run(&runner, &runs[order.number].where, order.key);
    }
    _exit(0);
}
