/* SPDX-License-Identifier: MIT */
/* Schedules from files: read, judged, run, written and read again. */
#include "lib/plan/plan.h"
#include <criterion/criterion.h>
#include <peal/tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Read one of the files of this folder; `find` is replaced by `with`, once, unless NULL. */
static struct peal_plan *
read_changed(const char *name, const char *find, const char *with, struct peal_error *error)
{
    char path[500], *text = calloc(1, 1 << 16), *at;
    FILE *file;
    struct peal_plan *plan;

    snprintf(path, sizeof path, "%s/%s", getenv("PLAN_FILES"), name);
    file = fopen(path, "r");
    cr_assert(file, "%s", path);
    cr_assert_gt(fread(text, 1, (1 << 16) - 1000, file), 0);
    fclose(file);
    if (find) {
        at = strstr(text, find);
        cr_assert(at, "%s is not in %s", find, name);
        memmove(at + strlen(with), at + strlen(find), strlen(at + strlen(find)) + 1);
        memcpy(at, with, strlen(with));
    }
    plan = peal_plan_read(name, text, strlen(text), error);
    free(text);
    return plan;
}

static struct peal_plan_verdict
judge(struct peal_plan *plan, const char *topology)
{
    struct peal_plan_verdict verdict;
    struct peal_error error = {PEAL_OK, ""};
    struct peal_network *network = topology ? peal_network_create(topology, plan->nodes, NULL, &error) : NULL;

    cr_assert_eq(error.status, PEAL_OK, "%s", error.text);
    cr_assert_eq(peal_plan_judge(plan, network, &verdict, &error), PEAL_OK, "%s", error.text);
    peal_network_destroy(network);
    return verdict;
}

/* ------------------------------------------------------------------ right ones */

Test(plan, a_right_schedule_is_proved, .timeout = 10)
{
    const char *const names[] = {"ring.xml", "exchange.xml"};

    for (size_t i = 0; i < 2; i++) {
        struct peal_error error = {PEAL_OK, ""};
        struct peal_plan *plan = read_changed(names[i], NULL, NULL, &error);

        cr_assert(plan, "%s", error.text);
        struct peal_plan_verdict verdict = judge(plan, NULL);

        cr_expect(verdict.proved, "%s: %s", names[i], verdict.findings[0].message);
        cr_expect_eq(verdict.levels, i == 0 ? 3 : 1);
        peal_plan_destroy(plan);
    }
}

/* ------------------------------------------------------------------ wrong ones */

struct change {
    const char *file, *find, *with;
    enum peal_plan_kind kind;
    const char *says;
};

Test(plan, a_changed_schedule_is_found_wrong, .timeout = 20)
{
    static const struct change changes[] = {
        {"ring.xml", "type=\"rcs\" srcbuf=\"o\" srcoff=\"3\" dstbuf=\"o\" dstoff=\"3\"",
         "type=\"rcs\" srcbuf=\"o\" srcoff=\"3\" dstbuf=\"o\" dstoff=\"1\"", PEAL_PLAN_WRONG,
         "chunk 3 of the output of node 0"},
        {"ring.xml", "send=\"1\" recv=\"3\"", "send=\"2\" recv=\"3\"", PEAL_PLAN_DEADLOCK,
         "waits for a message that is never sent"},
        {"ring.xml", "<step s=\"3\" type=\"r\"", "<step s=\"3\" type=\"nop\"", PEAL_PLAN_UNMATCHED,
         "never receives it"},
        {"ring.xml", "dstoff=\"0\" cnt=\"1\"", "dstoff=\"0\" cnt=\"2\"", PEAL_PLAN_LENGTH, "sends 2 chunks"},
        {"exchange.xml", "depid=\"0\" deps=\"0\"", "depid=\"-1\" deps=\"-1\"", PEAL_PLAN_RACE,
         "and nothing orders the two"},
        {"exchange.xml", "type=\"re\"", "type=\"cpy\"", PEAL_PLAN_WRONG, "chunk 0 of the output of node 0"},
        {"exchange.xml", "cnt=\"2\" depid=\"-1\" deps=\"-1\" hasdep=\"1\"",
         "cnt=\"2\" depid=\"1\" deps=\"0\" hasdep=\"1\"", PEAL_PLAN_KINDS, ""}, /* one node answers: still right */
    };

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const struct change *c = &changes[i];
        struct peal_error error = {PEAL_OK, ""};
        struct peal_plan *plan = read_changed(c->file, c->find, c->with, &error);
        bool found = c->kind == PEAL_PLAN_KINDS;

        cr_assert(plan, "%zu: %s", i, error.text);
        struct peal_plan_verdict verdict = judge(plan, NULL);

        for (int f = 0; f < verdict.finding_count; f++)
            found |= verdict.findings[f].kind == c->kind && strstr(verdict.findings[f].message, c->says);
        cr_expect(found, "%zu: %d findings, %s", i, verdict.finding_count, verdict.findings[0].message);
        cr_expect_eq(verdict.proved, c->kind == PEAL_PLAN_KINDS, "%zu", i);
        peal_plan_destroy(plan);
    }
}

