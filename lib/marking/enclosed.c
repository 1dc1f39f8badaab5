/* SPDX-License-Identifier: MIT */
/* Untrusted nodes in Python: each is a process in a sandbox of its own.  The process that serves their calls
 * has one, too (contained.c). */
#include "lib/marking/enclosed.h"
#include "lib/base/process.h"
#include "lib/child/child.h"
#include "lib/marking/contained.h"
#include "lib/program/toolchain.h"
#include "lib/sandbox/sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each node executes Python anew, in the sandbox.  A process that imports numpy once and forks them all would save most
 * of their start (bench/HISTORY.md), but Python itself would have to enter the namespaces and the sandbox after the
 * fork, with all that it has loaded; and mpi4py, whose import is MPI_Init, comes after it in any case. */
static const char bootstrap[] = {
#include "lib/marking/enclosed.inc"
    , 0};

/* The word after peal's name by which a process becomes one (peal_enclosed_main), and the number of the words between
 * it and the texts' names: FOLDER SECONDS BYTES FILE COUNT. */
enum { HEAD = 5 };

bool
enclosed_read(struct enclosed_text *text, const char *path, struct peal_error *error)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    ssize_t count = -1;

    text->name = path;
    if (file >= 0 && fstat(file, &about) == 0 && (text->bytes = malloc((size_t)about.st_size + 1)))
        count = read(file, text->bytes, (size_t)about.st_size);
    text->size = count > 0 ? (size_t)count : 0;
    if (file >= 0)
        close(file);
    return count >= 0 || peal_refuse(error, PEAL_PROGRAM, "%s cannot be read: %s", path, strerror(errno)) == PEAL_OK;
}

/* A file in memory with the texts, which stays open in processes that are started; -1 with errno. */
static int
write_texts(const struct enclosed_text *texts, int count)
{
    const int file = memfd_create("texts", 0);

    for (int i = 0; file >= 0 && i < count; i++)
        if (!peal_write_whole(file, texts[i].bytes, texts[i].size))
            return -1;
    return file;
}

const char *
enclosed_start(const struct enclosed_program *program, const struct peal_options *machine, int argc, char **argv,
               const uint64_t *seeds)
{
    char *words[2 + HEAD + 2 * MAX_TEXTS + 1], numbers[4 + MAX_TEXTS][24], folder[PATH_MAX] = "", self[PATH_MAX],
                                                                           word[] = PEAL_ENCLOSED_WORD;
    const struct peal_runtime_hooks *library = runtime_hooks();
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    int used = 0;

    if (PEAL_PROCESSES)
        toolchain_process(folder);
    const int file = library && length >= 0 && folder[0] ? write_texts(program->texts, program->count) : -1;
    char **all = file >= 0 ? calloc((size_t)argc + sizeof words / sizeof *words, sizeof *all) : NULL;

    if (!all) {
        if (file >= 0)
            close(file);
        return "what runs nodes as processes";
    }
    self[length] = '\0';
    *strrchr(folder, '/') = '\0';
    snprintf(numbers[0], sizeof numbers[0], "%d", (int)(2 * machine->timeout_seconds) + 10);
    snprintf(numbers[1], sizeof numbers[1], "%llu", (unsigned long long)child_memory_limit() / 2);
    snprintf(numbers[2], sizeof numbers[2], "%d", file);
    snprintf(numbers[3], sizeof numbers[3], "%d", program->count);
    memcpy(all, (char *[]){self, word, folder, numbers[0], numbers[1], numbers[2], numbers[3]}, 7 * sizeof *all);
    used = 7;
    for (int i = 0; i < program->count; i++) {
        snprintf(numbers[4 + i], sizeof numbers[4 + i], "%zu", program->texts[i].size);
        all[used++] = (char *)(uintptr_t)program->texts[i].name;
        all[used++] = numbers[4 + i];
    }
    memcpy(all + used, argv + 1, (size_t)(argc - 1) * sizeof *all);
    const char *failed = library->starts(
        &(struct peal_enclosed_nodes){machine->nodes, all, seeds, program->refuses, program->refuses_for});

    close(file);
    free(all);
    return failed;
}

/* ------------------------------------------------------------------ in the node's process */

/* Find the file of python3; false: there is none. */
static bool
find_python(char path[PATH_MAX])
{
    char *found = peal_along_path("python3", X_OK);
    bool real = found && realpath(found, path);

    free(found);
    return real;
}

/* A copy of a file in memory that the nodes share: the place where the next one reads it is not shared then. */
static int
copy_file(int from)
{
    const int to = memfd_create("texts", 0);
    char bytes[1 << 14];
    ssize_t count;

    for (off_t at = 0; to >= 0 && (count = pread(from, bytes, sizeof bytes, at)) > 0; at += count)
        if (!peal_write_whole(to, bytes, (size_t)count))
            return -1;
    return to;
}

int
peal_enclosed_main(int argc, char **argv)
{
    char python[PATH_MAX], library[PATH_MAX], settings[PATH_MAX], path[PATH_MAX + 32], channel[100], file[24],
        option[] = "-c", isolated[] = "-I";
    const char *seed = getenv("PEAL_SEED"), *own = getenv("PEAL_PROCESS");
    int used = 0;

    if (argc < HEAD || !seed || !own || !find_python(python))
        return 127;
    char **words = calloc((size_t)argc + 8, sizeof *words);
    if (!words)
        return 127;
    const int texts = copy_file(atoi(argv[3]));

    snprintf(library, sizeof library, "%s", python);
    for (int i = 0; i < 2 && strrchr(library, '/'); i++)
        *strrchr(library, '/') = '\0';
    strncat(library, "/lib", sizeof library - strlen(library) - 1);
    snprintf(settings, sizeof settings, "/etc%s", strrchr(python, '/'));
    snprintf(path, sizeof path, "LD_LIBRARY_PATH=%s", argv[0]);
    snprintf(channel, sizeof channel, "PEAL_PROCESS=%s", own);
    snprintf(file, sizeof file, "%d", texts);
    words[used++] = python;
    words[used++] = isolated;
    words[used++] = option;
    words[used++] = (char *)(uintptr_t)bootstrap;
    words[used++] = file;
    words[used++] = (char *)(uintptr_t)seed;
    for (int i = HEAD - 1; i < argc; i++) /* COUNT, the texts' names and sizes, arguments */
        words[used++] = argv[i];
    char one[] = "OPENBLAS_NUM_THREADS=1", two[] = "OMP_NUM_THREADS=1", language[] = "LC_ALL=C.UTF-8",
         *environment[] = {path, channel, one, two, language, NULL};
    const char *const folders[] = {argv[0], library, "/usr/local/lib", settings, NULL};

    sandbox_close_others((const int[]){atoi(own), texts}, 2);
    sandbox_interpreter(python, folders, atoi(argv[1]), strtoull(argv[2], NULL, 10));
    execve(python, words, environment);
    free(words);
    return 127;
}
