/* SPDX-License-Identifier: MIT */
/* Writes what a verdict covers, as text for people, and what was left out with the reason. */
#include "lib/check/extent.h"
#include "lib/check/sizes.h"
#include "lib/labels/vectors.h"

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

/* The names of the sizes that are not given. */
static const char *const *
names_of(const struct peal_check *check)
{
    if (check->words_list)
        return check->words_list;
    return check->unequal                                  ? sizes_of_lists
           : peal_collective_has_blocks(check->collective) ? sizes_of_blocks
                                                           : sizes_of_vectors;
}

/* Whether sizes of this name were run with every number of nodes above 1, or with 1 if there are no others. */
static bool
was_run(const struct named *named, int name)
{
    return named->all > 0 ? named->numbers[name] == named->all : named->of_one >> name & 1;
}

/* List the sizes that were run: "n = 1, P+1". */
static void
say_named(struct peal_text text, const struct peal_check *check, const struct named *named)
{
    const char *const *names = names_of(check);
    const bool blocks = peal_collective_has_blocks(check->collective), lists = check->unequal && !check->words_list;
    int count = 0, said = 0;

    for (int i = 0; i < SIZES_UNEQUAL && (check->words_list ? i < check->words_count : names[i] != NULL); i++)
        count += was_run(named, i);
    peal_append(text, "%s", count == 0 ? "sizes" : lists ? "blocks " : blocks ? "m = " : "n = ");
    for (int i = 0; said < count; i++)
        if (was_run(named, i)) {
            peal_append(text, "%s%s%s",
                        said == 0                    ? ""
                        : lists && said + 1 == count ? " and "
                                                     : ", ",
                        lists ? "of " : "", names[i]);
            said++;
        }
    peal_append(text, "%s", lists && count > 0 ? " repeated" : "");
    if (was_run(named, SIZES_UNEQUAL))
        peal_append(text, ", and unequal blocks where it takes them");
    if (named->numbers[SIZES_FULFIL] > 0)
        peal_append(text, "%s that fulfil the precondition", count > 0 ? ", and others" : "");
}

