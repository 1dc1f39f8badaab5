/* SPDX-License-Identifier: MIT */
/* Reports of nodes that crashed, or that still computed when their time was up: made at the node's entry, to which the
 * handlers (signals.c) jump. */
#include "lib/child/crash.h"
#include "lib/base/text.h"
#include "lib/machine/carrier.h"
#include "lib/machine/failure.h"
#include "lib/machine/lookup.h"
#include "lib/machine/stacks.h"
#include "lib/machine/strand.h"
#include <link.h>
#include <peal/hints.h>
#include <sys/auxv.h>

_Thread_local struct crash crash;

/* An address that the processor does not report, since the value is not an address. */
static const void *const no_address = (const void *)UINTPTR_MAX;

/* ------------------------------------------------------------------ what the system refused */

/* Each node's last refusal in this run, "fopen("x"): Permission denied"; written by the node's thread, read after the
 * run.  With many nodes several share an entry, which keeps the last refusal. */
static struct refusal {
    bool some;
    int rank;
    char text[160];
} refusals[64];

enum { REFUSALS = sizeof refusals / sizeof *refusals };

void
crash_refusals_forget(void)
{
    for (int i = 0; i < REFUSALS; i++)
        refusals[i].some = false;
}

void
crash_note_refusal(int rank, const char *call, const char *name, int reason)
{
    struct refusal *refusal = &refusals[rank % REFUSALS];

    refusal->some = true;
    refusal->rank = rank;
    snprintf(refusal->text, sizeof refusal->text, "%s(%s%.*s%s): %s", call, name ? "\"" : "",
             FITTING(80, name ? name : ""), name ? "\"" : "", reason ? strerror(reason) : "there is none");
    make_plain(refusal->text);
}

void
crash_refusal(int rank, char *text, size_t bytes)
{
    const struct refusal *refusal = rank < 0 ? NULL : &refusals[rank % REFUSALS];

    text[0] = '\0';
    if (refusal && refusal->some && refusal->rank == rank)
        snprintf(text, bytes, "; before that, %s%s", refusal->text,
                 in_sandbox ? " (a checked function has no files and no environment)" : "");
}

/* ------------------------------------------------------------------ which line */

/* The loader has not finished with the program: its constructors run. */
static bool
offset_while_loading(uintptr_t address, uintptr_t *offset)
{
#if __GLIBC_PREREQ(2, 35)
    struct dl_find_object found;

    if (_dl_find_object((void *)address, &found) != 0 || !found.dlfo_link_map ||
        strncmp(found.dlfo_link_map->l_name, "/proc/", 6) != 0) /* a file in memory, as load.c names it */
        return false;
    *offset = address - found.dlfo_link_map->l_addr;
    return true;
#else
    (void)address, (void)offset;
    return false;
#endif
}

bool
crash_offset(const struct image *image, uintptr_t address, uintptr_t *offset)
{
    const struct image_copy *copy = image_copy_at(image, address);

    if (copy)
        *offset = address - copy->base;
    return copy || offset_while_loading(address, offset);
}

int
crash_first_frame(void)
{
    int first = 0;

    while (first < crash.frame_count && crash.frames[first] != crash.counter)
        first++;
    return first < crash.frame_count ? first : 0;
}

/* Whether lines of this module are of no interest: the C library's, the sanitizers', and Peal's, MPI's calls included.
 * Where a program is loaded from a file, so is the process's own executable; otherwise the nodes' code may be linked
 * into it. */
static bool
is_not_theirs(const struct peal_machine *machine, const Dl_info *module)
{
    Dl_info library = {.dli_fbase = NULL}, program = {.dli_fbase = NULL};

    dladdr((const void *)getauxval(AT_PHDR), &program);
    dladdr(&no_address, &library);
    if (module->dli_fbase == program.dli_fbase)
        return machine->image != NULL;
    return module->dli_fbase == library.dli_fbase || strstr(module->dli_fname, "/libc.so") ||
           strstr(module->dli_fname, "/libpealmpi.so") || strstr(module->dli_fname, "san.so");
}

