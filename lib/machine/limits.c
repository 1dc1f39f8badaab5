/* SPDX-License-Identifier: MIT */
/* The system's limits on this process: threads, memory maps. */
#include "lib/machine/host.h"
#include "lib/machine/host_limits.h"
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

const char *limits_root = "";

FILE *
limits_open(const char *path)
{
    char whole[LIMITS_PATH + 256];

    snprintf(whole, sizeof whole, "%s%s", limits_root, path);
    return fopen(whole, "re");
}

int64_t
limits_number(const char *path)
{
    long long number = -1;
    FILE *in = limits_open(path);

    if (in && fscanf(in, "%lld", &number) != 1)
        number = -1;
    if (in)
        fclose(in);
    return number;
}

static long
limits_read_long(const char *path)
{
    int64_t number = limits_number(path);

    return number > LONG_MAX ? LONG_MAX : (long)number;
}

void
limits_groups(const char *controller, void (*look)(const char *folder, bool old, void *arg), void *arg)
{
    char line[PATH_MAX], folder[LIMITS_PATH];

    FILE *in = limits_open("/proc/self/cgroup");

    while (in && fgets(line, sizeof line, in)) {
        char *group = strchr(line, ':');
        bool old = group && strncmp(group, "::", 2) != 0; /* version 1 has a tree for each controller */

        if (!group || (old && !strstr(group, controller)) || !(group = strchr(group + 1, ':')))
            continue;
        group++;
        group[strcspn(group, "\n")] = '\0';
        for (char *slash = group; slash; *slash = '\0') { /* cut by one folder each time */
            snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s%s", old ? "/" : "", old ? controller : "", group);
            look(folder, old, arg);
            slash = strrchr(group, '/');
            if (!slash)
                break;
        }
    }
    if (in)
        fclose(in);
}

static void
look_at_pids(const char *folder, bool old, void *arg)
{
    char path[LIMITS_PATH + 16];
    long *least = arg;

    (void)old;
    snprintf(path, sizeof path, "%s/pids.max", folder);
    long limit = limits_read_long(path);

    if (limit > 0 && (*least < 0 || limit < *least))
        *least = limit;
}

/* The least limit of this process's control groups; -1: none. */
static long
cgroup_pids(void)
{
    long least = -1;

    limits_groups("pids", look_at_pids, &least);
    return least;
}

long
maps_allowed(void)
{
    return limits_read_long("/proc/sys/vm/max_map_count");
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
        {"kernel.threads-max", limits_read_long("/proc/sys/kernel/threads-max")},
        {"kernel.pid_max", limits_read_long("/proc/sys/kernel/pid_max")},
        {"the control group's pids.max", cgroup_pids()},
        {"`ulimit -u`", counted && processes.rlim_cur < LONG_MAX ? (long)processes.rlim_cur : -1},
        {"vm.max_map_count, two maps per stack", maps > 0 ? maps / 2 : -1},
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
