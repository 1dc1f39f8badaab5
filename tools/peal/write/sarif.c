/* SPDX-License-Identifier: MIT */
/* Writes a log in SARIF 2.1.0 (OASIS, 2020), one rule for each kind of failure or finding. */
#include "write/written.h"
#include <stdlib.h>
#include <string.h>

static void
write_rule(struct peal_json *json, enum peal_failure_kind kind)
{
    const struct peal_rule *rule = peal_rule_of(kind);

    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_STRING("id", peal_failure_name(kind)),
                  PEAL_OPEN("shortDescription", '{'), PEAL_STRING("text", peal_failure_title(kind)), PEAL_CLOSE('}'));
    if (rule->rule)
        peal_json_put(json, PEAL_OPEN("fullDescription", '{'), PEAL_STRING("text", rule->rule), PEAL_CLOSE('}'));
    peal_json_put(json, PEAL_OPEN("help", '{'), PEAL_STRING("text", rule->fix), PEAL_CLOSE('}'), PEAL_CLOSE('}'));
}

static void
sarif_begin(struct peal_json *json, FILE *out)
{
    *json = (struct peal_json){.out = out};
    peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_BREAK,
                  PEAL_STRING("$schema", "https://json.schemastore.org/sarif-2.1.0.json"),
                  PEAL_STRING("version", "2.1.0"), PEAL_BREAK, PEAL_OPEN("runs", '['), PEAL_OPEN(NULL, '{'), PEAL_BREAK,
                  PEAL_OPEN("tool", '{'), PEAL_OPEN("driver", '{'), PEAL_STRING("name", "peal"),
                  PEAL_STRING("version", peal_version()), PEAL_BREAK, PEAL_OPEN("rules", '['));
    for (int i = 0; i < PEAL_FAILURE_KINDS; i++)
        write_rule(json, (enum peal_failure_kind)i);
    peal_json_put(json, PEAL_BREAK, PEAL_CLOSE(']'), PEAL_CLOSE('}'), PEAL_CLOSE('}'), PEAL_BREAK,
                  PEAL_STRING("columnKind", "unicodeCodePoints"), PEAL_BREAK, PEAL_OPEN("results", '['));
}

/* Write the name of a file as a URI: characters that a URI cannot hold are escaped.  NULL without memory. */
static char *
uri_of(const char *file)
{
    char *uri = malloc(3 * strlen(file) + sizeof "file://"), *at = uri;

    if (!uri)
        return NULL;
    if (*file == '/')
        at = stpcpy(at, "file://");
    for (const char *c = strncmp(file, "./", 2) == 0 ? file + 2 : file; *c; c++) {
        bool unreserved =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("-._~/+,=@", *c);

        at += unreserved ? snprintf(at, 2, "%c", *c) : snprintf(at, 4, "%%%02X", (unsigned char)*c);
    }
    *at = '\0';
    return uri;
}

static void
sarif_write_place(struct peal_json *json, const struct peal_place *place, int number, bool says_node)
{
    char *uri = uri_of(place->file), node[40];

    peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_WHERE(number > 0, PEAL_INT("id", number)),
                  PEAL_OPEN("physicalLocation", '{'), PEAL_OPEN("artifactLocation", '{'),
                  PEAL_STRING("uri", uri ? uri : place->file), PEAL_CLOSE('}'));
    if (place->line > 0)
        peal_json_put(json, PEAL_OPEN("region", '{'), PEAL_INT("startLine", place->line), PEAL_CLOSE('}'));
    peal_json_put(json, PEAL_CLOSE('}'));
    if (says_node && place->rank >= 0) {
        snprintf(node, sizeof node, "node %d", place->rank);
        peal_json_put(json, PEAL_OPEN("message", '{'), PEAL_STRING("text", node), PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_CLOSE('}'));
    free(uri);
}

/* The text of a result: the message, how to see it again, the rule that is broken, the fix.  NULL without memory. */
static char *
sarif_text(const struct peal_found *one)
{
    const struct peal_fault *fault = one->fault;
    const bool bare = !fault->rule[0] && (one->name || fault->severity == PEAL_SEVERITY_NOTE);
    const char *rule = bare ? NULL : peal_fault_rule(fault);
    char *text = NULL;

    if (asprintf(&text, "%s%s%s%s%s%s%s", one->message ? one->message : fault->message,
                 one->again ? "\nRun it again: " : "", one->again ? one->again : "", rule ? "\n" : "", rule ? rule : "",
                 fault->fix[0] ? "\nFix: " : "", fault->fix) < 0)
        return NULL;
    return text;
}

static void
sarif_write_one(void *writer, const struct peal_found *one)
{
    struct peal_json *json = writer;
    const struct peal_fault *fault = one->fault;
    const struct peal_place own = {fault->rank, fault->file[0] ? fault->file : NULL, fault->line},
                            *first = one->places ? one->places : &own;
    char *text = sarif_text(one);

    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'),
                  PEAL_STRING("ruleId", one->name ? one->name : peal_failure_name(fault->kind)),
                  PEAL_STRING("level", peal_severity_name(fault->severity)), PEAL_OPEN("message", '{'),
                  PEAL_STRING("text", text ? text : fault->message), PEAL_CLOSE('}'), PEAL_OPEN("locations", '['));
    if (first->file)
        sarif_write_place(json, first, 0, false);
    peal_json_put(json, PEAL_CLOSE(']'));
    if (one->place_count > 1) {
        peal_json_put(json, PEAL_OPEN("relatedLocations", '['));
        for (int i = 1; i < one->place_count; i++)
            if (one->places[i].file)
                sarif_write_place(json, &one->places[i], i, true);
        peal_json_put(json, PEAL_CLOSE(']'));
    }
    peal_json_put(json, PEAL_CLOSE('}'));
    free(text);
}

enum peal_status
sarif_write(FILE *out, const void *what, written_each each)
{
    struct peal_json json;

    sarif_begin(&json, out);
    each(what, sarif_write_one, &json);
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE(']'), PEAL_CLOSE('}'), PEAL_CLOSE(']'), PEAL_BREAK, PEAL_CLOSE('}'));
    return PEAL_OK;
}
