/* SPDX-License-Identifier: MIT */
/* Tests of the writer of JSON: commas, lines and indentation. */
#include "lib/record/json.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

Test(json_writer, places_commas_lines_and_indentation, .timeout = 10)
{
    char *text = NULL;
    size_t bytes = 0;
    struct peal_json json = {.out = open_memstream(&text, &bytes)};

    cr_assert_not_null(json.out);
    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_STRING("a", NULL), PEAL_NUMBER("b", NAN),
                  PEAL_NUMBER("shortest", 9.95), PEAL_UINT_IF("c", true, UINT64_MAX), PEAL_INT_IF("d", false, 4),
                  PEAL_BREAK, PEAL_OPEN("empty", '['), PEAL_CLOSE(']'), PEAL_LINE(1), PEAL_OPEN("list", '['));
    for (int i = 0; i < 2; i++) {
        peal_json_put(&json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_BOOL("e", i > 0), PEAL_KEY("ratio"),
                      PEAL_RATIO(NULL, i), PEAL_CLOSE('}'));
    }
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE(']'), PEAL_KEY("text"), PEAL_LINE(0), PEAL_TEXT(NULL, "[1]"));
    peal_json_member_cost(&json, "none", NULL, (struct peal_parameters){0});
    peal_json_put(&json, PEAL_CLOSE('}'));
    fclose(json.out);
    cr_expect_str_eq(text, "{\"a\": null, \"b\": null, \"shortest\": 9.95, \"c\": 18446744073709551615, \"d\": null,\n"
                           "  \"empty\": [],\n"
                           " \"list\": [\n"
                           "    {\"e\": false, \"ratio\": 0.0},\n"
                           "    {\"e\": true, \"ratio\": 1.0}\n"
                           "  ], \"text\":\n"
                           "[1], \"none\": null}\n");
    free(text);
}

Test(json_writer, a_tight_document_has_no_blanks_in_lists, .timeout = 10)
{
    char *text = NULL;
    size_t bytes = 0;
    struct peal_json json = {.out = open_memstream(&text, &bytes), .tight = true};

    cr_assert_not_null(json.out);
    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_INT("a", 1), PEAL_OPEN("b", '['), PEAL_INT(NULL, 1),
                  PEAL_OPEN(NULL, '['), PEAL_STRING(NULL, "x"), PEAL_NULL(NULL), PEAL_CLOSE(']'), PEAL_LINE(0),
                  PEAL_INT(NULL, 2), PEAL_CLOSE(']'), PEAL_INT("c", 3), PEAL_CLOSE('}'));
    fclose(json.out);
    cr_expect_str_eq(text, "{\"a\": 1, \"b\": [1,[\"x\",null],\n2], \"c\": 3}\n");
    free(text);
}
