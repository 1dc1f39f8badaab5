/* SPDX-License-Identifier: MIT */
/* Tests of reading peal/run/1: every damaged document is refused with its place, and a read run is priced anew. */
#include <criterion/criterion.h>
#include <peal/tools.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ documents */

/* A run of two rounds on four nodes; the text of the rounds and of the cost can be replaced. */
static char *
document(const char *rounds, const char *cost)
{
    char *text = NULL;

    if (!rounds)
        rounds = "[{\"transfers\": [{\"from\": 0, \"to\": 3, \"words\": 5, \"hops\": 1, \"k\": 1}],"
                 " \"charge\": {\"alpha\": 1, \"beta\": 5, \"hop\": 0, \"tau\": 0}},\n"
                 "{\"charge\": {\"tau\": 9, \"hop\": 0, \"beta\": 2, \"alpha\": 1}, \"new\": [{}, null, 1.5e-3],"
                 " \"transfers\": [{\"k\": 1, \"hops\": 1, \"words\": 2, \"to\": 1, \"from\": 0},"
                 " {\"from\": 3, \"to\": 3, \"words\": 0, \"hops\": 0, \"k\": 1}]}]";
    if (!cost)
        cost = "{\"alpha\": 2, \"beta\": 7, \"hop\": 0, \"tau\": 9, \"time\": 0}";
    cr_assert_geq(
        asprintf(&text,
                 "{\"cost\": %s, \"rounds\": %s,\n\"schema\": \"peal/run/1\", \"collective\": null, "
                 "\"algorithm\": null, \"program\": \"\\u00e4\\n\\ud83d\\ude00.c\", \"nodes\": 4, "
                 "\"block_words\": null, \"vector_words\": null, \"root\": null, \"topology\": \"full\", "
                 "\"routing\": \"shortest\", \"ports\": \"all\", \"duplex\": \"half\", "
                 "\"switching\": \"wormhole\", \"congestion\": \"volume\", \"combining\": false, "
                 "\"delivery\": \"eager:12\", \"mailbox\": 7, \"engine\": \"threads\", "
                 "\"seed\": 18446744073709551615, \"parameters\": {\"alpha\": 0.5, \"beta\": 1e3, \"hop\": 0, "
                 "\"tau\": 2}, \"critical_path\": null, \"closed_form\": null, \"lower_bound\": null, "
                 "\"data\": {\"x\": [1 , 2]}, \"failure\": null}",
                 cost, rounds),
        0);
    return text;
}

static void
expect_refused(char *text, const char *what)
{
    struct peal_error error = {PEAL_OK, ""};
    struct peal_record *record = peal_read_json("a.json", text, strlen(text), &error);

    cr_expect_null(record);
    cr_expect_eq(error.status, PEAL_USAGE);
    cr_expect_str_eq(error.text, what);
    peal_record_destroy(record);
    free(text);
}

/* ------------------------------------------------------------------ reading */

Test(read_json, takes_members_in_any_order_and_skips_those_it_does_not_know, .timeout = 10)
{
    struct peal_error error = {PEAL_OK, ""};
    char *text = document(NULL, NULL);
    struct peal_record *record = peal_read_json("a.json", text, strlen(text), &error);

    cr_assert_not_null(record, "%s", error.text);
    cr_expect_null(record->collective);
    cr_expect_str_eq(record->program, "ä\n😀.c");
    cr_expect_eq(record->options.nodes, 4);
    cr_expect_eq(record->options.ports, PEAL_PORTS_ALL);
    cr_expect(record->options.half_duplex && record->options.noncombining && record->options.eager);
    cr_expect_eq(record->options.eager_words, 12);
    cr_expect_eq(record->options.switching, PEAL_WORMHOLE);
    cr_expect_eq(record->options.congestion, PEAL_VOLUME);
    cr_expect_eq(record->options.seed, UINT64_MAX);
    cr_expect_eq(record->options.parameters.beta, 1000);
    cr_expect_eq(record->schedule.round_count, 2);
    cr_expect_eq(record->schedule.transfer_count, 3);
    cr_expect_eq(record->schedule.transfers[1].words, 2);
    cr_expect_eq(record->schedule.transfers[2].from, 3);
    cr_expect_eq(record->schedule.rounds[1].charge.tau, 9);
    cr_expect_eq(record->cost.beta, 7);
    cr_expect_not(record->has_critical_path);
    cr_expect_str_eq(record->data, "{\"x\": [1 , 2]}");
    cr_expect_null(record->failure);
    cr_expect_null(record->host);
    peal_record_destroy(record);
    free(text);
}

