/* SPDX-License-Identifier: MIT */
/* Writes what a verdict goes over, as text for people, and what was left out with its reason. */
#include "lib/check/extent.h"
#include "lib/base/plural.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
extent_nodes(const bool *reached, int from, int to, char *text, size_t bytes)
{
    size_t length = 0;

    text[0] = '\0';
    for (int first = from, last; first <= to; first = last + 1) {
        last = first;
        if (!reached[first])
            continue;
        while (last < to && reached[last + 1])
            last++;
        if (length >= bytes)
            break;
        if (last > first + 1)
            length += (size_t)snprintf(text + length, bytes - length, "%s%d..%d", length ? ", " : "", first, last);
        else if (last > first)
            length += (size_t)snprintf(text + length, bytes - length, "%s%d, %d", length ? ", " : "", first, last);
        else
            length += (size_t)snprintf(text + length, bytes - length, "%s%d", length ? ", " : "", first);
    }
}

struct extent_text {
    char *start;
    size_t bytes;
};

static void say(const struct extent_text *text, const char *format, ...) PEAL_PRINTF(2, 3);

static void
say(const struct extent_text *text, const char *format, ...)
{
    size_t length = strlen(text->start);
    va_list list;

    va_start(list, format);
    vsnprintf(text->start + length, text->bytes - length, format, list);
    va_end(list);
}

static void
say_sizes(const struct extent_text *text, const struct peal_check *check)
{
    bool blocks = peal_collective_has_blocks(check->collective);

    if (peal_form_of(check->collective)->out == PEAL_SIDE_NONE)
        return;
    if (check->sizes)
        say(text, "these sizes");
    else if (check->has_words)
        say(text, "%c = %zu", blocks ? 'm' : 'n', check->words);
    else if (check->words_list)
        for (int i = 0; i < check->words_count; i++)
            say(text, "%s%s", i > 0 ? ", " : blocks ? "m = " : "n = ", check->words_list[i]);
    else if (check->unequal)
        say(text, "blocks of 0 words, of 1, of 2, 0, 1 and of 0, 0, 3, 0 over and over");
    else if (blocks)
        say(text, "m = 0, 1, 3, 20%s", check->file ? "" : ", and unequal blocks where it takes them");
    else
        say(text, "n = 0, 1, P-1, P, P+1, 2P+1, 8P+3");
    say(text, "; ");
}

static void
say_roots(const struct extent_text *text, const struct peal_check *check)
{
    const struct peal_form *form = peal_form_of(check->collective);

    if (form->by && check->has_by)
        say(text, "by %d; ", check->by);
    else if (form->by)
        say(text, "every distance; ");
    else if (!form->root && !form->waits)
        return;
    else if (check->has_root)
        say(text, "%s %d; ", form->waits ? "late node" : "root", check->root);
    else
        say(text, "%s; ",
            form->waits    ? "each node late, and none"
            : check->roots ? "the roots asked for"
                           : "every root");
}

/* The other ways of calling, and with what. */
static void
say_again(const struct extent_text *text, const struct peal_check *check, const struct prover_end *end)
{
    bool blocks = peal_collective_has_blocks(check->collective);
    char twice[40], group[40];

    if (check->has_call)
        return;
    extent_nodes(end->called[PEAL_CALL_TWICE], 1, MAX_AGAIN, twice, sizeof twice);
    extent_nodes(end->called[PEAL_CALL_IN_GROUP], 1, MAX_AGAIN, group, sizeof group);
    if (twice[0])
        say(text, "; with P = %s also called twice in a row", twice);
    if (group[0] && strcmp(twice, group) != 0)
        say(text, "; with P = %s also", group);
    else if (group[0])
        say(text, ", and");
    if (group[0])
        say(text, " in a group that is not the world, in reverse order");
    if ((!twice[0] && !group[0]) || check->has_words || check->sizes || check->words_list ||
        peal_form_of(check->collective)->out == PEAL_SIDE_NONE)
        return;
    if (check->unequal)
        say(text, ": blocks of 2, 0, 1");
    else if (blocks)
        say(text, ": m = 1, 3%s", check->file ? "" : ", and blocks of 2, 0, 1");
    else
        say(text, ": n = 1, P+1");
}

void
extent_say(const struct peal_check *check, const struct prover_end *end, struct peal_verdict *verdict)
{
    const struct extent_text cases = {verdict->cases, sizeof verdict->cases},
                             limits = {verdict->limits, sizeof verdict->limits};

    say_sizes(&cases, check);
    if (end->around[0])
        say(&cases, "sizes on both sides of what line%s %.99s compare%s; ", strchr(end->around, ',') ? "s" : "",
            end->around, strchr(end->around, ',') ? "" : "s");
    say_roots(&cases, check);
    say(&cases, check->choices ? "one order of arrival" : "every order of arrival");
    say_again(&cases, check, end);
    if (end->called_cut > 0)
        say(&limits, "from P = %d on not every order of arrival of two calls in a row was tried; ", end->called_cut);
    if (end->far[0])
        say(&limits, "%.199s; ", end->far);
    if (end->most_words > 0)
        say(&limits, "no size above %zu word%s, so a length that overflows an int is not found", end->most_words,
            plural(end->most_words));
    snprintf(verdict->not_run, sizeof verdict->not_run, "%.199s", end->not_run);
}
