/* SPDX-License-Identifier: MIT */
/* The functions of lessons: a claim that does not hold, or a program that goes wrong, must show. */
#include "algorithms/lessons/lesson.h"
#include <criterion/criterion.h>
#include <string.h>

static struct peal_board *
teach(void (*run)(struct peal_board *board), struct peal_error *error)
{
    struct peal_lesson lesson = {.id = "T", .title = "", .source = "", .code = "", .question = "", .run = run};

    return peal_lesson_teach(&lesson, NULL, error);
}

/* The text of the only check that failed. */
static const char *
failed_text(const struct peal_board *board)
{
    const struct peal_step *step;
    const char *text = NULL;

    for (int i = 0; (step = peal_board_step(board, i)); i++)
        if (!step->holds) {
            cr_assert_null(text);
            cr_assert_eq(step->kind, PEAL_STEP_CHECKS);
            text = step->text;
        }
    cr_assert_not_null(text);
    return text;
}

/* Teach a lesson of that many checks; the one that fails has this text. */
static void
expect_failure(void (*run)(struct peal_board *board), int checks, const char *text)
{
    struct peal_board *board = teach(run, NULL);

    cr_assert_not_null(board);
    cr_expect_eq(peal_board_checks(board), checks);
    cr_expect_eq(peal_board_failed(board), 1);
    cr_expect_str_eq(failed_text(board), text);
    peal_board_destroy(board);
}

/* ------------------------------------------------------------------ programs */

/* Node 0 sends 3 words to node 1, 5 when arg says so, in the second round. */
static void
pair(struct peal_node *me, void *arg)
{
    int64_t x[5] = {7, 0, 0, 0, 0};
    size_t words = arg ? 5 : 3;

    if (arg)
        peal_next_round(me);
    if (peal_rank(me) == 0)
        peal_send(me, x, words, 1);
    if (peal_rank(me) == 1)
        peal_recv(me, x, words, 0);
}

static void
pair_back(struct peal_node *me, void *arg)
{
    int64_t x[3] = {0};

    (void)arg;
    if (peal_rank(me) == 1)
        peal_send(me, x, 3, 0);
    if (peal_rank(me) == 0)
        peal_recv(me, x, 3, 1);
}

static void
lonely(struct peal_node *me, void *arg)
{
    int64_t x = 0;

    (void)arg;
    if (peal_rank(me) == 0)
        peal_recv(me, &x, 1, 1);
}

/* Every node but the last notes its rank, twice, and which of its blocks it has. */
static void
noting(struct peal_node *me, void *arg)
{
    int64_t words[2] = {peal_rank(me), peal_rank(me) + 10}, blocks[8] = {1, 0, 0, 5, 0, 0, 9, 9};

    (void)arg;
    if (peal_rank(me) == peal_size(me) - 1)
        return;
    lesson_note(me, 1, words, 1);
    lesson_note(me, 1, words, 2); /* the last one counts */
    lesson_note_blocks(me, 2, blocks, 2);
}

/* ------------------------------------------------------------------ checks that fail */

static void
wrong_cost(struct peal_board *board)
{
    const struct peal_machine *machine = lesson_run(board, lesson_options(2, "full"), pair, NULL, "three words");

    lesson_check_cost(board, "right", peal_machine_cost(machine), lesson_cost(1, 3, 0), "α + 3β");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(1, 4, 0), "α + βn");
}

Test(lesson_check, of_a_cost_that_is_another_shows_both, .timeout = 10)
{
    expect_failure(wrong_cost, 2, "cost: α + 3β, not α + 4β = α + βn");
}

static void
wrong_count(struct peal_board *board)
{
    const struct peal_machine *machine = lesson_run(board, lesson_options(2, "full"), pair, NULL, "three words");

    lesson_check_count(board, "rounds", lesson_rounds(machine), 1, "(one)");
    lesson_check_count(board, "rounds", lesson_rounds(machine), 2, "log₂4");
}

Test(lesson_check, of_a_count_that_is_another_shows_both, .timeout = 10)
{
    expect_failure(wrong_count, 2, "rounds: 1, not 2 = log₂4");
}

