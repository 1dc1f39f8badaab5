/* SPDX-License-Identifier: MIT */
/* peal explain: the same run as `peal run`, round by round, and where its time went. */
#include "commands/commands.h"
#include "kinds.h"
#include "run/proofs.h"

/* How much of a long run is shown. */
enum { FIRST_ROUNDS = 12, LAST_ROUNDS = 3, MAX_GROUPS = 6, MAX_LINES = 3, LABEL = 14, BAR = 24 };

/* ------------------------------------------------------------------ one round */

/* A group of equal transfers of a round, found at the first of them. */
struct transfer_group {
    const struct peal_transfer *first;
    size_t count;
};

/* Whether two transfers are of one group: equal, and posted by the same calls where these are known. */
static bool
explain_is_same_group(const struct peal_transfer *a, const struct peal_transfer *b)
{
    return show_same_kind(a, b) && a->calls[0] == b->calls[0] && a->calls[1] == b->calls[1];
}

/* Sort the transfers into groups in the order of admission; returns the number of groups, *others is the number of
 * transfers in none of them. */
static int
find_groups(const struct peal_transfer *transfers, size_t count, struct transfer_group groups[MAX_GROUPS],
            size_t *others)
{
    int found = 0;

    *others = 0;
    for (size_t i = 0; i < count; i++) {
        int g = 0;

        while (g < found && !explain_is_same_group(groups[g].first, &transfers[i]))
            g++;
        if (g == MAX_GROUPS) {
            (*others)++;
            continue;
        }
        if (g == found)
            groups[found++] = (struct transfer_group){&transfers[i], 0};
        groups[g].count++;
    }
    return found;
}

/* "4 transfers of 4 words = 1 block each, 1 hop, k = 1", and below it who sends to whom. */
static void
show_group(const struct session *session, const struct transfer_group *group, const struct peal_transfer *end,
           size_t block_words)
{
    const struct peal_transfer *t = group->first;
    const struct peal_callers *callers = peal_machine_callers(session->machine);
    char calls[CALLS_TEXT];
    char count[64], words[64], blocks[64], equal[80] = "", hops[64], pair[40];
    int width = 0;
    size_t shown = 0;

    if (block_words > 0 && t->words % block_words == 0)
        snprintf(equal, sizeof equal, " = %s", print_count(t->words / block_words, "block", blocks));
    printf("  %s of %s%s%s, %s, k = %" PRIu32 "\n", print_count(group->count, "transfer", count),
           print_count(t->words, show_unit(peal_machine_options(session->machine)), words), equal,
           group->count > 1 ? " each" : "", print_count(t->hops, "hop", hops), t->k);
    if (*show_calls(callers, t, calls)) {
        fputs("      ", stdout);
        print_plain(stdout, calls);
        putchar('\n');
    }

    for (const struct peal_transfer *i = t; i < end; i++)
        if (explain_is_same_group(i, t)) {
            snprintf(pair, sizeof pair, "%d → %d", i->from, i->to);
            width = print_width(pair) > width ? print_width(pair) : width;
        }
    width += 4;
    size_t per_line = (size_t)((COLUMNS - 6) / width);

    for (; t < end && shown < per_line * MAX_LINES; t++) {
        if (!explain_is_same_group(t, group->first))
            continue;
        bool ends_line = (shown + 1) % per_line == 0 || shown + 1 == group->count;

        snprintf(pair, sizeof pair, "%d → %d", t->from, t->to);
        if (shown % per_line == 0)
            fputs("      ", stdout);
        print_left(stdout, pair, ends_line ? 0 : width);
        if (ends_line)
            putchar('\n');
        shown++;
    }
    if (shown < group->count)
        printf("      ... and %zu more (--json has them all)\n", group->count - shown);
}

static void
show_hottest(const struct session *session, const struct peal_round *round)
{
    const struct peal_schedule *schedule = peal_machine_schedule(session->machine);
    const struct peal_options *options = peal_machine_options(session->machine);
    struct peal_pricing pricing = {peal_machine_network(session->machine), options->switching, options->congestion};
    struct peal_hot_link link;
    char transfers[64], words[64], from[32], to[32];

    if (peal_hottest_link(&pricing, &schedule->transfers[round->first], round->count, &link, NULL) != PEAL_OK)
        return;
    fputs("  ", stdout);
    print_left(stdout, "hottest link", LABEL);
    if (link.transfers == 0)
        puts("none is used");
    else
        printf("%s → %s carries %s, %s", peal_network_vertex(pricing.network, link.from, from),
               peal_network_vertex(pricing.network, link.to, to), print_count(link.transfers, "transfer", transfers),
               print_count(link.words, show_unit(options), words));
    if (link.transfers && link.capacity > 1)
        printf(", on %" PRIu32 " wires", link.capacity);
    if (link.transfers)
        putchar('\n');
}

