/* SPDX-License-Identifier: MIT */
/* TE-CCL's JSON: flows, each a chunk on a link in an epoch, and for every
 * demand the paths that met it. */
#include "lib/plan/teccl.h"
#include "lib/base/grow.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each link is a block on either side, whose steps are in the order of their
 * epochs; a node sends on what came in an earlier epoch. Where volumes are
 * fractions of a chunk, the paths count: each carries its part of the chunk, in
 * units of 1/Q.
 *
 *   source   microsoft/TE-CCL, teccl/solvers (the strings), teccl/examples */

enum { MAX_UNITS = 1000, FEW_UNITS = 64 };

static bool
teccl_refuse(struct teccl_reader *reader, int line, const char *what, const char *text)
{
    if (line > 0)
        peal_refuse(reader->error, PEAL_USAGE, "%s, line %d: %s%s%.100s", reader->name, line, what, *text ? ": " : "",
                    text);
    else
        peal_refuse(reader->error, PEAL_USAGE, "%s: %s%s%.100s", reader->name, what, *text ? ": " : "", text);
    return false;
}

/* The line of a string, searched for from the last one on. */
static int
teccl_line(struct teccl_reader *reader, const char *text)
{
    const char *end = reader->bytes + reader->count;
    const char *at = memmem(reader->seek, (size_t)(end - reader->seek), text, strlen(text));

    if (!at)
        return 0;
    for (; reader->seek < at; reader->seek++)
        reader->line += *reader->seek == '\n';
    return reader->line;
}

/* ------------------------------------------------------------------ strings */

static bool
note_gpu(struct teccl_reader *reader, int number, int line, const char *text)
{
    if (number < 0 || number >= MAX_GPUS)
        return teccl_refuse(reader, line, "GPUs are 0 to 1023", text);
    if (reader->rank[number] < 0) /* otherwise it already has a number */
        reader->rank[number] = 0;
    return true;
}

/* Read "Chunk 0 from 9 traveled over 9->5 with volume 0.5 in epoch 0"; the
 * volume may be missing. */
static bool
read_flow(struct teccl_reader *reader, const char *text, struct teccl_flow *flow)
{
    int used = 0, more = 0;

    *flow = (struct teccl_flow){.volume = 1, .before = SIZE_MAX, .line = teccl_line(reader, text)};
    if (sscanf(text, "Chunk %d from %d traveled over %d->%d%n", &flow->chunk, &flow->from, &flow->u, &flow->v, &used) <
            4 ||
        used == 0)
        return teccl_refuse(reader, flow->line, "expected \"Chunk C from S traveled over U->V in epoch E\"", text);
    if (sscanf(text + used, " with volume %lf%n", &flow->volume, &more) == 1)
        used += more;
    if (sscanf(text + used, " in epoch %d", &flow->epoch) != 1 || flow->chunk < 0 || flow->epoch < 0 ||
        !(flow->volume > 0 && flow->volume <= 1.001))
        return teccl_refuse(reader, flow->line, "expected a volume up to 1, and an epoch", text);
    if (flow->chunk >= 1 << 16)
        return teccl_refuse(reader, flow->line, "chunks are 0 to 65535", text);
    return note_gpu(reader, flow->from, flow->line, text) && note_gpu(reader, flow->u, flow->line, text) &&
           note_gpu(reader, flow->v, flow->line, text);
}

static bool
add_flow(struct teccl_reader *reader, const struct teccl_flow *flow)
{
    if (!array_grow(&reader->flows, &reader->flow_room, reader->flow_count + 1, sizeof *reader->flows))
        return teccl_no_memory(reader);
    reader->flows[reader->flow_count++] = *flow;
    return true;
}

struct demand {
    int at, chunk, from;
};

static bool
read_demand(struct teccl_reader *reader, const char *text, struct demand *demand)
{
    if (sscanf(text, "Demand at %d for chunk %d from %d", &demand->at, &demand->chunk, &demand->from) == 3 &&
        demand->chunk >= 0 && demand->chunk < 1 << 16)
        return note_gpu(reader, demand->at, 0, text) && note_gpu(reader, demand->from, 0, text);
    return teccl_refuse(reader, teccl_line(reader, text), "expected \"Demand at D for chunk C from S\"", text);
}

