/* SPDX-License-Identifier: MIT */
/* Probes and the messages that they find; messages that a probe keeps. */
#include "tests/machine/posts.h"

/* ------------------------------------------------------------------ probes */

static void
probes(struct peal_node *me, void *arg)
{
    uint64_t x[3] = {1, 2, 3}, y[3] = {0};
    struct peal_piece piece = {x, 3};

    (void)arg;
    if (peal_rank(me) == 1) {
        struct peal_post send = a_send(&piece, 0, 4);

        send.note = 21;
        peal_exchange(me, &send, NULL); /* the short way */
        peal_wait(me, peal_post(me, &send));
        return;
    }
    for (int turn = 0; turn < 2; turn++) {
        struct peal_post probe = a_probe(PEAL_ANY_SOURCE, PEAL_ANY_TAG);
        struct peal_envelope envelope = peal_wait_envelope(me, peal_post(me, &probe));

        cr_expect(envelope.source == 1 && envelope.tag == 4 && envelope.words == 3 && envelope.delivered == 0 &&
                  envelope.note == 21 && !envelope.cancelled && envelope.message.slot == 0);
        cr_expect(peal_probe_now(me, &probe, &envelope)); /* it is still there */
        cr_expect(envelope.words == 3 && envelope.note == 21);
        struct peal_message message = peal_recv_tag(me, y, 3, envelope.source, envelope.tag);

        cr_expect(message.words == 3 && y[2] == 3);
    }
}

Test(probe, a_probe_describes_a_message_and_leaves_it)
{
    struct peal_machine *machine = run_well(options_for(2), probes, NULL);

    cr_expect_str_eq(schedule_text(machine), "1>0:3 | 1>0:3");
    expect_path(machine, 2, 6, 0, 0);
    peal_machine_destroy(machine);
}

static void
looks_in_vain(struct peal_node *me, void *arg)
{
    struct peal_post probe = a_probe(1, 3);
    struct peal_envelope envelope = {.words = 9};
    uint64_t x = 0;

    (void)arg;
    if (peal_rank(me) == 0) {
        for (int i = 0; i < 5; i++)
            cr_expect(!peal_probe_now(me, &probe, &envelope)); /* another tag is there */
        cr_expect_eq(envelope.words, 9);
        peal_recv(me, &x, 1, 1);
        while (!peal_probe_now(me, &probe, &envelope))
            ;
        peal_recv_tag(me, &x, 1, 1, 3);
        cr_expect_eq(x, 7);
    } else {
        peal_send(me, &x, 1, 0);
        x = 7;
        peal_next_round(me);
        peal_send_tag(me, &x, 1, 0, 3);
    }
}

Test(probe, a_look_without_a_message_rests_for_a_round)
{
    struct peal_machine *machine = run_well(options_for(2), looks_in_vain, NULL);

    cr_expect_eq(peal_machine_host(machine).rounds, 9);
    peal_machine_destroy(machine);
}

/* Receives that were posted before a probe come first. */
static void
probes_after_a_receive(struct peal_node *me, void *arg)
{
    uint64_t x[2] = {1, 2}, y[2] = {0};
    struct peal_post probe = a_probe(PEAL_ANY_SOURCE, PEAL_ANY_TAG);
    struct peal_envelope envelope;

    if (peal_rank(me) == 1) {
        peal_send_async(me, &x[0], 1, 0);
        if (*(const int *)arg)
            peal_send_async_tag(me, &x[1], 1, 0, 5);
        peal_wait_all(me);
        return;
    }
    peal_next_round(me); /* the sends are here */
    struct peal_handle receive = peal_recv_async_tag(me, &y[0], 1, PEAL_ANY_SOURCE, PEAL_ANY_TAG);

    if (*(const int *)arg) {
        cr_expect(peal_probe_now(me, &probe, &envelope));
        cr_expect_eq(envelope.tag, 5);
        peal_recv_tag(me, &y[1], 1, 1, 5);
        cr_expect_eq(y[1], 2);
    } else {
        cr_expect(!peal_probe_now(me, &probe, &envelope));
    }
    peal_wait(me, receive);
    cr_expect_eq(y[0], 1);
}

Test(probe, a_probe_does_not_find_the_message_of_an_earlier_receive)
{
    for (int two = 0; two < 2; two++)
        peal_machine_destroy(run_well(options_for(2), probes_after_a_receive, &two));
}

