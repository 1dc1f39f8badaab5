/* SPDX-License-Identifier: MIT */
/* Running a plan: every node carries out its own blocks, each as far as it can, and waits when none can go on.
 *
 * A message is copied when it is sent, as the transports of these schedules do, so that its block may write the chunk
 * again.  The blocks of a node go on in their order, so a run depends only on the plan and the machine. */
#include "lib/plan/plan.h"
#include <peal/author.h>
#include <peal/loaded.h>
#include <peal/post.h>
#include <stdlib.h>
#include <string.h>

/* A plan as an algorithm. */
struct played {
    struct peal_loaded loaded; /* the first member: see peal_algorithm_unload */
    struct peal_algorithm algorithm;
    struct peal_plan *plan;
    char *name;
};

/* A block that is carried out. */
struct play_strand {
    size_t next, end; /* steps */
    bool posted;      /* the receive of `next` */
    struct peal_handle receive;
    unsigned char *message; /* what it receives, when that is reduced */
};

/* A message under way. */
struct outgoing {
    struct peal_handle handle;
    size_t step;
    void *copy; /* NULL: the place is free */
};

enum { STEP_WAITS, STEP_DONE, STEP_DELIVERED };

struct player {
    const struct peal_plan *plan;
    struct peal_node *me;
    const struct peal_op *op;
    int rank;
    size_t words, bytes; /* of a chunk */
    size_t first;        /* step of the node */
    unsigned char *memory;
    unsigned char *states; /* of the node's steps */
    struct play_strand *strands;
    int strand_count;
    struct outgoing *outgoing;
    size_t outgoing_count;
    struct peal_handle *handles;
    bool timed; /* some of its steps wait for a round */
    int round;  /* the one that comes next, where it is timed */
};

/* Room for `bytes` bytes.  owner: the node */
static void *
player_alloc(struct peal_node *me, size_t bytes, const char *file, int line)
{
    return peal_alloc_at(me, bytes / peal_word_bytes(me) + 1, file, line);
}

static unsigned char *
chunk(const struct player *player, struct peal_plan_place place, int c)
{
    place.chunk += c;
    return player->memory + (size_t)peal_plan_address(player->plan, player->rank, place) * player->bytes;
}

/* ------------------------------------------------------------------ steps */

/* Whether the steps that step i needs are done. */
static bool
may_begin(const struct player *player, size_t i)
{
    const struct peal_plan *plan = player->plan;
    const struct peal_plan_step *step = &plan->steps[i];

    if (step->round > player->round && player->timed)
        return false;
    for (int j = 0; j < step->need_count; j++) {
        size_t on = plan->needs[step->needs + (size_t)j];
        unsigned char wanted = plan->steps[on].does == PEAL_PLAN_SEND && !plan->copied ? STEP_DELIVERED : STEP_DONE;

        if (player->states[on - player->first] < wanted)
            return false;
    }
    return true;
}

/* Reduce and copy, for one chunk of the step. */
static void
combine_chunk(const struct player *player, const struct peal_plan_step *step, unsigned char *message, int c)
{
    const unsigned char *source = message ? message + (size_t)c * player->bytes : chunk(player, step->source, c);
    unsigned char *target =
        step->does & PEAL_PLAN_COPY ? chunk(player, step->target, c) : message + (size_t)c * player->bytes;

    if (step->does & PEAL_PLAN_REDUCE)
        peal_combine(player->op, message ? chunk(player, step->source, c) : target, source, target, player->words);
    else if (step->does & PEAL_PLAN_COPY)
        memmove(target, source, player->bytes);
}

/* Post the message of a step: a copy. */
static void
player_post_send(struct player *player, size_t i, const unsigned char *message)
{
    const struct peal_plan_step *step = &player->plan->steps[i];
    const struct peal_plan_block *block = &player->plan->blocks[step->block];
    const char *file = player->plan->file;
    size_t words = (size_t)step->count * player->words, at = 0;
    unsigned char *copy = player_alloc(player->me, (size_t)step->count * player->bytes, file, step->line);

    for (int c = 0; c < step->count; c++) {
        const unsigned char *from = step->does & PEAL_PLAN_COPY      ? chunk(player, step->target, c)
                                    : step->does & PEAL_PLAN_RECEIVE ? message + (size_t)c * player->bytes
                                                                     : chunk(player, step->source, c);
        memcpy(copy + (size_t)c * player->bytes, from, player->bytes);
    }
    while (at < player->outgoing_count && player->outgoing[at].copy)
        at++;
    player->outgoing_count += at == player->outgoing_count;
    player->outgoing[at] = (struct outgoing){
        peal_send_async_at(player->me, copy, words, block->send, block->channel, file, step->line), i, copy};
}

/* Post the receive of a step. */
static void
player_post_receive(struct player *player, struct play_strand *strand)
{
    const struct peal_plan_step *step = &player->plan->steps[strand->next];
    const struct peal_plan_block *block = &player->plan->blocks[step->block];

    strand->message = player_alloc(player->me, (size_t)step->count * player->bytes, player->plan->file, step->line);
    strand->receive = peal_recv_async_at(player->me, strand->message, (size_t)step->count * player->words,
                                         block->receive, block->channel, player->plan->file, step->line);
    strand->posted = true;
}

