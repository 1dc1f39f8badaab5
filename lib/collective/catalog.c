/* SPDX-License-Identifier: MIT */
/* The table of algorithms, their requirements, and the choice among them by cost. */
#include "lib/collective/catalog.h"
#include "lib/base/text.h"
#include "lib/collective/closed.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

/* The catalogue: what is linked in, registered before main, and not changed afterwards. */
static const struct peal_algorithm *const *algorithms;
static int algorithm_count;

void
algorithms_register(const struct peal_algorithm *const *table, int count)
{
    algorithms = table;
    algorithm_count = count;
}

/* ------------------------------------------------------------------ blocks of a vector */

size_t
peal_block_begin(size_t n, int nodes, int block)
{
    size_t P = (size_t)nodes, b = (size_t)block, longer = n % P;

    return b * (n / P) + (b < longer ? b : longer);
}

size_t
peal_block_words(size_t n, int nodes, int block)
{
    return n / (size_t)nodes + ((size_t)block < n % (size_t)nodes);
}

/* ------------------------------------------------------------------ situations */

struct peal_situation
peal_situation_on(const struct peal_options *options, const struct peal_network *network)
{
    return (struct peal_situation){
        .nodes = network != NULL ? peal_network_nodes(network) : options->nodes,
        .network = network,
        .rules = options->rules,
        .parameters = options->parameters,
    };
}

/* ------------------------------------------------------------------ algorithms */

/* Loaded algorithms: changed only between runs. */
enum { MAX_LOADED = 16 };
static const struct peal_algorithm *loaded[MAX_LOADED];
static int loaded_count;

static const struct peal_algorithm *
find_loaded(enum peal_collective collective, const char *name)
{
    for (int i = 0; i < loaded_count; i++)
        if (loaded[i]->collective == collective && strcmp(loaded[i]->name, name) == 0)
            return loaded[i];
    return NULL;
}

enum peal_status
catalog_add(const struct peal_algorithm *algorithm, struct peal_error *error)
{
    if (find_loaded(algorithm->collective, algorithm->name) != NULL)
        return peal_refuse(error, PEAL_USAGE, "%s/%s is loaded already", peal_collective_name(algorithm->collective),
                           algorithm->name);
    if (loaded_count == MAX_LOADED)
        return peal_refuse(error, PEAL_USAGE, "at most %d algorithms can be loaded", MAX_LOADED);
    loaded[loaded_count++] = algorithm;
    return PEAL_OK;
}

void
catalog_remove(const struct peal_algorithm *algorithm)
{
    int kept = 0;

    for (int i = 0; i < loaded_count; i++)
        if (loaded[i] != algorithm)
            loaded[kept++] = loaded[i];
    loaded_count = kept;
}

const struct peal_algorithm *
peal_algorithm_get(int i)
{
    if (i >= algorithm_count && i < algorithm_count + loaded_count)
        return loaded[i - algorithm_count];
    return i >= 0 && i < algorithm_count ? algorithms[i] : NULL;
}

/* Whether the first `length` bytes of text are this name, which may be NULL. */
static bool
is_name(const char *name, const char *text, size_t length)
{
    return name != NULL && strlen(name) == length && strncmp(name, text, length) == 0;
}

const struct peal_algorithm *
peal_algorithm_parse(enum peal_collective collective, const char *text, int *parameter)
{
    size_t length = strcspn(text, ":");
    char *end;
    long number = 0;
    const struct peal_algorithm *own = find_loaded(collective, text);

    if (own != NULL) {
        *parameter = 0;
        return own;
    }
    for (int i = 0; i < algorithm_count; i++) {
        const struct peal_algorithm_parameter *takes = &algorithms[i]->parameter;

        if (algorithms[i]->collective != collective ||
            !(is_name(algorithms[i]->name, text, length) || is_name(algorithms[i]->also, text, length)))
            continue;
        if (text[length] == ':') {
            errno = 0;
            number = strtol(text + length + 1, &end, 10);
            if (takes->name == NULL || !isdigit((unsigned char)text[length + 1]) || *end != '\0' || errno != 0 ||
                number < takes->least || number > (takes->most > 0 ? takes->most : INT_MAX))
                return NULL;
        }
        *parameter = (int)number;
        return algorithms[i];
    }
    return NULL;
}

const struct peal_algorithm *
peal_algorithm_find(enum peal_collective collective, const char *name)
{
    int parameter;

    return peal_algorithm_parse(collective, name, &parameter);
}

