/* SPDX-License-Identifier: MIT */
/* Sizes, roots, sets, machines: the product of them all. */
#include "lib/check/cases.h"
#include "lib/check/expression.h"
#include "lib/labels/labels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of a block that is clearly not a short one. */
enum { LONG_BLOCK = 20 };

/* Blocks of unequal lengths, some of them empty. */
static const size_t none[] = {0}, one[] = {1}, one_long[] = {0, 0, 3, 0};
const size_t cases_uneven[] = {2, 0, 1};

/* After the first power of two above 16, around the next, and between. */
const int cases_beyond[] = {17, 24, 31, 32, 33, 0};

static const struct peal_algorithm *
algorithm_of(const struct peal_check *check)
{
    int parameter;

    return check->algorithm ? peal_algorithm_parse(check->collective, check->algorithm, &parameter) : NULL;
}

static void
add_size(struct cases *cases, struct size size)
{
    for (int i = 0; i < cases->size_count; i++)
        if (!size.sizes && !cases->sizes[i].sizes && cases->sizes[i].words == size.words)
            return;
    cases->sizes[cases->size_count++] = size;
}

int
cases_machine_nodes(const struct peal_check_case *where)
{
    if (where->call == PEAL_CALL_HALVES)
        return 2 * where->nodes;
    return where->nodes + (where->call == PEAL_CALL_IN_GROUP || where->call == PEAL_CALL_OVERLAP);
}

bool
cases_have_more_nodes(enum peal_check_call call)
{
    return call == PEAL_CALL_IN_GROUP || call == PEAL_CALL_HALVES || call == PEAL_CALL_OVERLAP;
}

bool
cases_unstored(const struct peal_check_case *where)
{
    return where->words > LABEL_INDICES / (size_t)where->nodes;
}

void
cases_say_undecided(size_t words, enum peal_failure_kind kind, char text[200])
{
    snprintf(text, 200, "with P = 2 and %zu words, which are not stored, it was ended (%s), and nothing is known",
             words, peal_failure_name(kind));
}

size_t
cases_far(const struct peal_check *check)
{
    const size_t words = ((size_t)1 << 28) + 1 + check->divides; /* one more, or two, than an int has bytes for */
    bool by_bytes = check->arguments && (strstr(check->arguments, "sbytes") || strstr(check->arguments, "rbytes"));

    if (!check->mpi || check->element || check->program || (check->has_call && check->call != PEAL_CALL_ONCE) ||
        check->identical || check->choices || check->has_words || check->sizes || check->words_list || by_bytes ||
        sizeof(size_t) < 8 || peal_form_of(check->collective)->out == PEAL_SIDE_NONE)
        return 0;
    return check->nodes_from <= 2 && check->nodes_to >= 2 && cases_wanted(check, 2) ? words : 0;
}

/* Whether the function is given a datatype, and of a reduction an operator, that need not be MPI's own. */
static bool
takes_types(const struct peal_check *check)
{
    const char *list = check->arguments;

    return check->mpi && !check->element && peal_form_of(check->collective)->out != PEAL_SIDE_NONE &&
           (!list || ((strstr(list, "datatype") || strstr(list, "type")) &&
                      (!peal_collective_has_op(check->collective) || !check->op)));
}

/* Whether the call says where blocks begin, which need not follow one another. */
static bool
takes_displacements(const struct peal_check *check)
{
    return check->mpi && check->unequal && !check->element && !peal_collective_has_op(check->collective) &&
           check->buffers != PEAL_BUFFERS_IN_PLACE &&
           (!check->arguments || strstr(check->arguments, "displs") || strstr(check->arguments, "bytes"));
}

bool
cases_calls(const struct peal_check *check, int nodes, enum peal_check_call call)
{
    if (check->program || check->identical || nodes > check->nodes_to)
        return call == PEAL_CALL_ONCE;
    if ((call == PEAL_CALL_SPACED || call == PEAL_CALL_STRUCT) && !takes_types(check))
        return false;
    if (call == PEAL_CALL_GAPS && !takes_displacements(check))
        return false;
    if (call >= PEAL_CALL_TWO_COMMS && (!check->mpi || (check->arguments && !strstr(check->arguments, "comm"))))
        return false;
    if (call == PEAL_CALL_HALVES && 2 * nodes > LABEL_EARLIER)
        return false;
    if (check->has_call)
        return check->call == call;
    bool single = check->choices || check->has_words || check->sizes || (check->has_ports && check->has_delivery);

    if (cases_have_more_nodes(call) && check->topology) /* which is one of P nodes */
        return false;
    return call == PEAL_CALL_ONCE || (nodes <= MAX_AGAIN && !single);
}

