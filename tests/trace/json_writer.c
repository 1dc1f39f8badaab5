/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <math.h>
#include <peal/json.h>
#include <stdlib.h>

Test(json_writer, places_commas_lines_and_indentation, .timeout = 10)
{
    char *text = NULL;
    size_t bytes = 0;
    struct peal_json json = {.out = open_memstream(&text, &bytes)};

    cr_assert_not_null(json.out);
    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_STRING("a", NULL), PEAL_NUMBER("b", NAN),
                  PEAL_UINT_IF("c", true, UINT64_MAX), PEAL_INT_IF("d", false, 4), PEAL_BREAK, PEAL_OPEN("empty", '['),
                  PEAL_CLOSE(']'), PEAL_LINE(1), PEAL_OPEN("list", '['));
    for (int i = 0; i < 2; i++) {
        peal_json_put(&json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_BOOL("e", i > 0));
        peal_json_key(&json, "ratio");
        peal_json_ratio(&json, i);
        peal_json_close(&json, '}');
    }
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE(']'));
    peal_json_key(&json, "text");
    peal_json_line(&json, 0);
    peal_json_text(&json, "[1]");
    peal_json_member_cost(&json, "none", NULL, (struct peal_parameters){0});
    peal_json_close(&json, '}');
    fclose(json.out);
    cr_expect_str_eq(text, "{\"a\": null, \"b\": null, \"c\": 18446744073709551615, \"d\": null,\n"
                           "  \"empty\": [],\n"
                           " \"list\": [\n"
                           "    {\"e\": false, \"ratio\": 0.0},\n"
                           "    {\"e\": true, \"ratio\": 1.0}\n"
                           "  ], \"text\":\n"
                           "[1], \"none\": null}\n");
    free(text);
}
