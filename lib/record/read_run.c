/* SPDX-License-Identifier: MIT */
/* Reading the document "peal/run/1".  First the members of the document are found, whatever their order, and with that
 * the whole of it is known to be JSON; then they are read one after the other.  Beside the document there is never more
 * in memory than its transfers. */
#include "lib/base/grow.h"
#include "lib/cost/schedule.h"
#include "lib/machine/callers.h"
#include "lib/record/read.h"
#include <inttypes.h>
#include <limits.h>
#include <peal/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCHEMA,
    COLLECTIVE,
    ALGORITHM,
    PROGRAM,
    NODES,
    BLOCK_WORDS,
    VECTOR_WORDS,
    ROOT,
    PARAMETER,
    OP,
    BY,
    TO,
    SIZES,
    TOPOLOGY,
    ROUTING,
    PORTS,
    DUPLEX,
    SWITCHING,
    CONGESTION,
    COMBINING,
    DELIVERY,
    MAILBOX,
    ENGINE,
    SEED,
    PARAMETERS,
    COMPUTING,
    WORD_BYTES,
    CALLS,
    COLLECTIVES,
    ROUNDS,
    COST,
    CRITICAL_PATH,
    DATA,
    FAILURE,
    FINDINGS,
    SHOWN,
    HOST,
    MEMBERS
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ------------------------------------------------------------------ the machine */

static void
read_ports(struct reader *reader, const struct read_member *member, struct peal_options *options)
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
read_delivery(struct reader *reader, const struct read_member *member, struct peal_options *options)
{
    if (!member_enter(reader, member))
        return;
    char *text = read_string(reader);

    if (text && strncmp(text, "eager:", 6) == 0 && text[6] &&
        peal_parse_size(text + 6, &options->eager_words, NULL) == PEAL_OK)
        options->eager = true;
    else if (text && strcmp(text, "rendezvous") != 0)
        read_refuse(reader, member->value, "'%.60s' is not rendezvous or eager:W", text);
    free(text);
    read_leave(reader);
}

static void
read_parameters(struct reader *reader, const struct read_member *member, struct peal_parameters *parameters)
{
    struct read_member members[] = {{.key = "alpha"}, {.key = "beta"}, {.key = "hop"}, {.key = "tau"}};

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
    struct read_member members[] = {{.key = "source"}, {.key = "speed"}, {.key = "operation"}};

    if (!member_enter(reader, member))
        return;
    read_object(reader, members, COUNT(members));
    computing->source = member_word(reader, &members[0], sources) ? PEAL_COMPUTE_SAMPLED : PEAL_COMPUTE_MEASURED;
    computing->speed = member_parameter(reader, &members[1]);
    computing->operation = member_parameter(reader, &members[2]);
    read_leave(reader);
}

static void
read_machine(struct reader *reader, const struct read_member *members, struct peal_options *options)
{
    static const char *const duplex[] = {"full", "half", NULL};
    static const char *const switching[] = {"ideal", "wormhole", "store-forward", NULL};
    static const enum peal_switching switchings[] = {PEAL_IDEAL, PEAL_WORMHOLE, PEAL_STORE_FORWARD};
    static const char *const congestion[] = {"count", "volume", NULL};

    options->topology = member_text(reader, &members[TOPOLOGY]);
    options->routing = member_text(reader, &members[ROUTING]);
    read_ports(reader, &members[PORTS], options);
    options->half_duplex = member_word(reader, &members[DUPLEX], duplex) == 1;
    options->switching = switchings[member_word(reader, &members[SWITCHING], switching)];
    options->congestion = member_word(reader, &members[CONGESTION], congestion) ? PEAL_VOLUME : PEAL_COUNT;
    if (member_enter(reader, &members[COMBINING])) {
        options->noncombining = !read_bool(reader);
        read_leave(reader);
    }
    read_delivery(reader, &members[DELIVERY], options);
    options->mailbox = (int)member_uint(reader, &members[MAILBOX], 1, INT_MAX);
    options->engine = member_text(reader, &members[ENGINE]);
    options->seed = member_uint(reader, &members[SEED], 0, UINT64_MAX);
    read_parameters(reader, &members[PARAMETERS], &options->parameters);
    read_computing(reader, &members[COMPUTING], &options->computing);
}

