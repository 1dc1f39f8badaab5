/* SPDX-License-Identifier: MIT */
/* Writes a log in SARIF 2.1.0, one rule for each kind of failure or finding, and the parts of JUnit's documents. */
#include "write/sarif.h"
#include "lib/record/json.h"
#include "lib/record/xml.h"
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

void
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

/* Write the name of a file as a URI: what a URI cannot hold is escaped.  NULL without memory. */
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
write_place(struct peal_json *json, const struct peal_place *place, int number, bool says_node)
{
    char *uri = uri_of(place->file), node[40];

    peal_json_put(json, PEAL_OPEN(NULL, '{'));
    if (number > 0)
        peal_json_put(json, PEAL_INT("id", number));
    peal_json_put(json, PEAL_OPEN("physicalLocation", '{'), PEAL_OPEN("artifactLocation", '{'),
                  PEAL_STRING("uri", uri ? uri : place->file), PEAL_CLOSE('}'));
    if (place->line > 0)
        peal_json_put(json, PEAL_OPEN("region", '{'), PEAL_INT("startLine", place->line), PEAL_CLOSE('}'));
    peal_json_close(json, '}');
    if (says_node && place->rank >= 0) {
        snprintf(node, sizeof node, "node %d", place->rank);
        peal_json_put(json, PEAL_OPEN("message", '{'), PEAL_STRING("text", node), PEAL_CLOSE('}'));
    }
    peal_json_close(json, '}');
    free(uri);
}

void
sarif_result(struct peal_json *json, const struct sarif_result *result)
{
    const char *rule = result->rule || result->name ? result->rule : peal_rule_of(result->kind)->rule;
    bool fixed = result->fix && result->fix[0];
    char *text = NULL;

    if (asprintf(&text, "%s%s%s%s%s", result->message, rule ? "\n" : "", rule ? rule : "", fixed ? "\nFix: " : "",
                 fixed ? result->fix : "") < 0)
        text = NULL;
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'),
                  PEAL_STRING("ruleId", result->name ? result->name : peal_failure_name(result->kind)),
                  PEAL_STRING("level", result->level), PEAL_OPEN("message", '{'),
                  PEAL_STRING("text", text ? text : result->message), PEAL_CLOSE('}'), PEAL_OPEN("locations", '['));
    if (result->place_count > 0 && result->places[0].file)
        write_place(json, &result->places[0], 0, false);
    peal_json_close(json, ']');
    if (result->place_count > 1) {
        peal_json_put(json, PEAL_OPEN("relatedLocations", '['));
        for (int i = 1; i < result->place_count; i++)
            if (result->places[i].file)
                write_place(json, &result->places[i], i, true);
        peal_json_close(json, ']');
    }
    peal_json_close(json, '}');
    free(text);
}

void
sarif_end(struct peal_json *json)
{
    peal_json_put(json, PEAL_BREAK, PEAL_CLOSE(']'), PEAL_CLOSE('}'), PEAL_CLOSE(']'), PEAL_BREAK, PEAL_CLOSE('}'));
}

void
junit_begin(FILE *out, const char *suite, const char *program, int nodes, double seconds, bool fails)
{
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"%s\" tests=\"1\" failures=\"%d\">\n"
            "  <testcase classname=\"peal\" name=\"",
            suite, fails);
    peal_write_xml(out, program, false);
    fprintf(out, " on %d nodes\" time=\"%.3f\">\n", nodes, seconds);
}

void
junit_end(FILE *out)
{
    fputs("  </testcase>\n</testsuite>\n", out);
}

void
junit_failure(FILE *out, enum peal_failure_kind kind, const char *message, const char *text)
{
    fprintf(out, "    <failure type=\"%s\" message=\"", peal_failure_name(kind));
    peal_write_xml(out, message, false);
    fputs("\">", out);
    peal_write_xml(out, text ? text : "", false);
    fputs("</failure>\n", out);
}
