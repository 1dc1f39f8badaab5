/* SPDX-License-Identifier: MIT */
/* Labels and the table of sequences. */
#include "lib/labels/labels.h"
#include "lib/machine/hooks.h"
#include "lib/machine/machine.h"
#include <peal/hints.h>
#include <stdlib.h>

/* A label: 8 bits of kind, 24 of run, 32 of node and index or of a number.  The kinds' bits differ from those of small
 * numbers, of pointers and of common doubles. */
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
    struct map by_leaves, by_operands; /* by their hashes */
    bool full;                         /* memory ran out: labels of sequences are LABEL_NONE */
    bool brackets;                     /* combinations are numbers of joins, of KIND_JOIN, and not of sequences */
} table;

/* ------------------------------------------------------------------ codes: labels without their run */

/* The code of an operand; for a combination in a run with brackets, that of its join. */
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
label_code(uint64_t label)
{
    return without_brackets(operand_of(label));
}

static uint64_t
label_from_code(uint64_t code)
{
    return code == 0 ? 0 : code | table.run << RUN_SHIFT;
}

static enum label_kind
label_code_kind(uint64_t code)
{
    return code == 0 ? LABEL_NONE : (enum label_kind)((code >> KIND_SHIFT) - KIND_BASE);
}

uint64_t
label_make(enum label_kind kind, int node, size_t index)
{
    uint64_t body = (uint64_t)node << INDEX_BITS | (index & (LABEL_INDICES - 1));

    return label_from_code((uint64_t)(KIND_BASE + kind) << KIND_SHIFT | body);
}

enum label_kind
label_kind(uint64_t label)
{
    return label_code_kind(label_code(label));
}

/* ------------------------------------------------------------------ the table */

static uint64_t
hash_leaves(const uint64_t *leaves, size_t count)
{
    uint64_t hash = count;

    for (size_t i = 0; i < count; i++)
        hash = map_mix(hash, leaves[i]);
    return hash;
}

