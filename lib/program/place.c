/* SPDX-License-Identifier: MIT */
/* For each copy the loader searches all loaded objects and reads the file again: 25 us per copy at first, 100 at the
 * 4096th.  Here a copy is one map of a file that is already relocated for the first copy; slots that hold an address in
 * that copy get the distance added.  Code stays shared, since its pages are not written. */
#include "lib/base/grow.h"
#include "lib/program/load.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The loader loads the objects that cannot be placed: those with thread-locals, whose numbers it assigns; in C++ (the
 * unwinder asks it for frames); with relocations that no linker writes by default. */

#if defined __x86_64__
#define RELATIVE R_X86_64_RELATIVE
#elif defined __aarch64__
#define RELATIVE R_AARCH64_RELATIVE
#endif

#ifdef RELATIVE

static size_t
place_whole_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (bytes + page - 1) / page * page;
}

/* Note the slots of one table of relocations. */
static bool
add_table(struct placement *place, const struct elf_image *image, size_t at, size_t bytes)
{
    size_t count = bytes / sizeof(Elf64_Rela), end = image->filled;

    if (at > end || bytes > end - at)
        return false;
    if (!array_grow(&place->slots, &place->slot_room, place->slot_count + count, sizeof *place->slots))
        return false;
    for (size_t i = 0; i < count; i++) {
        Elf64_Rela one;

        memcpy(&one, image->bytes + at + i * sizeof one, sizeof one);
        if (one.r_offset < image->code || one.r_offset > end - sizeof(uintptr_t))
            return false;
        place->slots[place->slot_count++] = (struct place_slot){one.r_offset, ELF64_R_TYPE(one.r_info) == RELATIVE};
    }
    return true;
}

/* The tags of the dynamic section that are used here. */
static bool
read_tags(struct placement *place, const struct elf_image *image, const Elf64_Dyn *tags)
{
    enum { RELATIVES = 36 }; /* DT_RELR */
    size_t table = 0, table_bytes = 0, plt = 0, plt_bytes = 0, init_bytes = 0, fini_bytes = 0;
    const struct {
        Elf64_Sxword tag;
        size_t *value;
    } wanted[] = {
        {DT_RELA, &table},
        {DT_RELASZ, &table_bytes},
        {DT_JMPREL, &plt},
        {DT_PLTRELSZ, &plt_bytes},
        {DT_INIT, &place->init},
        {DT_INIT_ARRAY, &place->init_array},
        {DT_INIT_ARRAYSZ, &init_bytes},
        {DT_FINI, &place->fini},
        {DT_FINI_ARRAY, &place->fini_array},
        {DT_FINI_ARRAYSZ, &fini_bytes},
    };

    for (const Elf64_Dyn *tag = tags; tag->d_tag != DT_NULL; tag++) {
        if (tag->d_tag == DT_REL || tag->d_tag == DT_TEXTREL || tag->d_tag == RELATIVES)
            return false;
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (tag->d_tag == wanted[i].tag)
                *wanted[i].value = tag->d_un.d_val;
    }
    place->init_count = init_bytes / sizeof(uintptr_t);
    place->fini_count = fini_bytes / sizeof(uintptr_t);
    return add_table(place, image, table, table_bytes) && add_table(place, image, plt, plt_bytes);
}

/* Keep the loader from running constructors and destructors. */
static void
disarm(Elf64_Dyn *tags)
{
    for (Elf64_Dyn *tag = tags; tag->d_tag != DT_NULL; tag++)
        if (tag->d_tag == DT_INIT_ARRAYSZ || tag->d_tag == DT_FINI_ARRAYSZ)
            tag->d_un.d_val = 0;
        else if (tag->d_tag == DT_INIT || tag->d_tag == DT_FINI)
            tag->d_tag = DT_DEBUG; /* which means nothing in a library */
}

