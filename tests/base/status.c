/* SPDX-License-Identifier: MIT */
/* Tests of peal_refuse and quote: what is too long is cut at a character. */
#include "lib/base/text.h"
#include <criterion/criterion.h>
#include <peal/base.h>

Test(status, refusing_fills_the_error_and_returns_its_status, .timeout = 10)
{
    struct peal_error error;

    cr_expect_eq(peal_refuse(&error, PEAL_USAGE, "%d nodes", 3), PEAL_USAGE);
    cr_expect_eq(error.status, PEAL_USAGE);
    cr_expect_str_eq(error.text, "3 nodes");
    cr_expect_eq(peal_refuse(NULL, PEAL_TIMEOUT, "the message is not read"), PEAL_TIMEOUT);
}

Test(status, a_text_that_is_too_long_is_cut_at_a_character, .timeout = 10)
{
    char text[2000] = "";

    for (int i = 0; i < 4; i++) { /* α takes two bytes: one of the offsets cuts it in the middle */
        struct peal_error error;
        size_t used = (size_t)i;

        memset(text, 'x', used);
        for (; used + 2 < sizeof text; used += 2)
            memcpy(text + used, "α", 3);
        peal_refuse(&error, PEAL_USAGE, "%s", text);
        size_t length = strlen(error.text);

        cr_expect(length >= sizeof error.text - 3 && length < sizeof error.text, "%zu", length);
        cr_expect_eq((length - (size_t)i) % 2, 0, "cut inside a character at %zu", length);
        cr_expect_eq(memcmp(error.text, text, length), 0);
    }
}

Test(status, a_text_that_just_fits_is_whole, .timeout = 10)
{
    struct peal_error error;
    char text[sizeof error.text];

    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    peal_refuse(&error, PEAL_USAGE, "%s", text);
    cr_expect_str_eq(error.text, text);
}

Test(quote, cuts_what_does_not_fit, .timeout = 10)
{
    char text[79];

    memset(text, 'x', 78);
    text[77] = text[78] = '\0';
    cr_expect_eq(strlen(quote(text).text), 79);
    cr_expect_null(strstr(quote(text).text, "..."));
    text[77] = 'x';
    cr_expect_str_eq(quote(text).text + 74, "x...'");
}

Test(quote, makes_one_line_of_anything, .timeout = 10)
{
    char text[500];

    cr_expect_str_eq(quote("mesh").text, "'mesh'");
    cr_expect_str_eq(quote("a\nb\033c\x7F").text, "'a?b?c?'");
    cr_expect_str_eq(quote("").text, "''");
    cr_expect_str_eq(quote("a\u202Eb\u2066c\u200Fd\uFEFFe\u00ADf\u2028g\U000E0041h\xC2\x85i").text,
                     "'a?b?c?d?e?f?g?h?i'");
    cr_expect_str_eq(quote("\u00AC\u00AE\u200A\u2010\u202F\u2070\xE2\x80").text,
                     "'\u00AC\u00AE\u200A\u2010\u202F\u2070\xE2\x80'");
    for (int i = 0; i < 3; i++) {
        memset(text, 'x', (size_t)i);
        for (size_t used = (size_t)i; used + 3 < sizeof text; used += 3)
            memcpy(text + used, "→", 4);
        struct quoted quoted = quote(text);
        size_t length = strlen(quoted.text);

        cr_expect_lt(length, sizeof quoted.text);
        cr_expect_str_eq(quoted.text + length - 4, "...'");
        cr_expect_eq((length - 5 - (size_t)i) % 3, 0, "cut inside a character: %s", quoted.text);
    }
}
