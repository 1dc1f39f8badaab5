/* SPDX-License-Identifier: MIT */
/* private-memory, found in a second way: while a node runs, the stacks and the blocks of all others are closed to it by
 * the processor.  Nothing of the check's own shadow takes part.  Both ways must blame the same node for the same memory
 * of the same other node, and the processor's must find nothing where the check does not. */
#include "lib/machine/hooks.h"
#include "lib/machine/stacks.h"
#include "tests/check/wrong/touches_others.c"
#include <criterion/criterion.h>
#include <peal/check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The fibers engine's jumps are wrapped (ld --wrap): whoever arrives on a node's stack closes the memory of all others;
 * whoever leaves one opens where it goes to, and for the round, which delivers, everything. */

enum { NODES = 4, ARENA_BYTES = 1 << 16 };

struct transfer {
    void *context, *data;
};

struct transfer __real_jump_fcontext(void *to, void *data);
void *__real_make_fcontext(void *top, size_t bytes, void (*entry)(struct transfer));
struct transfer __wrap_jump_fcontext(void *to, void *data);
void *__wrap_make_fcontext(void *top, size_t bytes, void (*entry)(struct transfer));

static struct {
    struct peal_machine *machine;
    char *arenas;
    size_t used[NODES];
    void (*entry)(struct transfer);
    char *stacks; /* as they were in the last run */
    size_t stride;
    int closings;
} ward;

static void
set_rights(int rank, int rights)
{
    cr_assert_eq(mprotect(node_stack(ward.machine, rank), ward.machine->stacks.stack_bytes, rights), 0);
    cr_assert_eq(mprotect(ward.arenas + (size_t)rank * ARENA_BYTES, ARENA_BYTES, rights), 0);
}

/* Where `self` is now, NULL at home: close what is not its own. */
static void
arrive(void)
{
    for (int rank = 0; rank < NODES; rank++)
        set_rights(rank, !self || self->rank == rank ? PROT_READ | PROT_WRITE : PROT_NONE);
    ward.closings += self != NULL;
}

struct transfer
__wrap_jump_fcontext(void *to, void *data)
{
    if (!ward.machine) /* one of a check's */
        return __real_jump_fcontext(to, data);
    if (self) /* the node that is jumped to */
        set_rights(self->rank, PROT_READ | PROT_WRITE);
    struct transfer came = __real_jump_fcontext(to, data);

    arrive();
    return came;
}

static void
first_entry(struct transfer came)
{
    arrive();
    ward.entry(came);
}

void *
__wrap_make_fcontext(void *top, size_t bytes, void (*entry)(struct transfer))
{
    if (!ward.machine)
        return __real_make_fcontext(top, bytes, entry);
    ward.entry = entry;
    ward.stacks = ward.machine->stacks.mapping;
    ward.stride = ward.machine->stacks.stride;
    set_rights((int)((size_t)((char *)top - 1 - ward.stacks) / ward.stride),
               PROT_READ | PROT_WRITE); /* it is written to */
    return __real_make_fcontext(top, bytes, first_entry);
}

/* ------------------------------------------------------------------ blocks, an arena a node */

static void *
get(struct node *node, size_t header, size_t bytes, bool zero, bool ours, const char *file, int line)
{
    size_t begin = ward.used[node->rank], total = (header + bytes + 63) / 64 * 64;

    (void)zero, (void)ours, (void)file, (void)line;
    cr_assert_leq(begin + total, ARENA_BYTES);
    ward.used[node->rank] += total;
    return memset(ward.arenas + (size_t)node->rank * ARENA_BYTES + begin, 0, total);
}

static void
put(struct node *node, void *memory)
{
    (void)node, (void)memory;
}

static void
posted(struct node *node, uint32_t id, const struct peal_piece *pieces, int count, size_t word_bytes)
{
    (void)node, (void)id, (void)pieces, (void)count, (void)word_bytes;
}

static void
finished(struct node *node, uint32_t id)
{
    (void)node, (void)id;
}

static void
ended(struct node *node)
{
    (void)node;
}

