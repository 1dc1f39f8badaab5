/* SPDX-License-Identifier: MIT */
/* Every call that is a macro, made once: they must expand to what strict C17 and C++17 take.  Compiled, never run. */
#ifndef CALLS_C
#define CALLS_C

#include <peal/peal.h>

void calls(struct peal_node *me, const struct peal_op *op);

void
calls(struct peal_node *me, const struct peal_op *op)
{
    double a[4] = {0, 0, 0, 0}, b[4] = {0, 0, 0, 0};
    size_t words[1] = {1};
    int to[1] = {0};
    struct peal_piece pieces[2] = {{a, 1}, {b, 1}};
    struct peal_message message = peal_wait(me, peal_send_async(me, a, 1, 0));
    struct peal_handle handle = peal_send_async_tag(me, a, 1, 0, 1);

    handle = peal_recv_async(me, b, 1, PEAL_ANY_SOURCE);
    handle = peal_recv_async_tag(me, b, 1, 0, PEAL_ANY_TAG);
    handle = peal_sendv_async(me, pieces, 2, 0);
    handle = peal_sendv_async_tag(me, pieces, 2, 0, 1);
    handle = peal_recvv_async(me, pieces, 2, 0);
    handle = peal_recvv_async_tag(me, pieces, 2, 0, 1);
    if (peal_test(me, handle) || peal_test_message(me, handle, &message))
        peal_next_round(me);
    peal_wait_all(me);
    peal_send(me, a, 1, 0);
    peal_send_tag(me, a, 1, 0, 1);
    message = peal_recv(me, a, 1, 0);
    message = peal_recv_tag(me, a, 1, 0, 1);
    message = peal_sendrecv(me, a, 1, 0, b, 1, 0);
    message = peal_sendrecv_tag(me, a, 1, 0, 1, b, 1, 0, 1);
    (void)message;
    peal_free(me, peal_alloc(me, 1));
    peal_compute(me, 1);
    peal_printf(me, "%d\n", peal_rank(me));
    me = peal_split(me, 0, 0);

    peal_reduce(me, op, a, 4, 0);
    peal_reduce_by(me, "binomial", PEAL_SUM_DOUBLE, a, 4, 0);
    peal_broadcast(me, a, 4, 0);
    peal_broadcast_by(me, "binomial", a, 4, 0);
    peal_gather(me, a, 1, 0, b);
    peal_gather_by(me, "binomial", a, 1, 0, b);
    peal_scatter(me, a, 1, 0, peal_block(b, 1, 0));
    peal_scatter_by(me, "binomial", a, 1, 0, b);
    peal_allgather(me, a, 1, b);
    peal_alltoall(me, a, 1, b);
    peal_alltoall_by(me, "shift", a, 1, b);
    peal_allgather_by(me, "ring", a, 1, b);
    peal_reduce_scatter(me, op, a, 1, b);
    peal_reduce_scatter_by(me, "ring", op, a, 1, b);
    peal_allreduce(me, op, a, 4);
    peal_allreduce_by(me, "reduce-broadcast", op, a, 4);
    peal_scan(me, op, a, 4);
    peal_scan_by(me, "shift-doubling", op, a, 4);
    peal_exscan(me, op, a, 4);
    peal_exscan_by(me, "shift-doubling", op, a, 4);
    peal_shift(me, a, 4, -1, b);
    peal_shift_by(me, "direct", a, 4, 1, b);
    peal_multicast(me, a, 4, 0, to, 1);
    peal_multicast_by(me, "linear", a, 4, 0, to, 1);
    peal_scatterv(me, a, words, 0, b);
    peal_scatterv_by(me, "binomial", a, words, 0, b);
    peal_gatherv(me, a, words, 0, b);
    peal_gatherv_by(me, "binomial", a, words, 0, b);
    peal_allgatherv(me, a, words, b);
    peal_allgatherv_by(me, "ring", a, words, b);
    peal_reduce_scatterv(me, op, a, words, b);
    peal_reduce_scatterv_by(me, "ring", op, a, words, b);
    peal_alltoallv(me, a, words, b, words);
    peal_alltoallv_by(me, "shift", a, words, b, words);
    peal_barrier(me);
    peal_barrier_by(me, "dissemination");
    peal_abort(me, "the end");
}

#endif
