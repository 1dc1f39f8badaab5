/* SPDX-License-Identifier: MIT */
/* Calls that functions of the program pass on: the place of a call is where the outermost of them is called.
 *
 * A call that was looked at is remembered: of one that nothing passes on, all but always, one look at a table. */
#include "lib/base/text.h"
#include "lib/machine/lookup.h"
#include "lib/machine/machine.h"
#include <peal/author.h>
#include <stdlib.h>
#include <unistd.h>

#if PEAL_THREADS
#include "lib/machine/frame_walk.h"

/* What is known of the call that returns to an offset in the program's file. */
struct passed_site {
    struct passed_site *next;
    uintptr_t offset;
    bool passes;
    struct passed passed;
};

/* Calls that are not passed on, by their offsets, which all copies of the program share; of code elsewhere by address.
 * In each place the last one. */
enum { PLACES = 1 << 12 };
static _Atomic uintptr_t ordinary[PLACES];
static _Atomic bool any_ordinary;

static inline _Atomic uintptr_t *
place_of(uintptr_t offset)
{
    return &ordinary[(offset * UINT64_C(0x9E3779B97F4A7C15) >> 32) % PLACES];
}

/* The node has made no call from its copy of the program yet, or the code lies elsewhere. */
static __attribute__((noinline)) uintptr_t
find_offset(struct node *node, uintptr_t address)
{
    const struct image_copy *copy = image_copy_at(node->machine->image, address);

    if (!copy)
        return address;
    node->program = copy->base;
    return address - copy->base;
}

/* The offset of code in the node's copy of the program; of code elsewhere its address. */
static inline uintptr_t
offset_of(struct node *node, const void *code)
{
    const struct image *image = node->machine->image;
    const uintptr_t offset = (uintptr_t)code - node->program;

    return image && offset < image->bytes ? offset : find_offset(node, (uintptr_t)code);
}

void
passed_forget(struct peal_machine *machine)
{
    for (struct passed_site *site; (site = machine->reports.passed_sites); free(site))
        machine->reports.passed_sites = site->next;
    for (int i = 0; any_ordinary && i < PLACES; i++)
        atomic_store_explicit(&ordinary[i], 0, memory_order_relaxed); /* no node runs */
    any_ordinary = false;
}

/* What passes on the call that returns to `code`, asked for once; NULL: nothing, or it is not known. */
static const struct passed *
find_passed(struct node *node, const void *code, const char *callee)
{
    struct peal_machine *machine = node->machine;
    const struct image_copy *copy = image_copy_at(machine->image, (uintptr_t)code);
    const uintptr_t offset = copy ? (uintptr_t)code - copy->base : 0;
    struct passed_site *site;

    if (!copy || !machine->symbols)
        return NULL;
    pthread_mutex_lock(&machine->reports.sites_lock);
    for (site = machine->reports.passed_sites; site && site->offset != offset; site = site->next)
        ;
    if (!site && (site = calloc(1, sizeof *site))) {
        const bool inside = node->inside;

        node->inside = true;
        site->offset = offset;
        site->passes = lookup_passed(machine->symbols, offset, callee, &site->passed);
        node->inside = inside;
        site->next = machine->reports.passed_sites;
        machine->reports.passed_sites = site;
    }
    pthread_mutex_unlock(&machine->reports.sites_lock);
    return site && site->passes ? &site->passed : NULL;
}

/* ------------------------------------------------------------------ the stack */

/* Go to the frame of the caller. */
static void
leave_frame(struct frame_walk *walk, const struct passed_frame *rule)
{
    const uintptr_t end = (rule->by_frame_pointer ? walk->frame_pointer : walk->stack_pointer) + (uintptr_t)rule->end;

    walk->code = read_word(end + (uintptr_t)rule->came_from);
    if (rule->frame_pointer != 0)
        walk->frame_pointer = read_word(end + (uintptr_t)rule->frame_pointer);
    walk->stack_pointer = end;
}