int
cases_most(const struct peal_check *check)
{
    int last = check->has_call || check->nodes_to < MAX_AGAIN ? check->nodes_to : MAX_AGAIN;
    int most = check->nodes_to;

    for (enum peal_check_call call = PEAL_CALL_ONCE; call < PEAL_CALLS; call++) {
        int nodes = cases_machine_nodes(&(struct peal_check_case){.nodes = last, .call = call});

        if (nodes > most && cases_calls(check, last, call))
            most = nodes;
    }

    for (int i = 0; check->beyond && cases_beyond[i] > 0; i++)
        most = cases_beyond[i] > most ? cases_beyond[i] : most;
    return most;
}

/* Whether these nodes are more than requested, so that some cases suffice. */
static bool
is_beyond(const struct peal_check *check, int nodes)
{
    return nodes > check->nodes_to;
}

bool
cases_wanted(const struct peal_check *check, int nodes)
{
    for (int i = 0; check->nodes_list && i < check->nodes_count; i++)
        if (check->nodes_list[i] == nodes)
            return true;
    return !check->nodes_list;
}

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

const size_t *
cases_lengths(size_t words)
{
    static struct kept {
        size_t lengths[CASES_LENGTHS];
        struct kept *next;
    } * all;

    for (struct kept *k = all; k; k = k->next)
        if (k->lengths[0] == words)
            return k->lengths;
    struct kept *fresh = calloc(1, sizeof *fresh);

    if (!fresh)
        return NULL;
    *fresh = (struct kept){.lengths = {words, 0, words - words / 2}, .next = all};
    all = fresh;
    return fresh->lengths;
}

/* Of a call with unequal blocks: all of so many words, and unequal ones of which these are the longest. */
static void
list_unequal(struct cases *cases, const struct peal_check *check)
{
    size_t words;

    for (int i = 0; i < check->words_count && i < MAX_SIZES / 2; i++) {
        const size_t *lengths =
            cases_words(check, i, cases->nodes, &words, NULL) == PEAL_OK ? cases_lengths(words) : NULL;

        if (lengths)
            add_size(cases, (struct size){0, lengths, 1});
        if (lengths && words > 0)
            add_size(cases, (struct size){0, lengths, CASES_LENGTHS});
    }
}

const char *const peal_check_call_names[PEAL_CALLS + 1] = {"once", "twice", "group",  "spaced", "struct",
                                                           "gaps", "comms", "halves", "overlap"};
const char *const peal_check_element_names[PEAL_ELEMENTS] = {"int", "float", "long", "double"};

/* The lengths that come out as 0, 1 and around the number of nodes, and one that is long. */
static void
list_sizes(struct cases *cases, const struct peal_check *check)
{
    const struct peal_algorithm *algorithm = algorithm_of(check);
    size_t P = (size_t)cases->nodes;
    bool blocks = peal_collective_has_blocks(check->collective);

    if (peal_form_of(check->collective)->out == PEAL_SIDE_NONE) {
        add_size(cases, (struct size){0, NULL, 0});
    } else if (check->sizes) {
        add_size(cases, (struct size){0, check->sizes, check->size_count});
    } else if (check->unequal && check->words_list) {
        list_unequal(cases, check);
    } else if (check->unequal) {
        if (check->has_words) {
            add_size(cases, (struct size){0, &check->words, 1});
            return;
        }
        add_size(cases, (struct size){0, none, 1});
        add_size(cases, (struct size){0, one, 1});
        add_size(cases, (struct size){0, cases_uneven, 3});
        add_size(cases, (struct size){0, one_long, 4});
    } else if (check->words_list) {
        size_t words;

        for (int i = 0; i < check->words_count && i < MAX_SIZES / 2; i++)
            if (cases_words(check, i, cases->nodes, &words, NULL) == PEAL_OK)
                add_size(cases, (struct size){words, NULL, 0});
    } else if (check->has_words) {
        add_size(cases, (struct size){check->words, NULL, 0});
    } else if (blocks) {
        for (size_t m = is_beyond(check, cases->nodes); m <= 3; m += m == 0 ? 1 : 2)
            add_size(cases, (struct size){m, NULL, 0});
        add_size(cases, (struct size){LONG_BLOCK, NULL, 0});
        if (algorithm && !algorithm->needs.equal_blocks) {
            add_size(cases, (struct size){0, cases_uneven, 3});
            add_size(cases, (struct size){0, one_long, 4});
        }
    } else {
        const size_t sizes[] = {0, 1, P - 1, P, P + 1, 2 * P + 1, 8 * P + 3};

        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            if (!is_beyond(check, cases->nodes) || i == 1 || i == 2 || i == 5)
                add_size(cases, (struct size){sizes[i], NULL, 0});
        for (size_t i = 1; check->divides && i <= 8; i *= 2)
            add_size(cases, (struct size){i * P, NULL, 0});
    }
}

