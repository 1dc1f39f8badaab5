/* SPDX-License-Identifier: MIT */
/* Strands: several stacks of one node, of which one runs. */
#include "lib/machine/strand.h"
#include "lib/machine/calls.h"
#include "lib/machine/fcontext.h"
#include "lib/machine/meet.h"
#include "lib/machine/post.h"
#include "lib/machine/view.h"
#include "lib/machine/wait.h"

/* A node that has started none has one stack, and nothing here runs for it.  In a node with strands a call that waits
 * is a switch: its first strand, on the node's own stack, runs the others that can go on, one after another in the
 * order of their starts, and then itself if it can; when none can, it parks the node.  The others switch to the first
 * and nowhere else.  So a node is parked, fails and is unwound on its own stack, as engines and signal handlers expect.
 *
 * The round sees one node: it counts down what the node waits for, which is the least that any strand still needs: no
 * strand can go on before that many requests are complete.  A strand that tests or rests makes the node do so.
 *
 * The requests that a strand waits for are claimed: their generation is one more meanwhile, so that the handles are
 * stale for the others. */

bool
strands_overflowed(const struct node *node, const char *address)
{
    for (const struct strand *strand = node->strands ? &node->strands->first : NULL; strand; strand = strand->next)
        if (strand->stack && strand_stack_overflowed(strand->stack, address))
            return true;
    return false;
}

/* ------------------------------------------------------------------ switching */

static inline struct peal_cost *
strand_clock(const struct node *node)
{
    return &node->machine->round.clocks.node[node->rank];
}

/* Run `to` in place of `from`, until that is switched to again. */
static void
switch_to(struct strand *from, struct strand *to, bool ends)
{
    struct node *node = from->node;

    from->clock = *strand_clock(node);
    from->file = node->file;
    from->line = node->line;
    from->held = node->held;
    *strand_clock(node) = to->clock;
    node->file = to->file;
    node->line = to->line;
    node->held = to->held;
    to->held = NULL;
    node->strands->running = to;
    announced_leave(ends ? NULL : &from->announced, &to->announced);
    struct transfer came = jump_fcontext(to->context, &from->context);

    *(fcontext_t *)came.data = came.context;
    announced_arrive(&from->announced, to->stack ? NULL : &to->announced);
}

static _Noreturn void
end_strand(struct strand *strand)
{
    strand->state = NODE_FINISHED;
    switch_to(strand, &strand->node->strands->first, true);
    abort(); /* not reached */
}

static __attribute__((noreturn)) void
leave_node(struct node *node, enum node_exit way)
{
    struct strand *first = &node->strands->first;

    first->file = node->file; /* these are reported */
    first->line = node->line;
    first->clock = *strand_clock(node);
    node->strands->leaving = way;
    end_strand(node->strands->running);
}

static void
strand_main(struct transfer came)
{
    struct strand *strand = self->strands->running;
    struct node *node = strand->node;
    struct request *request = &node->machine->requests[strand->request];

    *(fcontext_t *)came.data = came.context;
    announced_arrive(NULL, &node->strands->first.announced);
    node->inside = false;
    strand->run(strand->view, strand->arg);
    node->inside = true;
    node_settle(node, strand->view);
    if (!node_check_requests(node, strand->view))
        leave_node(node, EXIT_FAILED);
    request->flags |= REQUEST_COMPLETE;
    request->clock = *strand_clock(node);
    peal_leave(strand->view);
    node->inside = true;
    end_strand(strand);
}

/* ------------------------------------------------------------------ the ends of strands */

/* Free a strand that no longer runs. */
static void
strand_free(struct strand *strand)
{
    struct strands *strands = strand->node->strands;

    announced_end(&strand->announced);
    strand_stack_give(&strands->spare, strand->stack);
    free(strand->claims);
    free(strand->held);
    free(strand);
}

/* The strand has ended. */
static void
retire(struct strand *strand)
{
    struct node *node = strand->node;
    struct strand **at = &node->strands->first.next;

    while (*at != strand)
        at = &(*at)->next;
    *at = strand->next;
    node->strands->open--;
    node->parks_apart = node->strands->open > 0;
    strand_free(strand);
}

