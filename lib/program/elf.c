/* SPDX-License-Identifier: MIT */
/* Reading an object file, and flattening a shared object. */
#include "lib/program/elf.h"
#include "lib/base/grow.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A linker gives a shared object two to five segments with different rights, and the loader one memory map for each,
 * and one more for the part that is read-only once it is relocated.  A process has 65,530 maps by default.  elf_flatten
 * makes it two segments, one that may be read and executed, and one that may be written: its file becomes the picture
 * of its memory, offset = address; no relocation or address in it changes.  A small .bss becomes zeros in the file,
 * since it would be a map of its own. */

enum { SMALL_BSS_BYTES = 16384 };

/* The `bytes` bytes at `offset` of the file, or NULL if the file is shorter. */
static const void *
elf_part(const unsigned char *file, size_t size, uint64_t offset, uint64_t bytes)
{
    return offset <= size && bytes <= size - offset ? file + offset : NULL;
}

static size_t
round_up(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static const Elf64_Ehdr *
header(const unsigned char *file, size_t size, int type)
{
    const Elf64_Ehdr *head = elf_part(file, size, 0, sizeof *head);

    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64)
        return NULL;
    return head->e_type == type ? head : NULL;
}

/* The table of sections, or NULL when there is none. */
static const Elf64_Shdr *
sections(const unsigned char *file, size_t size, const Elf64_Ehdr *head)
{
    if (head->e_shnum == 0 || head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shstrndx >= head->e_shnum ||
        head->e_shoff % _Alignof(Elf64_Shdr) != 0)
        return NULL;
    return elf_part(file, size, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr));
}

/* The string at `index` of a table of strings; "" if there is none. */
static const char *
string(const unsigned char *file, size_t size, const Elf64_Shdr *table, uint32_t index)
{
    const char *strings = elf_part(file, size, table->sh_offset, table->sh_size);

    if (!strings || index >= table->sh_size || !memchr(strings + index, '\0', table->sh_size - index))
        return "";
    return strings + index;
}

