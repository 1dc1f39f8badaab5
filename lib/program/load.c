/* SPDX-License-Identifier: MIT */
/* Copies of a shared object.
 *
 * Up to COPIES_TO_DEBUG are loaded one by one, so that debuggers know them all; more are placed (place.c), where that
 * is possible.  In each copy the parts that the linker marked read-only are read-only.  A program without writable data
 * is loaded once, and all of it is read-only then, the rest of its last page too. */
#include "lib/program/load.h"
#include "lib/base/process.h"
#include "lib/base/text.h"
#include "lib/child/box.h"
#include "lib/machine/host.h"
#include "lib/program/linked.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* The loader makes a second copy only of a file with another name and another inode.  Files in memory (memfd) have
 * both, need no disk and no removal, and work where /tmp must not hold programs.  Their name is /proc/PID/fd/N,
 * where N repeats when each is closed after it is loaded; so a growing number is written into the path, bit by bit,
 * as "/" for 0 and "./" for 1, which lead to the same file.  With PID instead of "self" a debugger finds the file
 * too; up to COPIES_TO_DEBUG files stay open, since it reads them again.  A copy has 8 KiB of its own where it
 * writes little: a page of what is relocated, and one of globals. */

/* Copies beyond this number have no debug information: nobody debugs so many, and each costs memory. */
enum { COPIES_TO_DEBUG = 64 };

enum { NAME_BYTES = 128, OTHER_FILES = 32 };

/* Write a name of file descriptor `fd` that no copy in this process has had. */
static void
name_copy(char name[NAME_BYTES], int fd)
{
    static unsigned names;
    int length = snprintf(name, NAME_BYTES, "/proc/%d/fd/", process_number());

    for (unsigned bits = ++names; bits != 0; bits >>= 1) {
        if (bits & 1)
            name[length++] = '.';
        name[length++] = '/';
    }
    snprintf(name + length, NAME_BYTES - (size_t)length, "%d", fd);
}

