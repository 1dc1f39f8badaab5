/* SPDX-License-Identifier: MIT */
/* Tests of the document peal/run/1 as it is written: keys and their order, charges, failures. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <peal/tools.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* ------------------------------------------------------------------ runs and their documents */

static struct peal_machine *
machine_of(int nodes, void (*change)(struct peal_options *))
{
    struct peal_options options;
    struct peal_error error = {PEAL_OK, ""};

    peal_options_init(&options);
    options.nodes = nodes;
    if (change)
        change(&options);
    struct peal_machine *machine = peal_machine_create(&options, &error);

    cr_assert_not_null(machine, "%s", error.text);
    return machine;
}

static json_t *
document(const struct peal_machine *machine, const struct peal_outcome *outcome, const char *program)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    json_error_t error;

    cr_assert_eq(peal_write_json(out, machine, outcome, program, NULL), PEAL_OK);
    fclose(out);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

    cr_assert_not_null(root, "%s in line %d of\n%s", error.text, error.line, text);
    free(text);
    return root;
}

static void
expect_keys(const json_t *object, const char *keys)
{
    char found[1000] = "";
    const char *key;
    json_t *value;

    cr_assert(json_is_object(object));
    json_object_foreach((json_t *)object, key, value)
    {
        (void)value;
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", *found ? " " : "", key);
    }
    cr_expect_str_eq(found, keys);
}

static void
expect_cost(const json_t *object, int64_t alpha, int64_t beta, int64_t hop, int64_t tau)
{
    cr_expect_eq(json_integer_value(json_object_get(object, "alpha")), alpha);
    cr_expect_eq(json_integer_value(json_object_get(object, "beta")), beta);
    cr_expect_eq(json_integer_value(json_object_get(object, "hop")), hop);
    cr_expect_eq(json_integer_value(json_object_get(object, "tau")), tau);
}

static const char *
text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "(not a string)";
}

static json_int_t
int_of(const json_t *object, const char *key)
{
    cr_expect(json_is_integer(json_object_get(object, key)), "%s", key);
    return json_integer_value(json_object_get(object, key));
}

/* Every node sends rank + 1 words to its right neighbour, and declares 5 operations. */
static void
shift(struct peal_node *me, void *arg)
{
    (void)arg;
    int P = peal_size(me), rank = peal_rank(me);
    int64_t out[8] = {0}, in[8];

    peal_compute(me, 5);
    peal_sendrecv(me, out, (size_t)rank + 1, (rank + 1) % P, in, 8, (rank + P - 1) % P);
}

static const char run_keys[] =
    "nodes block_words vector_words root topology routing ports duplex switching congestion "
    "combining delivery mailbox engine seed parameters rounds cost critical_path closed_form "
    "lower_bound data failure host";

/* ------------------------------------------------------------------ the shape */

static void
on_a_line(struct peal_options *options)
{
    options->topology = "line";
    options->parameters = (struct peal_parameters){.alpha = 0.1, .beta = 2, .hop = 0, .tau = 0.5};
}

