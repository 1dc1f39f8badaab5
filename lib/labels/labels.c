/* SPDX-License-Identifier: MIT */
/* Labels and the table of sequences. */
#include "lib/labels/labels.h"
#include "lib/labels/brackets.h"
#include "lib/machine/machine.h"
#include <stdlib.h>
#include <string.h>

/* A label: 8 bits of kind, 24 of run, 32 of node and index or of a number.  The kinds' bits are unlike those of small
 * numbers, of pointers and of doubles of use. */
enum { KIND_SHIFT = 56, RUN_SHIFT = 32, INDEX_BITS = 20, KIND_BASE = 0xB0, MAX_RUNS = 0xFFFFFF };
/* In a run with brackets: the number of a join. */
enum { KIND_JOIN = KIND_BASE + LABEL_SEQUENCE + 1 };
#define BODY_MASK ((UINT64_C(1) << RUN_SHIFT) - 1)

/* Combinations are cut at this number of leaves, more than any right one has. */
enum { MAX_LEAVES = 1 << 10 };
/* The table is emptied before a run when it has this many leaves. */
enum { TABLE_LEAVES = 1 << 22 };

struct sequence {
    size_t first;
    uint32_t count;
};

/* A hash table of 32-bit values with linear probing: 0 is a free place. */
struct hash {
    uint32_t *places;
    size_t mask, used;
};

struct join {
    uint64_t left, right; /* codes */
    bool commutative;
    uint64_t result;   /* the code of the sequence */
    uint32_t brackets; /* of a run with brackets */
};

static struct {
    uint64_t run;
    uint64_t *leaves; /* codes: labels without their run */
    size_t leaf_count, leaf_room;
    struct sequence *sequences;
    size_t sequence_count, sequence_room;
    struct join *joins; /* remembered */
    size_t join_count, join_room;
    struct hash by_leaves, by_operands;
    bool full;     /* memory ran out: labels of sequences are LABEL_NONE */
    bool brackets; /* combinations are numbers of joins, of KIND_JOIN, and not of sequences */
} table;

/* ------------------------------------------------------------------ codes: labels without their run */

/* The code of an operand: of a combination in a run with brackets, of its join. */
static uint64_t
operand_of(uint64_t label)
{
    uint64_t kind = label >> KIND_SHIFT;

    if (kind <= KIND_BASE || kind > KIND_JOIN || (label >> RUN_SHIFT & MAX_RUNS) != table.run)
        return 0;
    return kind << KIND_SHIFT | (label & BODY_MASK);
}

/* The code without brackets: of a node's word, or of a sequence. */
static uint64_t
without_brackets(uint64_t operand)
{
    return operand >> KIND_SHIFT == KIND_JOIN ? table.joins[operand & BODY_MASK].result : operand;
}

static uint64_t
code_of(uint64_t label)
{
    return without_brackets(operand_of(label));
}

static uint64_t
label_of(uint64_t code)
{
    return code == 0 ? 0 : code | table.run << RUN_SHIFT;
}

static enum label_kind
kind_of(uint64_t code)
{
    return code == 0 ? LABEL_NONE : (enum label_kind)((code >> KIND_SHIFT) - KIND_BASE);
}

uint64_t
label_make(enum label_kind kind, int node, size_t index)
{
    uint64_t body = (uint64_t)node << INDEX_BITS | (index & (LABEL_INDICES - 1));

    return label_of((uint64_t)(KIND_BASE + kind) << KIND_SHIFT | body);
}

enum label_kind
label_kind(uint64_t label)
{
    return kind_of(code_of(label));
}

/* ------------------------------------------------------------------ the table */

/* Make room for `more` after `count` elements of `bytes` bytes. */
static bool
make_room(void *list, size_t *room, size_t count, size_t more, size_t bytes)
{
    void **memory = list;
    size_t wanted = *room < 64 ? 64 : *room;

    while (wanted - count < more)
        wanted *= 2;
    if (wanted == *room)
        return true;
    void *grown = realloc(*memory, wanted * bytes);

    if (!grown) {
        table.full = true;
        return false;
    }
    *memory = grown;
    *room = wanted;
    return true;
}

static uint64_t
mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);

    return x ^ x >> 29;
}

static uint64_t
hash_leaves(const uint64_t *leaves, size_t count)
{
    uint64_t hash = count;

    for (size_t i = 0; i < count; i++)
        hash = mix(hash, leaves[i]);
    return hash;
}

static uint64_t
hash_join(const struct join *join)
{
    return mix(mix(join->left, join->right), join->commutative);
}