int
peal_algorithm_parameter(const struct peal_algorithm *algorithm, const struct peal_situation *situation)
{
    const struct peal_algorithm_parameter *takes = &algorithm->parameter;

    if (takes->name == NULL)
        return 0;
    return situation->parameter > 0 ? situation->parameter : takes->choose(situation);
}

enum peal_status
peal_algorithm_check(enum peal_collective collective, const char *name, struct peal_error *error)
{
    size_t length = strcspn(name, ":");
    const struct peal_algorithm_parameter *takes = NULL;
    char names[800] = "", stem[40], most[40] = "";

    if (peal_algorithm_find(collective, name) != NULL)
        return PEAL_OK;
    snprintf(stem, sizeof stem, "%.*s", (int)(length < sizeof stem ? length : sizeof stem - 1), name);
    for (int i = 0; i < algorithm_count; i++)
        if (algorithms[i]->collective == collective && strcmp(algorithms[i]->name, stem) == 0)
            takes = &algorithms[i]->parameter;
    if (takes != NULL && takes->name == NULL)
        return peal_refuse(error, PEAL_USAGE, "%s/%s takes no number after its name", peal_collective_name(collective),
                           stem);
    if (takes != NULL) {
        if (takes->most > 0)
            snprintf(most, sizeof most, " to %d", takes->most);
        return peal_refuse(error, PEAL_USAGE, "expected %s/%s:N with N (%s) from %d%s, got '%s'",
                           peal_collective_name(collective), stem, takes->name, takes->least, most, name);
    }
    for (int i = 0; i < algorithm_count; i++)
        if (algorithms[i]->collective == collective)
            peal_append(IN_ARRAY(names), "%s%s", *names ? ", " : "", algorithms[i]->name);
    return peal_refuse(error, PEAL_USAGE, "%s has no algorithm '%s'; it has %s", peal_collective_name(collective), name,
                       names);
}

enum peal_status
catalog_check_ranks(const int *ranks, int count, int nodes, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;
    unsigned char *seen;

    if (count < 0 || count > nodes)
        return peal_refuse(error, PEAL_USAGE, "%d ranks in a list: %d node%s 0 to %d", count, nodes,
                           nodes == 1 ? " has" : "s have", nodes);
    seen = calloc((size_t)nodes / 8 + 1, 1);
    if (seen == NULL)
        return peal_refuse(error, PEAL_RESOURCES, "no memory to look through a list of %d ranks", count);
    for (int i = 0; i < count && status == PEAL_OK; i++) {
        int rank = ranks[i];

        if (rank < 0 || rank >= nodes)
            status = peal_refuse(error, PEAL_USAGE, "rank %d is out of range: ranks are 0 to %d", rank, nodes - 1);
        else if (seen[rank / 8] >> rank % 8 & 1)
            status = peal_refuse(error, PEAL_USAGE, "duplicate rank %d in the list", rank);
        else
            seen[rank / 8] |= (unsigned char)(1 << rank % 8);
    }
    free(seen);
    return status;
}

/* ------------------------------------------------------------------ requirements */

/* Whether `kind` is among the words of `kinds`. */
static bool
has_kind(const char *kinds, const char *kind)
{
    size_t length = strlen(kind);

    for (const char *word = kinds; (word = strstr(word, kind)) != NULL; word += length)
        if ((word == kinds || word[-1] == ' ') && (word[length] == ' ' || word[length] == '\0'))
            return true;
    return false;
}

/* Write "line, ring, mesh or torus" for "line ring mesh torus". */
static char *
kinds_text(const char *kinds, char *text, size_t bytes)
{
    const char *last = strrchr(kinds, ' '); /* before the last word */
    struct peal_text out = empty_text(text, bytes);

    for (const char *at = kinds; *at != '\0'; at++)
        peal_append(out, "%.*s", *at != ' ' ? 1 : 4, *at != ' ' ? at : at == last ? " or " : ", ");
    return text;
}

/* The requirements that can fail, each with a test. */
static bool
has_power_of_two(const struct peal_situation *situation)
{
    return (situation->nodes & (situation->nodes - 1)) == 0;
}

static bool
is_even(const struct peal_situation *situation)
{
    return situation->nodes % 2 == 0 || situation->nodes == 1;
}

static bool
situation_commutes(const struct peal_situation *situation)
{
    return situation->op == NULL || situation->op->commutative;
}

static bool
divides(const struct peal_situation *situation)
{
    return situation->words % (size_t)situation->nodes == 0;
}

