/* SPDX-License-Identifier: MIT */
/* What separates a node of a confirmation from the others, besides its filter: its own namespaces, and no clock. */
#include "lib/sandbox/sandbox.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ------------------------------------------------------------------ namespaces */

/* In its own mount namespace: hide all processes, and all files that others may write.  The process's own descriptors
 * stay, by which the loader finds the program (load.c). */
static bool
hide_files(int number)
{
    char folder[40], files[48];
    static const char *const hidden[] = {"/dev", "/run", "/sys", "/tmp", "/var"};
    const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    bool works = mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    const int own = (int)syscall(SYS_open_tree, AT_FDCWD, "/proc/self/fd", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

    snprintf(folder, sizeof folder, "/proc/%d", number);
    snprintf(files, sizeof files, "%s/fd", folder);
    works = works && own >= 0 && mount("none", "/proc", "tmpfs", flags, "size=16k,mode=755") == 0 &&
            mkdir(folder, 0755) == 0 && mkdir(files, 0755) == 0 && mkdir("/proc/none", 0755) == 0 &&
            syscall(SYS_move_mount, own, "", AT_FDCWD, files, MOVE_MOUNT_F_EMPTY_PATH) == 0 &&
            mount(NULL, "/proc", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | flags, NULL) == 0;
    for (size_t i = 0; works && i < sizeof hidden / sizeof *hidden; i++)
        works = mount("/proc/none", hidden[i], NULL, MS_BIND, NULL) == 0 || access(hidden[i], F_OK) != 0;
    if (own >= 0)
        close(own);
    return works;
}

/* The system takes milliseconds to make a namespace of networks and to remove it, so they are reused: nothing is left
 * in one, since no node can open a socket or change anything. */
static struct {
    int made[8], count;
    bool taken;
} networks;

void
sandbox_make_networks(void)
{
    const int own = geteuid() == 0 ? open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC) : -1;

    for (; own >= 0 && networks.count < 8 && unshare(CLONE_NEWNET) == 0; networks.count++)
        networks.made[networks.count] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (networks.count > 0)
        setns(own, CLONE_NEWNET);
    if (own >= 0)
        close(own);
}

void
sandbox_take_network(int rank)
{
    networks.taken = rank < networks.count && setns(networks.made[rank], CLONE_NEWNET) == 0;
}

unsigned
sandbox_separate(int number)
{
    const bool numbered = getpid() == 1;

    return (numbered ? PEAL_SANDBOX_PROCESSES : 0) | (unshare(CLONE_NEWIPC) == 0 ? PEAL_SANDBOX_IPC : 0) |
           (networks.taken || unshare(CLONE_NEWNET) == 0 ? PEAL_SANDBOX_NETWORK : 0) |
           (numbered && unshare(CLONE_NEWNS) == 0 && hide_files(number) ? PEAL_SANDBOX_MOUNTS : 0);
}

unsigned
sandbox_separate_user(void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    const unsigned users = unshare(CLONE_NEWUSER) == 0 ? PEAL_SANDBOX_USERS : 0;

    syscall(SYS_capset, &head, none);
    return users;
}

/* ------------------------------------------------------------------ clocks */

#if defined __x86_64__ || defined __aarch64__

enum { MAX_READ = 4 };

struct kernel_pages {
    char *begin;
    size_t bytes;
};

/* The kernel's functions that run in the process and read a clock, or the processor's number, there: their pages, and
 * the pages they read.  The kernel lets none of these maps be split. */
static struct {
    bool sought;
    int function_count, read_count;
    struct {
        char *code;
        uint32_t call;
    } functions[8];
    struct kernel_pages own, read[MAX_READ];
} clocks;

static void
find_pages(void)
{
    FILE *in = fopen("/proc/self/maps", "re");
    char line[500], name[20];
    unsigned long begin, end;

    while (in && fgets(line, sizeof line, in)) {
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s [%19[a-z_]", &begin, &end, name) != 3)
            continue;
        if (strcmp(name, "vdso") == 0)
            clocks.own = (struct kernel_pages){(char *)begin, end - begin};
        else if (strncmp(name, "vvar", 4) == 0 && clocks.read_count < MAX_READ)
            clocks.read[clocks.read_count++] = (struct kernel_pages){(char *)begin, end - begin};
    }
    if (in)
        fclose(in);
}

static void
apart_find_clocks(void)
{
#if defined __x86_64__
    static const struct {
        const char *name;
        uint32_t call;
    } all[] = {{"__vdso_clock_gettime", SYS_clock_gettime},
               {"__vdso_gettimeofday", SYS_gettimeofday},
               {"__vdso_clock_getres", SYS_clock_getres},
               {"__vdso_time", SYS_time},
               {"__vdso_getcpu", SYS_getcpu},
               {"__vdso_getrandom", SYS_getrandom}};
#else
    static const struct {
        const char *name;
        uint32_t call;
    } all[] = {{"__kernel_clock_gettime", SYS_clock_gettime},
               {"__kernel_gettimeofday", SYS_gettimeofday},
               {"__kernel_clock_getres", SYS_clock_getres},
               {"__kernel_getrandom", SYS_getrandom}};
#endif
    void *library = clocks.sought ? NULL : dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);

    clocks.sought = true;
    if (!library)
        return;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *code = dlsym(library, all[i].name);

        clocks.functions[clocks.function_count].code = code;
        clocks.functions[clocks.function_count].call = all[i].call;
        clocks.function_count += code != NULL;
    }
    dlclose(library);
    find_pages();
}

/* Make the function ask the system, so that the filter answers. */
static void
make_ask(char *code, uint32_t call)
{
#if defined __x86_64__
    unsigned char ask[] = {0xb8, 0, 0, 0, 0, 0x0f, 0x05, 0xc3}; /* mov call, eax; syscall; ret */

    memcpy(ask + 1, &call, sizeof call);
#else
    const uint32_t ask[] = {0xd2800008 | call << 5, 0xd4000001, 0xd65f03c0}; /* mov x8, call; svc 0; ret */
#endif
    memcpy(code, ask, sizeof ask);
    __builtin___clear_cache(code, code + sizeof ask);
}

unsigned
sandbox_take_clocks(void)
{
    const struct kernel_pages *own = &clocks.own;
    bool works = clocks.function_count > 0 && clocks.read_count > 0 && own->begin &&
                 mprotect(own->begin, own->bytes, PROT_READ | PROT_WRITE) == 0;

    for (int i = 0; i < clocks.function_count && works; i++)
        make_ask(clocks.functions[i].code, clocks.functions[i].call);
    works = works && mprotect(own->begin, own->bytes, PROT_READ | PROT_EXEC) == 0;
    for (int i = 0; i < clocks.read_count && works; i++)
        works = munmap(clocks.read[i].begin, clocks.read[i].bytes) == 0;
    works &= prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0; /* the processor's own clock */
    return works ? PEAL_SANDBOX_CLOCKS : 0;
}

#else

static void
apart_find_clocks(void)
{
}

unsigned
sandbox_take_clocks(void)
{
    return 0;
}

#endif

void
sandbox_prepare(void)
{
    apart_find_clocks();
    prepare_filter();
}
