/* SPDX-License-Identifier: MIT */
/* Writes what a verdict goes over, as text for people, and what was left out with its reason. */
#include "lib/check/extent.h"
#include "lib/base/text.h"
#include <stdio.h>
#include <string.h>

void
extent_nodes(const bool *reached, int from, int to, char *text, size_t bytes)
{
    struct peal_text out = empty_text(text, bytes);

    for (int first = from, last; first <= to; first = last + 1) {
        last = first;
        if (!reached[first])
            continue;
        while (last < to && reached[last + 1])
            last++;
        peal_append(out, "%s%d", *text ? ", " : "", first);
        if (last > first)
            peal_append(out, "%s%d", last > first + 1 ? ".." : ", ", last);
    }
}

static void
say_sizes(struct peal_text text, const struct peal_check *check)
{
    bool blocks = peal_collective_has_blocks(check->collective);

    if (peal_form_of(check->collective)->out == PEAL_SIDE_NONE)
        return;
    if (check->sizes)
        peal_append(text, "these sizes");
    else if (check->has_words)
        peal_append(text, "%c = %zu", blocks ? 'm' : 'n', check->words);
    else if (check->words_list)
        for (int i = 0; i < check->words_count; i++)
            peal_append(text, "%s%s", i > 0 ? ", " : blocks ? "m = " : "n = ", check->words_list[i]);
    else if (check->unequal)
        peal_append(text, "blocks of 0 words, of 1, of 2, 0, 1 and of 0, 0, 3, 0 repeated");
    else if (blocks)
        peal_append(text, "m = 0, 1, 3, 20%s", check->file ? "" : ", and unequal blocks where it takes them");
    else
        peal_append(text, "n = 0, 1, P-1, P, P+1, 2P+1, 8P+3");
    peal_append(text, "; ");
}

static void
say_roots(struct peal_text text, const struct peal_check *check)
{
    const struct peal_form *form = peal_form_of(check->collective);

    if (form->by && check->has_by)
        peal_append(text, "by %d; ", check->by);
    else if (form->by)
        peal_append(text, "every distance; ");
    else if (!form->root && !form->waits)
        return;
    else if (check->has_root)
        peal_append(text, "%s %d; ", form->waits ? "late node" : "root", check->root);
    else
        peal_append(text, "%s; ",
                    form->waits    ? "each node late, and none"
                    : check->roots ? "the roots asked for"
                                   : "every root");
}

/* The other ways of calling, and with what. */
static void
say_again(struct peal_text text, const struct peal_check *check, const struct prover_end *end)
{
    bool blocks = peal_collective_has_blocks(check->collective);
    char twice[40], group[40];

    if (check->has_call)
        return;
    extent_nodes(end->called[PEAL_CALL_TWICE], 1, MAX_AGAIN, twice, sizeof twice);
    extent_nodes(end->called[PEAL_CALL_IN_GROUP], 1, MAX_AGAIN, group, sizeof group);
    if (twice[0])
        peal_append(text, "; with P = %s also called twice in a row", twice);
    if (group[0] && strcmp(twice, group) != 0)
        peal_append(text, "; with P = %s also", group);
    else if (group[0])
        peal_append(text, ", and");
    if (group[0])
        peal_append(text, " in a group that is not the world, in reverse order");
    if (end->called[PEAL_CALL_SPACED][1] || end->called[PEAL_CALL_SPACED][2])
        peal_append(text, ", with a datatype whose extent is larger than its size and with one of a struct");
    if (end->called[PEAL_CALL_GAPS][1] || end->called[PEAL_CALL_GAPS][2])
        peal_append(text, ", with gaps between blocks");
    if (end->called[PEAL_CALL_TWO_COMMS][1] || end->called[PEAL_CALL_TWO_COMMS][2])
        peal_append(text, ", on two communicators in a row");
    if (end->called[PEAL_CALL_HALVES][1] || end->called[PEAL_CALL_HALVES][2])
        peal_append(text, ", on two at once and on two that overlap");
    if ((!twice[0] && !group[0]) || check->has_words || check->sizes || check->words_list ||
        peal_form_of(check->collective)->out == PEAL_SIDE_NONE)
        return;
    if (check->unequal)
        peal_append(text, ": blocks of 2, 0, 1");
    else if (blocks)
        peal_append(text, ": m = 1, 3%s", check->file ? "" : ", and blocks of 2, 0, 1");
    else
        peal_append(text, check->divides ? ": n = P, 2P" : ": n = 1, P+1");
}

void
extent_say(const struct peal_check *check, const struct prover_end *end, struct peal_verdict *verdict)
{
    const struct peal_text cases = IN_ARRAY(verdict->cases), limits = IN_ARRAY(verdict->limits);

    say_sizes(cases, check);
    if (end->around[0])
        peal_append(cases, "sizes on both sides of what line%s %.99s compare%s; ", strchr(end->around, ',') ? "s" : "",
                    end->around, strchr(end->around, ',') ? "" : "s");
    if (end->arrays[0])
        peal_append(cases, "sizes beyond the arrays in line%s %.99s; ", strchr(end->arrays, ',') ? "s" : "",
                    end->arrays);
    say_roots(cases, check);
    peal_append(cases, check->choices ? "one order of arrival" : "every order of arrival");
    say_again(cases, check, end);
    if (end->unstored > 0 && check->has_words)
        peal_append(cases, "; of lengths alone, as data are not stored");
    else if (end->unstored > 0)
        peal_append(cases, "; with P = 2 also %s = %zu on lengths alone, with data that are not stored",
                    peal_collective_has_blocks(check->collective) ? "m" : "n", end->unstored);
    if (check->element != PEAL_ELEMENT_LABEL)
        peal_append(limits,
                    "the elements are numbers: a function that only moves and adds them, and is wrong in a case, is "
                    "right in it by a chance of less than 1 in 2^%d; ",
                    check->element == PEAL_ELEMENT_FLOAT ? 18
                    : check->element == PEAL_ELEMENT_INT ? 24
                                                         : 40);
    if (end->called_cut > 0)
        peal_append(limits, "from P = %d on not every order of arrival of two calls in a row was tried; ",
                    end->called_cut);
    if (end->far[0])
        peal_append(limits, "%.199s; ", end->far);
    if (end->most_words > 0)
        peal_append(limits, "no size above %zu word%s%s", end->most_words, plural(end->most_words),
                    end->unstored > 0 ? " but that one" : ", so a length that overflows an int is not found");
    if (has_ending(verdict->limits, "; "))
        verdict->limits[strlen(verdict->limits) - 2] = '\0';
    snprintf(verdict->costs_as, sizeof verdict->costs_as, "%.199s", end->alike);
    snprintf(verdict->not_run, sizeof verdict->not_run, "%.199s", end->not_run);
}
