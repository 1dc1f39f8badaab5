/* SPDX-License-Identifier: MIT */
/* Debugging information, read with libdw of elfutils, only when a line is needed. */
#include "lib/program/lines.h"
#include "lib/machine/lookup.h"
#include <fcntl.h>
#include <unistd.h>

#if PEAL_LIBDW
#include "lib/program/inlined.h"
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Dwarf_Line *
inlined_find_row(Dwarf *dwarf, Dwarf_Addr address, Dwarf_Die *unit)
{
    Dwarf_Off offset = 0, next;
    size_t head;

    for (; dwarf_nextcu(dwarf, offset, &next, &head, NULL, NULL, NULL) == 0; offset = next) {
        Dwarf_Line *row = dwarf_offdie(dwarf, offset + head, unit) ? dwarf_getsrc_die(unit, address) : NULL;

        if (row)
            return row;
    }
    return NULL;
}

bool
inlined_find_call(Dwarf_Die *unit, Dwarf_Die *inlined, char *name, size_t bytes, int *line)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file, number;
    Dwarf_Files *files;
    size_t count;

    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) != 0 ||
        dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count)
        return false;
    snprintf(name, bytes, "%s", dwarf_filesrc(files, file, NULL, NULL));
    *line = (int)number;
    return true;
}

/* Of code from the system's headers that is inlined: go to where the program calls it, if that is known. */
static void
leave_system(Dwarf_Die *unit, Dwarf_Addr address, char *file, size_t bytes, int *line)
{
    Dwarf_Die *innermost = NULL, *scopes = NULL;
    int count = dwarf_getscopes(unit, address, &innermost) > 0 ? dwarf_getscopes_die(innermost, &scopes) : 0;
    char outer[1024];
    int number = *line;

    snprintf(outer, sizeof outer, "%s", file);
    for (int i = 0; i < count && lookup_is_system(outer); i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine &&
            !inlined_find_call(unit, &scopes[i], outer, sizeof outer, &number))
            break;
    if (!lookup_is_system(outer)) {
        snprintf(file, bytes, "%s", outer);
        *line = number;
    }
    free(innermost);
    free(scopes);
}

bool
lines_place(int fd, uintptr_t offset, char *file, size_t bytes, int *line, int *column)
{
    Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
    Dwarf_Die unit;
    Dwarf_Line *row = dwarf ? inlined_find_row(dwarf, offset, &unit) : NULL;
    const char *name = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
    bool found = name && dwarf_lineno(row, line) == 0 && *line > 0 && dwarf_linecol(row, column) == 0;

    if (found)
        snprintf(file, bytes, "%s", name);
    if (found && lookup_is_system(file))
        leave_system(&unit, offset, file, bytes, line);
    dwarf_end(dwarf);
    return found;
}

static void
each_row(Dwarf *dwarf, void (*see)(void *arg, uintptr_t offset, const char *file, int line), void *arg)
{
    Dwarf_Off at = 0, next;
    size_t head, count;

    for (; dwarf_nextcu(dwarf, at, &next, &head, NULL, NULL, NULL) == 0; at = next) {
        Dwarf_Die memory, *unit = dwarf_offdie(dwarf, at + head, &memory);
        Dwarf_Lines *rows;

        if (!unit || dwarf_getsrclines(unit, &rows, &count) != 0)
            continue;
        for (size_t i = 0; i < count; i++) {
            Dwarf_Line *row = dwarf_onesrcline(rows, i);
            const char *name = dwarf_linesrc(row, NULL, NULL);
            Dwarf_Addr address;
            bool ends = true;
            int line;

            if (name && dwarf_lineendsequence(row, &ends) == 0 && !ends && dwarf_lineaddr(row, &address) == 0 &&
                dwarf_lineno(row, &line) == 0)
                see(arg, address, name, line);
        }
    }
}

static void
each_function(Elf *elf, void (*see)(void *arg, uintptr_t offset, const char *file, int line), void *arg)
{
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        Elf_Data *data = elf_getdata(section, NULL);
        GElf_Shdr head;
        GElf_Sym symbol;

        if (!data || !gelf_getshdr(section, &head) || head.sh_type != SHT_SYMTAB)
            continue;
        for (int i = 0; gelf_getsym(data, i, &symbol); i++)
            if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value != 0)
                see(arg, symbol.st_value, NULL, 0);
    }
}

