/* SPDX-License-Identifier: MIT */
/* peal_post and what goes with it: notes, lenient receives, modes of sends, places in code. */
#include "tests/machine/harness.h"
#include <unistd.h>

/* A post of one piece. */
static struct peal_post
post_of(enum peal_post_kind kind, struct peal_piece *piece, void *data, size_t words, int peer)
{
    *piece = (struct peal_piece){data, words};
    return (struct peal_post){.kind = kind, .pieces = piece, .piece_count = 1, .peer = peer};
}

/* ------------------------------------------------------------------ notes */

static void
sends_notes_round_the_ring(struct peal_node *me, void *arg)
{
    int r = peal_rank(me), P = peal_size(me);
    uint64_t x[2] = {(uint64_t)r, 7}, y[3] = {0, 0, 99};
    struct peal_piece out, in;
    struct peal_post send = post_of(PEAL_POST_SEND, &out, x, 2, (r + 1) % P),
                     receive = post_of(PEAL_POST_RECEIVE, &in, y, 3, (r + P - 1) % P);

    send.note = UINT64_MAX - (uint64_t)r;
    send.tag = receive.tag = 5;
    for (int blocking = 0; blocking < 2; blocking++) {
        struct peal_envelope sent, got;

        if (blocking) {
            got = peal_exchange(me, &send, &receive);
        } else {
            struct peal_handle handles[] = {peal_post(me, &send), peal_post(me, &receive)};

            sent = peal_wait_envelope(me, handles[0]);
            got = peal_wait_envelope(me, handles[1]);
            cr_expect(sent.source == r && sent.tag == 5 && sent.words == 2 && sent.note == send.note);
        }
        cr_expect_eq(got.source, (r + P - 1) % P);
        cr_expect_eq(got.tag, 5);
        cr_expect_eq(got.words, 2);
        cr_expect_eq(got.delivered, 2);
        cr_expect_eq(got.note, UINT64_MAX - (uint64_t)got.source);
        cr_expect(y[0] == (uint64_t)got.source && y[1] == 7 && y[2] == 99);
    }
    (void)arg;
}

Test(post, a_note_travels_with_its_message_and_is_not_charged)
{
    for (int nodes = 1; nodes <= 5; nodes += 2) {
        struct peal_machine *machine = run_well(options_for(nodes), sends_notes_round_the_ring, NULL);

        expect_cost(machine, 2, 4, 0, 0);
        expect_path(machine, 2, 4, 0, 0);
        peal_machine_destroy(machine);
    }
}

/* Exchange with both neighbours, in one call or by posts; false: the short way was not taken. */
static bool
goes_the_short_way(struct peal_node *me, bool at_once, int source)
{
    int r = peal_rank(me), P = peal_size(me), left = (r + P - 1) % P;
    uint64_t x = (uint64_t)r, y = 99;
    const struct peal_short_post send = {.piece = {&x, 1}, .peer = (r + 1) % P, .tag = 3, .note = 7 + (uint64_t)r},
                                 receive = {.piece = {&y, 1}, .peer = source, .tag = 3};
    struct peal_handle handles[2];
    struct peal_envelope got;

    if (at_once) {
        if (!peal_exchange_short(me, &send, &receive, &got))
            return false;
    } else {
        if (!peal_post_short(me, PEAL_POST_RECEIVE, &receive, &handles[1]))
            return false;
        cr_assert(peal_post_short(me, PEAL_POST_SEND, &send, &handles[0]));
        cr_expect_not(peal_exchange_short(me, &send, &receive, &got), "both sides with requests open");
        peal_wait_envelope(me, handles[0]);
        got = peal_wait_envelope(me, handles[1]);
    }
    cr_expect(got.source == left && got.tag == 3 && got.words == 1 && got.delivered == 1);
    cr_expect(got.note == 7 + (uint64_t)left && y == (uint64_t)left);
    return true;
}

