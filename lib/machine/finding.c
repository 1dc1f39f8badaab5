/* SPDX-License-Identifier: MIT */
/* Findings: faults of a run that did not end it.  A finding of the same kind at the same places is kept once and
 * counted.  Nodes record findings while they run, on several carriers at once, so the list is sorted when the run has
 * ended. */
#include "lib/base/in_fortran.h"
#include "lib/base/text.h"
#include "lib/machine/failure.h"
#include "lib/machine/lookup.h"
#include "lib/machine/requests.h"
#include "lib/machine/rules.h"
#include "lib/machine/run_finding.h"

struct findings {
    struct peal_run_finding *list;
    size_t count, capacity;
    struct map by_places; /* by finding_hash */
};

static bool
same_places(const struct peal_run_finding *finding, const struct peal_place *places, int count)
{
    if (finding->place_count != count)
        return false;
    for (int i = 0; i < count; i++) {
        const struct peal_place *a = &finding->places[i], *b = &places[i];

        if (a->rank != b->rank || a->line != b->line || !a->file != !b->file ||
            (a->file && strcmp(a->file, b->file) != 0))
            return false;
    }
    return true;
}

static uint64_t
finding_hash(enum peal_failure_kind kind, const struct peal_place *places, int count)
{
    uint64_t hash = (uint64_t)kind;

    for (int i = 0; i < count; i++)
        hash = map_mix(hash, map_pair((uint32_t)places[i].rank, (uint32_t)places[i].line));
    return hash;
}

/* The finding of this kind at these places; NULL. */
static struct peal_run_finding *
findings_find(const struct findings *findings, uint64_t hash, const struct peal_run_finding *new)
{
    size_t at = 0;

    for (ptrdiff_t i; (i = map_next(&findings->by_places, hash, &at)) != MAP_NONE;)
        if (findings->list[i].kind == new->kind && same_places(&findings->list[i], new->places, new->place_count))
            return &findings->list[i];
    return NULL;
}

static void
clear_one(struct peal_run_finding *finding)
{
    for (int i = 0; finding->places && i < finding->place_count; i++)
        free((char *)(uintptr_t)finding->places[i].file);
    free((struct peal_place *)(uintptr_t)finding->places);
    free((int *)(uintptr_t)finding->cycle);
}

/* Give the finding copies of all that it points to, its places looked up, after `first` (NULL: none); false without
 * memory. */
static bool
finding_copy(const struct peal_machine *machine, struct peal_run_finding *finding, const struct peal_place *first)
{
    const struct peal_run_finding given = *finding;
    int more = first != NULL;
    size_t count = (size_t)given.place_count + (size_t)more,
           cycle_bytes = (size_t)given.cycle_length * sizeof *given.cycle;
    struct peal_place *own = calloc(count, sizeof *own);
    void *cycle = given.cycle ? malloc(cycle_bytes) : NULL;
    bool copied = own;

    finding->places = own;
    finding->place_count = own ? (int)count : 0;
    finding->cycle = cycle ? memcpy(cycle, given.cycle, cycle_bytes) : NULL;
    finding->cycle_length = cycle ? given.cycle_length : 0;
    for (int i = 0; i < finding->place_count; i++) {
        const struct peal_place *place = i < more ? first : &given.places[i - more];
        struct call_site site = site_of(machine, place->file, place->line);

        own[i] = (struct peal_place){place->rank, site.file ? strdup(site.file) : NULL, site.line};
        copied = copied && (own[i].file || !site.file);
    }
    if (own) {
        finding->rank = own[0].rank;
        finding->line = own[0].file ? own[0].line : 0;
        snprintf(finding->file, sizeof finding->file, "%s", own[0].file ? own[0].file : "");
        site_tell_through(machine, first ? first->file : given.places[0].file,
                          first ? first->line : given.places[0].line, IN_ARRAY(finding->message));
        if (peal_is_fortran(finding->file)) {
            fortran_words(finding->message, sizeof finding->message);
            fortran_words(finding->fix, sizeof finding->fix);
        }
    }
    return copied;
}

struct listener_call {
    const struct peal_machine *machine;
    const struct peal_run_finding *finding;
};

static void *
call_listener(void *arg)
{
    const struct listener_call *call = arg;

    call->machine->reports.found(call->finding, call->machine->reports.found_arg);
    return NULL;
}

/* Pass the finding to the listener.  One that prints needs more than the smallest stack of a node. */
static void
finding_notify(const struct peal_machine *machine, const struct peal_run_finding *finding)
{
    enum { ENOUGH = 32 << 10 };
    struct listener_call call = {machine, finding};

    if (machine->stacks.stack_bytes >= ENOUGH || !lookup_apart(call_listener, &call))
        call_listener(&call);
}

/* Count the finding, or keep a copy of it, and of what it points to, and give true.  The caller has the lock.
 * *memory: whether there is enough. */
