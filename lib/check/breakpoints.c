/* SPDX-License-Identifier: MIT */
/* Runs more sizes around those at which a comparison in the user's code changes its result, as branches.c found
 * them.  The work for each number of nodes is bounded. */
#include "lib/check/expression.h"
#include "lib/check/rerun.h"
#include "lib/memory/branches.h"

enum {
    MAX_COMPARISONS = 16,  /* comparisons whose sizes are run at once */
    MAX_TURNS = 24,        /* sizes that are run for them with one number of nodes */
    MAX_ARRAYS = 12,       /* sizes that are run for arrays of fixed length */
    ARRAY_WORDS = 1 << 18, /* of all these sizes together */
    TURN_ROUNDS = 4,       /* of sizes: the first ones show how values grow */
    TURN_WORDS = 1 << 21,  /* of all nodes in all runs of one size */
    FEW_NODES = MAX_AGAIN, /* with more nodes only two roots */
};

/* The most words of a vector or block for this many nodes. */
static size_t
breakpoint_max_words(int nodes)
{
    return LABEL_INDICES / (size_t)nodes;
}

/* Run this size, for some roots, or distances, with and without buffers, as often as its words allow. */
static void
run_size(struct prover *prover, const struct cases *cases, size_t words)
{
    const int deliveries = cases_deliveries(prover->check), few = cases->nodes <= FEW_NODES;
    const size_t most = TURN_WORDS / (words * (size_t)cases->nodes);
    size_t runs = 0;
    struct peal_error error;

    atomic_store(&prover->progress->words, words);
    atomic_store(&prover->progress->below, true);
    prover->below = true;
    for (int i = 0; i < 2 && (i == 0 || deliveries > 1); i++)
        for (int turn = 0; turn < cases->turn_count; turn++) {
            size_t index = i == 0 ? 0 : (size_t)deliveries - 1;
            struct peal_check_case c = cases_get(cases, prover->check, index);
            struct peal_machine **machine = prover_machine(prover, index, cases);

            if ((turn > 0 && turn != cases->nodes - 1 && !few) || runs == most)
                continue;
            c.words = words;
            if (!peal_check_asks_for(prover->check, &c))
                continue;
            *(peal_form_of(prover->check->collective)->by ? &c.by : &c.root) = cases->turns[turn];
            atomic_store(&prover->progress->index, index);
            atomic_store(&prover->progress->turn, cases->turns[turn]);
            if (!*machine && !(*machine = runner_machine(&prover->runner, &c, &error)))
                check_report_last_error(&prover->reporter, &error);
            runs++;
            prover_explore(prover, cases, &c, *machine, false);
        }
    prover->below = false;
    atomic_store(&prover->progress->below, false);
}

/* Add the line to a list of them, "22, 31". */
static void
breakpoint_add_line(char *text, size_t bytes, int line)
{
    char number[16];

    snprintf(number, sizeof number, "%d", line);
    for (const char *at = text; (at = strstr(at, number)); at++)
        if ((at == text || at[-1] == ' ') && (at[strlen(number)] == ',' || at[strlen(number)] == '\0'))
            return;
    if (line > 0)
        peal_append((struct peal_text){text, bytes}, "%s%s", *text ? ", " : "", number);
}

/* Run the sizes around the one at which a comparison changes its result, if they were not run yet. */
static bool
run_around(struct prover *prover, const struct cases *cases, struct branch_size turn, size_t *done, int *count)
{
    struct prover_end *end = &prover->end;
    bool some = false;

    for (size_t words = turn.words - 1; words <= turn.words + 1; words++) {
        bool known = words == 0;

        for (int i = 0; i < cases->size_count; i++)
            known |= cases->sizes[i].words == words;
        for (int i = 0; i < *count; i++)
            known |= done[i] == words;
        if (words > breakpoint_max_words(cases->nodes) && !end->far[0])
            snprintf(end->far, sizeof end->far,
                     "the comparison in line %d changes at %zu words with P = %d, and at most %zu are run", turn.line,
                     turn.words, cases->nodes, breakpoint_max_words(cases->nodes));
        if (known || words > breakpoint_max_words(cases->nodes) || *count == MAX_TURNS)
            continue;
        done[(*count)++] = words;
        run_size(prover, cases, words);
        breakpoint_add_line(end->around, sizeof end->around, turn.line);
        some = true;
    }
    return some;
}