Test(plan, two_blocks_that_wait_for_each_other_are_a_deadlock_with_its_cycle, .timeout = 10)
{
    struct peal_error error = {PEAL_OK, ""};
    struct peal_plan *plan = read_changed("exchange.xml", "cnt=\"2\" depid=\"-1\" deps=\"-1\" hasdep=\"1\"",
                                          "cnt=\"2\" depid=\"1\" deps=\"1\" hasdep=\"1\"", &error);

    cr_assert(plan, "%s", error.text);
    struct peal_plan_verdict verdict = judge(plan, NULL);

    cr_assert_eq(verdict.finding_count, 1);
    cr_expect_eq(verdict.findings[0].kind, PEAL_PLAN_DEADLOCK);
    cr_expect(strstr(verdict.findings[0].message, "node 0, block 0, step 0 (line 4) waits for"), "%s",
              verdict.findings[0].message);
    cr_expect(strstr(verdict.findings[0].message, "that for the first"), "%s", verdict.findings[0].message);
    peal_plan_destroy(plan);
}

Test(plan, a_message_without_a_link_is_named, .timeout = 10)
{
    struct peal_error error = {PEAL_OK, ""};
    struct peal_plan *plan = read_changed("ring.xml", NULL, NULL, &error);
    struct peal_plan_verdict verdict = judge(plan, "line:4");

    cr_assert_eq(verdict.finding_count, 2); /* and that all nodes send first */
    cr_expect_eq(verdict.findings[1].kind, PEAL_PLAN_NOT_A_LINK);
    cr_expect(strstr(verdict.findings[1].message, "line:4 has no link from 3 to 0"), "%s", verdict.findings[1].message);
    cr_expect(judge(plan, "ring:4").finding_count == 1);
    peal_plan_destroy(plan);
}

/* ------------------------------------------------------------------ bad files */

Test(plan, a_bad_file_is_refused_with_its_line, .timeout = 10)
{
    static const struct {
        const char *find, *with, *says;
    } changes[] = {
        {"type=\"rcs\"", "type=\"rxs\"", "ring.xml, line 5: type of <step> is 'rxs': expected s, r,"},
        {"srcbuf=\"o\"", "srcbuf=\"x\"", "ring.xml, line 4: srcbuf of <step> is 'x': expected i, o or s"},
        {"srcoff=\"0\"", "srcoff=\"4\"", "ring.xml, line 4: the source is chunk 4 and 1 in all: the output of node 0"},
        {"send=\"1\"", "send=\"4\"", "ring.xml, line 3: send of <tb> is '4': expected a number from -1 to 3"},
        {"<step s=\"1\"", "<step s=\"2\"", "ring.xml, line 5: s of <step> is 2: expected 1"},
        {"depid=\"-1\" deps=\"-1\"", "depid=\"7\" deps=\"0\"", "ring.xml, line 4: gpu 0 has no tb 7"},
        {"depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"9\"", "line 4: tb 0 of gpu 0 has 4 steps"},
        {"id=\"1\" i_chunks", "id=\"0\" i_chunks", "line 10: duplicate gpu 0"},
        {"ngpus=\"4\"", "ngpus=\"5\"", "gpu 4 is missing: ngpus is 5"},
        {"cnt=\"1\"", "", "line 4: <step> has no attribute 'cnt'"},
        {"</gpu>", "</gqu>", "line 9: mismatched tag"},
        {"<tb ", "<bt ", "line 3: unknown element <bt>: expected <tb>"},
        {"recv=\"3\"", "recv=\"-1\"", "line 5: the step receives, and its block has no node to receive from"},
    };

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct peal_error error = {PEAL_OK, ""};
        struct peal_plan *plan = read_changed("ring.xml", changes[i].find, changes[i].with, &error);

        cr_expect(!plan, "%zu", i);
        cr_expect_eq(error.status, PEAL_USAGE);
        cr_expect(strstr(error.text, changes[i].says), "%zu: %s", i, error.text);
        peal_plan_destroy(plan);
    }
}