void
lines_each(int fd, void (*see)(void *arg, uintptr_t offset, const char *file, int line), void *arg)
{
    Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);

    if (!dwarf)
        return;
    each_row(dwarf, see, arg);
    each_function(dwarf_getelf(dwarf), see, arg);
    dwarf_end(dwarf);
}

/* A search in the symbols of a file. */
struct symbol_search {
    int type;
    uintptr_t offset;                /* without `see`: the offset to find */
    struct lines_variable *variable; /* what was found; with `see` its argument */
    void (*see)(void *arg, const struct lines_variable *function);
    void *arg;
};

/* Search one table of symbols. */
static bool
search_table(Elf *elf, Elf_Scn *section, const struct symbol_search *search)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Shdr head;
    GElf_Sym symbol;

    if (!data || !gelf_getshdr(section, &head) || (head.sh_type != SHT_SYMTAB && head.sh_type != SHT_DYNSYM))
        return false;
    for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
        const char *text = elf_strptr(elf, head.sh_link, symbol.st_name);
        bool is_there = search->offset >= symbol.st_value && search->offset - symbol.st_value < symbol.st_size;

        if (GELF_ST_TYPE(symbol.st_info) != search->type || !text || (!is_there && !search->see))
            continue;
        size_t length = 0; /* a static of a function is called name.1234 */

        while (text[length] && text[length] != '.')
            length++;
        *search->variable = (struct lines_variable){.begin = symbol.st_value, .bytes = symbol.st_size};
        snprintf(search->variable->name, sizeof search->variable->name, "%.*s", (int)length, text);
        if (!search->see)
            return true;
        search->see(search->arg, search->variable);
    }
    return false;
}

static bool
search_symbols(int fd, const struct symbol_search *search)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    bool found = false;

    for (Elf_Scn *section = NULL; elf && !found && (section = elf_nextscn(elf, section));)
        found = search_table(elf, section, search);
    elf_end(elf);
    return found;
}

void
lines_functions(int fd, void (*see)(void *arg, const struct lines_variable *function), void *arg)
{
    search_symbols(fd, &(struct symbol_search){STT_FUNC, 0, &(struct lines_variable){0}, see, arg});
}

void
lines_variables(int fd, void (*see)(void *arg, const struct lines_variable *variable), void *arg)
{
    search_symbols(fd, &(struct symbol_search){STT_OBJECT, 0, &(struct lines_variable){0}, see, arg});
}

bool
lines_variable(int fd, uintptr_t offset, struct lines_variable *variable)
{
    return search_symbols(fd, &(struct symbol_search){STT_OBJECT, offset, variable, NULL, NULL});
}

bool
lines_function(int fd, uintptr_t offset, struct lines_variable *function)
{
    return search_symbols(fd, &(struct symbol_search){STT_FUNC, offset, function, NULL, NULL});
}

/* The variable's type below its typedefs and qualifiers, if it is an array. */
static bool
array_type(Dwarf_Die *variable, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;

    for (Dwarf_Die *of = variable;; of = type) {
        if (!dwarf_formref_die(dwarf_attr_integrate(of, DW_AT_type, &attribute), type))
            return false;
        switch (dwarf_tag(type)) {
        case DW_TAG_array_type:
            return true;
        case DW_TAG_typedef:
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
            break;
        default:
            return false;
        }
    }
}

/* How many elements the array has, in all its dimensions; 0: their number is not fixed. */
static size_t
lines_count_elements(Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    Dwarf_Die range;
    size_t count = 1;
    int more = dwarf_child(type, &range);

    for (; more == 0; more = dwarf_siblingof(&range, &range)) {
        Dwarf_Word number;
        const bool counts = dwarf_attr(&range, DW_AT_count, &attribute) != NULL;

        if (!counts && !dwarf_attr(&range, DW_AT_upper_bound, &attribute))
            return 0;
        if (dwarf_formudata(&attribute, &number) != 0 || number > UINT32_MAX)
            return 0;
        count *= (size_t)number + !counts;
    }
    return count;
}

