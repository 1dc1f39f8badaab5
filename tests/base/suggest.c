/* SPDX-License-Identifier: MIT */
/* Tests of peal_suggest: which names count as near, and which of several is taken. */
#include <criterion/criterion.h>
#include <peal/base.h>

static const char *const names[] = {"scatter", "gather", "broadcast", "reduce", "allreduce", "run", "--nodes", NULL};

Test(suggest, finds_a_letter_more_less_another_or_two_swapped, .timeout = 10)
{
    cr_expect_str_eq(peal_suggest("scater", names), "scatter");
    cr_expect_str_eq(peal_suggest("scattter", names), "scatter");
    cr_expect_str_eq(peal_suggest("scapter", names), "scatter");
    cr_expect_str_eq(peal_suggest("boradcast", names), "broadcast");
    cr_expect_str_eq(peal_suggest("rn", names), "run");
    cr_expect_str_eq(peal_suggest("urn", names), "run");
    cr_expect_str_eq(peal_suggest("--node", names), "--nodes");
}

Test(suggest, takes_the_nearest_and_the_first_among_equals, .timeout = 10)
{
    static const char *const close[] = {"mesh", "meso", "mess", NULL};

    cr_expect_str_eq(peal_suggest("mesk", close), "mesh");
    cr_expect_str_eq(peal_suggest("mess", close), "mess");
}

Test(suggest, is_silent_when_nothing_is_near, .timeout = 10)
{
    cr_expect_null(peal_suggest("hypercube", names));
    cr_expect_null(peal_suggest("", names));
    cr_expect_null(peal_suggest("r", names));
    cr_expect_null(peal_suggest("scatter", (const char *const[]){NULL}));
    cr_expect_str_eq(peal_suggest("reduce-scxxxer", (const char *const[]){"reduce-scatter", NULL}), "reduce-scatter");
    cr_expect_null(peal_suggest("reduce-xxxxter", (const char *const[]){"reduce-scatter", NULL}));
}

Test(suggest, survives_words_of_any_length, .timeout = 10)
{
    char word[5000];

    memset(word, 's', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    cr_expect_null(peal_suggest(word, names));
    cr_expect_str_eq(peal_suggest("run", (const char *const[]){word, "run", NULL}), "run");
}
