/* SPDX-License-Identifier: MIT */
/* Reading the document "peal/run/1".  First the members of the document are found, whatever their order, and with that
 * the whole of it is known to be JSON; then they are read one after the other.  Beside the document, memory never holds
 * more than its transfers. */
#include "lib/base/text.h"
#include "lib/cost/schedule.h"
#include "lib/network/placement.h"
#include "lib/record/read.h"
#include <inttypes.h>
#include <limits.h>
#include <peal/trace.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The member of the document with this key, which must be in its list. */
static const struct read_member *
read_run_member(const struct read_member *members, const char *key)
{
    while (strcmp(members->key, key) != 0)
        members++;
    return members;
}

/* Read a list into memory of `bytes` bytes per element; gives the list, NULL without one. */
static void *
read_array(struct reader *reader, const struct read_member *member, size_t bytes, size_t *count,
           void (*read)(struct reader *reader, const struct peal_record *record, void *element),
           const struct peal_record *record)
{
    if (reader->failed || !member_enter(reader, member))
        return NULL;
    size_t elements = read_count(reader);
    char *list = reader->failed ? NULL : calloc(elements + 1, bytes);

    if (!list && !reader->failed)
        read_no_memory(reader);
    *count = list ? elements : 0;
    read_list(reader);
    for (size_t i = 0; read_element(reader, i); i++) {
        read_enter(reader, NULL, i);
        read(reader, record, list + i * bytes);
        read_leave(reader);
    }
    read_leave(reader);
    return list;
}

/* ------------------------------------------------------------------ the machine */

static void
read_run_ports(struct reader *reader, const struct read_member *member, struct peal_options *options)
{
    static const char *const words[] = {"all", NULL};

    if (!member_enter(reader, member))
        return;
    if (read_kind(reader) == '"') {
        read_word(reader, words);
        options->ports = PEAL_PORTS_ALL;
    } else {
        options->ports = (int)read_uint(reader, 1, INT_MAX);
    }
    read_leave(reader);
}

static void
read_run_delivery(struct reader *reader, const struct read_member *member, struct peal_options *options)
{
    if (!member_enter(reader, member))
        return;
    char *text = read_string(reader);

    if (text && strncmp(text, "eager:", 6) == 0 && text[6] &&
        peal_parse_size(text + 6, &options->eager_words, NULL) == PEAL_OK)
        options->eager = true;
    else if (text && strcmp(text, "rendezvous") != 0)
        read_refuse(reader, member->value, "%s is not rendezvous or eager:W", quote(text).text);
    free(text);
    read_leave(reader);
}

static void
read_parameters(struct reader *reader, const struct read_member *member, struct peal_parameters *parameters)
{
    struct read_member members[] = {NEEDED("alpha"), NEEDED("beta"), NEEDED("hop"), NEEDED("tau")};

    if (!member_enter(reader, member))
        return;
    read_object(reader, members, COUNT(members));
    *parameters = (struct peal_parameters){
        .alpha = member_parameter(reader, &members[0]),
        .beta = member_parameter(reader, &members[1]),
        .hop = member_parameter(reader, &members[2]),
        .tau = member_parameter(reader, &members[3]),
    };
    read_leave(reader);
}

static void
read_computing(struct reader *reader, const struct read_member *member, struct peal_computing *computing)
{
    static const char *const sources[] = {"measured", "sampled", NULL};
    struct read_member members[] = {NEEDED("source"), NEEDED("speed"), NEEDED("operation")};

    if (!member_enter(reader, member))
        return;
    read_object(reader, members, COUNT(members));
    computing->source = member_word(reader, &members[0], sources) ? PEAL_COMPUTE_SAMPLED : PEAL_COMPUTE_MEASURED;
    computing->speed = member_parameter(reader, &members[1]);
    computing->operation = member_parameter(reader, &members[2]);
    read_leave(reader);
}

static void
read_host(struct reader *reader, const struct peal_record *record, void *element)
{
    (void)record;
    *(int *)element = (int)read_uint(reader, 0, INT_MAX);
}

