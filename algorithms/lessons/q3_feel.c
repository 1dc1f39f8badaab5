/* SPDX-License-Identifier: MIT */
/* A feel for the model: computing, few large messages, many small ones. */
#include "lesson.h"

enum { n = 1000 };

/* The work of node 0 with its n words. */
struct work_plan {
    int operations; /* compute as many operations, */
    int messages;   /* then send the words in as many messages */
};

static void
program(struct peal_node *me, void *arg)
{
    const struct work_plan *plan = arg;
    int64_t *x = peal_alloc(me, n);

    if (peal_rank(me) == 0) peal_compute(me, plan->operations);
    for (int i = 0; i < plan->messages; i++) {
        size_t words = (size_t)(n / plan->messages);

        if (peal_rank(me) == 0) peal_send(me, peal_block(x, words, i), words, 1);
        if (peal_rank(me) == 1) peal_recv(me, peal_block(x, words, i), words, 0);
    }
}

static void
run(struct peal_board *board)
{
    static const struct work_plan compute = {n, 0}, large = {0, 1}, small = {0, n};
    struct peal_options options = lesson_options(2, "full");
    const struct peal_machine *computed, *sent, *dribbled;

    options.parameters = (struct peal_parameters){.alpha = 1e-6, .beta = 1e-9, .tau = 1e-12};
    computed = lesson_run(board, options, program, &compute, "%d operations", n);
    sent = lesson_run(board, options, program, &large, "one message of %d words", n);
    dribbled = lesson_run(board, options, program, &small, "%d messages of one word", n);

    lesson_show(board, "  with τ = 10^-12, β = 10^-9, α = 10^-6 seconds");
    lesson_show(board, "    %4d operations            %12.3f µs", n, lesson_time(computed) * 1e6);
    lesson_show(board, "    one message of %4d words  %12.3f µs", n, lesson_time(sent) * 1e6);
    lesson_show(board, "    %4d messages of a word    %12.3f µs", n, lesson_time(dribbled) * 1e6);
    lesson_check_cost(board, "one large message", peal_machine_cost(sent), lesson_cost(1, n, 0), "α + βn");
    lesson_check_cost(board, "many small messages", peal_machine_cost(dribbled), lesson_cost(n, n, 0), "n(α + β)");
    lesson_check(board, lesson_time(computed) < lesson_time(sent),
                 "computation < communication: %.0f times less for the same number of "
                 "words", lesson_time(sent) / lesson_time(computed));
    lesson_check(board, lesson_time(sent) < lesson_time(dribbled),
                 "a few large messages are faster than many small ones: %.0f times",
                 lesson_time(dribbled) / lesson_time(sent));
    lesson_check_count(board, "words delivered in the time of a start-up",
                       (int64_t)(options.parameters.alpha / options.parameters.beta + 0.5), n, "α/β");

    lesson_answer(board, "The first two statements are true. τ << β << α: avoid communication, and where you must "
                         "communicate, send a few large messages. About a thousand words travel in the time of one "
                         "start-up.");
}

const struct peal_lesson lesson_q3_feel = {
    .id       = "Q3",
    .title    = "A feel for the alpha-beta model",
    .source   = "Georgia Tech CS 6220, ¶ 7-8",
    .code     = "q3_feel.c",
    .question = "τ is the time of an operation, and τ << β << α. Which is true? (1) Computation < communication, "
                "so avoid communication. (2) It is faster to send a few large messages than many small ones. (3) "
                "None of these.",
    .run      = run,
};
