/* SPDX-License-Identifier: MIT */
/* Functions that are right in a first call on all nodes with short vectors, and what finds them: sizes around what they
 * compare with, a second call, a group; and what a verdict says that it went over. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <peal/check.h>
#include <stdio.h>
#include <string.h>

static struct peal_verdict
verdict_of(const char *collective, const char *file, const char *symbol, int from, int to, const char *flags)
{
    char path[600];
    struct peal_check check = {
        .file = path, .symbol = symbol, .nodes_from = from, .nodes_to = to, .flags = flags, .timeout_seconds = 60};
    struct peal_verdict verdict;
    struct peal_error error;

    snprintf(path, sizeof path, "%s/%s.c", PROGRAMS, file);
    cr_assert(peal_collective_find(collective, &check.collective));
    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_assert_eq(verdict.error.status, PEAL_OK, "%s", verdict.error.text);
    return verdict;
}

struct function {
    char collective[20], file[24], symbol[24];
    enum peal_failure_kind kind;
    int nodes; /* of the smallest case */
    size_t words;
    enum peal_check_call call;
};

static struct function functions[] = {
    {"broadcast", "turns_at_a_size", "my_broadcast", PEAL_WRONG_RESULT, 2, 1001, PEAL_CALL_ONCE},
    {"broadcast", "turns_at_a_size", "my_broadcast_bytes", PEAL_WRONG_RESULT, 2, 8192, PEAL_CALL_ONCE},
    {"scatter", "turns_at_a_size", "my_scatter", PEAL_WRONG_RESULT, 2, 188, PEAL_CALL_ONCE},
    {"broadcast", "again", "counts_its_calls", PEAL_WRONG_RESULT, 2, 1, PEAL_CALL_TWICE},
    {"allreduce", "again", "keeps_a_sum", PEAL_WRONG_RESULT, 1, 1, PEAL_CALL_TWICE},
    {"gather", "again", "takes_from_any", PEAL_ORDER_DEPENDENT, 3, 1, PEAL_CALL_TWICE},
    {"broadcast", "again", "asks_the_world", PEAL_DEADLOCK, 1, 1, PEAL_CALL_IN_GROUP},
    {"barrier", "again", "waits_once", PEAL_WRONG_RESULT, 2, 0, PEAL_CALL_TWICE},
};

ParameterizedTestParameters(extent, finds_what_shows_only_at_a_size_again_or_in_a_group)
{
    return cr_make_param_array(struct function, functions, sizeof functions / sizeof *functions);
}

ParameterizedTest(struct function *f, extent, finds_what_shows_only_at_a_size_again_or_in_a_group, .timeout = 240)
{
    struct peal_verdict verdict = verdict_of(f->collective, f->file, f->symbol, 1, 4, NULL);
    const struct peal_finding *found = NULL;

    cr_expect(!verdict.proved, "%s", f->symbol);
    for (int i = 0; i < verdict.finding_count; i++)
        if (verdict.findings[i].kind == f->kind)
            found = &verdict.findings[i];
    cr_assert(found, "%s: not found as %s", f->symbol, peal_failure_name(f->kind));
    cr_expect(found->where.nodes == f->nodes && found->where.words == f->words && found->where.call == f->call &&
                  found->severity == PEAL_SEVERITY_ERROR,
              "%s: %s, %s", f->symbol, found->message, found->rerun);
}

ParameterizedTestParameters(extent, proves_what_is_right)
{
    return cr_make_param_array(struct function, functions, sizeof functions / sizeof *functions);
}

ParameterizedTest(struct function *f, extent, proves_what_is_right, .timeout = 240)
{
    struct peal_verdict verdict = verdict_of(f->collective, f->file, f->symbol, 1, 4, "-DRIGHT");

    cr_expect(verdict.proved, "%s: %s%s", f->symbol, verdict.reason, verdict.findings[0].message);
    cr_expect_str_eq(verdict.bound, "1..4");
    cr_expect(strstr(verdict.cases, "; with P = 1..4 also called twice in a row, and in a group"), "%s", verdict.cases);
    cr_expect_str_eq(verdict.not_run, "", "%s", f->symbol);
}

/* What is proved and what is not, on the compilers and processors that are watched. */
Test(extent, names_what_it_compares_with_and_what_it_did_not_run, .timeout = 120)
{
    struct peal_verdict near = verdict_of("broadcast", "turns_at_a_size", "my_broadcast", 2, 2, "-DRIGHT"),
                        far = verdict_of("allgather", "turns_at_a_size", "my_allgather", 1, 2, NULL);

    cr_expect(near.proved && strstr(near.cases, "both sides of what line 38 compares; "), "%s", near.cases);
    cr_expect(strstr(near.limits, "no size above 1001 words, so a length that overflows an int"), "%s", near.limits);
    cr_expect(far.proved, "%s", far.reason);
    cr_expect(strstr(far.limits, "line 69 changes at 50000000 words with P = 1, and at most 1048576 are run"), "%s",
              far.limits);
#if defined __x86_64__
    cr_expect_str_eq(far.not_run, "70, 74..75");
#endif
}

/* Of sizes around a comparison all five roots with both deliveries are run; of long ones two cases. */
Test(extent, runs_few_cases_of_long_sizes_around_a_comparison, .timeout = 240)
{
    struct peal_verdict near = verdict_of("broadcast", "turns_at_a_size", "my_broadcast", 5, 5, "-DRIGHT"),
                        far = verdict_of("broadcast", "turns_at_a_size", "my_broadcast", 5, 5, "-DRIGHT -DTURN=200000");

    cr_expect(near.proved && far.proved, "%s%s", near.reason, far.reason);
    cr_expect_eq(near.runs - far.runs, 3 * (10 - 2), "%d and %d runs", (int)near.runs, (int)far.runs);
}

/* A finding's own options run it again, and nothing else. */
Test(extent, runs_a_second_call_and_a_group_again, .timeout = 60)
{
    struct peal_check check = {.collective = PEAL_BROADCAST,
                               .file = PROGRAMS "/again.c",
                               .nodes_from = 2,
                               .nodes_to = 2,
                               .has_words = true,
                               .words = 1,
                               .has_root = true,
                               .has_ports = true,
                               .ports = 1,
                               .has_delivery = true,
                               .has_call = true,
                               .call = PEAL_CALL_TWICE};
    struct peal_verdict verdict;
    struct peal_error error;

    for (int i = 0; i < 2; i++) {
        check.symbol = i == 0 ? "counts_its_calls" : "asks_the_world";
        check.call = i == 0 ? PEAL_CALL_TWICE : PEAL_CALL_IN_GROUP;
        cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
        cr_assert_eq(verdict.finding_count, 1, "%s", check.symbol);
        cr_expect(strstr(verdict.findings[0].rerun, i == 0 ? " --call twice" : " --call group"), "%s",
                  verdict.findings[0].rerun);
        check.call = PEAL_CALL_ONCE;
        cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
        cr_expect(verdict.proved && verdict.runs == 1, "%s", check.symbol);
    }
}