/* ------------------------------------------------------------------ flows, demands, paths */

static bool
read_flows(struct teccl_reader *reader, const json_t *flows)
{
    for (size_t i = 0; i < json_array_size(flows); i++) {
        const char *text = json_string_value(json_array_get(flows, i));
        struct teccl_flow flow;

        if (!text)
            return teccl_refuse(reader, 0, "expected strings as flows", "");
        if (!read_flow(reader, text, &flow) || !add_flow(reader, &flow))
            return false;
        reader->ids = flow.chunk >= reader->ids ? flow.chunk + 1 : reader->ids;
    }
    return true;
}

/* Number the GPUs that are named. */
static bool
number_gpus(struct teccl_reader *reader, json_t *paths)
{
    const char *key;
    json_t *value;
    struct demand demand;

    json_object_foreach(paths, key, value)
    {
        if (!read_demand(reader, key, &demand))
            return false;
        reader->ids = demand.chunk >= reader->ids ? demand.chunk + 1 : reader->ids;
    }
    for (int i = 0; i < MAX_GPUS; i++)
        if (reader->rank[i] == 0)
            reader->rank[i] = reader->nodes++;
    for (size_t i = 0; i < reader->flow_count; i++) {
        struct teccl_flow *flow = &reader->flows[i];

        flow->from = reader->rank[flow->from];
        flow->u = reader->rank[flow->u];
        flow->v = reader->rank[flow->v];
    }
    if (reader->nodes == 0)
        return teccl_refuse(reader, 0, "it has no flows and no demands", "");
    return true;
}

/* Find the nodes that want each chunk, and so the collective. */
static bool
read_demands(struct teccl_reader *reader, json_t *paths, enum peal_collective *collective)
{
    size_t room = (size_t)reader->nodes * (size_t)reader->ids;
    const char *key;
    json_t *value;
    bool all = true, one = true;

    reader->dest = malloc((room + 1) * sizeof *reader->dest);
    reader->wants = calloc(room + 1, sizeof *reader->wants);
    if (!reader->dest || !reader->wants)
        return teccl_no_memory(reader);
    memset(reader->dest, 0xFF, room * sizeof *reader->dest);
    json_object_foreach(paths, key, value)
    {
        struct demand demand;

        read_demand(reader, key, &demand);
        size_t at = teccl_chunk_at(reader, reader->rank[demand.from], demand.chunk);

        reader->dest[at] = reader->wants[at]++ == 0 ? reader->rank[demand.at] : -2;
    }
    for (size_t i = 0; i < room; i++) {
        all = all && reader->wants[i] == reader->nodes - 1;
        one = one && (reader->wants[i] == 1 || (reader->wants[i] == 0 && (int)i % reader->ids == (int)i / reader->ids));
    }
    *collective = all ? PEAL_ALLGATHER : one && reader->ids == reader->nodes ? PEAL_ALLTOALL : PEAL_COLLECTIVES;
    return true;
}

/* Read one path: a list of [epoch, "U->V with volume X in epoch E"].  All of it
 * carries the same part of the chunk. */
static bool
read_path(struct teccl_reader *reader, const json_t *path, struct teccl_flow flow, double *carried, const char *key)
{
    size_t before = SIZE_MAX;
    double volume = -1;

    for (size_t i = 0; i < json_array_size(path); i++) {
        const char *text = json_string_value(json_array_get(json_array_get(path, i), 1));
        int used = 0, more = 0;
        double own = 1;

        if (!text || sscanf(text, "%d->%d%n", &flow.u, &flow.v, &used) < 2 || flow.u < 0 || flow.v < 0 ||
            flow.u >= MAX_GPUS || flow.v >= MAX_GPUS || reader->rank[flow.u] < 0 || reader->rank[flow.v] < 0)
            return teccl_refuse(reader, flow.line, "expected paths of [E, \"U->V with volume X in epoch E\"]", key);
        if (sscanf(text + used, " with volume %lf%n", &own, &more) == 1)
            used += more;
        if (sscanf(text + used, " in epoch %d", &flow.epoch) != 1 || flow.epoch < 0)
            return teccl_refuse(reader, flow.line, "a link of the path has no epoch", key);
        if (volume >= 0 && fabs(own - volume) > 1e-4)
            return teccl_refuse(reader, flow.line, "the links of a path have different volumes", key);
        volume = own;
        flow.u = reader->rank[flow.u];
        flow.v = reader->rank[flow.v];
        flow.volume = own;
        flow.first = (int)lround(*carried * MAX_UNITS);
        flow.units = (int)lround(fmin(*carried + own, 1) * MAX_UNITS) - flow.first;
        flow.before = before;
        if (!add_flow(reader, &flow))
            return false;
        before = reader->flow_count - 1;
    }
    *carried += volume > 0 ? volume : 0;
    return true;
}