static void
receives_after_a_probe(struct peal_node *me, void *arg)
{
    uint64_t x = 8, y = 0;
    struct peal_post probe = a_probe(1, 0);

    (void)arg;
    if (peal_rank(me) == 0) {
        struct peal_handle found = peal_post(me, &probe), receive = peal_recv_async(me, &y, 1, 1);
        struct peal_envelope envelope = peal_wait_envelope(me, found);

        cr_expect(envelope.words == 1);
        peal_wait(me, receive);
        cr_expect_eq(y, 8);
    } else if (peal_rank(me) == 1) {
        peal_send(me, &x, 1, 0);
    }
}

Test(probe, a_probe_and_a_receive_after_it_see_the_same_message)
{
    for (int nodes = 2; nodes <= 3; nodes++) {
        struct peal_machine *machine = run_well(options_for(nodes), receives_after_a_probe, NULL);

        expect_cost(machine, 1, 1, 0, 0);
        peal_machine_destroy(machine);
    }
}

static void
probes_itself(struct peal_node *me, void *arg)
{
    uint64_t x = 5, y = 0;
    struct peal_post probe = a_probe(0, 0);
    struct peal_handle send = peal_send_async(me, &x, 1, 0);
    struct peal_envelope envelope = peal_wait_envelope(me, peal_post(me, &probe));

    (void)arg;
    cr_expect_eq(envelope.words, 1);
    peal_recv(me, &y, 1, 0);
    peal_wait(me, send);
    cr_expect_eq(y, 5);
}

Test(probe, one_node_finds_its_own_message)
{
    peal_machine_destroy(run_well(options_for(1), probes_itself, NULL));
}

static void
probes_for_ever(struct peal_node *me, void *arg)
{
    struct peal_post probe = a_probe(PEAL_ANY_SOURCE, 6);

    (void)arg;
    if (peal_rank(me) == 0)
        peal_wait_envelope(me, peal_post(me, &probe));
    else
        peal_barrier(me);
}

Test(probe, a_probe_that_finds_nothing_is_a_deadlock)
{
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options_for(3), probes_for_ever, NULL);
    const struct peal_failure *failure = peal_machine_failure(machine);

    cr_expect_str_eq(failure->nodes[0].what, "probe");
    cr_expect_eq(failure->nodes[0].tag, 6);
    cr_expect(strstr(failure->message, "node 0 waits to find a message with tag 6 from any node"), "%s",
              failure->message);
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ matched probes */

static void
keeps_a_message(struct peal_node *me, void *arg)
{
    bool at_once = *(const int *)arg & 1, short_way = *(const int *)arg & 2;
    uint64_t x[2] = {3, 4}, y[2] = {0};
    struct peal_piece piece = {x, 1}, in = {y, 2};

    if (peal_rank(me) > 0) {
        struct peal_post send = a_send(&piece, 0, 0);

        x[0] = (uint64_t)peal_rank(me);
        send.note = 5;
        if (short_way)
            peal_exchange(me, &send, NULL);
        else
            peal_wait_envelope(me, peal_post(me, &send));
        return;
    }
    struct peal_post probe = a_probe(PEAL_ANY_SOURCE, 0), receive = a_receive(&in, 0, 0);
    struct peal_envelope envelope, other, got;

    probe.kind = PEAL_POST_MATCHED_PROBE;
    if (at_once)
        peal_next_round(me);
    if (at_once)
        cr_expect(peal_probe_now(me, &probe, &envelope));
    else
        envelope = peal_wait_envelope(me, peal_post(me, &probe));
    cr_expect(envelope.source == 1 && envelope.words == 1 && envelope.note == 5);
    cr_expect_neq(envelope.message.slot, 0);
    cr_expect(peal_probe_now(me, &probe, &other)); /* not the same again */
    cr_expect_eq(other.source, 2);
    probe.kind = PEAL_POST_PROBE;
    cr_expect(!peal_probe_now(me, &probe, &got)); /* both are taken */
    receive.message = other.message;
    got = peal_exchange(me, NULL, &receive);
    cr_expect(got.source == 2 && got.words == 1 && got.note == 5 && y[0] == 2);
    receive.message = envelope.message;
    got = peal_wait_envelope(me, peal_post(me, &receive));
    cr_expect(got.source == 1 && got.delivered == 1 && y[0] == 1);
}

