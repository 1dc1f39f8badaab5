/* SPDX-License-Identifier: MIT */
/* The cases of each form of call, with each precondition, have each two kinds of case that go together in some run; and
 * this is noticed where one of the kinds is no longer made. */
#include "lib/check/cases.h"
#include "lib/check/expression.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define BIT(kind) (1U << (kind))

enum { NODES = 5 };

/* Kinds by how far they apply: each function for MPI; with words; with a root; and so on. */
enum {
    ON_COMMS = PEAL_CALL_TWICE | PEAL_CALL_IN_GROUP | PEAL_CALL_TWO_COMMS | PEAL_CALL_HALVES | PEAL_CALL_OVERLAP,
    TYPES = PEAL_CALL_SPACED | PEAL_CALL_STRUCT,
    WORDS = TYPES | PEAL_CALL_SIZES | 1 << PEAL_KIND_EMPTY,
    ROOT = PEAL_CALL_ROOTS | 1 << PEAL_KIND_ROOT,
    PLACE = 1 << PEAL_KIND_IN_PLACE,
    LISTS = 1 << PEAL_KIND_UNEQUAL,
    VECTORS = ON_COMMS | WORDS | PLACE,
    MADE = CALLS_ALL | PLACE /* by the ways of calling; the others are of sizes and roots */
};

static const struct form {
    enum peal_collective collective;
    bool unequal;
    unsigned kinds;
} forms[] = {
    {PEAL_BROADCAST, false, ON_COMMS | WORDS | ROOT},
    {PEAL_SCATTER, false, VECTORS | ROOT | PEAL_CALL_GIVEN},
    {PEAL_SCATTER, true, VECTORS | ROOT | PEAL_CALL_GIVEN | LISTS | PEAL_CALL_GAPS},
    {PEAL_GATHER, false, VECTORS | ROOT | PEAL_CALL_GIVEN},
    {PEAL_GATHER, true, VECTORS | ROOT | PEAL_CALL_GIVEN | LISTS | PEAL_CALL_GAPS},
    {PEAL_ALLGATHER, false, VECTORS},
    {PEAL_ALLGATHER, true, VECTORS | LISTS | PEAL_CALL_GAPS},
    {PEAL_REDUCE, false, VECTORS | ROOT | PEAL_CALL_GIVEN},
    {PEAL_ALLREDUCE, false, VECTORS},
    {PEAL_REDUCE_SCATTER, false, VECTORS},
    {PEAL_REDUCE_SCATTER, true, VECTORS | LISTS},
    {PEAL_ALLTOALL, false, VECTORS},
    {PEAL_ALLTOALL, true, VECTORS | LISTS | PEAL_CALL_GAPS},
    {PEAL_SCAN, false, VECTORS},
    {PEAL_EXSCAN, false, VECTORS},
    {PEAL_BARRIER, false, ON_COMMS},
};

static const char *const conditions[] = {NULL,     "P = 2^q",   "P > 1",    "P % 2 = 0", "n >= P",
                                         "n >= 7", "n % P = 0", "n >= 100", "m > 2",     "P > 2, n >= 2*P"};

/* What takes a kind out of the cases that are made; 0: nothing does. */
static struct {
    unsigned kinds;
    bool sizes[CALLED_SIZES]; /* of calls in other ways */
    bool pairs;               /* ways in which several things come together */
} without;

/* Whether the kinds are ever together in this form of call. */
static bool
go_together(const struct peal_check *check, int i, int j)
{
    const unsigned both = BIT(i) | BIT(j), calls = both & ON_COMMS;
    const bool pairs = check->collective == PEAL_ALLTOALL;

    if ((calls & (calls - 1)) != 0 || (both & TYPES) == TYPES)
        return false;
    if (both & PEAL_CALL_IN_GROUP && both & (PEAL_CALL_ROOTS | PEAL_CALL_SIZES))
        return false;
    return !(both & PLACE && ((both & LISTS && pairs) || (both & BIT(PEAL_KIND_EMPTY) && (pairs || !check->unequal))));
}

/* Whether the case is of a kind that is taken out, and that no way of calling makes. */
static bool
is_taken_out(const struct cases *cases, const struct peal_check *check, const struct peal_check_case *c)
{
    struct run_tally tally = {.once.all = 0};

    if (!(without.kinds & ~MADE))
        return false;
    cases_count_runs(&tally, cases, check, c, 1);
    for (int i = 0; i < PEAL_KINDS; i++)
        if (without.kinds & ~MADE & BIT(i) && tally.kinds[i][i] > 0)
            return true;
    return false;
}

