/* SPDX-License-Identifier: MIT */
/* Reads symbols, unwind tables and debugging information of programs, which takes long: answers are kept, also the
 * negative ones. */
#include "lib/memory/named_blocks.h"
#include "lib/machine/frame_walk.h"
#include "lib/machine/lookup.h"
#include "lib/machine/stacks.h"
#include "lib/program/lines.h"
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

/* A file with code and variables: the program, or a shared object. */
struct part {
    const char *path; /* NULL: there is none */
    uintptr_t base;   /* the address of its byte 0 */
    int rank;         /* of the node that has this copy; -1: all */
};

/* The range of shared objects, with much between them: an address outside of it needs no search. */
static _Atomic uintptr_t objects_begin, objects_end;

static int
widen_objects(struct dl_phdr_info *info, size_t size, void *range)
{
    uintptr_t *ends = range;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = begin + info->dlpi_phdr[i].p_memsz;

        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_name[0]) {
            ends[0] = begin < ends[0] ? begin : ends[0];
            ends[1] = end > ends[1] ? end : ends[1];
        }
    }
    return 0;
}

/* Objects that are loaded later may be missed. */
static bool
is_among_objects(uintptr_t address)
{
    if (atomic_load_explicit(&objects_end, memory_order_acquire) == 0) {
        uintptr_t ends[2] = {UINTPTR_MAX, 1};

        dl_iterate_phdr(widen_objects, ends);
        atomic_store_explicit(&objects_begin, ends[0], memory_order_relaxed);
        atomic_store_explicit(&objects_end, ends[1], memory_order_release); /* shows the begin */
    }
    return address < atomic_load_explicit(&objects_end, memory_order_relaxed) &&
           address >= atomic_load_explicit(&objects_begin, memory_order_relaxed);
}

static struct part
part_at(const struct node *node, const void *address)
{
    const struct image_copy *copy = image_copy_at(node->machine->image, (uintptr_t)address);
    Dl_info module;

    if (copy)
        return (struct part){node->machine->symbols, copy->base, copy->rank};
    if (is_among_objects((uintptr_t)address) && dladdr(address, &module) && module.dli_fname)
        return (struct part){module.dli_fname, (uintptr_t)module.dli_fbase, -1};
    return (struct part){NULL, 0, -1};
}

/* ------------------------------------------------------------------ questions and their answers */

/* The kind of a question to a file. */
enum ask { ASK_VARIABLE, ASK_FRAME, ASK_LOCAL };

struct named_answer {
    const char *path; /* NULL: an empty place */
    enum ask what;
    uintptr_t offset;               /* of the variable, or the code */
    struct frame_place place;       /* ASK_LOCAL */
    struct lines_variable variable; /* without a name: it was not found */
    struct frame_rule rule;
};

enum { ANSWERS = 512 };
static struct named_answer answers[ANSWERS];
static const struct image *answers_of;        /* the program that the answers are about */
static atomic_flag asking = ATOMIC_FLAG_INIT; /* held while they are read or changed */

