/* SPDX-License-Identifier: MIT */
/* Running a case once more: in other orders of arrival, with buffers, or to follow its messages. */
#include "lib/check/rerun.h"
#include "lib/base/unbacked.h"
#include "lib/labels/trail.h"
#include "lib/memory/watch.h"
#include <stdlib.h>

bool
prover_once(struct prover *prover, struct peal_machine *machine, const struct peal_check_case *c,
            struct peal_finding *finding)
{
    struct peal_error error;
    bool well;

    round_listener_add(machine, &prover->traffic.listener);
    const bool ran = runner_run(&prover->runner, machine, c, finding, &well, &error) == PEAL_OK;

    if (!ran && !cases_unstored(c))
        check_report_last_error(&prover->reporter, &error);
    if (!ran || (!well && unbacked_lacked())) { /* for a run on lengths alone, however it ended */
        finding->kind = PEAL_OUT_OF_MEMORY;
        well = false;
    }
    round_listener_remove(machine, &prover->traffic.listener);
    atomic_fetch_add(&prover->progress->runs, 1);
    return well;
}

bool
rerun_while(struct prover *prover, const struct peal_check_case *c, bool well)
{
    struct explorer kept = prover->explorer;
    struct traffic traffic = prover->traffic;
    struct peal_finding finding;
    struct peal_error error;
    bool last = well;
    struct peal_machine *machine = runner_machine(&prover->runner, c, &error);

    if (!machine || explorer_init(&prover->explorer, cases_machine_nodes(c), &error) != PEAL_OK) {
        prover->explorer = kept;
        peal_machine_destroy(machine);
        return false;
    }
    explorer_begin(&prover->explorer, cases_machine_nodes(c));
    for (int i = 0; last == well && (i == 0 || (i < FEW_RUNS && explorer_next(&prover->explorer, machine))); i++) {
        explorer_attach(&prover->explorer, machine);
        last = prover_once(prover, machine, c, &finding);
        last = prover->explorer.cut ? well : last;
    }
    peal_machine_destroy(machine);
    explorer_fini(&prover->explorer);
    prover->explorer = kept;
    prover->traffic = traffic;
    return last;
}

bool
rerun_buffered(struct prover *prover, const struct peal_check_case *c)
{
    struct peal_check_case buffered = *c;

    buffered.eager = true;
    buffered.eager_words = SIZE_MAX / 16;
    return rerun_while(prover, &buffered, true);
}

void
rerun_in_another_order(struct prover *prover, const struct peal_check_case *c)
{
    if (rerun_while(prover, c, false))
        printed_keep(&prover->runner.printed);
}

/* Make a run of the case once more, with these choices where receives have any, and follow its messages.  The finding
 * is of this run.  False: it cannot be followed; `trail` must still be freed, and then the machine, whose lines it
 * names. */
static bool
rerun_follow_messages(struct prover *prover, const struct peal_check_case *c, const int *choices, size_t count,
                      struct trail *trail, struct peal_machine **ran, struct peal_finding *finding)
{
    struct explorer kept = prover->explorer;
    struct traffic traffic = prover->traffic;
    struct peal_error error;
    struct peal_machine *machine = runner_machine(&prover->runner, c, &error);
    bool followed = false;

    *trail = (struct trail){.count = 0};
    if (machine && explorer_init(&prover->explorer, cases_machine_nodes(c), &error) == PEAL_OK) {
        if (trail_begin(trail, machine, &error) == PEAL_OK) {
            explorer_replay(&prover->explorer, cases_machine_nodes(c), choices, count);
            explorer_attach(&prover->explorer, machine);
            prover_once(prover, machine, c, finding);
            atomic_fetch_sub(&prover->progress->runs, 1); /* it was counted */
            followed = !trail->full && !prover->explorer.misfit && !prover->explorer.no_memory;
        }
        explorer_fini(&prover->explorer);
    }
    *ran = machine;
    prover->explorer = kept;
    prover->traffic = traffic;
    return followed;
}

void
rerun_for_message(struct prover *prover, const struct peal_check_case *c, struct peal_finding *finding)
{
    struct peal_finding again;
    struct peal_machine *machine;
    struct trail trail;
    int rank;
    size_t word;

    if (finding->choices_cut || prover->check->program)
        return;
    if (rerun_follow_messages(prover, c, finding->choices, (size_t)finding->choice_count, &trail, &machine, &again) &&
        strcmp(again.message, finding->message) == 0 && vectors_find_wrong(&prover->runner.data, &rank, &word))
        trail_explain(&trail, &prover->runner.data, rank, word, prover->runner.file != NULL, finding);
    trail_fini(&trail);
    peal_machine_destroy(machine);
}

void
rerun_for_store(struct prover *prover, const struct peal_check_case *c, struct peal_finding *finding)
{
    struct peal_finding again;
    struct peal_machine *machine;
    struct trail trail;
    const struct row *written = NULL;

    for (int run = 0; run < 2 && !finding->choices_cut && prover->runner.file; run++) {
        bool followed =
            rerun_follow_messages(prover, c, finding->choices, (size_t)finding->choice_count, &trail, &machine, &again);

        if (run == 0 && followed)
            written = vectors_written(&prover->runner.data);
        else if (followed && again.line > 0) { /* it ends there */
            memcpy(finding->file, again.file, sizeof finding->file);
            finding->line = again.line;
        }
        trail_fini(&trail);
        peal_machine_destroy(machine);
        watch_guard(written);
        if (!written)
            return;
    }
    watch_guard(NULL);
}

void
rerun_for_busiest(struct prover *prover, const struct peal_check_case *c, int64_t most, struct peal_finding *finding)
{
    const struct explorer *explorer = &prover->explorer;
    size_t count = explorer->described;
    int *choices = calloc(count + 1, sizeof *choices);
    struct peal_finding again;
    struct peal_machine *machine;
    struct trail trail;
    char text[300];

    if (!choices || prover->reporter.seen[PEAL_SEVERITY_ERROR][finding->kind]) {
        free(choices);
        return;
    }
    memcpy(choices, explorer->choices ? explorer->choices : choices, count * sizeof *choices);
    if (rerun_follow_messages(prover, c, choices, count, &trail, &machine, &again)) {
        trail_say_busiest(&trail, &prover->runner.data, finding->kind == PEAL_EXCESS_WORDS, most, text, sizeof text);
        if (text[0])
            peal_append(IN_ARRAY(finding->message), ": %s", text);
    }
    trail_fini(&trail);
    peal_machine_destroy(machine);
    free(choices);
}
