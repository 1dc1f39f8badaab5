/* SPDX-License-Identifier: MIT */
/* Tests of strings in JSON: which characters are escaped. */
#include "lib/record/json.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>

/* What is written for `text`; the caller frees it. */
static char *
written(const char *text)
{
    char *buffer = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&buffer, &bytes);

    cr_assert_not_null(out);
    peal_json_put(&(struct peal_json){.out = out}, PEAL_STRING(NULL, text));
    fclose(out);
    return buffer;
}

struct string_case {
    char text[24];
    char json[64];
};

ParameterizedTestParameters(json_string, escapes_what_must_be_and_keeps_the_rest)
{
    static struct string_case cases[] = {
        {"", "\"\""},
        {"plain", "\"plain\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"line\nend\ttab\r", "\"line\\nend\\ttab\\u000d\""},
        {"\001\037\177", "\"\\u0001\\u001f\\u007f\""},
        {"α⌈x⌉−😀", "\"α⌈x⌉−😀\""},
        {"a\xFFz", "\"a\\ufffdz\""},
        {"\x80", "\"\\ufffd\""},
        {"\xC3", "\"\\ufffd\""}, /* ends in the middle */
        {"\xE2\x82", "\"\\ufffd\\ufffd\""},
        {"\xC0\xAF", "\"\\ufffd\\ufffd\""}, /* overlong */
        {"\xE0\x80\xAF", "\"\\ufffd\\ufffd\\ufffd\""},
        {"\xED\xA0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* a surrogate */
        {"\xF4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* beyond Unicode */
        {"\xC3\"", "\"\\ufffd\\\"\""},                            /* the quote is not swallowed */
    };

    return cr_make_param_array(struct string_case, cases, sizeof cases / sizeof *cases);
}

ParameterizedTest(struct string_case *c, json_string, escapes_what_must_be_and_keeps_the_rest, .timeout = 10)
{
    char *json = written(c->text);

    cr_expect_str_eq(json, c->json);
    free(json);
}

Test(json_string, of_null_is_null, .timeout = 10)
{
    char *json = written(NULL);

    cr_expect_str_eq(json, "null");
    free(json);
}
