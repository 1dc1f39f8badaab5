/* SPDX-License-Identifier: MIT */
/* Profiles a run while it is made, in memory that does not grow with its rounds. */
#include "lib/record/profile.h"
#include "lib/machine/callers.h"
#include "lib/machine/hooks.h"
#include "lib/machine/machine.h"
#include "lib/record/json.h"
#include <math.h>
#include <stdlib.h>

/* A node is free from the latest end of its transfers and of what it computed.  A transfer that begins later than that
 * has kept its node waiting: first until the other node was free, if that was later, then for a port.  The longest
 * chain of transfers and computing that ends at a node is kept as its sums by site: a transfer takes over the chain of
 * the node that was free later. */

/* Rows and columns of the pictures: where there are more nodes, neighbours share one. */
enum { MAX_SITES = 256, MAX_PAIRED = 256, MAX_ROWS = 128, BINS = 4096 };

/* The levels of a part of a bin, as characters. */
static const char levels[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum { KIND_COMPUTES, KIND_TRANSFERS, KIND_WAITS, BIN_KINDS };

struct profiled_pair {
    uint64_t messages, bytes;
};

struct peal_profile {
    struct peal_machine *machine;
    struct round_listener listener;
    int nodes;
    /* by node */
    double *free_at;
    double *pending;               /* computed, not yet attributed to a call */
    double (*path)[2 * MAX_SITES]; /* of the chain that ends at free_at: computing by site, then the rest */
    size_t sites;
    struct peal_profile_site site[MAX_SITES]; /* by number of the caller; the last is for all others */
    /* pairs of nodes; `paired` nodes share a row and a column */
    int paired;
    struct profiled_pair *pairs;
    /* over time */
    int rows;
    double bin_time; /* 0: nothing happened yet */
    float (*bins)[BINS][BIN_KINDS];
    uint64_t first_round[BINS]; /* from 1, of the transfers that begin there; 0: none */
    uint64_t rounds;            /* in the document */
    struct peal_cost cost;
};

/* ------------------------------------------------------------------ over time */

/* Make bins of twice the time. */
static void
profile_widen(struct peal_profile *profile)
{
    for (int row = 0; row < profile->rows; row++) {
        float(*bins)[BIN_KINDS] = profile->bins[row];

        for (int i = 0; i < BINS / 2; i++)
            for (int kind = 0; kind < BIN_KINDS; kind++)
                bins[i][kind] = bins[2 * i][kind] + bins[2 * i + 1][kind];
        memset(bins[BINS / 2], 0, sizeof *bins * (BINS / 2));
    }
    for (int i = 0; i < BINS / 2; i++)
        profile->first_round[i] =
            profile->first_round[2 * i] ? profile->first_round[2 * i] : profile->first_round[2 * i + 1];
    memset(&profile->first_round[BINS / 2], 0, BINS / 2 * sizeof *profile->first_round);
    profile->bin_time *= 2;
}

static void
add_span(struct peal_profile *profile, int node, int kind, double from, double to)
{
    int row = (int)((int64_t)node * profile->rows / profile->nodes);

    if (!(to > from))
        return;
    if (profile->bin_time <= 0)
        profile->bin_time = to / 64;
    while (to > profile->bin_time * BINS)
        profile_widen(profile);
    int last = (int)(to / profile->bin_time);

    for (int i = (int)(from / profile->bin_time); i <= last && i < BINS; i++) {
        double begin = fmax(from, i * profile->bin_time), end = fmin(to, (i + 1) * profile->bin_time);

        if (end > begin)
            profile->bins[row][i][kind] += (float)(end - begin);
    }
}

/* ------------------------------------------------------------------ during the run */

/* One end of a transfer. */
struct end_of {
    int node;
    uint32_t site;
    bool there; /* the node takes part now: false for one whose receive comes later */
    double free_at;
};

static uint32_t
profile_site_number(struct peal_profile *profile, uint32_t caller)
{
    uint32_t number = caller < MAX_SITES ? caller : MAX_SITES - 1;

    if (number >= profile->sites)
        profile->sites = number + 1;
    return number;
}

/* Attribute to the node's call what it has computed before. */
static void
profile_attribute(struct peal_profile *profile, struct end_of *end)
{
    double *pending = &profile->pending[end->node];

    profile->site[end->site].computing += *pending;
    profile->path[end->node][2 * end->site] += *pending;
    *pending = 0;
    end->free_at = profile->free_at[end->node];
}

static bool
is_collective(const struct peal_profile *profile, uint32_t site)
{
    const struct peal_callers *callers = peal_machine_callers(profile->machine);

    return callers && site > 0 && site <= callers->count && callers->callers[site - 1].algorithm;
}

/* The time that a transfer from `begin` to `end` takes of one of its nodes; *late counts waiting for the other node. */
static void
take_time(struct peal_profile *profile, const struct end_of *own, double other_free_at, double begin, double end,
          double *late)
{
    struct peal_profile_site *site = &profile->site[own->site];
    double waits = fmax(begin - own->free_at, 0), until = fmin(fmax(other_free_at - own->free_at, 0), waits);

    *late += until;
    site->ports += waits - until;
    site->transfers += fmax(end - fmax(begin, own->free_at), 0);
    add_span(profile, own->node, KIND_WAITS, own->free_at, begin);
    add_span(profile, own->node, KIND_TRANSFERS, fmax(begin, own->free_at), end);
}

static void
see_transfer(struct peal_profile *profile, const struct round *round, size_t i)
{
    const struct peal_transfer *transfer = &round->transfers[i];
    const struct request *send = &round->requests[round->admitted[i]];
    const struct peal_parameters *parameters = &profile->machine->options.parameters;
    double end = peal_cost_time(round_end_of(round, send), *parameters);
    double begin = end - peal_cost_time(charge_alone(&round->charger, round->transfers, i), *parameters);
    bool matched = send->flags & REQUEST_MATCHED || is_access(send->kind);
    struct end_of from = {transfer->from, profile_site_number(profile, transfer->calls[0]), true, 0},
                  to = {transfer->to, matched ? profile_site_number(profile, transfer->calls[1]) : 0, matched, 0};
    struct peal_profile_site *site = &profile->site[from.site];
    struct profiled_pair *pair =
        &profile->pairs[(int64_t)transfer->from * profile->paired / profile->nodes * profile->paired +
                        (int64_t)transfer->to * profile->paired / profile->nodes];
    uint64_t bytes = transfer->words * profile->machine->options.word_bytes;

    site->messages++;
    site->bytes += bytes;
    pair->messages++;
    pair->bytes += bytes;
    profile_attribute(profile, &from);
    if (to.there)
        profile_attribute(profile, &to);
    bool collective = is_collective(profile, from.site);

    take_time(profile, &from, to.there ? to.free_at : 0, begin, end,
              collective ? &site->collective : &site->late_receiver);
    if (to.there && to.node != from.node) {
        struct peal_profile_site *other = &profile->site[to.site];

        take_time(profile, &to, from.free_at, begin, end, collective ? &other->collective : &other->late_sender);
    }
    int bin = profile->bin_time > 0 ? (int)(begin / profile->bin_time) : 0;

    if (bin < BINS && profile->first_round[bin] == 0)
        profile->first_round[bin] = profile->rounds;
    const struct end_of *later = to.there && to.free_at > from.free_at ? &to : &from;
    double chain[2 * MAX_SITES];

    memcpy(chain, profile->path[later->node], 2 * profile->sites * sizeof *chain);
    if (end > later->free_at)
        chain[2 * later->site + 1] += end - later->free_at;
    for (int k = 0; k < 2; k++) {
        const struct end_of *one = k ? &to : &from;

        if (!one->there || !(end > one->free_at) || end < later->free_at)
            continue;
        memcpy(profile->path[one->node], chain, 2 * profile->sites * sizeof *chain);
        profile->free_at[one->node] = end;
    }
}

static void
profile_note_round(struct peal_machine *machine, void *arg)
{
    struct peal_profile *profile = arg;
    const struct round *round = &machine->round;

    profile->rounds += round->transfer_count > 0 || round->cost.tau != profile->cost.tau; /* those that are written */
    profile->cost = round->cost;
    for (size_t i = 0; i < machine->phase.runnable_count; i++) {
        int rank = machine->phase.runnable[i];
        int64_t *operations = &profile->listener.operations[rank];
        double time = (double)*operations * machine->options.parameters.tau;

        if (!(time > 0)) {
            *operations = 0;
            continue;
        }
        add_span(profile, rank, KIND_COMPUTES, profile->free_at[rank], profile->free_at[rank] + time);
        profile->free_at[rank] += time;
        profile->pending[rank] += time;
        *operations = 0;
    }
    for (size_t i = 0; i < round->transfer_count; i++)
        see_transfer(profile, round, i);
}

/* ------------------------------------------------------------------ the result */

bool
peal_profile_site(const struct peal_profile *profile, size_t i, struct peal_profile_site *site)
{
    const struct peal_callers *callers = peal_machine_callers(profile->machine);
    double pending = 0;
    int last = 0;

    if (i >= profile->sites)
        return false;
    for (int node = 0; node < profile->nodes; node++) {
        pending += profile->pending[node];
        if (profile->free_at[node] > profile->free_at[last])
            last = node;
    }
    *site = profile->site[i];
    site->caller = callers && i > 0 && i <= callers->count && i < MAX_SITES - 1 ? &callers->callers[i - 1] : NULL;
    site->computing += i == 0 ? pending : 0;
    site->path_computing = profile->path[last][2 * i] + (i == 0 ? profile->pending[last] : 0);
    site->path = profile->path[last][2 * i + 1];
    return true;
}

static void
write_sites(struct peal_json *json, const struct peal_profile *profile)
{
    struct peal_profile_site site;

    peal_json_put(json, PEAL_OPEN("sites", '['));
    for (size_t i = 0; peal_profile_site(profile, i, &site); i++) {
        peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_STRING("call", site.caller ? site.caller->call : NULL),
                      PEAL_STRING("algorithm", site.caller ? site.caller->algorithm : NULL),
                      PEAL_STRING("file", site.caller ? site.caller->file : NULL),
                      PEAL_INT("line", site.caller ? site.caller->line : 0),
                      PEAL_STRING("function", site.caller ? site.caller->function : NULL),
                      PEAL_UINT("messages", site.messages), PEAL_UINT("bytes", site.bytes),
                      PEAL_NUMBER("computing", site.computing), PEAL_NUMBER("transfers", site.transfers),
                      PEAL_NUMBER("late_sender", site.late_sender), PEAL_NUMBER("late_receiver", site.late_receiver),
                      PEAL_NUMBER("collective", site.collective), PEAL_NUMBER("ports", site.ports),
                      PEAL_NUMBER("path", site.path), PEAL_NUMBER("path_computing", site.path_computing),
                      PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* Write, for each pair that exchanged messages, [from, to, messages, bytes]. */
static void
write_pairs(struct peal_json *json, const struct peal_profile *profile)
{
    peal_json_put(json, PEAL_INT("paired", profile->paired), PEAL_OPEN("pairs", '['));
    for (int from = 0; from < profile->paired; from++)
        for (int to = 0; to < profile->paired; to++) {
            const struct profiled_pair *pair = &profile->pairs[from * profile->paired + to];

            if (pair->messages > 0)
                peal_json_put(json, PEAL_OPEN(NULL, '['), PEAL_INT(NULL, from), PEAL_INT(NULL, to),
                              PEAL_UINT(NULL, pair->messages), PEAL_UINT(NULL, pair->bytes), PEAL_CLOSE(']'));
        }
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* Write, for each row and kind, a text of one character per bin: the part of the bin's time, in 61sts. */
static void
write_bins(struct peal_json *json, const struct peal_profile *profile, int bins)
{
    static const char *const kinds[] = {"computes", "transfers", "waits"};
    double nodes_a_row = (double)profile->nodes / profile->rows;

    for (int kind = 0; kind < BIN_KINDS; kind++) {
        peal_json_put(json, PEAL_OPEN(kinds[kind], '['));
        for (int row = 0; row < profile->rows; row++) {
            char text[BINS + 1];

            for (int i = 0; i < bins; i++) {
                double part = profile->bins[row][i][kind] / (profile->bin_time * nodes_a_row);

                text[i] = levels[(int)(fmin(part, 1) * (sizeof levels - 2) + 0.5)];
            }
            text[bins] = '\0';
            peal_json_put(json, PEAL_STRING(NULL, text));
        }
        peal_json_put(json, PEAL_CLOSE(']'));
    }
}

void
peal_profile_write(struct peal_profile *profile, FILE *out)
{
    struct peal_json json = {.out = out, .tight = true};
    double end = 0;

    for (int node = 0; node < profile->nodes; node++)
        end = fmax(end, profile->free_at[node]);
    int bins = profile->bin_time > 0 ? (int)fmin(ceil(end / profile->bin_time), BINS) : 0;

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_NUMBER("end", end), PEAL_INT("rows", profile->rows),
                  PEAL_INT("bins", bins), PEAL_NUMBER("bin_time", profile->bin_time));
    write_sites(&json, profile);
    write_pairs(&json, profile);
    write_bins(&json, profile, bins);
    peal_json_put(&json, PEAL_OPEN("rounds", '['));
    for (int i = 0; i < bins; i++)
        peal_json_put(&json, PEAL_UINT(NULL, profile->first_round[i]));
    peal_json_put(&json, PEAL_CLOSE(']'), PEAL_CLOSE('}'));
}

/* ------------------------------------------------------------------ from outside */

struct peal_profile *
peal_profile_begin(struct peal_machine *machine, struct peal_error *error)
{
    size_t nodes = (size_t)peal_machine_options(machine)->nodes;
    struct peal_profile *profile = calloc(1, sizeof *profile);

    if (profile) {
        profile->machine = machine;
        profile->nodes = (int)nodes;
        profile->sites = 1;
        profile->paired = (int)nodes < MAX_PAIRED ? (int)nodes : MAX_PAIRED;
        profile->rows = (int)nodes < MAX_ROWS ? (int)nodes : MAX_ROWS;
        profile->free_at = calloc(nodes, sizeof *profile->free_at);
        profile->pending = calloc(nodes, sizeof *profile->pending);
        profile->path = calloc(nodes, sizeof *profile->path);
        profile->pairs = calloc((size_t)profile->paired * (size_t)profile->paired, sizeof *profile->pairs);
        profile->bins = calloc((size_t)profile->rows, sizeof *profile->bins);
        profile->listener = (struct round_listener){
            .look = profile_note_round, .arg = profile, .operations = calloc(nodes, sizeof(int64_t))};
    }
    if (profile && profile->free_at && profile->pending && profile->path && profile->pairs && profile->bins &&
        profile->listener.operations) {
        round_listener_add(machine, &profile->listener);
        return profile;
    }
    peal_profile_end(profile);
    peal_refuse(error, PEAL_RESOURCES, "not enough memory to profile %zu nodes", nodes);
    return NULL;
}

void
peal_profile_end(struct peal_profile *profile)
{
    if (!profile)
        return;
    round_listener_remove(profile->machine, &profile->listener);
    free(profile->free_at);
    free(profile->pending);
    free(profile->path);
    free(profile->pairs);
    free(profile->bins);
    free(profile->listener.operations);
    free(profile);
}