/* ------------------------------------------------------------------ running */

Test(plan, a_loaded_schedule_runs_as_an_algorithm, .timeout = 20)
{
    const char *const names[] = {"ring.xml", "exchange.xml"};

    for (size_t i = 0; i < 2; i++) {
        struct peal_error error = {PEAL_OK, ""};
        struct peal_plan *plan = read_changed(names[i], NULL, NULL, &error);
        struct peal_options options;
        struct peal_outcome outcome;

        judge(plan, NULL);
        peal_options_init(&options);
        options.nodes = plan->nodes;
        const struct peal_algorithm *algorithm = peal_plan_load(plan, names[i], &error);
        struct peal_machine *machine = peal_machine_create(&options, &error);

        cr_assert(algorithm && machine, "%s", error.text);
        cr_expect_eq(peal_plan_of(algorithm), plan);
        struct peal_exercise exercise = {.collective = algorithm->collective, .algorithm = names[i], .words = 6};

        cr_assert_eq(peal_exercise(machine, &exercise, &outcome, &error), PEAL_OK, "%s", error.text);
        cr_expect(outcome.verified);
        struct peal_cost cost = peal_machine_cost(machine);

        cr_expect_eq(cost.alpha,
                     i == 0 ? 3 : 1); /* a ring takes P - 1 rounds of a block, an exchange one of the vector */
        cr_expect_eq(cost.beta, i == 0 ? 18 : 6);
        peal_machine_destroy(machine);
        peal_algorithm_unload(algorithm);
    }
}

Test(plan, a_schedule_fits_only_its_own_numbers, .timeout = 10)
{
    struct peal_error error = {PEAL_OK, ""};
    const struct peal_algorithm *algorithm =
        peal_plan_load(read_changed("exchange.xml", NULL, NULL, &error), "exchange.xml", &error);
    struct peal_situation situation = {.collective = PEAL_ALLREDUCE, .nodes = 3, .words = 4, .ports = 1};

    cr_expect_eq(peal_algorithm_fits(algorithm, &situation, &error), PEAL_USAGE);
    cr_expect(strstr(error.text, "is for exactly 2 nodes, not 3"), "%s", error.text);
    situation.nodes = 2;
    situation.words = 5;
    cr_expect_eq(peal_algorithm_fits(algorithm, &situation, &error), PEAL_USAGE);
    cr_expect(strstr(error.text, "needs a multiple of 2 words, not 5: 6 would fit"), "%s", error.text);
    situation.words = 4;
    cr_expect_eq(peal_algorithm_fits(algorithm, &situation, &error), PEAL_OK);
    peal_algorithm_unload(algorithm);
}

/* ------------------------------------------------------------------ writing */

Test(plan, a_written_plan_is_read_back_equal, .timeout = 10)
{
    const char *const names[] = {"ring.xml", "exchange.xml"};

    for (size_t i = 0; i < 2; i++) {
        struct peal_error error = {PEAL_OK, ""};
        struct peal_plan *plan = read_changed(names[i], NULL, NULL, &error), *again;
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);

        cr_assert_eq(peal_plan_write_msccl(out, plan, &error), PEAL_OK, "%s", error.text);
        fclose(out);
        again = peal_plan_read("again", text, bytes, &error);
        cr_assert(again, "%s", error.text);
        cr_assert_eq(again->step_count, plan->step_count);
        cr_assert_eq(again->need_count, plan->need_count);
        cr_expect_eq(again->chunks, plan->chunks);
        cr_expect_eq(again->collective, plan->collective);
        for (size_t s = 0; s < plan->step_count; s++) {
            struct peal_plan_step a = plan->steps[s], b = again->steps[s];

            a.line = b.line;
            cr_expect_eq(memcmp(&a, &b, sizeof a), 0, "%s, step %zu", names[i], s);
        }
        free(text);
        peal_plan_destroy(plan);
        peal_plan_destroy(again);
    }
}

/* ------------------------------------------------------------------ TE-CCL */

Test(plan, flows_in_epochs_are_a_schedule, .timeout = 10)
{
    static const struct {
        const char *name;
        enum peal_collective collective;
        int chunks, levels;
    } files[] = {{"gather.json", PEAL_ALLGATHER, 1, 2}, {"exchange.json", PEAL_ALLTOALL, 2, 2}};

    for (size_t i = 0; i < 2; i++) {
        struct peal_error error = {PEAL_OK, ""};
        struct peal_plan *plan = read_changed(files[i].name, NULL, NULL, &error);

        cr_assert(plan, "%s", error.text);
        struct peal_plan_verdict verdict = judge(plan, NULL);

        cr_expect(verdict.proved, "%s: %s", files[i].name, verdict.findings[0].message);
        cr_expect_eq(plan->collective, files[i].collective);
        cr_expect_eq(plan->nodes, 3);
        cr_expect_eq(plan->chunks, files[i].chunks);
        cr_expect_eq(verdict.levels, files[i].levels);
        peal_plan_destroy(plan);
    }
}