static void
takes_the_short_way(struct peal_node *me, void *arg)
{
    int left = (peal_rank(me) + peal_size(me) - 1) % peal_size(me);

    sends_notes_round_the_ring(me, NULL); /* from now on there are slots for requests */
    for (int at_once = 0; at_once < 2; at_once++) {
        cr_expect(goes_the_short_way(me, at_once, left));
        cr_expect(goes_the_short_way(me, at_once, PEAL_ANY_SOURCE));
        cr_expect_not(goes_the_short_way(me, at_once, peal_size(me)));
    }
    (void)arg;
}

Test(post, the_short_way_is_taken_by_what_cannot_fail)
{
    struct peal_machine *machine = run_well(options_for(3), takes_the_short_way, NULL);

    expect_cost(machine, 6, 8, 0, 0);
    peal_machine_destroy(machine);
}

static void
exchanges_beside_a_post(struct peal_node *me, void *arg)
{
    uint64_t x = 5, y = 0, z = 0;
    const struct peal_short_post send = {.piece = {&x, 1}, .peer = 1, .note = 9},
                                 receive = {.piece = {&z, 1}, .peer = PEAL_ANY_SOURCE, .tag = PEAL_ANY_TAG};
    struct peal_envelope got;

    sends_notes_round_the_ring(me, NULL); /* from now on there are slots for requests */
    if (peal_rank(me) == 0) {
        struct peal_handle open = peal_recv_async_tag(me, &y, 1, 1, 4);

        cr_expect(peal_exchange_short(me, &send, NULL, &got) && got.words == 1);
        cr_expect(peal_exchange_short(me, NULL, &receive, &got));
        cr_expect(got.source == 1 && got.tag == 6 && got.note == 0 && z == 8);
        peal_wait(me, open);
        cr_expect_eq(y, 7);
    } else if (peal_rank(me) == 1) {
        cr_expect(peal_exchange_short(me, NULL, &receive, &got));
        cr_expect(got.source == 0 && got.tag == 0 && got.note == 9 && z == 5);
        x = 8;
        peal_send_tag(me, &x, 1, 0, 6);
        x = 7;
        peal_send_tag(me, &x, 1, 0, 4);
    }
    (void)arg;
}

Test(post, a_short_exchange_goes_beside_other_requests)
{
    peal_machine_destroy(run_well(options_for(3), exchanges_beside_a_post, NULL));
}

static void
mixes_posts_and_sends(struct peal_node *me, void *arg)
{
    uint64_t x = 3, y = 0;
    struct peal_piece piece;

    if (peal_rank(me) == 0) {
        struct peal_post send = post_of(PEAL_POST_SEND, &piece, &x, 1, 1);

        send.note = 11;
        peal_exchange(me, &send, NULL);
        peal_send(me, &x, 1, 1);
    } else {
        struct peal_post receive = post_of(PEAL_POST_RECEIVE, &piece, &y, 1, PEAL_ANY_SOURCE);

        receive.tag = PEAL_ANY_TAG;
        struct peal_message message = peal_recv(me, &y, 1, 0); /* what has a note fits any receive */
        cr_expect_eq(message.words, 1);
        receive.note = 77; /* is not the message's */
        struct peal_envelope got = peal_wait_envelope(me, peal_post(me, &receive));

        cr_expect_eq(got.note, 0);
        cr_expect_eq(got.words, 1);
    }
    (void)arg;
}

Test(post, messages_without_a_note_have_note_0)
{
    peal_machine_destroy(run_well(options_for(2), mixes_posts_and_sends, NULL));
}

/* ------------------------------------------------------------------ receives that are too short */

