/* SPDX-License-Identifier: MIT */
/* What a function does wrong with memory is found, at its line; near misses are not.  With gcc and clang, on threads
 * and fibers. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <peal/tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each way to compile and run. */
struct way {
    const char *compiler, *engine;
};

/* What is wrong is looked for in the first two of them. */
static const struct way ways[] = {
    {"gcc", "threads"},
#if FIBERS
    {"clang", "fibers"},
    {"gcc", "fibers"},
#endif
    {"clang", "threads"},
};
enum { WAYS = sizeof ways / sizeof *ways };

static bool
is_there(const char *compiler)
{
    char command[100];

    snprintf(command, sizeof command, "command -v %s > /dev/null 2>&1", compiler);
    return system(command) == 0;
}

/* The first line of the file that has the mark. */
static int
line_of(const char *path, const char *mark)
{
    char text[400];
    FILE *in = fopen(path, "r");
    int line = 1;

    cr_assert(in, "%s", path);
    while (fgets(text, sizeof text, in) && !strstr(text, mark))
        line++;
    fclose(in);
    return line;
}

static struct peal_verdict
check_file(const char *path, const char *collective, int nodes, const struct way *way)
{
    char symbol[40];
    struct peal_check check = {.file = path,
                               .symbol = symbol,
                               .compiler = way->compiler,
                               .engine = way->engine,
                               .nodes_from = 1,
                               .nodes_to = nodes,
                               .has_ports = true,
                               .ports = 1,
                               .timeout_seconds = 5};
    struct peal_verdict verdict;
    struct peal_error error;

    cr_assert(peal_collective_find(collective, &check.collective));
    snprintf(symbol, sizeof symbol, "my_%s", collective);
    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_assert_eq(verdict.error.status, PEAL_OK, "%s", verdict.error.text);
    return verdict;
}

struct wrong {
    char collective[20], file[32];
    enum peal_failure_kind kind;
    int nodes; /* the fewest that show it */
    char says[80];
};

ParameterizedTestParameters(memory, finds_the_kind_and_the_line_of_every_wrong_access)
{
    static struct wrong wrongs[] = {
        {"scatter", "reuses_send_buffer", PEAL_BUFFER_REUSE, 3, "its send to node 1"},
        {"scatter", "reads_before_wait", PEAL_EARLY_READ, 2, "node 1 reads word 0 of its `out`"},
        {"reduce", "combines_before_wait", PEAL_EARLY_READ, 2, "its receive from node 1"},
        {"scatter", "clears_awaited_buffer", PEAL_BUFFER_REUSE, 2, "node 1 writes word 0 of its `out`"},
        {"shift", "receives_into_send_buffer", PEAL_BUFFER_REUSE, 1, "receives into word 0 of its `out`"},
        {"broadcast", "sends_unwritten_stack", PEAL_UNINITIALISED_SEND, 2, "word 0 of them (its stack)"},
        {"broadcast", "sends_unwritten_block", PEAL_UNINITIALISED_SEND, 2, "with malloc at "},
        {"broadcast", "sends_unwritten_result", PEAL_UNINITIALISED_SEND, 3, "word 0 of node 1's `a`"},
        {"scatter", "reads_other_array", PEAL_PRIVATE_MEMORY, 2, "node 1 reads word 1 of node 0's `in`"},
        {"barrier", "writes_other_stack", PEAL_PRIVATE_MEMORY, 2, "node 0's stack"},
        {"barrier", "reads_other_global", PEAL_PRIVATE_MEMORY, 2, "node 0's copy of `counter`"},
        {"broadcast", "writes_literal", PEAL_PRIVATE_MEMORY, 1, "node 0 writes to a constant: string literals"},
        {"broadcast", "writes_table", PEAL_PRIVATE_MEMORY, 1, "node 0 writes the constant `table`, which is read-only"},
        {"broadcast", "receives_constant", PEAL_PRIVATE_MEMORY, 2, "receives into the constant `names`"},
        {"barrier", "writes_other_block", PEAL_PRIVATE_MEMORY, 2, "word 0 of the 4 words that node 0 allocated"},
        {"broadcast", "writes_beyond_block", PEAL_OUT_OF_BOUNDS, 1, "node 0 writes byte 0 of the 0 bytes"},
        {"barrier", "reads_before_block", PEAL_OUT_OF_BOUNDS, 1,
         "node 0 reads 1 word before the beginning of the 2 words that it allocated at"},
        {"barrier", "uses_freed_block", PEAL_OUT_OF_BOUNDS, 1, "and freed"},
        {"barrier", "frees_twice", PEAL_OUT_OF_BOUNDS, 1, "a second time"},
        {"broadcast", "leaves_memory", PEAL_LEAK, 2, "has not freed 1 block"},
        {"gather", "receives_beyond", PEAL_OUT_OF_BOUNDS, 2, "was sent words that went to byte"},
    };

    return cr_make_param_array(struct wrong, wrongs, sizeof wrongs / sizeof *wrongs);
}

ParameterizedTest(struct wrong *wrong, memory, finds_the_kind_and_the_line_of_every_wrong_access, .timeout = 120)
{
    char path[600];

    snprintf(path, sizeof path, "%s/%s.c", PROGRAMS, wrong->file);
    for (int i = 0; i < 2; i++) {
        if (!is_there(ways[i].compiler))
            continue;
        struct peal_verdict verdict = check_file(path, wrong->collective, 3, &ways[i]);
        const struct peal_finding *found = NULL;

        for (int j = 0; j < verdict.finding_count; j++)
            if (verdict.findings[j].kind == wrong->kind)
                found = &verdict.findings[j];
        cr_expect(found, "%s (%s, %s): not found as %s but %s %s", wrong->file, ways[i].compiler, ways[i].engine,
                  peal_failure_name(wrong->kind),
                  verdict.finding_count > 0 ? peal_failure_name(verdict.findings[0].kind) : "nothing",
                  verdict.finding_count > 0 ? verdict.findings[0].message : "");
        if (!found)
            continue;
        cr_expect_eq(found->where.nodes, wrong->nodes, "%s: P = %d", wrong->file, found->where.nodes);
        cr_expect(strstr(found->message, wrong->says), "%s (%s, %s): %s", wrong->file, ways[i].compiler, ways[i].engine,
                  found->message);
        cr_expect_str_eq(found->file, path);
        cr_expect_eq(found->line, line_of(path, "/* here */"), "%s (%s, %s): line %d", wrong->file, ways[i].compiler,
                     ways[i].engine, found->line);
    }
}

Test(memory, nothing_that_is_allowed_is_reported, .timeout = 120)
{
    for (int i = 0; i < WAYS; i++) {
        if (!is_there(ways[i].compiler))
            continue;
        struct peal_verdict verdict = check_file(PROGRAMS "/right_memory.c", "barrier", 5, &ways[i]);

        cr_expect(verdict.proved, "%s, %s: %s", ways[i].compiler, ways[i].engine,
                  verdict.finding_count > 0 ? verdict.findings[0].message : verdict.reason);
    }
}
