/* SPDX-License-Identifier: MIT */
/* Finds the name nearest to a mistyped word, the first among equals, by the edits between them, neighbours swapped
 * counting as one: at most a third of the word's length, at least 1 and at most 3. */
#include "lib/base/nearest.h"
#include <limits.h>

enum { LONGEST = 64, FARTHEST = 3 }; /* characters of a word, edits */

static int
min_int(int a, int b)
{
    return a < b ? a : b;
}

/* The edits from a to b, whose lengths are at most LONGEST; row i of the table is about the first i characters of a. */
static int
edits(const char *a, const char *b)
{
    int rows[3][LONGEST + 1] = {{0}};
    int *before = rows[0], *above = rows[1], *row = rows[2];
    int columns = (int)strlen(b);

    for (int j = 0; j <= columns; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int *oldest = before;

        before = above;
        above = row;
        row = oldest;
        row[0] = i;
        for (int j = 1; j <= columns; j++) {
            row[j] = min_int(min_int(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min_int(row[j], before[j - 2] + 1);
        }
    }
    return row[columns];
}

bool
peal_nearest_offer(struct nearest *near, const char *name)
{
    size_t length = strlen(near->word);
    int within = near->name ? near->within - 1 : length / 3 > FARTHEST ? FARTHEST : length < 6 ? 1 : (int)(length / 3);
    int distance = length > LONGEST || strlen(name) > LONGEST ? INT_MAX : edits(near->word, name);

    peal_append(IN_ARRAY(near->all), "%s%s", near->all[0] ? ", " : "", name);
    if (distance > within)
        return false;
    near->name = name;
    near->within = distance;
    return true;
}

const char *
peal_nearest_words(struct nearest *near, const char *otherwise)
{
    if (!near->name)
        return otherwise;
    snprintf(near->words, sizeof near->words, "; did you mean %s%s%s?", near->before ? near->before : "", near->name,
             near->after ? near->after : "");
    return near->words;
}

const char *
peal_suggest(const char *word, const char *const *names)
{
    struct nearest near = {.word = word};

    for (; *names; names++)
        peal_nearest_offer(&near, *names);
    return near.name;
}