/* The document with one more member. */
static char *
document_with(const char *key, const char *value)
{
    char *text = document(NULL, NULL), *whole;

    cr_assert_geq(asprintf(&whole, "%.*s, \"%s\": %s}", (int)strlen(text) - 1, text, key, value), 0);
    free(text);
    return whole;
}

Test(read_json, keeps_what_nodes_have_shown, .timeout = 10)
{
    static const char shown[] = "\"shown\": [\n    [0, 0, \"x\", -3],\n    [3, 1, \"y\", -0.5],\n    [3, 2, \"x\", "
                                "9223372036854775807],\n    [1, 0, \"z\", \"nan\"],\n    [1, 2, \"z\", \"-inf\"]]";
    struct peal_error error = {PEAL_OK, ""};
    char *text = document_with("shown", strchr(shown, '[')), *again;
    struct peal_record *record = peal_read_json("a.json", text, strlen(text), &error);
    size_t bytes;

    cr_assert_not_null(record, "%s", error.text);
    cr_assert_eq(record->shown.count, 5);
    cr_expect_eq(record->shown.values[1].node, 3);
    cr_expect_eq(record->shown.values[1].round, 1);
    cr_expect_str_eq(record->shown.values[1].name, "y");
    cr_expect_eq((double)record->shown.values[1].value, -0.5);
    FILE *out = open_memstream(&again, &bytes);

    cr_expect_eq(peal_write_record(out, record, &error), PEAL_OK, "%s", error.text);
    fclose(out);
    char *written = strstr(again, "\"shown\"");

    cr_expect(written && strncmp(written, shown, sizeof shown - 1) == 0, "%s", again);
    free(again);
    peal_record_destroy(record);
    free(text);
}

Test(read_json, takes_escapes_of_either_case, .timeout = 10)
{
    struct peal_error error = {PEAL_OK, ""};
    char *text = document_with("shown", "[[0, 0, \"\\u00eA\\u00fF\\uD83D\\udE00\", 1]]");
    struct peal_record *record = peal_read_json("a.json", text, strlen(text), &error);

    cr_assert(record, "%s", error.text);
    cr_expect_str_eq(record->shown.values[0].name, "\u00EA\u00FF\U0001F600");
    peal_record_destroy(record);
    free(text);
}

Test(read_json, refuses_what_no_node_can_have_shown, .timeout = 10)
{
    expect_refused(document_with("shown", "[[4, 0, \"x\", 1]]"),
                   "a.json, line 3, column 585: shown[0]: 4 is not a whole number from 0 to 3");
    expect_refused(document_with("shown", "[[0, 3, \"x\", 1]]"),
                   "a.json, line 3, column 588: shown[0]: 3 is not a whole number from 0 to 2");
    expect_refused(
        document_with("shown", "[[0, 0, \"x\"]]"),
        "a.json, line 3, column 584: shown[0]: expected a node, a round, a name and a value, got 3 elements");
    expect_refused(document_with("shown", "[[0, 0, \"x\", \"12\"]]"),
                   "a.json, line 3, column 596: shown[0]: '12' is not a number: nan and inf alone are strings");
    expect_refused(document_with("shown", "[[0, 0, \"\\ud83d\\ue000\", 1]]"),
                   "a.json, line 3, column 592: shown[0]: invalid character in a string");
    expect_refused(document_with("shown", "[[0, 0, 1, 1]]"), "a.json, line 3, column 591: shown[0]: expected a string");
}

/* Calls are replaced in the order of their first rounds. */
Test(read_json, refuses_calls_of_collectives_that_are_not_in_order, .timeout = 10)
{
#define CALL(first)                                                                                                    \
    "{\"collective\": \"barrier\", \"algorithm\": \"central\", \"words\": 0, \"scale\": 1, \"root\": 0, \"by\": 0, "   \
    "\"unequal\": false, \"ordered\": false, \"first\": " first ", \"last\": 2}"
    struct peal_error error = {PEAL_OK, ""};
    char *text = document_with("collectives", "[" CALL("1") ", " CALL("2") ", " CALL("2") "]");
    struct peal_record *record = peal_read_json("a.json", text, strlen(text), &error);

    cr_assert(record, "%s", error.text);
    cr_expect_eq(record->collectives.count, 3);
    peal_record_destroy(record);
    free(text);
    expect_refused(document_with("collectives", "[" CALL("2") ", " CALL("1") "]"),
                   "a.json, line 3, column 589: collectives: expected calls in the order of their first rounds, got 1 "
                   "after 2");
}

/* The reader never looks beyond the bytes it was given, however a document is cut: each is in a block of its own
 * size. */