Test(plan, changed_flows_are_found_wrong, .timeout = 10)
{
    static const struct change changes[] = {
        {"gather.json", "Chunk 0 from 4 traveled over 2->1 in epoch 1", "Chunk 0 from 1 traveled over 2->1 in epoch 1",
         PEAL_PLAN_WRONG, "chunk 2 of the output of node 0"},
        {"gather.json", "Chunk 0 from 1 traveled over 2->4 in epoch 1", "Chunk 0 from 1 traveled over 2->4 in epoch 0",
         PEAL_PLAN_RACE, "and nothing orders the two"},
    };

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const struct change *c = &changes[i];
        struct peal_error error = {PEAL_OK, ""};
        struct peal_plan *plan = read_changed(c->file, c->find, c->with, &error);
        bool found = false;

        cr_assert(plan, "%zu: %s", i, error.text);
        struct peal_plan_verdict verdict = judge(plan, NULL);

        for (int f = 0; f < verdict.finding_count; f++)
            found |= verdict.findings[f].kind == c->kind && strstr(verdict.findings[f].message, c->says);
        cr_expect(found, "%zu: %d findings, %s", i, verdict.finding_count, verdict.findings[0].message);
        cr_expect_not(verdict.proved);
        peal_plan_destroy(plan);
    }
}

Test(plan, bad_flows_are_refused_with_their_line, .timeout = 10)
{
    static const struct change changes[] = {
        {"gather.json", "traveled over 2->1 in epoch 0", "went over 2->1 in epoch 0", PEAL_PLAN_KINDS,
         "gather.json, line 9: expected \"Chunk C from S traveled over U->V in epoch E\""},
        {"gather.json", "2->1 in epoch 0", "2->1", PEAL_PLAN_KINDS, "line 9: expected a volume up to 1, and an epoch"},
        {"gather.json", "from 2 traveled over 2->1", "from 2 traveled over 2->5000", PEAL_PLAN_KINDS,
         "line 9: GPUs are 0 to 1023"},
        {"gather.json", "\"8-Chunk paths\"", "\"8-Chunk pathways\"", PEAL_PLAN_KINDS,
         "expected the members \"7-Flows\""},
        {"gather.json", "Demand at 2", "Wanted at 2", PEAL_PLAN_KINDS, "expected \"Demand at D for chunk C from S\""},
        {"exchange.json", "from 0 traveled over 0->2 with", "from 0 traveled over 2->0 with", PEAL_PLAN_KINDS,
         "a path goes from node 0 to node 2 in epoch 0, and no flow does"},
        {"gather.json", "\"7-Flows\": [", "\"7-Flows\": ", PEAL_PLAN_KINDS, "gather.json, line 9:"},
    };

    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct peal_error error = {PEAL_OK, ""};
        struct peal_plan *plan = read_changed(changes[i].file, changes[i].find, changes[i].with, &error);

        cr_expect(!plan, "%zu", i);
        cr_expect_eq(error.status, PEAL_USAGE);
        cr_expect(strstr(error.text, changes[i].says), "%zu: %s", i, error.text);
        peal_plan_destroy(plan);
    }
}

/* Where paths share a link, TE-CCL lists the flow once, with the volume of the last path: the paths count. */
Test(plan, a_flow_may_carry_less_than_its_paths, .timeout = 10)
{
    struct peal_error error = {PEAL_OK, ""};
    struct peal_plan *plan =
        read_changed("exchange.json", "0->2 with volume 0.5 in", "0->2 with volume 0.25 in", &error);

    cr_assert(plan, "%s", error.text);
    cr_expect(judge(plan, NULL).proved);
    peal_plan_destroy(plan);
}

/* ------------------------------------------------------------------ without data */

static struct peal_plan *
read_goal(const char *ranks)
{
    struct peal_error error = {PEAL_OK, ""};
    char text[1000];
    struct peal_plan *plan;

    snprintf(text, sizeof text, "num_ranks 3\n%s", ranks);
    plan = peal_plan_read("goal", text, strlen(text), &error);
    cr_assert(plan, "%s", error.text);
    return plan;
}

