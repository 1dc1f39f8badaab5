/* SPDX-License-Identifier: MIT */
/* Every lesson of the course, by being listed. */
#include <criterion/criterion.h>
#include <peal/tools.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_COLUMNS = 78 };

static int
columns(const char *text)
{
    int count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static int
count_steps(const struct peal_board *board, enum peal_step_kind kind)
{
    const struct peal_step *step;
    int count = 0;

    for (int i = 0; (step = peal_board_step(board, i)); i++)
        count += step->kind == kind;
    return count;
}

static struct peal_board *
teach(const struct peal_lesson *lesson)
{
    struct peal_error error;
    struct peal_board *board = peal_lesson_teach(lesson, NULL, &error);

    cr_assert(board, "%s: %s", lesson->id, error.text);
    return board;
}

static void
expect_that_claims_hold(const struct peal_lesson *lesson, const struct peal_board *board)
{
    const struct peal_step *step;

    for (int i = 0; (step = peal_board_step(board, i)); i++)
        cr_expect(step->holds, "%s: %s", lesson->id, step->text);
    cr_expect_eq(peal_board_failed(board), 0, "%s", lesson->id);
    cr_expect_eq(peal_board_checks(board), count_steps(board, PEAL_STEP_CHECKS), "%s", lesson->id);
    cr_expect_geq(peal_board_checks(board), 2, "%s checks next to nothing", lesson->id);
}

static void
expect_a_run_and_one_answer(const struct peal_lesson *lesson, const struct peal_board *board)
{
    cr_expect_geq(count_steps(board, PEAL_STEP_RUNS), 1, "%s runs nothing", lesson->id);
    cr_expect_eq(count_steps(board, PEAL_STEP_ANSWERS), 1, "%s", lesson->id);
}

/* Some quizzes of the course are wrong: their lessons say so. */
static void
expect_what_is_wrong_to_be_said(const struct peal_lesson *lesson, const struct peal_board *board)
{
    static const char *const wrong[] = {"Q2", "Q8", "Q9", "Q19", "Q23", "Q24", "OAS1", "ODD", "TREE", "RING"};

    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        cr_expect_not_null(peal_lesson_find(wrong[w]), "%s", wrong[w]);
        if (peal_lesson_find(wrong[w]) == lesson)
            cr_expect_eq(count_steps(board, PEAL_STEP_CORRECTS), 1, "%s", lesson->id);
    }
}

static void
expect_to_fit_a_projector(const struct peal_lesson *lesson, const struct peal_board *board)
{
    const struct peal_step *step;

    cr_expect_leq(columns(lesson->id), 8, "%s", lesson->id);
    cr_expect_leq(columns(lesson->title), 39, "%s", lesson->id);
    cr_expect_leq(columns(lesson->source), 31, "%s", lesson->id);
    for (int i = 0; (step = peal_board_step(board, i)); i++)
        if (step->kind == PEAL_STEP_SHOWS)
            cr_expect_leq(columns(step->text), LINE_COLUMNS, "%s: %s", lesson->id, step->text);
}

static void
expect_the_same_again(const struct peal_lesson *lesson, const struct peal_board *board)
{
    struct peal_board *again = teach(lesson);
    const struct peal_step *first;
    int steps = 0;

    for (; (first = peal_board_step(board, steps)); steps++) {
        const struct peal_step *second = peal_board_step(again, steps);

        cr_assert(second, "%s: %s", lesson->id, first->text);
        cr_expect_eq(first->kind, second->kind, "%s", lesson->id);
        cr_expect_str_eq(first->text, second->text, "%s", lesson->id);
    }
    cr_expect_null(peal_board_step(again, steps));
    peal_board_destroy(again);
}

/* One test of all: a lesson takes long, most of all under a sanitizer. */
Test(lessons, hold_and_correct_and_fit_a_projector_every_time, .timeout = 300)
{
    const struct peal_lesson *lesson;
    int lessons = 0;

    for (; (lesson = peal_lesson_get(lessons)); lessons++) {
        struct peal_board *board = teach(lesson);

        expect_that_claims_hold(lesson, board);
        expect_a_run_and_one_answer(lesson, board);
        expect_what_is_wrong_to_be_said(lesson, board);
        expect_to_fit_a_projector(lesson, board);
        expect_the_same_again(lesson, board);
        peal_board_destroy(board);
    }
    cr_expect_eq(lessons, 42);
}

Test(lessons, have_their_code_where_they_say, .timeout = 10)
{
    const struct peal_lesson *lesson;
    char path[1000];

    for (int i = 0; (lesson = peal_lesson_get(i)); i++) {
        char named[100] = "", text[100000] = "";
        FILE *file;

        snprintf(path, sizeof path, "%s/%s", FOLDER, lesson->code);
        file = fopen(path, "r");
        cr_assert(file, "%s: %s is missing", lesson->id, lesson->code);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        snprintf(named, sizeof named, ".id       = \"%s\"", lesson->id);
        cr_expect(strstr(text, named), "%s is not in %s", lesson->id, lesson->code);
    }
}

Test(lessons, are_found_by_id_in_any_case, .timeout = 10)
{
    const struct peal_lesson *lesson, *other;

    for (int i = 0; (lesson = peal_lesson_get(i)); i++) {
        cr_expect_eq(peal_lesson_find(lesson->id), lesson, "duplicate %s", lesson->id);
        for (int j = 0; j < i && (other = peal_lesson_get(j)); j++)
            cr_expect_str_neq(lesson->code, other->code);
    }
    cr_expect_eq(peal_lesson_find("fig415"), peal_lesson_find("FIG415"));
    cr_expect_not_null(peal_lesson_find("fig415"));
    cr_expect_null(peal_lesson_find("S"));
    cr_expect_null(peal_lesson_find("S33"));
    cr_expect_null(peal_lesson_get(-1));
}

Test(lessons, keep_a_run_to_be_read, .timeout = 10)
{
    struct peal_board *board = teach(peal_lesson_find("S3"));
    const struct peal_step *step;
    int runs = 0;

    for (int i = 0; (step = peal_board_step(board, i)); i++) {
        cr_expect_eq(step->machine != NULL, step->kind == PEAL_STEP_RUNS);
        if (step->machine) {
            cr_expect_eq(peal_machine_cost(step->machine).beta, 200);
            cr_expect_str_eq(peal_network_name(peal_machine_network(step->machine)), "line:8");
            runs++;
        }
    }
    cr_expect_eq(runs, 1);
    peal_board_destroy(board);
    peal_board_destroy(NULL);
}

/* Every number of it is compared with the run, and with the formula. */
Test(lessons, a_derivation_holds_for_any_numbers, .timeout = 300)
{
    const struct peal_lesson *lesson = peal_lesson_find("DERIVE");

    for (int P = 1; P <= 100; P += P < 34 ? 1 : 11)
        for (int ports = 1; ports <= 5; ports += 4) {
            struct peal_error error;
            const struct peal_lesson_numbers numbers = {.nodes = P, .words = (size_t)(P % 3 + 1), .ports = ports};
            struct peal_board *board = peal_lesson_teach(lesson, &numbers, &error);

            cr_assert(board, "P = %d: %s", P, error.text);
            cr_expect_eq(peal_board_failed(board), 0, "P = %d", P);
            cr_expect_eq(peal_board_checks(board), P == 1 ? 0 : 6, "P = %d", P);
            expect_to_fit_a_projector(lesson, board);
            peal_board_destroy(board);
        }
}
