/* SPDX-License-Identifier: MIT */
/* The sizes of the cases: of vectors, of blocks, and lists of lengths of blocks.  Sizes that a precondition excludes
 * are left out; others of their kind, long or short or of unequal lengths, are then made to fulfil it. */
#include "lib/check/sizes.h"
#include "lib/check/expression.h"
#include <stdlib.h>
#include <string.h>

enum {
    LONG_BLOCK = 20,  /* words of a block that is clearly not a short one */
    ENOUGH = 3,       /* at least this many sizes that are not empty are run, if that many fulfil the precondition */
    MAX_TRIED = 4096, /* the most words of sizes that are searched */
    MAX_SCALE = 64    /* how many times longer lists of lengths are made, and by how much more */
};

/* Lists of lengths, repeated.  The twin of a list with empty blocks has words in them. */
static const size_t none[] = {0}, one[] = {1}, uneven[] = {2, 0, 1}, one_long[] = {0, 0, 3, 0}, full[] = {2, 3, 1},
                    full_long[] = {1, 1, 3, 1};

enum lengths_list { ALL_EMPTY, ALL_ONE, UNEVEN, ONE_LONG, FULL, FULL_LONG };

static const struct {
    const size_t *lengths;
    int count;
    enum lengths_list twin;
} lists[] = {
    [ALL_EMPTY] = {none, 1, ALL_EMPTY},    [ALL_ONE] = {one, 1, ALL_ONE}, [UNEVEN] = {uneven, 3, FULL},
    [ONE_LONG] = {one_long, 4, FULL_LONG}, [FULL] = {full, 3, FULL},      [FULL_LONG] = {full_long, 4, FULL_LONG}};

const char *const sizes_of_vectors[] = {"0", "1", "P-1", "P", "P+1", "2P+1", "8P+3", "2P", "4P", "8P", NULL},
                  *const sizes_of_blocks[] = {"0", "1", "3", "20", NULL},
                  *const sizes_of_lists[] = {"0 words", "1", "2, 0, 1", "0, 0, 3, 0", "2, 3, 1", "1, 1, 3, 1", NULL};

/* ------------------------------------------------------------------ lists that are kept */

/* The list, kept to the end of the process; NULL: no memory. */
static const size_t *
sizes_keep(const size_t *lengths, size_t count)
{
    static struct kept {
        struct kept *next;
        size_t count, lengths[];
    } * all;

    for (struct kept *k = all; k; k = k->next)
        if (k->count == count && memcmp(k->lengths, lengths, count * sizeof *lengths) == 0)
            return k->lengths;
    struct kept *fresh = malloc(sizeof *fresh + count * sizeof *lengths);

    if (!fresh)
        return NULL;
    fresh->count = count;
    fresh->next = all;
    memcpy(fresh->lengths, lengths, count * sizeof *lengths);
    all = fresh;
    return fresh->lengths;
}

/* ------------------------------------------------------------------ preconditions */

/* The case of this size, as far as the size determines it. */
static struct peal_check_case
sizes_case(const struct cases *cases, const struct size *size)
{
    struct peal_check_case c = {
        .nodes = cases->nodes, .words = size->words, .sizes = size->sizes, .size_count = size->size_count};

    for (int b = 0; b < c.size_count; b++)
        c.words = c.sizes[b] > c.words ? c.sizes[b] : c.words;
    return c;
}

static bool
is_asked_for(const struct cases *cases, const struct peal_check *check, const struct size *size)
{
    const struct peal_check_case where = sizes_case(cases, size);

    return peal_check_asks_for(check, &where);
}

static void
sizes_add(struct cases *cases, struct size size)
{
    for (int i = 0; i < cases->size_count; i++) {
        struct size *known = &cases->sizes[i];

        if (known->sizes == size.sizes && known->size_count == size.size_count && known->words == size.words) {
            known->names |= size.names;
            known->again &= size.again;
            return;
        }
    }
    if (cases->size_count < MAX_SIZES)
        cases->sizes[cases->size_count++] = size;
}

static void
sizes_add_words(struct cases *cases, size_t words, int name)
{
    sizes_add(cases, (struct size){.words = words, .names = 1U << name});
}

