/* SPDX-License-Identifier: MIT */
/* The table of a run's messages: round by round, those that are alike on one line, with the charge; on stdout. */
#include "show/show.h"
#include <inttypes.h>

/* The columns: round, who, words, hops, k, charge; the lines that one kind of messages has at most. */
enum { ROUND = 7, WHO = 33, WORDS = 8, HOPS = 6, SHARED = 5, MAX_LINES = 3 };

/* Fill in the columns after the transfers: the kind on its first line, the charge on the round's first line. */
static void
end_line(int column, const struct peal_transfer *kind, const struct peal_round *round)
{
    char text[100];

    if (kind) {
        printf("%*s%*" PRIu64 "%*" PRIu32 "%*" PRIu32, ROUND + WHO - column, "", WORDS, kind->words, HOPS, kind->hops,
               SHARED, kind->k);
        column = ROUND + WHO + WORDS + HOPS + SHARED;
    }
    if (round) {
        printf("%*s", ROUND + WHO + WORDS + HOPS + SHARED + 2 - column, "");
        fputs(peal_cost_text(round->charge, text, sizeof text), stdout);
    }
    putchar('\n');
}

/* Show the round's transfers that are like `kind`, under the round's `label`; with the charge if they are its first. */
static void
show_kind(const struct peal_schedule *schedule, const struct peal_round *round, const struct peal_transfer *kind,
          const char *label)
{
    const struct peal_transfer *end = &schedule->transfers[round->first + round->count];
    bool first = kind == &schedule->transfers[round->first], charged = false;
    int column = ROUND + 2, lines = 1;
    size_t left_out = 0;
    char pair[40];

    print_right(stdout, label, ROUND);
    fputs("  ", stdout);
    for (const struct peal_transfer *t = kind; t < end; t++) {
        if (!show_same_kind(t, kind))
            continue;
        snprintf(pair, sizeof pair, "%d→%d", t->from, t->to);
        if (left_out > 0 || (lines == MAX_LINES && column + 2 + print_width(pair) > ROUND + WHO)) {
            left_out++;
            continue;
        }
        if (column > ROUND + 2 && column + 2 + print_width(pair) > ROUND + WHO) {
            end_line(column, charged ? NULL : kind, first && !charged ? round : NULL);
            charged = true;
            lines++;
            printf("%*s", ROUND + 2, "");
            column = ROUND + 2;
        } else if (column > ROUND + 2) {
            fputs("  ", stdout);
            column += 2;
        }
        fputs(pair, stdout);
        column += print_width(pair);
    }
    end_line(column, charged ? NULL : kind, first && !charged ? round : NULL);
    if (left_out > 0)
        printf("%*s... and %zu more\n", ROUND + 2, "", left_out);
}

void
show_line(void *none, const char *line)
{
    (void)none;
    puts(line);
}

/* Show round `number`, which represents `alike` rounds in a row. */
static void
show_messages_round(const struct peal_schedule *schedule, size_t number, size_t alike)
{
    const struct peal_round *round = peal_schedule_round(schedule, number);
    char label[40];

    snprintf(label, sizeof label, alike > 1 ? "%zu-%zu" : "%zu", number + 1, number + alike);
    if (round->count == 0) {
        print_right(stdout, label, ROUND);
        fputs("  (no message)", stdout);
        end_line(ROUND + 14, NULL, round);
    }
    for (size_t i = round->first; i < round->first + round->count; i++) {
        bool seen = false;

        for (size_t j = round->first; j < i && !seen; j++)
            seen = show_same_kind(&schedule->transfers[i], &schedule->transfers[j]);
        if (!seen)
            show_kind(schedule, round, &schedule->transfers[i], i == round->first ? label : "");
    }
}

void
show_messages(const struct peal_schedule *schedule, struct peal_cost cost)
{
    char text[100];
    size_t alike;

    if (schedule->round_count == 0)
        return;
    print_inked(stdout, FAINT, "%*s  %-*s%*s%*s%*s  %s\n", ROUND, "round", WHO - 2, "messages", WORDS, "words", HOPS,
                "hops", SHARED, "k", schedule->round_count > 1 ? "charge" : "cost");
    for (size_t i = 0; i < schedule->round_count; i += alike) {
        alike = show_count_same(schedule, i);
        show_messages_round(schedule, i, alike);
    }
    if (schedule->round_count > 1)
        printf("%*s  %-*s  %s\n", ROUND, "in all", WHO - 2 + WORDS + HOPS + SHARED, "",
               peal_cost_text(cost, text, sizeof text));
}