static void
cuts_messages(struct peal_node *me, void *arg)
{
    bool pieces = *(const bool *)arg, from_itself = peal_size(me) == 1;
    uint64_t x[5] = {1, 2, 3, 4, 5}, y[4] = {9, 9, 9, 9};
    struct peal_piece out[2] = {{x, 2}, {x + 2, 3}}, in[2] = {{y + 2, 1}, {y, 2}};
    struct peal_post send = {.kind = PEAL_POST_SEND, .pieces = out, .piece_count = 2, .note = 4},
                     receive = {.kind = PEAL_POST_RECEIVE, .pieces = in, .piece_count = 2, .lenient = true};

    if (!pieces) {
        out[0].words = 5;
        in[0] = (struct peal_piece){y, 3};
        send.piece_count = receive.piece_count = 1;
    }
    send.peer = receive.peer = from_itself ? 0 : 1 - peal_rank(me);
    if (!from_itself && peal_rank(me) == 0) {
        peal_exchange(me, &send, NULL);
        return;
    }
    struct peal_envelope got = peal_exchange(me, from_itself ? &send : NULL, &receive);

    cr_expect_eq(got.words, 5);
    cr_expect_eq(got.delivered, 3);
    cr_expect_eq(got.note, 4);
    if (pieces)
        cr_expect(y[0] == 2 && y[1] == 3 && y[2] == 1 && y[3] == 9);
    else
        cr_expect(y[0] == 1 && y[1] == 2 && y[2] == 3 && y[3] == 9);
}

Test(post, a_lenient_receive_takes_the_words_that_fit_of_a_message_charged_whole)
{
    for (int i = 0; i < 8; i++) {
        struct peal_options options = options_for(1 + i % 2);
        bool pieces = i / 2 % 2;

        options.eager = i / 4;
        options.eager_words = 100;
        struct peal_machine *machine = run_well(options, cuts_messages, &pieces);

        expect_cost(machine, 1, 5, 0, 0);
        peal_machine_destroy(machine);
    }
}

static void
receives_too_little(struct peal_node *me, void *arg)
{
    uint64_t x[2] = {1, 2};
    struct peal_piece piece;
    struct peal_post post = post_of(peal_rank(me) == 0 ? PEAL_POST_SEND : PEAL_POST_RECEIVE, &piece, x,
                                    peal_rank(me) == 0 ? 2 : 1, 1 - peal_rank(me));

    peal_wait_envelope(me, peal_post(me, &post));
    (void)arg;
}

Test(post, other_receives_fail_at_a_longer_message)
{
    peal_machine_destroy(run_into(PEAL_TRUNCATION, options_for(2), receives_too_little, NULL));
}

/* ------------------------------------------------------------------ modes */

static void
buffers(struct peal_node *me, void *arg)
{
    int r = peal_rank(me), P = peal_size(me);
    uint64_t x = (uint64_t)r + 50, y = 0;
    struct peal_piece out, in;
    struct peal_post send = post_of(PEAL_POST_SEND, &out, &x, 1, (r + 1) % P),
                     receive = post_of(PEAL_POST_RECEIVE, &in, &y, 1, (r + P - 1) % P);

    send.mode = PEAL_BUFFERED;
    struct peal_envelope sent = peal_exchange(me, &send, NULL);

    cr_expect_eq(sent.words, 1);
    x = 1000; /* the machine has a copy */
    peal_exchange(me, NULL, &receive);
    cr_expect_eq(y, (uint64_t)((r + P - 1) % P) + 50);
    (void)arg;
}

Test(post, a_buffered_send_is_complete_at_its_post)
{
    for (int nodes = 1; nodes <= 4; nodes++) {
        struct peal_machine *machine = run_well(options_for(nodes), buffers, NULL);

        expect_cost(machine, 1, 1, 0, 0);
        expect_path(machine, 1, 1, 0, 0);
        peal_machine_destroy(machine);
    }
}

static void
buffers_without_a_receiver(struct peal_node *me, void *arg)
{
    uint64_t x = 1;
    struct peal_piece out;
    struct peal_post send = post_of(PEAL_POST_SEND, &out, &x, 1, 1);

    send.mode = PEAL_BUFFERED;
    if (peal_rank(me) == 0)
        peal_exchange(me, &send, NULL);
    (void)arg;
}

Test(post, an_unreceived_buffered_send_is_an_unmatched_message)
{
    peal_machine_destroy(run_into(PEAL_UNMATCHED_MESSAGE, options_for(2), buffers_without_a_receiver, NULL));
}

