/* SPDX-License-Identifier: MIT */
/* Tests of labels against plain lists of leaves and against numbers, with combinations drawn by chance. */
#include "lib/labels/labels.h"
#include <criterion/criterion.h>
#include <peal/machine.h>
#include <stdlib.h>
#include <string.h>

enum { LEAVES = 6 };

/* A combination in three forms: a label, the leaves that it should have, and the same combination of numbers. */
struct three {
    uint64_t label, number;
    int leaves[LEAVES];
    int count;
};

static uint64_t
number_of(int leaf)
{
    return ((uint64_t)(leaf + 2) * UINT64_C(0x9e3779b97f4a7c15)) | 1;
}

/* Combine the leaves first .. last-1 of the order with brackets drawn by chance. */
static struct three
combine(const int *order, int first, int last)
{
    struct three result = {.count = 0};

    if (last - first == 1) {
        result = (struct three){label_make(LABEL_WORD, order[first], 7), number_of(order[first]), {order[first]}, 1};
        return result;
    }
    int middle = first + 1 + rand() % (last - first - 1);
    struct three left = combine(order, first, middle), right = combine(order, middle, last);

    label_op.combine(&left.label, &right.label, &result.label, 1);
    peal_affine.combine(&left.number, &right.number, &result.number, 1);
    memcpy(result.leaves, left.leaves, (size_t)left.count * sizeof *left.leaves);
    memcpy(result.leaves + left.count, right.leaves, (size_t)right.count * sizeof *right.leaves);
    result.count = left.count + right.count;
    return result;
}

/* Some of the leaves in some order, the same one perhaps twice. */
static struct three
draw(void)
{
    int order[LEAVES], count = 1 + rand() % LEAVES;

    for (int i = 0; i < count; i++)
        order[i] = rand() % 3;
    return combine(order, 0, count);
}

Test(labels, are_equal_exactly_where_their_leaves_are_and_as_numbers_are, .timeout = 60)
{
    int equal = 0;

    srand(1);
    labels_begin(false);
    for (int i = 0; i < 20000; i++) {
        struct three a = draw(), b = draw();
        bool same = a.count == b.count && memcmp(a.leaves, b.leaves, (size_t)a.count * sizeof *a.leaves) == 0;

        equal += same;
        cr_assert_eq(a.label == b.label, same);
        cr_assert(!same || a.number == b.number);
        cr_assert_eq(label_leaves(a.label), (size_t)a.count);
        for (int j = 0; j < a.count; j++) {
            struct leaf leaf = label_leaf(a.label, (size_t)j);

            cr_assert(leaf.kind == LABEL_WORD && leaf.node == a.leaves[j] && leaf.index == 7);
        }
    }
    cr_expect_gt(equal, 100, "both cases came up");
    labels_end();
}

Test(labels, without_order_count_how_often, .timeout = 10)
{
    labels_begin(false);
    uint64_t x0 = label_make(LABEL_WORD, 0, 0), x1 = label_make(LABEL_WORD, 1, 0);
    uint64_t both = label_join(x0, x1, true);

    cr_expect_eq(both, label_join(x1, x0, true));
    cr_expect_neq(label_join(both, x1, true), label_join(both, x0, true));
    cr_expect_neq(label_join(both, x1, true), both);
    cr_expect_neq(label_join(x1, x0, false), label_join(x0, x1, false));
    labels_end();
}

Test(labels, of_an_earlier_run_are_none, .timeout = 10)
{
    labels_begin(false);
    uint64_t leaf = label_make(LABEL_WORD, 3, 5), sequence = label_join(leaf, leaf, false);

    cr_expect_eq(label_kind(leaf), LABEL_WORD);
    cr_expect_eq(label_kind(sequence), LABEL_SEQUENCE);
    labels_begin(false);
    cr_expect_eq(label_kind(leaf), LABEL_NONE);
    cr_expect_eq(label_kind(sequence), LABEL_NONE);
    cr_expect_neq(leaf, label_make(LABEL_WORD, 3, 5));
    for (uint64_t number = 0; number < 1000; number++)
        cr_expect_eq(label_kind(number), LABEL_NONE);
    labels_end();
}

Test(labels, survive_more_runs_than_they_have_bits_for, .timeout = 60)
{
    for (int i = 0; i < (1 << 24) + 5; i++) {
        labels_begin(false);
        if (i % 4096 != 0 && i < 1 << 24)
            continue;
        uint64_t x0 = label_make(LABEL_WORD, 0, 0), x1 = label_make(LABEL_WORD, 1, 0);

        cr_assert_eq(label_leaves(label_join(x0, x1, false)), 2);
    }
    labels_end();
}

/* What is said of `is` in place of `should`, at word 0 of node 3. */
static void
expect_said(uint64_t is, uint64_t should, enum peal_failure_kind kind, const char *said)
{
    char text[400];

    cr_expect_eq(label_explain(is, should, 3, 0, true, text, sizeof text), kind);
    cr_expect_str_eq(text, said);
}

Test(labels, report_mistakes_in_the_words_of_the_course, .timeout = 10)
{
    labels_begin(false);
    uint64_t x0 = label_make(LABEL_WORD, 0, 0), x1 = label_make(LABEL_WORD, 1, 0), x2 = label_make(LABEL_WORD, 2, 0);
    uint64_t x01 = label_join(x0, x1, false), all = label_join(x01, x2, false);

    expect_said(label_join(label_join(x0, x2, false), x1, false), all, PEAL_NONCOMMUTATIVE_ORDER,
                "holds x₀⊕x₂⊕x₁; rank order is needed: x₀⊕x₁⊕x₂");
    expect_said(label_join(all, x2, false), all, PEAL_WRONG_RESULT,
                "holds x₀⊕x₁⊕x₂⊕x₂; x₂ was added twice; expected x₀⊕x₁⊕x₂");
    expect_said(x01, all, PEAL_WRONG_RESULT, "holds x₀⊕x₁; x₂ is missing; expected x₀⊕x₁⊕x₂");
    expect_said(label_make(LABEL_UNSET, 3, 0), all, PEAL_WRONG_RESULT, "is never written");
    expect_said(label_join(x01, label_make(LABEL_WORD, 2, 4), false), all, PEAL_WRONG_RESULT,
                "holds x₀⊕x₁⊕x₂[4]; x₂[4] does not belong, x₂ is missing; expected x₀⊕x₁⊕x₂");
    expect_said(label_join(x01, label_make(LABEL_UNSET, 3, 0), false), all, PEAL_WRONG_RESULT,
                "holds x₀⊕x₁⊕(never written, node 3); a word that nobody had was combined, x₂ is missing; expected "
                "x₀⊕x₁⊕x₂");
    labels_end();
}
