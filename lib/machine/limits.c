/* SPDX-License-Identifier: MIT */
/* The system's limits on this process: threads, memory maps. */
#include "lib/machine/host.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The number a file begins with; -1 when there is none ("max", or no such file). */
static long
read_number(const char *path)
{
    FILE *in = fopen(path, "re");
    long number = -1;

    if (in && fscanf(in, "%ld", &number) != 1)
        number = -1;
    if (in)
        fclose(in);
    return number;
}

/* The least pids.max of a control group and those above it; `group` is cut shorter and shorter. */
static long
least_pids(const char *tree, char *group)
{
    char path[PATH_MAX + 64];
    long least = -1;

    for (;;) {
        snprintf(path, sizeof path, "/sys/fs/cgroup%s%s/pids.max", tree, group);
        long limit = read_number(path);
        char *slash = strrchr(group, '/');

        if (limit > 0 && (least < 0 || limit < least))
            least = limit;
        if (!slash)
            return least;
        *slash = '\0';
    }
}

/* The least limit of this process's control groups; -1: none. */
static long
cgroup_pids(void)
{
    char line[PATH_MAX];
    FILE *in = fopen("/proc/self/cgroup", "re");
    long least = -1;

    while (in && fgets(line, sizeof line, in)) {
        char *group = strchr(line, ':');
        bool old = group && strncmp(group, "::", 2) != 0; /* version 1 has a tree for each controller */

        if (!group || (old && !strstr(group, "pids")) || !(group = strchr(group + 1, ':')))
            continue;
        group++;
        group[strcspn(group, "\n")] = '\0';
        long limit = least_pids(old ? "/pids" : "", group);

        if (limit > 0 && (least < 0 || limit < least))
            least = limit;
    }
    if (in)
        fclose(in);
    return least;
}

long
maps_allowed(void)
{
    return read_number("/proc/sys/vm/max_map_count");
}

long
peal_threads_allowed(const char **name)
{
    struct rlimit processes;
    bool counted = geteuid() != 0 && getrlimit(RLIMIT_NPROC, &processes) == 0 && processes.rlim_cur != RLIM_INFINITY;
    long maps = maps_allowed(), least = -1;
    const struct {
        const char *name;
        long limit;
    } limits[] = {
        {"kernel.threads-max", read_number("/proc/sys/kernel/threads-max")},
        {"kernel.pid_max", read_number("/proc/sys/kernel/pid_max")},
        {"the control group's pids.max", cgroup_pids()},
        {"`ulimit -u`", counted && processes.rlim_cur < LONG_MAX ? (long)processes.rlim_cur : -1},
        {"vm.max_map_count, two maps a stack", maps > 0 ? maps / 2 : -1},
    };

    if (name)
        *name = "the system's limit on threads";
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].limit > 0 && (least < 0 || limits[i].limit < least)) {
            least = limits[i].limit;
            if (name)
                *name = limits[i].name;
        }
    return least;
}