static void
some_are_not(struct peal_board *board)
{
    lesson_check_all(board, 3, 3, "every one");
    lesson_check_all(board, 2, 3, "every one");
}

static void
none_at_all(struct peal_board *board)
{
    lesson_check_all(board, 0, 0, "every one");
}

Test(lesson_check, of_all_fails_when_one_is_not_or_there_is_none, .timeout = 10)
{
    expect_failure(some_are_not, 2, "every one (2 of 3)");
    expect_failure(none_at_all, 1, "every one (0 of 0)");
}

static void
program_fails(struct peal_board *board)
{
    lesson_run(board, lesson_options(2, "full"), lonely, NULL, "waits for ever");
}

Test(lesson_run, of_a_program_that_fails_is_a_failed_check, .timeout = 10)
{
    struct peal_board *board = teach(program_fails, NULL);

    cr_assert_not_null(board);
    cr_expect_eq(peal_board_failed(board), 1);
    cr_expect_not_null(strstr(failed_text(board), "every node ends: "));
    peal_board_destroy(board);
}

static void
wrong_program_is_right(struct peal_board *board)
{
    lesson_run_wrong(board, lesson_options(2, "full"), lonely, NULL, PEAL_DEADLOCK, "waits for ever");
    lesson_run_wrong(board, lesson_options(2, "full"), pair, NULL, PEAL_DEADLOCK, "three words");
}

static void
wrong_in_another_way(struct peal_board *board)
{
    lesson_run_wrong(board, lesson_options(2, "full"), lonely, NULL, PEAL_BAD_RANK, "waits for ever");
}

Test(lesson_run_wrong, of_a_program_that_ends_well_or_fails_otherwise_is_a_failed_check, .timeout = 10)
{
    expect_failure(wrong_program_is_right, 2, "the machine stops the program as deadlock: it ended");
    expect_failure(wrong_in_another_way, 1, "the machine stops the program as bad-rank: deadlock");
}

/* ------------------------------------------------------------------ a lesson that cannot go on */

static int after;

static void
impossible_machine(struct peal_board *board)
{
    lesson_say(board, "before");
    lesson_try(board, lesson_options(2, "full"), pair, NULL);
    lesson_run(board, lesson_options(6, "hypercube:3"), pair, NULL, "never");
    after++;
}

Test(lesson_run, without_a_machine_ends_the_lesson_and_says_why, .timeout = 10)
{
    struct peal_error error = {PEAL_OK, ""};

    cr_expect_null(teach(impossible_machine, &error));
    cr_expect_eq(error.status, PEAL_USAGE);
    cr_expect_eq(strncmp(error.text, "lesson T: ", 10), 0, "%s", error.text);
    cr_expect_eq(after, 0);
}

/* ------------------------------------------------------------------ notes and drawings */

static void
read_notes(struct peal_board *board)
{
    size_t count = 99;
    int64_t both[2] = {1, 11}, other[2] = {1, 12};

    lesson_run(board, lesson_options(4, "line"), noting, NULL, "notes");
    lesson_check(board, lesson_noted_is(board, 1, 1, both, 2), "1 and 11");
    lesson_check(board, !lesson_noted_is(board, 1, 1, both, 1), "not only 1");
    lesson_check(board, !lesson_noted_is(board, 1, 1, other, 2), "not 12");
    lesson_check(board, lesson_noted(board, 3, 1, &count) == NULL && count == 0, "the last did not");
    lesson_check(board, lesson_noted(board, 0, 0, &count) == NULL, "no number 0");
    lesson_check(board, lesson_noted(board, 4, 1, &count) == NULL && lesson_noted(board, -1, 1, &count) == NULL,
                 "no such node");
    lesson_check(board, lesson_noted(board, 0, 16, &count) == NULL && lesson_noted(board, 0, -1, &count) == NULL,
                 "no such note");
    lesson_show_words(board, "words", 1);
    lesson_show_blocks(board, "blocks", 2);
}

