/* SPDX-License-Identifier: MIT */
/* Programs compiled with gcc -fsanitize=address: this process executes itself again, with the sanitizer's library
 * loaded first.  Leaks are not looked for, since the sanitizer does not know the stacks of nodes; an error aborts the
 * node that makes it. */
#include "run/mpi.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME = 32, MAX_WORDS = 1 << 16 };
static const char before[] = "PEAL_PRELOAD_BEFORE"; /* what LD_PRELOAD was */

/* The name of the library in a program: "libasan.so.8"; false: it needs none. */
static bool
find_library(const char *path, char name[NAME])
{
    static const char begin[] = "libasan.so";
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool found = false;

    if (fd < 0)
        return false;
    if (fstat(fd, &about) == 0 && about.st_size > 0) {
        size_t size = (size_t)about.st_size;
        const char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (bytes != MAP_FAILED) {
            const char *at = memmem(bytes, size, begin, sizeof begin - 1);

            found = at != NULL;
            if (found)
                snprintf(name, NAME, "%.*s", (int)strnlen(at, size - (size_t)(at - bytes)), at);
            munmap((void *)(uintptr_t)bytes, size);
        }
    }
    close(fd);
    return found;
}

/* This process's own words; NULL without memory. */
static char **
preload_read_words(void)
{
    FILE *in = fopen("/proc/self/cmdline", "re");
    char **words = calloc(MAX_WORDS, sizeof *words);
    size_t count = 0, room;

    while (in && words && count < MAX_WORDS - 1) {
        room = 0;
        if (getdelim(&words[count], &room, '\0', in) <= 0) {
            free(words[count]);
            words[count] = NULL;
            break;
        }
        count++;
    }
    if (in)
        fclose(in);
    return words;
}

/* Undo that after the restart: programs that this process starts need not have the library. */
static void
restore(void)
{
    const char *old = getenv(before);

    if (old && *old)
        setenv("LD_PRELOAD", old, 1);
    else if (old)
        unsetenv("LD_PRELOAD");
    unsetenv(before);
}

enum peal_status
preload(const char *path, bool *needed, struct peal_error *error)
{
    const char *old = getenv("LD_PRELOAD"), *options = getenv("ASAN_OPTIONS");
    char name[NAME], text[4096], **words;
    void *loaded;

    *needed = find_library(path, name);
    if (!*needed)
        return PEAL_OK;
    if ((loaded = dlopen(name, RTLD_LAZY | RTLD_NOLOAD))) {
        dlclose(loaded);
        restore();
        return PEAL_OK;
    }
    if (getenv(before) || !(words = preload_read_words()))
        return peal_refuse(error, PEAL_PROGRAM, "%s needs %s before all other libraries: LD_PRELOAD=%s", path, name,
                           name);
    setenv(before, old ? old : "", 1);
    snprintf(text, sizeof text, "%s%s%s", name, old ? ":" : "", old ? old : "");
    setenv("LD_PRELOAD", text, 1);
    snprintf(text, sizeof text, "detect_leaks=0:abort_on_error=1%s%s", options ? ":" : "", options ? options : "");
    setenv("ASAN_OPTIONS", text, 1);
    execv("/proc/self/exe", words);
    free(words);
    return peal_refuse(error, PEAL_PROGRAM, "%s needs %s before all other libraries, and pealrun was not started again",
                       path, name);
}
