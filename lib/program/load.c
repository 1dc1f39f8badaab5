/* SPDX-License-Identifier: MIT */
/* Copies of a shared object.
 *
 * The loader gives a second copy only to a file of another name and another inode.  Files in memory (memfd) are that:
 * no disk, nothing to remove, and no matter whether /tmp may hold programs.  Their name is /proc/PID/fd/N, and N is the
 * same number again and again where each is closed once it is loaded; so a number that grows is written into the path,
 * a bit "/", or "./" for 1, which leads to the same place.  With PID rather than "self" a debugger finds the file too;
 * up to COPIES_TO_DEBUG of them stay open, since it comes back for more.
 *
 * Measured (2 cores, glibc 2.36; a program of 2 KiB with globals, 10 KiB with its debug information):
 *   maps a copy   1 (elf.c), 2 with a .bss above 16 KiB; 5 as the linker leaves it
 *   time a copy   23 µs up to 256 copies, 31 at 1000, 102 at 4096: the loader looks through all that is loaded, four
 *                 times a copy.  Half of that again to unload
 */
#include "lib/program/load.h"
#include "lib/machine/machine.h"
#include "lib/program/elf.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* More copies than this are loaded without debug information: nobody would step through them, all pay memory for it. */
enum { COPIES_TO_DEBUG = 64 };

enum { NAME_BYTES = 128 };

/* Write a name of file descriptor `fd` that no copy in this process had before. */
static void
name_copy(char name[NAME_BYTES], int fd)
{
    static unsigned names;
    int length = snprintf(name, NAME_BYTES, "/proc/%d/fd/", (int)getpid());

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

/* Make a file in memory of the image.  Gives its descriptor, -1 with errno set when that fails. */
static int
write_image(const char *path, const struct elf_image *image)
{
    const char *slash = strrchr(path, '/');
    char label[200]; /* shown by the system, and cut to what it takes */

    snprintf(label, sizeof label, "%s", slash ? slash + 1 : path);
    int fd = memfd_create(label, MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)(image->rest + image->size - image->filled)) == 0 &&
        write_at(fd, image->bytes, image->filled, 0) &&
        write_at(fd, image->bytes + image->filled, image->size - image->filled, image->rest))
        return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

/* Load one copy, and leave its file open.  False if that fails; `why` says so then. */
static bool
load_one(const char *path, const struct elf_image *image, struct instance *instance, char *why, size_t why_bytes)
{
    char name[NAME_BYTES];

    instance->file = write_image(path, image);
    if (instance->file < 0) {
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
    void *entry = dlsym(instance->handle, "peal_main");
    memcpy(&instance->entry, &entry, sizeof entry); /* C has no cast from data to function */
    struct link_map *map;
    instance->base = dlinfo(instance->handle, RTLD_DI_LINKMAP, &map) == 0 ? (char *)map->l_addr : NULL;
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

/* Say that only `loaded` copies fit, and why.  Called while they are still there. */
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

/* Keep the debug information at hand for whoever must tell lines.  Without it they do without. */
static void
keep_symbols(const char *path, const struct compiled *program, struct loaded *loaded)
{
    struct elf_image image;

    if (!elf_flatten(program->bytes, program->size, true, &image))
        return;
    loaded->symbols = write_image(path, &image);
    snprintf(loaded->symbols_path, sizeof loaded->symbols_path, "/proc/%d/fd/%d", (int)getpid(), loaded->symbols);
    free(image.bytes);
}

enum peal_status
load_copies(const char *path, const struct compiled *program, int copies, struct loaded *loaded,
            struct peal_error *error)
{
    bool to_debug = copies <= COPIES_TO_DEBUG;
    struct elf_image image;
    char why[300];

    *loaded = (struct loaded){.symbols = -1};
    if (!elf_flatten(program->bytes, program->size, to_debug, &image))
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s: the linker did not write an ELF64 shared object; see CC and CFLAGS", path);
    loaded->copies = calloc((size_t)copies, sizeof *loaded->copies);
    if (!loaded->copies) {
        free(image.bytes);
        return peal_refuse(error, PEAL_RESOURCES, "%s: no memory for a list of %d copies", path, copies);
    }
    keep_symbols(path, program, loaded);
    elf_writable(program->bytes, program->size, &loaded->writable, &loaded->writable_end);

    enum peal_status status = PEAL_OK;
    for (; status == PEAL_OK && loaded->count < copies; loaded->count++) {
        struct instance *instance = &loaded->copies[loaded->count];

        if (!load_one(path, &image, instance, why, sizeof why)) {
            status = loaded->count > 0 ? refuse_more(path, loaded->count, copies, why, error)
                                       : peal_refuse(error, PEAL_PROGRAM, "%s does not load: %s", path, why);
            break;
        }
        if (!instance->entry)
            status = peal_refuse(error, PEAL_PROGRAM, "%s hides its peal_main: it must be visible to others", path);
        if (!to_debug) {
            close(instance->file);
            instance->file = -1;
        }
    }
    if (status != PEAL_OK)
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
    while (loaded->count > 0) {
        const struct instance *instance = &loaded->copies[--loaded->count];

        free(instance->kept);
        dlclose(instance->handle);
        if (instance->file >= 0)
            close(instance->file);
    }
    if (loaded->symbols >= 0)
        close(loaded->symbols);
    free(loaded->copies);
    *loaded = (struct loaded){.symbols = -1};
}
