/* SPDX-License-Identifier: MIT */
/* A linked program that is run by itself: the system starts it at the start file's entry, which leads here.  It becomes
 * `pealrun -q -n 1 PROGRAM ARGUMENTS`. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((visibility("default"), noreturn)) void peal_mpi_launch(long *stack);

/* Write the path of the file that is `relative` to the library's folder: false if it cannot be executed. */
static int
launch_find_file(const char *library, const char *relative, char path[PATH_MAX])
{
    const char *slash = strrchr(library, '/');

    if (!slash || snprintf(path, PATH_MAX, "%.*s/%s", (int)(slash - library), library, relative) >= PATH_MAX)
        return 0;
    return access(path, X_OK) == 0;
}

void
peal_mpi_launch(long *stack)
{
    int argc = (int)stack[0], count = 0;
    char **argv = (char **)(stack + 1), path[PATH_MAX], self[PATH_MAX];
    static char name[] = "pealrun", quiet[] = "-q", option[] = "-n", one[] = "1", end[] = "--";
    char **words = calloc((size_t)argc + 7, sizeof *words);
    Dl_info info;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (words && length > 0 && dladdr((void *)launch_find_file, &info) && info.dli_fname &&
        (launch_find_file(info.dli_fname, "pealrun", path) ||
         launch_find_file(info.dli_fname, "../tools/pealrun", path) ||
         launch_find_file(info.dli_fname, "../bin/pealrun", path) ||
         launch_find_file(info.dli_fname, "../../bin/pealrun", path))) {
        self[length] = '\0';
        words[count++] = name;
        words[count++] = quiet;
        words[count++] = option;
        words[count++] = one;
        words[count++] = self;
        words[count++] = end;
        for (int i = 1; i < argc; i++)
            words[count++] = argv[i];
        execv(path, words);
    }
    fprintf(stderr, "%s: pealrun was not found beside libpealmpi.so: run it as pealrun -n 1 %s\n", argv[0], argv[0]);
    _exit(127);
}
