/* SPDX-License-Identifier: MIT */
/* Programs whose nodes send the same messages again and again, or to themselves. */
#include "repeats.h"
#include <stdbool.h>
#include <string.h>

/* By rank, each where it always is. */
static int64_t words_out[8][8], words_in[8][8];

static int
neighbour(struct peal_node *me, int by)
{
    return (peal_rank(me) + peal_size(me) + by) % peal_size(me);
}

/* The received message must be the `turn`-th of the neighbour to the left; clears it. */
static void
look_at(struct peal_node *me, int turn)
{
    for (int i = 0; i < 4; i++)
        if (words_in[peal_rank(me)][i] != neighbour(me, -1) * 1000 + turn)
            peal_abort(me, "a wrong word");
    memset(words_in[peal_rank(me)], 0, sizeof words_in[0]);
}

static void
prepare_for(struct peal_node *me, int turn)
{
    for (int i = 0; i < 4; i++)
        words_out[peal_rank(me)][i] = peal_rank(me) * 1000 + turn;
}

/* The first of two that are a pair sends first; both receive what the other sent. */
static void
exchange_blocking(struct peal_node *me, int turn, int tag)
{
    bool first = peal_rank(me) % 2 == 0;

    prepare_for(me, turn);
    if (first)
        peal_send_tag(me, words_out[peal_rank(me)], 4, neighbour(me, 1), tag);
    peal_recv_tag(me, words_in[peal_rank(me)], 4, neighbour(me, -1), tag);
    if (!first)
        peal_send_tag(me, words_out[peal_rank(me)], 4, neighbour(me, 1), tag);
    look_at(me, turn);
}

/* One turn of the ring, with each way to wait; `late`: the message arrives when the node polls less often. */
static void
shift_once(struct peal_node *me, int turn, bool late)
{
    struct peal_handle send, receive;
    size_t words = 4;

    prepare_for(me, turn);
    if (turn % 2)
        receive = peal_recv_async(me, words_in[peal_rank(me)], 4, neighbour(me, -1));
    if (late && peal_rank(me) % 2)
        compute_for(0.002);
    send = peal_send_async(me, words_out[peal_rank(me)], 4, neighbour(me, 1));
    if (turn % 2 == 0)
        receive = peal_recv_async(me, words_in[peal_rank(me)], 4, neighbour(me, -1));
    switch (turn / 2 % 4) {
    case 0:
    case 1:
        peal_wait_all(me);
        break;
    case 2:
        peal_wait(me, send);
        words = peal_wait(me, receive).words;
        break;
    default:
        words = peal_wait(me, receive).words;
        peal_wait_all(me);
    }
    if (words != 4)
        peal_abort(me, "a wrong length");
    look_at(me, turn);
}

/* Two receives alike at once. */
static void
shift_twice(struct peal_node *me)
{
    for (int i = 0; i < 2; i++)
        peal_recv_async(me, words_in[peal_rank(me)], 0, neighbour(me, -1));
    for (int i = 0; i < 2; i++)
        peal_send_async(me, words_out[peal_rank(me)], 0, neighbour(me, 1));
    peal_wait_all(me);
}

static void
repeat_messages(struct peal_node *me)
{
    for (int turn = 0; turn < 24; turn++)
        exchange_blocking(me, turn, turn / 20 * 64);
    for (int turn = 0; turn < 60; turn++)
        shift_once(me, turn, turn > 40);
    for (int turn = 0; turn < 20; turn++)
        shift_twice(me);
    for (int turn = 0; turn < 20; turn++)
        exchange_blocking(me, turn, 0);
}

/* Ends well, on all nodes, on a group with the same ranks and on all again. */
void
repeated_messages(struct peal_node *me, void *arg)
{
    (void)arg;
    repeat_messages(me);
    repeat_messages(peal_split(me, 0, 0));
    repeat_messages(me);
}

/* The receive is under way when the node ends. */
void
not_waited_for(struct peal_node *me, void *arg)
{
    (void)arg;
    repeat_messages(me);
    if (peal_rank(me) == 1)
        peal_recv_async(me, words_in[peal_rank(me)], 4, 0);
}

/* The message that arrives when the node has ended is too long for a pending receive. */
void
too_long_at_the_end(struct peal_node *me, void *arg)
{
    (void)arg;
    repeat_messages(me);
    if (peal_rank(me) == 1) {
        peal_recv_async(me, words_in[1], 4, 0);
        compute_for(0.02);
    }
    if (peal_rank(me) == 0)
        peal_send_async(me, words_out[0], 8, 1);
}

/* Into what was the stack of a node that has ended. */
void
comes_too_late(struct peal_node *me, void *arg)
{
    int64_t y[1024];

    (void)arg;
    memset(y, 0x41, sizeof y);
    if (peal_rank(me) == 1) {
        peal_recv_async(me, y, 1024, 0);
        peal_abort(me, "no more");
    }
    if (peal_rank(me) == 0) {
        compute_for(0.05);
        peal_send_async(me, y, 1024, 1);
        peal_wait_all(me);
    }
}

static struct peal_handle old_handles[8];

/* Its handles are to be none of the next run's. */
void
keeps_a_handle(struct peal_node *me, void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        struct peal_handle handle = peal_recv_async(me, words_in[peal_rank(me)], 4, neighbour(me, -1));

        if (i == 1)
            old_handles[peal_rank(me)] = handle;
        peal_send_async(me, words_out[peal_rank(me)], 4, neighbour(me, 1));
        peal_wait_all(me);
    }
}

void
uses_the_handle(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_recv_async(me, words_in[peal_rank(me)], 4, neighbour(me, -1));
    peal_send_async(me, words_out[peal_rank(me)], 4, neighbour(me, 1));
    peal_wait(me, old_handles[peal_rank(me)]);
    peal_wait_all(me);
}

void
waited_for_twice(struct peal_node *me, void *arg)
{
    struct peal_handle handle;

    (void)arg;
    repeat_messages(me);
    handle = peal_recv_async(me, words_in[peal_rank(me)], 4, neighbour(me, -1));
    peal_send_async(me, words_out[peal_rank(me)], 4, neighbour(me, 1));
    peal_wait_all(me);
    peal_wait(me, handle);
}

/* More than MPI has places for, while no node receives. */
void
floods(struct peal_node *me, void *arg)
{
    int64_t x[4] = {0};

    (void)arg;
    for (int i = 0; i < 500; i++)
        peal_send_async(me, x, 4, (peal_rank(me) + 1) % peal_size(me));
    peal_recv_tag(me, x, 4, (peal_rank(me) + 1) % peal_size(me), 9);
}

void
to_oneself(struct peal_node *me, void *arg)
{
    int64_t x[4] = {0}, y[4];

    (void)arg;
    for (int i = 0; i < 20; i++) {
        peal_recv_async(me, y, 4, peal_rank(me));
        peal_send_async(me, x, 4, peal_rank(me));
        peal_wait_all(me);
    }
    if (peal_rank(me) == 1)
        peal_send(me, x, 4, peal_rank(me));
}

/* MPICH's send to the own process in a communicator of one waits for the receive, also where there are no words. */
void
nothing_to_oneself(struct peal_node *me, void *arg)
{
    struct peal_node *alone = peal_split(me, peal_rank(me), 0);
    struct peal_handle handle = peal_send_async(alone, NULL, 0, 0);

    (void)arg;
    peal_recv(alone, NULL, 0, 0);
    peal_wait(alone, handle);
    if (peal_rank(me) == 1)
        peal_send(alone, NULL, 0, 0);
}
