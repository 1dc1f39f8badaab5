/* SPDX-License-Identifier: MIT */
/* Findings; lending, which lets programs go on that need buffers, and reports them; patience. */
#include "tests/machine/harness.h"
#include <peal/hints.h>

static const struct peal_run_finding *
only_finding(const struct peal_machine *machine)
{
    size_t count;
    const struct peal_run_finding *findings = peal_machine_findings(machine, &count);

    cr_assert_eq(count, 1, "%zu findings", count);
    return findings;
}

static void
expect_no_findings(const struct peal_machine *machine)
{
    size_t count;
    const struct peal_run_finding *findings = peal_machine_findings(machine, &count);

    cr_expect_eq(count, 0, "%s", count > 0 ? findings[0].message : "");
}

static struct peal_options
lending(int nodes, size_t bytes)
{
    struct peal_options options = options_for(nodes);

    options.lend_bytes = bytes;
    return options;
}

/* ------------------------------------------------------------------ the ring that is unsafe */

enum { TURNS = 3 };

struct ring {
    size_t words;
    int line; /* of the send, set by every node alike */
};

static void
sends_before_it_receives(struct peal_node *me, void *arg)
{
    struct ring *ring = arg;
    int r = peal_rank(me), P = peal_size(me);
    uint64_t *x = peal_alloc(me, ring->words), *y = peal_alloc(me, ring->words);

    x[0] = (uint64_t)r;
    for (int turn = 0; turn < TURNS; turn++) {
        peal_send(me, x, ring->words, (r + 1) % P);
        x[0] = 99; /* the machine has a copy */
        peal_recv(me, y, ring->words, (r + P - 1) % P);
        x[0] = y[0];
    }
    cr_expect_eq(y[0], (uint64_t)((r + TURNS * (P - 1)) % P));
}

enum { UNSAFE_LINE = __LINE__ - 8 };

Test(lend, an_unsafe_ring_goes_on_and_is_reported_with_its_cycle)
{
    for (int nodes = 1; nodes <= 5; nodes += 2) {
        struct ring ring = {.words = 2};
        struct peal_machine *machine = run_well(lending(nodes, 16), sends_before_it_receives, &ring);
        const struct peal_run_finding *finding = only_finding(machine);

        expect_cost(machine, TURNS, 2 * TURNS, 0, 0);
        expect_path(machine, TURNS, 2 * TURNS, 0, 0);
        cr_expect_eq(finding->kind, PEAL_DEADLOCK_IF_UNBUFFERED);
        cr_expect_eq(finding->times, TURNS);
        cr_expect_eq(finding->round, 1);
        cr_expect_eq(finding->place_count, nodes);
        cr_expect_eq(finding->cycle_length, nodes);
        for (int i = 0; i < nodes; i++) {
            cr_expect_eq(finding->cycle[i], i);
            cr_expect_eq(finding->places[i].rank, i);
            cr_expect_str_eq(strrchr(finding->places[i].file, '/') + 1, "lend_test.c");
            cr_expect_eq(finding->places[i].line, UNSAFE_LINE);
        }
        cr_expect(
            strstr(finding->message, "nothing can move unless messages are buffered: node 0 waits to send 2 words"),
            "%s", finding->message);
        peal_machine_destroy(machine);
    }
}

Test(lend, a_message_that_is_too_long_is_not_lent)
{
    struct ring ring = {.words = 2};
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, lending(3, 15), sends_before_it_receives, &ring);

    expect_no_findings(machine);
    peal_machine_destroy(machine);
    machine = run_into(PEAL_DEADLOCK, lending(3, 0), sends_before_it_receives, &ring);
    expect_no_findings(machine);
    peal_machine_destroy(machine);
    ring.words = 1 << 17;
    peal_machine_destroy(run_well(lending(3, PEAL_LEND_UNLIMITED), sends_before_it_receives, &ring));
}

/* ------------------------------------------------------------------ messages that are lent, and their receivers */

static void
posts_before_it_receives(struct peal_node *me, void *arg)
{
    int r = peal_rank(me), P = peal_size(me);
    uint64_t x[3] = {(uint64_t)r, 5, 6}, y[3] = {0};
    struct peal_piece pieces[] = {{&x[1], 1}, {&x[0], 1}, {NULL, 0}};
    struct peal_handle handle;

    switch (*(const int *)arg) {
    case 0:
        handle = peal_sendv_async(me, pieces, 3, (r + 1) % P);
        break;
    case 1:
        handle = peal_send_async(me, x, 2, (r + 1) % P);
        break;
    default:
        handle = peal_send_async(me, x, 0, (r + 1) % P);
    }
    peal_wait(me, handle);
    x[0] = x[1] = 77;
    struct peal_message message = peal_recv(me, y, 3, (r + P - 1) % P);

    if (*(const int *)arg == 0)
        cr_expect(y[0] == 5 && y[1] == (uint64_t)((r + P - 1) % P) && message.words == 2);
    if (*(const int *)arg == 1)
        cr_expect(y[1] == 5 && y[0] == (uint64_t)((r + P - 1) % P) && message.words == 2);
}

