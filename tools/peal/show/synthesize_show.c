/* SPDX-License-Identifier: MIT */
/* Prints schedules that were synthesized, the search for them, and what is proved. */
#include "show/optimal.h"
#include "show/synthesize.h"
#include "show/table.h"

/* Write what a schedule costs: "3α + 7/6·mβ". */
static char *
write_cost(const struct peal_synthesis *asked, int steps, int rounds, int chunks, char text[64])
{
    const char *words = peal_collective_has_blocks(asked->collective) ? "m" : "n";
    int pieces = chunks * (asked->collective == PEAL_ALLREDUCE ? peal_network_nodes(asked->network) : 1);
    struct fraction part = {rounds, pieces};
    char number[48];
    struct peal_text out = empty_text(text, 64);

    if (rounds > 0)
        peal_fraction_make(rounds, pieces, &part);
    if (steps == 0)
        peal_append(out, "0");
    else if (steps == 1)
        peal_append(out, "α + ");
    else
        peal_append(out, "%dα + ", steps);
    if (steps > 0 && (part.num > 1 || part.den > 1))
        peal_append(out, "%s·%sβ", peal_fraction_text(part, number), words);
    else if (steps > 0)
        peal_append(out, "%sβ", words);
    return text;
}

static char *
cut_text(const struct synthesis *synthesis, const struct peal_synthesis_cut *cut, char *text, size_t bytes)
{
    int nodes = peal_network_nodes(synthesis->network), listed = 0;
    enum peal_collective collective = synthesis->asked.collective;
    bool reversed = collective == PEAL_GATHER || collective == PEAL_REDUCE || collective == PEAL_REDUCE_SCATTER;
    struct peal_text out = empty_text(text, bytes);

    peal_append(out, "node%s {", __builtin_popcountll(cut->member) == 1 ? "" : "s");
    for (int node = 0; node < nodes; node++)
        if (cut->member >> node & 1)
            peal_append(out, "%s%d", listed++ ? " " : "", node);
    peal_append(out, "} must %s %llu chunk%s, at most %llu a round%s", reversed ? "give away" : "take in",
                (unsigned long long)cut->chunks, plural(cut->chunks), (unsigned long long)cut->each_round,
                cut->by_ports ? " through the ports" : "");
    return text;
}

/* ------------------------------------------------------------------ a schedule */

static void
show_chunk(FILE *out, const struct peal_synthesis *asked, int chunks, int chunk)
{
    int nodes = peal_network_nodes(asked->network), block = chunk / chunks;
    bool vector = asked->collective == PEAL_BROADCAST || asked->collective == PEAL_REDUCE;

    if (asked->collective == PEAL_ALLTOALL)
        fprintf(out, "%d→%d", block / nodes, block % nodes);
    else if (!vector)
        fprintf(out, "%d", block);
    if (vector)
        fprintf(out, "%d", chunk);
    else if (chunks > 1)
        fprintf(out, ".%d", chunk % chunks);
}

/* The lines of one step's messages: the chunks of each in braces. */
static size_t
synthesize_show_step(FILE *out, const struct peal_synthesis *asked, int chunks, const struct peal_move *moves,
                     size_t first, size_t count)
{
    size_t i = first;

    fprintf(out, "\nStep %d\n", moves[first].step + 1);
    while (i < count && moves[i].step == moves[first].step) {
        const struct peal_move *message = &moves[i];

        fprintf(out, "  %d → %d {", message->from, message->to);
        for (; i < count && moves[i].step == message->step && moves[i].from == message->from &&
               moves[i].to == message->to && moves[i].message == message->message;
             i++) {
            if (&moves[i] > message)
                putc(' ', out);
            show_chunk(out, asked, chunks, moves[i].chunk);
        }
        fputs("}\n", out);
    }
    return i;
}

/* ------------------------------------------------------------------ heads */

static void
synthesize_show_head(FILE *out, const struct synthesis *synthesis)
{
    const struct peal_synthesis *asked = &synthesis->asked;
    int nodes = peal_network_nodes(synthesis->network);
    char ports[32] = "all ports";

    if (asked->ports != PEAL_PORTS_ALL)
        snprintf(ports, sizeof ports, "%d port%s", asked->ports, plural(asked->ports));
    print_inked(out, BOLD, "%s on %d node%s", peal_collective_name(asked->collective), nodes, plural((uint64_t)nodes));
    if (peal_collective_has_root(asked->collective))
        fprintf(out, ", root %d", asked->root);
    fputc('\n', out);
    print_plain(out, peal_network_name(synthesis->network));
    fprintf(out, ", routing %s, %s, %s duplex%s%s\n", peal_network_routing(synthesis->network), ports,
            asked->half_duplex ? "half" : "full", asked->congestion == PEAL_VOLUME ? ", congestion by volume" : "",
            asked->neighbours ? ", messages between neighbours" : "");
    if (asked->collective == PEAL_ALLREDUCE)
        fputs("as a reduce-scatter and its reverse: other schedules are not considered\n", out);
    putc('\n', out);
}