/* Add the shortest sizes that fulfil the precondition, where those of the list that do are few. */
static void
add_fulfilling(struct cases *cases, const struct peal_check *check)
{
    int enough = 0;

    for (int i = 0; i < cases->size_count; i++)
        enough += cases->sizes[i].words > 0 && is_asked_for(cases, check, &cases->sizes[i]);
    for (size_t words = 1; check->only && enough < ENOUGH && words <= MAX_TRIED; words++) {
        const struct size size = {.words = words, .names = 1U << SIZES_FULFIL};
        const int before = cases->size_count;

        if (is_asked_for(cases, check, &size))
            sizes_add(cases, size);
        enough += cases->size_count > before;
    }
}

/* Make the list longer so that it fulfils the precondition; false: no such list was found. */
static bool
lengthen(const struct cases *cases, const struct peal_check *check, enum lengths_list which, struct size *size)
{
    const int P = cases->nodes;
    size_t *lengths = calloc((size_t)P, sizeof *lengths);
    bool found = false;

    for (size_t scale = 1; lengths && !found && scale <= MAX_SCALE; scale *= 2)
        for (size_t more = 0; !found && more < (size_t)P && more < MAX_SCALE; more++) {
            for (int b = 0; b < P; b++)
                lengths[b] = lists[which].lengths[b % lists[which].count] * scale;
            lengths[P - 1] += more;
            *size = (struct size){.sizes = lengths, .size_count = P, .names = 1U << SIZES_FULFIL};
            found = is_asked_for(cases, check, size);
        }
    size->sizes = found ? sizes_keep(lengths, (size_t)P) : NULL;
    free(lengths);
    return size->sizes;
}

/* Add the list; or, if the precondition excludes it, one of its kind that fulfils it. */
static void
add_list(struct cases *cases, const struct peal_check *check, enum lengths_list which, int name, bool again)
{
    struct size size = {.sizes = lists[which].lengths, .size_count = lists[which].count, .names = 1U << name};
    const enum lengths_list twin = lists[which].twin;

    if (is_asked_for(cases, check, &size) || which == ALL_EMPTY ||
        (!(check->nonzero && twin != which) && lengthen(cases, check, which, &size))) {
        size.again = again;
        sizes_add(cases, size);
    } else if (twin != which) {
        add_list(cases, check, twin, name == (int)which ? (int)twin : name, again);
    }
}

/* ------------------------------------------------------------------ those that are given */

enum peal_status
cases_words(const struct peal_check *check, int i, int nodes, size_t *words, struct peal_error *error)
{
    double value = 0;

    if (peal_check_expression(check->words_list[i], peal_check_values_on(nodes, 0, 0), &value, error) != PEAL_OK)
        return PEAL_USAGE;
    if (value < 0 || value > 0x1p40)
        return peal_refuse(error, PEAL_USAGE, "%s is %g for P = %d, not a number of words", check->words_list[i], value,
                           nodes);
    *words = (size_t)value;
    return PEAL_OK;
}

/* For a call with unequal blocks: equal blocks of the given words, and unequal ones of which these are the longest. */
static void
list_given_lists(struct cases *cases, const struct peal_check *check)
{
    size_t words;

    for (int i = 0; i < check->words_count && i < MAX_SIZES / 2; i++) {
        if (cases_words(check, i, cases->nodes, &words, NULL) != PEAL_OK)
            continue;
        const size_t lengths[] = {words, check->nonzero, words - words / 2}, *kept = sizes_keep(lengths, 3);

        if (kept)
            sizes_add(cases, (struct size){.sizes = kept, .size_count = 1, .names = 1U << i});
        if (kept && words > 0)
            sizes_add(cases, (struct size){.sizes = kept, .size_count = 3, .names = 1U << i});
    }
}

/* ------------------------------------------------------------------ those that are not */

static void
list_blocks(struct cases *cases, const struct peal_check *check, bool unequal)
{
    const size_t sizes[] = {0, 1, 3, LONG_BLOCK};

    for (int i = cases->nodes > check->nodes_to; i < 4; i++)
        sizes_add_words(cases, sizes[i], i);
    add_fulfilling(cases, check);
    for (int i = UNEVEN; unequal && i <= ONE_LONG; i++)
        add_list(cases, check, (enum lengths_list)i, SIZES_UNEQUAL, false);
}

/* List lengths 0, 1 and around the number of nodes, and a long one. */
static void
list_vectors(struct cases *cases, const struct peal_check *check)
{
    const size_t P = (size_t)cases->nodes, sizes[] = {0, 1, P - 1, P, P + 1, 2 * P + 1, 8 * P + 3, 2 * P, 4 * P, 8 * P};

    for (int i = 0; i < 7; i++)
        if (cases->nodes <= check->nodes_to || i == 1 || i == 2 || i == 5)
            sizes_add_words(cases, sizes[i], i);
    for (int i = 7; check->divides && i < 10; i++)
        sizes_add_words(cases, sizes[i], i);
    add_fulfilling(cases, check);
}

