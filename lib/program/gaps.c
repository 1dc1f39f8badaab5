/* SPDX-License-Identifier: MIT */
/* Lengthens the sections of an object that hold one global each: an access past its end then meets no other one. */
#include "lib/base/grow.h"
#include "lib/program/elf.h"
#include <elf.h>
#include <string.h>

enum { SMALLEST = 64, LARGEST = 4096 };

size_t
elf_gap(size_t bytes)
{
    const size_t gap = bytes / 4 / SMALLEST * SMALLEST;

    return gap < SMALLEST ? SMALLEST : gap < LARGEST ? gap : LARGEST;
}

/* Whether the section holds one global that is written. */
static bool
has_global(const Elf64_Shdr *section, const char *name)
{
    return (section->sh_flags & (SHF_ALLOC | SHF_WRITE | SHF_TLS | SHF_EXECINSTR | SHF_MERGE)) ==
               (SHF_ALLOC | SHF_WRITE) &&
           section->sh_size > 0 &&
           ((section->sh_type == SHT_NOBITS && strncmp(name, ".bss.", 5) == 0 &&
             strncmp(name, ".bss.rel.ro", 11) != 0) ||
            (section->sh_type == SHT_PROGBITS && strncmp(name, ".data.", 6) == 0 &&
             strncmp(name, ".data.rel.ro", 12) != 0));
}

bool
elf_make_gaps(unsigned char **bytes, size_t *size)
{
    Elf64_Ehdr head;

    memcpy(&head, *bytes, sizeof head); /* of the compiler, which elf_inspect has read */
    if (head.e_shoff % _Alignof(Elf64_Shdr) != 0 || head.e_shstrndx >= head.e_shnum ||
        head.e_shoff + head.e_shnum * sizeof(Elf64_Shdr) > *size)
        return true;
    for (int i = 0; i < head.e_shnum; i++) {
        Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(*bytes + head.e_shoff), *section = &sections[i];
        const Elf64_Shdr *names = &sections[head.e_shstrndx];

        if (names->sh_offset + section->sh_name >= *size ||
            !has_global(section, (const char *)*bytes + names->sh_offset + section->sh_name))
            continue;
        const size_t old = section->sh_size, gap = elf_gap(old),
                     align = section->sh_addralign ? section->sh_addralign : 1;

        if (section->sh_type == SHT_PROGBITS) { /* its contents move to the end of the file */
            const size_t from = section->sh_offset, to = (*size + align - 1) / align * align;
            size_t room = *size;

            if (from + old > *size || !array_grow(bytes, &room, to + old + gap, 1))
                return false;
            unsigned char *more = *bytes;

            memset(more + *size, 0, to - *size);
            memcpy(more + to, more + from, old);
            memset(more + to + old, 0, gap);
            *size = to + old + gap;
            section = &((Elf64_Shdr *)(void *)(more + head.e_shoff))[i];
            section->sh_offset = to;
        }
        section->sh_size = old + gap;
    }
    return true;
}
