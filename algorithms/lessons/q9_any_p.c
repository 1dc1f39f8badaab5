/* SPDX-License-Identifier: MIT */
/* Patching the tree-based reduce for P that is not a power of two. */
#include "lesson.h"

/* The patch: when does a node that does not send receive? */
enum patch { ALWAYS, IF_LESS_THAN_P, UNLESS_GREATER_THAN_P };

static void
program(struct peal_node *me, void *arg)
{
    enum patch patch = *(const enum patch *)arg;
    int RANK = peal_rank(me), P = peal_size(me);
    int64_t s = RANK + 1, t;

    for (int bitmask = 1; bitmask < P; bitmask <<= 1) {
        int PARTNER = RANK ^ bitmask;
        if (RANK & bitmask) {
            peal_send_async(me, &s, 1, PARTNER);
            peal_wait_all(me);
            break;                                        /* once sent, drop out */
        } else if (patch == ALWAYS || (patch == IF_LESS_THAN_P && PARTNER < P)
                   || (patch == UNLESS_GREATER_THAN_P && PARTNER <= P)) {
            peal_recv_async(me, &t, 1, PARTNER);
            peal_wait_all(me);
            s = s + t;
        }
    }
    if (RANK == 0) lesson_note(me, 0, &s, 1);             /* print(s) */
}

static bool
sum_is_right(struct peal_board *board, int P)
{
    int64_t sum = (int64_t)P * (P + 1) / 2;

    return lesson_noted_is(board, 0, 0, &sum, 1);
}

/* Whether every sender's rank is greater than its receiver's. */
static bool
senders_above(const struct peal_machine *machine)
{
    for (int i = 0; i < lesson_rounds(machine); i++) {
        struct lesson_round round = lesson_round(machine, i);

        for (int j = 0; j < round.count; j++)
            if (round.transfers[j].from <= round.transfers[j].to)
                return false;
    }
    return true;
}

static bool
fails(struct peal_board *board, int P, enum patch patch)
{
    const struct peal_failure *failure =
        peal_machine_failure(lesson_try(board, lesson_options(P, "full"), program, &patch));

    return failure != NULL && failure->kind == PEAL_BAD_RANK;
}

static void
run(struct peal_board *board)
{
    enum { MAX = 64 };
    enum patch always = ALWAYS, less = IF_LESS_THAN_P, not_greater = UNLESS_GREATER_THAN_P;
    int right = 0, rounds = 0, above = 0, others = 0, unpatched = 0, loose = 0;
    const struct peal_machine *machine;

    lesson_run_wrong(board, lesson_options(6, "full"), program, &always, PEAL_BAD_RANK, "no patch, P = 6");
    machine = lesson_run(board, lesson_options(6, "full"), program, &less, "else if PARTNER < P, P = 6");
    lesson_check(board, sum_is_right(board, 6), "the sum of 1 to 6 is on rank 0");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(lesson_log2(6), lesson_log2(6), 0),
                      "(α + β)⌈log₂P⌉");

    for (int P = 2; P <= MAX; P++) {
        machine = lesson_try(board, lesson_options(P, "full"), program, &less);
        right += sum_is_right(board, P);
        rounds += lesson_rounds(machine) == lesson_log2(P);
        above += senders_above(machine);
        if ((P & (P - 1)) != 0) {
            others++;
            unpatched += fails(board, P, ALWAYS);
            loose += fails(board, P, UNLESS_GREATER_THAN_P);
        }
    }
    lesson_say(board, "The same for all P from 2 to %d:", MAX);
    lesson_check_all(board, right, MAX - 1, "patched, the sum is right");
    lesson_check_all(board, rounds, MAX - 1, "patched, there are ⌈log₂P⌉ rounds");
    lesson_check_all(board, above, MAX - 1, "rank(receiver) < rank(sender) < P in every message");
    lesson_check_all(board, unpatched, others, "unpatched, it fails for every P that is not a power of two");

    lesson_answer(board, "else if PARTNER < P. Only senders drop out, and a sender has a 1 where its receiver has a "
                         "0: its rank is the greater of the two. So a partner of rank P or more would be a sender, "
                         "and does not exist: the node expects no message and goes on to the next bit.");
    lesson_correct(board, "The transcript rules out a partner whose rank is \"greater than P\". It must be P or "
                          "greater: ranks end at P-1, and with PARTNER <= P, the node P - (lowest bit of P) waits "
                          "for node P.");
    lesson_run_wrong(board, lesson_options(5, "full"), program, &not_greater, PEAL_BAD_RANK,
                     "else if PARTNER <= P, P = 5");
    lesson_check_all(board, loose, others, "with PARTNER <= P it fails for every P that is not a power of two");
}

const struct peal_lesson lesson_q9_any_p = {
    .id       = "Q9",
    .title    = "Reduce when P is not a power of two",
    .source   = "Georgia Tech CS 6220, ¶ 24-25",
    .code     = "q9_any_p.c",
    .question = "The tree-based reduce (Q8) lets every node that does not send receive from its partner. What must be "
                "inserted so that it works when P is not a power of two?",
    .run      = run,
};
