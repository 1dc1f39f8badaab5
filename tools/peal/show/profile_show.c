/* SPDX-License-Identifier: MIT */
/* Prints a profile by call. */
#include "show/show.h"
#include "show/table.h"
#include <stdlib.h>

static double
waiting_of(const struct peal_profile_site *site)
{
    return site->late_sender + site->late_receiver + site->collective + site->ports;
}

static double
spent_on(const struct peal_profile_site *site)
{
    return site->computing + site->transfers + waiting_of(site);
}

static int
profile_compare_sites(const void *a, const void *b)
{
    double x = spent_on(a), y = spent_on(b);

    return x > y ? -1 : x < y;
}

/* The critical path by the functions that its calls are in. */
static void
show_functions(FILE *out, const struct peal_profile_site *list, size_t count, double path)
{
    static const struct table_column layout[] = {
        {"function", .left = true}, {"computing/ns", .gap = 2}, {"calls/ns", .gap = 2}, {"critical path", .gap = 2}};
    struct function {
        const char *name;
        double computing, calls;
    } *functions = calloc(count + 1, sizeof *functions);
    size_t used = 0;
    struct table table;
    struct peal_error error;
    char text[32];

    for (size_t i = 0; functions && i < count; i++) {
        const char *name = !list[i].caller            ? "after the last call"
                           : list[i].caller->function ? list[i].caller->function
                                                      : "unknown";
        size_t at = 0;

        while (at < used && strcmp(functions[at].name, name) != 0)
            at++;
        if (at == used)
            functions[used++].name = name;
        functions[at].computing += list[i].path_computing;
        functions[at].calls += list[i].path;
    }
    if (used > 1 || (used == 1 && strcmp(functions[0].name, "unknown") != 0)) {
        table_begin(&table, used, sizeof layout / sizeof *layout, layout);
        for (size_t i = 0; i < used; i++) {
            table_set(&table, i + 1, 0, "%s", functions[i].name);
            table_set(&table, i + 1, 1, "%s", print_number(functions[i].computing, text));
            table_set(&table, i + 1, 2, "%s", print_number(functions[i].calls, text));
            table_set(&table, i + 1, 3, "%.1f %%",
                      path > 0 ? 100 * (functions[i].computing + functions[i].calls) / path : 0);
        }
        fputc('\n', out);
        table_print(out, &table, 0, table.rows);
        table_end(&table, &error);
    }
    free(functions);
}

void
show_profile(FILE *out, const struct peal_profile *profile)
{
    static const struct table_column layout[] = {
        {"call", .left = true},     {"messages", .gap = 2},   {"bytes", .gap = 2},         {"computing/ns", .gap = 2},
        {"transfers/ns", .gap = 2}, {"waiting/ns", .gap = 2}, {"critical path", .gap = 2},
    };
    size_t count = 0;
    struct peal_profile_site site, *list;
    double path = 0;
    struct table table;
    struct peal_error error;
    char text[32], call[120];

    while (peal_profile_site(profile, count, &site))
        count++;
    list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && peal_profile_site(profile, i, &list[i]); i++)
        path += list[i].path + list[i].path_computing;
    if (!list)
        return;
    qsort(list, count, sizeof *list, profile_compare_sites);
    while (count > 0 && !(spent_on(&list[count - 1]) > 0))
        count--;
    table_begin(&table, count, sizeof layout / sizeof *layout, layout);
    for (size_t i = 0; i < count; i++) {
        const struct peal_profile_site *one = &list[i];
        const double times[] = {one->computing, one->transfers, waiting_of(one)};

        table_set(&table, i + 1, 0, "%s",
                  one->caller ? peal_caller_text(one->caller, call, sizeof call) : "after the last call");
        table_set(&table, i + 1, 1, "%llu", (unsigned long long)one->messages);
        table_set(&table, i + 1, 2, "%llu", (unsigned long long)one->bytes);
        for (size_t j = 0; j < sizeof times / sizeof *times; j++)
            table_set(&table, i + 1, 3 + j, "%s", print_number(times[j], text));
        table_set(&table, i + 1, 6, "%.1f %%", path > 0 ? 100 * (one->path + one->path_computing) / path : 0);
    }
    table_print_parts(out, &table);
    table_end(&table, &error);
    show_functions(out, list, count, path);
    free(list);
}
