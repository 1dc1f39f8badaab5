/* SPDX-License-Identifier: MIT */
#include "document.h"
#include "files.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct peal_record *
document_read(const char *path, struct peal_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    struct peal_record *record = NULL;
    void *bytes = NULL;
    size_t count = 0;

    if (file_read(standard ? "/dev/stdin" : path, &bytes, &count, error) == PEAL_OK)
        record = peal_read_json(standard ? "standard input" : path, bytes, count, error);
    free(bytes);
    return record;
}

bool
is_record(const char *what)
{
    size_t length = strlen(what);
    enum peal_collective collective;
    bool unequal;
    char word[64];

    if (strcmp(what, "-") == 0 || (length > 5 && strcmp(what + length - 5, ".json") == 0))
        return true;
    snprintf(word, sizeof word, "%.*s", (int)(strcspn(what, "/") < 63 ? strcspn(what, "/") : 63), what);
    return !peal_call_find(word, &collective, &unequal) && !(length > 2 && strcmp(what + length - 2, ".c") == 0) &&
           access(what, R_OK) == 0;
}

void
csv_number(FILE *out, double number)
{
    char text[40];

    if (number == floor(number) && fabs(number) < 0x1p63) {
        fprintf(out, "%" PRId64, (int64_t)number);
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs(text, out);
}

void
document_number(FILE *out, double number)
{
    if (isfinite(number))
        csv_number(out, number);
    else
        fputs("null", out);
}

void
document_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, "\"%s\": ", key);
    peal_write_json_string(out, text);
}

/* "alpha": 3, ..., "time": 3028, inside an object. */
static void
write_coefficients(FILE *out, struct peal_cost cost, struct peal_parameters parameters)
{
    fprintf(out,
            "\"alpha\": %" PRId64 ", \"beta\": %" PRId64 ", \"hop\": %" PRId64 ", \"tau\": %" PRId64 ", \"time\": ",
            cost.alpha, cost.beta, cost.hop, cost.tau);
    document_number(out, peal_cost_time(cost, parameters));
}

void
document_cost(FILE *out, struct peal_cost cost, struct peal_parameters parameters)
{
    fputc('{', out);
    write_coefficients(out, cost, parameters);
    fputc('}', out);
}

void
document_form(FILE *out, const struct trial *trial, struct peal_parameters parameters)
{
    if (!trial->has_form) {
        fputs("null", out);
        return;
    }
    fputc('{', out);
    write_coefficients(out, trial->form, parameters);
    fputs(", ", out);
    document_text(out, "text", trial->algorithm->closed_form);
    fprintf(out, ", \"equal\": %s}",
            !trial->executed                            ? "null"
            : peal_cost_equal(trial->form, trial->cost) ? "true"
                                                        : "false");
}

static void
write_parameters(FILE *out, struct peal_parameters parameters)
{
    fputs("\"parameters\": {\"alpha\": ", out);
    document_number(out, parameters.alpha);
    fputs(", \"beta\": ", out);
    document_number(out, parameters.beta);
    fputs(", \"hop\": ", out);
    document_number(out, parameters.hop);
    fputs(", \"tau\": ", out);
    document_number(out, parameters.tau);
    fputs("},\n", out);
}

void
document_machine(FILE *out, const struct request *request, const struct peal_network *network, const char *engine)
{
    const struct peal_options *options = &request->machine;

    fputs("  ", out);
    if (network) {
        document_text(out, "topology", peal_network_name(network));
        fputs(", ", out);
        document_text(out, "routing", peal_network_routing(network));
        fputs(", ", out);
    }
    if (options->ports == PEAL_PORTS_ALL)
        fputs("\"ports\": \"all\"", out);
    else
        fprintf(out, "\"ports\": %d", options->ports);
    fprintf(out, ", \"duplex\": \"%s\", \"switching\": \"%s\", \"congestion\": \"%s\", \"combining\": %s,\n  ",
            options->half_duplex ? "half" : "full", peal_switching_name(options->switching),
            peal_congestion_name(options->congestion), options->noncombining ? "false" : "true");
    if (options->eager)
        fprintf(out, "\"delivery\": \"eager:%zu\"", options->eager_words);
    else
        fputs("\"delivery\": \"rendezvous\"", out);
    fprintf(out, ", \"mailbox\": %d, ", options->mailbox);
    document_text(out, "engine", engine);
    fprintf(out, ", \"seed\": %" PRIu64 ",\n  ", options->seed);
    write_parameters(out, options->parameters);
}

/* The bytes of the character at `text`, which UTF-8 and XML have; 0: there is none. */
static int
character_bytes(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    int more = s[0] < 0x80 ? 0 : s[0] < 0xC2 ? -1 : s[0] < 0xE0 ? 1 : s[0] < 0xF0 ? 2 : s[0] < 0xF5 ? 3 : -1;
    unsigned long code = more > 0 ? s[0] & (0x3FU >> more) : s[0];

    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xC0) != 0x80) /* the final zero byte, too */
            return 0;
        code = code << 6 | (s[i] & 0x3F);
    }
    if (more < 0 || code < ' ' || (more == 2 && code < 0x800) || (more == 3 && (code < 0x10000 || code > 0x10FFFF)) ||
        (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF)
        return 0;
    return more + 1;
}

/* With `lines`, the ends of lines stay. */
static void
write_xml(FILE *out, const char *text, bool lines)
{
    for (int bytes; *text; text += bytes > 0 ? bytes : 1) {
        bytes = character_bytes(text);
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\n':
            putc(lines ? '\n' : '?', out);
            break;
        default:
            fwrite(bytes > 0 ? text : "?", 1, bytes > 0 ? (size_t)bytes : 1, out);
        }
    }
}

void
document_xml(FILE *out, const char *text)
{
    write_xml(out, text, false);
}

void
document_xml_lines(FILE *out, const char *text)
{
    write_xml(out, text, true);
}

void
csv_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\n\r")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void
document_measured(FILE *out, const struct trial *trial)
{
    if (trial->repetitions == 0)
        return;
    fprintf(out, ", \"measured\": {\"repetitions\": %d, \"unit\": \"seconds\", \"whole\": {\"median\": ",
            trial->repetitions);
    document_number(out, trial->measured.median);
    fputs(", \"minimum\": ", out);
    document_number(out, trial->measured.minimum);
    fputs(", \"maximum\": ", out);
    document_number(out, trial->measured.maximum);
    fputs("}}", out);
}

void
csv_measured(FILE *out, const struct trial *trial)
{
    fprintf(out, trial->repetitions ? ",%d" : ",", trial->repetitions);
    fprintf(out, trial->repetitions ? ",%.6g,%.6g,%.6g" : ",,,", trial->measured.median, trial->measured.minimum,
            trial->measured.maximum);
}