static bool
has_root(const struct peal_requirements *requires, const struct peal_situation *situation)
{
    return !requires->root_is || !peal_form_of(situation->collective)->root || situation->root == requires->root;
}

static bool
has_ports(const struct peal_situation *situation, int ports)
{
    if (ports == PEAL_PORTS_ALL || situation->ports == PEAL_PORTS_ALL)
        return situation->ports == PEAL_PORTS_ALL;
    return situation->ports >= ports;
}

/* Refuse numbers other than those that the algorithm, a single schedule, is made for. */
static enum peal_status
fits_numbers(const struct peal_algorithm *algorithm, const struct peal_situation *situation, struct peal_error *error)
{
    const struct peal_requirements *requires = &algorithm->needs;
    const char *collective = peal_collective_name(algorithm->collective), *name = algorithm->name;

    if (requires->nodes != 0 && situation->nodes != requires->nodes)
        return peal_refuse(error, PEAL_USAGE, "%s/%s is for exactly %d node%s, not %d", collective, name,
                           requires->nodes, plural(requires->nodes), situation->nodes);
    if (!has_root(requires, situation))
        return peal_refuse(error, PEAL_USAGE, "%s/%s is for root %d, not %d", collective, name, requires->root,
                           situation->root);
    if (requires->multiple != 0 && situation->words % (size_t) requires->multiple != 0)
        return peal_refuse(error, PEAL_USAGE, "%s/%s needs a multiple of %d words, not %zu: %zu would fit", collective,
                           name, requires->multiple, situation->words,
                           situation->words - situation->words % (size_t) requires->multiple +
                               (size_t) requires->multiple);
    return PEAL_OK;
}

/* "as many as there are links", or the number */
static const char *
ports_text(int ports, char *text, size_t bytes)
{
    if (ports == PEAL_PORTS_ALL)
        snprintf(text, bytes, "--ports all");
    else
        snprintf(text, bytes, "--ports %d", ports);
    return text;
}

enum peal_status
peal_algorithm_fits(const struct peal_algorithm *algorithm, const struct peal_situation *situation,
                    struct peal_error *error)
{
    const struct peal_requirements *requires = &algorithm->needs;
    const char *collective = peal_collective_name(algorithm->collective), *name = algorithm->name;
    int nodes = situation->nodes;
    char text[200], have[40];

    if (fits_numbers(algorithm, situation, error) != PEAL_OK)
        return PEAL_USAGE;
    if (requires->power_of_two && !has_power_of_two(situation)) {
        int below = 1;

        while (below <= nodes / 2)
            below *= 2;
        return peal_refuse(error, PEAL_USAGE, "%s/%s needs a power of two of nodes, not %d: %d or %lld would fit",
                           collective, name, nodes, below, 2LL * below);
    }
    if (requires->even && !is_even(situation))
        return peal_refuse(error, PEAL_USAGE, "%s/%s needs an even number of nodes, not %d: %d or %lld would fit",
                           collective, name, nodes, nodes - 1, nodes + 1LL);
    if (requires->commutative && !situation_commutes(situation))
        return peal_refuse(error, PEAL_USAGE, "%s/%s needs a commutative operator, as sum or max are; %s is not",
                           collective, name, situation->op->name);
    if (requires->commutative_off_0 && situation->root != 0 && !situation_commutes(situation))
        return peal_refuse(error, PEAL_USAGE,
                           "%s/%s needs root 0 or a commutative operator, as sum or max are; %s is not", collective,
                           name, situation->op->name);
    if (requires->equal_blocks && situation->unequal)
        return peal_refuse(error, PEAL_USAGE, "%s/%s needs blocks of one length", collective, name);
    if (requires->divides && !divides(situation))
        return peal_refuse(error, PEAL_USAGE,
                           "%s/%s needs a vector that the %d nodes divide, not %zu word%s: %zu would fit", collective,
                           name, nodes, situation->words, plural(situation->words),
                           situation->words - situation->words % (size_t)nodes + (size_t)nodes);
    if (requires->ports != 0 && !has_ports(situation, requires->ports))
        return peal_refuse(error, PEAL_USAGE, "%s/%s needs %s%s; this machine has %s", collective, name,
                           ports_text(requires->ports, text, sizeof text),
                           requires->ports == PEAL_PORTS_ALL ? "" : " or more",
                           ports_text(situation->ports, have, sizeof have));
    if (requires->kinds == NULL ||
        has_kind(requires->kinds, situation->network == NULL ? "full" : peal_network_kind(situation->network)))
        return PEAL_OK;
    if (error == NULL) /* the choice asks for all, and often */
        return PEAL_USAGE;
    return peal_refuse(error, PEAL_USAGE, "%s/%s needs a %s network; this %s is %s", collective, name,
                       kinds_text(requires->kinds, text, sizeof text), situation->network == NULL ? "group's" : "one",
                       situation->network == NULL ? "full" : peal_network_name(situation->network));
}

