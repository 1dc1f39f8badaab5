/* SPDX-License-Identifier: MIT */
/* What nodes hold after each round: of every algorithm of the catalogue it begins with what nodes are given, every
 * block that a node has came from one that had it, and it ends with what the collective promises. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <peal/check.h>
#include <peal/tools.h>
#include <peal/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 1 << 22, NOTHING = -1, OTHER = -2 };

/* Run a collective and read the run back. */
static struct peal_record *
record(const struct peal_options *options, const struct peal_exercise *exercise)
{
    struct peal_error error = {PEAL_OK, ""};
    struct peal_machine *machine = peal_machine_create(options, &error);
    struct peal_outcome outcome;
    struct peal_record *run = NULL;
    char *text = NULL;
    size_t bytes = 0;

    cr_assert(machine, "%s", error.text);
    if (peal_exercise(machine, exercise, &outcome, &error) == PEAL_OK) {
        FILE *out = open_memstream(&text, &bytes);

        cr_assert_eq(peal_write_json(out, machine, &outcome, NULL, &error), PEAL_OK);
        fclose(out);
        run = peal_read_json("run", text, bytes, &error);
        cr_assert(run, "%s", error.text);
    }
    free(text);
    peal_machine_destroy(machine);
    return run;
}

/* The data that the run's nodes hold, as text; NULL with *error where it is unknown. */
static char *
holdings_text(const struct peal_record *run, const union peal_check_function *function, struct peal_error *error)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    enum peal_status status = peal_check_holdings(out, run, function, MAX, error);

    fclose(out);
    if (status == PEAL_OK)
        return text;
    cr_expect_eq(bytes, 0, "something was written");
    free(text);
    return NULL;
}

/* The strips of all nodes: numbers of labels, or texts of combinations. */
struct strips {
    int nodes, cells;
    bool sums;
    char **cell; /* the value as JSON; NULL nothing */
};

static void
change(struct strips *strips, json_t *changes, const char *what)
{
    size_t i;
    json_t *c;

    json_array_foreach(changes, i, c)
    {
        int node = (int)json_integer_value(json_array_get(c, 0)), first = (int)json_integer_value(json_array_get(c, 1));
        int count = (int)json_integer_value(json_array_get(c, 2));
        json_t *value = json_array_get(c, 3);

        cr_assert(json_array_size(c) == 4 && node >= 0 && node < strips->nodes && first >= 0 && count > 0 &&
                      first + count <= strips->cells,
                  "%s: a change that cannot be, or is marked: %s", what, json_dumps(c, JSON_COMPACT));
        /* In the middle of a run a block may be there in part: "parts" of sums, "1/2". */
        cr_assert(json_is_string(value) || (strips->sums ? json_is_array(value) : json_is_integer(value)), "%s: %s",
                  what, json_dumps(c, JSON_COMPACT));
        for (int k = 0; k < count; k++) {
            char **cell = &strips->cell[node * strips->cells + first + k];

            free(*cell);
            if (strips->sums || json_is_string(value))
                *cell = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
            else
                cr_assert(asprintf(cell, "%d", (int)json_integer_value(value) + k) > 0);
        }
    }
}

static struct strips
strips_of(const struct peal_record *run, json_t *document)
{
    struct strips strips = {.nodes = run->options.nodes,
                            .cells = (int)json_integer_value(json_object_get(document, "cells")),
                            .sums = strcmp(json_string_value(json_object_get(document, "kind")), "sum") == 0};

    strips.cell = calloc((size_t)(strips.nodes * strips.cells), sizeof *strips.cell);
    return strips;
}

static void
strips_fini(struct strips *strips)
{
    for (int i = 0; i < strips->nodes * strips->cells; i++)
        free(strips->cell[i]);
    free(strips->cell);
}

