/* SPDX-License-Identifier: MIT */
/* Describes a wrong word. */
#include "lib/labels/labels.h"
#include <inttypes.h>

/* The most leaves of a combination that are named. */
enum { SHOWN = 20 };

static void
say_combination(struct peal_text text, uint64_t label, size_t index)
{
    size_t count = label_leaves(label);

    for (size_t i = 0; i < count && i < SHOWN; i++) {
        peal_append(text, "%s", i > 0 ? "⊕" : "");
        label_say_leaf(text, label_leaf(label, i), index);
    }
    if (count > SHOWN)
        peal_append(text, "⊕… (%zu words)", count);
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
explain_combination(struct peal_text text, uint64_t is, uint64_t should, size_t index)
{
    struct leaf more, less;
    bool has_more = label_surplus(is, should, &more), has_less = label_surplus(should, is, &less);

    peal_append(text, "holds ");
    say_combination(text, is, index);
    peal_append(text, "; ");
    if (!has_more && !has_less) {
        peal_append(text, "rank order is needed: ");
        say_combination(text, should, index);
        return PEAL_NONCOMMUTATIVE_ORDER;
    }
    if (has_more && more.kind != LABEL_WORD) {
        peal_append(text, "a word that nobody had was combined");
    } else if (has_more) {
        size_t count = label_times(is, more);

        label_say_leaf(text, more, index);
        if (label_times(should, more) == 0)
            peal_append(text, " does not belong");
        else if (count == 2)
            peal_append(text, " was added twice");
        else
            peal_append(text, " was added %zu times", count);
    }
    if (has_less) {
        peal_append(text, "%s", has_more ? ", " : "");
        label_say_leaf(text, less, index);
        peal_append(text, " is missing");
    }
    peal_append(text, "; expected ");
    say_combination(text, should, index);
    return PEAL_WRONG_RESULT;
}

/* "word 3 of node 0" */
static void
explain_say_word(struct peal_text text, struct leaf leaf)
{
    peal_append(text, "word %" PRIu32 " of node %d%s", leaf.index, leaf.node % LABEL_EARLIER,
                leaf.node < LABEL_EARLIER ? "" : " as it was in the first call");
}

static void
say_should(struct peal_text text, uint64_t should)
{
    struct leaf leaf = label_leaf(should, 0);

    if (leaf.kind == LABEL_UNSET)
        peal_append(text, "its old value: it must not be written");
    else
        explain_say_word(text, leaf);
}

enum peal_failure_kind
label_explain(uint64_t is, uint64_t should, int node, size_t index, bool combined, char *buffer, size_t bytes)
{
    struct peal_text text = empty_text(buffer, bytes);
    struct leaf leaf = label_leaf(is, 0);
    enum label_kind kind = label_kind(is);

    if (kind == LABEL_UNSET && leaf.node == node && leaf.index == index) {
        peal_append(text, "is never written");
        return PEAL_WRONG_RESULT;
    }
    if (kind == LABEL_NONE && is != 0) {
        peal_append(text, "holds %#" PRIx64 ", a number that is not a node's word%s", is,
                    combined ? " (words must be combined by op->combine)" : "");
        return PEAL_WRONG_RESULT;
    }
    if (kind == LABEL_SEQUENCE || (combined && kind == LABEL_WORD))
        return explain_combination(text, is, should, index);
    if (kind == LABEL_NONE)
        peal_append(text, "holds 0, which is not a node's word,");
    else if (kind == LABEL_UNSET)
        peal_append(text, "holds a word of node %d that was never written", leaf.node % LABEL_EARLIER);
    else if (kind == LABEL_BEYOND)
        peal_append(text, "holds a word beyond the ends of node %d's vector", leaf.node % LABEL_EARLIER);
    else {
        peal_append(text, "holds ");
        explain_say_word(text, leaf);
    }
    peal_append(text, " instead of ");
    if (combined)
        say_combination(text, should, index);
    else
        say_should(text, should);
    return PEAL_WRONG_RESULT;
}
