/* SPDX-License-Identifier: MIT */
/* What is wrong in a case that was run: reported, after further runs that show more of it. */
#include "lib/check/rerun.h"
#include "lib/child/child_message.h"
#include <peal/hints.h>
#include <stdlib.h>

void
prover_keep_choices(const struct prover *prover, struct peal_finding *finding)
{
    const struct explorer *explorer = &prover->explorer;
    size_t count = explorer->described < PEAL_CHOICES ? explorer->described : PEAL_CHOICES;

    finding->choices_cut = explorer->described > PEAL_CHOICES;
    finding->choice_count = (int)count;
    if (count > 0)
        memcpy(finding->choices, explorer->choices, count * sizeof *finding->choices);
}

void
prover_check_limits(struct prover *prover, const struct peal_machine *machine, const struct peal_check_case *c,
                    bool extra)
{
    struct peal_situation situation = runner_situation(&prover->runner, c, machine);
    struct excess excesses[MAX_EXCESSES];
    struct peal_cost cost = runner_cost(&prover->runner, machine);
    struct peal_error error;
    int count = excess_find(prover->check, c, &situation, &prover->runner.data, extra, machine, cost, excesses, &error);

    for (int i = 0; i < count; i++) {
        struct peal_finding finding = {.kind = excesses[i].kind, .severity = excesses[i].severity};

        snprintf(finding.message, sizeof finding.message, "%s", excesses[i].message);
        if (excesses[i].asked)
            prover_keep_choices(prover, &finding);
        if (excesses[i].more && excesses[i].kind != PEAL_EXCESS_HOPS && excesses[i].kind != PEAL_EXCESS_MESSAGES)
            rerun_for_busiest(prover, c, excesses[i].most, &finding);
        check_report_finding(&prover->reporter, c, finding);
    }
    if (error.status != PEAL_OK)
        check_report_last_error(&prover->reporter, &error);
    if (prover->check->mpi && c->ports == 1 && !c->half_duplex && !c->eager && !c->in_place && !c->sizes && !extra)
        alike_note(&prover->alike, situation, cost);
}

bool
fault_is_of_words(enum peal_failure_kind kind)
{
    return kind == PEAL_WRONG_RESULT || kind == PEAL_NONCOMMUTATIVE_ORDER;
}

void
prover_report_failure(struct prover *prover, const struct peal_check_case *c, struct peal_finding *finding)
{
    bool undecided = finding->kind == PEAL_TIMED_OUT || finding->kind == PEAL_OUT_OF_MEMORY;

    if (cases_unstored(c) && undecided) {
        cases_say_undecided(c->words, finding->kind, prover->end.far);
        return;
    }
    const bool *seen = prover->reporter.seen[PEAL_SEVERITY_ERROR];
    bool both = seen[PEAL_DEADLOCK] && seen[PEAL_DEADLOCK_IF_UNBUFFERED];

    if (finding->kind == PEAL_DEADLOCK && !both && rerun_buffered(prover, c))
        finding->kind = PEAL_DEADLOCK_IF_UNBUFFERED;
    if (finding->kind == PEAL_OUT_OF_MEMORY)
        peal_append(IN_ARRAY(finding->message), " (the bound was not reached)");
    check_report_finding(&prover->reporter, c, *finding);
    if (finding->kind == PEAL_TIMED_OUT &&
        !cases_tolerated(prover->check, c)) { /* each further one would take as long */
        struct prover_message message = {.what = MESSAGE_END};

        child_send_message(prover->reporter.child, &message, sizeof message);
        child_exit(0);
    }
}

void
prover_report_wrong(struct prover *prover, const struct peal_check_case *c, struct peal_finding *finding, bool right)
{
    bool reported = prover->reporter.seen[PEAL_SEVERITY_ERROR][right ? PEAL_ORDER_DEPENDENT : finding->kind];

    if (!reported && !prover->check->element)
        rerun_for_message(prover, c, finding);
    if (!reported && strstr(finding->message, VECTORS_CONST))
        rerun_for_store(prover, c, finding);

    if (!right || finding->kind == PEAL_NONCOMMUTATIVE_ORDER)
        check_report_finding(&prover->reporter, c, *finding);
    if (!right)
        return;
    peal_append(IN_ARRAY(finding->message), "; it is right when messages come in another order");
    finding->kind = PEAL_ORDER_DEPENDENT;
    snprintf(finding->fix, sizeof finding->fix, "%s",
             prover->check->mpi ? PEAL_HINT(order_receive) : PEAL_HINT(order_source));
    check_report_finding(&prover->reporter, c, *finding);
}

void
prover_report_obstacle(const struct prover *prover)
{
    struct peal_error error;

    if (prover->explorer.no_memory)
        peal_refuse(&error, PEAL_RESOURCES, "not enough memory for the choices of a run");
    else
        peal_refuse(&error, PEAL_USAGE,
                    "--choices: number %zu is not a rank whose message could be received at that point",
                    prover->explorer.choice_count);
    check_report_last_error(&prover->reporter, &error);
}