static int
compare_places(const void *a, const void *b)
{
    const struct teccl_flow *x = a, *y = b;
    const int left[] = {x->from, x->chunk, x->u, x->v, x->epoch}, right[] = {y->from, y->chunk, y->u, y->v, y->epoch};

    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* Check that each link of the paths, which come after `flows` flows, is a flow too. How much a flow carries is not
 * compared: where several paths use a link in one epoch for one chunk, TE-CCL writes the flow once, with what the last
 * of them carries. */
static bool
check_links(struct teccl_reader *reader, size_t flows)
{
    struct teccl_flow *all = calloc(flows + 1, sizeof *all);
    bool same = all || teccl_no_memory(reader);

    if (all && flows > 0) {
        memcpy(all, reader->flows, flows * sizeof *all);
        qsort(all, flows, sizeof *all, compare_places);
    }
    for (size_t i = flows; same && i < reader->flow_count; i++) {
        const struct teccl_flow *flow = &reader->flows[i];

        if (flows > 0 && bsearch(flow, all, flows, sizeof *all, compare_places))
            continue;
        peal_refuse(reader->error, PEAL_USAGE,
                    "%s, line %d: a path goes from node %d to node %d in epoch %d, and no flow does", reader->name,
                    flow->line, flow->u, flow->v, flow->epoch);
        same = false;
    }
    free(all);
    return same;
}

/* Find for each flow the one that brought its chunk to the sender in an earlier
 * epoch. */
static bool
find_before(struct teccl_reader *reader)
{
    size_t room = (size_t)reader->nodes * (size_t)reader->nodes * (size_t)reader->ids;
    size_t *brought = malloc((room + 1) * sizeof *brought); /* the earliest flow that brings (chunk, node) */

    if (!brought)
        return teccl_no_memory(reader);
    memset(brought, 0xFF, room * sizeof *brought);
    for (size_t i = 0; i < reader->flow_count; i++) {
        const struct teccl_flow *flow = &reader->flows[i];
        size_t at = (size_t)flow->v * (size_t)reader->nodes * (size_t)reader->ids +
                    teccl_chunk_at(reader, flow->from, flow->chunk);

        if (brought[at] == SIZE_MAX || flow->epoch < reader->flows[brought[at]].epoch)
            brought[at] = i;
    }
    for (size_t i = 0; i < reader->flow_count; i++) {
        struct teccl_flow *flow = &reader->flows[i];
        size_t at = (size_t)flow->u * (size_t)reader->nodes * (size_t)reader->ids +
                    teccl_chunk_at(reader, flow->from, flow->chunk);

        if (flow->u != flow->from && brought[at] != SIZE_MAX && reader->flows[brought[at]].epoch < flow->epoch)
            flow->before = brought[at];
    }
    free(brought);
    return true;
}

/* Replace the flows by the paths' links. */
static bool
read_paths(struct teccl_reader *reader, json_t *paths)
{
    const char *key;
    json_t *value;
    size_t flows = reader->flow_count;

    reader->seek = reader->bytes;
    reader->line = 1;
    json_object_foreach(paths, key, value)
    {
        struct demand demand;
        double carried = 0;
        struct teccl_flow flow = {.line = teccl_line(reader, key)};

        read_demand(reader, key, &demand);
        flow.from = reader->rank[demand.from];
        flow.chunk = demand.chunk;
        for (size_t i = 0; i < json_array_size(value); i++)
            if (!read_path(reader, json_array_get(value, i), flow, &carried, key))
                return false;
    }
    if (!check_links(reader, flows))
        return false;
    reader->flow_count -= flows;
    memmove(reader->flows, reader->flows + flows, reader->flow_count * sizeof *reader->flows);
    for (size_t i = 0; i < reader->flow_count; i++)
        reader->flows[i].before -= reader->flows[i].before == SIZE_MAX ? 0 : flows;
    return true;
}

/* The fewest units of a chunk in which all volumes are whole. */
static int
find_units(const struct teccl_reader *reader)
{
    for (int units = 1; units <= FEW_UNITS; units++) {
        bool whole = true;

        for (size_t i = 0; i < reader->flow_count && whole; i++) {
            double begin = reader->flows[i].first * (double)units / MAX_UNITS;
            double size = reader->flows[i].volume * units;

            whole = fabs(begin - round(begin)) < 0.02 * units && fabs(size - round(size)) < 0.02 && round(size) > 0;
        }
        if (whole)
            return units;
    }
    return MAX_UNITS;
}

static void
set_units(struct teccl_reader *reader, bool parts)
{
    reader->units = parts ? find_units(reader) : 1;
    for (size_t i = 0; i < reader->flow_count; i++) {
        struct teccl_flow *flow = &reader->flows[i];

        if (!parts) {
            flow->first = 0;
            flow->units = 1;
        } else if (reader->units < MAX_UNITS) {
            flow->first = (int)lround(flow->first * (double)reader->units / MAX_UNITS);
            flow->units = (int)lround(flow->volume * reader->units);
        }
    }
}

/* ------------------------------------------------------------------ the file */

static bool
teccl_read_all(struct teccl_reader *reader, const json_t *root)
{
    const json_t *flows = json_object_get(root, "7-Flows");
    json_t *paths = json_object_get(root, "8-Chunk paths");
    enum peal_collective collective;
    bool parts = false;

    flows = flows ? flows : json_object_get(root, "6-Flows");
    paths = paths ? paths : json_object_get(root, "7-chunk paths");
    if (!json_is_array(flows) || !json_is_object(paths))
        return teccl_refuse(reader, 0,
                            "expected the members \"7-Flows\", a list, and \"8-Chunk "
                            "paths\", an object",
                            "");
    if (!read_flows(reader, flows) || !number_gpus(reader, paths) || !read_demands(reader, paths, &collective))
        return false;
    for (size_t i = 0; i < reader->flow_count; i++)
        parts |= fabs(reader->flows[i].volume - 1) > 1e-3;
    if (parts ? !read_paths(reader, paths) : !find_before(reader))
        return false;
    set_units(reader, parts);
    return teccl_plan(reader, collective);
}

static bool
is_teccl(const char *bytes, size_t count)
{
    return count > 1 && memchr("{ \n\t\r", *bytes, 5) &&
           (memmem(bytes, count, "\"1-Epoch_Duration\"", 18) || memmem(bytes, count, "-Flows\"", 7));
}

static struct peal_plan *
read_teccl(const char *name, const char *bytes, size_t count, struct peal_error *error)
{
    struct peal_error ignored;
    json_error_t why;
    json_t *root = json_loadb(bytes, count, 0, &why);
    struct teccl_reader *reader = calloc(1, sizeof *reader);
    struct peal_plan *plan = NULL;
    bool well = false;

    if (!root)
        peal_refuse(error, PEAL_USAGE, "%s, line %d: %s", name, why.line, why.text);
    else if (!reader)
        peal_refuse(error, PEAL_RESOURCES, "not enough memory to read %s", name);
    if (root && reader) {
        *reader = (struct teccl_reader){
            .name = name, .bytes = bytes, .count = count, .error = error ? error : &ignored, .seek = bytes, .line = 1};
        memset(reader->rank, 0xFF, sizeof reader->rank);
        well = teccl_read_all(reader, root);
        plan = reader->plan;
        free(reader->dest);
        free(reader->wants);
        free(reader->flows);
        free(reader->places);
    }
    if (!well) {
        peal_plan_destroy(plan);
        plan = NULL;
    }
    free(reader);
    json_decref(root);
    return plan;
}

const struct plan_format format_teccl = {
    .name = "te-ccl",
    .known = "TE-CCL JSON, which has \"7-Flows\"",
    .is = is_teccl,
    .read = read_teccl,
};
