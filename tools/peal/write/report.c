/* SPDX-License-Identifier: MIT */
/* Writes the page of a document: the program's HTML and the data that it shows. */
#include "write/report.h"
#include "lib/record/json.h"
#include <stdlib.h>
#include <string.h>

/* Beyond this a page would be slow to open: it then shows no wires. */
enum { MAX_WIRES = 200000 };

bool
report_available(const char **why)
{
    *why = report_page_absent;
    return report_page_absent == NULL;
}

/* ------------------------------------------------------------------ JSON as text */

/* Write JSON without the blanks between its values.  Characters that could end the HTML element around it, or a line of
 * a script, are written as \uXXXX; they can occur only in strings, where that means the same. */
static void
put_json(FILE *out, const char *text, size_t bytes)
{
    bool inside = false;

    for (const char *s = text, *end = text + bytes; s < end; s++) {
        size_t left = (size_t)(end - s);

        if (!inside && strchr(" \t\r\n", *s) && *s)
            continue;
        if (*s == '<' || *s == '>' || *s == '&') {
            fprintf(out, "\\u%04x", (unsigned)*s);
        } else if (left >= 3 && (memcmp(s, "\xE2\x80\xA8", 3) == 0 || memcmp(s, "\xE2\x80\xA9", 3) == 0)) {
            fprintf(out, "\\u20%02x", (unsigned)(unsigned char)s[2] - 0x80);
            s += 2;
        } else if (inside && *s == '\\' && left >= 2) {
            fputc(*s++, out);
            fputc(*s, out);
        } else {
            inside ^= *s == '"';
            fputc(*s, out);
        }
    }
}

/* ------------------------------------------------------------------ the network */

/* The routes of one round, as they are written. */
struct route_writer {
    struct peal_json json;
    bool direct; /* no route so far passes a vertex */
};

static void
write_route(void *context, size_t transfer, const int *path, int hops)
{
    struct route_writer *writer = context;

    (void)transfer;
    peal_json_ints(&writer->json, NULL, path + 1, hops > 1 ? (size_t)hops - 1 : 0);
    writer->direct = writer->direct && hops <= 1;
}

/* 0 for a round whose routes are all direct, else the vertices between the ends of each. */
static enum peal_status
write_round_routes(struct peal_json *json, const struct peal_pricing *pricing, const struct peal_schedule *schedule,
                   size_t i, struct peal_error *error)
{
    const struct peal_round *round = peal_schedule_round(schedule, i);
    char *text = NULL;
    size_t bytes = 0;
    struct route_writer writer = {.json = {.out = open_memstream(&text, &bytes)}, .direct = true};
    enum peal_status status;

    if (!writer.json.out)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    peal_json_put(&writer.json, PEAL_OPEN(NULL, '['));
    status = peal_round_routes(pricing, &schedule->transfers[round->first], round->count, write_route, &writer, error);
    peal_json_put(&writer.json, PEAL_CLOSE(']'));
    if (fclose(writer.json.out) != 0 && status == PEAL_OK)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (status == PEAL_OK)
        peal_json_put(json, PEAL_TEXT(NULL, writer.direct ? "0" : text));
    free(text);
    return status;
}

static enum peal_status
write_routes(struct peal_json *json, const struct peal_pricing *pricing, const struct peal_schedule *schedule,
             struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    peal_json_put(json, PEAL_OPEN("routes", '['));
    for (size_t i = 0; i < schedule->round_count && status == PEAL_OK; i++)
        status = write_round_routes(json, pricing, schedule, i, error);
    peal_json_put(json, PEAL_CLOSE(']'));
    return status;
}

