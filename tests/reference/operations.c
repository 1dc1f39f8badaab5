/* SPDX-License-Identifier: MIT */
/* The operations of a script, each made with the public API. */
#include "operations.h"

#include <peal/author.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t untouched = UINT64_MAX, overwritten = UINT64_MAX - 1;

static uint64_t *
word(const struct posted *p, size_t i)
{
    const struct peal_piece *piece = p->piece;

    for (; i >= piece->words; piece++)
        i -= piece->words;
    return (uint64_t *)piece->data + i;
}

static void
fill(const struct posted *p, uint64_t first, uint64_t step)
{
    for (size_t i = 0; i < p->words; i++)
        *word(p, i) = first + i * step;
}

/* Make a message of `count` pieces, the last one the longest. */
static struct posted *
prepare(struct player *player, bool send, int words, int count)
{
    struct posted *p = &player->table->posted[player->table->posted_count++];

    *p = (struct posted){.view = player->me, .send = send, .words = (size_t)words};
    for (int i = 0; i < count; i++) {
        int some = i < count - 1 ? words / count : words - words / count * (count - 1);
        p->piece[i].words = (size_t)some;
        p->piece[i].data = peal_alloc(player->table->world, (size_t)some); /* it may outlive a strand */
    }
    if (send)
        fill(p, (uint64_t)(peal_rank(player->table->world) + 1) << 40 | (uint64_t)player->op->line << 20, 1);
    else
        fill(p, untouched, 0);
    return p;
}

static void
post(struct player *player, bool send, int handle, int peer, int words, int tag, int pieces)
{
    struct peal_node *me = player->me;
    int line = player->op->line, count = pieces > 0 ? pieces : 1;
    struct posted *p = prepare(player, send, words, count);

    if (pieces > 0)
        p->handle = send ? peal_sendv_async_at(me, p->piece, count, peer, tag, "script", line)
                         : peal_recvv_async_at(me, p->piece, count, peer, tag, "script", line);
    else
        p->handle = send ? peal_send_async_at(me, p->piece[0].data, p->words, peer, tag, "script", line)
                         : peal_recv_async_at(me, p->piece[0].data, p->words, peer, tag, "script", line);
    p->open = true;
    player->table->by_handle[handle] = (int)(p - player->table->posted);
    player->table->source[handle] = 0;
}

/* Write whose words a buffer holds: "RANK.LINE" of the send, "-" for none; check that no others were touched. */
static const char *
content(const struct posted *p, size_t words, char *text, size_t bytes)
{
    uint64_t first = words > 0 ? *word(p, 0) : 0;

    snprintf(text, bytes, "-");
    if (words > 0)
        snprintf(text, bytes, "%d.%d", (int)(first >> 40) - 1, (int)(first >> 20 & 0xfffff));
    for (size_t i = 0; i < p->words; i++)
        if (*word(p, i) != (i < words ? first + i : untouched))
            snprintf(text, bytes, "spoilt-at-%zu", i);
    return text;
}

static void
tell(struct player *player, struct posted *p, int handle, struct peal_message message)
{
    char text[40];

    p->open = false;
    if (p->cancelled || p->apart || p->lenient || p->one_sided) {
        peal_printf(player->me, "%d %d over\n", peal_rank(player->table->world), player->op->line);
        return;
    }
    if (p->send) {
        fill(p, overwritten, 0);
        peal_printf(player->me, "%d %d sent %d %d %zu\n", peal_rank(player->table->world), player->op->line,
                    message.source, message.tag, message.words);
        return;
    }
    if (handle >= 0)
        player->table->source[handle] = message.source;
    peal_printf(player->me, "%d %d received %d %d %zu %s\n", peal_rank(player->table->world), player->op->line,
                message.source, message.tag, message.words, content(p, message.words, text, sizeof text));
}