/* Append the placement to the topology: its order or, if that was a file, which is not opened again, the hosts. */
static void
read_placement(struct reader *reader, const struct read_member *member, struct peal_options *options)
{
    static const char *const orders[] = {"block", "cyclic", "random", "file", NULL};
    struct read_member members[] = {NEEDED("hosts"), NEEDED("per_host"), NEEDED("order"), NEEDED("seed"),
                                    NEEDED("map")};
    const char *topology = options->topology;
    struct peal_error why = {PEAL_OK, ""};
    struct peal_placement *placement;
    size_t count = 0, bytes;
    char *name = NULL;
    bool seeded;

    if (!member_enter(reader, member))
        return;
    read_object(reader, members, COUNT(members));
    int hosts = (int)member_uint(reader, &members[0], 1, INT_MAX);
    int per_host = (int)member_uint(reader, &members[1], 1, INT_MAX);
    size_t order = member_word(reader, &members[2], orders);
    uint64_t seed = member_optional_uint(reader, &members[3], UINT64_MAX, &seeded);
    int *map = read_array(reader, &members[4], sizeof *map, &count, read_host, NULL);
    FILE *out = reader->failed ? NULL : open_memstream(&name, &bytes);

    if (!out) {
        if (!reader->failed)
            read_no_memory(reader);
        goto end;
    }
    fprintf(out, per_host > 1 ? "%s@%d:" : "%s@", topology, per_host);
    fputs(order == 3 ? "map:" : orders[order], out);
    if (order == 2)
        fprintf(out, ":%" PRIu64, seed);
    for (size_t i = 0; order == 3 && i < count; i++)
        fprintf(out, i > 0 ? ",%d" : "%d", map[i]);
    fclose(out);
    placement = placement_make(name + strlen(topology) + 1, options->nodes, hosts, topology, &why);
    if (!placement)
        read_refuse(reader, member->value, "%s", why.text);
    else if (count != (size_t)options->nodes || memcmp(placement->host, map, count * sizeof *map) != 0)
        read_refuse(reader, members[4].value, "it is not the map of %d nodes in %s order", options->nodes,
                    orders[order]);
    free(placement);
    free((char *)(uintptr_t)topology);
    options->topology = name;
end:
    free(map);
    read_leave(reader);
}

static void
read_run_machine(struct reader *reader, const struct read_member *members, struct peal_options *options)
{
    static const char *const duplex[] = {"full", "half", NULL};
    static const char *const switching[] = {"ideal", "wormhole", "store-forward", NULL};
    static const enum peal_switching switchings[] = {PEAL_IDEAL, PEAL_WORMHOLE, PEAL_STORE_FORWARD};
    static const char *const congestion[] = {"count", "volume", NULL};

    options->topology = member_text(reader, read_run_member(members, "topology"));
    options->routing = member_text(reader, read_run_member(members, "routing"));
    read_placement(reader, read_run_member(members, "placement"), options);
    read_run_ports(reader, read_run_member(members, "ports"), options);
    options->half_duplex = member_word(reader, read_run_member(members, "duplex"), duplex) == 1;
    options->switching = switchings[member_word(reader, read_run_member(members, "switching"), switching)];
    options->congestion =
        member_word(reader, read_run_member(members, "congestion"), congestion) ? PEAL_VOLUME : PEAL_COUNT;
    options->noncombining = !member_bool(reader, read_run_member(members, "combining"));
    read_run_delivery(reader, read_run_member(members, "delivery"), options);
    options->mailbox = (int)member_uint(reader, read_run_member(members, "mailbox"), 1, INT_MAX);
    options->engine = member_text(reader, read_run_member(members, "engine"));
    options->seed = member_uint(reader, read_run_member(members, "seed"), 0, UINT64_MAX);
    read_parameters(reader, read_run_member(members, "parameters"), &options->parameters);
    read_computing(reader, read_run_member(members, "computing"), &options->computing);
}