/* Where a value with this hash goes in a table that has a free place. */
static void
hash_put(struct hash *hash, uint64_t at, uint32_t value)
{
    while (hash->places[at & hash->mask])
        at++;
    hash->places[at & hash->mask] = value;
    hash->used++;
}

/* Twice as many places, at most half of them used. */
static bool
hash_grow(struct hash *hash, bool joins)
{
    size_t size = hash->places ? 2 * (hash->mask + 1) : 1024;
    struct hash grown = {.places = calloc(size, sizeof(uint32_t)), .mask = size - 1};

    if (!grown.places) {
        table.full = true;
        return false;
    }
    for (size_t i = 0; hash->places && i <= hash->mask; i++) {
        uint32_t value = hash->places[i];

        if (!value)
            continue;
        if (joins)
            hash_put(&grown, hash_join(&table.joins[value - 1]), value);
        else
            hash_put(&grown,
                     hash_leaves(table.leaves + table.sequences[value - 1].first, table.sequences[value - 1].count),
                     value);
    }
    free(hash->places);
    *hash = grown;
    return true;
}

static bool
hash_ready(struct hash *hash, bool joins)
{
    return hash->places && hash->used * 2 <= hash->mask ? true : hash_grow(hash, joins);
}

void
labels_end(void)
{
    uint64_t run = table.run;

    free(table.leaves);
    free(table.sequences);
    free(table.joins);
    free(table.by_leaves.places);
    free(table.by_operands.places);
    memset(&table, 0, sizeof table);
    table.run = run;
}

bool
labels_begin(bool brackets)
{
    uint64_t run = table.run % MAX_RUNS + 1;

    if (table.full || table.leaf_count > TABLE_LEAVES || run == 1 || brackets != table.brackets)
        labels_end();
    table.run = run;
    table.brackets = brackets;
    return hash_ready(&table.by_leaves, false) && hash_ready(&table.by_operands, true);
}

/* ------------------------------------------------------------------ joining */

/* The leaves of a code: in the table, or the code itself. */
static size_t
leaves_of(const uint64_t *code, const uint64_t **leaves)
{
    if (kind_of(*code) == LABEL_SEQUENCE) {
        const struct sequence *sequence = &table.sequences[*code & BODY_MASK];

        *leaves = table.leaves + sequence->first;
        return sequence->count;
    }
    *leaves = code;
    return 1;
}

