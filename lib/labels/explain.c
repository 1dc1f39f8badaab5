/* SPDX-License-Identifier: MIT */
/* How a wrong word is described. */
#include "lib/labels/labels.h"
#include <inttypes.h>
#include <peal/machine.h>
#include <stdarg.h>
#include <stdio.h>

/* Text that grows in a buffer and is cut at its end. */
struct trail_text {
    char *at;
    size_t left;
};

static void say(struct trail_text *text, const char *format, ...) PEAL_PRINTF(2, 3);

static void
say(struct trail_text *text, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    int length = vsnprintf(text->at, text->left, format, list);

    va_end(list);
    size_t step = length < 0 ? 0 : (size_t)length < text->left ? (size_t)length : text->left - (text->left > 0);

    text->at += step;
    text->left -= step;
}

/* "x₁₂", with its place where that is not `index`; "x′₁₂" where it is of the first of two calls. */
static void
say_leaf(struct trail_text *text, struct leaf leaf, size_t index)
{
    static const char *const digits[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
    char number[16];

    switch (leaf.kind) {
    case LABEL_NONE:
        say(text, "?");
        return;
    case LABEL_UNSET:
        say(text, "(never written, node %d)", leaf.node % LABEL_EARLIER);
        return;
    case LABEL_BEYOND:
        say(text, "(beyond the end, node %d)", leaf.node % LABEL_EARLIER);
        return;
    case LABEL_WORD:
    case LABEL_SEQUENCE:
        break;
    }
    snprintf(number, sizeof number, "%d", leaf.node % LABEL_EARLIER);
    say(text, leaf.node < LABEL_EARLIER ? "x" : "x′");
    for (const char *c = number; *c; c++)
        say(text, "%s", digits[*c - '0']);
    if (leaf.index != index)
        say(text, "[%" PRIu32 "]", leaf.index);
}

void
label_say_leaf(struct leaf leaf, size_t index, char *buffer, size_t bytes)
{
    struct trail_text text = {buffer, bytes};

    say_leaf(&text, leaf, index);
}

/* The most leaves of a combination that are named. */
enum { SHOWN = 20 };

static void
say_combination(struct trail_text *text, uint64_t label, size_t index)
{
    size_t count = label_leaves(label);

    for (size_t i = 0; i < count && i < SHOWN; i++) {
        say(text, "%s", i > 0 ? "⊕" : "");
        say_leaf(text, label_leaf(label, i), index);
    }
    if (count > SHOWN)
        say(text, "⊕… (%zu words)", count);
}

size_t
label_times(uint64_t label, struct leaf leaf)
{
    size_t count = 0, leaves = label_leaves(label);

    for (size_t i = 0; i < leaves; i++) {
        struct leaf other = label_leaf(label, i);

        count += other.kind == leaf.kind && other.node == leaf.node && other.index == leaf.index;
    }
    return count;
}

bool
label_surplus(uint64_t one, uint64_t other, struct leaf *leaf)
{
    size_t leaves = label_leaves(one);

    for (size_t i = 0; i < leaves; i++) {
        *leaf = label_leaf(one, i);
        if (label_times(one, *leaf) > label_times(other, *leaf))
            return true;
    }
    return false;
}

static enum peal_failure_kind
explain_combination(struct trail_text *text, uint64_t is, uint64_t should, size_t index)
{
    struct leaf more, less;
    bool has_more = label_surplus(is, should, &more), has_less = label_surplus(should, is, &less);

    say(text, "holds ");
    say_combination(text, is, index);
    say(text, "; ");
    if (!has_more && !has_less) {
        say(text, "rank order is needed: ");
        say_combination(text, should, index);
        return PEAL_NONCOMMUTATIVE_ORDER;
    }
    if (has_more && more.kind != LABEL_WORD) {
        say(text, "a word that nobody had was combined");
    } else if (has_more) {
        size_t count = label_times(is, more);

        say_leaf(text, more, index);
        if (label_times(should, more) == 0)
            say(text, " does not belong");
        else if (count == 2)
            say(text, " was added twice");
        else
            say(text, " was added %zu times", count);
    }
    if (has_less) {
        say(text, "%s", has_more ? ", " : "");
        say_leaf(text, less, index);
        say(text, " is missing");
    }
    say(text, "; expected ");
    say_combination(text, should, index);
    return PEAL_WRONG_RESULT;
}

/* "word 3 of node 0" */
static void
say_word(struct trail_text *text, struct leaf leaf)
{
    say(text, "word %" PRIu32 " of node %d%s", leaf.index, leaf.node % LABEL_EARLIER,
        leaf.node < LABEL_EARLIER ? "" : " as it was in the first call");
}

static void
say_should(struct trail_text *text, uint64_t should)
{
    struct leaf leaf = label_leaf(should, 0);

    if (leaf.kind == LABEL_UNSET)
        say(text, "its old value: it must not be written");
    else
        say_word(text, leaf);
}

enum peal_failure_kind
label_explain(uint64_t is, uint64_t should, int node, size_t index, bool combined, char *buffer, size_t bytes)
{
    struct trail_text text = {buffer, bytes};
    struct leaf leaf = label_leaf(is, 0);
    enum label_kind kind = label_kind(is);

    if (kind == LABEL_UNSET && leaf.node == node && leaf.index == index) {
        say(&text, "is never written");
        return PEAL_WRONG_RESULT;
    }
    if (kind == LABEL_NONE && is != 0) {
        say(&text, "holds %#" PRIx64 ", a number that is not a node's word%s", is,
            combined ? " (words must be combined by op->combine)" : "");
        return PEAL_WRONG_RESULT;
    }
    if (kind == LABEL_SEQUENCE || (combined && kind == LABEL_WORD))
        return explain_combination(&text, is, should, index);
    if (kind == LABEL_NONE)
        say(&text, "holds 0, which is not a node's word");
    else if (kind == LABEL_UNSET)
        say(&text, "holds a word of node %d that was never written", leaf.node % LABEL_EARLIER);
    else if (kind == LABEL_BEYOND)
        say(&text, "holds a word beyond the ends of node %d's vector", leaf.node % LABEL_EARLIER);
    else {
        say(&text, "holds ");
        say_word(&text, leaf);
    }
    say(&text, " instead of ");
    if (combined)
        say_combination(&text, should, index);
    else
        say_should(&text, should);
    return PEAL_WRONG_RESULT;
}