static const struct memory_hooks hooks = {
    .posted = posted, .finished = finished, .get = get, .put = put, .ended = ended};

/* ------------------------------------------------------------------ the two ways */

/* The node found: -1 none. */
struct found {
    int culprit, victim, line;
    bool stack;
};

static void
program(struct peal_node *me, void *arg)
{
    (void)arg;
    my_barrier(me);
}

static struct found
found_by_processor(uint64_t seed)
{
    struct found found = {-1, -1, 0, false};
    struct peal_options options;
    struct peal_error error;

    peal_options_init(&options);
    options.nodes = NODES;
    options.engine = "fibers";
    options.carriers = 1;
    options.seed = seed;
    ward.machine = peal_machine_create(&options, &error);
    cr_assert(ward.machine, "%s", error.text);
    ward.machine->memory_hooks = &hooks;
    ward.closings = 0;
    memset(ward.used, 0, sizeof ward.used);
    const struct peal_failure *failure = peal_run(ward.machine, program, NULL);

    cr_expect_gt(ward.closings, NODES);
    if (failure) {
        const char *at = strstr(failure->message, "at address ");
        char *address = at ? (char *)(uintptr_t)strtoull(at + 11, NULL, 16) : NULL;

        cr_assert(failure->kind == PEAL_CRASH && address, "%s", failure->message);
        found.culprit = failure->rank;
        found.line = failure->line;
        found.stack = address >= ward.stacks && address < ward.stacks + NODES * ward.stride;
        found.victim = found.stack ? (int)((size_t)(address - ward.stacks) / ward.stride)
                                   : (int)((size_t)(address - ward.arenas) / ARENA_BYTES);
    }
    peal_machine_destroy(ward.machine);
    ward.machine = NULL;
    return found;
}

static struct found
found_by_check(uint64_t seed)
{
    const struct peal_check check = {.collective = PEAL_BARRIER,
                                     .file = PROGRAMS "/touches_others.c",
                                     .symbol = "my_barrier",
                                     .nodes_from = NODES,
                                     .nodes_to = NODES,
                                     .has_root = true,
                                     .has_ports = true,
                                     .ports = 1,
                                     .has_delivery = true,
                                     .seed = seed};
    struct found found = {-1, -1, 0, false};
    struct peal_verdict verdict;
    struct peal_error error;

    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_assert_eq(verdict.error.status, PEAL_OK, "%s", verdict.error.text);
    if (verdict.finding_count > 0 &&
        verdict.findings[0].severity == PEAL_SEVERITY_ERROR) { /* errors are alone where there are any */
        const struct peal_finding *first = &verdict.findings[0];
        const char *victim = strstr(first->message, "node ");

        cr_assert_eq(first->kind, PEAL_PRIVATE_MEMORY, "%s", first->message);
        found.culprit = atoi(victim + 5);
        found.victim = atoi(strstr(victim + 5, "node ") + 5);
        found.line = first->line;
        found.stack = strstr(first->message, "stack") != NULL;
    }
    return found;
}

Test(protected, both_ways_blame_the_same_node_for_the_same_memory, .timeout = 240)
{
    int found = 0, stacks = 0;

    ward.arenas = mmap(NULL, NODES * ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(ward.arenas, MAP_FAILED);
    for (uint64_t seed = 0; seed <= 6; seed++) {
        struct found one = found_by_processor(seed), other = found_by_check(seed);

        cr_expect_eq(one.culprit, other.culprit, "seed %d: nodes %d and %d", (int)seed, one.culprit, other.culprit);
        cr_expect_eq(one.victim, other.victim, "seed %d: nodes %d and %d", (int)seed, one.victim, other.victim);
        cr_expect_eq(one.stack, other.stack, "seed %d", (int)seed);
        cr_expect(one.line == other.line, "seed %d: lines %d and %d", (int)seed, one.line, other.line);
        cr_expect_eq(one.culprit >= 0, seed > 0, "seed %d", (int)seed);
        found += one.culprit >= 0;
        stacks += one.stack;
    }
    cr_expect(stacks > 0 && stacks < found, "%d of %d on stacks: the seeds try one kind only", stacks, found);
}