Test(lesson_note, is_the_last_one_of_the_node, .timeout = 10)
{
    struct peal_board *board = teach(read_notes, NULL);
    const char *shown[2] = {"", ""};
    const struct peal_step *step;
    int lines = 0;

    cr_assert_not_null(board);
    cr_expect_eq(peal_board_failed(board), 0);
    for (int i = 0; (step = peal_board_step(board, i)); i++)
        if (step->kind == PEAL_STEP_SHOWS && lines < 2)
            shown[lines++] = step->text;
    cr_expect_str_eq(shown[0], "  words           0    1    2    ·");
    cr_expect_str_eq(shown[1], "  blocks    0 {0 3}  1 {0 3}  2 {0 3}");
    peal_board_destroy(board);
}

static void
draw(struct peal_board *board)
{
    lesson_draw_line(board, lesson_run(board, lesson_options(3, "line"), pair, NULL, "right"), 0);
    lesson_draw_line(board, lesson_run(board, lesson_options(3, "line"), pair_back, NULL, "left"), 0);
}

Test(lesson_draw_line, shows_nodes_messages_and_loads, .timeout = 10)
{
    static const char *const expected[] = {
        "    0───1───2", "    o───>        0→1", "      1   ·      on the links, rightwards",
        "    0───1───2", "    <───o        1→0", "      1   ·      on the links, leftwards",
    };
    struct peal_board *board = teach(draw, NULL);
    const struct peal_step *step;
    int line = 0;

    cr_assert_not_null(board);
    for (int i = 0; (step = peal_board_step(board, i)); i++)
        if (step->kind == PEAL_STEP_SHOWS) {
            cr_assert_lt(line, 6);
            cr_expect_str_eq(step->text, expected[line]);
            line++;
        }
    cr_expect_eq(line, 6);
    peal_board_destroy(board);
}

/* ------------------------------------------------------------------ reading runs */

static void
compare_trees(struct peal_board *board)
{
    static const bool later = true;
    const struct peal_machine *forth, *back;

    forth = lesson_try(board, lesson_options(2, "full"), pair, NULL);
    back = lesson_try(board, lesson_options(2, "full"), pair_back, NULL);
    lesson_check(board, !lesson_same_tree(forth, back, false, false), "0→1 is not 1→0");
    lesson_check(board, lesson_same_tree(forth, back, true, true), "but backwards it is");
    forth = lesson_try(board, lesson_options(2, "full"), pair, NULL);
    back = lesson_try(board, lesson_options(2, "full"), pair, &later);
    lesson_check(board, lesson_same_tree(forth, back, false, false), "the same pair");
    lesson_check(board, !lesson_same_tree(forth, back, false, true), "of other lengths");
    lesson_check(board, lesson_round(forth, 0).words == 3 && lesson_round(back, 0).words == 5, "3 and 5");
    lesson_check(board, lesson_round(forth, 1).count == 0 && lesson_round(forth, -1).count == 0, "no other round");
}

Test(lesson_same_tree, names_senders_receivers_and_words, .timeout = 10)
{
    struct peal_board *board = teach(compare_trees, NULL);
    const struct peal_step *step;

    cr_assert_not_null(board);
    for (int i = 0; (step = peal_board_step(board, i)); i++)
        cr_expect(step->holds, "%s", step->text);
    cr_expect_eq(peal_board_checks(board), 6);
    peal_board_destroy(board);
}

Test(lesson_sums, are_the_ones_of_the_course, .timeout = 10)
{
    static const int zeros[] = {0, 1, 0, 2, 1, 1, 0, 3, 2, 2, 1, 2, 1, 1, 0, 4}; /* f(2), f(3), ... f(17) */

    for (int z = 2; z <= 17; z++)
        cr_expect_eq(lesson_zeros(z), zeros[z - 2], "f(%d)", z);
    cr_expect_eq(lesson_log2(1), 0);
    cr_expect_eq(lesson_log2(2), 1);
    cr_expect_eq(lesson_log2(5), 3);
    cr_expect_eq(lesson_log2(8), 3);
    cr_expect_eq(lesson_log2(9), 4);
    cr_expect_str_eq(lesson_cell("α", 3), "α  ");
    cr_expect_str_eq(lesson_cell("abcd", 3), "abcd");
}