static uint64_t
checksum(const struct posted *p)
{
    uint64_t sum = 0;

    for (size_t i = 0; p->gets && i < p->words; i++)
        sum = sum * 31 + (p->result ? p->result[i] : *word(p, i));
    return sum;
}

/* All of an envelope. */
static void
tell_all(struct player *player, struct posted *p, int handle, struct peal_envelope e)
{
    struct peal_node *me = player->me;
    int rank = peal_rank(player->table->world), line = player->op->line;
    char text[40];

    if (p)
        p->open = false;
    player->tested = !e.cancelled;
    if (e.cancelled) {
        peal_printf(me, "%d %d cancelled\n", rank, line);
    } else if (p && p->one_sided) {
        peal_printf(me, "%d %d accessed %llu\n", rank, line, (unsigned long long)checksum(p));
    } else if (p && p->send) {
        fill(p, overwritten, 0);
        peal_printf(me, "%d %d done %d %d %zu %zu %llu\n", rank, line, e.source, e.tag, e.words, e.delivered,
                    (unsigned long long)e.note);
    } else {
        if (handle >= 0)
            player->table->source[handle] = e.source;
        peal_printf(me, "%d %d got %d %d %zu %zu %llu%s%s\n", rank, line, e.source, e.tag, e.words, e.delivered,
                    (unsigned long long)e.note, p && !p->apart ? " " : "",
                    p && !p->apart ? content(p, e.delivered, text, sizeof text) : "");
    }
}

/* The request that the name means when an operation begins: another strand may give the name to another one
 * meanwhile. */
static struct posted *
posted_as(const struct player *player, int handle)
{
    int i = player->table->by_handle[handle];

    return i >= 0 ? &player->table->posted[i] : NULL;
}

static struct peal_handle
handle_of(const struct player *player, int handle)
{
    const struct posted *p = posted_as(player, handle);

    return p ? p->handle : (struct peal_handle){0, 0};
}

static void
wait_all(struct player *player)
{
    struct peal_node *me = player->me;
    char text[40];

    peal_wait_all_at(me, "script", player->op->line);
    for (struct posted *p = player->table->posted; p < player->table->posted + player->table->posted_count; p++) {
        if (!p->open || p->view != me)
            continue;
        p->open = false;
        if (p->cancelled || p->apart || p->one_sided)
            continue;
        if (p->send) {
            fill(p, overwritten, 0);
            continue;
        }
        size_t words = 0;
        while (words < p->words && *word(p, words) != untouched)
            words++;
        peal_printf(me, "%d %d holds %zu %s\n", peal_rank(player->table->world), player->op->line, words,
                    content(p, words, text, sizeof text));
    }
    peal_printf(me, "%d %d all\n", peal_rank(player->table->world), player->op->line);
}

static void
test(struct player *player, int handle, bool again)
{
    struct posted *p = posted_as(player, handle);
    const struct peal_handle request = handle_of(player, handle);
    struct peal_node *me = player->me;
    struct peal_message message;
    bool answer;

    do
        answer = peal_test_at(me, request, &message, "script", player->op->line);
    while (again && !answer);
    if (!again)
        player->tested = answer;
    if (answer)
        tell(player, p, handle, message);
    else
        peal_printf(me, "%d %d false\n", peal_rank(player->table->world), player->op->line);
}

static void
sendrecv(struct player *player, const int *a)
{
    struct posted *out = prepare(player, true, a[1], 1), *in = prepare(player, false, a[4], 1);
    struct peal_message message =
        peal_sendrecv_at(player->me, out->piece[0].data, out->words, a[0], a[2], in->piece[0].data, in->words, a[3],
                         a[5], "script", player->op->line);

    fill(out, overwritten, 0);
    tell(player, in, -1, message);
}

/* ------------------------------------------------------------------ operations of <peal/post.h> */

static void
keep(struct player *player, int handle, struct posted *p, const struct peal_post *post)
{
    p->handle = peal_post_at(player->me, post, "script", player->op->line);
    p->open = true;
    player->table->by_handle[handle] = (int)(p - player->table->posted);
    player->table->source[handle] = 0;
}