/* Whether the check may try more sizes than these. */
static bool
tries_more(const struct prover *prover, const struct cases *cases)
{
    const struct peal_check *check = prover->check;

    return prover->runner.file && !check->program && !check->unequal && !check->has_words && !check->sizes &&
           !check->words_list && !check->choices && cases->nodes <= check->nodes_to;
}

void
breakpoint_run(struct prover *prover, const struct cases *cases)
{
    struct branch_size turns[MAX_COMPARISONS];
    size_t done[MAX_TURNS];
    int count = 0;
    bool more = true;

    if (!tries_more(prover, cases))
        return;
    for (int round = 0; round < TURN_ROUNDS && more; round++) {
        more = false;
        for (int i = 0, found = branches_sizes(file_name(prover->check->file), turns, MAX_COMPARISONS); i < found; i++)
            if (!prover->reporter.wrong && !prover->out_of_runs)
                more |= run_around(prover, cases, turns[i], done, &count);
    }
}

void
breakpoint_arrays(struct prover *prover, const struct cases *cases)
{
    const struct peal_check *check = prover->check;
    const size_t P = (size_t)cases->nodes;
    struct prover_end *end = &prover->end;
    struct branch_size sizes[MAX_ARRAYS];
    size_t left = ARRAY_WORDS;

    if (!tries_more(prover, cases) || prover->past_arrays || (cases->nodes < 2 && check->nodes_to > 1))
        return;
    prover->past_arrays = true;
    for (int i = 0, found = branches_arrays(vectors_width(check->element), sizes, MAX_ARRAYS); i < found; i++) {
        size_t words = check->divides ? (sizes[i].words + P - 1) / P * P : sizes[i].words;
        bool known = prover->reporter.wrong || prover->out_of_runs;

        for (int j = 0; j < cases->size_count; j++)
            known |= cases->sizes[j].words == words;
        if (words * P > left && !end->far[0])
            snprintf(end->far, sizeof end->far,
                     "the array in line %d may be too short for %zu words, which are more than are run", sizes[i].line,
                     words);
        if (known || words * P > left)
            continue;
        left -= words * P;
        run_size(prover, cases, words);
        breakpoint_add_line(end->arrays, sizeof end->arrays, sizes[i].line);
    }
}

void
breakpoint_far(struct prover *prover)
{
    const size_t words = cases_far(prover->check);
    struct proof_progress *progress = prover->progress;
    struct peal_error error;
    struct cases cases;

    if (words == 0 || prover->reporter.wrong || prover->out_of_runs || !prover->runner.file)
        return;
    if (progress->cramped) {
        cases_say_undecided(words, PEAL_OUT_OF_MEMORY, prover->end.far);
        return;
    }
    if (cases_init(&cases, prover->check, 2, &error) != PEAL_OK)
        check_report_last_error(&prover->reporter, &error);
    prover->way = (struct called_way){.call = PEAL_CALL_ONCE};
    prover->below = true;
    atomic_store(&progress->nodes, 2);
    atomic_store(&progress->call, PEAL_CALL_ONCE);
    atomic_store(&progress->index, 0);
    atomic_store(&progress->words, words);
    atomic_store(&progress->below, true);
    for (int turn = 0; turn < cases.turn_count && !prover->reporter.wrong; turn++) {
        struct peal_check_case c = cases_get(&cases, prover->check, 0);
        struct peal_machine *machine;

        c.words = words;
        c.sizes = c.sizes ? &cases_far_words[words - cases_far_words[0]] : NULL;
        c.size_count = c.sizes ? 1 : 0;
        c.root = cases.turns[turn];
        atomic_store(&progress->turn, c.root);
        if (!peal_check_asks_for(prover->check, &c))
            continue;
        if (!(machine = runner_machine(&prover->runner, &c, &error)))
            check_report_last_error(&prover->reporter, &error);
        prover_explore(prover, &cases, &c, machine, false);
        peal_machine_destroy(machine);
    }
    cases_fini(&cases);
}