/* Advance a block as far as possible; true: it did something. */
static bool
player_advance(struct player *player, struct play_strand *strand)
{
    bool moved = false;

    for (; strand->next < strand->end; strand->next++, moved = true) {
        const struct peal_plan_step *step = &player->plan->steps[strand->next];
        bool receives = step->does & PEAL_PLAN_RECEIVE;

        if (!strand->posted && !may_begin(player, strand->next))
            return moved;
        if (receives && !strand->posted) {
            player_post_receive(player, strand);
            moved = true;
        }
        if (receives && !peal_is_complete_at(player->me, strand->receive, NULL, player->plan->file, step->line))
            return moved;
        if (receives)
            peal_wait_envelope_at(player->me, strand->receive, player->plan->file, step->line);
        for (int c = 0; c < step->count && step->does & (PEAL_PLAN_REDUCE | PEAL_PLAN_COPY); c++)
            combine_chunk(player, step, receives ? strand->message : NULL, c);
        if (step->does & PEAL_PLAN_SEND)
            player_post_send(player, strand->next, strand->message);
        if (receives)
            peal_free(player->me, strand->message);
        player->states[strand->next - player->first] = STEP_DONE;
        strand->posted = false;
        strand->message = NULL;
    }
    return moved;
}

/* Note which messages are delivered; true: some are. */
static bool
player_note_delivered(struct player *player)
{
    bool any = false;

    for (size_t i = 0; i < player->outgoing_count; i++) {
        struct outgoing *message = &player->outgoing[i];

        if (!message->copy || !peal_is_complete_at(player->me, message->handle, NULL, player->plan->file, 0))
            continue;
        peal_wait_envelope_at(player->me, message->handle, player->plan->file, 0);
        peal_free(player->me, message->copy);
        player->states[message->step - player->first] = STEP_DELIVERED;
        message->copy = NULL;
        any = true;
    }
    return any;
}

/* Whether a block waits for a round that is still to come. */
static bool
waits_for_round(const struct player *player)
{
    for (int i = 0; i < player->strand_count; i++) {
        const struct play_strand *strand = &player->strands[i];

        if (strand->next < strand->end && player->plan->steps[strand->next].round > player->round)
            return true;
    }
    return false;
}

/* Wait for any message, or for a round; false: there is none to wait for. */
static bool
wait(struct player *player)
{
    const struct peal_plan *plan = player->plan;
    int count = 0, line = 0;

    for (int i = 0; i < player->strand_count; i++)
        if (player->strands[i].posted) {
            line = line ? line : plan->steps[player->strands[i].next].line;
            player->handles[count++] = player->strands[i].receive;
        }
    for (size_t i = 0; i < player->outgoing_count; i++)
        if (player->outgoing[i].copy) {
            line = line ? line : plan->steps[player->outgoing[i].step].line;
            player->handles[count++] = player->outgoing[i].handle;
        }
    if (player->timed && (count > 0 || waits_for_round(player))) {
        peal_next_round_at(player->me, plan->file, line);
        player->round++;
        return true;
    }
    if (count > 0)
        peal_wait_any_at(player->me, player->handles, count, plan->file, line);
    return count > 0;
}

/* Fail if a block could not go on: its steps need one another. */
static void
check_done(const struct player *player)
{
    char where[100];

    for (int i = 0; i < player->strand_count; i++) {
        size_t next = player->strands[i].next;

        if (next < player->strands[i].end)
            peal_fail_at(player->me, PEAL_DEADLOCK, player->plan->file, player->plan->steps[next].line,
                         "%s needs a step that is never done",
                         peal_plan_where(player->plan, next, where, sizeof where));
    }
}

static void
player_run(struct player *player)
{
    bool waits = true;

    while (waits) {
        bool moved = true;

        while (moved) {
            moved = player_note_delivered(player);
            for (int i = 0; i < player->strand_count; i++)
                moved |= player_advance(player, &player->strands[i]);
        }
        waits = wait(player);
    }
    check_done(player);
}

/* ------------------------------------------------------------------ a call */

static void
player_prepare(struct player *player)
{
    const struct peal_plan *plan = player->plan;
    const struct peal_plan_node *node = &plan->node[player->rank];
    size_t steps = 0, sends = 0, blocks = (size_t)node->count;

    player->strand_count = node->count;
    player->strands = player_alloc(player->me, (blocks + 1) * sizeof *player->strands, plan->file, 0);
    player->first = blocks > 0 ? plan->blocks[node->first].first : 0;
    for (size_t b = 0; b < blocks; b++) {
        const struct peal_plan_block *block = &plan->blocks[(size_t)node->first + b];

        player->strands[b] = (struct play_strand){.next = block->first, .end = block->first + block->count};
        steps += block->count;
        for (size_t i = 0; i < block->count; i++) {
            sends += (plan->steps[block->first + i].does & PEAL_PLAN_SEND) != 0;
            player->timed |= plan->steps[block->first + i].round > 0;
        }
    }
    player->states = player_alloc(player->me, steps + 1, plan->file, 0);
    player->outgoing = player_alloc(player->me, (sends + 1) * sizeof *player->outgoing, plan->file, 0);
    player->handles = player_alloc(player->me, (sends + blocks + 1) * sizeof *player->handles, plan->file, 0);
    player->memory =
        player_alloc(player->me, (size_t)peal_plan_memory(plan, player->rank) * player->bytes + 1, plan->file, 0);
}