/* Every label that a node has after the round and had not before was at a node that sent to it in that round. */
static void
check_senders(const struct peal_record *run, const struct strips *before, const struct strips *after, size_t round,
              const char *what)
{
    const struct peal_round *made = peal_schedule_round(&run->schedule, round);

    for (int node = 0; node < after->nodes; node++)
        for (int cell = 0; cell < after->cells; cell++) {
            const char *label = after->cell[node * after->cells + cell];
            bool from_somewhere = !label || *label == '"';

            for (int own = 0; label && own < before->cells; own++) {
                const char *had = before->cell[node * before->cells + own];

                from_somewhere |= had && strcmp(had, label) == 0;
            }
            for (size_t i = made->first; label && i < made->first + made->count; i++)
                for (int theirs = 0; run->schedule.transfers[i].to == node && theirs < before->cells; theirs++) {
                    const char *had = before->cell[run->schedule.transfers[i].from * before->cells + theirs];

                    from_somewhere |= had && strcmp(had, label) == 0;
                }
            cr_expect(from_somewhere, "%s: round %zu: node %d has %s, and no node sent it", what, round + 1, node,
                      label);
        }
}

static void
check_run(const struct peal_record *run, const char *what)
{
    struct peal_error error;
    char *text = holdings_text(run, NULL, &error);

    cr_assert(text, "%s: %s", what, error.text);
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *rounds, *wanted;

    cr_assert(document, "%s: no JSON: %s", what, text);
    rounds = json_object_get(document, "rounds");
    wanted = json_object_get(document, "wanted");
    cr_expect_eq(json_array_size(rounds), run->schedule.round_count, "%s", what);
    struct strips strips = strips_of(run, document), before = strips_of(run, document), goal = strips_of(run, document);

    change(&strips, json_object_get(document, "start"), what);
    for (size_t i = 0; i < json_array_size(rounds); i++) {
        for (int k = 0; k < strips.nodes * strips.cells; k++) {
            free(before.cell[k]);
            before.cell[k] = strips.cell[k] ? strdup(strips.cell[k]) : NULL;
        }
        change(&strips, json_array_get(rounds, i), what);
        /* Of eager messages the sender's round is an earlier one; the end of an all-to-all is laid out anew. */
        if (!strips.sums && !run->options.eager)
            check_senders(run, &before, &strips, i, what);
    }
    change(&goal, wanted, what);
    for (int k = 0; k < goal.nodes * goal.cells; k++)
        if (goal.cell[k])
            cr_expect(strips.cell[k] && strcmp(strips.cell[k], goal.cell[k]) == 0,
                      "%s: node %d cell %d ends as %s, not %s\n%s", what, k / goal.cells, k % goal.cells,
                      strips.cell[k] ? strips.cell[k] : "nothing", goal.cell[k], text);
    strips_fini(&strips);
    strips_fini(&before);
    strips_fini(&goal);
    json_decref(document);
    free(text);
}

/* Gives whether it fits there. */
static bool
check_algorithm(const struct peal_algorithm *algorithm, int nodes, size_t words, const size_t *sizes, bool eager)
{
    struct peal_exercise exercise = {.collective = algorithm->collective,
                                     .algorithm = algorithm->name,
                                     .words = words,
                                     .root = peal_collective_has_root(algorithm->collective) ? nodes / 2 : 0,
                                     .by = 1,
                                     .sizes = sizes,
                                     .size_count = sizes ? 3 : 0};
    struct peal_options options;
    char what[120];

    peal_options_init(&options);
    options.nodes = nodes;
    options.eager = eager;
    options.eager_words = 64;
    if (algorithm->needs.kinds)
        options.topology = strstr(algorithm->needs.kinds, "hypercube") ? "hypercube"
                           : strstr(algorithm->needs.kinds, "ring")    ? "ring"
                                                                       : "mesh";
    if (options.topology[0] == 'h' && (nodes & (nodes - 1)))
        return false;
    if (algorithm->needs.ports)
        options.ports = algorithm->needs.ports;
    struct peal_record *run = record(&options, &exercise);

    if (!run)
        return false; /* it does not fit here */
    snprintf(what, sizeof what, "%s/%s, %d nodes, %zu words%s%s", peal_collective_name(algorithm->collective),
             algorithm->name, nodes, words, sizes ? ", unequal" : "", eager ? ", eager" : "");
    check_run(run, what);
    peal_record_destroy(run);
    return true;
}