/* Follow the call outwards, and remember its place with what is between. */
static const void *
passed_follow(struct node *node, const void *code, const struct passed *passed)
{
    enum { MAX_FRAMES = 8 };
    struct frame_walk walk = {.image = node->machine->image, .code = (uintptr_t)code};
    char *through = strdup(passed->through);
    const struct passed *outer = passed;
    const void *began = code;

    if (passed->whole)
        _Unwind_Backtrace(see_frame, &walk);
    for (int i = 0; through && walk.found && outer && outer->whole && i < MAX_FRAMES; i++) {
        char *inner = through;

        leave_frame(&walk, &outer->rule);
        if (!image_copy_at(node->machine->image, walk.code) ||
            !site_is_known(node->machine, (const char *)walk.code, PEAL_CODE))
            break;
        code = (const void *)walk.code;
        outer = find_passed(node, code, outer->function);
        if (!outer)
            break;
        if (asprintf(&through, "%s%s", outer->through, inner) < 0)
            through = NULL;
        free(inner);
    }
    if (through && (code != began || !passed->whole)) /* else it is not known where the call comes from */
        site_remember(node->machine, code, outer && !outer->whole ? outer : NULL, through);
    free(through);
    return code;
}

/* Whether the innermost of them calls in this file, NULL: in any; else the program gave the call a place of its own. */
static bool
passed_is_from(const struct passed *passed, const char *file)
{
    struct passing_step step = {.file = ""};

    for (const char *left = passed->through; (left = site_through_next(left, &step));)
        ;
    return !file || !*step.file || strcmp(file_name(step.file), file_name(file)) == 0;
}

/* What passes it on, if that is from the file; NULL: nothing, which is remembered. */
static __attribute__((noinline)) const void *
look_whence(struct node *node, const void *code, uintptr_t offset, const char *file)
{
    const struct passed *passed = find_passed(node, code, NULL);

    if (passed)
        return passed_is_from(passed, file) ? passed_follow(node, code, passed) : NULL;
    atomic_store_explicit(place_of(offset), offset, memory_order_relaxed); /* nothing else is read through it */
    atomic_store_explicit(&any_ordinary, true, memory_order_relaxed);      /* seen when no node runs */
    return NULL;
}

/* NULL: nothing passes it on. */
static inline const void *
passed_from(struct node *node, const void *code, const char *file)
{
    if (node->machine->memory_hooks) /* thousands of runs of a check would each read the source again */
        return NULL;
    const uintptr_t offset = offset_of(node, code);

    return atomic_load_explicit(place_of(offset), memory_order_relaxed) == offset
               ? NULL
               : look_whence(node, code, offset, file);
}

/* ------------------------------------------------------------------ code of the system's headers */

/* A search outwards for the first frame of the program's own source. */
struct outward {
    const struct peal_machine *machine;
    uintptr_t code; /* begin at the frame that this is in */
    bool began;
    const char *program; /* NULL: it was not found */
};

static _Unwind_Reason_Code
see_outward(struct _Unwind_Context *context, void *arg)
{
    struct outward *outward = arg;
    const uintptr_t code = _Unwind_GetIP(context);

    if (!outward->began || !image_copy_at(outward->machine->image, code)) {
        outward->began |= code == outward->code;
        return _URC_NO_REASON;
    }
    if (!site_is_known(outward->machine, (const char *)code, PEAL_CODE) ||
        site_is_of_system(outward->machine, (const char *)code, PEAL_CODE))
        return _URC_NO_REASON;
    outward->program = (const char *)code;
    return _URC_END_OF_STACK;
}

const char *
passed_by_system(struct node *node, const char *file, int line)
{
    struct outward outward = {.machine = node->machine, .code = (uintptr_t)file};
    const bool inside = node->inside;

    if (line > PEAL_CODE || !image_copy_at(node->machine->image, outward.code))
        return file;
    node->inside = true;
    if (site_is_of_system(node->machine, file, line))
        _Unwind_Backtrace(see_outward, &outward);
    node->inside = inside;
    return outward.program ? outward.program : file;
}

const void *
peal_passed_on(struct peal_node *me, const void *code)
{
    const void *outer = passed_from(me->node, code, NULL);

    return outer ? outer : code;
}

struct call_site
passed_place(struct peal_node *me, const void *code, const char *file, int line)
{
    const bool own = !me->file && line > PEAL_CODE && me->node->machine->image;
    const void *outer = own ? passed_from(me->node, code, file) : NULL;

    return outer ? (struct call_site){outer, PEAL_CODE} : (struct call_site){file, line};
}
#else
const char *
passed_by_system(struct node *node, const char *file, int line)
{
    (void)node;
    (void)line;
    return file;
}

const void *
peal_passed_on(struct peal_node *me, const void *code)
{
    (void)me;
    return code;
}

struct call_site
passed_place(struct peal_node *me, const void *code, const char *file, int line)
{
    (void)me;
    (void)code;
    return (struct call_site){file, line};
}

void
passed_forget(struct peal_machine *machine)
{
    (void)machine;
}
#endif