Test(json_run, of_a_program_has_the_documented_keys_in_order, .timeout = 20)
{
    struct peal_machine *machine = machine_of(4, on_a_line);
    char expected[400];

    cr_assert_null(peal_run(machine, shift, NULL));
    json_t *root = document(machine, NULL, "shift.c");

    snprintf(expected, sizeof expected, "schema collective algorithm program %s", run_keys);
    expect_keys(root, expected);
    cr_expect_str_eq(text_of(root, "schema"), "peal/run/1");
    cr_expect_str_eq(text_of(root, "program"), "shift.c");
    cr_expect_str_eq(text_of(root, "topology"), "line:4");
    cr_expect_str_eq(text_of(root, "duplex"), "full");
    cr_expect_str_eq(text_of(root, "switching"), "ideal");
    cr_expect_str_eq(text_of(root, "congestion"), "count");
    cr_expect_str_eq(text_of(root, "delivery"), "rendezvous");
    cr_expect_str_eq(text_of(root, "engine"), "threads");
    cr_expect_eq(int_of(root, "ports"), 1);
    cr_expect_eq(int_of(root, "mailbox"), 65536);
    cr_expect(json_is_true(json_object_get(root, "combining")));
    static const char *const nulls[] = {"collective",  "algorithm",   "block_words", "vector_words", "root",
                                        "closed_form", "lower_bound", "data",        "failure"};
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        cr_expect(json_is_null(json_object_get(root, nulls[i])), "%s", nulls[i]);
    expect_keys(json_object_get(root, "cost"), "alpha beta hop tau time");
    expect_keys(json_object_get(root, "parameters"), "alpha beta hop tau");
    cr_expect_eq(json_real_value(json_object_get(json_object_get(root, "parameters"), "alpha")), 0.1);
    cr_expect_geq(json_object_size(json_object_get(root, "host")), 2);
    json_decref(root);
    peal_machine_destroy(machine);
}

Test(json_run, lists_every_transfer_and_charge, .timeout = 20)
{
    struct peal_machine *machine = machine_of(4, on_a_line);

    cr_assert_null(peal_run(machine, shift, NULL));
    json_t *root = document(machine, NULL, "shift.c");
    json_t *rounds = json_object_get(root, "rounds");

    cr_assert_eq(json_array_size(rounds), 1);
    json_t *round = json_array_get(rounds, 0), *transfers = json_object_get(round, "transfers");

    expect_keys(round, "transfers charge");
    expect_cost(json_object_get(round, "charge"), 1, 4, 0, 5);
    cr_assert_eq(json_array_size(transfers), 4);
    for (size_t i = 0; i < 4; i++) {
        json_t *transfer = json_array_get(transfers, i);

        expect_keys(transfer, "from to words hops k");
        cr_expect_eq(int_of(transfer, "from"), (json_int_t)i);
        cr_expect_eq(int_of(transfer, "to"), (json_int_t)(i + 1) % 4);
        cr_expect_eq(int_of(transfer, "words"), (json_int_t)i + 1);
        cr_expect_eq(int_of(transfer, "hops"), i == 3 ? 3 : 1);
        cr_expect_eq(int_of(transfer, "k"), 1);
    }
    expect_cost(json_object_get(root, "cost"), 1, 4, 0, 5);
    cr_expect_float_eq(json_number_value(json_object_get(json_object_get(root, "cost"), "time")), 0.1 + 8 + 2.5, 1e-12);
    json_decref(root);
    peal_machine_destroy(machine);
}

static void
in_full(struct peal_options *options)
{
    options->ports = PEAL_PORTS_ALL;
    options->half_duplex = true;
    options->noncombining = true;
    options->eager = true;
    options->eager_words = 12;
    options->topology = "torus";
    options->switching = PEAL_WORMHOLE;
    options->congestion = PEAL_VOLUME;
    options->mailbox = 3;
    options->seed = UINT64_MAX;
}

static void
nothing(struct peal_node *me, void *arg)
{
    (void)me, (void)arg;
}

