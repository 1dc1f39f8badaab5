/* SPDX-License-Identifier: MIT */
/* Near misses: everything here is allowed. */
#include <alloca.h>
#include <peal/author.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t primes[] = {2, 3, 5, 7};
static uint64_t rounds;
static _Thread_local uint64_t calls;

struct padded {
    char letter;
    double number;
};

/* A parameter whose address is taken was written by the caller. */
static void
send_number(struct peal_node *me, int64_t number, int to)
{
    peal_send(me, &number, 1, to);
}

static int64_t
receive_number(struct peal_node *me, int from)
{
    int64_t number;

    peal_recv(me, &number, 1, from);
    return number;
}

static int
by_value(const void *left, const void *right)
{
    const uint64_t *l = left, *r = right;

    return *l < *r ? -1 : *l > *r;
}

/* Frames that lie where others lay before, with buffers in them; a buffer that is read while it is sent. */
static uint64_t
deep(struct peal_node *me, int depth, int to, int from)
{
    uint64_t out[5], in[5], sum = 0;

    for (int i = 0; i < 5; i++)
        out[i] = (uint64_t)(depth + i);
    struct peal_handle handles[2] = {peal_send_async(me, out, 5, to), peal_recv_async(me, in, 5, from)};

    for (int i = 0; i < 5; i++)
        sum += out[i];
    peal_wait(me, handles[1]);
    for (int i = 0; i < 5; i++)
        sum -= in[i];
    peal_wait(me, handles[0]);
    out[0] = in[0];
    return depth > 0 ? sum + deep(me, depth - 1, to, from) : sum + out[0];
}

static void
texts(struct peal_node *me, int to, int from)
{
    char text[64], got[64];
    uint64_t number;
    double value = -1;
    struct padded padded = {'x', 2.5}, other;

    snprintf(text, sizeof text, "%d", peal_rank(me) + 100000000);
    sscanf("17", "%lu", &number);
    peal_sendrecv(me, &number, 1, to, &rounds, 1, from);
    peal_sendrecv(me, (void *)text, 2, to, (void *)got, 2, from);
    peal_sendrecv(me, &value, 1, to, (void *)got, 1, from);
    peal_sendrecv(me, &padded, 2, to, &other, 2, from);
    strcat(strcpy(got, text), "!");
}

static void
blocks(struct peal_node *me, int to, int from)
{
    int P = peal_size(me);
    size_t words = 3 + (size_t)P;
    uint64_t *list = malloc(words * sizeof *list), *more = calloc(4, sizeof *more), *scratch = peal_scratch(me, 2);
    uint64_t *local = alloca(words * sizeof *local), token;
    char *odd = malloc(13);

    for (size_t i = 0; i < words; i++)
        list[i] = (uint64_t)(P - (int)i);
    memset(odd, 'o', 13);
    memcpy(local, list, words * sizeof *list);
    list = realloc(list, 2 * words * sizeof *list);
    qsort(list, words, sizeof *list, by_value);
    peal_sendrecv(me, list, words, to, local, 2 * words, from); /* at most: what comes fits */
    memset(scratch, 0, 16);
    scratch[1] = odd[12] == 'o' ? primes[3] : 0;
    peal_sendrecv(me, scratch, 2, to, more, 4, from);
    peal_sendrecv(me, more + 2, 2, to, list, 2, from); /* calloc's zeros */
    for (int i = 0; i < P; i++) { /* one buffer to all, all into one that is not read */
        peal_send_async(me, list, 1, i);
        peal_recv_async(me, &token, 1, i);
    }
    peal_wait_all(me);
    if (!peal_test(me, peal_recv_async(me, local, 0, to)) || true)
        peal_send_async(me, more + 4, 0, from); /* no words, at the end */
    peal_wait_all(me);
    free(list);
    free(more);
    free(odd);
}

void
my_barrier(struct peal_node *me)
{
    int P = peal_size(me), to = (peal_rank(me) + 1) % P, from = (peal_rank(me) + P - 1) % P;

    rounds++;
    calls++;
    peal_barrier(me);
    if (P > 1 && peal_rank(me) % 2 == 0 && to != 0) {
        send_number(me, -1, to);
        send_number(me, -1, to);
    }
    if (peal_rank(me) % 2 == 1)
        peal_compute(me, receive_number(me, from) * receive_number(me, from));
    peal_compute(me, (int64_t)(deep(me, 3, to, from) % 2));
    texts(me, to, from);
    blocks(me, to, from);
    texts(me, to, from);
}