Test(lend, sends_that_were_posted_before_are_lent_as_well)
{
    for (int i = 0; i < 6; i++) {
        int how = i / 2;
        struct peal_machine *machine = run_well(lending(1 + i % 2 * 3, 64), posts_before_it_receives, &how);

        expect_cost(machine, 1, how == 2 ? 0 : 2, 0, 0);
        only_finding(machine);
        peal_machine_destroy(machine);
    }
}

static void
sends_to_one_that_receives_late(struct peal_node *me, void *arg)
{
    uint64_t x = 1;

    if (peal_rank(me) == 0) {
        peal_send(me, &x, 1, 1);
        peal_send(me, &x, 1, 1);
    } else {
        for (int i = 0; i < 50; i++)
            peal_next_round(me);
        peal_recv(me, &x, 1, 0);
        peal_recv(me, &x, 1, 0);
    }
    (void)arg;
}

static void
exchanges_rightly(struct peal_node *me, void *arg)
{
    int r = peal_rank(me), P = peal_size(me);
    uint64_t x[2] = {1, 2};

    for (int i = 0; i < 3; i++) {
        peal_sendrecv(me, x, 1, (r + 1) % P, x + 1, 1, (r + P - 1) % P);
        peal_barrier(me);
    }
    (void)arg;
}

Test(lend, programs_that_are_right_without_buffers_have_no_findings)
{
    for (int i = 0; i < 2; i++) {
        peal_program program = i ? exchanges_rightly : sends_to_one_that_receives_late;
        struct peal_machine *strict = run_well(options_for(2), program, NULL);
        struct peal_machine *machine = run_well(lending(2, PEAL_LEND_UNLIMITED), program, NULL);

        expect_no_findings(machine);
        cr_expect(peal_cost_equal(peal_machine_cost(machine), peal_machine_cost(strict)));
        peal_machine_destroy(machine);
        peal_machine_destroy(strict);
    }
}

static void
waits_for_what_never_comes(struct peal_node *me, void *arg)
{
    uint64_t x = 1, y;
    int r = peal_rank(me), P = peal_size(me);

    (void)arg;
    peal_sendrecv(me, &x, 1, (r + 1) % P, &y, 1, (r + 1) % P);
}

Test(lend, a_send_that_buffers_do_not_help_is_not_lent_and_deadlocks)
{
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, lending(3, 64), waits_for_what_never_comes, NULL);

    expect_no_findings(machine);
    peal_machine_destroy(machine);
}

static void
sends_without_a_receiver(struct peal_node *me, void *arg)
{
    uint64_t x = 1;

    (void)arg;
    if (peal_rank(me) == 0)
        peal_send(me, &x, 1, 1);
}

Test(lend, an_unreceived_lent_message_is_an_unmatched_message)
{
    struct peal_machine *machine = run_into(PEAL_UNMATCHED_MESSAGE, lending(2, 64), sends_without_a_receiver, NULL);

    expect_no_findings(machine); /* buffers do not help it */
    cr_expect(strstr(peal_machine_failure(machine)->file, "lend_test.c"));
    peal_machine_destroy(machine);
}

static void
sends_synchronously(struct peal_node *me, void *arg)
{
    uint64_t x = 1;
    struct peal_piece piece = {&x, 1};
    struct peal_post send = {.kind = PEAL_POST_SEND,
                             .mode = *(const enum peal_send_mode *)arg,
                             .pieces = &piece,
                             .piece_count = 1,
                             .peer = 1 - peal_rank(me),
                             .note = (uint64_t)peal_rank(me) + 8};
    struct peal_post receive = {.kind = PEAL_POST_RECEIVE, .pieces = &piece, .piece_count = 1, .peer = send.peer};

    peal_exchange(me, &send, NULL);
    cr_expect_eq(peal_exchange(me, NULL, &receive).note, (uint64_t)send.peer + 8);
}

Test(lend, synchronous_sends_are_not_lent_and_notes_are)
{
    enum peal_send_mode mode = PEAL_SYNCHRONOUS;

    peal_machine_destroy(run_into(PEAL_DEADLOCK, lending(2, 64), sends_synchronously, &mode));
    mode = PEAL_STANDARD;
    peal_machine_destroy(run_well(lending(2, 64), sends_synchronously, &mode));
}

