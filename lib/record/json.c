/* SPDX-License-Identifier: MIT */
/* Writes JSON as it comes, with no tree in memory: the caller opens and closes in order. */
#include "lib/record/json.h"
#include "lib/base/text.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ strings */

const char *
peal_severity_name(enum peal_severity severity)
{
    static const char *const words[] = {"error", "warning", "note"};

    return words[severity <= PEAL_SEVERITY_NOTE ? severity : PEAL_SEVERITY_ERROR];
}

static void
write_escape(FILE *out, uint32_t code)
{
    if (code < 0x10000)
        fprintf(out, "\\u%04x", code);
    else
        fprintf(out, "\\u%04x\\u%04x", 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF));
}

static void
write_string(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (const char *s = text; *s;) {
        const char *plain = s;
        uint32_t code;

        while (*s >= ' ' && *s < 0x7F && *s != '"' && *s != '\\')
            s++;
        if (s > plain) {
            fwrite(plain, 1, (size_t)(s - plain), out);
            continue;
        }
        int bytes = peal_character(s, &code);

        if (bytes == 0) {
            fputs("\\ufffd", out);
            bytes = 1;
        } else if (*s == '"' || *s == '\\') {
            fprintf(out, "\\%c", *s);
        } else if (*s == '\n') {
            fputs("\\n", out);
        } else if (*s == '\t') {
            fputs("\\t", out);
        } else if (peal_control(s) > 0) {
            write_escape(out, code);
        } else {
            fwrite(s, 1, (size_t)bytes, out);
        }
        s += bytes;
    }
    fputc('"', out);
}

/* ------------------------------------------------------------------ layout */

/* Put what is due before the next key, value or bracket. */
static FILE *
json_begin_item(struct peal_json *json, bool key)
{
    if (json->follows && !json->after_key)
        fputc(',', json->out);
    if (json->new_line)
        fprintf(json->out, "\n%*s", json->blanks >= 0 ? json->blanks : 2 * json->depth, "");
    else if (json->follows && (key || json->after_key || !json->tight))
        fputc(' ', json->out);
    json->new_line = json->after_key = false;
    json->follows = true;
    return json->out;
}

static void
write_bracket(struct peal_json *json, char bracket, int deeper)
{
    json->depth += deeper < 0 ? deeper : 0;
    json->follows = deeper > 0 && json->follows;
    fputc(bracket, json_begin_item(json, false));
    json->depth += deeper > 0 ? deeper : 0;
    json->follows = deeper < 0;
    if (json->depth == 0)
        fputc('\n', json->out);
}

/* ------------------------------------------------------------------ values */

static void
json_write_number(FILE *out, double value, bool ratio)
{
    char text[32];

    if (ratio && value == floor(value) && fabs(value) < 1e15) {
        fprintf(out, "%.1f", value);
        return;
    }
    if (!isfinite(value)) {
        fputs("null", out);
        return;
    }
    if (value == floor(value) && fabs(value) < 0x1p63) {
        fprintf(out, "%" PRId64, (int64_t)value);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
}

static void
write_part(struct peal_json *json, const struct peal_json_part *part)
{
    if (part->key) {
        write_string(json_begin_item(json, true), part->key);
        fputc(':', json->out);
        json->after_key = true;
    }
    switch (part->kind) {
    case PEAL_JSON_END:
    case PEAL_JSON_NOTHING:
    case PEAL_JSON_KEY:
        break;
    case PEAL_JSON_STRING:
        write_string(json_begin_item(json, false), part->text);
        break;
    case PEAL_JSON_TEXT:
        fputs(part->text ? part->text : "null", json_begin_item(json, false));
        break;
    case PEAL_JSON_INT:
        fprintf(json_begin_item(json, false), "%" PRId64, part->integer);
        break;
    case PEAL_JSON_UINT:
        fprintf(json_begin_item(json, false), "%" PRIu64, part->natural);
        break;
    case PEAL_JSON_BOOL:
        fputs(part->integer ? "true" : "false", json_begin_item(json, false));
        break;
    case PEAL_JSON_NULL:
        fputs("null", json_begin_item(json, false));
        break;
    case PEAL_JSON_NUMBER:
    case PEAL_JSON_RATIO:
        json_write_number(json_begin_item(json, false), part->number, part->kind == PEAL_JSON_RATIO);
        break;
    case PEAL_JSON_LINE:
        json->new_line = true;
        json->blanks = (int)part->integer;
        break;
    case PEAL_JSON_OPEN:
        write_bracket(json, (char)part->integer, 1);
        break;
    case PEAL_JSON_CLOSE:
        write_bracket(json, (char)part->integer, -1);
        break;
    }
}

void
peal_json_parts(struct peal_json *json, const struct peal_json_part *parts)
{
    for (; parts->kind != PEAL_JSON_END; parts++)
        write_part(json, parts);
}

/* ------------------------------------------------------------------ what documents have in common */

void
peal_json_ints(struct peal_json *json, const char *key, const int *list, size_t count)
{
    peal_json_put(json, PEAL_OPEN(key, '['));
    for (size_t i = 0; i < count; i++)
        peal_json_put(json, PEAL_INT(NULL, list[i]));
    peal_json_put(json, PEAL_CLOSE(']'));
}

void
peal_json_member_cost(struct peal_json *json, const char *key, const struct peal_cost *cost,
                      struct peal_parameters parameters)
{
    if (!cost) {
        peal_json_put(json, PEAL_NULL(key));
        return;
    }
    peal_json_put(json, PEAL_OPEN(key, '{'), PEAL_COST(*cost), PEAL_NUMBER("time", peal_cost_time(*cost, parameters)),
                  PEAL_CLOSE('}'));
}

void
peal_json_spread(struct peal_json *json, struct peal_spread spread)
{
    peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_NUMBER("median", spread.median),
                  PEAL_NUMBER("minimum", spread.minimum), PEAL_NUMBER("maximum", spread.maximum), PEAL_CLOSE('}'));
}