struct arrays {
    void (*see)(void *arg, const struct lines_array *array);
    void *arg;
};

/* List the arrays that are declared within `parent`, in code from `begin` to `end`. */
static void
arrays_within(Dwarf_Die *parent, uintptr_t begin, uintptr_t end,
              const struct arrays *to) /* NOLINT(misc-no-recursion) */
{
    Dwarf_Die child, type;
    Dwarf_Word bytes;
    int more = dwarf_child(parent, &child);

    for (; more == 0; more = dwarf_siblingof(&child, &child)) {
        const char *file = dwarf_decl_file(&child);
        struct lines_array array = {.begin = begin, .end = end};
        Dwarf_Addr low = 0, high = 0;

        switch (dwarf_tag(&child)) {
        case DW_TAG_subprogram:
            if (dwarf_lowpc(&child, &low) == 0 && dwarf_highpc(&child, &high) == 0)
                arrays_within(&child, low, high, to);
            break;
        case DW_TAG_lexical_block:
        case DW_TAG_inlined_subroutine:
            arrays_within(&child, begin, end, to);
            break;
        case DW_TAG_variable:
            if (!file || lookup_is_system(file) || strchr(file, '<') || !array_type(&child, &type) ||
                (array.count = lines_count_elements(&type)) == 0 || dwarf_aggregate_size(&type, &bytes) != 0)
                break;
            array.bytes = bytes;
            dwarf_decl_line(&child, &array.line);
            to->see(to->arg, &array);
            break;
        default:
            break;
        }
    }
}

void
lines_arrays(int fd, void (*see)(void *arg, const struct lines_array *array), void *arg)
{
    const struct arrays to = {see, arg};
    Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
    Dwarf_Off at = 0, next;
    size_t head;

    for (; dwarf && dwarf_nextcu(dwarf, at, &next, &head, NULL, NULL, NULL) == 0; at = next) {
        Dwarf_Die memory, *unit = dwarf_offdie(dwarf, at + head, &memory);

        if (unit)
            arrays_within(unit, 0, 0, &to);
    }
    dwarf_end(dwarf);
}

#else

void
lines_arrays(int fd, void (*see)(void *arg, const struct lines_array *array), void *arg)
{
    (void)fd, (void)see, (void)arg;
}

bool
lines_place(int fd, uintptr_t offset, char *file, size_t bytes, int *line, int *column)
{
    (void)fd, (void)offset, (void)file, (void)bytes, (void)line, (void)column;
    return false;
}

void
lines_each(int fd, void (*see)(void *arg, uintptr_t offset, const char *file, int line), void *arg)
{
    (void)fd, (void)see, (void)arg;
}

bool
lines_variable(int fd, uintptr_t offset, struct lines_variable *variable)
{
    (void)fd, (void)offset, (void)variable;
    return false;
}

bool
lines_function(int fd, uintptr_t offset, struct lines_variable *function)
{
    (void)fd, (void)offset, (void)function;
    return false;
}

void
lines_functions(int fd, void (*see)(void *arg, const struct lines_variable *function), void *arg)
{
    (void)fd, (void)see, (void)arg;
}

void
lines_variables(int fd, void (*see)(void *arg, const struct lines_variable *variable), void *arg)
{
    (void)fd, (void)see, (void)arg;
}
#endif

bool
lines_find(int fd, uintptr_t offset, char *file, size_t bytes, int *line)
{
    int column;

    return lines_place(fd, offset, file, bytes, line, &column);
}

/* Find the line in the shared object of this name. */
static bool
find_in(const char *path, uintptr_t offset, char *file, size_t bytes, int *line)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool found = fd >= 0 && lines_find(fd, offset, file, bytes, line);

    if (fd >= 0)
        close(fd);
    return found;
}

static bool
function_in(const char *path, uintptr_t offset, char *name, size_t bytes)
{
    struct lines_variable function;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool found = fd >= 0 && lines_function(fd, offset, &function);

    if (fd >= 0)
        close(fd);
    if (found)
        snprintf(name, bytes, "%s", function.name);
    return found;
}

__attribute__((constructor)) static void
offer(void)
{
    line_finder.function = function_in;
    line_finder.find = find_in;
}
