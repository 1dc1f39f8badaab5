/* SPDX-License-Identifier: MIT */
/* Prices a recorded run on each network of a list, and prints them, the best first. */
#include "show/price_show.h"
#include "show/show.h"
#include "show/table.h"
#include "write/document.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A network's line: the values that are kept of a priced record. */
struct price_entry {
    char *topology, *routing;
    uint32_t k;
    struct peal_cost cost;
    double time;
    int place; /* in the order they were named */
    char *why; /* why it has no price; NULL */
};

static int
compare_entries(const void *a, const void *b)
{
    const struct price_entry *one = a, *other = b;

    if (!one->why != !other->why)
        return one->why ? 1 : -1;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->place - other->place;
}

/* The best first, those without a price last. */
static enum peal_status
show_several(const struct peal_record *was, const char *what, const struct peal_options *on,
             struct price_entry *entries, size_t count, struct peal_error *error)
{
    static const struct table_column layout[] = {
        {"network", .gap = 2, .left = true}, {"routing", .gap = 2, .left = true}, {"largest k", .least = 11},
        {"T", .gap = 3, .left = true},       {"ratio", .gap = 2, .least = 9},
    };
    struct table table;
    char text[160], ratio[40];
    size_t fit = 0;

    while (fit < count && !entries[fit].why)
        fit++;
    table_begin(&table, fit, sizeof layout / sizeof *layout, layout);
    for (size_t i = 0; i < fit; i++) {
        const struct price_entry *entry = &entries[i];

        table_set(&table, i + 1, 0, "%s", entry->topology);
        table_set(&table, i + 1, 1, "%s", entry->routing);
        table_set(&table, i + 1, 2, entry->k ? "%" PRIu32 : "-", entry->k);
        table_set(&table, i + 1, 3, "%s", show_cost_at(on->parameters, entry->cost, text));
        table_set(&table, i + 1, 4, "%s", *show_ratio(entry->time, price_time(was), ratio) ? ratio : "-");
    }
    price_show_run(was, what);
    price_show_machine("recorded on", &was->options);
    printf("\nT was %s", show_cost_at(was->options.parameters, was->cost, text));
    show_parameters(stdout, &was->options, was->cost);
    printf("priced with %s switching%s", peal_switching_name(on->switching),
           on->congestion == PEAL_VOLUME ? ", congestion by volume" : "");
    show_parameters(stdout, on, entries[0].cost);
    putchar('\n');
    table_print(stdout, &table, 0, table.rows);
    for (size_t i = fit; i < count; i++) {
        printf("  %s: ", entries[i].topology);
        print_wrapped(stdout, entries[i].why, 4 + print_width(entries[i].topology));
    }
    return table_end(&table, error);
}

/* Whether this is a network on some number of nodes; if not, its name or its numbers are wrong. */
static bool
can_be(const char *spec)
{
    size_t length = strcspn(spec, ":");
    const char *name, *form, *summary;

    for (int i = 0; peal_topology_list(i, &name, &form, &summary); i++)
        if (strlen(name) == length && memcmp(name, spec, length) == 0)
            return !spec[length] || peal_topology_nodes(spec) > 0;
    return false;
}

/* Price on one network.  A network that does not fit or lacks this routing is noted in the entry. */
static enum peal_status
fill_entry(struct price_entry *entry, const struct peal_record *was, const struct peal_options *on,
           struct peal_error *error)
{
    struct peal_record *now = peal_record_price(was, on, error);

    if (!now && (error->status != PEAL_USAGE || !can_be(on->topology)))
        return error->status;
    entry->topology = strdup(now ? now->options.topology : on->topology);
    entry->routing = strdup(now ? now->options.routing : "-");
    if (now) {
        entry->k = show_largest_k(now->schedule.transfers, now->schedule.kept_transfers);
        entry->cost = now->cost;
        entry->time = price_time(now);
    } else {
        entry->why = strdup(error->text);
    }
    peal_record_destroy(now);
    return entry->topology && entry->routing && (now || entry->why)
               ? PEAL_OK
               : peal_refuse(error, PEAL_RESOURCES, "not enough memory");
}

/* The networks, best first. */
struct prices {
    const struct peal_record *was;
    const struct price_entry *entries;
    size_t count;
};

static void
price_write_csv(FILE *out, const struct prices *prices)
{
    fputs("network,routing,k,alpha,beta,hop,tau,time,ratio,refused\n", out);
    for (size_t i = 0; i < prices->count; i++) {
        const struct price_entry *entry = &prices->entries[i];
        double was = price_time(prices->was);

        csv_put(out, PEAL_STRING(NULL, entry->topology));
        if (entry->why) {
            fputs(",,,,,,,,,", out);
            csv_row(out, PEAL_STRING(NULL, entry->why));
            continue;
        }
        fputc(',', out);
        csv_row(out, PEAL_STRING(NULL, entry->routing), PEAL_UINT(NULL, entry->k), CSV_COST(entry->cost),
                PEAL_NUMBER(NULL, entry->time), PEAL_NUMBER(NULL, was > 0 ? entry->time / was : (double)NAN),
                PEAL_NULL(NULL));
    }
}

DOCUMENT_WRITER(write_prices, price_write_csv)

/* Show or write the networks, the best first. */
static enum peal_status
tell_entries(const struct command_request *request, const struct peal_record *was, const struct peal_options *on,
             struct price_entry *entries, size_t count, struct peal_error *error)
{
    struct writings writings = {.list = {{write_prices, request->document.csv_file, request->document.csv, false}}};
    struct prices prices = {was, entries, count};
    enum peal_status status = writings_open(&writings, error);

    if (status == PEAL_OK) {
        qsort(entries, count, sizeof *entries, compare_entries);
        price_show_notes(was);
        if (!request->document.csv)
            status = show_several(was, request->arguments[0], on, entries, count, error);
    }
    status = writings_close(&writings, status, &prices, error);
    return status;
}

enum peal_status
price_several(const struct command_request *request, const struct peal_record *was, const struct peal_options *on,
              char *const *specs, size_t spec_count, struct peal_error *error)
{
    assert(spec_count > 0);

    struct price_entry *entries = calloc(spec_count, sizeof *entries);
    struct peal_options each = *on;
    struct peal_error first = {PEAL_OK, ""}, why;
    enum peal_status status = PEAL_OK;
    size_t count = 0, fit = 0;

    if (!entries)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (; status == PEAL_OK && count < spec_count; count++) {
        struct price_entry *entry = &entries[count];

        entry->place = (int)count;
        each.topology = specs[count];
        status = fill_entry(entry, was, &each, &why);
        fit += !entry->why;
        if ((entry->why || status != PEAL_OK) && first.status == PEAL_OK)
            first = why;
    }
    if (status == PEAL_OK && fit > 0) {
        status = tell_entries(request, was, on, entries, count, error);
    } else { /* none fits: the first one's reason is as good as any */
        *error = status == PEAL_OK ? first : why;
        status = error->status;
    }
    for (size_t i = 0; i < count; i++) {
        free(entries[i].topology);
        free(entries[i].routing);
        free(entries[i].why);
    }
    free(entries);
    return status;
}