static void
read_subject(struct reader *reader, const struct read_member *members, struct peal_record *record)
{
    record->collective = member_optional_text(reader, &members[COLLECTIVE]);
    record->algorithm = member_optional_text(reader, &members[ALGORITHM]);
    record->program = member_optional_text(reader, &members[PROGRAM]);
    record->options.nodes = (int)member_uint(reader, &members[NODES], 1, INT_MAX);
    if (members[WORD_BYTES].value)
        record->options.word_bytes = (size_t)member_uint(reader, &members[WORD_BYTES], 1, SIZE_MAX);
    record->block_words =
        (size_t)member_optional_uint(reader, &members[BLOCK_WORDS], SIZE_MAX, &record->has_block_words);
    record->vector_words =
        (size_t)member_optional_uint(reader, &members[VECTOR_WORDS], SIZE_MAX, &record->has_vector_words);
    record->root =
        (int)member_optional_uint(reader, &members[ROOT], (uint64_t)record->options.nodes - 1, &record->has_root);
    record->parameter = (int)member_uint(reader, &members[PARAMETER], 1, INT_MAX);
    record->op = member_optional_text(reader, &members[OP]);
    record->by = (int)member_uint(reader, &members[BY], 0, (uint64_t)record->options.nodes - 1);
    record->to = member_copy(reader, &members[TO]);
    record->sizes = member_copy(reader, &members[SIZES]);
    if (!reader->failed && !record->collective != !record->algorithm)
        read_refuse(reader, members[COLLECTIVE].value, "collective and algorithm are both a name or both null");
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
cost_of(struct reader *reader, const struct read_member *member)
{
    struct read_member members[] = {{.key = "alpha"}, {.key = "beta"}, {.key = "hop"}, {.key = "tau"}};
    struct peal_cost cost = {0};

    if (!member_enter(reader, member))
        return cost;
    read_object(reader, members, COUNT(members));

    const char *end = reader->at;

    cost.alpha = coefficient_of(reader, &members[0]);
    cost.beta = coefficient_of(reader, &members[1]);
    cost.hop = coefficient_of(reader, &members[2]);
    cost.tau = coefficient_of(reader, &members[3]);
    if (!reader->failed)
        reader->at = end;
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
    struct read_member members[] = {{.key = "from"}, {.key = "to"}, {.key = "words"},
                                    {.key = "hops"}, {.key = "k"},  {.key = "calls", .optional = true}};

    read_object(reader, members, COUNT(members));

    const char *end = reader->at;

    *transfer = (struct peal_transfer){
        .from = node_of(reader, &members[0], nodes),
        .to = node_of(reader, &members[1], nodes),
        .words = member_uint(reader, &members[2], 0, UINT64_MAX),
        .hops = (uint32_t)member_uint(reader, &members[3], 0, UINT32_MAX),
        .k = (uint32_t)member_uint(reader, &members[4], 1, UINT32_MAX),
    };
    if (call_count > 0)
        read_calls(reader, &members[5], call_count, transfer->calls);
    if (!reader->failed)
        reader->at = end;
}

static void
read_round(struct reader *reader, int nodes, struct recorder *recorder, size_t call_count)
{
    struct read_member members[] = {{.key = "transfers"}, {.key = "charge"}};
    struct peal_transfer *transfers;
    size_t count;

    read_object(reader, members, COUNT(members));

    const char *end = reader->at;

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
    struct peal_cost charge = cost_of(reader, &members[1]);

    if (reader->failed)
        return;
    if (!recorder_round(recorder, count, charge))
        read_no_memory(reader);
    reader->at = end;
}

static void
read_caller(struct reader *reader, struct peal_caller *caller)
{
    struct read_member members[] = {
        {.key = "call"}, {.key = "algorithm", .optional = true}, {.key = "file"}, {.key = "line"}};

    read_object(reader, members, COUNT(members));

    const char *end = reader->at;

    caller->call = member_optional_text(reader, &members[0]);
    caller->algorithm = members[1].value ? member_optional_text(reader, &members[1]) : NULL;
    caller->file = member_text(reader, &members[2]);
    caller->line = (int)member_uint(reader, &members[3], 0, INT_MAX);
    if (!reader->failed)
        reader->at = end;
}

static void
read_callers(struct reader *reader, const struct read_member *member, struct peal_callers *callers)
{
    if (!member_enter(reader, member))
        return;
    size_t count = read_count(reader);
    struct peal_caller *list = reader->failed ? NULL : calloc(count + 1, sizeof *list);

    if (!list && !reader->failed)
        read_no_memory(reader);
    callers->callers = list;
    callers->count = list ? count : 0;
    read_list(reader);
    for (size_t i = 0; read_element(reader, i); i++) {
        read_enter(reader, NULL, i);
        read_caller(reader, &list[i]);
        read_leave(reader);
    }
    read_leave(reader);
}

/* The ranks of a group, each once. */
static void
read_ranks(struct reader *reader, const struct read_member *member, int nodes, struct peal_collective_call *call)
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
read_collective(struct reader *reader, const struct peal_record *record, struct peal_collective_call *call)
{
    struct read_member members[] = {{.key = "collective"},
                                    {.key = "algorithm"},
                                    {.key = "words"},
                                    {.key = "scale"},
                                    {.key = "root"},
                                    {.key = "by"},
                                    {.key = "unequal"},
                                    {.key = "ordered"},
                                    {.key = "first"},
                                    {.key = "last"},
                                    {.key = "members", .optional = true}};
    static const char *const words[] = {"false", "true", NULL};
    int nodes = record->options.nodes;

    read_object(reader, members, COUNT(members));

    const char *end = reader->at;
    char *flags[2];

    call->collective = member_text(reader, &members[0]);
    call->algorithm = member_text(reader, &members[1]);
    call->words = member_uint(reader, &members[2], 0, SIZE_MAX / 4);
    call->scale = (uint32_t)member_uint(reader, &members[3], 1, 1 << 20);
    call->root = (int)member_uint(reader, &members[4], 0, (uint64_t)nodes - 1);
    call->by = (int)member_uint(reader, &members[5], 0, INT_MAX);
    for (int i = 0; i < 2; i++) {
        flags[i] = member_copy(reader, &members[6 + i]);
        if (flags[i] && strcmp(flags[i], words[0]) != 0 && strcmp(flags[i], words[1]) != 0)
            read_refuse(reader, members[6 + i].value, "%s: expected true or false", members[6 + i].key);
    }
    call->unequal = flags[0] && flags[0][0] == 't';
    call->ordered = flags[1] && flags[1][0] == 't';
    free(flags[0]);
    free(flags[1]);
    call->nodes = nodes;
    call->first = member_uint(reader, &members[8], 1, record->schedule.round_count) - 1;
    call->last = member_uint(reader, &members[9], call->first + 1, record->schedule.round_count) - 1;
    if (!reader->failed && members[10].value)
        read_ranks(reader, &members[10], nodes, call);
    if (!reader->failed)
        reader->at = end;
}

static void
read_collectives(struct reader *reader, const struct read_member *member, struct peal_record *record)
{
    if (reader->failed || !member_enter(reader, member))
        return;
    size_t count = read_count(reader);
    struct peal_collective_call *list = reader->failed ? NULL : calloc(count + 1, sizeof *list);

    if (!list && !reader->failed)
        read_no_memory(reader);
    record->collectives = (struct peal_collective_calls){list ? count : 0, list};
    read_list(reader);
    for (size_t i = 0; read_element(reader, i); i++) {
        read_enter(reader, NULL, i);
        read_collective(reader, record, &list[i]);
        read_leave(reader);
    }
    read_leave(reader);
}

static void
read_rounds(struct reader *reader, const struct read_member *members, struct peal_record *record)
{
    struct recorder recorder = {0};
    struct peal_cost total = {0};
    char sum[100], given[100];

    record->cost = cost_of(reader, &members[COST]);
    if (!member_enter(reader, &members[ROUNDS]))
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
        read_refuse(reader, members[ROUNDS].value,
                    "the sum of the rounds' charges is too large to count: a coefficient "
                    "is at most %" PRId64,
                    INT64_MAX - 1);
    if (!reader->failed && record->schedule.round_count == 0 && !peal_cost_equal(total, record->cost))
        read_refuse(reader, members[ROUNDS].value,
                    "no rounds were recorded; record the run with all rounds: peal run ... --rounds all --json=FILE");
    read_leave(reader);
    if (!reader->failed && !peal_cost_equal(total, record->cost))
        read_refuse(reader, members[COST].value, "cost: %s is not the sum of the rounds' charges, %s",
                    peal_cost_text(record->cost, given, sizeof given), peal_cost_text(total, sum, sizeof sum));
}

/* ------------------------------------------------------------------ the document */

static void
check_schema(struct reader *reader, const struct read_member *member)
{
    char *schema = member_text(reader, member);

    if (schema && strcmp(schema, "peal/run/1") != 0)
        read_refuse(reader, member->value, "schema: '%.60s' is not 'peal/run/1', which peal run ... --json=FILE writes",
                    schema);
    free(schema);
}

static void
read_document(struct reader *reader, struct peal_record *record)
{
    struct read_member members[MEMBERS] = {
        [SCHEMA] = {.key = "schema"},
        [COLLECTIVE] = {.key = "collective"},
        [ALGORITHM] = {.key = "algorithm"},
        [PROGRAM] = {.key = "program", .optional = true},
        [NODES] = {.key = "nodes"},
        [BLOCK_WORDS] = {.key = "block_words"},
        [VECTOR_WORDS] = {.key = "vector_words"},
        [ROOT] = {.key = "root"},
        [PARAMETER] = {.key = "parameter", .optional = true},
        [OP] = {.key = "op", .optional = true},
        [BY] = {.key = "by", .optional = true},
        [TO] = {.key = "to", .optional = true},
        [SIZES] = {.key = "sizes", .optional = true},
        [TOPOLOGY] = {.key = "topology"},
        [ROUTING] = {.key = "routing"},
        [PORTS] = {.key = "ports"},
        [DUPLEX] = {.key = "duplex"},
        [SWITCHING] = {.key = "switching"},
        [CONGESTION] = {.key = "congestion"},
        [COMBINING] = {.key = "combining"},
        [DELIVERY] = {.key = "delivery"},
        [MAILBOX] = {.key = "mailbox"},
        [ENGINE] = {.key = "engine"},
        [SEED] = {.key = "seed"},
        [PARAMETERS] = {.key = "parameters"},
        [COMPUTING] = {.key = "computing", .optional = true},
        [WORD_BYTES] = {.key = "word_bytes", .optional = true},
        [CALLS] = {.key = "calls", .optional = true},
        [COLLECTIVES] = {.key = "collectives", .optional = true},
        [ROUNDS] = {.key = "rounds"},
        [COST] = {.key = "cost"},
        [CRITICAL_PATH] = {.key = "critical_path"},
        [DATA] = {.key = "data"},
        [FAILURE] = {.key = "failure"},
        [FINDINGS] = {.key = "findings", .optional = true},
        [SHOWN] = {.key = "shown", .optional = true},
        [HOST] = {.key = "host", .optional = true},
    };
    struct read_member schema = {.key = "schema"};
    const char *begin = reader->at;

    read_object(reader, &schema, 1); /* of another kind of document nothing else is worth saying */
    if (!reader->failed && read_kind(reader) == '\0' && reader->at < reader->end)
        read_refuse(reader, reader->at, "something follows the document");
    else if (!reader->failed && reader->at < reader->end)
        read_refuse(reader, reader->at, "a second document follows the first");
    check_schema(reader, &schema);
    if (reader->failed)
        return;
    reader->at = begin;
    read_object(reader, members, MEMBERS);
    read_subject(reader, members, record);
    read_machine(reader, members, &record->options);
    read_callers(reader, &members[CALLS], &record->callers);
    read_rounds(reader, members, record);
    read_collectives(reader, &members[COLLECTIVES], record);
    if (member_enter(reader, &members[CRITICAL_PATH])) {
        record->has_critical_path = !member_null(reader);
        read_leave(reader);
    }
    if (record->has_critical_path)
        record->critical_path = cost_of(reader, &members[CRITICAL_PATH]);
    record->data = member_copy(reader, &members[DATA]);
    record->failure = member_copy(reader, &members[FAILURE]);
    record->findings = member_copy(reader, &members[FINDINGS]);
    record->shown = member_copy(reader, &members[SHOWN]);
    record->host = member_copy(reader, &members[HOST]);
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
