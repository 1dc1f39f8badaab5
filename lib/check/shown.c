/* SPDX-License-Identifier: MIT */
/* Writes the document of a finding's run for its page, with the data that nodes held, into memory shared with the
 * parent. */
#include "lib/check/shown.h"
#include "lib/check/cases.h"
#include "lib/check/expression.h"
#include "lib/record/json.h"
#include <stdlib.h>

enum { MAX_HOLDINGS = 4 << 20 };

void
shown_begin(struct shown_case *shown, const struct peal_check *check, const struct peal_check_case *where,
            struct peal_machine *machine, struct vectors *data)
{
    if (!shown->page || shown->wrong)
        return;
    shown->observed = peal_observed_begin(machine, NULL);
    if (check->program)
        peal_refuse(&shown->absent, PEAL_USAGE, "it is a program, whose words have no known meaning");
    if (check->element)
        peal_refuse(&shown->absent, PEAL_USAGE, "its elements are numbers, which do not say whose they are");
    const bool others = where->call & ~(unsigned)(PEAL_CALL_TWICE | CALLS_TYPES | PEAL_CALL_GAPS);
    char how[100];

    if (others)
        peal_refuse(&shown->absent, PEAL_USAGE,
                    "the function is called in another way (%s) than by all nodes in their order",
                    peal_check_call_text(where->call, peal_check_call_names, "+", how, sizeof how));
    shown->holds = !check->program && !check->element && !others &&
                   rerun_follow(&shown->held, machine, data, where, &shown->absent) == PEAL_OK;
}

/* ------------------------------------------------------------------ the parts */

static void
shown_write_run(FILE *out, const struct shown_run *run, const struct peal_machine *machine)
{
    const struct peal_check *check = run->check;
    char name[300];
    struct peal_algorithm function = {.collective = check->collective, .name = name};
    struct peal_outcome outcome = {
        .situation = run->situation,
        .algorithm = check->algorithm ? peal_algorithm_find(check->collective, check->algorithm) : &function,
        .verified = run->well,
        .nodes_correct = run->well ? run->where->nodes : -1};
    size_t P = (size_t)run->where->nodes;

    if (check->program || run->where->call != PEAL_CALL_ONCE) {
        peal_write_json(out, machine, NULL, check->file, NULL);
        return;
    }
    snprintf(name, sizeof name, "%.90s:%.200s", file_name(check->file ? check->file : ""),
             check->symbol ? check->symbol : "");
    if (outcome.situation.op) /* the operator on labels is not the user's */
        outcome.situation.op = PEAL_SUM_INT64;
    outcome.block_words = outcome.vector_words = run->where->words;
    if (peal_collective_has_blocks(check->collective))
        outcome.vector_words *= P;
    else
        outcome.block_words /= P;
    snprintf(outcome.wrong, sizeof outcome.wrong, "%.*s", (int)sizeof outcome.wrong - 1, run->well ? "" : run->message);
    peal_write_json(out, machine, &outcome, NULL, NULL);
}

/* "blocks" and "blocks_absent". */
static void
write_blocks(struct peal_json *json, struct shown_case *shown, const struct shown_run *run,
             const struct peal_machine *machine)
{
    struct peal_record record = {.options = *peal_machine_options(machine),
                                 .schedule = *peal_machine_schedule(machine),
                                 .block_words = run->where->words,
                                 .vector_words = run->where->words};
    struct peal_holdings holdings = {.nodes = 0};
    struct peal_error why = shown->absent;
    char *text = NULL;

    shown->held.run = &record;
    if (shown->holds && holdings_find(&holdings, &shown->held, MAX_HOLDINGS, &why) == PEAL_OK)
        text = peal_holdings_json(&holdings, MAX_HOLDINGS, &why);
    peal_json_put(json, PEAL_TEXT("blocks", text), PEAL_STRING("blocks_absent", text ? NULL : why.text));
    free(text);
    peal_holdings_fini(&holdings);
}

/* Take over what was written, with the user's own name of the file. */
static void
shown_keep(struct shown_page *page, const struct shown_run *run, const char *text, size_t bytes)
{
    if (bytes >= sizeof page->text)
        return;
    memcpy(page->text, text, bytes + 1);
    if (run->unit)
        unit_shorten(run->unit, run->check->file, page->text, sizeof page->text);
    page->bytes = strlen(page->text);
}

void
shown_end(struct shown_case *shown, const struct shown_run *run, struct peal_machine *machine)
{
    char *text = NULL;
    size_t bytes = 0;

    if (!shown->page || shown->wrong)
        return;
    FILE *out = open_memstream(&text, &bytes);

    if (shown->holds)
        rerun_unfollow(&shown->held, machine);
    if (out) {
        struct peal_json json = {.out = out};

        peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_TEXT("run", ""));
        shown_write_run(out, run, machine);
        peal_json_put(&json, PEAL_TEXT("observed", shown->observed ? "" : NULL));
        peal_observed_end(shown->observed, out, run->unit != NULL);
        shown->observed = NULL;
        write_blocks(&json, shown, run, machine);
        peal_json_put(&json, PEAL_CLOSE('}'));
    }
    peal_observed_end(shown->observed, NULL, false);
    if (shown->holds)
        rerun_fini(&shown->held);
    shown->observed = NULL;
    shown->holds = false;
    shown->wrong = !run->well;
    if (out && fclose(out) == 0)
        shown_keep(shown->page, run, text, bytes);
    free(text);
}