static void
buffers_then_blocks(struct peal_node *me, void *arg)
{
    uint64_t x[2] = {1, 2}, y[2] = {0, 0};
    struct peal_piece out;
    struct peal_post send = post_of(PEAL_POST_SEND, &out, x, 1, 1);

    send.mode = PEAL_BUFFERED;
    send.tag = 1;
    if (peal_rank(me) == 0) {
        peal_exchange(me, &send, NULL);
        x[0] = 0;
        peal_send(me, &x[1], 1, 1); /* not the short way: the first one is still in the outbox */
        peal_recv(me, x, 1, 1);
    } else {
        peal_recv(me, &y[1], 1, 0);
        peal_recv_tag(me, &y[0], 1, 0, 1);
        peal_send(me, y, 1, 0);
        cr_expect(y[0] == 1 && y[1] == 2);
    }
    (void)arg;
}

Test(post, a_blocking_send_does_not_disturb_a_buffered_one_before_it)
{
    struct peal_machine *machine = run_well(options_for(2), buffers_then_blocks, NULL);

    cr_expect_str_eq(schedule_text(machine), "0>1:1 | 0>1:1 | 1>0:1");
    expect_path(machine, 3, 3, 0, 0);
    peal_machine_destroy(machine);
}

static void
sends_first(struct peal_node *me, void *arg)
{
    enum peal_send_mode mode = *(const enum peal_send_mode *)arg;
    int partner = 1 - peal_rank(me);
    uint64_t x = 1, y = 0;
    struct peal_piece out, in;
    struct peal_post send = post_of(PEAL_POST_SEND, &out, &x, 1, partner),
                     receive = post_of(PEAL_POST_RECEIVE, &in, &y, 1, partner);

    send.mode = mode;
    peal_exchange(me, &send, NULL);
    peal_exchange(me, NULL, &receive);
}

Test(post, a_synchronous_send_is_never_eager)
{
    struct peal_options options = options_for(2);
    enum peal_send_mode standard = PEAL_STANDARD, synchronous = PEAL_SYNCHRONOUS;

    options.eager = true;
    options.eager_words = 10;
    peal_machine_destroy(run_well(options, sends_first, &standard));
    peal_machine_destroy(run_into(PEAL_DEADLOCK, options, sends_first, &synchronous));
}

/* ------------------------------------------------------------------ ready; wrong posts */

static void
looks(struct peal_node *me, void *arg)
{
    uint64_t x = 3, y = 0;
    struct peal_piece piece;

    if (peal_rank(me) == 0) {
        peal_next_round(me);
        peal_send(me, &x, 1, 1);
        return;
    }
    struct peal_post receive = post_of(PEAL_POST_RECEIVE, &piece, &y, 1, 0);
    struct peal_handle handle = peal_post(me, &receive);
    struct peal_envelope envelope = {.words = 99};

    cr_expect(!peal_is_complete(me, handle, &envelope));
    cr_expect_eq(envelope.words, 99);
    for (int rounds = 0; !peal_is_complete(me, handle, NULL); rounds++) {
        cr_assert_lt(rounds, 3);
        peal_next_round(me);
    }
    cr_expect(peal_is_complete(me, handle, &envelope));
    cr_expect_eq(envelope.words, 1);
    cr_expect(peal_test(me, handle));
    cr_expect_eq(y, 3);
    (void)arg;
}

Test(post, ready_looks_and_consumes_nothing)
{
    peal_machine_destroy(run_well(options_for(2), looks, NULL));
}

static void
posts_wrongly(struct peal_node *me, void *arg)
{
    uint64_t x = 0;
    struct peal_piece piece;
    struct peal_post send = post_of(PEAL_POST_SEND, &piece, &x, 1, 0),
                     receive = post_of(PEAL_POST_RECEIVE, &piece, &x, 1, 0);

    switch (*(const int *)arg) {
    case 0:
        send.peer = 1;
        peal_post(me, &send);
        break;
    case 1:
        receive.tag = -2;
        peal_post(me, &receive);
        break;
    case 2:
        send.piece_count = -1;
        peal_exchange(me, &send, NULL);
        break;
    case 3:
        peal_exchange(me, NULL, NULL);
        break;
    case 4:
        peal_exchange(me, &receive, NULL);
        break;
    case 5:
        peal_wait_envelope(me, PEAL_NO_HANDLE);
        break;
    default:
        peal_is_complete(me, PEAL_NO_HANDLE, NULL);
    }
}

