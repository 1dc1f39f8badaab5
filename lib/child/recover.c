/* SPDX-License-Identifier: MIT */
/* Rebuilds the state of a machine from the memory of a stopped child; what cannot be read is left empty. */
#include "lib/child/box.h"
#include "lib/machine/failure.h"
#include "lib/machine/lookup.h"
#include "lib/report/waiting.h"
#include <fcntl.h>
#include <peal/author.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Read `bytes` bytes of the other process's memory, a file (proc_pid_mem(5)); false when some cannot be read. */
static bool
fetch(int memory, const void *theirs, void *ours, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t count = pread(memory, (char *)ours + done, bytes - done, (off_t)((uintptr_t)theirs + done));

        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

/* Read an array into memory that the caller frees; NULL when it cannot be read. */
static void *
fetch_array(int memory, const void *theirs, size_t count, size_t bytes)
{
    size_t all;
    void *ours = theirs && count > 0 && !__builtin_mul_overflow(count, bytes, &all) ? malloc(all) : NULL;

    if (ours && fetch(memory, theirs, ours, all))
        return ours;
    free(ours);
    return NULL;
}

/* Read a string; "" when it cannot be read.  It may end next to memory that cannot be read. */
static void
fetch_text(int memory, const char *theirs, char *text, size_t bytes)
{
    size_t length = 0;

    while (length + 1 < bytes && fetch(memory, theirs + length, text + length, 1) && text[length])
        length++;
    text[length] = '\0';
}

/* ------------------------------------------------------------------ the machine */

static void
recover_schedule(struct peal_machine *machine, int memory, const struct round *theirs)
{
    const struct peal_schedule *schedule = &theirs->recorder.schedule;
    struct recorder *recorder = &machine->round.recorder;
    struct peal_schedule kept = *schedule;

    machine->round.cost = theirs->cost;
    machine->round.course = theirs->course;
    machine->round.clocks.last = theirs->clocks.last;
    fetch(memory, theirs->clocks.node, machine->round.clocks.node,
          (size_t)machine->options.nodes * sizeof *theirs->clocks.node);
    if (kept.round_count == 0)
        return;
    recorder_fini(recorder);
    kept.order = fetch_array(memory, schedule->order, kept.round_count, sizeof *kept.order);
    kept.rounds = fetch_array(memory, schedule->rounds, kept.kept_rounds, sizeof *kept.rounds);
    kept.transfers = fetch_array(memory, schedule->transfers, kept.kept_transfers, sizeof *kept.transfers);
    bool whole = kept.order && kept.rounds && (kept.transfers || kept.kept_transfers == 0);

    for (size_t i = 0; whole && i < kept.round_count; i++)
        whole = kept.order[i] < kept.kept_rounds;
    recorder->schedule = kept;
    recorder->order_capacity = kept.round_count;
    recorder->rounds_capacity = kept.kept_rounds;
    recorder->transfers_capacity = kept.kept_transfers;
    if (!whole)
        recorder_fini(recorder);
}

/* Read the requests that the nodes have posted. */
static uint32_t
recover_requests(struct peal_machine *machine, int memory, const struct peal_machine *theirs)
{
    uint32_t used = theirs->requests_used;

    if (used >= machine->request_limit ||
        !fetch(memory, theirs->requests, machine->requests, used * sizeof *machine->requests))
        return 0;
    for (uint32_t id = 0; id < used; id++)
        if (machine->requests[id].open_next >= used)
            machine->requests[id].open_next = 0;
    atomic_store(&machine->requests_used, used);
    return used;
}

static bool
waits(const struct peal_machine *machine, const struct node *node)
{
    uint32_t steps = 0;

    for (uint32_t id = node->open; id && steps < machine->request_limit; id = machine->requests[id].open_next, steps++)
        if (!(machine->requests[id].flags & REQUEST_COMPLETE))
            return true;
    return false;
}

/* Read where the program lies: places of calls may be addresses in its code. */
static void
recover_image(struct peal_machine *machine, int memory, const struct image *theirs)
{
    static struct image image; /* one run is recovered */
    struct image read;

    if (!theirs || !fetch(memory, theirs, &read, sizeof read))
        return;
    free(image.copies);
    image = read;
    image.copies =
        image.count > 0 ? fetch_array(memory, image.copies, (size_t)image.count, sizeof *image.copies) : NULL;
    if (image.copies)
        machine->image = &image;
}

/* Read the names of the calls, which lie in a library that only that process has loaded. */
static void
recover_names(int memory)
{
    static const char *names[CALL_NAMES];
    int *where, count = 0;
    const char *const *table = NULL, **list;
    char name[80];
    const char *const **place = site_call_names(&where);

    if (!fetch(memory, where, &count, sizeof count) || !fetch(memory, place, &table, sizeof table) || count < 1 ||
        count > CALL_NAMES || !(list = fetch_array(memory, table, (size_t)count, sizeof *list)))
        return;
    for (int i = 0; i < count; i++) {
        fetch_text(memory, list[i], name, sizeof name);
        names[i] = list[i] ? strdup(name) : NULL;
    }
    free(list);
    peal_call_names(names, count);
}

/* Read what may be the cause of its crash. */
static void
recover_crash_hint(struct node *node, int memory, const struct crash_hint *theirs)
{
    struct crash_hint read;
    char call[80];

    if (!theirs || !fetch(memory, theirs, &read, sizeof read) || !read.call ||
        (read.file && !image_copy_at(node->machine->image, (uintptr_t)read.file)))
        return;
    fetch_text(memory, read.call, call, sizeof call);
    read.call = failure_keep_name(node->machine, call);
    node_set_crash_hint(node, &read);
}

/* Read what each node is doing.  Names of files lie where they did when both processes were one, or in the program. */
static void
recover_nodes(struct peal_machine *machine, int memory, const struct peal_machine *theirs, uint32_t used)
{
    struct node *nodes = fetch_array(memory, theirs->nodes, (size_t)machine->options.nodes, sizeof *nodes);
    const char *last = NULL, *kept = NULL;
    char file[1024];

    for (int rank = 0; nodes && rank < machine->options.nodes; rank++) {
        struct node *node = &machine->nodes[rank];

        *node = (struct node){.rank = rank, .machine = machine, .state = nodes[rank].state, .line = nodes[rank].line};
        recover_crash_hint(node, memory, nodes[rank].crash_hint);
        node->writes_result = nodes[rank].writes_result;
        node->open = nodes[rank].open < used ? nodes[rank].open : 0;
        if (node->state == NODE_WAITS && !waits(machine, node)) /* its requests are complete; it has not run since */
            node->state = NODE_RUNS;
        if (node->line <= PEAL_CODE && image_copy_at(machine->image, (uintptr_t)nodes[rank].file)) {
            node->file = nodes[rank].file;
            continue;
        }
        if (node->line <= PEAL_CODE) {
            nodes[rank].file = NULL;
            node->line = 0;
        }
        if (nodes[rank].file && nodes[rank].file != last) {
            last = nodes[rank].file;
            fetch_text(memory, last, file, sizeof file);
            kept = file[0] ? failure_keep_name(machine, file) : NULL;
        }
        node->file = nodes[rank].file ? kept : NULL;
    }
    free(nodes);
}

void
recover_machine(struct peal_machine *machine, pid_t process, const struct black_box *box)
{
    const struct peal_machine *address = box->machine;
    char path[40];

    for (int rank = 0; rank < machine->options.nodes; rank++) /* until more is known */
        machine->nodes[rank] = (struct node){.rank = rank, .machine = machine, .state = NODE_FINISHED};
    if (process <= 0)
        return;
    if (box->symbols[0])
        machine->symbols = failure_keep_name(machine, box->symbols);
    snprintf(path, sizeof path, "/proc/%d/mem", (int)process);
    int memory = open(path, O_RDONLY | O_CLOEXEC);

    if (memory < 0)
        return;
    recover_image(machine, memory, box->image);
    recover_names(memory);
    struct peal_machine *theirs = fetch_array(memory, address, 1, sizeof *theirs);

    if (theirs && theirs->options.nodes == machine->options.nodes) {
        char file[1024];

        recover_schedule(machine, memory, &theirs->round);
        if (theirs->image) /* it runs: no program, perhaps, but functions from a file */
            recover_image(machine, memory, theirs->image);
        if (theirs->symbols) {
            fetch_text(memory, theirs->symbols, file, sizeof file);
            machine->symbols = failure_keep_name(machine, file);
        }
        recover_nodes(machine, memory, theirs, recover_requests(machine, memory, theirs));
        machine->rounds_made = machine->host.rounds = theirs->rounds_made;
        machine->stacks.stack_bytes = theirs->stacks.stack_bytes;
        if (theirs->reports.failed &&
            !(theirs->reports.failure.kind == PEAL_TIMED_OUT && theirs->reports.failure.rank == NO_RANK)) {
            machine->reports.failed = true;
            machine->reports.failure = theirs->reports.failure;
            machine->reports.failure.message[sizeof machine->reports.failure.message - 1] = '\0';
            machine->reports.failure.nodes = NULL;
            machine->reports.failure.node_count = 0;
            machine->reports.failure.cycle = NULL;
            machine->reports.failure.cycle_length = 0;
            machine->reports.failure.file[sizeof machine->reports.failure.file - 1] = '\0';
        }
    }
    free(theirs);
    close(memory);
}

/* ------------------------------------------------------------------ the failure */

/* For a crash outside of the program's code: the node whose last call is the first that is known, and its place.  -1:
 * no node has made one. */
static int
last_call(const struct peal_machine *machine, const struct black_box *box, struct call_site *site, char *text,
          size_t bytes)
{
    for (int rank = 0; rank < machine->options.nodes; rank++) {
        *site = site_of(machine, machine->nodes[rank].file, machine->nodes[rank].line);
        if (site->file && site->line > 0)
            return rank;
    }
    *site = (struct call_site){box->file, box->line};
    if (box->line > PEAL_CODE)
        return box->rank;
    site->file = text;
    return box->offset && machine->symbols && lookup_line(machine->symbols, box->offset - 1, text, bytes, &site->line)
               ? box->rank
               : -1;
}

void
recover_failure(struct peal_machine *machine, const struct black_box *box, const struct crash_note *words)
{
    int nodes = machine->options.nodes, rank = words->rank >= 0 && words->rank < nodes ? words->rank : -1;
    struct node *node = rank >= 0 ? &machine->nodes[rank] : NULL;
    char after[1200] = "", text[BOX_TEXT], where[SITE_WORDS], fix[ADVICE_BYTES];
    struct frame_line place = {.line = 0};

    for (int i = 0; machine->symbols && i < words->offset_count && i < CRASH_FRAMES; i++)
        if (lookup_frame(machine->symbols, words->offsets[i], &place))
            break;
    bool known = place.line > 0;
    bool called = node && site_is_known(machine, node->file, node->line);

    if (known && node)
        failure_place(node, place.file, place.line);
    else if (called && words->kind == PEAL_TIMED_OUT)
        snprintf(after, sizeof after, ", since the call at this line");
    else if (called)
        snprintf(after, sizeof after, " (after its call at %s)",
                 site_words(machine, (struct call_site){node->file, node->line}, where));
    bool outside =
        !node && !known && !words->process_ended && !words->bereft && !words->limited && words->kind == PEAL_CRASH;

    struct call_site last;
    int caller = outside ? last_call(machine, box, &last, place.file, sizeof place.file) : -1;

    if (caller >= 0) {
        known = true;
        place.line = last.line;
        if (last.file != place.file)
            snprintf(place.file, sizeof place.file, "%s", last.file);
        snprintf(after, sizeof after, " (the last call of node %d is at %s)", caller, site_words(machine, last, where));
    }
    box_words(words, machine->options.timeout_seconds, after, text);
    if (node)
        node->state = NODE_FAILED;
    bool nobody = words->kind == PEAL_TIMED_OUT && !node && !known; /* was found computing */

    if (!machine->reports.failed)
        failure_set(machine, nobody ? NO_RANK : rank, words->kind,
                    known  ? place.file
                    : node ? node->file
                           : NULL,
                    known  ? place.line
                    : node ? node->line
                           : 0,
                    "%s", text);
    box_fix(words, known, fix, sizeof fix);
    failure_fix(machine, nobody ? NO_RANK : rank, "%s", fix);
    report_nodes(machine);
}
