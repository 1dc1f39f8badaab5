/* SPDX-License-Identifier: MIT */
/* Looks at everything that the parent takes from a check's child before the parent uses it: pointers are those of lists
 * that were made before the child, and so are the parent's own. */
#include "lib/check/possible.h"
#include <string.h>

static bool
ends_within(const char *text, size_t bytes)
{
    return memchr(text, '\0', bytes);
}

#define ENDS(array) ends_within(array, sizeof(array))

/* Whether the lists of the check have the topology and the lengths. */
static bool
case_is_possible(const struct peal_check *check, const struct peal_check_case *where)
{
    bool is_topology = false,
         are_sizes = where->sizes ? where->sizes == &cases_far_words[check->divides] && where->size_count == 1
                                  : where->size_count == 0;
    struct cases cases;

    if (where->nodes < 1 || where->nodes > cases_most(check) || where->to || where->call & ~(unsigned)CALLS_ALL ||
        where->switching > PEAL_STORE_FORWARD || cases_init(&cases, check, where->nodes, NULL) != PEAL_OK)
        return false;
    for (int i = 0; i < cases.network_count; i++)
        is_topology |= cases.networks[i].topology == where->topology;
    for (int i = 0; i < cases.size_count; i++)
        are_sizes |= cases.sizes[i].sizes == where->sizes && cases.sizes[i].size_count == where->size_count;
    cases_fini(&cases);
    return is_topology && are_sizes;
}

static bool
finding_is_possible(const struct peal_check *check, const struct peal_finding *finding)
{
    return finding->kind < PEAL_FAILURE_KINDS && finding->severity <= PEAL_SEVERITY_NOTE && ENDS(finding->message) &&
           ENDS(finding->fix) && ENDS(finding->rule) && ENDS(finding->file) && ENDS(finding->rerun) &&
           ENDS(finding->error_output) && finding->choice_count >= 0 && finding->choice_count <= PEAL_CHOICES &&
           case_is_possible(check, &finding->where);
}

bool
message_is_possible(const struct peal_check *check, const struct prover_message *message)
{
    const struct prover_end *end = &message->as.end;
    bool possible = true;

    switch (message->what) {
    case MESSAGE_FINDING:
        return finding_is_possible(check, &message->as.finding);
    case MESSAGE_NODES:
        return message->as.nodes >= 1 && message->as.nodes <= cases_most(check);
    case MESSAGE_NUMBER:
        return check->program && number_is_wanted(check, message->as.number.nodes) &&
               message->as.number.end < NUMBER_ENDS;
    case MESSAGE_REFUSAL:
        return check->program && finding_is_possible(check, &message->as.refusal.finding) &&
               ENDS(message->as.refusal.said) && number_is_wanted(check, message->as.refusal.finding.where.nodes);
    case MESSAGE_ERROR:
        return message->as.error.status >= PEAL_USAGE && message->as.error.status <= PEAL_RESOURCES &&
               ENDS(message->as.error.text);
    case MESSAGE_IDENTITY:
        for (int way = 0; way < PEAL_IDENTICALS; way++)
            possible &= ENDS(message->as.identity.how[way]);
        return possible;
    case MESSAGE_END:
        return ENDS(end->alike) && ENDS(end->around) && ENDS(end->arrays) && ENDS(end->far) && ENDS(end->not_run);
    }
    return false;
}

int
progress_nodes(const struct peal_check *check, const struct proof_progress *progress, int from)
{
    const int nodes = atomic_load(&progress->nodes);

    return nodes >= 0 && nodes <= cases_most(check) ? nodes : from;
}

struct peal_check_case
progress_case(const struct peal_check *check, const struct proof_progress *progress, const struct cases *cases)
{
    const size_t index = atomic_load(&progress->index);
    const int turn = atomic_load(&progress->turn);
    struct peal_check_case where = cases_get(cases, check, index < cases_count(cases, check) ? index : 0);

    where.call = atomic_load(&progress->call) & CALLS_ALL;
    if (atomic_load(&progress->below))
        where.words = atomic_load(&progress->words);
    for (int i = 0; atomic_load(&progress->below) && i < cases->turn_count; i++)
        if (cases->turns[i] == turn)
            *(peal_form_of(check->collective)->by ? &where.by : &where.root) = turn;
    return where;
}
