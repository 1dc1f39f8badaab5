/* SPDX-License-Identifier: MIT */
/* Keeps the trees of a check's runs by what must be equal in them, and compares each run with the first of its key. */
#include "lib/check/identical.h"
#include "lib/base/grow.h"
#include "lib/collective/layout.h"
#include <search.h>
#include <stdlib.h>

enum { KEY = 14 };

/* Trees of a run, to compare with those of runs in other cases. */
struct run_trees {
    uint64_t key[KEY]; /* the way of comparing, and the case without what may differ */
    size_t words;      /* m or n of the run */
    int root;
    size_t count;
    struct combined combined[]; /* for comparing sizes: by `last`; without a word the tree is 0 */
};

/* ------------------------------------------------------------------ runs that are compared */

static void
fill_key(struct run_trees *seen, const struct peal_check_case *c, enum peal_identical way)
{
    bool sizes = way != PEAL_IDENTICAL_SIZES;
    const uint64_t key[KEY] = {(uint64_t)way,
                               (uint64_t)c->nodes,
                               way == PEAL_IDENTICAL_ROOTS ? 0 : (uint64_t)c->root,
                               sizes ? c->words : 0,
                               sizes ? (uintptr_t)c->sizes : 0,
                               sizes ? (uint64_t)c->size_count : 0,
                               (uintptr_t)c->topology, /* of a list that outlives the comparison */
                               (uint64_t)c->ports,
                               (uint64_t)c->half_duplex,
                               (uint64_t)c->switching,
                               (uint64_t)c->noncombining,
                               c->eager ? 1 + c->eager_words : 0,
                               (uint64_t)c->in_place,
                               (uint64_t)c->commutative};

    memcpy(seen->key, key, sizeof key);
}

static int
compare_seen(const void *a, const void *b)
{
    const struct run_trees *x = a, *y = b;

    return memcmp(x->key, y->key, sizeof x->key);
}

static struct run_trees *
new_seen(struct identical *identical, const struct vectors *data, enum peal_identical way, size_t count)
{
    struct run_trees *seen = calloc(1, sizeof *seen + count * sizeof *seen->combined);

    if (!seen) {
        identical->no_memory = true;
        return NULL;
    }
    fill_key(seen, data->where, way);
    seen->words = data->where->words;
    seen->root = data->where->root;
    seen->count = count;
    return seen;
}

/* The run in the search tree that is compared with the new one: the new one itself if it is the first.  Takes ownership
 * of it. */
static struct run_trees *
identical_first(struct identical *identical, struct run_trees *seen)
{
    struct run_trees **place = tsearch(seen, &identical->runs, compare_seen);

    if (!place) {
        identical->no_memory = true;
        free(seen);
        return NULL;
    }
    if (*place != seen)
        free(seen);
    return *place;
}

/* ------------------------------------------------------------------ differences */

/* Two words that should be combined alike, and where each is. */
struct two {
    const struct combined *a, *b;
    char where[80], of_a[60], of_b[60];
};

/* Note that the two were compared, and whether they differ. */
static void
identical_compare(struct identical *identical, const struct vectors *data, enum peal_identical way,
                  const struct two *two)
{
    struct peal_identity *identity = &identical->identity;
    char a[120], b[120];

    identity->compared[way] = true;
    if (two->a->tree == two->b->tree || identity->differs[way])
        return;
    identity->differs[way] = true;
    snprintf(identity->how[way], sizeof identity->how[way], "P = %d%s: %s %s, %s %s", data->where->nodes, two->where,
             bracket_text(two->a->tree, a, sizeof a), two->of_a, bracket_text(two->b->tree, b, sizeof b), two->of_b);
}

static const char *
size_name(const struct vectors *data)
{
    return data->form->unequal ? "m" : "n";
}

/* The number of words of the first node that has a result. */
static size_t
words_of_one(const struct identical *identical)
{
    size_t each = 0;

    while (each < identical->count && identical->words[each].rank == identical->words[0].rank)
        each++;
    return each;
}

/* Whether word i of the results, not of the first node, combines what the first node's word combines. */
static bool
is_copy(const struct identical *identical, size_t each, size_t i)
{
    const struct combined *one = &identical->words[i % each], *other = &identical->words[i];

    return i >= each && one->index == other->index && one->first == other->first && one->last == other->last;
}

/* Compare the results of all nodes that have the same words. */
static void
compare_nodes(struct identical *identical, const struct vectors *data)
{
    size_t each = words_of_one(identical);

    for (size_t i = each; i < identical->count; i++) {
        struct two two = {&identical->words[i % each], &identical->words[i], "", "", ""};

        if (!is_copy(identical, each, i))
            continue;
        snprintf(two.where, sizeof two.where, ", %s = %zu, word %zu", size_name(data), data->where->words, two.b->word);
        snprintf(two.of_a, sizeof two.of_a, "on node %d", two.a->rank);
        snprintf(two.of_b, sizeof two.of_b, "on node %d", two.b->rank);
        identical_compare(identical, data, PEAL_IDENTICAL_NODES, &two);
    }
}