/* Whether a section that is loaded as writable is so only for the loader, which fills in addresses. */
static bool
constant_in_effect(const char *name)
{
    static const char *const prefixes[] = {".data.rel.ro",   ".bss.rel.ro", ".init_array", ".fini_array",
                                           ".preinit_array", ".ctors",      ".dtors",      ".eh_frame"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* Add one name to the list, after a sign or none. */
static void
add_name(struct elf_facts *facts, const char *sign, const char *name)
{
    size_t used = facts->calls ? strlen(facts->calls) : 0, bytes = strlen(sign) + strlen(name) + 2;

    if (!facts->calls || !*name)
        return;
    if (array_grow(&facts->calls, &facts->calls_room, used + bytes, 1)) {
        snprintf(facts->calls + used, bytes, "%s%s\n", sign, name);
    } else {
        free(facts->calls);
        facts->calls = NULL;
    }
}

static void
inspect_symbols(const unsigned char *file, size_t size, const Elf64_Shdr *table, const Elf64_Shdr *names,
                struct elf_facts *facts)
{
    const unsigned char *symbols = elf_part(file, size, table->sh_offset, table->sh_size);
    size_t count = symbols ? table->sh_size / sizeof(Elf64_Sym) : 0;

    for (size_t i = 0; i < count; i++) {
        Elf64_Sym symbol; /* an untrusted table may lie at any offset */

        memcpy(&symbol, symbols + i * sizeof symbol, sizeof symbol);
        const char *name = string(file, size, names, symbol.st_name);
        int type = ELF64_ST_TYPE(symbol.st_info);

        if (symbol.st_shndx == SHN_COMMON || type == STT_COMMON)
            facts->writable = true;
        if (symbol.st_shndx == SHN_UNDEF)
            add_name(facts, "", name);
        facts->unwinds |= strstr(name, "_personality_v") != NULL;
        if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL || type != STT_FUNC)
            continue;
        add_name(facts, "=", name);
        facts->has_peal_main |= strcmp(name, "peal_main") == 0;
        facts->has_main |= strcmp(name, "main") == 0;
        facts->has_mangled_peal_main |= strncmp(name, "_Z9peal_main", 12) == 0;
    }
}

bool
elf_inspect(const unsigned char *bytes, size_t size, struct elf_facts *facts)
{
    const Elf64_Ehdr *head = header(bytes, size, ET_REL);
    const Elf64_Shdr *section = head ? sections(bytes, size, head) : NULL;

    *facts = (struct elf_facts){.calls = calloc(1, 1)};
    if (!section)
        return false;
    for (int i = 0; i < head->e_shnum; i++) {
        bool loaded_writable = (section[i].sh_flags & SHF_ALLOC) && (section[i].sh_flags & SHF_WRITE);

        if (loaded_writable && section[i].sh_size > 0 &&
            !constant_in_effect(string(bytes, size, &section[head->e_shstrndx], section[i].sh_name)))
            facts->writable = true;
        if (section[i].sh_type == SHT_SYMTAB && section[i].sh_link < head->e_shnum)
            inspect_symbols(bytes, size, &section[i], &section[section[i].sh_link], facts);
    }
    return true;
}

/* Whether a program can write into the section: loaded, not thread-local, and not the loader's. */
static bool
holds_variables(const unsigned char *bytes, size_t size, const Elf64_Shdr *section, const Elf64_Shdr *names)
{
    const uint64_t wanted = SHF_ALLOC | SHF_WRITE;
    const char *name = string(bytes, size, names, section->sh_name);

    return (section->sh_flags & (wanted | SHF_TLS)) == wanted && section->sh_size > 0 &&
           section->sh_type != SHT_DYNAMIC && strncmp(name, ".got", 4) != 0 && !constant_in_effect(name);
}

/* Whether a table of symbols has a variable in one of these sections that comes from the compiler's start files, or one
 * that does not. */
static bool
has_variable(const unsigned char *bytes, size_t size, const Elf64_Shdr *section, const Elf64_Shdr *table,
             const Elf64_Ehdr *head, bool of_start)
{
    const Elf64_Sym *symbols = elf_part(bytes, size, table->sh_offset, table->sh_size);
    size_t count = symbols && table->sh_link < head->e_shnum ? table->sh_size / sizeof *symbols : 0;

    for (size_t i = 0; i < count; i++) {
        const char *name = string(bytes, size, &section[table->sh_link], symbols[i].st_name);
        bool starts = strcmp(name, "__dso_handle") == 0 || strncmp(name, "completed.", 10) == 0;

        if (starts == of_start && ELF64_ST_TYPE(symbols[i].st_info) == STT_OBJECT && symbols[i].st_size > 0 &&
            symbols[i].st_shndx < head->e_shnum &&
            holds_variables(bytes, size, &section[symbols[i].st_shndx], &section[head->e_shstrndx]))
            return true;
    }
    return false;
}

bool
elf_writable(const unsigned char *bytes, size_t size, size_t *begin, size_t *end)
{
    const Elf64_Ehdr *head = header(bytes, size, ET_DYN);
    const Elf64_Shdr *section = head ? sections(bytes, size, head) : NULL;
    bool own = false;

    *begin = *end = 0;
    for (int i = 0; section && i < head->e_shnum; i++) {
        if (section[i].sh_type == SHT_SYMTAB)
            own |= has_variable(bytes, size, section, &section[i], head, false);
        if (!holds_variables(bytes, size, &section[i], &section[head->e_shstrndx]))
            continue;
        if (*end == 0 || section[i].sh_addr < *begin)
            *begin = section[i].sh_addr;
        if (section[i].sh_addr + section[i].sh_size > *end)
            *end = section[i].sh_addr + section[i].sh_size;
    }
    return own;
}

/* Data without a name, as of -fsanitize=undefined, are found by their size. */
bool
elf_is_constant(const unsigned char *bytes, size_t size)
{
    enum { START_BYTES = 24 }; /* of the start files' variables */
    const Elf64_Ehdr *head = header(bytes, size, ET_DYN);
    const Elf64_Shdr *section = head ? sections(bytes, size, head) : NULL;
    bool whole = false; /* the start files' variable is local: no names were stripped */
    size_t begin, end;

    for (int i = 0; section && i < head->e_shnum; i++) {
        const bool runs = section[i].sh_type == SHT_INIT_ARRAY || section[i].sh_type == SHT_FINI_ARRAY ||
                          section[i].sh_type == SHT_PREINIT_ARRAY;

        if (section[i].sh_flags & SHF_TLS || (runs && section[i].sh_size > sizeof(char *)))
            return false;
        whole |= section[i].sh_type == SHT_SYMTAB && has_variable(bytes, size, section, &section[i], head, true);
    }
    return whole && !elf_writable(bytes, size, &begin, &end) && end - begin <= START_BYTES;
}

/* The ends of a shared object's segments in memory: of the part in the file, and with the zeros after it.  Their
 * alignment.  The begin of those that may be written, and the end of their part that is read-only once relocated. */
struct extent {
    size_t filled, memory, align, code, frozen;
};

/* False if they do not start at address 0, or lie outside of the file. */
static bool
elf_measure_segments(const unsigned char *file, size_t size, const Elf64_Phdr *segment, int count,
                     struct extent *extent)
{
    bool from_zero = false;

    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    *extent = (struct extent){.align = page, .code = SIZE_MAX};
    for (int i = 0; i < count; i++) {
        uint64_t end;

        if (segment[i].p_type == PT_GNU_RELRO && segment[i].p_vaddr + segment[i].p_memsz <= SIZE_MAX / 2)
            extent->frozen = (segment[i].p_vaddr + segment[i].p_memsz) / page * page;
        if (segment[i].p_type != PT_LOAD)
            continue;
        if (!elf_part(file, size, segment[i].p_offset, segment[i].p_filesz) ||
            segment[i].p_filesz > segment[i].p_memsz ||
            __builtin_add_overflow(segment[i].p_vaddr, segment[i].p_memsz, &end) || end > SIZE_MAX / 2)
            return false;
        from_zero |= segment[i].p_vaddr == 0 && segment[i].p_offset == 0;
        if (extent->filled < segment[i].p_vaddr + segment[i].p_filesz)
            extent->filled = segment[i].p_vaddr + segment[i].p_filesz;
        if (extent->memory < end)
            extent->memory = end;
        if (extent->align < segment[i].p_align)
            extent->align = segment[i].p_align;
        if (segment[i].p_flags & PF_W && extent->code > segment[i].p_vaddr / page * page)
            extent->code = segment[i].p_vaddr / page * page;
    }
    size_t end = (extent->memory + page - 1) / page * page;

    if (extent->code > end)
        extent->code = end;
    if (extent->frozen < extent->code || extent->frozen > end)
        extent->frozen = extent->code;
    return from_zero;
}

/* Append the sections that are not loaded, and the table of sections, to image->bytes, which has room. */
static void
append_sections(const unsigned char *file, size_t size, const Elf64_Ehdr *head, struct elf_image *image)
{
    const Elf64_Shdr *section = sections(file, size, head);
    size_t moved = image->rest - image->filled; /* from a place in bytes to its place in the file */
    Elf64_Ehdr *out = (Elf64_Ehdr *)(void *)image->bytes;

    if (!section) {
        out->e_shoff = 0;
        out->e_shnum = out->e_shstrndx = 0;
        return;
    }
    size_t bytes = (size_t)head->e_shnum * sizeof *section;
    Elf64_Shdr *table = (Elf64_Shdr *)(void *)(image->bytes + image->size);

    memcpy(table, section, bytes);
    out->e_shoff = image->size + moved;
    image->size += bytes;
    for (int i = 0; i < head->e_shnum; i++) {
        const void *data = elf_part(file, size, section[i].sh_offset, section[i].sh_size);

        if (section[i].sh_flags & SHF_ALLOC) {
            table[i].sh_offset = section[i].sh_addr;
        } else if (section[i].sh_type != SHT_NOBITS && section[i].sh_type != SHT_NULL && data) {
            table[i].sh_offset = image->size + moved;
            memcpy(image->bytes + image->size, data, section[i].sh_size);
            image->size += round_up(section[i].sh_size);
        }
    }
}

/* Remove the mark that a C++ compiler gives variables in inline functions and templates, which makes the loader keep
 * one for the whole process: each copy has its own. */
static void
bind_to_copy(unsigned char *bytes, const struct elf_image *image, const Elf64_Shdr *section, int count)
{
    for (int i = 0; section && i < count; i++) {
        if (section[i].sh_type != SHT_DYNSYM || section[i].sh_addr > image->filled ||
            section[i].sh_size > image->filled - section[i].sh_addr)
            continue;
        Elf64_Sym *symbols = (Elf64_Sym *)(void *)(bytes + section[i].sh_addr);

        for (size_t j = 0; j < section[i].sh_size / sizeof *symbols; j++)
            if (ELF64_ST_BIND(symbols[j].st_info) == STB_GNU_UNIQUE)
                symbols[j].st_info = ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(symbols[j].st_info));
    }
}