/* ------------------------------------------------------------------ the whole list */

bool
sizes_have_empty(const struct peal_check_case *where)
{
    bool empty = where->words == 0;

    for (int b = 0; where->sizes && b < where->nodes; b++)
        empty |= where->sizes[b % where->size_count] == 0;
    return empty;
}

bool
sizes_are_unequal(const struct peal_check_case *where)
{
    bool unequal = false;

    for (int b = 1; where->size_count > 1 && b < where->nodes; b++)
        unequal |= where->sizes[b % where->size_count] != where->sizes[0];
    return unequal;
}

/* The shortest requested size above `above` words of this sort: a list of unequal lengths or not, with or without
 * something empty; -1: there is none. */
static int
shortest(const struct cases *cases, const struct peal_check *check, bool list, bool empty, size_t above)
{
    int best = -1;

    for (int i = 0; i < cases->size_count; i++) {
        const struct size *size = &cases->sizes[i];
        const struct peal_check_case c = sizes_case(cases, size);

        if ((size->size_count > 1 && (cases->nodes == 1 || sizes_are_unequal(&c))) == list &&
            sizes_have_empty(&c) == empty && (empty || c.words > above) && peal_check_asks_for(check, &c) &&
            (best < 0 || c.words < sizes_case(cases, &cases->sizes[best]).words))
            best = i;
    }
    return best;
}

/* Choose the sizes of calls in other ways: the shortest and, for vectors, the shortest above P, for blocks the next; of
 * a call with unequal blocks, lists of these; and one with something empty. */
static void
choose_called(struct cases *cases, const struct peal_check *check)
{
    const bool blocks = peal_collective_has_blocks(check->collective);
    int list = shortest(cases, check, true, false, 0), *called = cases->called;

    called[CALLED_EVEN] = shortest(cases, check, false, false, 0);
    called[CALLED_SHORT] = check->unequal && list >= 0 ? list : called[CALLED_EVEN];
    const size_t words = called[CALLED_SHORT] < 0 ? 0 : sizes_case(cases, &cases->sizes[called[CALLED_SHORT]]).words;

    called[CALLED_LONG] =
        check->unequal ? -1 : shortest(cases, check, false, false, blocks ? words : (size_t)cases->nodes);
    if (called[CALLED_LONG] < 0)
        called[CALLED_LONG] = called[CALLED_SHORT];
    called[CALLED_EMPTY] = shortest(cases, check, true, true, 0);
    if (called[CALLED_EMPTY] < 0 && !check->unequal)
        called[CALLED_EMPTY] = shortest(cases, check, false, true, 0);
}

void
sizes_list(struct cases *cases, const struct peal_check *check)
{
    const struct peal_algorithm *algorithm = sizes_algorithm(check);
    const bool blocks = peal_collective_has_blocks(check->collective);
    size_t words;

    if (peal_form_of(check->collective)->out == PEAL_SIDE_NONE)
        sizes_add(cases, (struct size){0});
    else if (check->sizes)
        sizes_add(cases, (struct size){.sizes = check->sizes, .size_count = check->size_count});
    else if (check->unequal && check->words_list)
        list_given_lists(cases, check);
    else if (check->has_words)
        sizes_add(cases, check->unequal ? (struct size){.sizes = &check->words, .size_count = 1}
                                        : (struct size){.words = check->words});
    else if (!check->unequal && !check->words_list && blocks)
        list_blocks(cases, check, algorithm && !algorithm->needs.equal_blocks);
    else if (!check->unequal && !check->words_list)
        list_vectors(cases, check);
    else
        for (int i = ALL_EMPTY; check->unequal && i <= FULL; i++)
            add_list(cases, check, (enum lengths_list)i, i, i == FULL);
    for (int i = 0; !check->unequal && check->words_list && i < check->words_count && i < MAX_SIZES / 2; i++)
        if (cases_words(check, i, cases->nodes, &words, NULL) == PEAL_OK)
            sizes_add_words(cases, words, i);
    choose_called(cases, check);
}

const struct peal_algorithm *
sizes_algorithm(const struct peal_check *check)
{
    int parameter;

    return check->algorithm ? peal_algorithm_parse(check->collective, check->algorithm, &parameter) : NULL;
}