static void *
read_answer(void *arg)
{
    struct named_answer *answer = arg;
    int fd = open(answer->path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return NULL;
    if (answer->what == ASK_VARIABLE)
        lines_variable(fd, answer->offset, &answer->variable);
    else if (answer->what == ASK_FRAME)
        frames_rule(fd, answer->offset, &answer->rule);
    else
        frames_variable(fd, answer->offset, &answer->place, &answer->variable);
    close(fd);
    return NULL;
}

/* Ask the file once; the answer is a copy. */
static struct named_answer
named_ask(struct node *node, const char *path, enum ask what, uintptr_t offset, struct frame_place place)
{
    uint64_t hash = ((uint64_t)offset ^ (uint64_t)place.at << 32 ^ (uint64_t)what << 60) * UINT64_C(0x9E3779B97F4A7C15);
    struct named_answer *kept = &answers[(hash >> 32) % ANSWERS], answer;

    while (atomic_flag_test_and_set_explicit(&asking, memory_order_acquire))
        sched_yield();
    if (answers_of != node->machine->image)
        memset(answers, 0, sizeof answers);
    answers_of = node->machine->image;
    if (kept->path != path || kept->what != what || kept->offset != offset ||
        memcmp(&kept->place, &place, sizeof place) != 0) {
        bool inside = node->inside;

        *kept = (struct named_answer){.path = path, .what = what, .offset = offset, .place = place};
        node->inside = true;
        lookup_apart(read_answer, kept);
        node->inside = inside;
    }
    answer = *kept;
    atomic_flag_clear_explicit(&asking, memory_order_release);
    return answer;
}

/* ------------------------------------------------------------------ variables */

static void
named_describe(struct peal_block *block, const char *begin, const struct lines_variable *variable, int rank)
{
    *block = (struct peal_block){
        .kind = PEAL_BLOCK_VARIABLE, .begin = begin, .bytes = variable->bytes, .rank = rank, .code = NULL};
    memcpy(block->name, variable->name, sizeof block->name);
}

bool
named_find(struct node *node, const void *address, struct peal_block *block)
{
    struct part part = part_at(node, address);

    if (!part.path)
        return false;
    struct named_answer answer =
        named_ask(node, part.path, ASK_VARIABLE, (uintptr_t)address - part.base, (struct frame_place){0});

    if (!answer.variable.name[0])
        return false;
    named_describe(block, (const char *)part.base + answer.variable.begin, &answer.variable, part.rank);
    return true;
}

/* ------------------------------------------------------------------ the stack */

/* The bytes of the caller's saved registers at the end of the frame: known where they were pushed first. */
static size_t
saved_bytes(const struct frame_rule *rule)
{
    const ptrdiff_t word = sizeof(uintptr_t);

    return rule->came_from != -word ? 0 : rule->frame_pointer == -2 * word ? 2 * sizeof(uintptr_t) : sizeof(uintptr_t);
}

/* Find the frame of the address, and what lies there. */
static bool
find_in_frames(struct node *node, uintptr_t address, struct frame_walk walk, struct peal_block *block)
{
    enum { MAX_FRAMES = 100 };
    uintptr_t low = (uintptr_t)node_stack(node->machine, node->rank), high = low + node->machine->stacks.stack_bytes;

    for (int i = 0; i < MAX_FRAMES; i++) {
        struct part part = part_at(node, (const void *)walk.code);
        struct named_answer frame, local;

        if (!part.path)
            return false;
        frame = named_ask(node, part.path, ASK_FRAME, walk.code - part.base, (struct frame_place){0});
        uintptr_t end =
            (frame.rule.by_frame_pointer ? walk.frame_pointer : walk.stack_pointer) + (uintptr_t)frame.rule.end;

        if (!frame.rule.known || address < walk.stack_pointer || end <= walk.stack_pointer || end > high)
            return false;
        if (address < end) {
            local = named_ask(node, part.path, ASK_LOCAL, walk.code - part.base,
                              (struct frame_place){(ptrdiff_t)(address - end), (ptrdiff_t)(walk.stack_pointer - end),
                                                   (ptrdiff_t)(walk.frame_pointer - end)});
            if (local.variable.name[0]) {
                named_describe(block, (const char *)end + (ptrdiff_t)local.variable.begin, &local.variable, node->rank);
                return true;
            }
            end -= saved_bytes(&frame.rule);
            *block = (struct peal_block){.kind = PEAL_BLOCK_FRAME,
                                         .begin = (const char *)address,
                                         .bytes = end > address ? end - address : 0,
                                         .rank = node->rank};
            memcpy(block->name, frame.rule.function, sizeof block->name);
            return true;
        }
        if (end + (uintptr_t)frame.rule.came_from < low || end + (uintptr_t)frame.rule.frame_pointer < low)
            return false;
        walk.code = read_word(end + (uintptr_t)frame.rule.came_from);
        if (frame.rule.frame_pointer != 0)
            walk.frame_pointer = read_word(end + (uintptr_t)frame.rule.frame_pointer);
        walk.stack_pointer = end;
    }
    return false;
}

bool
named_on_stack(const struct node *node, const void *address)
{
    const struct peal_machine *machine = node->machine;

    return machine->stacks.mapping &&
           (uintptr_t)address - (uintptr_t)node_stack(machine, node->rank) < (uintptr_t)machine->stacks.stack_bytes;
}

void
named_find_on_stack(struct node *node, const void *address, const void *call, struct peal_block *block)
{
    struct frame_walk walk = {.image = node->machine->image, .code = (uintptr_t)call};

    _Unwind_Backtrace(see_frame, &walk);
    if (walk.found && find_in_frames(node, (uintptr_t)address, walk, block))
        return;
    bool ended = walk.found && (uintptr_t)address < walk.stack_pointer;

    *block = (struct peal_block){.kind = ended ? PEAL_BLOCK_ENDED : PEAL_BLOCK_STACK,
                                 .begin = node_stack(node->machine, node->rank),
                                 .bytes = node->machine->stacks.stack_bytes,
                                 .rank = node->rank};
}