static void
read_subject(struct reader *reader, const struct read_member *members, struct peal_record *record)
{
    record->collective = member_optional_text(reader, read_run_member(members, "collective"));
    record->algorithm = member_optional_text(reader, read_run_member(members, "algorithm"));
    record->program = member_optional_text(reader, read_run_member(members, "program"));
    record->options.nodes = (int)member_uint(reader, read_run_member(members, "nodes"), 1, INT_MAX);
    if (read_run_member(members, "word_bytes")->value)
        record->options.word_bytes = (size_t)member_uint(reader, read_run_member(members, "word_bytes"), 1, SIZE_MAX);
    record->block_words = (size_t)member_optional_uint(reader, read_run_member(members, "block_words"), SIZE_MAX,
                                                       &record->has_block_words);
    record->vector_words = (size_t)member_optional_uint(reader, read_run_member(members, "vector_words"), SIZE_MAX,
                                                        &record->has_vector_words);
    record->root = (int)member_optional_uint(reader, read_run_member(members, "root"),
                                             (uint64_t)record->options.nodes - 1, &record->has_root);
    record->parameter = (int)member_uint(reader, read_run_member(members, "parameter"), 1, INT_MAX);
    record->op = member_optional_text(reader, read_run_member(members, "op"));
    record->by = (int)member_uint(reader, read_run_member(members, "by"), 0, (uint64_t)record->options.nodes - 1);
    record->to = member_copy(reader, read_run_member(members, "to"));
    record->sizes = member_copy(reader, read_run_member(members, "sizes"));
    if (!reader->failed && !record->collective != !record->algorithm)
        read_refuse(reader, read_run_member(members, "collective")->value,
                    "collective and algorithm are both a name or both null");
}

/* ------------------------------------------------------------------ costs and rounds */

/* A coefficient of a cost. */
static int64_t
coefficient_of(struct reader *reader, const struct read_member *member)
{
    uint64_t value;

    if (!member_enter(reader, member))
        return 0;
    value = read_uint(reader, 0, UINT64_MAX);
    if (value >= INT64_MAX)
        read_refuse(reader, member->value, "%" PRIu64 " is too large to count: a coefficient is at most %" PRId64,
                    value, INT64_MAX - 1);
    read_leave(reader);
    return value < INT64_MAX ? (int64_t)value : 0;
}

static struct peal_cost
read_run_cost(struct reader *reader, const struct read_member *member)
{
    struct read_member members[] = {NEEDED("alpha"), NEEDED("beta"), NEEDED("hop"), NEEDED("tau")};
    struct peal_cost cost = {0};

    if (!member_enter(reader, member))
        return cost;
    read_object(reader, members, COUNT(members));

    cost.alpha = coefficient_of(reader, &members[0]);
    cost.beta = coefficient_of(reader, &members[1]);
    cost.hop = coefficient_of(reader, &members[2]);
    cost.tau = coefficient_of(reader, &members[3]);
    read_leave(reader);
    return cost;
}

static int32_t
node_of(struct reader *reader, const struct read_member *member, int nodes)
{
    uint64_t node;

    if (!member_enter(reader, member))
        return 0;
    node = read_uint(reader, 0, UINT64_MAX);
    if (node >= (uint64_t)nodes)
        read_refuse(reader, member->value, "rank %llu is out of range: ranks are 0 to %d", (unsigned long long)node,
                    nodes - 1);
    read_leave(reader);
    return (int32_t)node;
}

/* The numbers of a transfer's calls, from 1; 0 for null. */
static void
read_calls(struct reader *reader, const struct read_member *member, size_t count, uint32_t calls[2])
{
    if (!member_enter(reader, member))
        return;
    read_list(reader);
    for (size_t i = 0; read_element(reader, i); i++) {
        if (i > 1)
            read_refuse(reader, reader->at, "more than the calls of a send and a receive");
        else if (!member_null(reader))
            calls[i] = (uint32_t)read_uint(reader, 0, count - 1) + 1;
    }
    read_leave(reader);
}