static bool
findings_keep(struct peal_machine *machine, const struct peal_run_finding *new, bool *memory)
{
    struct findings *findings = machine->reports.findings;
    const uint64_t hash = finding_hash(new->kind, new->places, new->place_count);
    struct peal_run_finding *finding = findings ? findings_find(findings, hash, new) : NULL;

    if (finding) {
        finding->times++;
        return false;
    }
    if (!findings)
        findings = machine->reports.findings = calloc(1, sizeof *findings);
    *memory = findings &&
              array_grow(&findings->list, &findings->capacity, findings->count + 1, sizeof *findings->list) &&
              map_put(&findings->by_places, hash, findings->count);
    if (!*memory)
        return false;
    findings->list[findings->count++] = *new;
    if (machine->reports.found)
        finding_notify(machine, &findings->list[findings->count - 1]);
    return true;
}

/* Add what the machine knows of a finding of the node (NULL: none) at this place. */
static void
finding_complete(const struct peal_machine *machine, struct peal_run_finding *finding, const struct node *node,
                 const char *place)
{
    const char *rule = peal_rule_of(finding->kind)->rule;

    if (finding->severity == PEAL_SEVERITY_ERROR) /* the run goes on */
        finding->severity = PEAL_SEVERITY_WARNING;
    if (!finding->rule[0] && finding->severity != PEAL_SEVERITY_NOTE && rule)
        snprintf(finding->rule, sizeof finding->rule, "%s", rule);
    if (!finding->fix[0] && node && node->advice)
        snprintf(finding->fix, sizeof finding->fix, "%s", node->advice);
    advice_name_calls(place, finding->fix);
    finding->times = 1;
    if (finding->round == 0)
        finding->round = machine->round.number;
}

bool
finding_add(struct peal_machine *machine, const struct peal_run_finding *given, const struct peal_place *first)
{
    struct peal_run_finding *finding = malloc(sizeof *finding); /* a node's stack may be small */
    int rank = (first ? first : given->places)->rank;
    struct node *node = rank >= 0 ? &machine->nodes[rank] : NULL;

    if (!finding)
        return false;
    *finding = *given;
    finding_complete(machine, finding, node, (first ? first : given->places)->file);
    bool memory = finding_copy(machine, finding, first);

    pthread_mutex_lock(&machine->reports.lock);
    bool kept = memory && findings_keep(machine, finding, &memory);

    pthread_mutex_unlock(&machine->reports.lock);
    if (!kept)
        clear_one(finding);
    free(finding);
    if (node)
        node_advice_free(node);
    return memory;
}

void
peal_report_at(struct peal_node *me, enum peal_failure_kind kind, const struct peal_place *places, int count,
               const char *file, int line, const char *format, ...)
{
    struct peal_run_finding finding = {.kind = kind, .places = places, .place_count = count};

    WRITE_ARGUMENTS(finding.message, format);
    peal_add_finding_at(me, &finding, file, line);
}

void
peal_add_finding_at(struct peal_node *me, const struct peal_run_finding *finding, const char *file, int line)
{
    call_enter(me, passed_by_system(me->node, file, line), line);
    if (!finding_add(me->node->machine, finding, &(struct peal_place){me->node->rank, me->node->file, me->node->line}))
        node_fail(me, PEAL_OUT_OF_MEMORY, "no memory for a finding");
    call_leave(me);
}

void
peal_record_places(struct peal_node *me, const struct peal_run_finding *finding)
{
    me->node->inside = true;
    if (!finding_add(me->node->machine, finding, NULL))
        node_fail(me, PEAL_OUT_OF_MEMORY, "no memory for a finding");
    call_leave(me);
}

uint64_t
peal_phase(const struct peal_node *me)
{
    return atomic_load_explicit(&me->node->machine->phase.number, memory_order_relaxed);
}

/* By severity, by round, then by ranks; those of one node in one round stay in order: they are neighbours. */
static int
findings_compare(const void *a, const void *b)
{
    const struct peal_run_finding *x = a, *y = b;

    if (x->severity != y->severity)
        return x->severity < y->severity ? -1 : 1;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    if (x->places[0].rank != y->places[0].rank)
        return x->places[0].rank < y->places[0].rank ? -1 : 1;
    return 0;
}

void
findings_sort(struct peal_machine *machine)
{
    if (machine->reports.findings) /* glibc's qsort keeps the order of equal ones as long as there is memory for it */
        qsort(machine->reports.findings->list, machine->reports.findings->count,
              sizeof *machine->reports.findings->list, findings_compare);
}

void
findings_clear(struct peal_machine *machine)
{
    struct findings *findings = machine->reports.findings;

    if (!findings)
        return;
    for (size_t i = 0; i < findings->count; i++)
        clear_one(&findings->list[i]);
    free(findings->list);
    free(findings->by_places.places);
    free(findings);
    machine->reports.findings = NULL;
}

void
peal_machine_listen(struct peal_machine *machine, peal_finding_listener listener, void *arg)
{
    machine->reports.found = listener;
    machine->reports.found_arg = arg;
}

const struct peal_run_finding *
peal_machine_findings(const struct peal_machine *machine, size_t *count)
{
    *count = machine->reports.findings ? machine->reports.findings->count : 0;
    return machine->reports.findings ? machine->reports.findings->list : NULL;
}