Test(holdings, of_every_algorithm_end_as_its_collective_promises, .timeout = 120)
{
    static const size_t sizes[] = {3, 0, 5};
    const struct peal_algorithm *algorithm;
    int i = 0, runs = 0;

    for (; (algorithm = peal_algorithm_get(i)); i++)
        for (int nodes = 1; nodes <= 9 && algorithm->collective != PEAL_BARRIER; nodes++) {
            size_t words = peal_collective_has_blocks(algorithm->collective) ? 2 : (size_t)(3 * nodes);

            runs += check_algorithm(algorithm, nodes, words, NULL, false);
            if (nodes == 5 || nodes == 8) {
                check_algorithm(algorithm, nodes, words, NULL, true);
                if (peal_collective_has_blocks(algorithm->collective))
                    check_algorithm(algorithm, nodes, words, sizes, false);
            }
        }
    cr_expect_gt(runs, 5 * i, "only %d runs of %d algorithms", runs, i);
}

static char *
text_of(enum peal_collective collective, const char *algorithm, int nodes, size_t words)
{
    struct peal_exercise exercise = {.collective = collective, .algorithm = algorithm, .words = words, .by = 1};
    struct peal_options options;
    struct peal_error error = {PEAL_OK, ""};

    peal_options_init(&options);
    options.nodes = nodes;
    struct peal_record *run = record(&options, &exercise);
    char *text = holdings_text(run, NULL, &error);

    cr_assert(text, "%s", error.text);
    peal_record_destroy(run);
    return text;
}

Test(holdings, of_a_scatter_are_the_halves_of_the_strip)
{
    char *text = text_of(PEAL_SCATTER, "binomial", 4, 3);

    cr_expect_str_eq(text, "{\"kind\": \"copy\", \"cells\": 4, \"cell_words\": 3, \"label\": \"number\",\n"
                           "\"start\": [[0,0,4,0]],\n"
                           "\"rounds\": [\n[[2,2,2,2]],\n[[1,1,1,1],[3,3,1,3]]],\n"
                           "\"wanted\": [[0,0,1,0],[1,1,1,1],[2,2,1,2],[3,3,1,3]],\n"
                           "\"leaves\": [[],[[0,2,1],[0,3,1]],[[0,1,1],[2,3,1]]]}\n");
    free(text);
}

Test(holdings, of_an_allreduce_are_its_partial_sums)
{
    char *text = text_of(PEAL_ALLREDUCE, "recursive-doubling", 4, 5);

    cr_expect_str_eq(text, "{\"kind\": \"sum\", \"cells\": 1, \"cell_words\": 5, \"label\": \"number\",\n"
                           "\"start\": [[0,0,1,[0,0]],[1,0,1,[1,1]],[2,0,1,[2,2]],[3,0,1,[3,3]]],\n"
                           "\"rounds\": [\n[[0,0,1,[0,1]],[1,0,1,[0,1]],[2,0,1,[2,3]],[3,0,1,[2,3]]],\n"
                           "[[0,0,1,[0,3]],[1,0,1,[0,3]],[2,0,1,[0,3]],[3,0,1,[0,3]]]],\n"
                           "\"wanted\": [[0,0,1,[0,3]],[1,0,1,[0,3]],[2,0,1,[0,3]],[3,0,1,[0,3]]]}\n");
    free(text);
}

Test(holdings, of_long_blocks_and_vectors_take_few_words)
{
    char *text = text_of(PEAL_ALLGATHER, "ring", 4, 1000000);

    cr_expect(strstr(text, "\"cell_words\": 1000000,"));
    free(text);
    text = text_of(PEAL_ALLREDUCE, "reduce-scatter-allgather", 4, 4000000);
    cr_expect(strstr(text, "\"cells\": 4,"), "%s", text);
    free(text);
}

/* Functions that leave something wrong. */
static void
scatter_that_forgets_the_last(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    if (peal_rank(me) == root)
        for (int i = 0; i < peal_size(me); i++) {
            if (i == root)
                memcpy(out, peal_block((const uint64_t *)in, m, i), m * sizeof(uint64_t));
            else
                peal_send(me, peal_block((uint64_t *)(uintptr_t)in, m, i), m, i);
        }
    else {
        uint64_t *t = peal_alloc(me, m);

        peal_recv(me, t, m, root);
        if (peal_rank(me) < peal_size(me) - 1)
            memcpy(out, t, m * sizeof *t);
    }
}

static void
allreduce_that_is_late(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    uint64_t *t = peal_alloc(me, n);
    int partner = peal_rank(me) ^ 1;

    peal_sendrecv(me, a, n, partner, t, n, partner);
    if (peal_rank(me) == 0)
        op->combine(a, t, a, n);
}

