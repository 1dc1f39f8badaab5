/* SPDX-License-Identifier: MIT */
/* Prints and writes how a program scales. */
#include "run/scale.h"
#include "show/table.h"
#include "write/document.h"
#include <math.h>

enum { BAR = 12 };

/* A number, or "-" where it is not defined. */
static void
set_number(struct table *table, size_t row, size_t column, const char *format, double number)
{
    char text[40] = "-";

    if (!isnan(number))
        snprintf(text, sizeof text, format, fabs(number) < 0.00005 ? 0 : number); /* never -0.0000 */
    table_set(table, row, column, "%s", text);
}

/* A bar as long as the efficiency; beyond 1 it has an arrow. */
static void
set_bar(struct table *table, size_t row, size_t column, double efficiency)
{
    char text[4 * BAR + 4] = "";
    int eighths = isnan(efficiency) ? 0 : (int)(fmin(efficiency, 1) * BAR * 8 + 0.5);
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    struct peal_text out = {text, sizeof text};

    for (int i = 0; i < eighths / 8; i++)
        peal_append(out, "█");
    peal_append(out, "%s%s", parts[eighths % 8], efficiency > 1.005 ? "▶" : "");
    table_set(table, row, column, "%s", text);
}

/* What the serial fractions say, where they grow or stay from run to run. */
static void
show_trend(FILE *out, const struct scaling *scaling)
{
    const struct scale_run *first = NULL, *last = NULL;
    bool grows = true, stays = true;
    char text[200];

    for (size_t i = 0; i < scaling->count; i++) {
        const struct scale_run *run = &scaling->runs[i];

        if (run->failed[0] || isnan(run->serial))
            continue;
        first = first ? first : run;
        grows &= !last || run->serial >= last->serial;
        stays &= fabs(run->serial / first->serial - 1) < 0.2;
        last = run;
    }
    if (!first || first == last || !(first->serial > 0) || !(last->serial > 0) || scaling->weak)
        return;
    if (grows && !stays)
        snprintf(text, sizeof text, "grows from %.3g to %.3g: the overhead grows with P", first->serial, last->serial);
    else if (stays)
        snprintf(text, sizeof text, "about %.3g at every P: by Amdahl's law the speed-up stays below %.4g",
                 last->serial, 1 / last->serial);
    else
        return;
    print_labelled(out, "serial fraction", text);
}

bool
scale_doubt(const struct scaling *scaling, char text[SCALE_NOTE])
{
    enum { DIGITS = 10000 }; /* as the table has them */
    struct peal_text out = empty_text(text, SCALE_NOTE);
    char list[100] = "";

    for (size_t i = 0; scaling->first && i < scaling->count; i++) {
        const struct scale_run *run = &scaling->runs[i];

        if (!run->failed[0] && (run->efficiency * DIGITS >= DIGITS + 5 || run->serial * DIGITS <= -1))
            peal_append(IN_ARRAY(list), "%s%d", list[0] ? ", " : "", run->nodes);
    }
    if (!list[0])
        return false;
    peal_append(out, "efficiency above 1 with P = %s: ", list);
    if (scaling->weak)
        peal_append(
            out, "these runs take less time than the first one, so the problem does not grow with P, as weak scaling "
                 "assumes; where it is one problem for all P: --scaling strong");
    else
        peal_append(out,
                    "a node takes less than its share of the first run's time. Either the work is not the same for all "
                    "P, or a smaller part is computed faster; the serial fraction then means nothing");
    return true;
}

