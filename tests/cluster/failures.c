/* SPDX-License-Identifier: MIT */
/* Run as the processes of an MPI job: programs that fail, each on the engine mpi and on threads; the documents must be
 * the same to the byte but for the engine and the host, with the message, what every node waits for, its line, and the
 * cycle. After each failure the next program runs on the same machine. */
#include "repeats.h"
#include <peal/tools.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* ------------------------------------------------------------------ programs */

static void
ring_of_receives(struct peal_node *me, void *arg)
{
    int64_t x[4] = {0};

    (void)arg;
    peal_barrier(me);
    peal_recv(me, x, 4, (peal_rank(me) + 1) % peal_size(me));
    peal_send(me, x, 4, (peal_rank(me) + peal_size(me) - 1) % peal_size(me));
}

/* MPI would buffer these. */
static void
sends_before_receives(struct peal_node *me, void *arg)
{
    int64_t x = peal_rank(me), y;

    (void)arg;
    peal_send(me, &x, 1, (peal_rank(me) + 1) % peal_size(me));
    peal_recv(me, &y, 1, (peal_rank(me) + peal_size(me) - 1) % peal_size(me));
}

static void
partner_that_has_ended(struct peal_node *me, void *arg)
{
    int64_t x;

    (void)arg;
    if (peal_rank(me) == 1)
        peal_recv_tag(me, &x, 1, 0, 7);
}

static void
any_source_in_vain(struct peal_node *me, void *arg)
{
    int64_t x = 1;

    (void)arg;
    if (peal_rank(me) == 0) {
        peal_recv(me, &x, 1, PEAL_ANY_SOURCE);
        peal_recv(me, &x, 1, PEAL_ANY_SOURCE);
    } else if (peal_rank(me) == 1) {
        peal_send(me, &x, 1, 0);
    }
}

static void
too_long(struct peal_node *me, void *arg)
{
    int64_t x[8] = {0};

    (void)arg;
    if (peal_rank(me) == 0)
        peal_send(me, x, 8, 1);
    else if (peal_rank(me) == 1)
        peal_recv(me, x, 4, 0);
}

/* A message that is too long, in one wait for a send and a receive. */
static void
too_long_of_two(struct peal_node *me, void *arg)
{
    int64_t out[4] = {0}, in[4];
    int other = peal_rank(me) ^ 1;

    (void)arg;
    if (peal_rank(me) > 1)
        return;
    peal_recv_async(me, in, peal_rank(me) == 1 ? 2 : 4, other);
    peal_send_async(me, out, 4, other);
    peal_wait_all(me);
    peal_recv(me, in, 1, other);
}

static void
no_such_rank(struct peal_node *me, void *arg)
{
    int64_t x = 0;

    (void)arg;
    peal_barrier(me);
    if (peal_rank(me) == 1)
        peal_send(me, &x, 1, 99);
    peal_barrier(me);
}

static void
waits_twice(struct peal_node *me, void *arg)
{
    int64_t x = 0, y = 0;
    struct peal_handle handle = peal_send_async(me, &x, 1, peal_rank(me));

    (void)arg;
    peal_recv(me, &y, 1, peal_rank(me));
    peal_wait(me, handle);
    peal_wait(me, handle);
}

static void
does_not_wait(struct peal_node *me, void *arg)
{
    static int64_t x;

    (void)arg;
    if (peal_rank(me) == 1)
        peal_recv_async(me, &x, 1, 0);
}

static void
aborts(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_barrier(me);
    if (peal_rank(me) == 1)
        peal_abort(me, "no more");
    peal_barrier(me);
}

static void
crashes(struct peal_node *me, void *arg)
{
    volatile int *volatile nowhere = NULL;

    (void)arg;
    peal_barrier(me);
    if (peal_rank(me) == 1)
        *nowhere = 1;
    peal_barrier(me);
}