/* Make a loaded segment the first one, which is not written, or the second one, which is; other segments are
 * dropped. */
static void
set_segment(Elf64_Phdr *segment, int number, const struct extent *extent, size_t in_file)
{
    const struct {
        size_t begin, end;
    } parts[2] = {{0, extent->code}, {extent->code, extent->memory}};

    if (number >= 2 || parts[number].begin >= parts[number].end) {
        segment->p_type = PT_NULL;
        return;
    }
    size_t filled = parts[number].end < in_file ? parts[number].end : in_file;

    segment->p_flags = number == 0 ? PF_R | PF_X : PF_R | PF_W;
    segment->p_offset = segment->p_vaddr = segment->p_paddr = parts[number].begin;
    segment->p_filesz = filled > parts[number].begin ? filled - parts[number].begin : 0;
    segment->p_memsz = parts[number].end - parts[number].begin;
    segment->p_align = extent->align;
}

bool
elf_flatten(const unsigned char *file, size_t size, bool debug_info, struct elf_image *image)
{
    const Elf64_Ehdr *head = header(file, size, ET_DYN);
    struct extent extent;

    *image = (struct elf_image){0};
    if (!head || head->e_phentsize != sizeof(Elf64_Phdr))
        return false;
    const Elf64_Phdr *segment = elf_part(file, size, head->e_phoff, (uint64_t)head->e_phnum * sizeof *segment);
    if (!segment || !elf_measure_segments(file, size, segment, head->e_phnum, &extent) ||
        !elf_part(file, extent.filled, head->e_phoff, (uint64_t)head->e_phnum * sizeof *segment))
        return false;

    size_t in_file = extent.memory - extent.filled <= SMALL_BSS_BYTES ? extent.memory : extent.filled;
    image->code = extent.code;
    image->frozen = extent.frozen;
    image->memory = extent.memory;
    image->align = extent.align;
    image->size = image->filled = round_up(extent.filled);
    image->rest = round_up(in_file);
    /* Room for every section again, each rounded up. */
    image->bytes = calloc(1, image->filled + size + (size_t)head->e_shnum * (sizeof(Elf64_Shdr) + 16));
    if (!image->bytes)
        return false;
    for (int i = 0; i < head->e_phnum; i++)
        if (segment[i].p_type == PT_LOAD)
            memcpy(image->bytes + segment[i].p_vaddr, file + segment[i].p_offset, segment[i].p_filesz);

    Elf64_Phdr *out = (Elf64_Phdr *)(void *)(image->bytes + head->e_phoff);
    int loads = 0;

    for (int i = 0; i < head->e_phnum; i++) {
        out[i].p_offset = segment[i].p_vaddr;
        if (segment[i].p_type == PT_LOAD)
            set_segment(&out[i], loads++, &extent, in_file);
    }
    bind_to_copy(image->bytes, image, sections(file, size, head), head->e_shnum);
    append_sections(file, debug_info ? size : 0, head, image);
    return true;
}
