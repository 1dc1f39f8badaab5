/* SPDX-License-Identifier: MIT */
#include "lib/program/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the text has an #include of a header whose name ends so. */
static bool
includes(const char *text, const char *name)
{
    for (const char *at = text; (at = strstr(at, "include")); at += 7) {
        const char *begin = at, *end = at + 7 + strspn(at + 7, " \t");

        while (begin > text && (begin[-1] == ' ' || begin[-1] == '\t'))
            begin--;
        if (begin == text || begin[-1] != '#' || !strchr("<\"", *end) || !*end)
            continue;
        size_t length = 1 + strcspn(end + 1, ">\"\n"), wanted = strlen(name);

        if (length > wanted && strncmp(end + length - wanted, name, wanted) == 0 &&
            (length == wanted + 1 || end[length - wanted - 1] == '/'))
            return true;
    }
    return false;
}

/* Look at the beginning of the file: whether it is text, and a program for MPI, which has nothing of Peal's.  What is not
 * read is left to the compiler. */
static void
look_into(int file, bool *text, bool *mpi)
{
    char bytes[1 << 14];
    ssize_t count = read(file, bytes, sizeof bytes - 1);

    if (count < 0)
        return;
    bytes[count] = '\0';
    *text = !memchr(bytes, '\0', (size_t)count);
    *mpi = includes(bytes, "mpi.h") && !strstr(bytes, "peal/");
}

bool
source_is_cplusplus(const char *path)
{
    static const char *const endings[] = {".cc", ".cpp", ".cxx", ".c++", ".C"};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

enum peal_status
source_check(const char *path, bool whole, struct peal_error *error)
{
    struct stat status;
    bool there = stat(path, &status) == 0, text = true, mpi = false;
    /* Only the compiler opens a pipe: who writes to it is not there a second time. */
    int file = there && S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    if (!there || (S_ISREG(status.st_mode) && file < 0))
        return peal_refuse(error, PEAL_PROGRAM, "%s cannot be read: %s", path, strerror(errno));
    if (file >= 0) {
        look_into(file, &text, &mpi);
        close(file);
    }
    if (S_ISDIR(status.st_mode))
        return peal_refuse(error, PEAL_PROGRAM, "%s is a directory: a node program is C or C++", path);
    if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
        return peal_refuse(error, PEAL_PROGRAM, "%s is a device: a node program is C or C++", path);
    if (!text)
        return peal_refuse(error, PEAL_PROGRAM, "%s is not text: a node program is C or C++", path);
    if (mpi)
        return peal_refuse(
            error, PEAL_PROGRAM,
            "%s includes mpi.h, and Peal does not run MPI programs: include <peal/peal.h>, rename main to "
            "void peal_main(struct peal_node *me, int argc, char **argv), and call peal_rank, peal_send, "
            "peal_recv for MPI_Comm_rank, MPI_Send, MPI_Recv (man libpeal)",
            path);
    if (S_ISREG(status.st_mode) && status.st_size == 0 && !whole)
        return peal_refuse(error, PEAL_PROGRAM, "%s is empty: it is to be a C file with what is asked for", path);
    if (S_ISREG(status.st_mode) && status.st_size == 0)
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s is empty: a node program defines void peal_main(struct peal_node *me, int argc, "
                           "char **argv)",
                           path);
    if (!whole && source_is_cplusplus(path))
        return peal_refuse(error, PEAL_PROGRAM, "%s is C++: a function that is checked alone is in a C file", path);
    return PEAL_OK;
}