/* Write how the charge comes about, "α + β·max n·k = α + β·16·1 = α + 16β". */
static void
show_charge(const struct session *session, const struct peal_round *round)
{
    const struct peal_options *options = peal_machine_options(session->machine);
    const struct peal_transfer *t = peal_machine_schedule(session->machine)->transfers, *most = NULL;
    char cost[100];

    fputs("  ", stdout);
    print_left(stdout, "charge", LABEL);
    for (size_t i = round->first; i < round->first + round->count; i++)
        if (!most || t[i].words * t[i].k > most->words * most->k)
            most = &t[i];
    if (most && options->switching == PEAL_STORE_FORWARD)
        fputs("α + β·max n·Σk", stdout);
    else if (most && options->congestion == PEAL_VOLUME)
        printf("α + β·(%ss on the busiest link)", show_unit(options));
    else if (most)
        fputs("α + β·max n·k", stdout);
    if (most && options->switching == PEAL_WORMHOLE)
        fputs(" + t_d·max d", stdout);
    if (round->charge.tau)
        fputs(most ? " + τ·operations" : "τ·operations", stdout);
    if (most && options->switching == PEAL_IDEAL && options->congestion == PEAL_COUNT && round->charge.tau == 0)
        printf(" = α + β·%" PRIu64 "·%" PRIu32, most->words, most->k);
    printf(" = %s\n", peal_cost_text(round->charge, cost, sizeof cost));
}

/* Show round `number`, which represents `alike` rounds in a row; `total` is the cost after them. */
static void
explain_show_round(const struct session *session, size_t number, size_t alike, struct peal_cost total)
{
    const struct peal_schedule *schedule = peal_machine_schedule(session->machine);
    const struct peal_round *round = peal_schedule_round(schedule, number);
    const struct peal_transfer *transfers = round->count ? &schedule->transfers[round->first] : NULL;
    struct transfer_group groups[MAX_GROUPS];
    size_t others = 0, block = 0;
    char cost[100];

    if (!session->program && peal_collective_has_blocks(session->collective))
        block = session->outcome.block_words;
    putchar('\n');
    print_ink(stdout, BOLD);
    if (alike == 1)
        printf("Round %zu\n", number + 1);
    else
        printf("Rounds %zu to %zu, each\n", number + 1, number + alike);
    print_ink(stdout, PLAIN);
    int found = find_groups(transfers, round->count, groups, &others);

    for (int i = 0; i < found; i++)
        show_group(session, &groups[i], &transfers[round->count], block);
    if (others > 0)
        printf("  ... and %zu transfer%s of other lengths, hops or k (--json has them all)\n", others, plural(others));
    if (round->count > 0)
        show_hottest(session, round);
    else
        puts("  no transfer");
    show_charge(session, round);
    fputs("  ", stdout);
    print_left(stdout, "total", LABEL);
    puts(peal_cost_text(total, cost, sizeof cost));
}

/* Equal rounds are shown once; of many rounds only the first and the last are shown. */
static void
explain_rounds(const struct session *session)
{
    const struct peal_schedule *schedule = peal_machine_schedule(session->machine);
    size_t parts = 0, part = 0, left_out = 0, same;
    struct peal_cost total = {0};

    if (schedule->round_count == 0 && !session->failure)
        puts("\nNo round: no node had anything to send.");
    for (size_t i = 0; i < schedule->round_count; i += show_count_same(schedule, i))
        parts++;
    for (size_t i = 0; i < schedule->round_count; i += same, part++) {
        same = show_count_same(schedule, i);
        for (size_t j = i; j < i + same; j++)
            total = peal_cost_add(total, peal_schedule_round(schedule, j)->charge);
        if (part < FIRST_ROUNDS || part + LAST_ROUNDS >= parts) {
            explain_show_round(session, i, same, total);
            continue;
        }
        left_out += same;
        if (part + LAST_ROUNDS + 1 == parts)
            printf("\n... %zu round%s left out (--json has them all) ...\n", left_out, plural(left_out));
    }
}

/* ------------------------------------------------------------------ where the time went */

