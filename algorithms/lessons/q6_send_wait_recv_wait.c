/* SPDX-License-Identifier: MIT */
/* Send, wait, receive, wait on two ranks: what a completed send promises. */
#define PEAL_WORD_BYTES 1                                 /* a word is a letter */
#include "lesson.h"
#include <string.h>

enum { NODES = 3, LETTERS = 5 };                          /* the lecture's two ranks are 1 and 2: rank 0 does nothing */

static void
quiz(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me);
    char text[LETTERS + 1] = "";                          /* empty */

    (void)arg;
    if (RANK == 1) {
        peal_send_async(me, "hello", LETTERS, 2);
        peal_wait_all(me);
        peal_recv_async(me, text, LETTERS, 2);
        peal_wait_all(me);
    }
    if (RANK == 2) {
        peal_send_async(me, "world", LETTERS, 1);
        peal_wait_all(me);
        peal_recv_async(me, text, LETTERS, 1);
        peal_wait_all(me);
    }
    lesson_note(me, 0, text, LETTERS);
}

/* Both requests are posted before either is waited for. */
static void
safe(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me);
    char text[LETTERS + 1] = "";

    (void)arg;
    if (RANK > 0) {
        peal_send_async(me, RANK == 1 ? "hello" : "world", LETTERS, 3 - RANK);
        peal_recv_async(me, text, LETTERS, 3 - RANK);
        peal_wait_all(me);
    }
    lesson_note(me, 0, text, LETTERS);
}

static void
check_text(struct peal_board *board, int rank, const char *expected)
{
    size_t letters;
    const char *text = (const char *)lesson_noted(board, rank, 0, &letters);

    lesson_check(board, text != NULL && memcmp(text, expected, LETTERS) == 0, "text on rank %d: '%.*s'", rank,
                 text != NULL ? LETTERS : 0, text != NULL ? text : "");
}

static void
run(struct peal_board *board)
{
    struct peal_options options = lesson_options(NODES, "full");
    const struct peal_machine *machine;
    const struct peal_failure *failure;

    options.word_bytes = 1;                               /* a word is a letter */
    machine = lesson_run_wrong(board, options, quiz, NULL, PEAL_DEADLOCK, "a send is complete when it is delivered");
    failure = peal_machine_failure(machine);
    lesson_check(board, failure != NULL && failure->cycle_length == 2 && failure->cycle[0] == 1
                            && failure->cycle[1] == 2,
                 "rank 1 waits for rank 2, and rank 2 for rank 1");

    options.eager = true;
    options.eager_words = LETTERS;
    lesson_run(board, options, quiz, NULL, "a send is complete when it is copied");
    check_text(board, 1, "world");
    check_text(board, 2, "hello");

    options.eager = false;
    machine = lesson_run(board, options, safe, NULL, "both requests first, then the wait");
    check_text(board, 1, "world");
    check_text(board, 2, "hello");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(1, LETTERS, 0), "α + βn");

    lesson_answer(board, "The processes don't complete, unless the system happens to copy messages of this size. When "
                         "wait returns for a send, only one thing is certain: the buffer may be reused. A program "
                         "that relies on more works by luck. Post the receive before you wait, and the program is "
                         "right on every system.");
}

const struct peal_lesson lesson_q6_send_wait_recv_wait = {
    .id       = "Q6",
    .title    = "Send and receive in (in)action",
    .source   = "Georgia Tech CS 6220, ¶ 19-20",
    .code     = "q6_send_wait_recv_wait.c",
    .question = "Ranks 1 and 2 each send five letters to the other, 'hello' and 'world', wait, then receive into "
                "text, and wait. What is text when the processes complete?",
    .run      = run,
};