/* A few of them. */
static void
list_some_turns(struct cases *cases)
{
    const int P = cases->nodes, some[] = {0, 1, P / 2, P - 1};

    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        cases->turns[cases->turn_count++] = some[i];
}

/* Roots; of a shift, distances. */
static bool
list_turns(struct cases *cases, const struct peal_check *check)
{
    const struct peal_form *form = peal_form_of(check->collective);
    bool shift = form->by, many = shift || form->waits || form->root;

    cases->turns = calloc((size_t)cases->nodes + 2, sizeof *cases->turns);
    if (!cases->turns)
        return false;
    if (!many || (shift && check->has_by) || (!shift && check->has_root)) {
        cases->turns[cases->turn_count++] = !many ? 0 : shift ? check->by : check->root;
        return true;
    }
    if (is_beyond(check, cases->nodes)) {
        list_some_turns(cases);
        return true;
    }
    for (int i = 0; !shift && check->roots && i < check->root_count && cases->turn_count < cases->nodes; i++)
        if (check->roots[i] < cases->nodes)
            cases->turns[cases->turn_count++] = check->roots[i];
    for (int i = 0; (shift || !check->roots) && i < cases->nodes; i++)
        cases->turns[cases->turn_count++] = i;
    if (form->waits)
        cases->turns[cases->turn_count++] = cases->nodes; /* none */
    if (shift) {
        cases->turns[cases->turn_count++] = -1;
        cases->turns[cases->turn_count++] = cases->nodes + 1;
    }
    return true;
}

/* All, none, the last, every second. */
static bool
list_sets(struct cases *cases, const struct peal_check *check)
{
    int P = cases->nodes, *at = cases->set_memory = calloc((size_t)P + 2, sizeof *at);

    if (!at)
        return false;
    cases->set_counts[0] = P;
    cases->set_count = 1;
    if (!peal_form_of(check->collective)->to)
        return true;
    if (check->has_to) {
        cases->sets[0] = check->to;
        cases->set_counts[0] = check->to ? check->to_count : P;
        return true;
    }
    *at = P - 1;
    cases->sets[1] = at, cases->set_counts[1] = 0;
    cases->sets[2] = at, cases->set_counts[2] = 1;
    cases->sets[3] = ++at;
    for (int rank = P - 1; rank >= 0; rank -= 2)
        at[cases->set_counts[3]++] = rank;
    cases->set_count = 4;
    return true;
}

static void
add_network(struct cases *cases, const struct peal_check *check, const char *topology, enum network_role role)
{
    cases->networks[cases->network_count++] = (struct network){topology, check->switching, check->noncombining, role};
}

/* A machine that refuses bundles, on the first of the networks. */
static void
add_noncombining(struct cases *cases, const struct peal_check *check)
{
    if (!check->noncombining)
        cases->networks[cases->network_count++] =
            (struct network){cases->networks[0].topology, check->switching, true, NETWORK_CHARGED};
}

/* Of an algorithm that does not look at its network; or the one that is asked for. */
static void
list_any_network(struct cases *cases, const struct peal_check *check)
{
    const struct peal_algorithm *algorithm = algorithm_of(check);
    int P = cases->nodes;

    add_network(cases, check, check->topology ? check->topology : "full", NETWORK_DEFAULT);
    if (!check->topology && algorithm && algorithm->asks_ports) /* a port a link: all nodes, or neighbours */
        add_network(cases, check, "line", NETWORK_DEFAULT);
    if (!check->topology && algorithm)
        add_noncombining(cases, check);
    if (check->topology || check->program || is_beyond(check, P) ||
        (check->has_call && cases_have_more_nodes(check->call)))
        return;
    if (P == 4 || P == 6 || P == 8 || P == 9 || P == 12)
        add_network(cases, check, "mesh", NETWORK_SHARED);
    if (P == 4 || P == 8 || P == 16)
        add_network(cases, check, "hypercube", NETWORK_SHARED);
}