static void
post_send(struct player *player, const int *a)
{
    static const enum peal_send_mode modes[] = {PEAL_STANDARD, PEAL_SYNCHRONOUS, PEAL_READY, PEAL_BUFFERED};
    struct posted *p = prepare(player, true, a[2], 1 + a[2] % 2);
    struct peal_post post = {.kind = PEAL_POST_SEND,
                             .mode = modes[a[5]],
                             .pieces = p->piece,
                             .piece_count = 1 + a[2] % 2,
                             .peer = a[1],
                             .tag = a[3],
                             .note = (uint64_t)a[4]};

    keep(player, a[0], p, &post);
}

static void
post_receive(struct player *player, const int *a, bool found)
{
    int words = a[found ? 1 : 2];
    struct posted *p = prepare(player, false, words, 1 + words % 2);
    struct peal_post post = {
        .kind = PEAL_POST_RECEIVE, .pieces = p->piece, .piece_count = 1 + words % 2, .peer = a[1], .tag = a[3]};

    if (found) {
        const struct posted *probe =
            player->table->by_handle[a[2]] >= 0 ? &player->table->posted[player->table->by_handle[a[2]]] : NULL;

        post.message = probe ? probe->message : PEAL_NO_HANDLE;
        if (post.message.slot == 0) /* one that nobody gave */
            post.message = (struct peal_handle){1, 1};
        post.peer = post.tag = 0;
    }
    post.lenient = p->lenient = !found && a[4];
    keep(player, a[0], p, &post);
}

static void
post_probe(struct player *player, const int *a)
{
    struct posted *p = prepare(player, false, 0, 1);
    struct peal_post post = {.kind = a[3] ? PEAL_POST_MATCHED_PROBE : PEAL_POST_PROBE, .peer = a[1], .tag = a[2]};

    p->apart = true;
    keep(player, a[0], p, &post);
}

static void
look(struct player *player, const int *a)
{
    struct peal_post post = {.kind = PEAL_POST_PROBE, .peer = a[0], .tag = a[1]};
    struct peal_envelope envelope;
    bool found = peal_probe_now_at(player->me, &post, &envelope, "script", player->op->line);

    if (found)
        tell_all(player, NULL, -1, envelope);
    else
        peal_printf(player->me, "%d %d false\n", peal_rank(player->table->world), player->op->line);
    player->tested = found;
}

static void
finish(struct player *player, int handle)
{
    struct posted *p = posted_as(player, handle);
    struct peal_envelope envelope =
        peal_wait_envelope_at(player->me, handle_of(player, handle), "script", player->op->line);

    p->message = envelope.message;
    tell_all(player, p, handle, envelope);
}

/* Of so many handles, those that are not 0. */
static void
choose(const struct player *player, const int *a, int count, struct peal_handle *handles)
{
    for (int i = 0; i < count; i++) {
        handles[i] = a[i] ? handle_of(player, a[i]) : PEAL_NO_HANDLE;
        if (a[i] && handles[i].slot == 0)
            handles[i].slot = 1; /* one that nobody gave */
    }
}

/* ------------------------------------------------------------------ one-sided operations */

static void
add(void *memory, void *words, void *result, size_t count, void *closure)
{
    uint64_t *to = memory;
    const uint64_t *from = words;
    uint64_t *before = result;

    (void)closure;
    for (size_t i = 0; i < count; i++) {
        if (before)
            before[i] = to[i];
        to[i] += from[i];
    }
}