Test(json_run, writes_the_machine_in_full, .timeout = 20)
{
    struct peal_machine *machine = machine_of(6, in_full);

    cr_assert_null(peal_run(machine, nothing, NULL));
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    cr_assert_eq(peal_write_json(out, machine, NULL, "nothing", NULL), PEAL_OK);
    fclose(out);
    static const char *const parts[] = {
        "\"ports\": \"all\"",
        "\"duplex\": \"half\"",
        "\"combining\": false",
        "\"delivery\": \"eager:12\"",
        "\"topology\": \"torus:2x3\"",
        "\"routing\": \"",
        "\"switching\": \"wormhole\"",
        "\"congestion\": \"volume\"",
        "\"mailbox\": 3,",
        "\"seed\": 18446744073709551615",
        "\"rounds\": []",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_expect(strstr(text, parts[i]), "%s in\n%s", parts[i], text);
    free(text);
    peal_machine_destroy(machine);
}

static void
summary(struct peal_options *options)
{
    options->rounds = PEAL_ROUNDS_SUMMARY;
}

static void
none(struct peal_options *options)
{
    options->rounds = PEAL_ROUNDS_NONE;
}

Test(json_run, sums_rounds_up_on_demand, .timeout = 20)
{
    struct peal_machine *machine = machine_of(4, summary);

    cr_assert_null(peal_run(machine, shift, NULL));
    json_t *root = document(machine, NULL, "shift.c");
    json_t *round = json_array_get(json_object_get(root, "rounds"), 0);

    expect_keys(round, "transfers words k charge");
    cr_expect_eq(int_of(round, "transfers"), 4);
    cr_expect_eq(int_of(round, "words"), 10);
    cr_expect_eq(int_of(round, "k"), 1);
    expect_cost(json_object_get(round, "charge"), 1, 4, 0, 5);
    json_decref(root);
    peal_machine_destroy(machine);
}

Test(json_run, leaves_rounds_out_on_demand_and_keeps_the_cost, .timeout = 20)
{
    struct peal_machine *machine = machine_of(4, none);

    cr_assert_null(peal_run(machine, shift, NULL));
    json_t *root = document(machine, NULL, "shift.c");

    cr_expect_eq(json_array_size(json_object_get(root, "rounds")), 0);
    expect_cost(json_object_get(root, "cost"), 1, 4, 0, 5);
    json_decref(root);
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ collectives */

Test(json_run, of_a_collective_has_the_example_of_the_documentation, .timeout = 20)
{
    struct peal_machine *machine = machine_of(8, NULL);
    struct peal_exercise exercise = {.collective = PEAL_SCATTER, .algorithm = "binomial", .words = 4};
    struct peal_outcome outcome;
    char expected[400];

    cr_assert_eq(peal_exercise(machine, &exercise, &outcome, NULL), PEAL_OK);
    json_t *root = document(machine, &outcome, NULL);

    snprintf(expected, sizeof expected, "schema collective algorithm %s", run_keys);
    expect_keys(root, expected);
    cr_expect_str_eq(text_of(root, "collective"), "scatter");
    cr_expect_str_eq(text_of(root, "algorithm"), "binomial");
    cr_expect_eq(int_of(root, "nodes"), 8);
    cr_expect_eq(int_of(root, "block_words"), 4);
    cr_expect_eq(int_of(root, "vector_words"), 32);
    cr_expect_eq(int_of(root, "root"), 0);
    expect_cost(json_object_get(root, "cost"), 3, 28, 0, 0);
    cr_expect_eq(int_of(json_object_get(root, "cost"), "time"), 3028, "an integral time has no fraction");

    json_t *form = json_object_get(root, "closed_form"), *bound = json_object_get(root, "lower_bound");

    expect_keys(form, "alpha beta hop tau text source equal");
    expect_cost(form, 3, 28, 0, 0);
    cr_expect(json_is_true(json_object_get(form, "equal")));
    cr_expect_str_eq(text_of(form, "text"), "α⌈log₂P⌉ + βm(P−1)");
    expect_keys(bound, "alpha beta hop tau time ratio source");
    cr_expect_eq(json_real_value(json_object_get(bound, "ratio")), 1.0);
    expect_keys(json_object_get(root, "data"), "verified nodes_correct");
    cr_expect(json_is_true(json_object_get(json_object_get(root, "data"), "verified")));
    cr_expect_eq(int_of(json_object_get(root, "data"), "nodes_correct"), 8);
    cr_expect(json_is_null(json_object_get(root, "failure")));
    json_decref(root);
    peal_machine_destroy(machine);
}

Test(json_run, has_no_block_of_a_vector_and_no_ratio_to_nothing, .timeout = 20)
{
    struct peal_machine *machine = machine_of(1, NULL);
    struct peal_exercise exercise = {.collective = PEAL_BROADCAST, .words = 5};
    struct peal_outcome outcome;

    cr_assert_eq(peal_exercise(machine, &exercise, &outcome, NULL), PEAL_OK);
    json_t *root = document(machine, &outcome, NULL), *bound = json_object_get(root, "lower_bound");

    cr_expect(json_is_null(json_object_get(root, "block_words")));
    cr_expect_eq(int_of(root, "vector_words"), 5);
    cr_assert(json_is_object(bound));
    expect_cost(bound, 0, 0, 0, 0);
    cr_expect(json_is_null(json_object_get(bound, "ratio")));
    json_decref(root);
    peal_machine_destroy(machine);
}

Test(json_run, wrong_data_is_a_failure_of_the_document, .timeout = 20)
{
    struct peal_machine *machine = machine_of(2, NULL);
    struct peal_exercise exercise = {.collective = PEAL_SCATTER, .words = 1};
    struct peal_outcome outcome;

    cr_assert_eq(peal_exercise(machine, &exercise, &outcome, NULL), PEAL_OK);
    outcome.verified = false;
    outcome.nodes_correct = 1;
    snprintf(outcome.wrong, sizeof outcome.wrong, "node 1, word 0: 7 instead of 5");
    json_t *root = document(machine, &outcome, NULL), *failure = json_object_get(root, "failure");

    cr_expect(json_is_false(json_object_get(json_object_get(root, "data"), "verified")));
    cr_expect_eq(int_of(json_object_get(root, "data"), "nodes_correct"), 1);
    expect_keys(failure, "kind severity message file line nodes cycle fix");
    cr_expect_str_eq(text_of(failure, "kind"), "wrong-result");
    cr_expect_str_eq(text_of(failure, "message"), outcome.wrong);
    json_decref(root);
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ failures */

/* Nodes 1 and 2 wait for each other; node 0 has finished. */
static void
stuck(struct peal_node *me, void *arg)
{
    (void)arg;
    int64_t words[5];

    if (peal_rank(me) == 1)
        peal_send_tag(me, words, 5, 2, 7);
    if (peal_rank(me) == 2)
        peal_recv(me, words, 4, 1);
}

Test(json_run, names_the_nodes_that_wait_and_their_partners, .timeout = 20)
{
    struct peal_machine *machine = machine_of(3, NULL);

    cr_assert_not_null(peal_run(machine, stuck, NULL));
    json_t *root = document(machine, NULL, "stuck"), *failure = json_object_get(root, "failure");

    expect_keys(failure, "kind severity message file line nodes cycle fix");
    cr_expect_str_eq(text_of(failure, "kind"), "deadlock");
    json_t *nodes = json_object_get(failure, "nodes"), *cycle = json_object_get(failure, "cycle");

    cr_assert_eq(json_array_size(nodes), 2);
    expect_keys(json_array_get(nodes, 0), "rank state for peer words tag file line");
    cr_expect_eq(int_of(json_array_get(nodes, 0), "rank"), 1);
    cr_expect_str_eq(text_of(json_array_get(nodes, 0), "state"), "waits");
    cr_expect_str_eq(text_of(json_array_get(nodes, 0), "for"), "send");
    cr_expect_eq(int_of(json_array_get(nodes, 0), "peer"), 2);
    cr_expect_eq(int_of(json_array_get(nodes, 0), "words"), 5);
    cr_expect_eq(int_of(json_array_get(nodes, 0), "tag"), 7);
    cr_expect(strstr(text_of(json_array_get(nodes, 0), "file"), "json_run.c"));
    cr_expect_str_eq(text_of(json_array_get(nodes, 1), "for"), "receive");
    cr_expect_eq(int_of(json_array_get(nodes, 1), "peer"), 1);
    cr_assert_eq(json_array_size(cycle), 2);
    cr_expect_eq(json_integer_value(json_array_get(cycle, 0)), 1);
    cr_expect_eq(json_integer_value(json_array_get(cycle, 1)), 2);
    json_decref(root);
    peal_machine_destroy(machine);
}

static void
give_up(struct peal_node *me, void *arg)
{
    (void)arg;
    if (peal_rank(me) == 1)
        peal_abort(me, "a \"quote\", a byte \xFF\nand a line");
    peal_barrier(me);
}

Test(json_run, is_valid_for_any_output_and_file_name, .timeout = 20)
{
    struct peal_machine *machine = machine_of(2, NULL);

    cr_assert_not_null(peal_run(machine, give_up, NULL));
    json_t *root = document(machine, NULL, "pro\xC3gram\".c");

    cr_expect_str_eq(text_of(root, "program"), "pro\xEF\xBF\xBDgram\".c");
    cr_expect(strstr(text_of(json_object_get(root, "failure"), "message"), "\xEF\xBF\xBD"));
    json_decref(root);
    peal_machine_destroy(machine);
}

Test(json_run, says_when_it_could_not_be_written, .timeout = 20)
{
    struct peal_machine *machine = machine_of(2, NULL);
    struct peal_error error = {PEAL_OK, ""};
    FILE *full = fopen("/dev/full", "w");

    cr_assert_not_null(full);
    cr_assert_null(peal_run(machine, nothing, NULL));
    cr_expect_eq(peal_write_json(full, machine, NULL, "nothing", &error), PEAL_RESOURCES);
    cr_expect(strstr(error.text, "No space"), "%s", error.text);
    fclose(full);
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ in bounded memory */

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

static void
shift_on_and_on(struct peal_node *me, void *arg)
{
    int64_t out = 1, in;

    for (int i = 0; i < *(int *)arg; i++)
        peal_sendrecv(me, &out, 1, (peal_rank(me) + 1) % peal_size(me), &in, 1,
                      (peal_rank(me) + peal_size(me) - 1) % peal_size(me));
}

/* The private memory of this process, in bytes. */
static rlim_t
memory_now(void)
{
    FILE *in = fopen("/proc/self/statm", "r");
    unsigned long long pages = 0;

    cr_assert(in && fscanf(in, "%*u %*u %*u %*u %*u %llu", &pages) == 1 && fclose(in) == 0);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static ssize_t
count_bytes(void *written, const char *bytes, size_t count)
{
    (void)bytes;
    *(size_t *)written += count;
    return (ssize_t)count;
}

Test(json_run, needs_no_memory_for_its_output, .timeout = 60)
{
#ifdef __SANITIZE_ADDRESS__
    cr_skip("AddressSanitizer's own memory has no such limit");
#endif
    size_t written = 0;
    int rounds = 6000; /* of 64 transfers: some 27 MB of JSON */
    struct peal_machine *machine = machine_of(64, NULL);
    FILE *null = fopencookie(&written, "w", (cookie_io_functions_t){.write = count_bytes});

    cr_assert_not_null(null);
    cr_assert_null(peal_run(machine, shift_on_and_on, &rounds));
    cr_assert_eq(peal_machine_schedule(machine)->transfer_count, 6000u * 64);
    struct rlimit before, limit;

    cr_assert_eq(getrlimit(RLIMIT_DATA, &before), 0);
    limit = (struct rlimit){memory_now() + (1 << 20), before.rlim_max};
    setrlimit(RLIMIT_DATA, &limit);
    enum peal_status status = peal_write_json(null, machine, NULL, "shift.c", NULL);
    void *volatile whole = malloc(20 << 20); /* the limit is one: the document as a whole would not fit */

    setrlimit(RLIMIT_DATA, &before);
    cr_expect_eq(status, PEAL_OK);
    cr_expect_null(whole);
    fclose(null);
    cr_expect_gt(written, (size_t)20 << 20);
    peal_machine_destroy(machine);
}
