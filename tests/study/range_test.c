/* SPDX-License-Identifier: MIT */
/* Tests of the ranges of a sweep: the numbers that each form gives, and what is refused. */
#include "lib/study/range.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

struct good_case {
    char text[64];
    char numbers[80]; /* all of them */
};

ParameterizedTestParameters(range, gives_the_numbers_it_says)
{
    static struct good_case cases[] = {
        {"8", "8"},
        {"0", "0"},
        {"1:8", "1 2 4 8"},
        {"1:9:x2", "1 2 4 8"},
        {"3:100:x3", "3 9 27 81"},
        {"2:10:+3", "2 5 8"},
        {"0:4:+2", "0 2 4"},
        {"0:0", "0"},
        {"5:5", "5"},
        {"5:5:x7", "5"},
        {"0:0:+1", "0"},
        {"1:2:x10", "1"},
        {"1K:4Ki:x2", "1000 2000 4000"},
        {"2,4,8", "2 4 8"},
        {"1K,1Ki", "1000 1024"},
        {"18446744073709551615", "18446744073709551615"},
        {"9223372036854775808:18446744073709551615:x2", "9223372036854775808"},
        {"18446744073709551614:18446744073709551615:+1", "18446744073709551614 18446744073709551615"},
        {"18446744073709551614:18446744073709551615:+9", "18446744073709551614"},
    };

    return cr_make_param_array(struct good_case, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct good_case *c, range, gives_the_numbers_it_says, .timeout = 10)
{
    struct range range = {0};
    struct peal_error error = {PEAL_OK, ""};
    char text[200] = "";

    cr_assert_eq(peal_range_parse(c->text, 0, SIZE_MAX, &range, &error), PEAL_OK, "%s: %s", c->text, error.text);
    for (size_t i = 0; i < peal_range_count(&range); i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%zu", i ? " " : "", peal_range_get(&range, i));
    cr_expect_str_eq(text, c->numbers, "%s", c->text);
    cr_expect_eq(peal_range_is_wide(&range), strchr(c->numbers, ' ') != NULL);
}

struct bad_case {
    char text[80];
    char says[40];
};

ParameterizedTestParameters(range, refuses_what_is_not_a_range_and_leaves_the_range)
{
    static struct bad_case cases[] = {
        {"", "missing"},
        {":", "missing"},
        {"1:", "missing"},
        {":8", "missing"},
        {"1:8:", "expected a step"},
        {"1:8:2", "expected a step"},
        {"1:8:x", "missing"},
        {"1:8:x1", "leads nowhere"},
        {"1:8:x0", "leads nowhere"},
        {"1:8:+0", "leads nowhere"},
        {"1:8:+", "missing"},
        {"1:8:x-2", "not a number"},
        {"8:1", "more than"},
        {"8:1:+1", "more than"},
        {"0:8", "stays 0"},
        {"0:8:x2", "stays 0"},
        {"a:8", "not a number"},
        {"1:b", "not a number"},
        {"1:8:x2:3", "not a number"},
        {"2,", "missing"},
        {",2", "missing"},
        {"2,2", "increases"},
        {"4,2", "increases"},
        {"2,4:8", "not a number"},
        {"2,1001", "from 0 to 1000"},
        {"1001", "from 0 to 1000"},
        {"1:1001", "from 0 to 1000"},
        {"18446744073709551616", "too large"},
        {"1:1000:x18446744073709551616", "too large"},
        {"0000000000000000000000000000000000000000000000000000000000000000001:2", "too long"},
    };

    return cr_make_param_array(struct bad_case, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct bad_case *c, range, refuses_what_is_not_a_range_and_leaves_the_range, .timeout = 10)
{
    struct range range = {.first = 42, .last = 42, .step = 42, .geometric = true};
    struct peal_error error = {PEAL_OK, ""};

    cr_expect_eq(peal_range_parse(c->text, 0, 1000, &range, &error), PEAL_USAGE, "%s", c->text);
    cr_expect(strstr(error.text, c->says), "%s: %s", c->text, error.text);
    cr_expect(range.first == 42 && range.last == 42 && range.step == 42);
}

Test(range, has_so_many_numbers_at_most, .timeout = 10)
{
    struct range range = {0};
    struct peal_error error;

    cr_expect_eq(peal_range_parse("1:4096:+1", 0, SIZE_MAX, &range, &error), PEAL_OK);
    cr_expect_eq(peal_range_count(&range), 4096);
    cr_expect_eq(peal_range_parse("1:4097:+1", 0, SIZE_MAX, &range, &error), PEAL_USAGE);
    cr_expect_eq(peal_range_parse("0:18446744073709551615:+1", 0, SIZE_MAX, &range, &error), PEAL_USAGE);
    cr_expect(strstr(error.text, "larger step"));
}

Test(range, zeroed_is_empty, .timeout = 10)
{
    struct range range = {0};

    cr_expect_eq(peal_range_count(&range), 0);
    cr_expect_not(peal_range_is_wide(&range));
}