void
strands_clear(struct node *node)
{
    struct strands *strands = node->strands;

    if (!strands)
        return;
    for (struct strand *strand; (strand = strands->first.next); strand_free(strand))
        strands->first.next = strand->next;
    strand_stacks_free(&strands->spare);
    node->strands = NULL;
    node->parks_apart = false;
    free(strands->first.claims);
    free(strands);
}

void
strands_return(struct node *node)
{
    struct strands *strands = node->strands;

    if (!strands || strands->running == &strands->first)
        return;
    announced_leave(NULL, &strands->first.announced);
    announced_arrive(&strands->first.announced, NULL);
    free(strands->first.held);
    strands->first.held = NULL;
    strands->running = &strands->first;
}

/* ------------------------------------------------------------------ waiting */

/* Whether the strand waits until its question is answered: only programs ask. */
static bool
is_asking(const struct strand *strand)
{
    return strand->node->question && strand == &strand->node->strands->first;
}

/* Claim the requests that the strand has begun to wait for, or to test. */
static void
claim(struct strand *strand, enum node_state state)
{
    struct node *node = strand->node;
    struct request *requests = node->machine->requests;
    uint32_t *waiting = &node->machine->round.node[node->rank].waiting;
    bool picks = is_asking(strand) && node->question->pick;
    unsigned flag = state == NODE_WAITS && !picks ? REQUEST_AWAITED : REQUEST_ASKED;

    strand->claim_count = 0;
    strand->need = state == NODE_WAITS && !picks ? *waiting : node->wanted;
    *waiting = 0;
    for (uint32_t id = node->open; id && (state == NODE_WAITS || state == NODE_TESTS); id = requests[id].open_next) {
        if ((requests[id].flags & (flag | REQUEST_CLAIMED | REQUEST_COMPLETE)) != flag)
            continue;
        if (!array_grow(&strand->claims, &strand->claim_room, strand->claim_count + 1, sizeof *strand->claims))
            node_fail(&node->world, PEAL_OUT_OF_MEMORY, "no memory to wait in a strand");
        strand->claims[strand->claim_count++] = id;
        requests[id].flags |= REQUEST_CLAIMED;
        requests[id].generation++;
    }
    strand->state = (uint8_t)state;
    strand->blocked_box = node->blocked_box;
    strand->rested = false;
    strand->meets = node->meets;
}

static void
unclaim(struct strand *strand)
{
    struct request *requests = strand->node->machine->requests;

    for (size_t i = 0; i < strand->claim_count; i++) {
        struct request *request = &requests[strand->claims[i]];

        request->flags &= (uint16_t) ~(REQUEST_CLAIMED | REQUEST_AWAITED | REQUEST_ASKED);
        request->generation--;
    }
    strand->claim_count = 0;
    strand->state = NODE_RUNS;
}

/* How many of its requests the strand still needs; *open: how many a round can complete. */
static uint32_t
needs(const struct strand *strand, uint32_t *open)
{
    const struct request *requests = strand->node->machine->requests;
    uint32_t complete = 0;

    *open = 0;
    for (size_t i = 0; i < strand->claim_count; i++) {
        const struct request *request = &requests[strand->claims[i]];

        if (request->flags & REQUEST_COMPLETE)
            complete++;
        else
            *open += request->kind != REQUEST_STRAND;
    }
    return complete < strand->need ? strand->need - complete : 0;
}

static bool
node_box_has_place(const struct node *node, unsigned box)
{
    const struct round *round = &node->machine->round;
    const struct round_node *boxes = &round->node[node->rank];

    return (box == REQUEST_SEND ? boxes->outbox : boxes->mailbox) < round->mailbox;
}

static bool
can_go_on(const struct strand *strand)
{
    uint32_t open;

    switch ((enum node_state)strand->state) {
    case NODE_WAITS:
        if (is_asking(strand) && (strand->node->question->answered || strand->node->question->pick))
            return strand->node->question->answered;
        return needs(strand, &open) == 0;
    case NODE_POSTS:
        return node_box_has_place(strand->node, strand->blocked_box);
    case NODE_TESTS:
    case NODE_RESTS:
    case NODE_SLEEPS:
        return strand->rested;
    case NODE_SPLITS:
        return strand->node->split->done;
    case NODE_MEETS:
        return meet_is_held(strand->meets);
    case NODE_OFFERS: /* nodes with strands do not */
    case NODE_RUNS:
    case NODE_FINISHED:
    case NODE_FAILED:
        break;
    }
    return true;
}