/* One line: the part, its time, its share of T as a number and a bar; `why` instead of the bar of a part that is 0. */
static void
show_share(const struct session *session, const char *what, struct peal_cost part, const char *why)
{
    struct peal_parameters parameters = peal_machine_options(session->machine)->parameters;
    double whole = peal_cost_time(peal_machine_cost(session->machine), parameters);
    double time = peal_cost_time(part, parameters), share = whole > 0 ? time / whole : 0;
    char cost[100], text[32];
    int bar = share > 0 && share * BAR < 1 ? 1 : (int)(share * BAR + 0.5);

    fputs("  ", stdout);
    print_left(stdout, what, LABEL);
    print_right(stdout, peal_cost_text(part, cost, sizeof cost), 12);
    print_right(stdout, print_number(time, text), 12);
    printf("%6.1f %%%s", 100 * share, bar > 0 || *why ? "  " : "");
    for (int i = 0; i < bar; i++)
        fputs(share * BAR < 1 ? "▏" : "█", stdout);
    puts(why);
}

static void
show_shares(const struct session *session)
{
    const struct peal_options *options = peal_machine_options(session->machine);
    struct peal_breakdown b = peal_where_time_went(peal_machine_schedule(session->machine), options->switching);

    print_title(stdout, "Where the time went");
    show_share(session, "start-ups", (struct peal_cost){.alpha = b.startups}, "");
    show_share(session, "volume", (struct peal_cost){.beta = b.volume}, "");
    if (b.longer_routes)
        show_share(session, "longer routes", (struct peal_cost){.beta = b.longer_routes}, "");
    show_share(session, "congestion", (struct peal_cost){.beta = b.congestion},
               b.congestion ? "" : "no link delayed a round");
    if (b.distance)
        show_share(session, "distance", (struct peal_cost){.hop = b.distance}, "");
    if (b.compute)
        show_share(session, "compute", (struct peal_cost){.tau = b.compute},
                   options->computing.source == PEAL_COMPUTE_COUNTED ? "" : "measured");
}

/* ------------------------------------------------------------------ the command */

static void
explain_report(const struct session *session)
{
    enum peal_rounds level = peal_machine_options(session->machine)->rounds;
    char wrong[400];

    if (session->program && !session->plan)
        putchar('\n');
    show_heading(stdout, session);
    if (level == PEAL_ROUNDS_ALL)
        explain_rounds(session);
    else
        show_rounds(stdout, session);
    show_summary(stdout, session);
    if (session->failure) {
        putchar('\n');
        show_failure(stdout, session);
        fflush(stdout);
        fprintf(stderr, "peal: the run failed: %s\n", peal_failure_name(session->failure->kind));
        return;
    }
    if (level != PEAL_ROUNDS_NONE && !peal_cost_equal(peal_machine_cost(session->machine), (struct peal_cost){0}))
        show_shares(session);
    advice_links(session);
    if (!session->program)
        advice_choice(session);
    if (!session_wrong(session, wrong, sizeof wrong)) {
        advice_better(session);
        return;
    }
    fflush(stdout);
    fprintf(stderr, "peal: %s\n", wrong);
}

static int
command_explain_run(const struct command_request *request)
{
    struct peal_error error;

    if (request->proof.every)
        return proofs_explain(request, &error) == PEAL_OK ? 0 : complain(&error);
    if (request->session.computes)
        return computed_run(request);
    if (request->argument_count == 1 && !request->bare) {
        static const char *const none[] = {NULL};
        const struct option *other = option_besides(request, none);

        if (kinds_have(request->arguments[0]) && other)
            return complain_of(PEAL_USAGE, "--%s is for a run, as in peal explain scatter; explain %s takes no options",
                               other->name, request->arguments[0]);
        if (kinds_have(request->arguments[0])) {
            kinds_show(request->arguments[0]);
            return output_flush(&error) == PEAL_OK ? 0 : complain(&error);
        }
        if (kinds_refuse(request->arguments[0], &error) != PEAL_OK)
            return complain(&error);
    }
    return session_run(request, explain_report);
}

const struct command command_explain = {
    .name = "explain",
    .arguments = "COLLECTIVE[/ALGORITHM] | FILE.c... | KIND  [options] [-- ARG...]",
    .summary = "run the same, explained by rounds; or explain a kind of finding",
    .examples = "  peal explain scatter -p 8 -m 4 -t hypercube:3      the lecture's example\n"
                "  peal explain scatter/linear -t line --ports 2      where congestion comes from\n"
                "  peal explain broadcast -t mesh --switching wormhole --hop 10\n"
                "  peal explain wrong.c -p 4                          why your program deadlocks\n"
                "  peal explain allgather/ring --every                why it is right for every P\n"
                "  peal explain kinds                                 kinds of findings\n"
                "  peal explain early-read                            what it means, by example\n",
    .completes = WORDS_EXPLAINED,
    .reads_rounds = true,
    .run = command_explain_run,
};