void
scale_show(FILE *out, const struct scaling *scaling)
{
    const struct table_column layout[] = {
        {"nodes", .least = 5},
        {scaling->measured ? "critical path" : "T", .gap = 2, .least = 12},
        {"speed-up", .gap = 2},
        {"efficiency", .gap = 2},
        {"serial", .gap = 2, .least = 8},
        {"communication", .gap = 2},
        {"", .gap = 2, .left = true},
    };
    struct table table;
    struct peal_error error;
    bool computes = false;
    double most = 1;
    char text[32];

    print_inked(out, BOLD, "%s", scaling->request->arguments[0]);
    const char *arguments = scaling->request->scale->arguments;

    fprintf(out, ", %s scaling%s%s\n", scaling->weak ? "weak" : "strong", arguments ? ": " : "",
            arguments ? arguments : "");
    table_begin(&table, scaling->count, sizeof layout / sizeof *layout, layout);
    for (size_t i = 0; i < scaling->count; i++) {
        const struct scale_run *run = &scaling->runs[i];

        table_set(&table, i + 1, 0, "%d", run->nodes);
        computes |= run->cost.tau > 0;
        if (run->failed[0]) {
            table_set(&table, i + 1, 1, "failed");
            table_ink(&table, i + 1, 1, BAD);
            continue;
        }
        table_set(&table, i + 1, 1, "%s", print_number(run->length, text));
        if (!scaling->first)
            continue;
        most = fmax(most, run->time / run->length);
        set_number(&table, i + 1, 2, "%.2f", run->speedup);
        set_number(&table, i + 1, 3, "%.3f", run->efficiency);
        set_number(&table, i + 1, 4, "%.4f", run->serial);
        set_number(&table, i + 1, 5, "%.1f %%", 100 * run->communication);
        set_bar(&table, i + 1, 6, run->efficiency);
    }
    table_print(out, &table, 0, table.rows);
    table_end(&table, &error);
    show_trend(out, scaling);
    char doubt[SCALE_NOTE];

    if (scale_doubt(scaling, doubt))
        print_labelled(out, "note", doubt);
    if (scaling->first && scaling->first->nodes > 1) {
        char base[200];

        snprintf(base, sizeof base,
                 "no time of 1 node: speed-up is as if the %d nodes of the first run had efficiency 1",
                 scaling->first->nodes);
        print_labelled(out, "note", base);
    }
    if (most > 1.005) {
        char rounds[200];

        snprintf(rounds, sizeof rounds,
                 "T, which adds what nodes do in different rounds, is up to %.3g times the critical path", most);
        print_labelled(out, "note", rounds);
    }
    if (scaling->first && !computes)
        print_labelled(out, "note", "computing costs nothing here: --compute measure measures it");
}

void
scale_write_csv(FILE *out, const struct scaling *scaling)
{
    fputs("nodes,alpha,beta,hop,tau,time,critical_path,speedup,efficiency,serial_fraction,communication,failed\n", out);
    for (size_t i = 0; i < scaling->count; i++) {
        const struct scale_run *run = &scaling->runs[i];
        double none = scaling->first ? 0 : (double)NAN;

        if (run->failed[0]) {
            fprintf(out, "%d,,,,,,,,,,,", run->nodes);
            csv_row(out, PEAL_STRING(NULL, run->failed));
        } else {
            csv_row(out, PEAL_INT(NULL, run->nodes), CSV_COST(run->cost), PEAL_NUMBER(NULL, run->time),
                    PEAL_NUMBER(NULL, run->path_time), PEAL_NUMBER(NULL, run->speedup + none),
                    PEAL_NUMBER(NULL, run->efficiency + none), PEAL_NUMBER(NULL, run->serial + none),
                    PEAL_NUMBER(NULL, run->communication + none), PEAL_NULL(NULL));
        }
    }
}

void
scale_write_json(FILE *out, const struct scaling *scaling)
{
    struct peal_json json = {.out = out};
    const struct command_request *request = scaling->request;
    char note[SCALE_NOTE];
    const bool doubt = scale_doubt(scaling, note);

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/scale/1"),
                  PEAL_STRING("program", request->arguments[0]),
                  PEAL_STRING("scaling", scaling->weak ? "weak" : "strong"),
                  PEAL_STRING("arguments", request->scale->arguments), PEAL_BOOL("measured", scaling->measured),
                  PEAL_BREAK, PEAL_OPEN("parameters", '{'), PEAL_NUMBER("alpha", scaling->parameters.alpha),
                  PEAL_NUMBER("beta", scaling->parameters.beta), PEAL_NUMBER("hop", scaling->parameters.hop),
                  PEAL_NUMBER("tau", scaling->parameters.tau), PEAL_CLOSE('}'), PEAL_BREAK, PEAL_OPEN("runs", '['));
    for (size_t i = 0; i < scaling->count; i++) {
        const struct scale_run *run = &scaling->runs[i];
        double none = scaling->first ? 0 : (double)NAN;

        peal_json_put(&json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_INT("nodes", run->nodes),
                      PEAL_STRING("failed", run->failed[0] ? run->failed : NULL));
        if (!run->failed[0]) {
            peal_json_member_cost(&json, "cost", &run->cost, scaling->parameters);
            peal_json_member_cost(&json, "critical_path", &run->path, scaling->parameters);
            peal_json_put(&json, PEAL_RATIO("speedup", run->speedup + none),
                          PEAL_RATIO("efficiency", run->efficiency + none),
                          PEAL_RATIO("serial_fraction", run->serial + none),
                          PEAL_RATIO("communication", run->communication + none));
        }
        peal_json_put(&json, PEAL_CLOSE('}'));
    }
    peal_json_put(&json, PEAL_CLOSE(']'), PEAL_WHERE(doubt, PEAL_BREAK), PEAL_WHERE(doubt, PEAL_STRING("note", note)),
                  PEAL_CLOSE('}'));
}