Test(read_json, refuses_every_beginning_of_a_document, .timeout = 20)
{
    char *text = document(NULL, NULL);
    size_t length = strlen(text);

    for (size_t i = 0; i < length; i++) {
        struct peal_error error = {PEAL_OK, ""};
        char *cut = malloc(i ? i : 1);

        memcpy(cut, text, i);
        cr_expect_null(peal_read_json("a.json", cut, i, &error));
        cr_expect_eq(error.status, PEAL_USAGE, "%zu bytes", i);
        cr_expect_eq(strncmp(error.text, "a.json, line ", 13), 0, "%s", error.text);
        free(cut);
    }
    free(text);
}

Test(read_json, names_the_line_and_the_place_of_the_mistake, .timeout = 10)
{
    expect_refused(document("[{\"transfers\":\n[{\"from\": 0, \"to\": 4, \"words\": 5, \"hops\": 1, \"k\": 1}],"
                            " \"charge\": {\"alpha\": 1, \"beta\": 5, \"hop\": 0, \"tau\": 0}}]",
                            NULL),
                   "a.json, line 2, column 20: rounds[0].transfers[0].to: rank 4 is out of range: ranks are 0 to 3");
    expect_refused(document("[{\"transfers\": [], \"charge\": {\"alpha\": 1, \"beta\": 5, \"hop\": 0}}]", NULL),
                   "a.json, line 1, column 105: rounds[0].charge: 'tau' is missing");
    expect_refused(document("[{\"transfers\": {}, \"charge\": 0}]", NULL),
                   "a.json, line 1, column 91: rounds[0].transfers: expected a list [...]");
    expect_refused(document("[17]", NULL), "a.json, line 1, column 77: rounds[0]: expected an object {...}");
    expect_refused(document("[{\"transfers\": [{\"from\": 18446744073709551616}]}]", NULL),
                   "a.json, line 1, column 77: rounds[0]: 'charge' is missing");
    expect_refused(
        document(NULL, "{\"alpha\": 2, \"beta\": 7, \"hop\": 0, \"tau\": 9223372036854775808}"),
        "a.json, line 1, column 51: cost.tau: 9223372036854775808 is too large to count: a coefficient is at most "
        "9223372036854775806");
    expect_refused(
        document(
            "[{\"transfers\": [], \"charge\": {\"alpha\": 0, \"beta\": 0, \"hop\": 0, \"tau\": 5000000000000000000}}, "
            "{\"transfers\": [], \"charge\": {\"alpha\": 0, \"beta\": 0, \"hop\": 0, \"tau\": 5000000000000000000}}]",
            "{\"alpha\": 0, \"beta\": 0, \"hop\": 0, \"tau\": 1}"),
        "a.json, line 1, column 65: rounds: the sum of the rounds' charges is too large to count: a coefficient is at "
        "most "
        "9223372036854775806");
    expect_refused(document("[{\"transfers\": [01]}]", NULL),
                   "a.json, line 1, column 93: a number does not begin with 0");
    expect_refused(strdup("\xc3\xa4"),
                   "a.json, line 1, column 1: expected a run, which peal run ... --json=FILE writes");
    expect_refused(strdup("{\"\xc3\xa4\xc3\xa4\" 1}"), "a.json, line 1, column 7: expected a colon after the key");
    expect_refused(strdup(""), "a.json, line 1, column 1: expected a run, which peal run ... --json=FILE writes");
}

Test(read_json, wants_the_rounds_to_sum_up_to_the_cost, .timeout = 10)
{
    expect_refused(document(NULL, "{\"alpha\": 2, \"beta\": 8, \"hop\": 0, \"tau\": 9}"),
                   "a.json, line 1, column 10: cost: 2α + 8β + 9τ is not the sum of the rounds' charges, 2α + 7β + 9τ");
}

Test(read_json, wants_all_of_the_rounds, .timeout = 10)
{
    expect_refused(document("[]", NULL),
                   "a.json, line 1, column 76: rounds: no rounds were recorded; record the run with all rounds: "
                   "peal run ... --rounds all --json=FILE");
    expect_refused(
        document("[{\"transfers\": 1, \"words\": 5, \"k\": 1, \"charge\": {}}]", NULL),
        "a.json, line 1, column 91: rounds[0].transfers: this is only the number of rounds; record the run with all "
        "rounds: peal run ... --rounds all --json=FILE");
}

/* ------------------------------------------------------------------ pricing */

static struct peal_record *
priced(const struct peal_record *record, const char *topology, enum peal_switching switching)
{
    struct peal_options on = record->options;
    struct peal_error error = {PEAL_OK, ""};

    on.topology = topology;
    on.routing = NULL;
    on.switching = switching;
    struct peal_record *now = peal_record_price(record, &on, &error);

    cr_assert_not_null(now, "%s", error.text);
    return now;
}