static void
synthesize_show_limits(FILE *out, int chunks, int steps, int rounds, const char *words)
{
    fprintf(out, "%d chunk%s a %s, at most %d step%s", chunks, plural(chunks), words, steps, plural(steps));
    if (rounds != PEAL_SYNTHESIS_ANY)
        fprintf(out, ", %d round%s", rounds, plural(rounds));
}

static const char *
unit_of(const struct peal_synthesis *asked)
{
    return peal_collective_has_blocks(asked->collective) || asked->collective == PEAL_ALLREDUCE ? "block" : "vector";
}

/* ------------------------------------------------------------------ when the time was not enough */

/* The least possible T: with the steps that proofs leave, and the R/C of the cut. */
static void
synthesize_show_bound(FILE *out, const struct synthesis *synthesis)
{
    const struct peal_front *found = &synthesis->found;
    const int unit = synthesis->asked.collective == PEAL_ALLREDUCE ? 2 : 1;
    int steps = unit;
    char text[200], cost[64];

    if (!found->has_cut)
        return;
    for (size_t i = 0; i < found->question_count; i++) {
        const struct peal_synthesis_question *question = &found->questions[i];

        if (question->rounds == PEAL_SYNTHESIS_ANY && question->answer.verdict == PEAL_SYNTHESIS_PROOF &&
            steps < question->steps + unit)
            steps = question->steps + unit;
    }
    snprintf(text, sizeof text, "T is at least %s: the steps by a proof, the rest by the cut",
             write_cost(&synthesis->asked, steps, (int)found->cut.chunks * unit, (int)found->cut.each_round, cost));
    print_labelled(out, "bound", text);
}

/* The question to go on with: for a front the first open one; steps 0: none is open. */
static struct peal_synthesis
find_undecided(const struct synthesis *synthesis)
{
    struct peal_synthesis asked = synthesis->asked;

    if (!synthesis->front)
        return asked;
    asked.steps = 0;
    for (size_t i = 0; i < synthesis->found.question_count && asked.steps == 0; i++) {
        const struct peal_synthesis_question *question = &synthesis->found.questions[i];

        if (question->open) {
            asked.chunks = question->chunks;
            asked.steps = question->steps;
            asked.rounds = question->rounds;
        }
    }
    return asked;
}

/* How the search goes on. */
static void
show_way_on(FILE *out, const struct synthesis *synthesis)
{
    const struct peal_synthesis asked = find_undecided(synthesis);
    const struct peal_situation situation = {.collective = asked.collective,
                                             .nodes = peal_network_nodes(asked.network),
                                             .network = asked.network,
                                             .root = asked.root,
                                             .rules = asked.rules};
    char text[200];

    if (synthesis->front) {
        snprintf(text, sizeof text, "after %d second%s, before all was decided: better schedules are not ruled out",
                 synthesis->seconds, plural((uint64_t)synthesis->seconds));
        print_labelled(out, "ended", text);
        synthesize_show_bound(out, synthesis);
    }
    snprintf(text, sizeof text, "a larger --search-seconds (0: no limit)%s",
             asked.steps > 0 && synthesis->front ? ", or only what was the first not to be decided" : "");
    print_labelled(out, "go on", text);
    if (asked.steps == 0)
        return;
    print_inked(out, FAINT, "%-*s", LABEL_COLUMNS, "try");
    optimal_write_command(out, &situation);
    fprintf(out, "%s%s --chunks %d", asked.neighbours ? " --direct" : "", asked.unpruned ? " --plain" : "",
            asked.chunks);
    if (asked.rounds == PEAL_SYNTHESIS_ANY)
        fprintf(out, " --least-steps --steps %d", asked.steps);
    else
        fprintf(out, " --steps %d --rounds %d", asked.steps, asked.rounds);
    fputs(" --search-seconds 0\n", out);
}

/* ------------------------------------------------------------------ one question */

static void
show_search(FILE *out, const struct peal_synthesized *result)
{
    char text[200];

    if (result->variables > 0) {
        snprintf(text, sizeof text, "%d variables, %zu clauses, SHA-256 %.16s...", result->variables, result->clauses,
                 result->formula);
        print_labelled(out, "formula", text);
    }
    if (result->proof[0]) {
        snprintf(text, sizeof text, "%llu lemma%s checked, SHA-256 %.16s...", (unsigned long long)result->lemmas,
                 plural(result->lemmas), result->proof);
        print_labelled(out, "proof", text);
    }
}

