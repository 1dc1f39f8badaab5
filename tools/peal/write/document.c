/* SPDX-License-Identifier: MIT */
/* Writes the parts that several documents share, and reads recorded runs. */
#include "write/document.h"
#include "lib/base/text.h"
#include "options/machines.h"
#include "run/schedules.h"
#include "write/files.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct peal_record *
document_read(const char *path, struct peal_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    struct peal_record *record = NULL;
    void *bytes = NULL;
    size_t count = 0;

    if (file_read_document(standard ? "/dev/stdin" : path, &bytes, &count, error) == PEAL_OK)
        record = peal_read_json(standard ? "standard input" : path, bytes, count, error);
    free(bytes);
    return record;
}

enum peal_status
document_fits(const struct command_request *request, const char *name, const char *topology, struct peal_error *error)
{
    const char *asked = request->machine.topology, *at = peal_topology_placement(topology);
    const size_t hosts = at && !peal_topology_placement(asked) ? (size_t)(at - topology) : strlen(topology);
    const bool named = option_given(request, "topology") || machine_stands(request, "topology"),
               prices = command_is(request->command, OF(price)),
               same = named && strlen(asked) == hosts && memcmp(asked, topology, hosts) == 0;

    if (strncmp(topology, "file:", 5) == 0 && !same && (!prices || !named || request->session.coll))
        return peal_refuse(error, PEAL_USAGE,
                           "%s: the run was on the topology %s, and a document opens no file: name it, by -t %s", name,
                           topology, topology);
    if (named && !prices && !same)
        return peal_refuse(error, PEAL_USAGE, "-t %s: the run was on %s; peal price has the price on another network",
                           asked, topology);
    return PEAL_OK;
}

bool
is_record(const char *what)
{
    enum peal_collective collective;
    bool unequal;
    char word[64];

    snprintf(word, sizeof word, "%.*s", (int)(strcspn(what, "/") < 63 ? strcspn(what, "/") : 63), what);
    bool call = peal_call_find(word, &collective, &unequal);

    if (call && what[strlen(word)] && peal_algorithm_find(collective, what + strlen(word) + 1))
        return false; /* a schedule's name may end in .json, too */
    if (strcmp(what, "-") == 0 || text_has_ending(what, ".json"))
        return true;
    return !call && !text_has_ending(what, ".c") && access(what, R_OK) == 0 && !schedule_is(what);
}

void
document_form(struct peal_json *json, const struct trial *trial, struct peal_parameters parameters)
{
    if (!trial->has_form) {
        peal_json_put(json, PEAL_NULL("closed_form"));
        return;
    }
    peal_json_put(json, PEAL_OPEN("closed_form", '{'), PEAL_COST(trial->form),
                  PEAL_NUMBER("time", peal_cost_time(trial->form, parameters)),
                  PEAL_STRING("text", *trial->form_text ? trial->form_text : NULL),
                  PEAL_BOOL_IF("equal", trial->executed, peal_cost_equal(trial->form, trial->cost)), PEAL_CLOSE('}'));
}

void
document_measured(struct peal_json *json, const struct trial *trial)
{
    if (trial->repetitions == 0)
        return;
    peal_json_put(json, PEAL_OPEN("measured", '{'), PEAL_INT("repetitions", trial->repetitions),
                  PEAL_STRING("unit", "seconds"));
    peal_json_member_spread(json, "whole", trial->measured);
    peal_json_put(json, PEAL_CLOSE('}'));
}

size_t
document_block_words(const struct peal_situation *situation)
{
    return situation->words / (peal_collective_has_blocks(situation->collective) ? 1 : (size_t)situation->nodes);
}

size_t
document_vector_words(const struct peal_situation *situation)
{
    return situation->words * (peal_collective_has_blocks(situation->collective) ? (size_t)situation->nodes : 1);
}

void
document_sizes(struct peal_json *json, const struct peal_situation *situation)
{
    peal_json_put(json, PEAL_UINT("block_words", document_block_words(situation)),
                  PEAL_UINT("vector_words", document_vector_words(situation)));
}

void
document_machine(struct peal_json *json, const struct peal_options *machine, const struct peal_network *network,
                 const char *engine)
{
    struct peal_options options = *machine;

    options.topology = network ? peal_network_name(network) : NULL;
    options.routing = network ? peal_network_routing(network) : NULL;
    options.nodes = network ? peal_network_nodes(network) : machine->nodes;
    options.engine = engine;
    peal_json_put(json, PEAL_BREAK);
    peal_json_machine(json, &options);
    peal_json_put(json, PEAL_BREAK);
}

/* Write the text after `before`, in quotes if it needs them.  CSV has no escapes: characters that would control a
 * terminal, except ends of lines, become "?". */
static void
csv_text(FILE *out, const char *before, const char *raw)
{
    char *plain = strdup(raw);
    const char *text = plain ? plain : "";

    if (plain)
        peal_plain_but(plain, "\t\n\r");
    if (!*before && !text[strcspn(text, ",;\"\t\n\r")]) { /* ; and tabs separate in some spreadsheets */
        fputs(text, out);
        free(plain);
        return;
    }
    fprintf(out, "\"%s", before);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
    free(plain);
}

void
csv_name(FILE *out, const char *name)
{
    csv_text(out, name[0] && strchr("=+-@\t\n\r", name[0]) ? "'" : "", name);
}

void
csv_fields(FILE *out, const struct peal_json_part *parts)
{
    for (bool follows = false; parts->kind != PEAL_JSON_END; parts++, follows = true) {
        struct peal_json number = {.out = out};

        if (follows)
            fputc(',', out);
        if (parts->kind == PEAL_JSON_STRING)
            csv_text(out, "", parts->text ? parts->text : "");
        else if (parts->kind != PEAL_JSON_NULL && (parts->kind != PEAL_JSON_NUMBER || isfinite(parts->number)))
            peal_json_parts(&number, (const struct peal_json_part[]){*parts, {.kind = PEAL_JSON_END}});
    }
}

void
csv_measured(FILE *out, const struct trial *trial)
{
    fprintf(out, trial->repetitions ? ",%d" : ",", trial->repetitions);
    fprintf(out, trial->repetitions ? ",%.6g,%.6g,%.6g" : ",,,", trial->measured.median, trial->measured.minimum,
            trial->measured.maximum);
}

void
document_identical(struct peal_json *json, const struct peal_algorithm *a)
{
    bool follows = false;

    for (int i = 0; i < PEAL_IDENTICALS; i++) {
        enum peal_identical place = (enum peal_identical)i;

        if (a->loaded || !peal_identical_applies(a->collective, place))
            continue;
        peal_json_put(json, PEAL_WHERE(!follows, PEAL_OPEN("identical", '{')),
                      PEAL_BOOL(peal_identical_name(place), !(a->differs >> place & 1)));
        follows = true;
    }
    peal_json_put(json, follows ? PEAL_CLOSE('}') : PEAL_NULL("identical"));
}