Test(post, wrong_posts_fail)
{
    static const enum peal_failure_kind kinds[] = {PEAL_BAD_RANK,    PEAL_BAD_REQUEST, PEAL_BAD_SIZE,
                                                   PEAL_BAD_REQUEST, PEAL_BAD_REQUEST, PEAL_BAD_REQUEST,
                                                   PEAL_BAD_REQUEST};

    for (int i = 0; i < 7; i++)
        peal_machine_destroy(run_into(kinds[i], options_for(1), posts_wrongly, &i));
}

/* ------------------------------------------------------------------ places in code */

/* As a library's function that a program calls; like_mpi_send's line is that of the call. */
static __attribute__((noinline)) void
like_mpi_send(struct peal_node *me, const void *buf, size_t words, int dest)
{
    peal_send_at(me, buf, words, dest, 0, PEAL_CALLER);
}

static __attribute__((noinline)) void
like_mpi_barrier(struct peal_node *me)
{
    peal_barrier_at(me, NULL, PEAL_CALLER);
}

enum { SEND_LINE = __LINE__ + 8, BARRIER_LINE = SEND_LINE + 3 };

static void
calls_a_library(struct peal_node *me, void *arg)
{
    uint64_t x = 1;

    if (peal_rank(me) == 0) {
        like_mpi_send(me, &x, 1, 1);
        x = 2; /* so that the call is not the last thing */
    } else {
        like_mpi_barrier(me);
        x = 3;
    }
    *(volatile uint64_t *)arg = x;
}

Test(post, a_place_in_code_is_reported_as_its_line)
{
    uint64_t sink;
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options_for(2), calls_a_library, &sink);
    const struct peal_failure *failure = peal_machine_failure(machine);

    cr_expect_eq(failure->node_count, 2);
    cr_expect_str_eq(strrchr(failure->nodes[0].file, '/') + 1, "post_test.c");
    cr_expect_eq(failure->nodes[0].line, SEND_LINE);
    cr_expect_eq(failure->nodes[1].line, BARRIER_LINE);
    cr_expect_eq(failure->line, SEND_LINE);
    char where[40];

    snprintf(where, sizeof where, "(post_test.c:%d)", SEND_LINE);
    cr_expect(strstr(failure->message, where), "%s", failure->message);
    snprintf(where, sizeof where, "(post_test.c:%d)", BARRIER_LINE);
    cr_expect(strstr(failure->message, where), "%s", failure->message);
    peal_machine_destroy(machine);
}

static void
asks_for_lines(struct peal_node *me, void *arg)
{
    const char *file;
    int line;

    (void)arg;
    cr_expect(peal_code_line(me, (const char *)(uintptr_t)asks_for_lines + 1, &file, &line));
    cr_expect_str_eq(strrchr(file, '/') + 1, "post_test.c");
    cr_expect_gt(line, BARRIER_LINE);
    cr_expect(!peal_code_line(me, &line, &file, &line));
    cr_expect_str_eq(file, "?");
    cr_expect_eq(line, 0);
    cr_expect(!peal_code_line(me, (const char *)(uintptr_t)getppid, &file, &line)); /* which no sanitizer replaces */
    cr_expect(strstr(file, "libc"), "%s", file);
}

Test(post, lines_of_code_can_be_asked_for)
{
    peal_machine_destroy(run_well(options_for(2), asks_for_lines, NULL));
}

/* ------------------------------------------------------------------ other places, and what is buffered */