static void
tests_its_send(struct peal_node *me, void *arg)
{
    uint64_t x = (uint64_t)peal_rank(me), y = 9;
    int partner = 1 - peal_rank(me), *asked = arg;
    struct peal_handle send = peal_send_async(me, &x, 1, partner);

    while (!peal_test(me, send))
        asked[peal_rank(me)]++;
    x = 5;
    peal_recv(me, &y, 1, partner);
    cr_expect_eq(y, (uint64_t)partner);
}

Test(lend, sends_that_are_polled_for_are_lent_after_100_rounds)
{
    int asked[2] = {0, 0};
    struct peal_options options = lending(2, 64);

    options.patience = 1000;
    struct peal_machine *machine = run_well(options, tests_its_send, asked);

    cr_expect(asked[0] == 99 && asked[1] == 99, "%d and %d", asked[0], asked[1]);
    expect_no_findings(machine); /* they might have polled for a while only */
    peal_machine_destroy(machine);
    options.patience = 100; /* lending comes first */
    peal_machine_destroy(run_well(options, tests_its_send, asked));
    options.lend_bytes = 0;
    peal_machine_destroy(run_into(PEAL_LIVELOCK, options, tests_its_send, asked));
}

static void
sends_and_polls(struct peal_node *me, void *arg)
{
    uint64_t x = 1;
    int partner = 1 - peal_rank(me);

    (void)arg;
    if (peal_rank(me) == 0) {
        peal_send(me, &x, 1, partner);
        peal_send(me, &x, 1, partner);
    } else {
        struct peal_handle second = peal_recv_async_tag(me, &x, 1, partner, 0); /* takes the first one */

        peal_wait(me, second);
        second = peal_recv_async_tag(me, &x, 1, partner, 3); /* no message has that tag */
        while (!peal_test(me, second))
            ;
    }
}

