/* SPDX-License-Identifier: MIT */
/* Tests of number_parse: suffixes, limits, and what it refuses. */
#include "lib/base/number.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

struct size_case {
    char text[24];
    uint64_t value;
};

ParameterizedTestParameters(number, reads_digits_and_suffixes)
{
    static struct size_case cases[] = {
        {"0", 0},
        {"007", 7},
        {"4K", 4000},
        {"4Ki", 4096},
        {"4k", 4000},
        {"4ki", 4096},
        {"1M", 1000000},
        {"1Mi", 1048576},
        {"2G", UINT64_C(2000000000)},
        {"2Gi", UINT64_C(2147483648)},
        {"18446744073709551615", UINT64_MAX},
    };

    return cr_make_param_array(struct size_case, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct size_case *c, number, reads_digits_and_suffixes, .timeout = 10)
{
    uint64_t value = 1;
    size_t size = 1;

    cr_expect_eq(number_parse(c->text, UINT64_MAX, &value, NULL), PEAL_OK, "%s", c->text);
    cr_expect_eq(value, c->value, "%s", c->text);
    cr_expect_eq(peal_parse_size(c->text, &size, NULL), PEAL_OK, "%s", c->text);
    cr_expect_eq(size, c->value, "%s", c->text);
}

struct wrong_case {
    char text[24];
    char says[24];
};

ParameterizedTestParameters(number, refuses_what_is_not_a_number_and_leaves_the_value)
{
    static struct wrong_case cases[] = {
        {"", "missing"},
        {"-1", "not a number"},
        {"+1", "not a number"},
        {" 1", "not a number"},
        {"1 ", "not a number"},
        {"1e9", "not a number"},
        {"0x10", "not a number"},
        {"1.5", "not a number"},
        {"K", "not a number"},
        {"4m", "not a number"},
        {"4KB", "not a number"},
        {"4Kii", "not a number"},
        {"10^9", "not a number"},
        {"4i", "not a number"},
        {"18446744073709551616", "too large"},
        {"18446744073709552K", "too large"},
        {"99999999999999999999999", "too large"},
        {"1001", "too large"},
        {"1Ki", "too large"},
        {"2K", "too large"},
    };

    return cr_make_param_array(struct wrong_case, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct wrong_case *c, number, refuses_what_is_not_a_number_and_leaves_the_value, .timeout = 10)
{
    struct peal_error error = {PEAL_OK, ""};
    uint64_t value = 42;

    cr_expect_eq(number_parse(c->text, 1000, &value, &error), PEAL_USAGE, "%s", c->text);
    cr_expect_eq(error.status, PEAL_USAGE);
    cr_expect(strstr(error.text, c->says), "%s: %s", c->text, error.text);
    cr_expect_null(strchr(error.text, '\n'));
    cr_expect_eq(value, 42, "%s", c->text);
}

Test(number, names_the_largest_number_allowed, .timeout = 10)
{
    struct peal_error error;
    uint64_t value = 0;

    cr_expect_eq(number_parse("65", 64, &value, &error), PEAL_USAGE);
    cr_expect(strstr(error.text, "64"), "%s", error.text);
    cr_expect_eq(number_parse("64", 64, &value, &error), PEAL_OK);
    cr_expect_eq(value, 64);
}