Test(goal, irequires_waits_for_what_the_other_one_requires, .timeout = 10)
{
    /* c begins with b, hence after a; with `requires` in its place, c waits for b, which is received after c is done */
    static const char *const ranks = "rank 0 {\na: recv 8b from 1 tag 1\nb: send 8b to 2 tag 2\nb requires a\n"
                                     "c: send 8b to 2 tag 3\nc irequires b\n}\n"
                                     "rank 1 { send 8b to 0 tag 1 }\n"
                                     "rank 2 {\nx: recv 8b from 0 tag 3\ny: recv 8b from 0 tag 2\ny requires x\n}\n";
    struct peal_plan *plan = read_goal(ranks);
    struct peal_plan_verdict verdict = judge(plan, NULL);

    cr_expect_eq(verdict.finding_count, 0, "%s", verdict.findings[0].message);
    cr_expect_eq(plan->need_count, 3);
    peal_plan_destroy(plan);

    char changed[1000], *at;
    snprintf(changed, sizeof changed, "%s", ranks);
    at = strstr(changed, "irequires");
    memmove(at, at + 1, strlen(at));
    plan = read_goal(changed);
    verdict = judge(plan, NULL);
    cr_expect_eq(verdict.findings[0].kind, PEAL_PLAN_UNBUFFERED);
    cr_expect(plan->copied);
    peal_plan_destroy(plan);
}

Test(goal, messages_with_one_tag_meet_in_the_order_in_which_they_begin, .timeout = 10)
{
    /* the second send of the file goes first */
    struct peal_plan *plan = read_goal("rank 0 {\nl1: send 8b to 1\nl2: send 16b to 1\nl1 requires l2\n}\n"
                                       "rank 1 {\nl1: recv 16b from 0\nl2: recv 8b from 0\nl2 requires l1\n}\n");
    struct peal_plan_verdict verdict = judge(plan, NULL);

    cr_expect_eq(verdict.finding_count, 0, "%s", verdict.findings[0].message);
    cr_expect_eq(plan->steps[0].line, 4);
    peal_plan_destroy(plan);
}

Test(goal, delivery_needs_a_chain_of_messages_in_the_right_order, .timeout = 10)
{
    /* node 1 sends on before it has received */
    struct peal_plan *plan =
        read_goal("rank 0 { send 8b to 1 tag 1 }\nrank 1 {\ns: send 8b to 2 tag 1\nr: recv 8b from 0 tag 1\n"
                  "r requires s\n}\nrank 2 { recv 8b from 1 tag 1 }\n");
    struct peal_plan_verdict verdict = judge(plan, NULL);
    struct peal_error error = {PEAL_OK, ""};

    cr_assert_eq(verdict.finding_count, 0, "%s", verdict.findings[0].message);
    cr_assert_eq(peal_plan_deliver(plan, PEAL_BROADCAST, 0, 8, &verdict, &error), PEAL_OK);
    cr_assert_eq(verdict.finding_count, 1);
    cr_expect_eq(verdict.findings[0].kind, PEAL_PLAN_WRONG);
    cr_expect(strstr(verdict.findings[0].message, "node 2 gets words of node 0"), "%s", verdict.findings[0].message);
    cr_expect_eq(peal_plan_deliver(plan, PEAL_BROADCAST, 3, 8, &verdict, &error), PEAL_USAGE);
    peal_plan_destroy(plan);
}

Test(goal, a_run_keeps_the_order_and_makes_rounds_of_zeros, .timeout = 10)
{
    struct peal_plan *plan = read_goal("rank 0 {\nl1: calc 7\nl2: send 20b to 1\nl2 requires l1\n}\n"
                                       "rank 1 {\nl1: recv 20b from 0\nl2: send 8b to 2\nl2 requires l1\n}\n"
                                       "rank 2 { recv 8b from 1 }\n");
    struct peal_error error = {PEAL_OK, ""};
    struct peal_options options;
    struct peal_machine *machine;

    peal_options_init(&options);
    options.nodes = 3;
    machine = peal_machine_create(&options, &error);
    cr_assert(machine, "%s", error.text);
    cr_assert_null(peal_plan_run(machine, plan));
    struct peal_cost cost = peal_machine_cost(machine); /* 20 bytes are 3 words of 8 */

    cr_expect_eq(cost.alpha, 2);
    cr_expect_eq(cost.beta, 4);
    cr_expect_eq(cost.tau, 7);
    peal_machine_destroy(machine);
    peal_plan_destroy(plan);
}