static bool
write_at(int fd, const unsigned char *bytes, size_t count, size_t offset)
{
    while (count > 0) {
        ssize_t done = pwrite(fd, bytes, count, (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done;
        count -= (size_t)done;
        offset += (size_t)done;
    }
    return true;
}

/* Let this process open `count` files and some more, as far as the system allows. */
static void
allow_files(int count)
{
    rlim_t wanted = (rlim_t)count + OTHER_FILES;
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < wanted) {
        files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

/* Make a file in memory.  Gives -1 with EMFILE where too few descriptors would be left for the loader. */
static int
make_file(const char *label, unsigned flags)
{
    int fd = memfd_create(label, flags);

    if (fd < 0 || fd + 4 < sysconf(_SC_OPEN_MAX))
        return fd;
    close(fd);
    errno = EMFILE;
    return -1;
}

static struct {
    int *files, count; /* NULL: none were reserved */
} reserved;

void
program_reserve(int copies)
{
    enum { MAX_COPIES = 1 << 14 }; /* of four memory maps or more each: the system's default limit allows no more */
    int fd;

    copies = copies < MAX_COPIES ? copies : MAX_COPIES;
    allow_files(copies);
    reserved.files = malloc(((size_t)copies + 1) * sizeof *reserved.files);
    while (reserved.files && reserved.count <= copies &&
           (fd = make_file("program", MFD_CLOEXEC | MFD_ALLOW_SEALING)) >= 0)
        reserved.files[reserved.count++] = fd;
}

/* Give a file its size: whole pages, as place_settle writes them.  A reserved file cannot grow later, since what a
 * program writes there is accounted to nobody. */
static bool
set_size(int fd, const struct elf_image *image)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = image->rest + image->size - image->filled;

    return ftruncate(fd, (off_t)((bytes + page - 1) / page * page)) == 0 &&
           (fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) == 0 || errno == EPERM);
}

/* Make a file in memory of the image.  Gives its descriptor, -1 with errno set when that fails. */
static int
write_image(const char *path, const struct elf_image *image)
{
    char label[200]; /* the system shows it, and limits its length */

    snprintf(label, sizeof label, "%s", file_name(path));
    errno = EMFILE; /* all that could be reserved are used */
    int fd = reserved.count > 0 ? reserved.files[--reserved.count]
             : reserved.files   ? -1
                                : make_file(label, MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    if (set_size(fd, image) && write_at(fd, image->bytes, image->filled, 0) &&
        write_at(fd, image->bytes + image->filled, image->size - image->filled, image->rest))
        return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

/* Redirect the calls of a linked program to Peal. */
static bool
bind_one(struct loaded *loaded, const struct elf_image *image, const struct link_map *map)
{
    if (loaded->count == 0)
        loaded->dynamic = map->l_ld;
    return linked_bind((char *)map->l_addr, map->l_ld, image->code, image->frozen, loaded->count > 0);
}

/* Load one copy, and leave its file open.  False if that fails; `why` then has the reason. */
static bool
load_one(const char *path, struct loaded *loaded, bool linked, const struct elf_image *image, const char *symbol,
         struct instance *instance, char *why, size_t why_bytes)
{
    char name[NAME_BYTES];

    instance->file = write_image(path, image);
    if (instance->file < 0) {
        if (errno == EMFILE)
            snprintf(why, why_bytes, "a process may have %ld open files (ulimit -Hn)", sysconf(_SC_OPEN_MAX));
        else
            snprintf(why, why_bytes, "a file in memory: %s", strerror(errno));
        return false;
    }
    name_copy(name, instance->file);
    instance->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!instance->handle) {
        const char *text = dlerror();

        if (!text)
            text = "the loader does not say why";
        if (strncmp(text, name, strlen(name)) == 0 && strncmp(text + strlen(name), ": ", 2) == 0)
            text += strlen(name) + 2;
        snprintf(why, why_bytes, "%s", text);
        close(instance->file);
        return false;
    }
    void *entry = dlsym(instance->handle, symbol);
    memcpy(&instance->entry, &entry, sizeof entry); /* C has no cast from data to function */
    struct link_map *map;
    bool known = dlinfo(instance->handle, RTLD_DI_LINKMAP, &map) == 0;

    instance->base = known ? (char *)map->l_addr : NULL;
    if ((!linked || (known && bind_one(loaded, image, map))) &&
        (loaded->count > 0 || !loaded->cplusplus || linked_bind_cplusplus()))
        return true;
    snprintf(why, why_bytes, "its calls cannot be redirected to Peal: %s", strerror(errno));
    dlclose(instance->handle);
    close(instance->file);
    return false;
}

/* Place one more copy beside the first one. */
static bool
place_one(const struct loaded *loaded, const struct elf_image *image, struct instance *instance, char *why,
          size_t why_bytes)
{
    const struct instance *first = &loaded->copies[0];
    uintptr_t entry;

    *instance = (struct instance){.base = place_copy(&loaded->place, first->base, first->file), .file = -1};
    if (!instance->base ||
        (loaded->dynamic && !linked_empty_input(instance->base, loaded->dynamic, image->code, image->frozen))) {
        snprintf(why, why_bytes, "%s", strerror(errno));
        if (instance->base)
            place_remove(&loaded->place, instance->base);
        return false;
    }
    memcpy(&entry, &first->entry, sizeof entry);
    entry += (uintptr_t)instance->base - (uintptr_t)first->base;
    memcpy(&instance->entry, &entry, sizeof entry);
    return true;
}

static long
lines_of(const char *path)
{
    char text[4096];
    long lines = 0;
    FILE *in = fopen(path, "re");

    for (size_t count; in && (count = fread(text, 1, sizeof text, in)) > 0;)
        for (size_t i = 0; i < count; i++)
            lines += text[i] == '\n';
    if (in)
        fclose(in);
    return lines;
}

/* Refuse: only `loaded` copies fit, and why.  Called while they are still loaded. */
static enum peal_status
refuse_more(const char *path, int loaded, int copies, const char *why, struct peal_error *error)
{
    long limit = maps_allowed();
    char reason[300];

    if (limit > 0 && lines_of("/proc/self/maps") > limit - 16)
        snprintf(reason, sizeof reason, "a process may have %ld memory maps (vm.max_map_count)", limit);
    else
        snprintf(reason, sizeof reason, "%s", why);
    return peal_refuse(
        error, PEAL_RESOURCES,
        "%s has globals or statics, and only %d of %d copies of it could be loaded: %s; run fewer nodes, "
        "or write it without globals and statics",
        path, loaded, copies, reason);
}

/* Keep the debug information for reports with lines.  Without it reports have no lines. */
static void
keep_symbols(const char *path, const struct compiled *program, struct loaded *loaded)
{
    struct elf_image image;

    if (!elf_flatten(program->bytes, program->size, true, &image))
        return;
    loaded->symbols = write_image(path, &image);
    snprintf(loaded->symbols_path, sizeof loaded->symbols_path, "/proc/%d/fd/%d", process_number(), loaded->symbols);
    box_note_program(&loaded->image, loaded->symbols_path);
    free(image.bytes);
}

static int
by_base(const void *a, const void *b)
{
    const struct image_copy *left = a, *right = b;

    return left->base < right->base ? -1 : left->base > right->base;
}

static void
list_by_address(struct loaded *loaded)
{
    for (int i = 0; i < loaded->count; i++)
        loaded->image.copies[i] = (struct image_copy){(uintptr_t)loaded->copies[i].base, i};
    qsort(loaded->image.copies, (size_t)loaded->count, sizeof *loaded->image.copies, by_base);
    loaded->image.count = loaded->count;
}

/* Load or place as many copies as are asked for. */
static enum peal_status
load_all(const char *path, const struct elf_image *image, const char *entry, int copies, bool placed, bool linked,
         struct loaded *loaded, struct peal_error *error)
{
    bool to_debug = copies <= COPIES_TO_DEBUG;
    char why[300];

    for (; loaded->count < copies; loaded->count++) {
        struct instance *instance = &loaded->copies[loaded->count];
        bool more = placed && loaded->count > 0;

        box_load(copies > 1 && !placed ? loaded->count : -1);
        if (!(more ? place_one(loaded, image, instance, why, sizeof why)
                   : load_one(path, loaded, linked, image, entry, instance, why, sizeof why)))
            return loaded->count > 0 ? refuse_more(path, loaded->count, copies, why, error)
                                     : peal_refuse(error, instance->file < 0 ? PEAL_RESOURCES : PEAL_PROGRAM,
                                                   "%s does not load: %s", path, why);
        if (!instance->entry) {
            loaded->count++;
            return peal_refuse(error, PEAL_PROGRAM, "%s hides its %s: it must be visible to others", path, entry);
        }
        if (placed && !more && !place_settle(&loaded->place, instance->base, instance->file)) {
            loaded->count++;
            return peal_refuse(error, PEAL_RESOURCES, "%s: no memory for copies of it", path);
        }
        if (!to_debug && !placed) {
            close(instance->file);
            instance->file = -1;
        }
    }
    return PEAL_OK;
}

/* Set the rights of the end of the only copy. */
static bool
seal(const struct loaded *loaded, size_t begin, int rights)
{
    return begin >= loaded->image.bytes ||
           mprotect(loaded->copies[0].base + begin, loaded->image.bytes - begin, rights) == 0;
}

/* The last steps, once all copies are loaded. */
static void
load_finish(const struct compiled *program, bool placed, struct loaded *loaded)
{
    list_by_address(loaded);
    if (placed) {
        close(loaded->copies[0].file);
        loaded->copies[0].file = -1;
        for (int i = 0; i < loaded->count; i++) {
            box_load(loaded->count > 1 ? i : -1);
            place_construct(&loaded->place, loaded->copies[i].base);
        }
        loaded->constructed = true;
    }
    box_load(-1);
    if (!program->writable && loaded->count == 1 && seal(loaded, loaded->image.frozen, PROT_READ)) {
        loaded->sealed = loaded->image.frozen;
        loaded->image.frozen = loaded->image.bytes;
        loaded->writable_end = loaded->writable;
    }
}

enum peal_status
load_copies(const char *path, const struct compiled *program, const char *entry, int copies, struct loaded *loaded,
            struct peal_error *error)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct elf_image image;

    *loaded = (struct loaded){.symbols = -1};
    allow_files(copies < COPIES_TO_DEBUG ? copies : COPIES_TO_DEBUG);
    errno = 0;
    if (!elf_flatten(program->bytes, program->size, copies <= COPIES_TO_DEBUG, &image) && errno == ENOMEM)
        return peal_refuse(error, PEAL_RESOURCES, "%s: no memory to lay it out", path);
    if (!image.bytes)
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s: the linker did not write an ELF64 shared object; see CC and CFLAGS", path);
    loaded->copies = calloc((size_t)copies, sizeof *loaded->copies);
    loaded->image.copies = calloc((size_t)copies, sizeof *loaded->image.copies);
    if (!loaded->copies || !loaded->image.copies) {
        free(image.bytes);
        load_undo(loaded);
        return peal_refuse(error, PEAL_RESOURCES, "%s: no memory for a list of %d copies", path, copies);
    }
    keep_symbols(path, program, loaded);
    elf_writable(program->bytes, program->size, &loaded->writable, &loaded->writable_end);
    if (loaded->writable < image.frozen)
        loaded->writable = image.frozen;
    if (loaded->writable_end < loaded->writable)
        loaded->writable_end = loaded->writable;
    loaded->image.bytes = (image.memory + page - 1) / page * page;
    loaded->image.frozen = image.frozen;

    loaded->cplusplus = program->unwinds;
    for (int i = 0; i < reserved.count; i++)
        set_size(reserved.files[i], &image);
    bool placed = copies > COPIES_TO_DEBUG && !program->unwinds && place_init(&loaded->place, &image);
    enum peal_status status = load_all(path, &image, entry, copies, placed, program->linked, loaded, error);

    while (reserved.count > 0)
        close(reserved.files[--reserved.count]);
    free(reserved.files);
    reserved.files = NULL;
    if (status == PEAL_OK)
        load_finish(program, placed, loaded);
    else
        load_undo(loaded);
    free(image.bytes);
    return status;
}

bool
load_keep(struct loaded *loaded)
{
    size_t bytes = loaded->writable_end - loaded->writable;

    for (int i = 0; i < loaded->count && bytes > 0; i++) {
        struct instance *instance = &loaded->copies[i];

        if (!instance->kept && !(instance->kept = malloc(bytes)))
            return false;
        memcpy(instance->kept, instance->base + loaded->writable, bytes);
    }
    return true;
}

void
load_restore(const struct loaded *loaded)
{
    for (int i = 0; i < loaded->count; i++)
        if (loaded->copies[i].kept)
            memcpy(loaded->copies[i].base + loaded->writable, loaded->copies[i].kept,
                   loaded->writable_end - loaded->writable);
}

void
load_undo(struct loaded *loaded)
{
    bool unsealed = loaded->sealed == 0 || seal(loaded, loaded->sealed, PROT_READ | PROT_WRITE);
    bool leave = !unsealed || black_box; /* its destructors would crash, or its threads would, since exit unloads it */

    for (int i = loaded->count; loaded->constructed && i-- > 0;)
        place_destruct(&loaded->place, loaded->copies[i].base);
    while (loaded->count > 0) {
        const struct instance *instance = &loaded->copies[--loaded->count];

        free(instance->kept);
        if (!instance->handle && !leave)
            place_remove(&loaded->place, instance->base);
        else if (!leave)
            dlclose(instance->handle);
        if (instance->file >= 0)
            close(instance->file);
    }
    if (black_box) { /* later findings still need lines; such a process ends soon */
        static struct image kept;

        free(kept.copies);
        kept = loaded->image;
        box_note_program(&kept, loaded->symbols_path);
    } else {
        if (loaded->symbols >= 0)
            close(loaded->symbols);
        free(loaded->image.copies);
    }
    place_fini(&loaded->place);
    free(loaded->copies);
    *loaded = (struct loaded){.symbols = -1};
}