static void
splits_alone(struct peal_node *me, void *arg)
{
    int64_t x;

    (void)arg;
    if (peal_rank(me) == 0)
        peal_recv(me, &x, 1, 1);
    else
        peal_split(me, 0, 0);
}

static void
asks_for_ever(struct peal_node *me, void *arg)
{
    int64_t x;

    (void)arg;
    if (peal_rank(me) == 1) {
        struct peal_handle handle = peal_recv_async(me, &x, 1, 0);

        while (!peal_test(me, handle))
            ;
    }
}

/* Ends well, and prints in the order of the rounds. */
static void
groups(struct peal_node *me, void *arg)
{
    int64_t x = peal_rank(me) + 1, pair[2] = {1, 2}, got[3];
    struct peal_node *half = peal_split(me, peal_rank(me) % 2, -peal_rank(me));
    struct peal_node *none = peal_split(me, peal_rank(me) == 0 ? PEAL_NO_COLOR : 3, 0);
    struct peal_piece out[2] = {{&pair[1], 1}, {&pair[0], 1}}, in[3] = {{&got[2], 1}, {&got[0], 0}, {&got[1], 2}};

    (void)arg;
    peal_allreduce(half, PEAL_SUM_INT64, &x, 1);
    if (none)
        peal_barrier(none);
    peal_compute(me, peal_rank(me));
    peal_next_round(me);
    if (peal_size(half) > 1) {
        struct peal_handle posted = peal_recvv_async(half, in, 3, (peal_rank(half) + 1) % peal_size(half));

        peal_sendv_async(half, out, 2, (peal_rank(half) + peal_size(half) - 1) % peal_size(half));
        if (peal_wait(half, posted).words != 2 || got[2] != 2 || got[1] != 1)
            peal_abort(me, "the pieces are not what they were");
        peal_wait_all(half);
    }
    if (peal_rank(me) == 0 && x != peal_size(half) * peal_size(half))
        peal_abort(me, "the sum is wrong");
    for (struct peal_node *again = half; again && peal_size(again) > 1;)
        again = peal_split(again, peal_rank(again) == 0 ? PEAL_NO_COLOR : 0, 0);
}

/* ------------------------------------------------------------------ programs whose nodes do not call the same */

/* MPI ends it, with wrong words. */
static void
roots_differ(struct peal_node *me, void *arg)
{
    int64_t x[4] = {peal_rank(me)};

    (void)arg;
    peal_broadcast(me, x, 4, 0);
    peal_broadcast(me, x, 4, peal_rank(me) / 2);
}

/* MPI does not move, or finds a message too long. */
static void
sizes_differ(struct peal_node *me, void *arg)
{
    int64_t x[8] = {0};

    (void)arg;
    for (int i = 0; i < 20; i++)
        peal_allreduce(me, PEAL_SUM_INT64, x, 4);
    peal_allreduce(me, PEAL_SUM_INT64, x, peal_rank(me) == 1 ? 8 : 4);
}

static void
skips_a_barrier(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_barrier(me);
    if (peal_rank(me) != 1)
        peal_barrier(me);
}

/* No other node waits for the last one. */
static void
skips_a_broadcast(struct peal_node *me, void *arg)
{
    int64_t x = 7;

    (void)arg;
    peal_barrier(me);
    if (peal_rank(me) != peal_size(me) - 1)
        peal_broadcast_by(me, "linear", &x, 1, 0);
}

static void
half_and_all(struct peal_node *me, void *arg)
{
    struct peal_node *half = peal_split(me, peal_rank(me) / 2, 0);
    int64_t x = peal_rank(me);

    (void)arg;
    peal_allreduce(half, PEAL_SUM_INT64, &x, 1);
    if (peal_rank(me) == 1)
        peal_barrier(me);
    else
        peal_barrier(half);
    peal_barrier(me);
}