char *
peal_requirements_text(const struct peal_algorithm *algorithm, char *text, size_t bytes)
{
    const struct peal_requirements *requires = &algorithm->needs;
    char ports[40], kinds[200], nodes[40], multiple[60];
    const struct {
        bool needs;
        const char *before, *what;
    } parts[] = {
        {requires->nodes != 0, "", nodes},
        {requires->multiple > 1, "", multiple},
        {requires->power_of_two, "", "P = 2^q"},
        {requires->even, "", "P even"},
        {requires->divides, "", "P divides n"},
        {requires->commutative, "", "a commutative operator"},
        {requires->commutative_off_0, "", "root 0 or a commutative operator"},
        {requires->equal_blocks, "", "equal blocks"},
        {requires->ports != 0, "", requires->ports != 0 ? ports_text(requires->ports, ports, sizeof ports) : ""},
        {requires->kinds != NULL,
         "network: ", requires->kinds != NULL ? kinds_text(requires->kinds, kinds, sizeof kinds) : ""},
    };
    struct peal_text out = empty_text(text, bytes);

    snprintf(nodes, sizeof nodes, "P = %d", requires->nodes);
    snprintf(multiple, sizeof multiple, "a multiple of %d words", requires->multiple);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].needs)
            peal_append(out, "%s%s%s", *text ? "; " : "", parts[i].before, parts[i].what);
    return text;
}

/* ------------------------------------------------------------------ the choice */

/* Whether the choice considers an algorithm. */
static bool
algorithm_has_cost(const struct peal_algorithm *algorithm, const struct peal_situation *situation,
                   struct peal_cost *cost)
{
    return peal_algorithm_cost(algorithm, situation, cost) ||
           (algorithm->at_most != NULL && algorithm->at_most(situation, cost));
}

static bool
differs_between_nodes(const struct peal_algorithm *algorithm)
{
    return algorithm->differs & PEAL_DIFFERS(NODES);
}

/* The cheapest algorithm that fits here, compared in the situation `priced`; NULL if no cost is known. */
static const struct peal_algorithm *
cheapest(const struct peal_situation *here, const struct peal_situation *priced)
{
    const struct peal_algorithm *best = NULL;
    double best_time = 0;

    for (int i = 0; i < algorithm_count; i++) {
        struct peal_cost cost;

        if (algorithms[i]->collective != here->collective || differs_between_nodes(algorithms[i]) ||
            peal_algorithm_fits(algorithms[i], here, NULL) != PEAL_OK ||
            !algorithm_has_cost(algorithms[i], priced, &cost))
            continue;
        if (best == NULL || peal_cost_time(cost, here->parameters) < best_time) {
            best = algorithms[i];
            best_time = peal_cost_time(cost, here->parameters);
        }
    }
    return best;
}

/* Blocks of unequal lengths are priced as if all were as long as the longest.  Not in an all-to-all, where no node
 * knows the others' lengths.  If no algorithm's cost is known, compare as if messages were not eager and ports were
 * single; then as if the network were full as well. */
const struct peal_algorithm *
peal_algorithm_choose(const struct peal_situation *situation)
{
    const struct peal_form *form = peal_form_of(situation->collective);
    struct peal_situation priced = *situation;
    const struct peal_algorithm *best, *first = NULL;

    if (form->chosen != NULL)
        return peal_algorithm_find(situation->collective, form->chosen);
    priced.unequal = situation->unequal && form->in == PEAL_SIDE_PAIRS;
    best = cheapest(situation, &priced);
    if (best == NULL) {
        priced.eager = priced.half_duplex = false;
        priced.ports = 1;
        best = cheapest(situation, &priced);
    }
    if (best == NULL) {
        priced.network = NULL;
        best = cheapest(situation, &priced);
    }
    for (int i = 0; i < algorithm_count && best == NULL; i++) {
        if (algorithms[i]->collective != situation->collective)
            continue;
        if (first == NULL)
            first = algorithms[i];
        if (!differs_between_nodes(algorithms[i]) && peal_algorithm_fits(algorithms[i], situation, NULL) == PEAL_OK)
            best = algorithms[i];
    }
    return best != NULL ? best : first;
}
