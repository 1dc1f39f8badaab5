/* SPDX-License-Identifier: MIT */
/* The kind of a program that pealcc has not linked: by its first bytes, by the names in it, by its own name. */
#include "lib/program/foreign.h"
#include "lib/base/process.h"
#include "lib/base/text.h"
#include "lib/program/linked.h"
#include "lib/program/toolchain.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <peal/outside.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LISTED_BYTES = 1 << 15 };

enum foreign_kind { NOT_FOREIGN, SCRIPT, PYTHON_FILE, INTERPRETER, OF_MPI, OF_ANOTHER };

static bool
foreign_has_text(const char *bytes, size_t size, const char *text)
{
    return memmem(bytes, size, text, strlen(text)) != NULL;
}

/* Whether programs of this name run scripts: "python3.11" by "python". */
static bool
runs_scripts(const char *path)
{
    static const char *const names[] = {"python", "pypy",       "julia", "Rscript", "R",    "perl", "ruby",
                                        "octave", "octave-cli", "lua",   "sh",      "bash", "dash", "env"};
    const char *name = file_name(path);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);

        if (strncmp(name, names[i], length) == 0 && name[length + strspn(name + length, "0123456789.")] == '\0')
            return true;
    }
    return false;
}

/* By the names of libraries in it. */
static enum foreign_kind
kind_of_names(const char *bytes, size_t size)
{
    static const char *const libraries[] = {"libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40",
                                            "_openmpi.so",  "libmpi.so.12",       "libmpich.so.12",
                                            "_mpich.so",    "libmpi_abi.so.1"};

    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (foreign_has_text(bytes, size, libraries[i]))
            return OF_MPI;
    return foreign_has_text(bytes, size, "libmpi.so.") ? OF_ANOTHER : NOT_FOREIGN;
}

/* The loader that a program names, or "". */
static void
find_loader(const char *bytes, size_t size, char loader[PATH_MAX])
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)bytes;
    const Elf64_Phdr *rows = (const Elf64_Phdr *)(const void *)(bytes + head->e_phoff);

    if (head->e_phoff > size || size - head->e_phoff < head->e_phnum * sizeof *rows)
        return;
    for (int i = 0; i < head->e_phnum && !loader[0]; i++)
        if (rows[i].p_type == PT_INTERP && rows[i].p_offset <= size && rows[i].p_filesz <= size - rows[i].p_offset)
            snprintf(loader, PATH_MAX, "%.*s", (int)rows[i].p_filesz, bytes + rows[i].p_offset);
}

/* What the loader lists of a program's libraries, with those in a folder before others; it runs nothing of the program.
 * Gives the length of the text. */
static size_t
list_libraries(const char *path, const char *loader, const char *folder, char *text, size_t room)
{
    char list[] = "--list", folders[] = "--library-path", all[2 * PATH_MAX];
    char *words[] = {(char *)(uintptr_t)loader, folders, all, list, (char *)(uintptr_t)path, NULL};
    const char *others = getenv("LD_LIBRARY_PATH");
    size_t used = 0;
    ssize_t got;
    pid_t child;
    int from;

    snprintf(all, sizeof all, "%s%s%s", folder, folder[0] && others ? ":" : "", others ? others : "");
    if (!loader[0] ||
        peal_spawn(words, (int[]){PEAL_SPAWN_NOTHING, PEAL_SPAWN_PIPE, PEAL_SPAWN_NOTHING}, &child, &from) != 0)
        return 0;
    while (used < room && (got = read(from, text + used, room - used)) > 0)
        used += (size_t)got;
    close(from);
    peal_spawn_wait(child, 0);
    return used;
}