static void
read_transfer(struct reader *reader, int nodes, size_t call_count, struct peal_transfer *transfer)
{
    struct read_member members[] = {NEEDED("from"), NEEDED("to"), NEEDED("words"),
                                    NEEDED("hops"), NEEDED("k"),  OPTIONAL("calls")};

    read_object(reader, members, COUNT(members));

    *transfer = (struct peal_transfer){
        .from = node_of(reader, &members[0], nodes),
        .to = node_of(reader, &members[1], nodes),
        .words = member_uint(reader, &members[2], 0, UINT64_MAX),
        .hops = (uint32_t)member_uint(reader, &members[3], 0, UINT32_MAX),
        .k = (uint32_t)member_uint(reader, &members[4], 1, UINT32_MAX),
    };
    if (call_count > 0)
        read_calls(reader, &members[5], call_count, transfer->calls);
}

static void
read_round(struct reader *reader, int nodes, struct recorder *recorder, size_t call_count)
{
    struct read_member members[] = {NEEDED("transfers"), NEEDED("charge")};
    struct peal_transfer *transfers;
    size_t count;

    read_object(reader, members, COUNT(members));

    if (!member_enter(reader, &members[0]))
        return;
    if (read_kind(reader) == '0')
        read_refuse(reader, members[0].value,
                    "this is only the number of rounds; record the run with all rounds: peal run ... --rounds all "
                    "--json=FILE");
    count = read_count(reader);
    transfers = reader->failed ? NULL : recorder_room(recorder, count);
    if (!transfers)
        read_no_memory(reader);
    read_list(reader);
    for (size_t i = 0; read_element(reader, i); i++) {
        read_enter(reader, NULL, i);
        read_transfer(reader, nodes, call_count, &transfers[i]);
        read_leave(reader);
    }
    read_leave(reader);
    if (reader->failed)
        return;
    struct peal_cost charge = read_run_cost(reader, &members[1]);

    if (reader->failed)
        return;
    if (!recorder_round(recorder, count, charge))
        read_no_memory(reader);
}

static void
read_caller(struct reader *reader, const struct peal_record *record, void *element)
{
    struct read_member members[] = {NEEDED("call"), OPTIONAL("algorithm"), NEEDED("file"), NEEDED("line")};
    struct peal_caller *caller = element;

    (void)record;
    read_object(reader, members, COUNT(members));
    caller->call = member_optional_text(reader, &members[0]);
    caller->algorithm = member_optional_text(reader, &members[1]);
    caller->file = member_text(reader, &members[2]);
    caller->line = (int)member_uint(reader, &members[3], 0, INT_MAX);
}

/* The ranks of a group, each once. */
static void
read_run_ranks(struct reader *reader, const struct read_member *member, int nodes, struct peal_collective_call *call)
{
    char *text = member_copy(reader, member);
    size_t *numbers = NULL;
    bool *seen = calloc((size_t)nodes, sizeof *seen);
    int *members = NULL, count = 0;
    bool right = text && seen && read_numbers(text, &numbers, &count, NULL) == PEAL_OK && count > 0 &&
                 (members = calloc((size_t)count, sizeof *members));

    for (int i = 0; right && i < count; i++) {
        right = numbers[i] < (size_t)nodes && !seen[numbers[i]];
        if (right)
            seen[members[i] = (int)numbers[i]] = true;
    }
    if (!right && !reader->failed)
        read_refuse(reader, member->value, "members: expected a list of different ranks from 0 to %d", nodes - 1);
    call->members = members;
    call->nodes = count;
    free(numbers);
    free(seen);
    free(text);
}

static void
read_run_collective(struct reader *reader, const struct peal_record *record, void *element)
{
    struct read_member members[] = {NEEDED("collective"), NEEDED("algorithm"), NEEDED("words"),    NEEDED("scale"),
                                    NEEDED("root"),       NEEDED("by"),        NEEDED("unequal"),  NEEDED("ordered"),
                                    NEEDED("first"),      NEEDED("last"),      OPTIONAL("members")};
    struct peal_collective_call *call = element;
    int nodes = record->options.nodes;

    read_object(reader, members, COUNT(members));
    call->collective = member_text(reader, &members[0]);
    call->algorithm = member_text(reader, &members[1]);
    call->words = member_uint(reader, &members[2], 0, SIZE_MAX / 4);
    call->scale = (uint32_t)member_uint(reader, &members[3], 1, 1 << 20);
    call->root = (int)member_uint(reader, &members[4], 0, (uint64_t)nodes - 1);
    call->by = (int)member_uint(reader, &members[5], 0, INT_MAX);
    call->unequal = member_bool(reader, &members[6]);
    call->ordered = member_bool(reader, &members[7]);
    call->nodes = nodes;
    call->first = member_uint(reader, &members[8], 1, record->schedule.round_count) - 1;
    call->last = member_uint(reader, &members[9], call->first + 1, record->schedule.round_count) - 1;
    if (!reader->failed && members[10].value)
        read_run_ranks(reader, &members[10], nodes, call);
}

