/* SPDX-License-Identifier: MIT */
/* Stack frames, read with libdw of elfutils, only when one is needed.  The address after a call may belong to the next
 * function: the byte before it is looked up. */
#include "lib/program/lines.h"

#if PEAL_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>

#if defined __aarch64__
enum { FRAME_POINTER = 29, RETURN_ADDRESS = 30, STACK_POINTER = 31 };
#else
enum { FRAME_POINTER = 6, STACK_POINTER = 7, RETURN_ADDRESS = 16 };
#endif

/* ------------------------------------------------------------------ frames */

/* Where the caller's register is saved, from the frame's end on; 0: it was not saved.  False: it is saved elsewhere. */
static bool
find_saved(Dwarf_Frame *frame, int number, ptrdiff_t *at)
{
    Dwarf_Op memory[3], *ops;
    size_t count;

    *at = 0;
    if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
        return false;
    if (count == 0)
        return !ops; /* the same value */
    if (ops[0].atom != DW_OP_call_frame_cfa || count != 2 || ops[1].atom != DW_OP_plus_uconst)
        return false;
    *at = (ptrdiff_t)ops[1].number;
    return true;
}

static void
read_rule(Dwarf_Frame *frame, struct frame_rule *rule)
{
    Dwarf_Op *ops;
    size_t count;

    if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count != 1 || ops[0].atom != DW_OP_bregx ||
        (ops[0].number != FRAME_POINTER && ops[0].number != STACK_POINTER))
        return;
    rule->by_frame_pointer = ops[0].number == FRAME_POINTER;
    rule->end = (ptrdiff_t)ops[0].number2;
    rule->known = find_saved(frame, RETURN_ADDRESS, &rule->came_from) && rule->came_from != 0 &&
                  find_saved(frame, FRAME_POINTER, &rule->frame_pointer);
}

void
frames_rule(int fd, uintptr_t offset, struct frame_rule *rule)
{
    *rule = (struct frame_rule){.known = false};
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    Dwarf_CFI *tables = elf ? dwarf_getcfi_elf(elf) : NULL;
    Dwarf_Frame *frame = NULL;
    struct lines_variable function;

    if (tables && dwarf_cfi_addrframe(tables, offset - 1, &frame) == 0)
        read_rule(frame, rule);
    if (rule->known && lines_function(fd, offset - 1, &function))
        snprintf(rule->function, sizeof rule->function, "%s", function.name);
    free(frame);
    elf_end(elf);
}

/* ------------------------------------------------------------------ variables */

struct frame_search {
    Dwarf_Addr code;
    const struct frame_place *place;
    ptrdiff_t base; /* where places of variables count from, relative to the frame's end */
    struct lines_variable *variable;
    bool found;
};

static bool
has_code(Dwarf_Die *part, Dwarf_Addr code)
{
    return dwarf_haspc(part, code) > 0;
}

/* The bytes of a variable or a parameter; 0: not constant. */
static size_t
frames_variable_bytes(Dwarf_Die *variable)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Word bytes;

    return dwarf_formref_die(dwarf_attr_integrate(variable, DW_AT_type, &attribute), &type) &&
                   dwarf_peel_type(&type, &type) == 0 && dwarf_aggregate_size(&type, &bytes) == 0
               ? bytes
               : 0;
}

/* Find where a register points to, by its number in debugging information.  Not for x86-64's stack pointer: variables
 * count from its value between calls, and a call pushes its seventh and later arguments. */
static bool
find_register(const struct frame_place *place, int number, ptrdiff_t *at)
{
#if !defined __x86_64__
    *at = place->stack_pointer;
    if (number == STACK_POINTER)
        return true;
#endif
    *at = place->frame_pointer;
    return number == FRAME_POINTER;
}

/* Look at one variable, whose place must be constant within the frame. */
static void
frames_match_variable(Dwarf_Die *die, struct frame_search *search)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count, bytes;
    ptrdiff_t begin = search->base;
    const char *name = dwarf_diename(die);

    if (!name || dwarf_getlocation_addr(dwarf_attr_integrate(die, DW_AT_location, &attribute), search->code, &ops,
                                        &count, 1) != 1)
        return;
    if (count != 1 || (ops[0].atom != DW_OP_fbreg && !find_register(search->place, ops[0].atom - DW_OP_breg0, &begin)))
        return;
    begin += (ptrdiff_t)ops[0].number;
    if (begin > search->place->at || (bytes = frames_variable_bytes(die)) <= (size_t)(search->place->at - begin))
        return;
    if (search->found &&
        (ptrdiff_t)search->variable->begin + (ptrdiff_t)search->variable->bytes >= begin + (ptrdiff_t)bytes)
        return;
    *search->variable = (struct lines_variable){.begin = (uintptr_t)begin, .bytes = bytes};
    snprintf(search->variable->name, sizeof search->variable->name, "%s", name);
    search->found = true;
}

/* Look at the variables of a function and, within it, of the blocks and the inlined functions that have the code. */
static void
look_within(Dwarf_Die *scope, struct frame_search *search) /* NOLINT(misc-no-recursion): as deep as the blocks */
{
    Dwarf_Die die;

    if (dwarf_child(scope, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
            frames_match_variable(&die, search);
        else if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) && has_code(&die, search->code))
            look_within(&die, search);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* Find the function that has the code; those of C++ may be members of namespaces and classes. */
static bool
find_function(Dwarf_Die *scope, Dwarf_Addr code, Dwarf_Die *function) /* NOLINT(misc-no-recursion) */
{
    if (dwarf_child(scope, function) != 0)
        return false;
    do {
        int tag = dwarf_tag(function);
        Dwarf_Die inner;

        if (tag == DW_TAG_subprogram && has_code(function, code))
            return true;
        if ((tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type) &&
            find_function(function, code, &inner)) {
            *function = inner;
            return true;
        }
    } while (dwarf_siblingof(function, function) == 0);
    return false;
}

/* Find the base of a function: gcc gives the frame's end, clang a register. */
static bool
find_base(Dwarf_Die *function, const struct frame_place *place, ptrdiff_t *base)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;

    if (dwarf_getlocation(dwarf_attr_integrate(function, DW_AT_frame_base, &attribute), &ops, &count) != 0 ||
        count != 1)
        return false;
    *base = 0;
    return ops[0].atom == DW_OP_call_frame_cfa || find_register(place, ops[0].atom - DW_OP_reg0, base);
}

bool
frames_variable(int fd, uintptr_t offset, const struct frame_place *place, struct lines_variable *variable)
{
    struct frame_search search = {.code = offset - 1, .place = place, .variable = variable};
    Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
    Dwarf_Off unit = 0, next;
    size_t head;

    for (; dwarf && !search.found && dwarf_nextcu(dwarf, unit, &next, &head, NULL, NULL, NULL) == 0; unit = next) {
        Dwarf_Die memory, function, *die = dwarf_offdie(dwarf, unit + head, &memory);

        if (die && has_code(die, search.code)) {
            if (find_function(die, search.code, &function) && find_base(&function, place, &search.base))
                look_within(&function, &search);
            break;
        }
    }
    dwarf_end(dwarf);
    return search.found;
}

#else

void
frames_rule(int fd, uintptr_t offset, struct frame_rule *rule)
{
    (void)fd, (void)offset;
    *rule = (struct frame_rule){.known = false};
}

bool
frames_variable(int fd, uintptr_t offset, const struct frame_place *place, struct lines_variable *variable)
{
    (void)fd, (void)offset, (void)place, (void)variable;
    return false;
}
#endif