Test(lend, one_that_polls_for_ever_is_livelocked_though_another_was_lent)
{
    struct peal_machine *machine = run_into(PEAL_LIVELOCK, lending(2, 64), sends_and_polls, NULL);

    expect_no_findings(machine);
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ patience */

static void
rests_or_sleeps(struct peal_node *me, void *arg)
{
    const int *rounds = arg; /* of sleep, of rest */
    uint64_t x = 1;

    if (peal_rank(me) == 0) {
        peal_recv(me, &x, 1, 1);
        return;
    }
    for (int i = 0; i < rounds[0]; i++)
        peal_sleep(me);
    for (int i = 0; i < rounds[1]; i++)
        peal_next_round(me);
    peal_send(me, &x, 1, 0);
}

Test(lend, a_machine_is_as_patient_as_its_options_say)
{
    struct peal_options options = options_for(2);

    for (int patience = 1; patience <= 250; patience += 83) {
        options.patience = patience;
        peal_machine_destroy(run_well(options, rests_or_sleeps, (int[]){0, patience - 1}));
        struct peal_machine *machine = run_into(PEAL_LIVELOCK, options, rests_or_sleeps, (int[]){0, patience + 1});

        cr_expect_eq(peal_machine_host(machine).rounds, (uint64_t)patience);
        peal_machine_destroy(machine);
    }
    options.patience = 3;
    peal_machine_destroy(run_well(options, rests_or_sleeps, (int[]){299, 0}));
    peal_machine_destroy(run_into(PEAL_LIVELOCK, options, rests_or_sleeps, (int[]){301, 0}));
    peal_machine_destroy(run_into(PEAL_LIVELOCK, options, rests_or_sleeps, (int[]){200, 2}));
}

Test(lend, a_patience_of_no_round_is_refused)
{
    struct peal_options options = options_for(1);
    struct peal_error error;

    options.patience = 0;
    cr_expect_null(peal_machine_create(&options, &error));
    cr_expect_eq(error.status, PEAL_USAGE);
}

/* ------------------------------------------------------------------ findings of the program's */

static void
finds(struct peal_node *me, void *arg)
{
    struct peal_place other = {0, (const char *)__builtin_return_address(0), PEAL_CODE};

    (void)arg;
    for (int i = 0; i < 3; i++) {
        peal_report(me, PEAL_LEAK, NULL, 0, "node %d leaks", peal_rank(me));
        if (peal_rank(me) % 2)
            peal_report(me, PEAL_BAD_REQUEST, &other, 1, "turn %d", i);
    }
    peal_next_round(me);
    if (peal_rank(me) == 0)
        peal_report(me, PEAL_LEAK, NULL, 0, "late");
}

struct heard {
    int count;
    char texts[200][40];
};

static void
hears(const struct peal_run_finding *finding, void *arg)
{
    struct heard *heard = arg;

    snprintf(heard->texts[heard->count++ % 200], 40, "%.20s %d", finding->message, finding->places[0].line > 0);
}

static void
finds_with_a_rule(struct peal_node *me, void *arg)
{
    struct peal_run_finding finding = {.kind = PEAL_LEAK, .message = "own", .fix = "the fix", .rule = "the rule"};

    (void)arg;
    if (peal_rank(me) > 0)
        finding.fix[0] = '\0';
    for (int i = 0; i < 3; i++)
        peal_add_finding(me, &finding);
    if (peal_rank(me) == 1) {
        peal_advise(me, "taken back");
        peal_advise_nothing(me);
        peal_report(me, PEAL_TYPE_MISMATCH, NULL, 0, "other");
        peal_advise(me, "node %d only", 1);
        peal_report(me, PEAL_EPOCH, NULL, 0, "a third");
        peal_report(me, PEAL_EPOCH, NULL, 0, "a fourth");
    }
}

static void
finds_notes(struct peal_node *me, void *arg)
{
    struct peal_run_finding finding = {.kind = PEAL_TYPE_MISMATCH, .severity = PEAL_SEVERITY_NOTE, .message = "a note"};

    (void)arg;
    peal_add_finding(me, &finding);
    peal_next_round(me);
    peal_report(me, PEAL_TYPE_MISMATCH, NULL, 0, "wrong");
}

Test(lend, notes_come_after_what_is_wrong_and_have_no_rule)
{
    struct peal_machine *machine = run_well(options_for(2), finds_notes, NULL);
    size_t count;
    const struct peal_run_finding *findings = peal_machine_findings(machine, &count);

    cr_assert_eq(count, 4);
    for (int i = 0; i < 4; i++) {
        cr_expect_eq(findings[i].severity, i < 2 ? PEAL_SEVERITY_WARNING : PEAL_SEVERITY_NOTE);
        cr_expect_eq(findings[i].places[0].rank, i % 2);
        cr_expect_eq(findings[i].rule[0] == '\0', i >= 2);
    }
    peal_machine_destroy(machine);
}

Test(lend, a_listener_hears_of_each_finding_once_with_its_rule)
{
    struct heard heard = {.count = 0};
    struct peal_machine *machine = run_well(options_for(2), exchanges_rightly, NULL);
    size_t count;

    peal_machine_listen(machine, hears, &heard);
    peal_run(machine, finds_with_a_rule, NULL);
    cr_assert_eq(heard.count, 5);
    cr_expect_str_eq(heard.texts[0], "own 1");
    const struct peal_run_finding *findings = peal_machine_findings(machine, &count);

    cr_assert_eq(count, 5);
    cr_expect(findings[0].places[0].rank == 0 && findings[0].times == 3);
    cr_expect_str_eq(findings[0].rule, "the rule");
    cr_expect_str_eq(findings[0].fix, "the fix");
    cr_expect_str_empty(findings[1].fix); /* a kind's help is not a hint */
    cr_expect_str_eq(findings[2].rule, peal_rule_of(PEAL_TYPE_MISMATCH)->rule);
    cr_expect_str_empty(findings[2].fix);
    cr_expect_str_eq(findings[3].fix, "node 1 only");
    cr_expect_str_empty(findings[4].fix); /* the advice was for one finding */
    cr_expect_null(peal_rule_of(PEAL_CRASH)->rule);
    peal_run(machine, exchanges_rightly, NULL);
    expect_no_findings(machine);
    peal_machine_listen(machine, NULL, NULL);
    peal_run(machine, finds_with_a_rule, NULL);
    cr_expect_eq(heard.count, 5);
    peal_machine_destroy(machine);
}

Test(lend, findings_are_counted_and_come_by_round_and_rank)
{
    struct peal_options options = options_for(40);
    size_t count;

    options.carriers = 3;
    struct peal_machine *machine = run_well(options, finds, NULL);

    for (int again = 0; again < 2; again++) {
        const struct peal_run_finding *findings = peal_machine_findings(machine, &count);
        size_t at = 0;

        cr_assert_eq(count, 61);
        for (int rank = 0; rank < 40; rank++) {
            cr_expect(findings[at].kind == PEAL_LEAK && findings[at].places[0].rank == rank && findings[at].times == 3);
            at++;
            if (rank % 2 == 0)
                continue;
            cr_expect(findings[at].kind == PEAL_BAD_REQUEST && findings[at].place_count == 2);
            cr_expect_str_eq(findings[at].message, "turn 0");
            cr_expect(findings[at].places[1].file && findings[at].places[1].line >= 0);
            at++;
        }
        cr_expect_str_eq(findings[at].message, "late");
        cr_expect(findings[at].round == 1 && findings[at].times == 1 && findings[at].cycle_length == 0);
        peal_run(machine, finds, NULL);
    }
    peal_run(machine, exchanges_rightly, NULL);
    expect_no_findings(machine);
    peal_machine_destroy(machine);
}