static void
synthesize_show_result(FILE *out, const struct synthesis *synthesis)
{
    const struct peal_synthesis *asked = &synthesis->asked;
    const struct peal_synthesized *result = &synthesis->result;
    char text[600], cost[64];

    switch (result->verdict) {
    case PEAL_SYNTHESIS_HERE:
        snprintf(text, sizeof text, "%d step%s, %d round%s: T = %s", result->steps, plural(result->steps),
                 result->rounds, plural(result->rounds),
                 write_cost(asked, result->steps, result->rounds, asked->chunks, cost));
        print_labelled(out, "found", text);
        break;
    case PEAL_SYNTHESIS_CUT:
        cut_text(synthesis, &result->cut, text, sizeof text);
        print_labelled(out, "none, by a cut", text);
        break;
    case PEAL_SYNTHESIS_PROOF:
        print_labelled(out, "none", "the formula of all such schedules has no solution");
        break;
    case PEAL_SYNTHESIS_UNKNOWN:
        print_labelled(out, "not decided",
                       synthesis->interrupted ? "it was interrupted"
                       : result->unchecked    ? "the solver found none, but the time was not enough to check its proof"
                                              : "the time was not enough");
        break;
    }
    show_search(out, result);
    if (synthesis->late)
        show_way_on(out, synthesis);
    for (size_t i = 0; result->verdict == PEAL_SYNTHESIS_HERE && i < result->move_count;)
        i = synthesize_show_step(out, asked, asked->chunks, result->moves, i, result->move_count);
}

/* ------------------------------------------------------------------ fronts */

static const char *
verdict_text(enum peal_synthesis_verdict verdict)
{
    switch (verdict) {
    case PEAL_SYNTHESIS_HERE:
        return "found";
    case PEAL_SYNTHESIS_CUT:
        return "none, by a cut";
    case PEAL_SYNTHESIS_PROOF:
        return "none, proved";
    case PEAL_SYNTHESIS_UNKNOWN:
        break;
    }
    return "not decided";
}

void
synthesis_tell(const struct peal_synthesis_question *question, void *context)
{
    const struct peal_synthesized *answer = &question->answer;
    const struct synthesis *synthesis = context;

    synthesize_show_limits(stderr, question->chunks, question->steps, question->rounds, unit_of(&synthesis->asked));
    fprintf(stderr, ": %s", verdict_text(answer->verdict));
    if (answer->verdict == PEAL_SYNTHESIS_HERE)
        fprintf(stderr, ", %d step%s, %d round%s", answer->steps, plural(answer->steps), answer->rounds,
                plural(answer->rounds));
    fprintf(stderr, " (%.2f s)\n", answer->encode_seconds + answer->solve_seconds + answer->check_seconds);
}

/* A row for each point, and what is proved of them. */
static void
show_points(FILE *out, const struct synthesis *synthesis)
{
    static const struct table_column layout[] = {{"steps", .gap = 2},
                                                 {"rounds", .gap = 2},
                                                 {"chunks", .gap = 2},
                                                 {"T", .gap = 2, .left = true},
                                                 {"how", .gap = 2, .left = true}};
    static const char *const names[] = {"open", "closed", "cut"};
    const struct peal_front *found = &synthesis->found;
    bool has[3] = {false};
    char cost[64], text[600];
    struct table table;
    struct peal_error error;

    table_begin(&table, found->point_count, sizeof layout / sizeof *layout, layout);
    for (size_t i = 0; i < found->point_count; i++) {
        const struct peal_synthesis_point *point = &found->points[i];
        int how = found->reached && i + 1 == found->point_count ? 2 : point->closed;

        has[how] = true;
        table_set(&table, i + 1, 0, "%d", point->steps);
        table_set(&table, i + 1, 1, "%d", point->rounds);
        table_set(&table, i + 1, 2, "%d", point->chunks);
        table_set(&table, i + 1, 3, "%s",
                  write_cost(&synthesis->asked, point->steps, point->rounds, point->chunks, cost));
        table_set(&table, i + 1, 4, "%s", names[how]);
    }
    if (found->point_count > 0)
        table_print(out, &table, 0, table.rows);
    if (table_end(&table, &error) != PEAL_OK)
        fprintf(stderr, "peal: note: the schedules are not shown: %s\n", error.text);
    putc('\n', out);
    if (found->has_cut) {
        cut_text(synthesis, &found->cut, text, sizeof text);
        strcat(text, has[2] ? ": no R/C is lower" : "");
        print_labelled(out, "cut", text);
    }
    snprintf(text, sizeof text, "in so few steps no schedule with at most %d chunk%s has a lower R/C",
             synthesis->most_chunks, plural(synthesis->most_chunks));
    if (has[1])
        print_labelled(out, "closed", text);
    if (has[0])
        print_labelled(out, "open", "a lower R/C in so few steps is not ruled out");
}