/* The state of the whole node: the first of these that one of its strands is in. */
static enum node_state
state_of_all(uint32_t states)
{
    static const uint8_t order[] = {NODE_TESTS, NODE_RESTS, NODE_SLEEPS, NODE_POSTS, NODE_MEETS, NODE_SPLITS};

    for (size_t i = 0; i < sizeof order; i++)
        if (states & UINT32_C(1) << order[i])
            return (enum node_state)order[i];
    return NODE_WAITS;
}

/* No strand can go on: park the node until one may. */
static void
strands_park(struct node *node)
{
    uint32_t *waiting = &node->machine->round.node[node->rank].waiting;
    uint32_t states = 0, least = UINT32_MAX, open;
    enum {
        RESTING = 1 << NODE_TESTS | 1 << NODE_RESTS | 1 << NODE_SLEEPS,
        PENDING = 1 << NODE_POSTS | 1 << NODE_MEETS | 1 << NODE_SPLITS
    };

    node->blocked_box = 0;
    for (struct strand *strand = &node->strands->first; strand; strand = strand->next) {
        uint32_t need = strand->state == NODE_WAITS ? needs(strand, &open) : UINT32_MAX;

        states |= UINT32_C(1) << strand->state;
        if (strand->state == NODE_WAITS && need <= open && need < least)
            least = need;
        if (strand->state == NODE_POSTS)
            node->blocked_box |= strand->blocked_box;
    }
    *waiting = states & RESTING ? UINT32_MAX : least;
    node->carrier->states |= states & PENDING;
    node_park_whole(node, state_of_all(states));
    *waiting = 0;
    for (struct strand *strand = &node->strands->first; strand; strand = strand->next)
        strand->rested = true;
}

/* Run another strand until it waits or has ended. */
static void
strand_run(struct strand *strand)
{
    struct strands *strands = strand->node->strands;

    switch_to(&strands->first, strand, false);
    if (strands->leaving)
        siglongjmp(*strand->node->entry, (int)strands->leaving);
    if (strand->state == NODE_FINISHED)
        retire(strand);
}

static void
wait_as_strand(struct node *node, enum node_state state)
{
    struct strands *strands = node->strands;
    struct strand *own = strands->running, *next;

    claim(own, state);
    if (own != &strands->first)
        switch_to(own, &strands->first, false);
    while (own == &strands->first) {
        next = own->next;
        while (next && !can_go_on(next))
            next = next->next;
        if (next)
            strand_run(next);
        else if (can_go_on(own))
            break;
        else
            strands_park(node);
    }
    unclaim(own);
}

/* ------------------------------------------------------------------ starting and joining */

/* The node's first strand, made when it starts another one. */
static void
make_first(struct node *node)
{
    node->strands = calloc(1, sizeof *node->strands);
    if (!node->strands)
        node_fail(&node->world, PEAL_OUT_OF_MEMORY, "no memory for a strand");
    node->strands->first.node = node;
    node->strands->running = &node->strands->first;
    node->strands->wait = wait_as_strand;
    node->strands->leave = leave_node;
    atomic_store_explicit(&node->machine->has_strands, true, memory_order_relaxed);
}

/* A strand with a stack and a request, last of the node's. */
static struct strand *
strand_new(struct peal_node *me)
{
    struct node *node = me->node;
    struct strand *strand = calloc(1, sizeof *strand), **at = &node->strands->first.next;

    if (!strand || !(strand->stack = strand_stack_take(&node->strands->spare, node->machine->stacks.stack_bytes))) {
        free(strand);
        node_fail(me, PEAL_OUT_OF_MEMORY, "no memory for a strand with a stack of %zu KiB: node %d has %d",
                  node->machine->stacks.stack_bytes / 1024, node->rank, node->strands->open);
    }
    strand->node = node;
    size_t bytes;
    char *bottom = strand_stack_bottom(strand->stack, &bytes);

    strand->announced = announced_make(bottom, bytes);
    strand->context = make_fcontext(bottom + bytes, bytes, strand_main);
    while (*at)
        at = &(*at)->next;
    *at = strand;
    node->strands->open++;
    node->parks_apart = true;
    return strand;
}

