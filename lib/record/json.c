/* SPDX-License-Identifier: MIT */
/* Writes JSON as it comes, with no tree in memory: the caller opens and closes in order. */
#include "lib/record/json.h"
#include "lib/base/text.h"
#include <inttypes.h>
#include <math.h>
#include <peal/trace.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ strings */

const char *
peal_severity_name(enum peal_severity severity)
{
    static const char *const words[] = {"error", "warning", "note"};

    return words[severity <= PEAL_SEVERITY_NOTE ? severity : PEAL_SEVERITY_ERROR];
}

/* An escape of the character. */
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
static void
begin(struct peal_json *json, bool key)
{
    if (json->follows && !json->after_key)
        fputc(',', json->out);
    if (json->new_line)
        fprintf(json->out, "\n%*s", json->blanks >= 0 ? json->blanks : 2 * json->depth, "");
    else if (json->follows && (key || json->after_key || !json->tight))
        fputc(' ', json->out);
    json->new_line = json->after_key = false;
    json->follows = true;
}

void
peal_json_break(struct peal_json *json)
{
    peal_json_line(json, -1);
}

void
peal_json_line(struct peal_json *json, int blanks)
{
    json->new_line = true;
    json->blanks = blanks;
}

void
peal_json_open(struct peal_json *json, char bracket)
{
    begin(json, false);
    fputc(bracket, json->out);
    json->depth++;
    json->follows = false;
}

void
peal_json_close(struct peal_json *json, char bracket)
{
    json->depth--;
    json->follows = false;
    begin(json, false);
    fputc(bracket, json->out);
    if (json->depth == 0)
        fputc('\n', json->out);
}

void
peal_json_key(struct peal_json *json, const char *key)
{
    begin(json, true);
    write_string(json->out, key);
    fputc(':', json->out);
    json->after_key = true;
}

/* ------------------------------------------------------------------ values */

void
peal_json_string(struct peal_json *json, const char *text)
{
    begin(json, false);
    write_string(json->out, text);
}

void
peal_json_int(struct peal_json *json, int64_t value)
{
    begin(json, false);
    fprintf(json->out, "%" PRId64, value);
}

void
peal_json_uint(struct peal_json *json, uint64_t value)
{
    begin(json, false);
    fprintf(json->out, "%" PRIu64, value);
}

void
peal_json_bool(struct peal_json *json, bool value)
{
    begin(json, false);
    fputs(value ? "true" : "false", json->out);
}

void
peal_json_null(struct peal_json *json)
{
    begin(json, false);
    fputs("null", json->out);
}

void
peal_json_number(struct peal_json *json, double value)
{
    char text[32];

    if (!isfinite(value)) {
        peal_json_null(json);
        return;
    }
    if (value == floor(value) && fabs(value) < 0x1p63) {
        peal_json_int(json, (int64_t)value);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    begin(json, false);
    fputs(text, json->out);
}

void
peal_json_ratio(struct peal_json *json, double value)
{
    if (value != floor(value) || fabs(value) >= 1e15) {
        peal_json_number(json, value);
        return;
    }
    begin(json, false);
    fprintf(json->out, "%.1f", value);
}

void
peal_json_text(struct peal_json *json, const char *text)
{
    begin(json, false);
    fputs(text ? text : "null", json->out);
}

/* ------------------------------------------------------------------ several at once */

static void
write_part(struct peal_json *json, const struct peal_json_part *part)
{
    if (part->key)
        peal_json_key(json, part->key);
    switch (part->kind) {
    case PEAL_JSON_END:
        break;
    case PEAL_JSON_STRING:
        peal_json_string(json, part->text);
        break;
    case PEAL_JSON_TEXT:
        peal_json_text(json, part->text);
        break;
    case PEAL_JSON_INT:
        peal_json_int(json, part->integer);
        break;
    case PEAL_JSON_UINT:
        peal_json_uint(json, part->natural);
        break;
    case PEAL_JSON_BOOL:
        peal_json_bool(json, part->integer);
        break;
    case PEAL_JSON_NULL:
        peal_json_null(json);
        break;
    case PEAL_JSON_NUMBER:
        peal_json_number(json, part->number);
        break;
    case PEAL_JSON_RATIO:
        peal_json_ratio(json, part->number);
        break;
    case PEAL_JSON_LINE:
        peal_json_line(json, (int)part->integer);
        break;
    case PEAL_JSON_OPEN:
        peal_json_open(json, (char)part->integer);
        break;
    case PEAL_JSON_CLOSE:
        peal_json_close(json, (char)part->integer);
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
peal_json_coefficients(struct peal_json *json, struct peal_cost cost)
{
    peal_json_put(json, PEAL_INT("alpha", cost.alpha), PEAL_INT("beta", cost.beta), PEAL_INT("hop", cost.hop),
                  PEAL_INT("tau", cost.tau));
}

void
peal_json_ints(struct peal_json *json, const char *key, const int *list, size_t count)
{
    peal_json_put(json, PEAL_OPEN(key, '['));
    for (size_t i = 0; i < count; i++)
        peal_json_int(json, list[i]);
    peal_json_close(json, ']');
}

void
peal_json_member_cost(struct peal_json *json, const char *key, const struct peal_cost *cost,
                      struct peal_parameters parameters)
{
    if (!cost) {
        peal_json_put(json, PEAL_NULL(key));
        return;
    }
    peal_json_put(json, PEAL_OPEN(key, '{'));
    peal_json_coefficients(json, *cost);
    peal_json_put(json, PEAL_NUMBER("time", peal_cost_time(*cost, parameters)), PEAL_CLOSE('}'));
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
    peal_json_key(json, key);
    peal_json_spread(json, spread);
}

void
peal_json_ports(struct peal_json *json, int ports)
{
    if (ports == PEAL_PORTS_ALL)
        peal_json_put(json, PEAL_STRING("ports", "all"));
    else
        peal_json_put(json, PEAL_INT("ports", ports));
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
peal_json_machine(struct peal_json *json, const struct peal_options *options)
{
    if (options->topology) {
        peal_json_put(json, PEAL_STRING("topology", options->topology), PEAL_STRING("routing", options->routing));
    }
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
