/* SPDX-License-Identifier: MIT */
/* One case of a check, by its number: what it is, whether it is run, and the options that run it again. */
#include "lib/base/shell_word.h"
#include "lib/base/text.h"
#include "lib/check/cases.h"
#include "lib/check/expression.h"
#include <inttypes.h>
#include <string.h>

/* Eager for every message of a check. */
enum { EAGER_ALL = 1 << 20 };

int
cases_deliveries(const struct peal_check *check)
{
    return check->has_delivery ? 1 : DELIVERIES;
}

/* The i-th way to deliver. */
static void
deliver(const struct peal_check *check, int i, bool *eager, size_t *eager_words)
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

/* Take a digit with this base off the number. */
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

    deliver(check, delivery, &c.eager, &c.eager_words);
    for (int b = 0; b < c.size_count; b++)
        c.words = c.sizes[b] > c.words ? c.sizes[b] : c.words;
    return c;
}

/* Whether functions are also called twice, and in a group, with this size: the two that are shortest and not empty, and
 * unequal blocks; of vectors whose words P is to divide, P and 2P; or the sizes that were asked for. */
static bool
is_called_with(const struct cases *cases, const struct peal_check *check, const struct size *size)
{
    const bool blocks = peal_collective_has_blocks(check->collective);
    const size_t P = (size_t)cases->nodes, shorter = check->divides && !blocks ? P : 1,
                 longer = blocks ? 3 : P + shorter;

    if (check->has_words || check->words_list || check->sizes || peal_form_of(check->collective)->out == PEAL_SIDE_NONE)
        return true;
    return size->sizes ? size->sizes == cases_uneven : size->words == shorter || size->words == longer;
}

bool
cases_is_called(const struct cases *cases, const struct peal_check *check, size_t i, enum peal_check_call call)
{
    int delivery = digit(&i, cases_deliveries(check)), ports = digit(&i, cases->port_count);
    int network = digit(&i, cases->network_count);

    if ((delivery > 0 && delivery + 1 < cases_deliveries(check)) || ports > 0 ||
        cases->networks[network].role != NETWORK_DEFAULT || (network > 0 && cases_have_more_nodes(call)))
        return false;
    digit(&i, cases->op_count);
    if (digit(&i, cases->set_count) > 0)
        return false;
    digit(&i, cases->turn_count);
    return is_called_with(cases, check, &cases->sizes[digit(&i, cases->size_count)]) && i == 0;
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
        peal_append(out, " --op sum");
    if (cases_allow_in_place(check))
        peal_append(out, " --buffers %s", where->in_place ? "in-place" : "separate");
    if (where->call != PEAL_CALL_ONCE)
        peal_append(out, " --call %s", peal_check_call_names[where->call]);
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
