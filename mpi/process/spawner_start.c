/* SPDX-License-Identifier: MIT */
/* Starts the spawner, the program beside this library that starts the processes of nodes. */
#include "mpi/process/node_process.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

/* The folder with the files that processes need, and the spawner there. */
static bool
find_folder(char folder[PATH_MAX], char spawner[PATH_MAX + 16])
{
    static const char *const places[] = {"process", "peal"};
    Dl_info info;

    if (!dladdr((void *)(uintptr_t)find_folder, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');

    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        snprintf(folder, PATH_MAX, "%.*s/%s", (int)(slash - info.dli_fname), info.dli_fname, places[i]);
        snprintf(spawner, PATH_MAX + 16, "%s/spawner", folder);
        if (access(spawner, X_OK) == 0)
            return true;
    }
    return false;
}

/* Execute these words; no signal is inherited.  0 with errno. */
static pid_t
spawner_execute(char **words, const posix_spawn_file_actions_t *actions)
{
    posix_spawnattr_t attributes;
    sigset_t none, all;
    pid_t pid;

    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    errno = posix_spawn(&pid, words[0], actions, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    return errno ? 0 : pid;
}

pid_t
spawner_start(int file, char **argv, const posix_spawn_file_actions_t *actions, const char **failed)
{
    static char path[PATH_MAX + 16];
    char folder[PATH_MAX], numbers[2][16], python[] = "python3";
    char *const first[] = {path, numbers[0], numbers[1], folder, python};
    const size_t length = strlen(argv[0]);
    const bool is_script = length > 3 && strcmp(argv[0] + length - 3, ".py") == 0 && access(argv[0], X_OK) != 0;
    size_t used = is_script ? 5 : 4, count = 0;

    while (argv[count])
        count++;
    char **words = find_folder(folder, path) ? calloc(used + count + 1, sizeof *words) : NULL;

    *failed = words ? path : "Peal's spawner of processes is not beside its library";
    if (!words)
        return 0;
    snprintf(numbers[0], sizeof numbers[0], "%d", file);
    snprintf(numbers[1], sizeof numbers[1], "%d", (int)getpid());
    memcpy(words, first, used * sizeof *words);
    memcpy(words + used, argv, count * sizeof *argv);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* if the spawner is killed, what it would have ended comes to this process */
    const pid_t pid = spawner_execute(words, actions);
    const int error = errno;

    free(words);
    errno = error;
    return pid;
}
