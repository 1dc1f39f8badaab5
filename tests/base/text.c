/* SPDX-License-Identifier: MIT */
/* Tests of texts: appended to, of UTF-8, of words, for a shell. */
#include "lib/base/text.h"
#include "lib/base/shell_word.h"
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

Test(text, shows_as_many_whole_characters_as_fit, .timeout = 10)
{
    static const int fit[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10}; /* of so many bytes */

    for (int bytes = 0; bytes < 12; bytes++)
        cr_expect_eq(peal_fitting("xα…𝛼", bytes), fit[bytes], "%d bytes", bytes);
    cr_expect_eq(peal_fitting("\x80\x80", 1), 0);
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

Test(text, a_character_is_one_of_utf_8_in_its_shortest_form, .timeout = 10)
{
    static const struct {
        const char *bytes;
        int count;
        uint32_t code;
    } of[] = {{"\x7Fx", 1, 0x7F},
              {"\x80", 0, 0},
              {"\xC1\xBF", 0, 0},
              {"\xC2\x80", 2, 0x80},
              {"\xC2", 0, 0},
              {"\xE0\x9F\xBF", 0, 0},
              {"\xE0\xA0\x80", 3, 0x800},
              {"\xED\x9F\xBF", 3, 0xD7FF},
              {"\xED\xA0\x80", 0, 0},
              {"\xEE\x80\x80", 3, 0xE000},
              {"\xF0\x8F\xBF\xBF", 0, 0},
              {"\xF0\x90\x80\x80", 4, 0x10000},
              {"\xF4\x90\x80\x80", 0, 0},
              {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
              {"\xF8\x88\x80\x80", 0, 0}};
    uint32_t code;

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        cr_expect_eq(peal_character(of[i].bytes, &code), of[i].count, "%zu", i);
        cr_expect(of[i].count == 0 || code == of[i].code, "%zu: %x", i, code);
    }
}

Test(text, a_word_is_found_where_it_is_whole, .timeout = 10)
{
    static const char text[] = "sums = sum_of(a) + asum + sum1";

    cr_expect_null(peal_find_word(text, "sum"));
    cr_expect_eq(peal_find_word(text, "asum"), text + 19);
    cr_expect_eq(peal_find_word(text, "sums"), text);
    cr_expect_eq(peal_find_word(text, "sum1"), text + 26);
}

Test(text, a_shell_reads_back_what_is_written_for_it, .timeout = 10)
{
    static const char *const words[][2] = {{"a.c", "a.c"},         {"", "''"},
                                           {"a b", "'a b'"},       {"it's", "'it'\\''s'"},
                                           {"a\tb", "$'a\\011b'"}, {"\x7F'", "$'\\177\\047'"}};
    char text[40], line[] = " a\\ b 'c \"d' \"e 'f\"g\th ", open[] = "a 'b", *cut[5];

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        cr_expect_eq(peal_shell_word(words[i][0], text, sizeof text), strlen(words[i][1]));
        cr_expect_str_eq(text, words[i][1]);
    }
    cr_expect_eq(peal_shell_word("a long name", text, 4), strlen("'a long name'"));
    cr_expect_eq(peal_shell_cut(line, cut, 4), 4);
    cr_expect_str_eq(cut[0], "a b");
    cr_expect_str_eq(cut[1], "c \"d");
    cr_expect_str_eq(cut[2], "e 'fg");
    cr_expect_str_eq(cut[3], "h");
    cr_expect_null(cut[4]);
    cr_expect_eq(peal_shell_cut(open, cut, 4), -1);
    cr_expect_eq(peal_shell_cut((char[]){"a b c"}, cut, 2), -1);
}