static int
by_code(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The tree of an operand, in a run with brackets. */
static uint32_t
brackets_of(uint64_t operand)
{
    if (operand >> KIND_SHIFT == KIND_JOIN)
        return table.joins[operand & BODY_MASK].brackets;
    return kind_of(operand) == LABEL_WORD ? bracket_leaf((int)(operand >> INDEX_BITS & (LABEL_NODES - 1))) : 0;
}

/* The label of a join that is in the table. */
static uint64_t
label_of_join(size_t number)
{
    return label_of(table.brackets ? (uint64_t)KIND_JOIN << KIND_SHIFT | number : table.joins[number].result);
}

/* The number of the sequence that lies, not yet counted, after the table's leaves. */
static uint64_t
intern(size_t count)
{
    uint64_t *leaves = table.leaves + table.leaf_count, hash = hash_leaves(leaves, count);

    for (uint64_t at = hash; table.by_leaves.places[at & table.by_leaves.mask]; at++) {
        size_t number = table.by_leaves.places[at & table.by_leaves.mask] - 1;
        const struct sequence *sequence = &table.sequences[number];

        if (sequence->count == count && memcmp(table.leaves + sequence->first, leaves, count * sizeof *leaves) == 0)
            return (uint64_t)(KIND_BASE + LABEL_SEQUENCE) << KIND_SHIFT | number;
    }
    if (!make_room(&table.sequences, &table.sequence_room, table.sequence_count, 1, sizeof *table.sequences))
        return 0;
    table.sequences[table.sequence_count] = (struct sequence){table.leaf_count, (uint32_t)count};
    table.leaf_count += count;
    table.sequence_count++;
    hash_put(&table.by_leaves, hash, (uint32_t)table.sequence_count);
    return (uint64_t)(KIND_BASE + LABEL_SEQUENCE) << KIND_SHIFT | (table.sequence_count - 1);
}

/* Join what was not joined before. */
static uint64_t
concatenate(const struct join *join)
{
    const uint64_t a = without_brackets(join->left), b = without_brackets(join->right), *left, *right;
    size_t lefts = leaves_of(&a, &left), rights = leaves_of(&b, &right);

    if (!hash_ready(&table.by_leaves, false) ||
        !make_room(&table.leaves, &table.leaf_room, table.leaf_count, lefts + rights, sizeof *table.leaves))
        return 0;
    leaves_of(&a, &left); /* the table may have moved */
    leaves_of(&b, &right);
    uint64_t *leaves = table.leaves + table.leaf_count;

    memcpy(leaves, left, lefts * sizeof *left);
    memcpy(leaves + lefts, right, rights * sizeof *right);
    size_t count = lefts + rights < MAX_LEAVES ? lefts + rights : MAX_LEAVES;

    if (join->commutative)
        qsort(leaves, count, sizeof *leaves, by_code);
    return intern(count);
}

uint64_t
label_join(uint64_t left, uint64_t right, bool commutative)
{
    struct join join = {.left = operand_of(left), .right = operand_of(right), .commutative = commutative};

    if (table.full || !hash_ready(&table.by_operands, true))
        return 0;
    uint64_t hash = hash_join(&join);

    for (uint64_t at = hash; table.by_operands.places[at & table.by_operands.mask]; at++) {
        size_t number = table.by_operands.places[at & table.by_operands.mask] - 1;
        const struct join *known = &table.joins[number];

        if (known->left == join.left && known->right == join.right && known->commutative == commutative)
            return label_of_join(number);
    }
    join.result = concatenate(&join);
    if (join.result == 0 || !make_room(&table.joins, &table.join_room, table.join_count, 1, sizeof *table.joins))
        return 0;
    if (table.brackets)
        join.brackets = bracket_join(brackets_of(join.left), brackets_of(join.right));
    table.joins[table.join_count++] = join;
    hash_put(&table.by_operands, hash, (uint32_t)table.join_count);
    return label_of_join(table.join_count - 1);
}

static void
join_words(const void *left, const void *right, void *result, size_t words, bool commutative)
{
    for (size_t i = 0; i < words; i++) {
        uint64_t l, r, joined;

        memcpy(&l, (const char *)left + i * sizeof l, sizeof l);
        memcpy(&r, (const char *)right + i * sizeof r, sizeof r);
        joined = label_join(l, r, commutative);
        memcpy((char *)result + i * sizeof joined, &joined, sizeof joined);
    }
}

/* The operator is Peal's and its operands a user's: its accesses are checked as if the caller had made them. */
static void
look_at_operands(const void *left, const void *right, void *result, size_t words, void *pc)
{
    const struct peal_node *me = peal_self();
    const struct memory_hooks *hooks = me ? me->node->machine->memory_hooks : NULL;

    if (!hooks || !hooks->touched)
        return;
    hooks->touched(left, words * sizeof(uint64_t), false, pc);
    hooks->touched(right, words * sizeof(uint64_t), false, pc);
    hooks->touched(result, words * sizeof(uint64_t), true, pc);
}

static void
combine(const void *left, const void *right, void *result, size_t words)
{
    look_at_operands(left, right, result, words, __builtin_return_address(0));
    join_words(left, right, result, words, false);
}

static void
combine_commutative(const void *left, const void *right, void *result, size_t words)
{
    look_at_operands(left, right, result, words, __builtin_return_address(0));
    join_words(left, right, result, words, true);
}

const struct peal_op label_op = {.name = "labels", .word_bytes = sizeof(uint64_t), .combine = combine};
const struct peal_op label_op_commutative = {
    .name = "commutative labels", .commutative = true, .word_bytes = sizeof(uint64_t), .combine = combine_commutative};

/* ------------------------------------------------------------------ reading */

bool
label_same(uint64_t a, uint64_t b)
{
    return a == b || (table.brackets && code_of(a) != 0 && code_of(a) == code_of(b));
}

uint32_t
label_brackets(uint64_t label)
{
    return table.brackets ? brackets_of(operand_of(label)) : 0;
}

size_t
label_leaves(uint64_t label)
{
    uint64_t code = code_of(label);
    const uint64_t *leaves;

    return leaves_of(&code, &leaves);
}

struct leaf
label_leaf(uint64_t label, size_t i)
{
    uint64_t code = code_of(label);
    const uint64_t *leaves;

    leaves_of(&code, &leaves);
    uint64_t leaf = leaves[i];

    return (struct leaf){kind_of(leaf), (int)(leaf >> INDEX_BITS & (LABEL_NODES - 1)),
                         (uint32_t)(leaf & (LABEL_INDICES - 1))};
}
