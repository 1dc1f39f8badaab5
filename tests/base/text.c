/* SPDX-License-Identifier: MIT */
/* Tests of texts that are appended to. */
#include "lib/base/text.h"
#include <criterion/criterion.h>

Test(text, appends_until_the_room_ends_and_no_further, .timeout = 10)
{
    char room[12] = "0123456789x";
    struct peal_text text = empty_text(room, 10);

    cr_expect_str_empty(room);
    peal_append(text, "%s%d", "abc", 12);
    peal_append(text, "%s", "");
    peal_append(text, "de");
    cr_expect_str_eq(room, "abc12de");
    peal_append(text, "fg");
    cr_expect_str_eq(room, "abc12defg");
    peal_append(text, "h");
    cr_expect_str_eq(room, "abc12defg");
    cr_expect_eq(room[10], 'x');
}

Test(text, cuts_between_characters, .timeout = 10)
{
    static const char *const characters[] = {"x", "α", "…", "𝛼"};

    for (size_t bytes = 1; bytes < 12; bytes++)
        for (size_t i = 0; i < 4; i++) {
            size_t length = strlen(characters[i]);
            char room[12] = "";

            peal_append((struct peal_text){room, bytes}, "%s%s%s%s%s%s", characters[i], characters[i], characters[i],
                        "xxxxxxxx", "", "");
            size_t whole = (bytes - 1) / length < 3 ? (bytes - 1) / length * length : bytes - 1;

            cr_expect_eq(strlen(room), whole, "%zu bytes of %s: %s", bytes, characters[i], room);
        }
}

Test(text, appends_to_what_is_in_an_array, .timeout = 10)
{
    char all[8] = "a";

    for (int i = 0; i < 9; i++)
        peal_append(IN_ARRAY(all), "%s%d", *all ? "," : "", i);
    cr_expect_str_eq(all, "a,0,1,2");
}

Test(text, no_control_character_stays_but_those_that_are_kept, .timeout = 10)
{
    char all[] = "a\x1b[2J\n\tb\x7f é \xC2\x9B"
                 "c\xC2\xA0\xC2",
         lines[] = "\a\n\t";

    make_plain(all);
    cr_expect_str_eq(all, "a?[2J??b? é ?c\xC2\xA0\xC2");
    peal_plain_but(lines, "\n\t");
    cr_expect_str_eq(lines, "?\n\t");
}