Test(record_price, charges_the_same_transfers_elsewhere, .timeout = 10)
{
    char *text = document(NULL, NULL);
    struct peal_record *record = peal_read_json("a.json", text, strlen(text), NULL);
    struct peal_record *now = priced(record, "line", PEAL_STORE_FORWARD);

    /* 0 to 3 goes over three links, 0 to 1 over one; the message to itself is free. */
    cr_expect(peal_cost_equal(now->cost, (struct peal_cost){.alpha = 2, .beta = 15 + 2, .tau = 9}));
    cr_expect_str_eq(now->options.topology, "line:4");
    cr_expect_eq(now->schedule.transfers[0].hops, 3);
    cr_expect_eq(record->schedule.transfers[0].hops, 1, "the first record stays as it is");
    cr_expect_str_eq(now->data, record->data);
    cr_expect_eq(now->options.seed, UINT64_MAX);
    peal_record_destroy(now);
    peal_record_destroy(record);
    free(text);
}

Test(record_price, refuses_a_network_of_another_size, .timeout = 10)
{
    char *text = document(NULL, NULL);
    struct peal_record *record = peal_read_json("a.json", text, strlen(text), NULL);
    struct peal_options on = record->options;
    struct peal_error error = {PEAL_OK, ""};

    on.topology = "line:5";
    cr_expect_null(peal_record_price(record, &on, &error));
    cr_expect_eq(error.status, PEAL_USAGE);
    peal_record_destroy(record);
    free(text);
}

/* What a priced record says is what a machine says that runs there: for every algorithm that does not ask the
 * network. */
Test(record_price, is_the_cost_of_a_run_there, .timeout = 60)
{
    static const char *const networks[] = {"line", "torus", "star"};
    static const enum peal_switching switchings[] = {PEAL_STORE_FORWARD, PEAL_WORMHOLE, PEAL_IDEAL};
    const struct peal_algorithm *a;
    int compared = 0;

    for (int i = 0; (a = peal_algorithm_get(i)); i++)
        for (int n = 0; n < 3; n++) {
            struct peal_exercise exercise = {.collective = a->collective, .algorithm = a->name, .words = 3};
            struct peal_record *record = NULL, *now;
            char *text = NULL;
            size_t bytes = 0;
            struct peal_error error = {PEAL_OK, ""};

            if (a->asks_network)
                continue;
            for (int there = 0; there < 2; there++) {
                struct peal_options options;
                struct peal_outcome outcome;

                peal_options_init(&options);
                options.nodes = 6;
                options.topology = there ? networks[n] : "full";
                options.switching = there ? switchings[n] : PEAL_IDEAL;
                struct peal_machine *machine = peal_machine_create(&options, &error);

                cr_assert_not_null(machine, "%s", error.text);
                if (peal_exercise(machine, &exercise, &outcome, &error) == PEAL_OK && !there) {
                    FILE *out = open_memstream(&text, &bytes);

                    cr_assert_eq(peal_write_json(out, machine, &outcome, NULL, &error), PEAL_OK);
                    fclose(out);
                    record = peal_read_json("a.json", text, bytes, &error);
                    cr_assert_not_null(record, "%s", error.text);
                    cr_expect(peal_cost_equal(record->critical_path, peal_machine_critical_path(machine)));
                } else if (record && peal_machine_failure(machine) == NULL) {
                    now = priced(record, networks[n], switchings[n]);
                    cr_expect(peal_cost_equal(now->cost, peal_machine_cost(machine)), "%s on %s", a->name, networks[n]);
                    cr_expect_eq(now->has_closed_form, outcome.has_closed_form, "%s on %s", a->name, networks[n]);
                    cr_expect(peal_cost_equal(now->closed_form, outcome.closed_form));
                    cr_expect_str_eq(now->closed_form_text, outcome.closed_form_text);
                    cr_expect(peal_cost_equal(now->lower_bound, outcome.lower_bound));
                    cr_expect_eq(now->closed_form_equal, outcome.closed_form_equal);
                    cr_expect_eq(now->has_critical_path, switchings[n] == PEAL_IDEAL);
                    if (now->has_critical_path)
                        cr_expect(peal_cost_equal(now->critical_path, peal_machine_critical_path(machine)));
                    peal_record_destroy(now);
                    compared++;
                }
                peal_machine_destroy(machine);
            }
            peal_record_destroy(record);
            free(text);
        }
    cr_expect_geq(compared, 40);
}
