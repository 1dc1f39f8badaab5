/* SPDX-License-Identifier: MIT */
/* Starting a program by posix_spawn, which copies no memory of a large process. */
#include "lib/base/process.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int
peal_spawn(char *const *words, const int descriptors[3], pid_t *process, int *from)
{
    posix_spawn_file_actions_t actions;
    int ends[2] = {-1, -1};

    *from = -1;
    if ((descriptors[1] == PEAL_SPAWN_PIPE || descriptors[2] == PEAL_SPAWN_PIPE) && pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    int wrong = posix_spawn_file_actions_init(&actions);

    for (int i = 0; i < 3 && wrong == 0; i++)
        if (descriptors[i] == PEAL_SPAWN_NOTHING)
            wrong = posix_spawn_file_actions_addopen(&actions, i, "/dev/null", O_RDWR, 0);
        else if (descriptors[i] != PEAL_SPAWN_SAME)
            wrong = posix_spawn_file_actions_adddup2(&actions,
                                                     descriptors[i] == PEAL_SPAWN_PIPE ? ends[1] : descriptors[i], i);
    if (wrong == 0)
        wrong = posix_spawnp(process, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (ends[1] >= 0)
        close(ends[1]);
    if (wrong && ends[0] >= 0)
        close(ends[0]);
    else
        *from = ends[0];
    return wrong;
}

int
peal_spawn_wait(pid_t process, int unknown)
{
    int status = unknown;

    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

int
process_number(void)
{
    static int number, asked_by; /* later the sandbox refuses to read links */
    char text[20] = "";

    if (asked_by != getpid()) {
        number = readlink("/proc/self", text, sizeof text - 1) > 0 ? atoi(text) : getpid();
        asked_by = getpid();
    }
    return number;
}

bool
peal_write_whole(int file, const void *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ssize_t now = write(file, (const char *)bytes + done, count - done);

        if (now < 0 && errno != EINTR)
            return false;
        done += now > 0 ? (size_t)now : 0;
    }
    return true;
}

char *
peal_along_path(const char *name, int access_mode)
{
    const char *path = strchr(name, '/') ? "" : getenv("PATH");
    struct stat about;
    char *found;

    for (const char *at = path ? path : "/usr/bin:/bin";; at++) {
        int length = (int)strcspn(at, ":");

        if (asprintf(&found, "%.*s%s%s", length, at, length > 0 ? "/" : "", name) < 0)
            return NULL;
        if (access(found, access_mode) == 0 && stat(found, &about) == 0 && S_ISREG(about.st_mode))
            return found;
        free(found);
        at += length;
        if (!*at)
            return NULL;
    }
}
