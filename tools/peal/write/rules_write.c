/* SPDX-License-Identifier: MIT */
/* Writes the choices of a filled sweep as rules for the module tuned of Open MPI. */
#include "lib/study/figures.h"
#include "show/sweep_show.h"
#include <stdlib.h>
#include <string.h>

/* The number that Open MPI's file gives the collective; -1: it has no rules for it. */
static int
collective_number(enum peal_collective collective)
{
    static const struct {
        enum peal_collective collective;
        int number;
    } numbers[] = {{PEAL_ALLGATHER, 0}, {PEAL_ALLREDUCE, 2}, {PEAL_ALLTOALL, 3},        {PEAL_BROADCAST, 7},
                   {PEAL_GATHER, 9},    {PEAL_REDUCE, 11},   {PEAL_REDUCE_SCATTER, 12}, {PEAL_SCATTER, 15}};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].collective == collective)
            return numbers[i].number;
    return -1;
}

/* The algorithm's namesake in Open MPI; NULL: it has none. */
static const struct namesake *
find_tuned(const struct trial_grid *grid, const struct trial *trial)
{
    const struct namesake *n;

    for (int i = 0; (n = peal_namesake_get(i)); i++) {
        size_t length = strcspn(n->ours, ":");

        if (n->tuned > 0 && n->collective == grid->candidates.collective &&
            strncmp(n->ours, trial->algorithm->name, length) == 0 && trial->algorithm->name[length] == '\0' &&
            (n->ours[length] == '\0' || trial->parameter == atoi(n->ours + length + 1)))
            return n;
    }
    return NULL;
}

/* The cheapest algorithm of a point that Open MPI has; NULL: it has none of them. */
static const struct namesake *
rules_choose(const struct trial_grid *grid, const struct point_result *point)
{
    const struct namesake *best = NULL;
    double least = 0;

    for (int i = 0; i < grid->candidates.count; i++) {
        const struct trial *trial = &point->trials[i];
        const struct namesake *tuned = peal_trial_counts(trial) ? find_tuned(grid, trial) : NULL;
        double time = tuned ? peal_cost_time(peal_trial_cost(trial), grid->options.parameters) : 0;

        if (tuned && (!best || time < least))
            least = time, best = tuned;
    }
    return best;
}

/* The bytes that a rule of Open MPI compares: of the vector, or of all blocks. */
static size_t
rule_bytes(const struct trial_grid *grid, const struct point_result *point)
{
    size_t blocks = peal_collective_has_blocks(grid->candidates.collective) ? (size_t)point->situation.nodes : 1;

    return point->situation.words * blocks * grid->options.word_bytes;
}

/* Write the rules of a number of nodes, or count them: sizes at which the choice changes. */
static int
write_column(FILE *out, const struct trial_grid *grid, size_t column)
{
    const struct namesake *last = NULL;
    int count = 0;

    for (size_t i = 0; i < grid->size_count; i++) {
        const struct point_result *point = peal_grid_point(grid, column, i);
        const struct namesake *n = rules_choose(grid, point);

        if (!n || n == last)
            continue;
        if (out)
            fprintf(out, "%zu %d 0 0 # %s\n", count == 0 ? 0 : rule_bytes(grid, point), n->tuned, n->ours);
        count++;
        last = n;
    }
    return count;
}

enum peal_status
rules_write(FILE *out, const void *what, struct peal_error *error)
{
    const struct trial_grid *grid = what;
    const char *name = peal_collective_name(grid->candidates.collective);
    int number = collective_number(grid->candidates.collective), columns = 0;

    for (size_t i = 0; i < grid->column_count; i++)
        columns += write_column(NULL, grid, i) > 0;
    if (number < 0 || columns == 0)
        return peal_refuse(error, PEAL_USAGE, "Open MPI's module tuned has %s",
                           number < 0 ? "no rules for this collective" : "none of these algorithms");
    fprintf(out,
            "# Made by peal sweep %s, on %s, for Open MPI 4.1 and 5.0:\n"
            "# mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename THIS_FILE\n"
            "1 # collective\n%d # its number: %s\n%d # numbers of processes\n",
            name, grid->options.topology, number, name, columns);
    for (size_t i = 0; i < grid->column_count; i++) {
        int count = write_column(NULL, grid, i);

        if (count == 0)
            continue;
        fprintf(out, "%d # processes\n%d # rules: from so many bytes this algorithm, tree and segment as usual\n",
                grid->columns[i].nodes, count);
        write_column(out, grid, i);
    }
    return PEAL_OK;
}