/* The node as the strand sees it: in the same group, with contexts that all strands of this call share. */
static struct peal_node *
make_view(struct peal_node *me, const struct peal_call *call, uint32_t contexts)
{
    struct peal_node *view = enter_view(me, call->form->name, 0, me->node->file, me->node->line);

    view->context = contexts;
    view->collectives = contexts + 1;
    view->file = NULL; /* the strand's own lines are reported */
    me->node->inside = true;
    return view;
}

struct peal_handle
peal_start_at(struct peal_node *me, const struct peal_call *call, peal_strand program, void *arg, const char *file,
              int line)
{
    static const struct peal_form form = {.name = "strand"};
    const struct peal_call plain = {.form = &form};
    struct node *node = me->node;
    struct peal_handle handle;

    call_enter(me, file, line);
    post_refuse_apart(me, "peal_start");
    if (!PEAL_FIBERS)
        node_fail(me, PEAL_UNSUPPORTED, "strands need Boost.Context, which this build does not have");
    if (!program)
        node_fail(me, PEAL_BAD_REQUEST, "peal_start expects a function, got NULL");
    if (me->collective)
        node_fail(me, PEAL_BAD_REQUEST, "peal_start inside of a %s: only a node's program starts strands",
                  me->collective);
    if (!node->strands)
        make_first(node);
    uint32_t contexts = calls_strand(me, call ? call : &plain);
    uint32_t id = request_take(me, REQUEST_STRAND);

    request_fill(&node->machine->requests[id], me, 0, node->rank, 0);
    node->machine->requests[id].data = NULL;
    node->machine->requests[id].piece_count = 1;
    handle = request_handle(me, id);

    struct strand *strand = strand_new(me);

    strand->view = make_view(me, call ? call : &plain, contexts);
    strand->run = program;
    strand->arg = arg;
    strand->request = id;
    strand->clock = *strand_clock(node);
    strand->file = node->file;
    strand->line = node->line;
    strand_run(strand);
    call_leave(me);
    return handle;
}

/* The request of a strand, or fail. */
static uint32_t
strand_of(struct peal_node *me, struct peal_handle handle)
{
    uint32_t id = request_by_handle(me, handle);

    if (me->node->machine->requests[id].kind != REQUEST_STRAND)
        node_fail(me, PEAL_BAD_REQUEST, "this handle is of a %s: peal_start gives those of strands",
                  request_verb(&me->node->machine->requests[id]));
    return id;
}

void
peal_join_at(struct peal_node *me, struct peal_handle handle, const char *file, int line)
{
    call_enter(me, file, line);
    post_refuse_apart(me, "peal_join");
    request_wait_finish(me, strand_of(me, handle));
    call_leave(me);
}

bool
peal_join_test_at(struct peal_node *me, struct peal_handle handle, const char *file, int line)
{
    call_enter(me, file, line);
    post_refuse_apart(me, "peal_join_test");
    strand_of(me, handle);
    return peal_test_at(me, handle, NULL, file, line);
}

/* ------------------------------------------------------------------ in reports */

/* The strand whose end the other one waits for; NULL: none. */
static const struct strand *
awaited_by(const struct strand *strand)
{
    const struct request *requests = strand->node->machine->requests;

    for (size_t i = 0; strand->state == NODE_WAITS && i < strand->claim_count; i++)
        for (const struct strand *other = strand->node->strands->first.next; other; other = other->next)
            if (other->request == strand->claims[i] && !(requests[other->request].flags & REQUEST_COMPLETE))
                return other;
    return NULL;
}

const struct peal_node *
strand_awaited(const struct node *node)
{
    const struct strand *strand = node->strands ? awaited_by(&node->strands->first) : NULL, *next;

    for (int steps = node->strands ? node->strands->open : 0; strand && steps > 0; steps--)
        if ((next = awaited_by(strand)))
            strand = next;
    return strand ? strand->view : NULL;
}