static void
halves_differ(struct peal_node *me, void *arg)
{
    struct peal_node *half = peal_split(me, peal_rank(me) % 2, -peal_rank(me));
    int64_t x[2] = {1, 2}, y[2];

    (void)arg;
    peal_barrier(me);
    peal_shift(half, x, 2, 1, y);
    peal_allreduce(half, peal_rank(me) == 1 ? PEAL_MAX_INT64 : PEAL_SUM_INT64, x, 2);
}

static void
splits_or_broadcasts(struct peal_node *me, void *arg)
{
    int64_t x = 0;

    (void)arg;
    peal_barrier(me);
    if (peal_rank(me) == 2)
        peal_split(me, 0, 0);
    else
        peal_broadcast(me, &x, 1, 0);
}

static void
lists_differ(struct peal_node *me, void *arg)
{
    int to[2][2] = {{1, 2}, {2, 1}};
    int64_t x = 0;

    (void)arg;
    peal_multicast(me, &x, 1, 0, to[0], 2);
    peal_multicast(me, &x, 1, 0, to[peal_rank(me) == 2], 2);
}

static void
algorithms_differ(struct peal_node *me, void *arg)
{
    int64_t x[8] = {0};

    (void)arg;
    peal_broadcast_by(me, peal_rank(me) == 3 ? "chain:4" : "binomial", x, 8, 1);
}

/* Nodes that are blocked after a collective that others have not called are not in it. */
static void
has_left_a_broadcast(struct peal_node *me, void *arg)
{
    struct peal_node *half = peal_split(me, peal_rank(me) / 2, 0);
    int64_t x = 0, y = 0;
    struct peal_handle early = peal_recv_async(me, &y, 1, peal_rank(me) > 0 ? 0 : 3);

    (void)arg;
    if (peal_rank(me) < 3)
        peal_broadcast_by(me, "linear", &x, 1, 0);
    else
        peal_barrier(half);
    if (peal_rank(me) == 1)
        peal_recv_tag(me, &x, 1, 3, 1);
    peal_wait(me, early);
}

/* Ends well: node 0 asks for what node 1 has printed while that computes, and node 1 reads the question when it has
 * ended and sent the last of its log.  Node 2's message comes late enough for node 1 to look around and say that it has
 * printed. */
static void
asked_too_late(struct peal_node *me, void *arg)
{
    int64_t x = 0;

    (void)arg;
    if (peal_rank(me) == 2) {
        compute_for(0.005);
        peal_send(me, &x, 1, 1);
    } else if (peal_rank(me) == 1) {
        peal_printf(me, "printed before it computes\n");
        peal_recv(me, &x, 1, 2);
        compute_for(0.1);
    }
}

/* ------------------------------------------------------------------ all of them */

static const struct {
    const char *name;
    void (*program)(struct peal_node *me, void *arg);
    bool eager;
} programs[] = {
    {"groups", groups, false},
    {"ring of receives", ring_of_receives, false},
    {"sends before receives", sends_before_receives, false},
    {"sends before receives, eager", sends_before_receives, true},
    {"a partner that has ended", partner_that_has_ended, false},
    {"any source in vain", any_source_in_vain, false},
    {"too long", too_long, false},
    {"too long, of two", too_long_of_two, false},
    {"no such rank", no_such_rank, false},
    {"waits twice", waits_twice, false},
    {"does not wait", does_not_wait, false},
    {"aborts", aborts, false},
    {"crashes", crashes, false},
    {"splits alone", splits_alone, false},
    {"asks for ever", asks_for_ever, false},
    {"asked too late", asked_too_late, false},
    {"roots differ", roots_differ, false},
    {"sizes differ", sizes_differ, false},
    {"skips a barrier", skips_a_barrier, false},
    {"skips a broadcast", skips_a_broadcast, false},
    {"skips a broadcast, eager", skips_a_broadcast, true},
    {"half and all", half_and_all, false},
    {"halves differ", halves_differ, false},
    {"splits or broadcasts", splits_or_broadcasts, false},
    {"lists differ", lists_differ, false},
    {"algorithms differ", algorithms_differ, false},
    {"has left a broadcast", has_left_a_broadcast, false},
    {"groups again", groups, false},
    {"repeated messages", repeated_messages, false},
    {"a receive not waited for", not_waited_for, false},
    {"a handle waited for twice", waited_for_twice, false},
    {"too long, at the end", too_long_at_the_end, false},
    {"a message that comes too late", comes_too_late, false},
    {"a handle is kept", keeps_a_handle, false},
    {"a handle of another run", uses_the_handle, false},
    {"repeated messages again", repeated_messages, false},
    {"floods", floods, false},
    {"to oneself", to_oneself, false},
    {"nothing to oneself", nothing_to_oneself, false},
};
enum { FOR_TWO = 11, FOR_TWO_WELL = 3 }; /* the last ones, which two nodes can run, too; of these end well */

