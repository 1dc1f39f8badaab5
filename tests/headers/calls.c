/* SPDX-License-Identifier: MIT */
/* Every call that is a macro, made once: they must expand to strict C17 and C++17.  Compiled, never run. */
#ifndef CALLS_C
#define CALLS_C

#include <peal/peal.h>

void calls(struct peal_node *me, const struct peal_op *op);

void
calls(struct peal_node *me, const struct peal_op *op)
{
    double a[4] = {0, 0, 0, 0}, b[4] = {0, 0, 0, 0};
    const double *in = a;
    double *out = b;
    size_t words[1] = {1}, *send = words, *receive = words, m = 1, n = 4;
    int to[1] = {0}, root = 0, by = -1, count = 1;
    const char *algorithm = "binomial";
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

    peal_scatter(me, a, m, root, peal_block(b, 1, 0));
    peal_reduce(me, PEAL_SUM_DOUBLE, a, n, root);
#include "calls.inc" /* tests/calls.py macros */
    peal_abort(me, "the end");
}

#endif