/* put, get and add. */
static void
access_memory(struct player *player, enum peal_post_kind kind, const int *a)
{
    bool adds = kind == PEAL_POST_UPDATE, gets = kind == PEAL_POST_GET || (adds && a[4]);
    int pieces = adds ? 1 : 1 + a[2] % 2, rank = a[1] >= 0 && a[1] < peal_size(player->me) ? a[1] : 0;
    int at = a[3] % SCRIPT_MEMORY, words = a[2] < SCRIPT_MEMORY - at ? a[2] : SCRIPT_MEMORY - at;
    struct posted *p = prepare(player, true, words, pieces);
    uint64_t *memory = player->table->memories[peal_rank_in_world(player->me, rank)] + at;
    struct peal_post post = {.kind = adds && !gets ? PEAL_POST_PUT : kind,
                             .pieces = p->piece,
                             .piece_count = pieces,
                             .peer = a[1],
                             .remote = {.memory = memory, .apply = adds ? add : NULL}};

    p->one_sided = true;
    p->gets = gets;
    if (adds && gets) {
        post.remote.result = peal_alloc(player->me, p->words);
        post.remote.result_words = p->words;
        p->result = post.remote.result;
    }
    keep(player, a[0], p, &post);
}

static void
lock(struct player *player, const int *a)
{
    struct posted *p = prepare(player, true, 0, 1);
    struct peal_post post = {.kind = PEAL_POST_LOCK, .peer = a[1], .tag = a[2], .shared = a[3]};

    p->one_sided = true;
    keep(player, a[0], p, &post);
}

static void
unlock(struct player *player, const int *a)
{
    const struct posted *held =
        player->table->by_handle[a[1]] >= 0 ? &player->table->posted[player->table->by_handle[a[1]]] : NULL;
    struct peal_handle handle = held && held->message.slot ? held->message : (struct peal_handle){1, 1};
    struct posted *p = prepare(player, true, 0, 1);
    struct peal_post post = {.kind = PEAL_POST_UNLOCK, .message = handle};

    p->one_sided = true;
    keep(player, a[0], p, &post);
}

static void
print_memory(struct player *player)
{
    const struct posted all = {.gets = true, .words = SCRIPT_MEMORY, .result = player->table->memory};

    peal_printf(player->me, "%d %d memory %llu\n", peal_rank(player->table->world), player->op->line,
                (unsigned long long)checksum(&all));
}

static bool
execute_one_sided(struct player *player, const char *name, const int *a)
{
    if (strcmp(name, "put") == 0)
        access_memory(player, PEAL_POST_PUT, a);
    else if (strcmp(name, "get") == 0)
        access_memory(player, PEAL_POST_GET, a);
    else if (strcmp(name, "add") == 0)
        access_memory(player, PEAL_POST_UPDATE, a);
    else if (strcmp(name, "lock") == 0)
        lock(player, a);
    else if (strcmp(name, "unlock") == 0)
        unlock(player, a);
    else if (strcmp(name, "memory") == 0)
        print_memory(player);
    else
        return false;
    return true;
}