/* The chunks of one side that the call has words for. */
static int
chunks_of(const struct player *player, enum peal_side side)
{
    const struct peal_plan *plan = player->plan;

    if (side == PEAL_SIDE_NONE || (side == PEAL_SIDE_ROOT_BLOCKS && player->rank != plan->root))
        return 0;
    return side == PEAL_SIDE_BLOCK || side == PEAL_SIDE_VECTOR ? plan->chunks : plan->chunks * plan->nodes;
}

/* Whether the call leaves the node's own words alone. */
static bool
keeps(const struct player *player, const struct peal_form *form, const struct peal_arguments *x)
{
    struct peal_layout layout = {.nodes = player->plan->nodes, .shape = x->shape};
    struct peal_origin origin;

    layout.root = player->plan->root;
    form->origin(&layout, player->rank, 0, &origin);
    return origin.kept;
}

static void
played_call(struct peal_loaded *self, struct peal_node *me, const struct peal_form *form,
            const struct peal_arguments *x)
{
    const struct peal_plan *plan = ((const struct played *)self)->plan;
    size_t words = plan->chunks > 0 ? x->words / (size_t)plan->chunks : 0;
    struct player player = {.plan = plan,
                            .me = me,
                            .op = x->op,
                            .rank = peal_rank(me),
                            .round = 1,
                            .words = words,
                            .bytes = words * peal_word_bytes(me)};
    const void *in = form->in == PEAL_SIDE_NONE ? x->out : x->in;
    int given = chunks_of(&player, form->in == PEAL_SIDE_NONE ? form->out : form->in);
    int gives = chunks_of(&player, form->out);

    player_prepare(&player);
    for (int c = 0; c < given && in; c++)
        memcpy(chunk(&player, (struct peal_plan_place){PEAL_PLAN_INPUT, c}, 0),
               (const unsigned char *)in + (size_t)c * player.bytes, player.bytes);
    player_run(&player);
    for (int c = 0; c < gives && x->out && !keeps(&player, form, x); c++)
        memcpy((unsigned char *)x->out + (size_t)c * player.bytes,
               chunk(&player, (struct peal_plan_place){PEAL_PLAN_OUTPUT, c}, 0), player.bytes);
    peal_free(me, player.memory);
    peal_free(me, player.handles);
    peal_free(me, player.outgoing);
    peal_free(me, player.states);
    peal_free(me, player.strands);
}

static const struct peal_failure *
played_start(struct peal_loaded *self, struct peal_machine *machine, peal_program program, void *arg)
{
    (void)self;
    return peal_run(machine, program, arg);
}

/* ------------------------------------------------------------------ loading */

static void
played_unload(struct peal_loaded *self)
{
    struct played *played = (struct played *)self;

    peal_plan_destroy(played->plan);
    free(played->name);
    free(played);
}

static bool
reduces(const struct peal_plan *plan)
{
    for (size_t i = 0; i < plan->step_count; i++)
        if (plan->steps[i].does & PEAL_PLAN_REDUCE)
            return true;
    return false;
}

const struct peal_algorithm *
peal_plan_load(struct peal_plan *plan, const char *name, struct peal_error *error)
{
    struct played *played;

    if (plan->collective == PEAL_COLLECTIVES) {
        peal_refuse(error, PEAL_USAGE, "%s: %s is not a collective that Peal knows; peal import judges the schedule",
                    plan->file, plan->kind);
        return NULL;
    }
    played = calloc(1, sizeof *played);
    if (!played || !(played->name = strdup(name))) {
        free(played);
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        return NULL;
    }
    played->loaded = (struct peal_loaded){.start = played_start, .call = played_call, .unload = played_unload};
    played->algorithm = (struct peal_algorithm){.collective = plan->collective,
                                                .name = played->name,
                                                .summary = "an imported schedule",
                                                .needs = {.equal_blocks = true,
                                                          .nodes = plan->nodes,
                                                          .multiple = plan->chunks,
                                                          .commutative = reduces(plan),
                                                          .root_is = true,
                                                          .root = plan->root},
                                                .closed_on = "",
                                                .loaded = &played->loaded};
    if (peal_algorithm_add(&played->algorithm, error) != PEAL_OK) {
        free(played->name);
        free(played);
        return NULL;
    }
    played->plan = plan;
    return &played->algorithm;
}

const struct peal_plan *
peal_plan_of(const struct peal_algorithm *algorithm)
{
    if (!algorithm->loaded || algorithm->loaded->call != played_call)
        return NULL;
    return ((const struct played *)algorithm->loaded)->plan;
}
