/* SPDX-License-Identifier: MIT */
/* One case of a check, by its number: what it is, whether it is run, and the options that run it again. */
#include "lib/base/shell_word.h"
#include "lib/base/text.h"
#include "lib/check/expression.h"
#include "lib/check/sizes.h"
#include <inttypes.h>

/* An eager limit above every message of a check. */
enum { EAGER_ALL = 1 << 20 };

int
cases_deliveries(const struct peal_check *check)
{
    return check->has_delivery ? 1 : DELIVERIES;
}

/* The i-th way to deliver. */
static void
cases_delivery(const struct peal_check *check, int i, bool *eager, size_t *eager_words)
{
    *eager = check->has_delivery ? check->eager : i > 0;
    *eager_words = check->has_delivery ? check->eager_words : i == 1 ? 1 : i == 2 ? EAGER_ALL : 0;
}

size_t
cases_count(const struct cases *cases, const struct peal_check *check)
{
    return (size_t)cases->size_count * (size_t)cases->turn_count * (size_t)cases->set_count * (size_t)cases->op_count *
           (size_t)cases->network_count * (size_t)cases->port_count * (size_t)cases_deliveries(check) *
           (size_t)cases->place_count;
}

/* Remove a digit of this base from the number. */
static int
digit(size_t *number, int base)
{
    int value = (int)(*number % (size_t)base);

    *number /= (size_t)base;
    return value;
}

struct peal_check_case
cases_get(const struct cases *cases, const struct peal_check *check, size_t i)
{
    int delivery = digit(&i, cases_deliveries(check)), ports = digit(&i, cases->port_count);
    int network = digit(&i, cases->network_count), op = digit(&i, cases->op_count);
    int set = digit(&i, cases->set_count), turn = cases->turns[digit(&i, cases->turn_count)];
    const struct size *size = &cases->sizes[digit(&i, cases->size_count)];
    struct peal_check_case c = {
        .nodes = cases->nodes,
        .root = peal_form_of(check->collective)->by ? 0 : turn,
        .by = peal_form_of(check->collective)->by ? turn : 0,
        .to = cases->sets[set],
        .to_count = cases->set_counts[set],
        .words = size->words,
        .sizes = size->sizes,
        .size_count = size->size_count,
        .commutative = cases->commutative[op],
        .topology = cases->networks[network].topology,
        .switching = cases->networks[network].switching,
        .noncombining = cases->networks[network].noncombining,
        .ports = cases->ports[ports].count,
        .half_duplex = cases->ports[ports].half_duplex,
        .seed = check->seed,
        .in_place = cases->in_place[i],
    };

    cases_delivery(check, delivery, &c.eager, &c.eager_words);
    for (int b = 0; b < c.size_count; b++)
        c.words = c.sizes[b] > c.words ? c.sizes[b] : c.words;
    return c;
}

/* Whether functions are called in other ways with this size: every size that was asked for; otherwise short and longer
 * ones, or unequal lengths, some of them empty. */
static bool
is_called_with(const struct cases *cases, const struct peal_check *check, int i)
{
    const int *called = cases->called;
    const bool list = called[CALLED_EMPTY] >= 0 && cases->sizes[called[CALLED_EMPTY]].size_count > 1,
               all = check->words_list || peal_form_of(check->collective)->out == PEAL_SIDE_NONE;

    if (all || (list && cases->nodes > 1 && i == called[CALLED_EMPTY]))
        return true;
    return (i == called[CALLED_SHORT] || i == called[CALLED_LONG]) && !(list && cases->nodes > 1 && check->unequal);
}

bool
cases_is_called(const struct cases *cases, const struct peal_check *check, size_t i, const struct called_way *way)
{
    const int last = cases_deliveries(check) - 1;
    int delivery = digit(&i, cases_deliveries(check)), ports = digit(&i, cases->port_count);
    int network = digit(&i, cases->network_count),
        set = digit(&i, cases->op_count * cases->set_count) / cases->op_count;

    digit(&i, cases->turn_count);
    int size = digit(&i, cases->size_count);

    if (way->call == PEAL_CALL_ONCE || check->has_call)
        return !cases->sizes[size].again;
    if ((delivery > 0 && delivery < last) || ports > 0 || cases->networks[network].role != NETWORK_DEFAULT ||
        (network > 0 && (way->call & CALLS_MORE_NODES)) || set > 0)
        return false;
    if (way->combined)
        return size == cases->called[way->size] && delivery == (way->eager ? last : 0) &&
               cases->in_place[i] == way->in_place;
    return is_called_with(cases, check, size) && i == 0;
}