/* Replacing calls goes over them in the order of their first rounds. */
static void
read_run_collectives(struct reader *reader, const struct read_member *member, struct peal_record *record)
{
    struct peal_collective_calls *all = &record->collectives;

    all->calls = read_array(reader, member, sizeof *all->calls, &all->count, read_run_collective, record);
    for (size_t i = 1; !reader->failed && i < all->count; i++)
        if (all->calls[i].first < all->calls[i - 1].first)
            read_refuse(reader, member->value,
                        "collectives: expected calls in the order of their first rounds, got %zu "
                        "after %zu",
                        all->calls[i].first + 1, all->calls[i - 1].first + 1);
}

static void
read_shown(struct reader *reader, const struct peal_record *record, void *element)
{
    struct peal_shown_value *one = element;
    const char *begin = reader->at;
    size_t i = 0;

    for (read_list(reader); read_element(reader, i); i++) {
        if (i == 0)
            one->node = (int)read_uint(reader, 0, (uint64_t)record->options.nodes - 1);
        else if (i == 1)
            one->round = read_uint(reader, 0, record->schedule.round_count);
        else if (i == 2)
            one->name = read_plain(reader);
        else if (i == 3)
            one->value = read_value(reader);
        else
            read_skip(reader);
    }
    if (i != 4)
        read_refuse(reader, begin, "expected a node, a round, a name and a value, got %zu elements", i);
}

static void
read_rounds(struct reader *reader, const struct read_member *members, struct peal_record *record)
{
    struct recorder recorder = {0};
    struct peal_cost total = {0};
    char sum[100], given[100];

    record->cost = read_run_cost(reader, read_run_member(members, "cost"));
    if (!member_enter(reader, read_run_member(members, "rounds")))
        return;
    read_list(reader);
    for (size_t i = 0; read_element(reader, i); i++) {
        read_enter(reader, NULL, i);
        read_round(reader, record->options.nodes, &recorder, record->callers.count);
        read_leave(reader);
    }
    record->schedule = recorder_end(&recorder);
    for (size_t i = 0; !reader->failed && i < record->schedule.round_count; i++)
        total = peal_cost_add(total, peal_schedule_round(&record->schedule, i)->charge);
    if (!reader->failed && !peal_cost_counted(total))
        read_refuse(reader, read_run_member(members, "rounds")->value,
                    "the sum of the rounds' charges is too large to count: a coefficient "
                    "is at most %" PRId64,
                    INT64_MAX - 1);
    if (!reader->failed && record->schedule.round_count == 0 && !peal_cost_equal(total, record->cost))
        read_refuse(reader, read_run_member(members, "rounds")->value,
                    "no rounds were recorded; record the run with all rounds: peal run ... --rounds all --json=FILE");
    read_leave(reader);
    if (!reader->failed && !peal_cost_equal(total, record->cost))
        read_refuse(reader, read_run_member(members, "cost")->value,
                    "cost: %s is not the sum of the rounds' charges, %s",
                    peal_cost_text(record->cost, given, sizeof given), peal_cost_text(total, sum, sizeof sum));
}

/* ------------------------------------------------------------------ the document */

static void
check_schema(struct reader *reader, const struct read_member *member)
{
    char *schema = member->value ? member_text(reader, member) : NULL;

    if (schema && strcmp(schema, "peal/run/1") != 0)
        read_refuse(reader, member->value, "schema: %s is not 'peal/run/1', which peal run ... --json=FILE writes",
                    quote(schema).text);
    free(schema);
}