/* The innermost frame in code whose lines are known and of interest: if there is one, of the program's own source. */
static bool
find_place(const struct node *node, struct frame_line *known)
{
    for (int i = crash_first_frame(); i < crash.frame_count; i++) {
        uintptr_t before_call = crash.frames[i] != crash.counter; /* a return address: the call lies before it */
        char own[40];
        Dl_info module;

        const struct image_copy *copy = image_copy_at(node->machine->image, (uintptr_t)crash.frames[i]);
        const char *path = node->machine->symbols;
        uintptr_t base = copy ? copy->base : 0;

        if (!copy || !path) {
            if (!dladdr(crash.frames[i], &module) || !module.dli_fname || is_not_theirs(node->machine, &module))
                continue;
            path = lookup_module_file(&module, own);
            base = (uintptr_t)module.dli_fbase;
        }
        uintptr_t offset = (uintptr_t)crash.frames[i] - base - before_call;

        if (lookup_frame(path, offset, known))
            break;
    }
    return known->line > 0;
}

/* Without guards: whether the node's stack has overflowed into the gap below it, which nothing else writes to. */
__attribute__((no_sanitize("address"))) /* it marks the memory of overflowed frames */
static bool
wrote_below(const struct peal_machine *machine, int rank)
{
    const uint64_t *low = (const uint64_t *)(const void *)node_stack(machine, rank);

    if (!machine->stacks.unguarded || rank == 0) /* the lowest node has a guard */
        return false;
    for (size_t i = 1; i <= machine->stacks.guard_bytes / sizeof *low; i++)
        if (low[-(ptrdiff_t)i] != 0)
            return true;
    return false;
}

static bool
node_stack_overflowed(const struct node *node)
{
    const char *address = crash.address, *low = node_stack(node->machine, node->rank);

    if (crash.signal != SIGSEGV)
        return false;
    return (address >= low - node->machine->stacks.guard_bytes && address < low + 4096) ||
           wrote_below(node->machine, node->rank) || strands_overflowed(node, address);
}

/* Whether the program wrote beyond the upper end of its stack, where the guard of the next one or of the engine
 * lies. */
static bool
overran(const struct node *node)
{
    const char *address = crash.address,
               *end = node_stack(node->machine, node->rank) + node->machine->stacks.stack_bytes;

    return crash.signal == SIGSEGV && address >= end && address < end + node->machine->stacks.guard_bytes;
}

static void
note_overflow(struct node *node)
{
    _Atomic int *highest = &node->machine->stacks.overflowed;
    int seen = atomic_load(highest);

    while (seen < node->rank && !atomic_compare_exchange_weak(highest, &seen, node->rank))
        ;
}

void
crash_abandon(struct peal_machine *machine)
{
    for (int rank = atomic_load(&machine->stacks.overflowed); rank > 0 && wrote_below(machine, rank); rank--) {
        struct node *below = &machine->nodes[rank - 1];

        if (below->state == NODE_FINISHED || below->state == NODE_FAILED)
            continue;
        node_clear(below);
        below->state = NODE_FAILED;
    }
}

static const char overrun_words[] = "it wrote beyond the upper end of its stack: is an array of a function too short?";
/* What overflowed, and how to enlarge it; the stack of a checked function cannot be enlarged. */
static void
overflow_words(const struct node *node, char text[160])
{
    snprintf(text, 160, "its stack of %zu KiB overflowed: %s", node->machine->stacks.stack_bytes / 1024,
             in_sandbox ? "does a function call itself without end, or have a large array?"
                        : "peal run --stack gives it more");
}

void
crash_overflowed(struct node *node)
{
    char what[160];

    note_overflow(node);
    overflow_words(node, what);
    failure_set(node->machine, node->rank, PEAL_CRASH, node->file, node->line, "node %d crashed: %s%s", node->rank,
                what, node->file ? " (before its call at this line ended)" : "");
}

/* For a sanitizer: forget the frames that a signal handler jumped over. */
static void
forget_frames(const struct node *node)
{
#if ADDRESS_SANITIZER
    char *low = node_stack(node->machine, node->rank), *here = __builtin_frame_address(0);

    if (node->machine->stacks.mapping) /* else its own, on MPI */
        __asan_unpoison_memory_region(low, (size_t)(here - low));
#else
    (void)node;
#endif
}