bool
cases_fits(const struct peal_check *check, const struct peal_check_case *c)
{
    /* nothing is in place without words; an all-to-all in place needs equal lengths in each pair of blocks */
    const bool placed =
        c->words > 0 && !(sizes_are_unequal(c) && peal_form_of(check->collective)->out == PEAL_SIDE_PAIRS);

    return (placed || !c->in_place) && peal_check_asks_for(check, c);
}

size_t
cases_separate(const struct cases *cases, const struct peal_check *check, size_t i)
{
    return i % (cases_count(cases, check) / (size_t)cases->place_count);
}

/* Give the first of two calls other sizes: a list of lengths begins one entry later. */
static void
change_sizes(const struct peal_check *check, struct peal_check_case *c)
{
    const struct peal_check_case usual = *c;
    const size_t words[] = {usual.words + 1, usual.words + (size_t)usual.nodes, 2 * usual.words, usual.words};

    if (usual.size_count > 1) {
        c->sizes++;
        c->words = 0;
        for (int b = 1; b < usual.size_count; b++)
            c->words = usual.sizes[b] > c->words ? usual.sizes[b] : c->words;
        c->size_count = usual.size_count - 1;
    }
    if (!peal_check_asks_for(check, c))
        *c = usual;
    for (int i = 0; !usual.sizes && i < 4; i++) {
        c->words = words[i];
        if (peal_check_asks_for(check, c))
            return;
    }
}

struct peal_check_case
cases_earlier(const struct peal_check *check, const struct peal_check_case *where)
{
    const struct peal_form *form = peal_form_of(check->collective);
    struct peal_check_case c = *where;

    if (where->call & PEAL_CALL_ROOTS && form->by)
        c.by++;
    else if (where->call & PEAL_CALL_ROOTS)
        c.root = (c.root + 1) % c.nodes;
    if (where->call & PEAL_CALL_SIZES)
        change_sizes(check, &c);
    return c;
}

/* ------------------------------------------------------------------ what was run */

/* The kinds of the case: bits. */
static unsigned
kinds_of(const struct peal_check *check, const struct peal_check_case *c)
{
    return c->call | (unsigned)c->in_place << PEAL_KIND_IN_PLACE |
           (unsigned)(peal_form_of(check->collective)->out != PEAL_SIDE_NONE && sizes_have_empty(c))
               << PEAL_KIND_EMPTY |
           (unsigned)sizes_are_unequal(c) << PEAL_KIND_UNEQUAL |
           (unsigned)(c->by != 0 || (c->root != 0 && peal_form_of(check->collective)->root)) << PEAL_KIND_ROOT;
}

/* Note the names of the case's size. */
static void
note_names(struct named *named, int nodes, unsigned names)
{
    if (nodes == 1)
        named->of_one |= names;
    named->all += nodes > 1 && named->last_of_all != nodes;
    named->last_of_all = nodes;
    for (int i = 0; i < 32; i++)
        if (names >> i & 1 && nodes > 1 && named->last[i] != nodes) {
            named->last[i] = nodes;
            named->numbers[i]++;
        }
}

void
cases_count_runs(struct run_tally *tally, const struct cases *cases, const struct peal_check *check,
                 const struct peal_check_case *where, uint64_t runs)
{
    const unsigned kinds = kinds_of(check, where);

    for (int i = 0; i < PEAL_KINDS; i++)
        for (int j = 0; j < PEAL_KINDS; j++)
            tally->kinds[i][j] += kinds >> i & kinds >> j & 1 ? runs : 0;
    for (int i = 0; i < PEAL_CALLS; i++)
        tally->called[i][where->nodes <= MAX_AGAIN ? where->nodes : 0] |= where->call >> i & 1;
    for (int i = 0; i < cases->size_count && where->nodes <= check->nodes_to; i++) {
        const struct size *size = &cases->sizes[i];

        if (size->sizes == where->sizes && size->size_count == where->size_count &&
            (size->sizes || size->words == where->words))
            note_names(where->call == PEAL_CALL_ONCE || check->has_call ? &tally->once : &tally->again, where->nodes,
                       size->names);
    }
}