static void
redirects_a_receive(struct peal_node *me, void *arg)
{
    uint64_t x[5] = {1, 2, 3, 4, 5}, y[5] = {0}, z[9] = {0};
    struct peal_piece out, in, places[3] = {{&z[6], 1}, {&z[0], 2}, {&z[3], 2}};
    struct peal_post send = post_of(PEAL_POST_SEND, &out, x, 5, 1), receive = post_of(PEAL_POST_RECEIVE, &in, y, 5, 0);

    for (int late = 0; late < 2; late++) {
        if (peal_rank(me) == 0) {
            if (!late)
                peal_recv(me, y, 1, 1);
            peal_wait_envelope(me, peal_post(me, &send));
            peal_send(me, x, 1, 1);
            continue;
        }
        struct peal_handle handle = peal_post(me, &receive);

        memset(y, 0, sizeof y);
        memset(z, 0, sizeof z);
        if (late) {
            uint64_t after;

            peal_recv(me, &after, 1, 0);
            cr_expect(!peal_redirect(me, handle, places, 3));
            cr_expect(y[0] == 1 && y[4] == 5 && z[6] == 0);
        } else {
            cr_expect(peal_redirect(me, handle, places, 3));
            peal_send(me, x, 1, 0);
        }
        peal_wait_envelope(me, handle);
        if (!late) {
            uint64_t after;

            cr_expect(z[6] == 1 && z[0] == 2 && z[1] == 3 && z[3] == 4 && z[4] == 5 && z[5] == 0 && y[0] == 0);
            peal_recv(me, &after, 1, 0);
        }
    }
    (void)arg;
}

Test(post, a_receive_is_redirected_until_it_is_complete)
{
    peal_machine_destroy(run_well(options_for(2), redirects_a_receive, NULL));
}

static void
redirects_wrongly(struct peal_node *me, void *arg)
{
    uint64_t x[2] = {0};
    struct peal_piece piece = {x, 2}, other = {x, 1};
    struct peal_post post = post_of(*(int *)arg ? PEAL_POST_SEND : PEAL_POST_RECEIVE, &piece, x, 2, 0);

    peal_redirect(me, peal_post(me, &post), &other, 1);
}

Test(post, only_a_receive_is_redirected_and_only_to_as_many_words)
{
    for (int sends = 0; sends < 2; sends++)
        peal_machine_destroy(
            run_into(sends ? PEAL_BAD_REQUEST : PEAL_BAD_SIZE, options_for(1), redirects_wrongly, &sends));
}

static void
counts_what_is_buffered(struct peal_node *me, void *arg)
{
    uint64_t x[4] = {0}, y[4];
    size_t words;
    struct peal_piece piece;
    struct peal_post send = post_of(PEAL_POST_SEND, &piece, x, 4, 1);

    send.mode = PEAL_BUFFERED;
    if (peal_rank(me) == 0) {
        cr_expect(peal_buffered(me, &words) == 0 && words == 0);
        peal_wait_envelope(me, peal_post(me, &send));
        peal_wait_envelope(me, peal_post(me, &send));
        cr_expect(peal_buffered(me, &words) == 2 && words == 8);
        peal_recv(me, y, 1, 1);
        cr_expect(peal_buffered(me, &words) == 1 && words == 4);
        peal_recv(me, y, 1, 1);
        cr_expect(peal_buffered(me, &words) == 0 && words == 0);
        if (*(const int *)arg) /* without a receiver: it is forgotten with the run */
            peal_wait_envelope(me, peal_post(me, &send));
    }
    for (int i = 0; peal_rank(me) == 1 && i < 2; i++) {
        peal_recv(me, y, 4, 0);
        peal_send(me, x, 1, 0);
    }
}

Test(post, buffered_sends_count_until_they_are_carried)
{
    int one_more = 1;
    struct peal_machine *machine = run_into(PEAL_UNMATCHED_MESSAGE, options_for(2), counts_what_is_buffered, &one_more);

    one_more = 0;
    cr_expect_null(peal_run(machine, counts_what_is_buffered, &one_more));
    peal_machine_destroy(machine);
}