/* Whether there was memory for what the table needs. */
static bool
had_memory(bool had)
{
    table.full |= !had;
    return had;
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

void
labels_begin(bool brackets)
{
    uint64_t run = table.run % MAX_RUNS + 1;

    if (table.full || table.leaf_count > TABLE_LEAVES || run == 1 || brackets != table.brackets)
        labels_end();
    table.run = run;
    table.brackets = brackets;
}

/* ------------------------------------------------------------------ joining */

/* The leaves of a code: in the table, or the code itself. */
static size_t
leaves_of(const uint64_t *code, const uint64_t **leaves)
{
    if (label_code_kind(*code) == LABEL_SEQUENCE) {
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
    return label_code_kind(operand) == LABEL_WORD ? bracket_leaf((int)(operand >> INDEX_BITS & (LABEL_NODES - 1))) : 0;
}

/* The label of a join that is in the table. */
static uint64_t
label_of_join(size_t number)
{
    return label_from_code(table.brackets ? (uint64_t)KIND_JOIN << KIND_SHIFT | number : table.joins[number].result);
}

/* The number of the sequence that lies, not yet counted, after the table's leaves. */
static uint64_t
sequence_intern(size_t count)
{
    uint64_t *leaves = table.leaves + table.leaf_count, hash = hash_leaves(leaves, count);

    const uint64_t code = (uint64_t)(KIND_BASE + LABEL_SEQUENCE) << KIND_SHIFT;
    ptrdiff_t number;

    for (size_t at = 0; (number = map_next(&table.by_leaves, hash, &at)) != MAP_NONE;) {
        const struct sequence *sequence = &table.sequences[number];

        if (sequence->count == count && memcmp(table.leaves + sequence->first, leaves, count * sizeof *leaves) == 0)
            return code | (uint64_t)number;
    }
    if (!had_memory(
            array_grow(&table.sequences, &table.sequence_room, table.sequence_count + 1, sizeof *table.sequences) &&
            map_put(&table.by_leaves, hash, table.sequence_count)))
        return 0;
    table.sequences[table.sequence_count] = (struct sequence){table.leaf_count, (uint32_t)count};
    table.leaf_count += count;
    return code | table.sequence_count++;
}

/* Join what was not joined before. */
static uint64_t
concatenate(const struct join *join)
{
    const uint64_t a = without_brackets(join->left), b = without_brackets(join->right), *left, *right;
    size_t lefts = leaves_of(&a, &left), rights = leaves_of(&b, &right);

    if (!had_memory(
            array_grow(&table.leaves, &table.leaf_room, table.leaf_count + lefts + rights, sizeof *table.leaves)))
        return 0;
    leaves_of(&a, &left); /* the table may have moved */
    leaves_of(&b, &right);
    uint64_t *leaves = table.leaves + table.leaf_count;

    memcpy(leaves, left, lefts * sizeof *left);
    memcpy(leaves + lefts, right, rights * sizeof *right);
    size_t count = lefts + rights < MAX_LEAVES ? lefts + rights : MAX_LEAVES;

    if (join->commutative)
        qsort(leaves, count, sizeof *leaves, by_code);
    return sequence_intern(count);
}

uint64_t
label_join(uint64_t left, uint64_t right, bool commutative)
{
    struct join join = {.left = operand_of(left), .right = operand_of(right), .commutative = commutative};

    if (table.full)
        return 0;
    uint64_t hash = map_mix(map_mix(join.left, join.right), join.commutative);
    ptrdiff_t number;

    for (size_t at = 0; (number = map_next(&table.by_operands, hash, &at)) != MAP_NONE;) {
        const struct join *known = &table.joins[number];

        if (known->left == join.left && known->right == join.right && known->commutative == commutative)
            return label_of_join((size_t)number);
    }
    join.result = concatenate(&join);
    if (join.result == 0 ||
        !had_memory(array_grow(&table.joins, &table.join_room, table.join_count + 1, sizeof *table.joins) &&
                    map_put(&table.by_operands, hash, table.join_count)))
        return 0;
    if (table.brackets)
        join.brackets = bracket_join(brackets_of(join.left), brackets_of(join.right));
    table.joins[table.join_count] = join;
    return label_of_join(table.join_count++);
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

/* The operator is Peal's own, its operands the user's: its accesses are checked as if they were the caller's. */
static void
look_at_operands(const void *left, const void *right, void *result, size_t words, void *pc)
{
    struct peal_node *me = peal_self();
    const struct memory_hooks *hooks = me ? me->node->machine->memory_hooks : NULL;

    if (me && words > PTRDIFF_MAX / sizeof(uint64_t)) {
        peal_advise(me, PEAL_HINT(below_zero));
        peal_fail_at(me, PEAL_BAD_SIZE, pc, PEAL_CODE, "node %d combines %zu words: that is more than an address space",
                     peal_world_rank(me), words);
    }
    if (!hooks || !hooks->touched)
        return;
    hooks->touched(left, words * sizeof(uint64_t), false, pc);
    hooks->touched(right, words * sizeof(uint64_t), false, pc);
    hooks->touched(result, words * sizeof(uint64_t), true, pc);
}

static void
label_combine(const void *left, const void *right, void *result, size_t words)
{
    look_at_operands(left, right, result, words, __builtin_return_address(0));
    join_words(left, right, result, words, false);
}

static void
label_combine_commutative(const void *left, const void *right, void *result, size_t words)
{
    look_at_operands(left, right, result, words, __builtin_return_address(0));
    join_words(left, right, result, words, true);
}

const struct peal_op label_op = {.name = "labels", .word_bytes = sizeof(uint64_t), .combine = label_combine};
const struct peal_op label_op_commutative = {.name = "commutative labels",
                                             .commutative = true,
                                             .word_bytes = sizeof(uint64_t),
                                             .combine = label_combine_commutative};

/* ------------------------------------------------------------------ reading */

bool
label_same(uint64_t a, uint64_t b)
{
    return a == b || (table.brackets && label_code(a) != 0 && label_code(a) == label_code(b));
}

uint32_t
label_brackets(uint64_t label)
{
    return table.brackets ? brackets_of(operand_of(label)) : 0;
}

size_t
label_leaves(uint64_t label)
{
    uint64_t code = label_code(label);
    const uint64_t *leaves;

    return leaves_of(&code, &leaves);
}

struct leaf
label_leaf(uint64_t label, size_t i)
{
    uint64_t code = label_code(label);
    const uint64_t *leaves;

    leaves_of(&code, &leaves);
    uint64_t leaf = leaves[i];

    return (struct leaf){label_code_kind(leaf), (int)(leaf >> INDEX_BITS & (LABEL_NODES - 1)),
                         (uint32_t)(leaf & (LABEL_INDICES - 1))};
}