bool
cases_is_extra(const struct cases *cases, const struct peal_check *check, size_t i)
{
    digit(&i, cases_deliveries(check));
    digit(&i, cases->port_count);
    return cases->networks[digit(&i, cases->network_count)].role != NETWORK_DEFAULT;
}

bool
cases_needless(const struct cases *cases, const struct peal_check *check, size_t i, bool chose)
{
    int delivery = digit(&i, cases_deliveries(check)), ports = digit(&i, cases->port_count);

    switch (cases->networks[digit(&i, cases->network_count)].role) {
    case NETWORK_DEFAULT:
        return false;
    case NETWORK_SHARED:
        return chose || cases->ports[ports].count != PEAL_PORTS_ALL;
    case NETWORK_CHARGED:
        break;
    }
    digit(&i, cases->op_count * cases->set_count * cases->turn_count);
    bool other_size = digit(&i, cases->size_count) % 2 == 0 && cases->size_count > 1;

    return chose || delivery > 0 || ports > 0 || other_size || i > 0;
}

/* ------------------------------------------------------------------ describing a case */

char *
cases_text(const struct peal_check *check, const struct peal_check_case *where, char *text, size_t bytes)
{
    struct peal_text out = empty_text(text, bytes);
    const struct peal_form *form = peal_form_of(check->collective);
    char how[100];

    peal_append(out, "-p %d", where->nodes);
    if (form->waits || form->root)
        peal_append(out, " -r %d", where->root);
    if (form->by)
        peal_append(out, " --by %d", where->by);
    for (int i = 0; form->to && where->to && i < where->to_count; i++)
        peal_append(out, "%s%d", i == 0 ? " --to " : ",", where->to[i]);
    if (form->to && where->to_count == 0)
        peal_append(out, " --to none");
    for (int i = 0; i < where->size_count; i++)
        peal_append(out, "%s%zu", i == 0 ? " --sizes " : ",", where->sizes[i]);
    if (where->size_count == 0 && form->out != PEAL_SIDE_NONE)
        peal_append(out, " -%c %zu", form->unequal ? 'm' : 'n', where->words);
    if (check->algorithm || strcmp(where->topology, "full") != 0) {
        char word[600];

        peal_shell_word(where->topology, word, sizeof word);
        peal_append(out, " -t %s", word);
    }
    if (where->ports == PEAL_PORTS_ALL)
        peal_append(out, " --ports all");
    else
        peal_append(out, " --ports %d", where->ports);
    if (where->half_duplex)
        peal_append(out, " --half-duplex");
    if (where->switching != PEAL_IDEAL)
        peal_append(out, " --switching %s", peal_switching_name(where->switching));
    if (where->noncombining)
        peal_append(out, " --noncombining");
    if (where->eager)
        peal_append(out, " --delivery eager:%zu", where->eager_words);
    else
        peal_append(out, " --delivery rendezvous");
    if (where->commutative && form->op)
        peal_append(out, " --op %s", check->element && check->op ? check->op->name : "sum");
    if (ways_allow_in_place(check))
        peal_append(out, " --buffers %s", where->in_place ? "in-place" : "separate");
    if (where->call != PEAL_CALL_ONCE)
        peal_append(out, " --call %s", peal_check_call_text(where->call, peal_check_call_names, "+", how, sizeof how));
    if (where->seed != 0)
        peal_append(out, " --seed %" PRIu64, where->seed);
    return text;
}

size_t
cases_below(const struct cases *cases, size_t words)
{
    size_t least = 0;

    for (int i = 0; i < cases->size_count; i++)
        if (!cases->sizes[i].sizes && cases->sizes[i].words < words && cases->sizes[i].words >= least)
            least = cases->sizes[i].words + 1;
    return least;
}
