/* SPDX-License-Identifier: MIT */
/* Nodes whose program runs in another process: while one waits for it, the carrier runs its other nodes; it sleeps when
 * all wait.  It looks at the waiting nodes in the order in which they came. */
#include "lib/machine/outsiders.h"
#include "lib/base/clock.h"
#include "lib/machine/carrier.h"
#include "lib/machine/hooks.h"
#include "lib/machine/machine.h"
#include <peal/outside.h>

const struct peal_other_threads *other_threads;

void
peal_other_threads(const struct peal_other_threads *threads)
{
    other_threads = threads;
}

enum { GRACE = 1000 * 1000 * 1000 }; /* nanoseconds, for a failure of a lower rank in the same phase */

static bool
has_failed(struct peal_machine *machine)
{
    pthread_mutex_lock(&machine->reports.lock);
    bool failed = machine->reports.failed;

    pthread_mutex_unlock(&machine->reports.lock);
    return failed;
}

struct node *
outsiders_next(struct carrier *carrier)
{
    struct peal_machine *machine = carrier->machine;
    int64_t failed = 0;

    for (;;) {
        for (struct outsider **at = &carrier->outside; *at; at = &(*at)->next) {
            struct outsider *one = *at;

            if (!atomic_load(&machine->stopping) && !one->came(one->arg))
                continue;
            *at = one->next;
            atomic_store_explicit(&carrier->current, one->node, memory_order_relaxed);
            return one->node;
        }
        if (failed == 0 && has_failed(machine))
            failed = nanoseconds_now();
        if (failed != 0 && nanoseconds_now() - failed > GRACE)
            atomic_store(&machine->stopping, true);
        else
            carrier->outside->sleep();
    }
}