bool
place_init(struct placement *place, struct elf_image *image)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)image->bytes;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(const void *)(image->bytes + head->e_phoff);
    Elf64_Dyn *tags = NULL;

    *place = (struct placement){.bytes = place_whole_pages(image->memory),
                                .mapped = place_whole_pages(image->rest),
                                .align = image->align,
                                .frozen = image->frozen};
    for (int i = 0; i < head->e_phnum; i++) {
        if (segment[i].p_type == PT_TLS)
            return false;
        if (segment[i].p_type == PT_DYNAMIC && segment[i].p_vaddr + segment[i].p_filesz <= image->filled)
            tags = (Elf64_Dyn *)(void *)(image->bytes + segment[i].p_vaddr);
    }
    if (!tags || !read_tags(place, image, tags)) {
        place_fini(place);
        return false;
    }
    disarm(tags);
    return true;
}

#else

bool
place_init(struct placement *place, struct elf_image *image)
{
    (void)image;
    *place = (struct placement){0};
    return false;
}

#endif

void
place_fini(struct placement *place)
{
    free(place->slots);
    place->slots = NULL;
    place->slot_count = place->slot_room = 0;
}

bool
place_settle(struct placement *place, const char *base, int file)
{
    size_t kept = 0;

    for (size_t i = 0; i < place->slot_count; i++) {
        uintptr_t value;

        memcpy(&value, base + place->slots[i].at, sizeof value);
        if (place->slots[i].relative || value - (uintptr_t)base < place->bytes)
            place->slots[kept++] = place->slots[i];
    }
    place->slot_count = kept;
    for (size_t done = 0; done < place->mapped;) {
        ssize_t count = pwrite(file, base + done, place->mapped - done, (off_t)done);

        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

enum { RIGHTS = PROT_READ | PROT_WRITE, HOW = MAP_PRIVATE | MAP_NORESERVE };

/* Memory for a copy at a multiple of its alignment, which is more than a page where linkers allow for larger pages
 * (64 KiB on arm64).  NULL with errno set. */
static char *
place_reserve(const struct placement *place)
{
    size_t slack = place->align - (size_t)sysconf(_SC_PAGESIZE);
    char *all = mmap(NULL, place->bytes + slack, RIGHTS, HOW | MAP_ANONYMOUS, -1, 0);

    if (all == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)all % place->align;

    if (before > 0)
        munmap(all, before);
    if (before < slack)
        munmap(all + before + place->bytes, slack - before);
    return all + before;
}

char *
place_copy(const struct placement *place, const char *first, int file)
{
    bool whole = place->bytes == place->mapped && place->align <= (size_t)sysconf(_SC_PAGESIZE); /* no large .bss */
    char *base = whole ? NULL : place_reserve(place);

    if (!whole && !base)
        return NULL;
    char *mapped = mmap(base, place->mapped, RIGHTS, HOW | (base ? MAP_FIXED : 0), file, 0);

    if (mapped != MAP_FAILED) {
        for (size_t i = 0; i < place->slot_count; i++) {
            uintptr_t value;

            memcpy(&value, mapped + place->slots[i].at, sizeof value);
            value += (uintptr_t)mapped - (uintptr_t)first;
            memcpy(mapped + place->slots[i].at, &value, sizeof value);
        }
        if (mprotect(mapped, place->frozen, PROT_READ | PROT_EXEC) == 0)
            return mapped;
        base = mapped;
    }
    int reason = errno;

    if (base)
        munmap(base, place->bytes);
    errno = reason;
    return NULL;
}

void
place_remove(const struct placement *place, char *base)
{
    munmap(base, place->bytes);
}

typedef void (*constructor)(int argc, char **argv, char **environment);

static void
place_call_function(const char *address)
{
    static char *none[] = {NULL};
    constructor function;

    memcpy(&function, &address, sizeof function); /* C has no cast from data to function */
    function(0, none, environ);
}

/* The element of an array of functions. */
static const char *
place_function_at(const char *base, size_t array, size_t i)
{
    const char *address;

    memcpy(&address, base + array + i * sizeof address, sizeof address);
    return address;
}

void
place_construct(const struct placement *place, char *base)
{
    if (place->init)
        place_call_function(base + place->init);
    for (size_t i = 0; i < place->init_count; i++)
        place_call_function(place_function_at(base, place->init_array, i));
}

void
place_destruct(const struct placement *place, char *base)
{
    for (size_t i = place->fini_count; i-- > 0;)
        place_call_function(place_function_at(base, place->fini_array, i));
    if (place->fini)
        place_call_function(base + place->fini);
}