static void
show_front(FILE *out, const struct synthesis *synthesis)
{
    const struct peal_front *found = &synthesis->found;
    size_t none = 0, open = 0, here = 0;

    if (found->point_count == 0) {
        fputs("no schedule was found", out);
        fputs(synthesis->late || synthesis->interrupted ? " until then" : ", of any number of rounds", out);
        if (synthesis->asked.steps)
            fprintf(out, " in at most %d step%s", synthesis->asked.steps, plural(synthesis->asked.steps));
        fputs("\n", out);
    }
    show_points(out, synthesis);
    for (size_t i = 0; i < found->question_count; i++) {
        enum peal_synthesis_verdict verdict = found->questions[i].answer.verdict;

        here += verdict == PEAL_SYNTHESIS_HERE;
        open += verdict == PEAL_SYNTHESIS_UNKNOWN;
        none += verdict == PEAL_SYNTHESIS_PROOF || verdict == PEAL_SYNTHESIS_CUT;
    }
    char text[200];

    snprintf(text, sizeof text, "%zu found, %zu with none, each by a checked proof or a cut, %zu not decided", here,
             none, open);
    print_labelled(out, "searches", text);
    if (synthesis->late)
        show_way_on(out, synthesis);
}

/* Whether nothing beats the algorithm, with any number of chunks: it has the R/C of the cut, and no schedule has fewer
 * steps. */
static bool
is_optimal(const struct synthesis *synthesis)
{
    const struct peal_front *found = &synthesis->found;
    const struct peal_synthesis *asked = &synthesis->asked;
    bool least = asked->steps == 1;

    if (asked->collective == PEAL_ALLREDUCE || !found->has_cut ||
        (uint64_t)asked->rounds * found->cut.each_round != found->cut.chunks * (uint64_t)asked->chunks)
        return false;
    for (size_t i = 0; i < found->question_count && !least; i++) {
        const struct peal_synthesis_question *question = &found->questions[i];

        least = question->steps == asked->steps - 1 && question->rounds == PEAL_SYNTHESIS_ANY &&
                question->answer.verdict == PEAL_SYNTHESIS_PROOF;
    }
    return least;
}

static void
show_beaten(FILE *out, const struct synthesis *synthesis)
{
    const struct peal_front *found = &synthesis->found;
    const struct peal_synthesis *asked = &synthesis->asked;
    char cost[64];
    bool beaten = false, closed = true;

    fprintf(out, "%s takes %d step%s and %d round%s of %d chunk%s: T = %s\n", synthesis->beaten, asked->steps,
            plural(asked->steps), asked->rounds, plural(asked->rounds), asked->chunks, plural(asked->chunks),
            write_cost(asked, asked->steps, asked->rounds, asked->chunks, cost));
    for (size_t i = 0; i < found->point_count; i++) {
        const struct peal_synthesis_point *point = &found->points[i];

        closed = closed && point->closed;
        if (point->moves == NULL)
            continue;
        beaten = true;
        fprintf(out, "beaten by %d step%s, %d round%s, %d chunk%s: T = %s\n", point->steps, plural(point->steps),
                point->rounds, plural(point->rounds), point->chunks, plural(point->chunks),
                write_cost(asked, point->steps, point->rounds, point->chunks, cost));
    }
    if (!beaten && is_optimal(synthesis))
        fputs("optimal: no schedule has fewer steps, and by the cut none has a lower R/C\n", out);
    else if (!beaten)
        fprintf(out,
                closed ? "nothing with at most %d chunk%s beats it\n"
                       : "nothing was found that beats it; with at most %d chunk%s not all was decided\n",
                synthesis->most_chunks, plural(synthesis->most_chunks));
    if (synthesis->late)
        show_way_on(out, synthesis);
}

void
synthesis_show(FILE *out, const struct synthesis *synthesis)
{
    const struct peal_synthesis *asked = &synthesis->asked;

    synthesize_show_head(out, synthesis);
    if (synthesis->beaten) {
        show_beaten(out, synthesis);
        return;
    }
    if (synthesis->front) {
        show_front(out, synthesis);
        return;
    }
    synthesize_show_limits(out, asked->chunks, asked->steps, asked->rounds, unit_of(asked));
    putc('\n', out);
    synthesize_show_result(out, synthesis);
}