/* Count the cases of so many nodes by kinds. */
static void
count_cases(const struct peal_check *check, int nodes, struct run_tally *tally)
{
    struct cases cases;
    struct called_way ways[MAX_WAYS];
    struct peal_error error;
    int count = ways_list(check, nodes, ways);

    cr_assert_eq(cases_init(&cases, check, nodes, &error), PEAL_OK);
    for (int k = 0; k < CALLED_SIZES; k++)
        cases.called[k] = without.sizes[k] ? -1 : cases.called[k];
    for (int w = 0; w < count; w++)
        for (size_t i = 0; i < cases_count(&cases, check); i++) {
            struct peal_check_case c = cases_get(&cases, check, i);

            c.call = ways[w].call;
            if ((without.pairs && way_is_several(&ways[w])) || !cases_is_called(&cases, check, i, &ways[w]))
                continue;
            c.call &= ~without.kinds;
            c.in_place &= !(without.kinds & PLACE);
            if (cases_fits(check, &c) && !is_taken_out(&cases, check, &c))
                cases_count_runs(tally, &cases, check, &c, 1);
        }
    cases_fini(&cases);
}

/* The pairs of kinds that the precondition leaves and of which there is no case. */
static int
missing_pairs(const struct form *form, struct peal_check *check, const char *what)
{
    struct run_tally tally = {.once.all = 0};
    unsigned kinds = form->kinds;
    int missing = 0;

    *check = (struct peal_check){.collective = form->collective,
                                 .unequal = form->unequal,
                                 .file = "f.c",
                                 .symbol = "f",
                                 .mpi = true,
                                 .nodes_from = 1,
                                 .nodes_to = NODES,
                                 .only = check->only,
                                 .nonzero = check->nonzero,
                                 .divides = check->divides,
                                 .has_root = check->has_root,
                                 .contiguous = check->contiguous,
                                 .words_list = check->words_list,
                                 .words_count = check->words_count};
    if (check->has_root)
        kinds &= ~(unsigned)ROOT;
    if (check->words_list)
        kinds &= ~(unsigned)PEAL_CALL_SIZES;
    if (check->contiguous)
        kinds &= ~(unsigned)TYPES;
    if (check->nonzero || (!form->unequal && (check->only || check->words_list)))
        kinds &= ~BIT(PEAL_KIND_EMPTY);
    for (int P = 1; P <= NODES; P++)
        count_cases(check, P, &tally);
    for (int i = 0; i < PEAL_KINDS; i++)
        for (int j = 0; j <= i; j++)
            if (kinds >> i & kinds >> j & 1 && go_together(check, i, j) && tally.kinds[i][j] == 0) {
                missing++;
                if (what)
                    cr_expect_fail("%s%s, %s: no case of kinds %d and %d", peal_collective_name(form->collective),
                                   form->unequal ? "v" : "", what, j, i);
            }
    return missing;
}

/* The pairs that are missing of all forms, with all preconditions; without words, up to the first that misses any. */
static int
missing_in_all(bool tells)
{
    static const char *const words[] = {"3", "2*P"};
    const int condition_count = sizeof conditions / sizeof *conditions;
    int missing = 0;

    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int i = 0; i < condition_count; i++)
            for (int k = 0; k < (i > 0 ? 16 : 32) && (tells || missing == 0); k++) {
                struct peal_check check = {.only = conditions[i],
                                           .nonzero = k & 1,
                                           .divides = k & 2,
                                           .has_root = k & 4,
                                           .contiguous = k & 16,
                                           .words_list = k & 8 ? words : NULL,
                                           .words_count = 2};
                char what[100];

                if ((k & 8 && (conditions[i] || k & 2)) || /* sizes that are asked for, or none, may not fulfil them */
                    (conditions[i] && forms[f].collective == PEAL_BARRIER))
                    continue;
                snprintf(what, sizeof what, "%s%s%s%s%s%s", conditions[i] ? conditions[i] : "", k & 1 ? " nonzero" : "",
                         k & 2 ? " divides" : "", k & 4 ? " root 0" : "", k & 8 ? " sizes" : "",
                         k & 16 ? " contiguous" : "");
                missing += missing_pairs(&forms[f], &check, tells ? what : NULL);
            }
    return missing;
}

Test(covering, has_each_two_kinds_of_case_in_a_run_with_each_precondition, .timeout = 120)
{
    cr_expect_eq(missing_in_all(true), 0);
}

/* Each kind is taken out of the cases in turn. */
Test(covering, notices_each_kind_that_is_no_longer_made, .timeout = 240)
{
    for (int i = 0; i < PEAL_KINDS; i++) {
        without.kinds = BIT(i);
        cr_expect_gt(missing_in_all(false), 0, "kind %d", i);
    }
    without.kinds = 0;
    for (int i = 0; i < CALLED_SIZES; i++) {
        without.sizes[i] = true;
        cr_expect_gt(missing_in_all(false), 0, "sizes %d", i);
        without.sizes[i] = false;
    }
    without.pairs = true;
    cr_expect_gt(missing_in_all(false), 0);
}