static enum foreign_kind
kind_of_bytes(const char *path, const char *bytes, size_t size, char loader[PATH_MAX])
{
    char text[LISTED_BYTES];

    if (size > 2 && memcmp(bytes, "#!", 2) == 0)
        return SCRIPT;
    if (text_has_ending(path, ".py"))
        return PYTHON_FILE;
    if (size < sizeof(Elf64_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
        foreign_has_text(bytes, size, LINKED_ENTRY_OF_ANY))
        return NOT_FOREIGN;
    if (runs_scripts(path))
        return INTERPRETER;
    if (((const Elf64_Ehdr *)(const void *)bytes)->e_type == ET_REL)
        return NOT_FOREIGN;
    enum foreign_kind named = kind_of_names(bytes, size);

    find_loader(bytes, size, loader);
    return named != NOT_FOREIGN
               ? named
               : kind_of_names(text, list_libraries(path, loader, "", text, sizeof text)); /* PETSc's */
}

/* The kind, and of a program that is not a script its loader. */
static enum foreign_kind
kind_of(const char *path, char loader[PATH_MAX])
{
    struct stat about;
    const bool regular = stat(path, &about) == 0 && S_ISREG(about.st_mode); /* to open a pipe would be to read it */
    int fd = regular ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    enum foreign_kind kind = NOT_FOREIGN;

    loader[0] = '\0';
    if (fd < 0)
        return kind;
    if (fstat(fd, &about) == 0 && about.st_size > 0) {
        const char *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

        if (bytes != MAP_FAILED) {
            kind = kind_of_bytes(path, bytes, (size_t)about.st_size, loader);
            munmap((void *)(uintptr_t)bytes, (size_t)about.st_size);
        }
    }
    close(fd);
    return kind;
}

bool
foreign_is(const char *path)
{
    char loader[PATH_MAX];

    return kind_of(path, loader) != NOT_FOREIGN;
}

enum peal_mpi_library
peal_mpi_library_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char spawner[PATH_MAX + 16];

    if (!slash ||
        (!strstr(slash, "/libmpi.so.") && !strstr(slash, "/libmpich.so.") && !strstr(slash, "/libmpi_abi.so.")))
        return PEAL_MPI_NONE;
    snprintf(spawner, sizeof spawner, "%.*s/spawner", (int)(slash - path), path); /* which Peal's lie beside */
    return access(spawner, X_OK) == 0 ? PEAL_MPI_OWN : PEAL_MPI_OTHER;
}

/* The library of another MPI that the program would load although Peal's folder is searched, since a path is linked
 * into it (DT_RPATH) that is searched before; false: it loads Peal's. */
static bool
loads_another(const char *path, const char *loader, char another[PATH_MAX])
{
    char folder[PATH_MAX], text[LISTED_BYTES], *line, *rest = text;

    toolchain_process(folder);
    *(strrchr(folder, '/') ? strrchr(folder, '/') : folder) = '\0';
    text[list_libraries(path, loader, folder, text, sizeof text - 1)] = '\0';
    while ((line = strsep(&rest, "\n")))
        if (sscanf(line, " %*s => %4095s", another) == 1 && peal_mpi_library_of(another) != PEAL_MPI_NONE)
            return peal_mpi_library_of(another) == PEAL_MPI_OTHER;
    return false;
}

enum peal_status
foreign_read(const char *path, struct compiled *program, struct peal_error *error)
{
    char loader[PATH_MAX], another[PATH_MAX];
    enum foreign_kind kind = kind_of(path, loader);

    *program = (struct compiled){.bytes = NULL};
    if (kind == OF_ANOTHER)
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s needs the library of an MPI that is not Open MPI 4 or 5, MPICH from 3.1 on, or of the "
                           "standard ABI: build "
                           "it with CC=pealcc",
                           path);
    if (kind == OF_MPI && loads_another(path, loader, another))
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s loads %s, not Peal's library, by a path that is linked into it: remove that "
                           "(patchelf --remove-rpath %s), or build it with CC=pealcc",
                           path, another, path);
    if (access(path, X_OK) != 0 && !text_has_ending(path, ".py")) /* python3 runs it */
        return peal_refuse(error, PEAL_PROGRAM, "%s cannot be executed: %s", path, strerror(errno));
    return foreign_read_instead(path, program, error);
}

enum peal_status
foreign_read_instead(const char *path, struct compiled *program, struct peal_error *error)
{
    char instead[PATH_MAX];

    *program = (struct compiled){.bytes = NULL};
    toolchain_process(instead);
    if (!instead[0] || !compile_mpi_preload() || !peal_places_begin())
        return peal_refuse(error, PEAL_PROGRAM, "%s: what runs nodes as processes is not beside Peal's library", path);
    return linked_read(instead, program, error);
}