static void
write_wires(struct peal_json *json, const struct peal_network *network)
{
    uint64_t count = peal_network_wires(network);
    bool wide = false;
    int from, to;

    if (count == 0 || count > MAX_WIRES) {
        peal_json_put(json, PEAL_NULL("wires"));
        return;
    }
    peal_json_put(json, PEAL_OPEN("wires", '['));
    for (uint64_t i = 0; i < count; i++)
        if (peal_network_wire(network, i, &from, &to)) {
            peal_json_put(json, PEAL_INT(NULL, from), PEAL_INT(NULL, to));
            wide = wide || peal_network_capacity(network, from, to) > 1;
        }
    peal_json_put(json, PEAL_CLOSE(']'));
    if (!wide)
        return;
    peal_json_put(json, PEAL_OPEN("capacities", '[')); /* of the wires, in the same order */
    for (uint64_t i = 0; i < count; i++)
        if (peal_network_wire(network, i, &from, &to))
            peal_json_put(json, PEAL_UINT(NULL, peal_network_capacity(network, from, to)));
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* Of placed nodes: the vertices of the network of hosts, which is what is drawn, and the name of each vertex there. */
static void
write_hosts(struct peal_json *json, const struct peal_network *network, const struct peal_network *hosts)
{
    int vertices = peal_network_nodes(network) + peal_network_switches(network);
    char text[32];

    if (!hosts)
        return;
    peal_json_put(json, PEAL_OPEN("hosts", '{'), PEAL_INT("nodes", peal_network_nodes(hosts)),
                  PEAL_INT("switches", peal_network_switches(hosts)), PEAL_CLOSE('}'), PEAL_OPEN("names", '['));
    for (int vertex = 0; vertex < vertices; vertex++)
        peal_json_put(json, PEAL_STRING(NULL, peal_network_vertex(network, vertex, text)));
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* The network of hosts; NULL: the nodes are not placed, or it cannot be made. */
static struct peal_network *
hosts_of(const struct peal_network *network)
{
    const char *name = peal_network_name(network), *at = peal_topology_placement(name);
    char *spec = strcmp(peal_network_kind(network), "placed") == 0 && at ? strndup(name, (size_t)(at - name)) : NULL;
    struct peal_network *hosts =
        spec ? peal_network_create(spec, peal_network_placement(network)->hosts, peal_network_routing(network), NULL)
             : NULL;

    free(spec);
    return hosts;
}

static enum peal_status
write_network(struct peal_json *json, const struct peal_network *network, const struct peal_record *record, bool routes,
              struct peal_error *error)
{
    struct peal_pricing pricing = {network, record->options.switching, record->options.congestion};
    struct peal_network *hosts = hosts_of(network);
    int extents[PEAL_MAX_DIMENSIONS], dimensions = peal_network_extents(hosts ? hosts : network, extents);
    enum peal_status status = PEAL_OK;

    peal_json_put(json, PEAL_OPEN("network", '{'), PEAL_STRING("kind", peal_network_kind(hosts ? hosts : network)),
                  PEAL_STRING("name", peal_network_name(network)),
                  PEAL_STRING("routing", peal_network_routing(network)), PEAL_INT("nodes", peal_network_nodes(network)),
                  PEAL_INT("switches", peal_network_switches(network)));
    peal_json_ints(json, "extents", extents, (size_t)dimensions);
    peal_json_put(json, PEAL_UINT("links", peal_network_links(network)));
    write_hosts(json, network, hosts);
    peal_network_destroy(hosts);
    write_wires(json, network);
    if (routes)
        status = write_routes(json, &pricing, &record->schedule, error);
    peal_json_put(json, PEAL_CLOSE('}'), PEAL_NULL("network_absent"));
    return status;
}

/* The network as it is now; where it no longer exists (file:), why. */
static enum peal_status
write_network_of(struct peal_json *json, const struct peal_record *record, bool routes, struct peal_error *error)
{
    struct peal_error why;
    struct peal_network *network =
        peal_network_create(record->options.topology, record->options.nodes, record->options.routing, &why);
    enum peal_status status = PEAL_OK;

    if (network)
        status = write_network(json, network, record, routes, error);
    else if (strncmp(record->options.topology, "file:", 5) == 0)
        peal_json_put(json, PEAL_NULL("network"), PEAL_STRING("network_absent", why.text));
    else
        status = peal_refuse(error, why.status, "%s", why.text);
    peal_network_destroy(network);
    return status;
}

/* ------------------------------------------------------------------ where the time went, round by round */

static struct peal_breakdown
where_time_of(const struct peal_record *record, size_t round)
{
    struct peal_schedule one = record->schedule;

    one.order += round;
    one.round_count = 1;
    return peal_where_time_went(&one, record->options.switching);
}

static void
write_breakdown(struct peal_json *json, const struct peal_record *record)
{
    peal_json_put(json, PEAL_OPEN("breakdown", '['));
    for (size_t i = 0; i < record->schedule.round_count; i++) {
        struct peal_breakdown b = where_time_of(record, i);

        peal_json_put(json, PEAL_OPEN(NULL, '['), PEAL_INT(NULL, b.startups), PEAL_INT(NULL, b.volume),
                      PEAL_INT(NULL, b.longer_routes), PEAL_INT(NULL, b.congestion), PEAL_INT(NULL, b.distance),
                      PEAL_INT(NULL, b.compute), PEAL_CLOSE(']'));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* Nine numbers for each round, which a page reads faster than objects: its transfers, their words (null: too many to be
 * counted), the largest k, the charge, and the parts of its β for longer routes and congestion. */
static void
write_sums(struct peal_json *json, const struct peal_record *record)
{
    peal_json_put(json, PEAL_OPEN("sums", '['));
    for (size_t i = 0; i < record->schedule.round_count; i++) {
        const struct peal_round *round = peal_schedule_round(&record->schedule, i);
        const struct peal_transfer *transfers = &record->schedule.transfers[round->first];
        struct peal_breakdown b = where_time_of(record, i);
        uint64_t words = 0;
        uint32_t k = 0;
        bool counted = true;

        for (size_t j = 0; j < round->count; j++) {
            counted = counted && !__builtin_add_overflow(words, transfers[j].words, &words);
            k = transfers[j].k > k ? transfers[j].k : k;
        }
        peal_json_put(json, PEAL_UINT(NULL, round->count), PEAL_UINT_IF(NULL, counted, words), PEAL_UINT(NULL, k),
                      PEAL_INT(NULL, round->charge.alpha), PEAL_INT(NULL, round->charge.beta),
                      PEAL_INT(NULL, round->charge.hop), PEAL_INT(NULL, round->charge.tau),
                      PEAL_INT(NULL, b.longer_routes), PEAL_INT(NULL, b.congestion));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* ------------------------------------------------------------------ the page */

/* Whether the run has too many transfers for a page. */
static bool
is_reduced(const struct peal_record *record)
{
    return record && record->schedule.transfer_count > REPORT_MAX_TRANSFERS;
}

enum peal_status
report_write_run(FILE *out, struct peal_record *record, struct peal_error *error)
{
    enum peal_rounds was = record->options.rounds;

    if (is_reduced(record))
        record->options.rounds = PEAL_ROUNDS_NONE;
    enum peal_status status = peal_write_record(out, record, error);

    record->options.rounds = was;
    return status;
}

static enum peal_status
write_about_run(struct peal_json *json, const struct peal_record *record, struct peal_error *error)
{
    bool reduced = is_reduced(record);
    char text[200];
    enum peal_status status;

    if (!record) {
        peal_json_put(json, PEAL_NULL("network"),
                      PEAL_STRING("network_absent", "the document holds the sums of rounds only, or no run"));
        return PEAL_OK;
    }
    status = write_network_of(json, record, !reduced, error);
    if (!reduced) {
        write_breakdown(json, record);
    } else {
        write_sums(json, record);
        snprintf(text, sizeof text,
                 "the run has %zu transfers; a page shows each where they are at most %d, here the sums "
                 "of each round",
                 record->schedule.transfer_count, REPORT_MAX_TRANSFERS);
        peal_json_put(json, PEAL_STRING("reduced", text));
    }
    return status;
}

/* Write the data of all runs of all lessons, in their order: their networks, and where their time went. */
static enum peal_status
write_lesson_runs(struct peal_json *json, const struct report *report, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;
    size_t transfers = 0;

    for (size_t i = 0; i < report->run_count; i++)
        transfers += report->runs[i] ? report->runs[i]->schedule.transfer_count : 0;
    if (report->run_count == 0)
        return peal_refuse(error, PEAL_USAGE, "%s holds no run of a lesson, as peal lesson S3 --json has one",
                           report->name);
    if (transfers > REPORT_MAX_TRANSFERS)
        return peal_refuse(error, PEAL_USAGE,
                           "%s: the runs of these lessons have more than %d transfers, the most of a page: show "
                           "fewer lessons",
                           report->name, REPORT_MAX_TRANSFERS);
    peal_json_put(json, PEAL_OPEN("runs", '['));
    for (size_t i = 0; i < report->run_count && status == PEAL_OK; i++) {
        peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_NULL("blocks"));
        status = write_about_run(json, report->runs[i], error);
        peal_json_put(json, PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
    return status;
}

static enum peal_status
report_write_data(struct peal_json *json, const struct report *report, struct peal_error *error)
{
    bool reduced = is_reduced(report->record);

    peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/page/1"), PEAL_STRING("peal", peal_version()),
                  PEAL_STRING("name", report->name), PEAL_TEXT("document", ""));
    fwrite(report->document, 1, report->document_bytes, json->out);
    enum peal_status status = report->kind == REPORT_LESSON ? write_lesson_runs(json, report, error)
                                                            : write_about_run(json, report->record, error);

    peal_json_put(json, PEAL_TEXT("blocks", reduced ? NULL : report->blocks),
                  PEAL_STRING("blocks_absent", report->blocks_absent),
                  PEAL_TEXT("observed", reduced ? NULL : report->observed), PEAL_TEXT("profile", report->profile),
                  PEAL_CLOSE('}'));
    return status;
}

enum peal_status
report_write(FILE *out, const struct report *report, struct peal_error *error)
{
    const char *why;
    char *text = NULL;
    size_t bytes = 0;
    enum peal_status status;

    if (!report_available(&why))
        return peal_refuse(error, PEAL_RESOURCES, "%s", why);

    struct peal_json json = {.out = open_memstream(&text, &bytes), .tight = true};

    if (!json.out)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    status = report_write_data(&json, report, error);
    if (fclose(json.out) != 0 && status == PEAL_OK)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    fwrite(report_page_head, 1, report_page_head_bytes, out);
    if (status == PEAL_OK)
        put_json(out, text, bytes);
    free(text);
    fwrite(report_page_tail, 1, report_page_tail_bytes, out);
    return status;
}