/* ------------------------------------------------------------------ both engines */

static struct peal_machine *
make(const char *engine, bool eager)
{
    struct peal_options options;
    struct peal_error error;

    peal_options_init(&options);
    options.nodes = size;
    options.engine = engine;
    options.eager = eager;
    options.eager_words = 4;
    struct peal_machine *machine = peal_machine_create(&options, &error);

    if (!machine) {
        fprintf(stderr, "%s: %s\n", engine, error.text);
        exit(1);
    }
    return machine;
}

/* The document of a run, without what may differ.  Freed by the caller. */
static char *
document(const struct peal_machine *machine)
{
    char *text = NULL, *at;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct peal_error error;

    peal_write_json(out, machine, NULL, "program", &error);
    fclose(out);
    if ((at = strstr(text, "\"engine\": ")))
        memset(at, ' ', strcspn(at, ","));
    if ((at = strstr(text, "\"measured\": ")) || (at = strstr(text, "\"host\": ")))
        *at = '\0';
    for (char *from = at = text;; from++) {
        if (*from != ' ' && *from != '\n')
            *at++ = *from;
        if (!*from)
            break;
    }
    return text;
}

/* "two": only those that two nodes can run. */
int
main(int argc, char **argv)
{
    bool whole = argc < 2 || strcmp(argv[1], "two") != 0;
    size_t count = sizeof programs / sizeof *programs;
    int wrong = 0, failed = 0;
    struct peal_error error;

    if (peal_mpi_begin(&rank, &size, &error) != PEAL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    struct peal_machine *mpi[2] = {make("mpi", false), make("mpi", true)};
    struct peal_machine *threads[2] = {make("threads", false), make("threads", true)};

    for (size_t i = whole ? 0 : count - FOR_TWO; i < count; i++) {
        struct peal_machine *here = mpi[programs[i].eager], *there = threads[programs[i].eager];
        const struct peal_failure *failure = peal_run(here, programs[i].program, NULL);

        if (getenv("PEAL_TEST_TELL") && rank == 0)
            fprintf(stderr, "%s: %s\n", programs[i].name, failure ? failure->message : "well");
        failed += failure != NULL;
        if (rank != 0)
            continue;
        peal_run(there, programs[i].program, NULL);
        char *a = document(here), *b = document(there);

        if (strcmp(a, b) != 0) {
            printf("%s: mpi and threads differ\n%s\n%s\n", programs[i].name, a, b);
            wrong++;
        }
        free(a);
        free(b);
    }
    for (int i = 0; i < 2; i++) {
        peal_machine_destroy(mpi[i]);
        peal_machine_destroy(threads[i]);
    }
    if (rank == 0)
        printf("%d nodes on %s: %d failed as they should, %d wrong\n", size, peal_mpi_library(), failed, wrong);
    peal_mpi_end();
    return wrong > 0 || failed != (whole ? 24 : 0) + FOR_TWO - FOR_TWO_WELL;
}