static void
say_sizes(struct peal_text text, const struct peal_check *check, const struct run_tally *tally)
{
    if (peal_form_of(check->collective)->out == PEAL_SIDE_NONE)
        return;
    if (check->sizes)
        peal_append(text, "these sizes");
    else if (check->has_words)
        peal_append(text, "%c = %zu", peal_collective_has_blocks(check->collective) ? 'm' : 'n', check->words);
    else
        say_named(text, check, &tally->once);
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

/* Whether any number of nodes called in this way. */
static bool
was_called(const struct run_tally *tally, unsigned way)
{
    const int bit = __builtin_ctz(way);

    return tally->kinds[bit][bit] > 0;
}

/* Write the other ways of calling, and the sizes. */
static void
say_again(struct peal_text text, const struct peal_check *check, const struct run_tally *tally)
{
    static const struct {
        unsigned way;
        const char *text;
    } further[] = {
        {PEAL_CALL_SPACED, ", with a datatype whose extent is larger than its size and with one of a struct"},
        {PEAL_CALL_GAPS, ", with gaps between blocks"},
        {PEAL_CALL_GIVEN, ", with buffers where they are not significant"},
        {PEAL_CALL_TWO_COMMS, ", on two communicators in a row"},
        {PEAL_CALL_HALVES, ", on two at once and on two that overlap"},
        {PEAL_CALL_ROOTS, ", the first call with another root"},
        {PEAL_CALL_SIZES, ", the first call with other sizes"},
    };
    char twice[40], group[40];

    if (check->has_call)
        return;
    extent_nodes(tally->called[0], 1, MAX_AGAIN, twice, sizeof twice);
    extent_nodes(tally->called[1], 1, MAX_AGAIN, group, sizeof group);
    if (twice[0])
        peal_append(text, "; with P = %s also called twice in a row", twice);
    if (group[0] && strcmp(twice, group) != 0)
        peal_append(text, "; with P = %s also", group);
    else if (group[0])
        peal_append(text, ", and");
    if (group[0])
        peal_append(text, " in a group that is not the world, in reverse order");
    for (size_t i = 0; i < sizeof further / sizeof *further; i++)
        if (was_called(tally, further[i].way))
            peal_append(text, "%s", further[i].text);
    if (tally->again.last_of_all == 0 || check->words_list || peal_form_of(check->collective)->out == PEAL_SIDE_NONE)
        return;
    peal_append(text, ": ");
    say_named(text, check, &tally->again);
}

/* Write the kinds of case that this form of call has, but of which no run was completed. */
static void
say_missing(struct peal_text text, const struct peal_check *check, const struct run_tally *tally)
{
    static const char *const words[PEAL_KINDS] = {
        "two calls in a row",
        "a group",
        "a datatype of a larger extent",
        "one of a struct",
        "gaps between blocks",
        "two communicators in a row",
        "two at once",
        "two that overlap",
        "buffers where they are not significant",
        "two calls with different roots",
        "two calls of different sizes",
        "buffers in place",
        "an empty block",
        "blocks of unequal lengths",
        "a root that is not node 0",
    };
    unsigned kinds = check->has_call ? ways_kinds(check) & ~(unsigned)CALLS_ALL : ways_kinds(check);
    const char *between = "no run with ";

    if (check->nonzero || check->has_words || check->sizes || check->words_list)
        kinds &= ~(1U << PEAL_KIND_EMPTY); /* as was asked for */
    if (check->has_words || check->sizes)
        kinds &= ~(1U << PEAL_KIND_UNEQUAL);
    if (check->has_root || check->has_by || check->roots)
        kinds &= ~(1U << PEAL_KIND_ROOT);
    if (check->buffers == PEAL_BUFFERS_SEPARATE)
        kinds &= ~(1U << PEAL_KIND_IN_PLACE);
    for (int i = 0; i < PEAL_KINDS; i++)
        if (kinds >> i & 1 && tally->kinds[i][i] == 0) {
            peal_append(text, "%s%s", between, words[i]);
            between = ", ";
        }
    if (strcmp(between, ", ") == 0)
        peal_append(text, "; ");
    if (check->mpi && !(ways_kinds(check) & PEAL_CALL_IN_GROUP))
        peal_append(text, "it takes no communicator, so it is called on the world alone; ");
}

void
extent_say(const struct peal_check *check, const struct prover_end *end, const struct run_tally *tally,
           struct peal_verdict *verdict)
{
    const struct peal_text cases = IN_ARRAY(verdict->cases), limits = IN_ARRAY(verdict->limits);

    say_sizes(cases, check, tally);
    if (end->around[0])
        peal_append(cases, "sizes on both sides of what line%s %.99s compare%s; ", strchr(end->around, ',') ? "s" : "",
                    end->around, strchr(end->around, ',') ? "" : "s");
    if (end->arrays[0])
        peal_append(cases, "sizes beyond the arrays in line%s %.99s; ", strchr(end->arrays, ',') ? "s" : "",
                    end->arrays);
    say_roots(cases, check);
    peal_append(cases, check->choices ? "one order of arrival" : "every order of arrival");
    say_again(cases, check, tally);
    if (end->unstored > 0 && check->has_words)
        peal_append(cases, "; of lengths alone, as data are not stored");
    else if (end->unstored > 0)
        peal_append(cases, "; with P = 2 also %s = %zu on lengths alone, with data that are not stored",
                    peal_collective_has_blocks(check->collective) ? "m" : "n", end->unstored);
    if (check->element && peal_collective_has_op(check->collective) && vectors_numbers(check->op) != NUMBERS_ADD)
        peal_append(limits,
                    "the elements are numbers: with one port and rendezvous%s each node had the %s of all, so that a "
                    "function that only moves and compares them is right for all; else one node, in turn; ",
                    peal_form_of(check->collective)->root ? ", and root 0," : "",
                    vectors_numbers(check->op) == NUMBERS_MAX ? "largest" : "smallest");
    else if (check->element != PEAL_ELEMENT_LABEL)
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
    say_missing(limits, check, tally);
    if (end->most_words > 0)
        peal_append(limits, "no size above %zu word%s%s", end->most_words, plural(end->most_words),
                    end->unstored > 0 ? " but that one" : ", so a length that overflows an int is not found");
    if (text_has_ending(verdict->limits, "; "))
        verdict->limits[strlen(verdict->limits) - 2] = '\0';
    memcpy(verdict->kinds, tally->kinds, sizeof verdict->kinds);
    snprintf(verdict->costs_as, sizeof verdict->costs_as, "%.199s", end->alike);
    snprintf(verdict->not_run, sizeof verdict->not_run, "%.199s", end->not_run);
}
