/* SPDX-License-Identifier: MIT */
/* Rewrites the names of symbols in an ELF64 object in memory, whose tables must lie within the file. */
#include "lib/base/grow.h"
#include "lib/program/isolate.h"

#include <stdlib.h>
#include <string.h>

/* An object whose symbols are being renamed: its file, and the strings to append. */
struct object {
    unsigned char *bytes;
    size_t size;
    Elf64_Shdr *symbols, *names;
    char *added; /* strings that begin where `names` ends */
    size_t added_bytes, added_room;
};

/* Whether these bytes lie in the object's file. */
static bool
object_has_bytes(const struct object *object, uint64_t offset, uint64_t bytes)
{
    return offset <= object->size && bytes <= object->size - offset;
}

/* Find the table of symbols and its names. */
static bool
find_tables(struct object *object)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(void *)object->bytes;

    if (!object_has_bytes(object, 0, sizeof *head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_type != ET_REL || head->e_shentsize != sizeof(Elf64_Shdr) ||
        !object_has_bytes(object, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
        return false;

    Elf64_Shdr *table = (Elf64_Shdr *)(void *)(object->bytes + head->e_shoff);

    for (int i = 0; i < head->e_shnum; i++)
        if (table[i].sh_type == SHT_SYMTAB && table[i].sh_link < head->e_shnum) {
            if (object->symbols)
                return false;
            object->symbols = &table[i];
            object->names = &table[table[i].sh_link];
        }
    return object->symbols && object_has_bytes(object, object->symbols->sh_offset, object->symbols->sh_size) &&
           object_has_bytes(object, object->names->sh_offset, object->names->sh_size) && object->names->sh_size > 0 &&
           object->bytes[object->names->sh_offset + object->names->sh_size - 1] == '\0';
}

/* Give the symbol its new name. */
static bool
rename_symbol(struct object *object, Elf64_Sym *symbol, const char *name)
{
    size_t bytes = strlen(name) + 1;

    if (!array_grow(&object->added, &object->added_room, object->added_bytes + bytes, 1))
        return false;
    memcpy(object->added + object->added_bytes, name, bytes);
    symbol->st_name = (Elf64_Word)(object->names->sh_size + object->added_bytes);
    object->added_bytes += bytes;
    return true;
}

/* Append the names, old and new, to the file. */
static bool
append_names(struct object *object)
{
    size_t before = object->names->sh_size, all = before + object->added_bytes, at = object->size;
    size_t names = (size_t)((unsigned char *)object->names - object->bytes);
    size_t room = object->size;

    if (!array_grow(&object->bytes, &room, at + all, 1))
        return false;
    object->names = (Elf64_Shdr *)(void *)(object->bytes + names);
    memcpy(object->bytes + at, object->bytes + object->names->sh_offset, before);
    memcpy(object->bytes + at + before, object->added, object->added_bytes);
    object->names->sh_offset = at;
    object->names->sh_size = all;
    object->size = at + all;
    return true;
}

bool
rename_symbols(unsigned char **bytes, size_t *size, rename_choice choose, void *arg)
{
    struct object object = {.bytes = malloc(*size), .size = *size};
    bool done = object.bytes && memcpy(object.bytes, *bytes, *size) && find_tables(&object);

    if (done) {
        Elf64_Sym *symbols = (Elf64_Sym *)(void *)(object.bytes + object.symbols->sh_offset);
        const char *names = (const char *)object.bytes + object.names->sh_offset;

        for (size_t i = 0; done && i < object.symbols->sh_size / sizeof *symbols; i++) {
            const char *name = symbols[i].st_name < object.names->sh_size
                                   ? choose(&symbols[i], names + symbols[i].st_name, arg)
                                   : NULL;

            done = !name || rename_symbol(&object, &symbols[i], name);
        }
        done = done && (!object.added || append_names(&object)); /* else nothing was renamed */
    }
    free(object.added);
    if (!done) {
        free(object.bytes);
        return false;
    }
    free(*bytes);
    *bytes = object.bytes;
    *size = object.size;
    return true;
}