Test(holdings, that_are_wrong_or_never_came_are_marked)
{
    union peal_check_function scatter = {.scatter = scatter_that_forgets_the_last};
    union peal_check_function allreduce = {.allreduce = allreduce_that_is_late};
    struct peal_exercise exercise = {.collective = PEAL_SCATTER, .algorithm = "linear", .words = 2};
    struct peal_options options;
    struct peal_error error = {PEAL_OK, ""};

    peal_options_init(&options);
    options.nodes = 3;
    struct peal_record *run = record(&options, &exercise);
    char *text = holdings_text(run, &scatter, &error);

    cr_assert(text, "%s", error.text);
    cr_expect(strstr(text, "[[2,2,1,2],[2,2,1,null,\"never\"]]],\n\"wanted\""), "%s", text);
    free(text);
    peal_record_destroy(run);
    options.nodes = 2;
    exercise = (struct peal_exercise){.collective = PEAL_ALLREDUCE, .algorithm = "recursive-doubling", .words = 2};
    run = record(&options, &exercise);
    text = holdings_text(run, &allreduce, &error);
    cr_assert(text, "%s", error.text);
    cr_expect(strstr(text, "[[[0,0,1,[0,1]],[1,0,1,[1,1],\"wrong\"]]],\n\"wanted\"") ||
                  strstr(text, "[\n[[0,0,1,[0,1]],[1,0,1,[1,1],\"wrong\"]]],\n\"wanted\""),
              "%s", text);
    free(text);
    peal_record_destroy(run);
}

static void
cannot_tell(struct peal_record *run, const char *why)
{
    struct peal_error error = {PEAL_OK, ""};
    char *text = holdings_text(run, NULL, &error);

    cr_expect(!text && error.status == PEAL_USAGE && strstr(error.text, why), "%s", text ? text : error.text);
    free(text);
    peal_record_destroy(run);
}

Test(holdings, that_cannot_be_shown_are_refused_with_the_reason)
{
    struct peal_options options;
    struct peal_exercise barrier = {.collective = PEAL_BARRIER}, none = {.collective = PEAL_BROADCAST, .words = 0};
    struct peal_exercise scatter = {.collective = PEAL_SCATTER, .words = 2};
    struct peal_record *run;

    peal_options_init(&options);
    options.nodes = 4;
    cannot_tell(record(&options, &barrier), "a barrier moves no words");
    cannot_tell(record(&options, &none), "there are no words");
    run = record(&options, &scatter);
    free(run->collective);
    run->collective = NULL;
    cannot_tell(run, "it is a program");
    run = record(&options, &scatter);
    run->schedule.transfers[0].to = 3;
    cannot_tell(run, "other rounds than recorded");
    run = record(&options, &scatter);
    free(run->algorithm);
    run->algorithm = strdup("nonsense");
    cannot_tell(run, "nonsense");
}

#ifndef __SANITIZE_ADDRESS__ /* which has a calloc of its own */
static long calls, failing_call = -1;

void *__libc_calloc(size_t count, size_t bytes);
__attribute__((visibility("default"))) void *
calloc(size_t count, size_t bytes)
{
    return calls++ == failing_call ? NULL : __libc_calloc(count, bytes);
}

Test(holdings, without_memory_for_what_leaves_are_refused)
{
    struct peal_options options;
    struct peal_exercise exercise = {.collective = PEAL_SCATTER, .words = 2};
    struct peal_error error = {PEAL_OK, ""};

    peal_options_init(&options);
    options.nodes = 4;
    struct peal_record *run = record(&options, &exercise);
    char *text = NULL;

    for (int i = 0; i < 2; i++) { /* the first time more is allocated */
        free(text);
        calls = 0;
        text = holdings_text(run, NULL, &error);
        cr_assert(text && strstr(text, "\"leaves\""), "%s", text ? text : error.text);
    }
    free(text);
    for (int made = calls, last = 3; last > 0; last--) { /* theirs are among the last lists */
        failing_call = made - last;
        calls = 0;
        text = holdings_text(run, NULL, &error);
        cr_expect(!text && error.status == PEAL_RESOURCES, "%s", text ? text : error.text);
        free(text);
    }
    peal_record_destroy(run);
}
#endif