void
peal_json_member_spread(struct peal_json *json, const char *key, struct peal_spread spread)
{
    peal_json_put(json, PEAL_KEY(key));
    peal_json_spread(json, spread);
}

void
peal_json_ports(struct peal_json *json, int ports)
{
    peal_json_put(json, ports == PEAL_PORTS_ALL ? PEAL_STRING("ports", "all") : PEAL_INT("ports", ports));
}

void
peal_json_delivery(struct peal_json *json, bool eager, size_t eager_words)
{
    char text[40] = "rendezvous";

    if (eager)
        snprintf(text, sizeof text, "eager:%zu", eager_words);
    peal_json_put(json, PEAL_STRING("delivery", text));
}

void
peal_json_network(struct peal_json *json, const char *name, const char *routing, int nodes)
{
    const char *at = peal_topology_placement(name);
    char *hosts = at ? strndup(name, (size_t)(at - name)) : NULL;
    struct peal_network *network = at ? peal_network_create(name, nodes, NULL, NULL) : NULL;
    const struct peal_placement *placement = network ? peal_network_placement(network) : NULL;

    peal_json_put(json, PEAL_STRING("topology", hosts ? hosts : name),
                  PEAL_WHERE(routing, PEAL_STRING("routing", routing)));
    if (placement) {
        peal_json_put(json, PEAL_OPEN("placement", '{'), PEAL_INT("hosts", placement->hosts),
                      PEAL_INT("per_host", placement->per_host), PEAL_STRING("order", placement->order),
                      PEAL_UINT_IF("seed", strcmp(placement->order, "random") == 0, placement->seed));
        peal_json_ints(json, "map", placement->host, (size_t)nodes);
        peal_json_put(json, PEAL_CLOSE('}'));
    }
    peal_network_destroy(network);
    free(hosts);
}

void
peal_json_machine(struct peal_json *json, const struct peal_options *options)
{
    if (options->topology)
        peal_json_network(json, options->topology, options->routing, options->nodes);
    peal_json_ports(json, options->ports);
    peal_json_put(json, PEAL_STRING("duplex", options->half_duplex ? "half" : "full"),
                  PEAL_STRING("switching", peal_switching_name(options->switching)),
                  PEAL_STRING("congestion", peal_congestion_name(options->congestion)),
                  PEAL_BOOL("combining", !options->noncombining), PEAL_BREAK);
    peal_json_delivery(json, options->eager, options->eager_words);
    peal_json_put(json, PEAL_INT("mailbox", options->mailbox), PEAL_STRING("engine", options->engine),
                  PEAL_UINT("seed", options->seed), PEAL_BREAK, PEAL_OPEN("parameters", '{'),
                  PEAL_NUMBER("alpha", options->parameters.alpha), PEAL_NUMBER("beta", options->parameters.beta),
                  PEAL_NUMBER("hop", options->parameters.hop), PEAL_NUMBER("tau", options->parameters.tau),
                  PEAL_CLOSE('}'));
    if (options->computing.source != PEAL_COMPUTE_COUNTED)
        peal_json_put(json, PEAL_OPEN("computing", '{'),
                      PEAL_STRING("source", options->computing.source == PEAL_COMPUTE_SAMPLED ? "sampled" : "measured"),
                      PEAL_NUMBER("speed", options->computing.speed),
                      PEAL_NUMBER("operation", options->computing.operation), PEAL_CLOSE('}'));
}