Test(probe, a_matched_probe_keeps_its_message_for_one_receive)
{
    for (int how = 0; how < 4; how++) {
        struct peal_machine *machine = run_well(options_for(3), keeps_a_message, &how);

        cr_expect_str_eq(schedule_text(machine), "2>0:1 | 1>0:1");
        peal_machine_destroy(machine);
    }
}

static void
keeps_it_while_its_sender_waits(struct peal_node *me, void *arg)
{
    uint64_t x = 3, y = 0;
    struct peal_piece piece = {&x, 1}, in = {&y, 1};
    struct peal_post send = a_send(&piece, 0, 0), probe = a_probe(1, 0), receive = a_receive(&in, 1, 0);

    probe.kind = PEAL_POST_MATCHED_PROBE;
    if (peal_rank(me) == 1) {
        if (*(const int *)arg)
            peal_exchange(me, &send, NULL); /* a blocking send moves when it is lent */
        else
            peal_wait_envelope(me, peal_post(me, &send));
        x = 99;
        peal_send(me, &y, 0, 0);
        return;
    }
    struct peal_envelope found = peal_wait_envelope(me, peal_post(me, &probe));

    peal_recv(me, NULL, 0, 1); /* which comes only if the first one is lent */
    receive.message = found.message;
    peal_exchange(me, NULL, &receive);
    cr_expect_eq(y, 3);
}

Test(probe, a_message_that_is_kept_can_be_lent)
{
    struct peal_options options = options_for(2);

    for (int blocking = 0; blocking < 2; blocking++) {
        options.lend_bytes = 8;
        struct peal_machine *machine = run_well(options, keeps_it_while_its_sender_waits, &blocking);

        cr_expect_eq(count_findings(machine), 1);
        peal_machine_destroy(machine);
        options.lend_bytes = 0;
        peal_machine_destroy(run_into(PEAL_DEADLOCK, options, keeps_it_while_its_sender_waits, &blocking));
    }
}

static void
keeps_it_to_the_end(struct peal_node *me, void *arg)
{
    uint64_t x = 3;
    struct peal_post probe = a_probe(1, 0);

    (void)arg;
    probe.kind = PEAL_POST_MATCHED_PROBE;
    if (peal_rank(me) == 0)
        peal_wait_envelope(me, peal_post(me, &probe));
    else
        peal_send(me, &x, 1, 0);
}

Test(probe, a_message_that_is_kept_and_not_received_is_reported)
{
    struct peal_options options = options_for(2);

    peal_machine_destroy(run_into(PEAL_DEADLOCK, options, keeps_it_to_the_end, NULL));
    options.lend_bytes = 8;
    peal_machine_destroy(run_into(PEAL_UNMATCHED_MESSAGE, options, keeps_it_to_the_end, NULL));
    options.lend_bytes = 0;
    options.eager = true;
    options.eager_words = 5;
    peal_machine_destroy(run_into(PEAL_UNMATCHED_MESSAGE, options, keeps_it_to_the_end, NULL));
}

static void
uses_messages_wrongly(struct peal_node *me, void *arg)
{
    uint64_t x = 3, y[2];
    struct peal_piece in = {y, 1};
    struct peal_post probe = a_probe(0, 0), receive = a_receive(&in, 0, 0);
    struct peal_handle send = peal_send_async(me, &x, 1, 0);

    probe.kind = PEAL_POST_MATCHED_PROBE;
    struct peal_handle handle = peal_post(me, &probe);

    switch (*(const int *)arg) {
    case 0:
        peal_wait(me, handle);
        break;
    case 1:
        receive.message = handle; /* it is not found yet */
        peal_post(me, &receive);
        break;
    case 2:
        receive.message = send;
        peal_post(me, &receive);
        break;
    case 3:
        receive.message = peal_wait_envelope(me, handle).message;
        peal_post(me, &receive);
        peal_post(me, &receive);
        break;
    case 4:
        probe.kind = PEAL_POST_RECEIVE;
        peal_probe_now(me, &probe, &(struct peal_envelope){0});
        break;
    default:
        peal_detach(me, handle);
    }
}

Test(probe, messages_that_are_used_wrongly_are_refused)
{
    for (int i = 0; i < 6; i++)
        peal_machine_destroy(run_into(PEAL_BAD_REQUEST, options_for(1), uses_messages_wrongly, &i));
}