const void *
crash_address(const siginfo_t *info)
{
    return info->si_code == SI_KERNEL ? no_address : info->si_addr;
}

/* Whether an element behind a pointer of this value has the address that the crash reports.  For a value that is not an
 * address x86-64 reports no address, arm64 the value without its highest byte, and qemu 0. */
static bool
pointer_leads_to(uintptr_t value, const void *address)
{
    enum { REACH = 1 << 20, ADDRESS_BITS = 47 }; /* bytes from the pointer to the element; bits */

    if (value >> ADDRESS_BITS == 0)
        return (uintptr_t)address - value < REACH;
    if (address == no_address)
        return true;
#ifdef __x86_64__
    return false;
#else
    const uintptr_t untagged = UINTPTR_MAX >> 8;

    return !address || ((uintptr_t)address & untagged) - (value & untagged) < REACH;
#endif
}

void
crash_check_hint(struct node *node)
{
    enum { REGION = 40 }; /* bits */
    struct crash_hint *hint = node->crash_hint;
    uintptr_t now;

    if (!hint || !hint->buffer)
        return;
    memcpy(&now, hint->buffer, sizeof now);
    bool used = crash.signal == SIGABRT ? now >> REGION == hint->held >> REGION /* in free() */
                                        : pointer_leads_to(now, crash.address);

    if (now == hint->held || now == 0 || !used)
        *hint = (struct crash_hint){.call = NULL};
}

char *
crash_words(int signal, const void *address, char text[160])
{
    switch (signal) {
    case SIGSEGV:
    case SIGBUS:
        if (address == no_address)
            snprintf(text, 160, "segmentation fault (a pointer whose value is not an address?)");
        else
            snprintf(text, 160, "%s at address 0x%lx", signal == SIGSEGV ? "segmentation fault" : "bus error",
                     (unsigned long)(uintptr_t)address);
        break;
    case SIGFPE:
        snprintf(text, 160, "arithmetic error (a division by zero?)");
        break;
    case SIGILL:
        snprintf(text, 160, "illegal instruction");
        break;
    case SIGABRT:
        snprintf(text, 160, "abort");
        break;
    case SIGTRAP:
        snprintf(text, 160, "trap (a breakpoint?)");
        break;
    case SIGSYS:
        snprintf(text, 160, "a system call that is not allowed or does not exist");
        break;
    default:
        snprintf(text, 160, "signal %d (%s)", signal, sigdescr_np(signal) ? sigdescr_np(signal) : "unknown");
    }
    return text;
}

bool
crash_by_null(int signal, const void *address)
{
    return signal == SIGSEGV && is_in_null_page(address);
}

/* Whether the program was ended by an exception that nobody catches. */
static bool
threw_exception(void)
{
    Dl_info module;

    for (int i = crash_first_frame(); i < crash.frame_count; i++) {
        const void *call = (const char *)crash.frames[i] - 1; /* its last one, of terminate: it does not return */

        if (dladdr(call, &module) && module.dli_sname && strcmp(module.dli_sname, "__cxa_throw") == 0)
            return crash.signal == SIGABRT;
    }
    return false;
}