static bool
execute_post(struct player *player, const char *name, const int *a)
{
    struct peal_node *me = player->me;
    int rank = peal_rank(player->table->world), line = player->op->line;
    struct peal_handle handles[3];

    if (strcmp(name, "post") == 0) {
        post_send(player, a);
    } else if (strcmp(name, "take") == 0) {
        post_receive(player, a, false);
    } else if (strcmp(name, "receive") == 0) {
        post_receive(player, a, true);
    } else if (strcmp(name, "probe") == 0) {
        post_probe(player, a);
    } else if (strcmp(name, "look") == 0) {
        look(player, a);
    } else if (strcmp(name, "finish") == 0) {
        finish(player, a[0]);
    } else if (strcmp(name, "any") == 0) {
        choose(player, a, 3, handles);
        peal_printf(me, "%d %d any %d\n", rank, line, peal_wait_any_at(me, handles, 3, "script", line));
    } else if (strcmp(name, "ask") == 0) {
        choose(player, a + 1, 3, handles);
        int complete = peal_count_complete_at(me, handles, 3, a[0], "script", line);

        player->tested = complete >= a[0];
        peal_printf(me, "%d %d asked %d\n", rank, line, complete);
    } else if (strcmp(name, "cancel") == 0) {
        struct posted *p = posted_as(player, a[0]);

        peal_cancel_at(me, handle_of(player, a[0]), "script", line);
        p->cancelled = true;
    } else if (strcmp(name, "let-go") == 0) {
        struct posted *p = posted_as(player, a[0]);

        peal_detach_at(me, handle_of(player, a[0]), "script", line);
        p->open = false;
    } else if (strcmp(name, "settle") == 0) {
        peal_wait_detached_at(me, "script", line);
    } else if (strcmp(name, "sleep") == 0) {
        peal_sleep_at(me, "script", line);
    } else if (strcmp(name, "join") == 0) {
        peal_join_at(me, player->table->strands[a[0]], "script", line);
        peal_printf(me, "%d %d joined\n", rank, line);
    } else if (strcmp(name, "jointest") == 0) {
        player->tested = peal_join_test_at(me, player->table->strands[a[0]], "script", line);
        peal_printf(me, "%d %d %s\n", rank, line, player->tested ? "joined" : "false");
    } else if (strcmp(name, "meet") == 0) {
        int64_t mine = peal_rank(me), *all = peal_alloc(me, (size_t)peal_size(me));

        peal_meet_at(me, &(struct peal_meeting){.number = a[0], .mine = &mine, .all = all, .bytes = sizeof mine},
                     "script", line);
        for (int i = 0; i < peal_size(me); i++)
            if (all[i] != i)
                script_give_up("not what the others brought", name);
        peal_printf(me, "%d %d met\n", rank, line);
    } else {
        return false;
    }
    return true;
}

const char *
operation_name(const struct script_operation *op)
{
    return strncmp(op->name, "g:", 2) == 0 ? op->name + 2 : op->name;
}

void
operation_execute(struct player *player, const int *a)
{
    struct peal_node *me = player->me;
    const char *name = operation_name(player->op);
    int line = player->op->line;

    if (strcmp(name, "isend") == 0)
        post(player, true, a[0], a[1], a[2], a[3], a[4]);
    else if (strcmp(name, "irecv") == 0)
        post(player, false, a[0], a[1], a[2], a[3], a[4]);
    else if (strcmp(name, "wait") == 0) {
        struct posted *p = posted_as(player, a[0]);
        struct peal_message message = peal_wait_at(me, handle_of(player, a[0]), "script", line);

        tell(player, p, a[0], message);
    } else if (strcmp(name, "waitall") == 0)
        wait_all(player);
    else if (strcmp(name, "test") == 0)
        test(player, a[0], false);
    else if (strcmp(name, "poll") == 0)
        test(player, a[0], true);
    else if (strcmp(name, "rest") == 0)
        peal_next_round_at(me, "script", line);
    else if (strcmp(name, "compute") == 0)
        peal_compute_at(me, a[0], "script", line);
    else if (strcmp(name, "send") == 0) {
        struct posted *p = prepare(player, true, a[1], 1);
        peal_send_at(me, p->piece[0].data, p->words, a[0], a[2], "script", line);
        fill(p, overwritten, 0);
    } else if (strcmp(name, "recv") == 0) {
        struct posted *p = prepare(player, false, a[1], 1);
        tell(player, p, -1, peal_recv_at(me, p->piece[0].data, p->words, a[0], a[2], "script", line));
    } else if (strcmp(name, "sendrecv") == 0)
        sendrecv(player, a);
    else if (strcmp(name, "barrier") == 0)
        peal_barrier_at(me, NULL, "script", line);
    else if (strcmp(name, "clock") == 0)
        peal_printf(me, "%d %d clock %.17g\n", peal_rank(player->table->world), line, peal_clock(me));
    else if (strcmp(name, "abort") == 0)
        peal_abort_at(me, "the script says so", "script", line);
    else if (!execute_post(player, name, a) && !execute_one_sided(player, name, a))
        script_give_up("not an operation", name);
}
