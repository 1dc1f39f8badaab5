/* SPDX-License-Identifier: MIT */
/* What the system has left, read from folders that look like /proc and /sys/fs/cgroup. */
#include "lib/machine/host_limits.h"
#include "lib/machine/room.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file below the root, and what is in it. */
struct file {
    const char *path, *text;
};

static const char meminfo[] = "MemTotal:  24000 kB\nMemFree:  100 kB\nMemAvailable:  9000 kB\n";

struct room_case {
    const char *name;
    struct file files[7];
    uint64_t bytes;
    const char *limit; /* NULL: none is known */
};

static const struct room_case cases[] = {
    {"no /proc", {{0}}, UINT64_MAX, NULL},
    {"only the system's memory", {{"/proc/meminfo", meminfo}}, 9000 << 10, "MemAvailable"},
    {"version 2",
     {{"/proc/meminfo", meminfo},
      {"/proc/self/cgroup", "0::/job\n"},
      {"/sys/fs/cgroup/job/memory.max", "5000000\n"},
      {"/sys/fs/cgroup/job/memory.current", "2000000\n"},
      {"/sys/fs/cgroup/job/memory.stat", "anon 1500000\ninactive_file 400000\n"}},
     3400000,
     "the control group's memory.max"},
    {"a group above with less",
     {{"/proc/self/cgroup", "0::/user/job\n"},
      {"/sys/fs/cgroup/user/job/memory.max", "max\n"},
      {"/sys/fs/cgroup/user/memory.max", "7000000\n"},
      {"/sys/fs/cgroup/user/memory.current", "1000000\n"}},
     6000000,
     "the control group's memory.max"},
    {"a container's own root",
     {{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/memory.max", "3000000\n"}},
     3000000,
     "the control group's memory.max"},
    {"more is used than allowed",
     {{"/proc/self/cgroup", "0::/\n"},
      {"/sys/fs/cgroup/memory.max", "100\n"},
      {"/sys/fs/cgroup/memory.current", "300\n"}},
     0,
     "the control group's memory.max"},
    {"version 1",
     {{"/proc/meminfo", meminfo},
      {"/proc/self/cgroup", "3:cpu:/a\n2:memory:/b\n"},
      {"/sys/fs/cgroup/memory/b/memory.limit_in_bytes", "4000000\n"},
      {"/sys/fs/cgroup/memory/b/memory.usage_in_bytes", "3000000\n"},
      {"/sys/fs/cgroup/memory/b/memory.stat", "total_inactive_file 500000\n"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}},
     1500000,
     "the control group's memory.limit_in_bytes"},
};

static char *
shell(const char *format, const char *folder, const char *path)
{
    char *command;

    cr_assert(asprintf(&command, format, folder, path) > 0);
    cr_assert(eq(int, system(command), 0));
    return command;
}

Test(room, is_the_least_that_any_limit_leaves, .timeout = 60)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char root[] = "/tmp/peal-room-XXXXXX";

        cr_assert(mkdtemp(root) != NULL);
        for (const struct file *file = cases[i].files; file->path; file++) {
            char path[200];

            free(shell("mkdir -p \"$(dirname '%s%s')\"", root, file->path));
            snprintf(path, sizeof path, "%s%s", root, file->path);
            FILE *out = fopen(path, "w");

            cr_assert(out != NULL && fputs(file->text, out) >= 0 && fclose(out) == 0);
        }
        limits_root = root;
        struct room left = room_left();

        limits_root = "";
        cr_expect(left.bytes == cases[i].bytes, "%s: %llu bytes are left, expected %llu", cases[i].name,
                  (unsigned long long)left.bytes, (unsigned long long)cases[i].bytes);
        cr_expect(left.bytes_limit == cases[i].limit ||
                      (left.bytes_limit && cases[i].limit && strcmp(left.bytes_limit, cases[i].limit) == 0),
                  "%s: the limit is %s", cases[i].name, left.bytes_limit ? left.bytes_limit : "none");
        free(shell("rm -r '%s'%s", root, ""));
    }
}