static void
read_document(struct reader *reader, struct peal_record *record)
{
    struct read_member members[] = {
        NEEDED("schema"),      NEEDED("collective"),    NEEDED("algorithm"),     NEEDED("nodes"),
        NEEDED("block_words"), NEEDED("vector_words"),  NEEDED("root"),          NEEDED("topology"),
        NEEDED("routing"),     NEEDED("ports"),         NEEDED("duplex"),        NEEDED("switching"),
        NEEDED("congestion"),  NEEDED("combining"),     NEEDED("delivery"),      NEEDED("mailbox"),
        NEEDED("engine"),      NEEDED("seed"),          NEEDED("parameters"),    NEEDED("rounds"),
        NEEDED("cost"),        NEEDED("critical_path"), NEEDED("data"),          NEEDED("failure"),
        OPTIONAL("program"),   OPTIONAL("parameter"),   OPTIONAL("op"),          OPTIONAL("by"),
        OPTIONAL("to"),        OPTIONAL("sizes"),       OPTIONAL("computing"),   OPTIONAL("word_bytes"),
        OPTIONAL("placement"), OPTIONAL("calls"),       OPTIONAL("collectives"), OPTIONAL("findings"),
        OPTIONAL("shown"),     OPTIONAL("through"),     OPTIONAL("host")};
    struct read_member schema = OPTIONAL("schema");
    const char *begin = reader->at;

    if (read_kind(reader) != '{')
        read_refuse(reader, reader->at, "expected a run, which peal run ... --json=FILE writes");
    read_object(reader, &schema, 1); /* for another kind of document nothing else is worth reporting */
    if (!reader->failed && read_kind(reader) == '\0' && reader->at < reader->end)
        read_refuse(reader, reader->at, "something follows the document");
    else if (!reader->failed && reader->at < reader->end)
        read_refuse(reader, reader->at, "a second document follows the first");
    check_schema(reader, &schema);
    if (!reader->failed && !schema.value)
        read_refuse(reader, begin, "expected a run, which peal run ... --json=FILE writes: it has no 'schema'");
    if (reader->failed)
        return;
    reader->at = begin;
    read_object(reader, members, COUNT(members));
    read_subject(reader, members, record);
    read_run_machine(reader, members, &record->options);
    record->callers.callers = read_array(reader, read_run_member(members, "calls"), sizeof(struct peal_caller),
                                         &record->callers.count, read_caller, record);
    read_rounds(reader, members, record);
    read_run_collectives(reader, read_run_member(members, "collectives"), record);
    if (member_enter(reader, read_run_member(members, "critical_path"))) {
        record->has_critical_path = !member_null(reader);
        read_leave(reader);
    }
    if (record->has_critical_path)
        record->critical_path = read_run_cost(reader, read_run_member(members, "critical_path"));
    record->data = member_copy(reader, read_run_member(members, "data"));
    record->failure = member_copy(reader, read_run_member(members, "failure"));
    record->findings = member_copy(reader, read_run_member(members, "findings"));
    record->shown.values = read_array(reader, read_run_member(members, "shown"), sizeof(struct peal_shown_value),
                                      &record->shown.count, read_shown, record);
    record->through = member_copy(reader, read_run_member(members, "through"));
    record->host = member_copy(reader, read_run_member(members, "host"));
}

struct peal_record *
peal_read_json(const char *name, const void *bytes, size_t count, struct peal_error *error)
{
    struct peal_error ignored;
    struct reader reader = {.name = name,
                            .begin = bytes,
                            .at = bytes,
                            .end = (const char *)bytes + count,
                            .error = error ? error : &ignored};
    struct peal_record *record = calloc(1, sizeof *record);

    if (!record) {
        read_no_memory(&reader);
        return NULL;
    }
    peal_options_init(&record->options);
    record->options.topology = record->options.routing = record->options.engine = NULL;
    read_document(&reader, record);
    if (!reader.failed)
        return record;
    peal_record_destroy(record);
    return NULL;
}