/* Compare all words whose operands are of the same nodes, in this run and in those of other lengths. */
static void
compare_sizes(struct identical *identical, const struct vectors *data)
{
    struct run_trees *seen = new_seen(identical, data, PEAL_IDENTICAL_SIZES, (size_t)data->where->nodes);
    size_t each = words_of_one(identical);

    if (!seen || !(seen = identical_first(identical, seen)))
        return;
    for (size_t i = 0; i < identical->count; i++) {
        struct combined *first = &seen->combined[identical->words[i].last];
        struct two two = {first, &identical->words[i], "", "", ""};

        if (is_copy(identical, each, i))
            continue;
        if (first->tree == 0) {
            *first = identical->words[i];
            continue;
        }
        snprintf(two.of_a, sizeof two.of_a, "in word %zu of node %d", two.a->word, two.a->rank);
        snprintf(two.of_b, sizeof two.of_b, "in word %zu of node %d with %s = %zu", two.b->word, two.b->rank,
                 size_name(data), data->where->words);
        identical_compare(identical, data, PEAL_IDENTICAL_SIZES, &two);
    }
}

/* Compare the results of two runs, word by word. */
static void
compare_runs(struct identical *identical, const struct vectors *data, enum peal_identical way,
             const struct run_trees *one)
{
    for (size_t i = 0; i < identical->count && one->count == identical->count; i++) {
        struct two two = {&one->combined[i], &identical->words[i], "", "in one order of arrival", "in another"};

        snprintf(two.where, sizeof two.where, ", %s = %zu, word %zu", size_name(data), data->where->words, two.b->word);
        if (way == PEAL_IDENTICAL_ROOTS) {
            snprintf(two.of_a, sizeof two.of_a, "for root %d", one->root);
            snprintf(two.of_b, sizeof two.of_b, "for root %d", data->where->root);
        }
        identical_compare(identical, data, way, &two);
    }
}

static struct run_trees *
seen_run(struct identical *identical, const struct vectors *data, enum peal_identical way)
{
    struct run_trees *seen = new_seen(identical, data, way, identical->count);

    if (seen)
        memcpy(seen->combined, identical->words, identical->count * sizeof *seen->combined);
    return seen;
}

static void
compare_roots(struct identical *identical, const struct vectors *data)
{
    struct run_trees *seen = seen_run(identical, data, PEAL_IDENTICAL_ROOTS);

    if (!seen || !(seen = identical_first(identical, seen)))
        return;
    if (seen->root != data->where->root)
        compare_runs(identical, data, PEAL_IDENTICAL_ROOTS, seen);
}

/* Runs of one case in several orders of arrival follow one another.  False: this is the first of its case. */
static bool
compare_orders(struct identical *identical, const struct vectors *data)
{
    struct run_trees *seen = seen_run(identical, data, PEAL_IDENTICAL_ORDERS);
    bool again = seen && identical->before && compare_seen(identical->before, seen) == 0;

    if (again)
        compare_runs(identical, data, PEAL_IDENTICAL_ORDERS, identical->before);
    free(identical->before);
    identical->before = seen;
    return again;
}

/* ------------------------------------------------------------------ a run */

static bool
identical_add_word(struct identical *identical, struct combined word)
{
    if (!array_grow(&identical->words, &identical->room, identical->count + 1, sizeof *identical->words))
        return false;
    identical->words[identical->count++] = word;
    return true;
}

/* List the combinations that the nodes have after the run. */
static bool
list_words(struct identical *identical, const struct vectors *data)
{
    int parts = layout_parts(&data->layout, data->form);
    struct peal_origin origin;
    bool ok = true;

    identical->count = 0;
    for (int rank = 0; rank < data->where->nodes; rank++) {
        const struct row *row = &data->out[rank];
        size_t word = 0;

        for (int part = 0; row->words && part < parts; part++) {
            data->form->origin(&data->layout, rank, part, &origin);
            for (size_t i = 0; i < origin.words; i++, word++) {
                uint32_t tree = origin.kept || origin.first == origin.last ? 0 : label_brackets(row->words[word]);

                if (tree != 0)
                    ok &= identical_add_word(
                        identical, (struct combined){rank, origin.first, origin.last, origin.index + i, word, tree});
            }
        }
    }
    return ok;
}

void
identical_note(struct identical *identical, const struct vectors *data)
{
    struct peal_identity *identity = &identical->identity;

    if (!list_words(identical, data))
        identical->no_memory = true;
    if (identical->no_memory || identical->count == 0)
        return;
    if (data->where->nodes != identity->nodes) { /* runs of other numbers of nodes are not compared */
        tdestroy(identical->runs, free);
        identical->runs = NULL;
    }
    for (size_t i = 0; i < identical->count; i++) {
        int depth = bracket_depth(identical->words[i].tree);

        if (data->where->nodes > identity->nodes || depth > identity->depth)
            identity->depth = depth;
        identity->nodes = data->where->nodes;
    }
    compare_nodes(identical, data);
    if (compare_orders(identical, data))
        return; /* other cases are compared in their first orders */
    compare_sizes(identical, data);
    if (data->form->root)
        compare_roots(identical, data);
}

void
identical_fini(struct identical *identical)
{
    identical->identity.known = identical->identity.nodes > 0 && !identical->no_memory;
    tdestroy(identical->runs, free);
    free(identical->before);
    free(identical->words);
    brackets_end();
}