/* Of an algorithm of the catalogue that looks at its network. */
static void
list_networks(struct cases *cases, const struct peal_check *check)
{
    static const char *const all[] = {"full", "line", "ring", "mesh", "torus", "hypercube"};
    /* Not as square as possible: an algorithm that ignores its network assumes that. */
    static const char *const slender[] = {[6] = "mesh:3x2",  [8] = "mesh:4x2",  [10] = "mesh:5x2", [12] = "mesh:6x2",
                                          [14] = "mesh:7x2", [15] = "mesh:5x3", [16] = "mesh:8x2"};
    static const char *const deep[] = {[8] = "torus:2x2x2", [12] = "torus:3x2x2", [16] = "torus:4x2x2"};
    static const enum peal_switching far[] = {PEAL_WORMHOLE, PEAL_STORE_FORWARD};
    enum { MAX = sizeof deep / sizeof *deep };
    int P = cases->nodes;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((P & (P - 1)) == 0 || strcmp(all[i], "hypercube") != 0)
            add_network(cases, check, all[i], NETWORK_DEFAULT);
    if (P < MAX && slender[P])
        add_network(cases, check, slender[P], NETWORK_DEFAULT);
    if (P < MAX && deep[P])
        add_network(cases, check, deep[P], NETWORK_DEFAULT);
    for (int i = 1, usual = cases->network_count; !check->has_switching && i < usual; i++)
        for (size_t s = 0; s < sizeof far / sizeof *far; s++)
            cases->networks[cases->network_count++] =
                (struct network){cases->networks[i].topology, far[s], check->noncombining, NETWORK_CHARGED};
    add_noncombining(cases, check);
}

static void
add_ports(struct cases *cases, int count, bool half_duplex)
{
    cases->ports[cases->port_count++] = (struct port_kind){count, half_duplex};
}

static void
list_ports(struct cases *cases, const struct peal_check *check)
{
    const struct peal_algorithm *algorithm = algorithm_of(check);
    int needed = algorithm ? algorithm->needs.ports : 0;

    if (check->has_ports) {
        add_ports(cases, check->ports, check->half_duplex);
        return;
    }
    if (needed == 0 || needed == 1)
        add_ports(cases, 1, false);
    if (needed > 1)
        add_ports(cases, needed, false);
    add_ports(cases, PEAL_PORTS_ALL, false);
    if (algorithm && algorithm->asks_ports) {
        add_ports(cases, 2, false);
        add_ports(cases, 3, false);
        add_ports(cases, 2, true);
        add_ports(cases, PEAL_PORTS_ALL, true);
    }
}

static void
list_machines(struct cases *cases, const struct peal_check *check)
{
    const struct peal_algorithm *algorithm = algorithm_of(check);
    bool on_networks =
        algorithm && (algorithm->asks_network || algorithm->needs.kinds || algorithm->needs.ports == PEAL_PORTS_ALL);

    if (on_networks && !check->topology)
        list_networks(cases, check);
    else
        list_any_network(cases, check);
    list_ports(cases, check);
    if (check->op) {
        cases->commutative[cases->op_count++] = check->op->commutative;
    } else {
        cases->commutative[cases->op_count++] = false;
        if (peal_collective_has_op(check->collective) &&
            (check->identical || (algorithm && (algorithm->needs.commutative || algorithm->needs.commutative_off_0))))
            cases->commutative[cases->op_count++] = true;
    }
}

bool
cases_one_buffer(const struct peal_check *check)
{
    return check->arguments && !strstr(check->arguments, "sendbuf");
}

bool
cases_allow_in_place(const struct peal_check *check)
{
    if (check->program || !check->mpi)
        return !check->program && peal_collective_allows_in_place(check->collective);
    return check->collective != PEAL_BROADCAST && check->collective != PEAL_BARRIER && !cases_one_buffer(check);
}

static void
list_places(struct cases *cases, const struct peal_check *check)
{
    bool allowed = cases_allow_in_place(check);
    bool usual = check->buffers == PEAL_BUFFERS_DEFAULT && !check->choices; /* an order applies to one case */

    if (check->buffers != PEAL_BUFFERS_IN_PLACE)
        cases->in_place[cases->place_count++] = false;
    if (allowed && (usual || check->buffers > PEAL_BUFFERS_SEPARATE) &&
        (!is_beyond(check, cases->nodes) || cases->place_count == 0))
        cases->in_place[cases->place_count++] = true;
}

bool
cases_tolerated(const struct peal_check *check, const struct peal_check_case *where)
{
    return where->in_place && check->file && check->buffers == PEAL_BUFFERS_DEFAULT;
}

enum peal_status
cases_init(struct cases *cases, const struct peal_check *check, int nodes, struct peal_error *error)
{
    *cases = (struct cases){.nodes = nodes};
    list_places(cases, check);
    list_sizes(cases, check);
    list_machines(cases, check);
    if (list_turns(cases, check) && list_sets(cases, check))
        return PEAL_OK;
    cases_fini(cases);
    return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
}

void
cases_fini(struct cases *cases)
{
    free(cases->turns);
    free(cases->set_memory);
    *cases = (struct cases){.nodes = 0};
}