static void
report_crash(struct node *node)
{
    char what[160], where[SITE_WORDS + 30] = "", site[SITE_WORDS];
    struct frame_line place = {.line = 0};
    bool constant = crash.signal == SIGSEGV && image_is_constant(node->machine->image, (uintptr_t)crash.address);

    if (constant) {
        snprintf(what, sizeof what, "%s", CONSTANT_WORDS);
    } else if (overran(node)) {
        snprintf(what, sizeof what, "%s", overrun_words);
    } else if (node_stack_overflowed(node)) {
        note_overflow(node);
        overflow_words(node, what);
    } else {
        crash_words(crash.signal, crash.address, what);
    }
    const bool threw = threw_exception();

    if (threw)
        snprintf(what, sizeof what, "an exception that nobody catches");
    bool known = find_place(node, &place);

    node->crashed_by_abort = crash.signal == SIGABRT;
    if (!known && site_is_known(node->machine, node->file, node->line))
        snprintf(where, sizeof where, " (after its call at %s)",
                 site_words(node->machine, (struct call_site){node->file, node->line}, site));
    failure_set(node->machine, node->rank, constant ? PEAL_PRIVATE_MEMORY : PEAL_CRASH, known ? place.file : node->file,
                known ? place.line : node->line, "node %d %s%s%s", node->rank, constant ? "" : "crashed: ", what,
                where);
    if (constant)
        failure_fix(node->machine, node->rank, PEAL_HINT(own_copy), node->rank);
    else if (threw)
        failure_fix(node->machine, node->rank, PEAL_HINT(uncaught), node->rank);
    else if (crash_by_null(crash.signal, crash.address))
        failure_fix(node->machine, node->rank,
                    (uintptr_t)crash.address % 2 == 1 && site_call(node->line) ? PEAL_HINT(null_or_in_place)
                                                                               : PEAL_HINT(null_pointer),
                    node->rank);
    if (known)
        failure_place(node, place.file, place.line);
    crash.signal = 0;
}

/* The function of the C library that the program called, "pause"; NULL when it is unknown. */
static const char *
called_function(void)
{
    const char *name = NULL;
    Dl_info module;

    for (int i = crash_first_frame(); i < crash.frame_count; i++) {
        if (!dladdr(crash.frames[i], &module) || !module.dli_fname || !strstr(module.dli_fname, "/libc.so"))
            break;
        name = module.dli_sname;
    }
    return name ? name + strspn(name, "_") : NULL;
}

/* "; its last message came from node 1 in round 3"; "" where none is recorded. */
static char *
last_message(const struct node *node, char text[100])
{
    const struct peal_schedule *schedule = peal_machine_schedule(node->machine);

    text[0] = '\0';
    for (size_t i = schedule->order ? schedule->round_count : 0; i-- > 0;) {
        const struct peal_round *round = peal_schedule_round(schedule, i);

        for (size_t k = 0; k < round->count; k++) {
            const struct peal_transfer *transfer = &schedule->transfers[round->first + k];
            bool came = transfer->to == node->rank;

            if (!came && transfer->from != node->rank)
                continue;
            snprintf(text, 100, "; its last message %s node %d in round %zu", came ? "came from" : "went to",
                     came ? transfer->from : transfer->to, i + 1);
            return text;
        }
    }
    return text;
}

/* Report that its time is up, and where it was: computing, or waiting in the system. */
static void
report_expired(struct node *node)
{
    struct peal_machine *machine = node->machine;
    double seconds = machine->options.timeout_seconds;
    const char *name = crash.waiting ? called_function() : NULL;
    char last[100], since[SITE_WORDS + 30] = "", site[SITE_WORDS];
    struct frame_line place = {.line = 0};

    bool known = find_place(node, &place), waiting = crash.waiting;

    bool called = site_is_known(machine, node->file, node->line);

    if (known && called)
        snprintf(since, sizeof since, ", since its call at %s",
                 site_words(machine, (struct call_site){node->file, node->line}, site));
    else if (called)
        snprintf(since, sizeof since, ", since the call at this line");
    crash.waiting = false;
    if (!waiting)
        failure_set(machine, node->rank, PEAL_TIMED_OUT, known ? place.file : node->file,
                    known ? place.line : node->line, "after %g second%s node %d is still computing%s%s", seconds,
                    plural(seconds), node->rank, since, last_message(node, last));
    else
        failure_set(machine, node->rank, PEAL_TIMED_OUT, known ? place.file : node->file,
                    known ? place.line : node->line, "after %g second%s node %d waits in %s%s%s", seconds,
                    plural(seconds), node->rank, name ? name : "a call of the system", name ? "()" : "", since);
    if (known && !waiting)
        failure_fix(machine, node->rank, PEAL_HINT(endless), node->rank);
    if (known)
        failure_place(node, place.file, place.line);
}

void
crash_report(struct node *node, enum node_exit way)
{
    forget_frames(node);
    if (way == EXIT_CRASHED)
        report_crash(node);
    else
        report_expired(node);
}
