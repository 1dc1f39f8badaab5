/* SPDX-License-Identifier: MIT */
/* Builds and installs the seccomp filters, whose handler notes the refused call.  The process cannot remove them. */
#include "lib/machine/stacks.h"
#include "lib/sandbox/sandbox.h"
#include <stdio.h>
#include <stdlib.h>

#if PEAL_SECCOMP
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* How a call was made, besides its number in *denied.  x32 sets a bit in the number. */
enum {
    WAY_X32 = 1 << 30,
    WAY_OTHER_PROCESSOR = 1 << 29, /* the calls of a 32-bit program, by int 0x80 */
    WAYS = WAY_X32 | WAY_OTHER_PROCESSOR
};

#if defined __x86_64__
#define OWN_PROCESSOR AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define OWN_PROCESSOR AUDIT_ARCH_AARCH64
#else
#define OWN_PROCESSOR 0 /* unknown: no call counts as another architecture's */
#endif

/* Where the handler puts the number of the call. */
static atomic_int *denied_call;

/* Answer newfstatat: newer C libraries call it for fstat, with an empty path, which a filter cannot read; every other
 * path is refused.  False: it is another call. */
__attribute__((no_sanitize("address"))) static bool
answers(const siginfo_t *info, ucontext_t *context)
{
#if defined __x86_64__
    greg_t *registers = context->uc_mcontext.gregs, *answer = &registers[REG_RAX];
    const char *path = (const char *)registers[REG_RSI];
    const long file = registers[REG_RDI], about = registers[REG_RDX];
#elif defined __aarch64__
    unsigned long long *answer = context->uc_mcontext.regs;
    const char *path = (const char *)answer[1];
    const unsigned long long file = answer[0], about = answer[2];
#endif
#if OWN_PROCESSOR
    if (info->si_syscall != SYS_newfstatat || info->si_arch != OWN_PROCESSOR)
        return false;
    *answer = path && *path ? -EPERM : syscall(SYS_fstat, file, about) == 0 ? 0 : -errno;
    return true;
#else
    return false;
#endif
}

__attribute__((no_sanitize("address"))) /* ASan looks for the stack in a file that the sandbox denies */
static void
denied(int signal, siginfo_t *info, void *context)
{
    int way = OWN_PROCESSOR != 0 && info->si_arch != OWN_PROCESSOR ? WAY_OTHER_PROCESSOR : 0;
    const int kept = errno;

    (void)signal;
    if (answers(info, context)) {
        errno = kept;
        return;
    }
    if (denied_call)
        atomic_store(denied_call, (info->si_syscall | way) + 1);
    _exit(SANDBOX_EXIT);
}

/* ------------------------------------------------------------------ all calls */

/* Calls that a machine and a computing program need: each concerns the process alone, and reveals nothing that changes
 * while others run. */
static const char *const needed[] = {
    /* the socket to the coordinator; the loader, and the program's own file in memory */
    "read",
    "pread64",
    "write",
    "writev",
    "pwrite64",
    "ftruncate",
    "lseek", /* of the C library's files */
    "fstat",
    "close",
    "close_range",
    /* memory of its own, stacks, the loader */
    "mprotect",
    "munmap",
    "mremap",
    "brk",
    "membarrier", /* of liburcu, when a machine is made */
    /* signals to itself: crashes, aborts, siglongjmp */
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "sigaltstack",
    "restart_syscall", /* the kernel's own, after a signal */
    /* the process's identity, which is constant */
    "getpid",
    "gettid",
    "getppid",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getrlimit",
    "uname",
    /* random numbers: seeds of the C library, hash tables */
    "getrandom",
    /* its end */
    "exit",
    "exit_group",
};

/* Calls that name a path or another process, report what others change, or take or measure time: harmless where the
 * nodes are one process, whose limits are its sandbox's, and a channel where each is a process of its own. */
static const char *const together[] = {
    "readv",
    "preadv",
    "pwritev",
    "dup",
    "dup2",
    "dup3",
    "poll",
    "ppoll",
    "select",
    "pselect6",
    "stat",
    "lstat",
    "newfstatat",
    "statx",
    "fstatfs",
    "statfs",
    "access",
    "faccessat",
    "faccessat2",
    "readlink",
    "readlinkat",
    "getcwd",
    "getdents64",
    "mincore",
    "msync",
    "madvise",
    "arch_prctl",
    "set_robust_list",
    "rseq",
    "set_tid_address",
    "rt_sigpending",
    "rt_sigtimedwait",
    "rt_sigsuspend",
    "pause",
    "futex",
    "futex_waitv",
    "futex_wake",
    "futex_wait",
    "sched_yield",
    "sched_getparam",
    "sched_getscheduler",
    "sched_getaffinity",
    "sched_get_priority_max",
    "sched_get_priority_min",
    "getcpu",
    "getpgrp",
    "getpgid",
    "getpriority",
    "nanosleep",
    "gettimeofday",
    "time",
    "times",
    "getitimer",
    "setitimer",
    "alarm",
    "getrusage",
    "sysinfo",
    "wait4",
    "waitid",
};

/* Calls that no computing program needs: a process that makes one is ended. */
static const char *const forbidden[] = {
    "socket",
    "socketpair",
    "pipe",
    "pipe2",
    "eventfd",
    "eventfd2",
    "signalfd",
    "signalfd4",
    "timerfd_create",
    "inotify_init1",
    "epoll_create1",
    "connect",
    "bind",
    "listen",
    "accept",
    "accept4",
    "sendto",
    "sendmsg",
    "sendmmsg",
    "recvfrom",
    "recvmsg",
    "recvmmsg",
    "fork",
    "vfork",
    "execve",
    "execveat",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "rt_sigqueueinfo",
    "rt_tgsigqueueinfo",
    "pidfd_open",
    "pidfd_send_signal",
    "pidfd_getfd",
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "unshare",
    "setns",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "keyctl",
    "add_key",
    "request_key",
    "init_module",
    "finit_module",
    "delete_module",
    "kexec_load",
    "reboot",
    "swapon",
    "swapoff",
    "setuid",
    "setgid",
    "setreuid",
    "setregid",
    "setresuid",
    "setresgid",
    "setgroups",
    "setfsuid",
    "setfsgid",
    "capset",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "shmget",
    "shmat",
    "shmctl",
    "msgget",
    "msgsnd",
    "semget",
    "semop",
    "mq_open",
    "setsid",
    "setpgid",
    "setpriority",
    "sched_setscheduler",
    "sched_setattr",
    "ioprio_set",
    "sched_setparam",
    "migrate_pages",
    "move_pages",
    "kcmp",
    "tkill",
    "sethostname",
    "settimeofday",
    "clock_settime",
    "adjtimex",
    "syslog",
    "quotactl",
    "acct",
    "iopl",
    "ioperm",
};

static bool
rules_for(scmp_filter_ctx filter, uint32_t action, const char *const *names, size_t count)
{
    bool all = true;

    for (size_t i = 0; i < count; i++) {
        int number = seccomp_syscall_resolve_name(names[i]);

        if (number >= 0) /* negative: not on this machine */
            all &= seccomp_rule_add(filter, action, number, 0) == 0;
    }
    return all;
}

/* A rule for calls whose argument `which` satisfies the comparison. */
static bool
rule(scmp_filter_ctx filter, uint32_t action, int number, unsigned which, enum scmp_compare how, uint64_t a, uint64_t b)
{
    const struct scmp_arg_cmp comparison = {which, how, a, b};

    return seccomp_rule_add_array(filter, action, number, 1, &comparison) == 0;
}

/* A rule for its own limits. */
static bool
rule_of_limits(scmp_filter_ctx filter, unsigned which, uint64_t value)
{
    const struct scmp_arg_cmp both[] = {{0, SCMP_CMP_EQ, 0, 0}, {which, SCMP_CMP_EQ, value, 0}};

    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, both) == 0;
}

/* Allow fcntl's commands on the descriptor alone.  Its owner gets its signals, which F_SETSIG chooses: that could end
 * any process of the user. */
static bool
rules_of_fcntl(scmp_filter_ctx filter, bool apart)
{
    static const unsigned allowed[] = {F_GETFD,     F_GETFL,         F_GET_SEALS, F_ADD_SEALS,
                                       F_DUPFD,     F_DUPFD_CLOEXEC, F_SETFD,     F_SETFL, /* not for a node: */
                                       F_GETPIPE_SZ};
    static const unsigned ends[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG, F_SETLEASE, F_NOTIFY};
    bool all = true;

    for (size_t i = 0; i < (apart ? 4 : sizeof allowed / sizeof *allowed); i++)
        all &= rule(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, SCMP_CMP_EQ, allowed[i], 0);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        all &= rule(filter, SCMP_ACT_TRAP, SCMP_SYS(fcntl), 1, SCMP_CMP_EQ, ends[i], 0);
    return all;
}

/* Allow signals to this process alone, and files opened for reading, which Landlock limits. */
static bool
rules_of_arguments(scmp_filter_ctx filter, uint64_t own)
{
    const uint32_t allowed = SCMP_ACT_ALLOW;
    const uint64_t writing = O_ACCMODE | O_CREAT | O_TRUNC | O_PATH;
    const uint64_t set_vma = 0x53564d41; /* PR_SET_VMA: names for maps */

    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 && /* its flags lie in memory */
           rule(filter, allowed, SCMP_SYS(kill), 0, SCMP_CMP_EQ, own, 0) &&
           rule(filter, allowed, SCMP_SYS(tgkill), 0, SCMP_CMP_EQ, own, 0) &&
#ifdef __NR_open
           rule(filter, allowed, SCMP_SYS(open), 1, SCMP_CMP_MASKED_EQ, writing, 0) &&
#endif
           rule(filter, allowed, SCMP_SYS(openat), 2, SCMP_CMP_MASKED_EQ, writing, 0) &&
           rule_of_limits(filter, 2, 0) && /* it reads them */
           rule_of_limits(filter, 1, RLIMIT_NOFILE) &&
           rule(filter, allowed, SCMP_SYS(mmap), 3, SCMP_CMP_MASKED_EQ, MAP_TYPE, MAP_PRIVATE) && /* see child_memory */
           rule(filter, allowed, SCMP_SYS(ioctl), 1, SCMP_CMP_EQ, TCGETS, 0) &&
           rule(filter, allowed, SCMP_SYS(prctl), 0, SCMP_CMP_EQ, PR_SET_NAME, 0) &&
           rule(filter, allowed, SCMP_SYS(prctl), 0, SCMP_CMP_EQ, set_vma, 0);
}

/* End a process that signals another, or asks for one. */
static bool
rules_that_trap(scmp_filter_ctx filter, bool apart, uint64_t own)
{
    const uint32_t trap = SCMP_ACT_TRAP;

    /* Calls of another architecture are reported, too. */
    return seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, trap) == 0 &&
           rules_for(filter, trap, forbidden, sizeof forbidden / sizeof *forbidden) &&
           rule(filter, trap, SCMP_SYS(kill), 0, SCMP_CMP_NE, own, 0) &&
           rule(filter, trap, SCMP_SYS(tgkill), 0, SCMP_CMP_NE, own, 0) &&
           (apart || rule(filter, trap, SCMP_SYS(clone), 0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
}

/* Where the nodes are one process: it may start threads, but no processes, and read clocks that all processes share. */
static bool
rules_of_one_process(scmp_filter_ctx filter, uint64_t own)
{
    return rules_for(filter, SCMP_ACT_ALLOW, together, sizeof together / sizeof *together) &&
           rule(filter, SCMP_ACT_ALLOW, SCMP_SYS(clock_gettime), 0, SCMP_CMP_LE, CLOCK_TAI, 0) &&
           rule(filter, SCMP_ACT_ALLOW, SCMP_SYS(clock_getres), 0, SCMP_CMP_LE, CLOCK_TAI, 0) &&
           rule(filter, SCMP_ACT_ALLOW, SCMP_SYS(clock_nanosleep), 0, SCMP_CMP_LE, CLOCK_TAI, 0) &&
           rule(filter, SCMP_ACT_ALLOW, SCMP_SYS(sched_setaffinity), 0, SCMP_CMP_EQ, 0, 0) &&
           rule(filter, SCMP_ACT_ALLOW, SCMP_SYS(sched_setaffinity), 0, SCMP_CMP_EQ, own, 0) &&
           rule(filter, SCMP_ACT_ALLOW, SCMP_SYS(get_robust_list), 0, SCMP_CMP_EQ, 0, 0) &&
           rule(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD);
}

/* Where each node is a process: it has one thread, its locks are its own, and its advice is on its own memory.  It has
 * no clock: the time that it waits for the coordinator would show what another node does. */
static bool
rules_of_a_node(scmp_filter_ctx filter)
{
    enum { FUTEX_OWN = 128, GUARD_INSTALL = 102, GUARD_REMOVE = 103 };
    static const unsigned advice[] = {MADV_DONTNEED,   MADV_FREE,     MADV_HUGEPAGE,
                                      MADV_NOHUGEPAGE, GUARD_INSTALL, GUARD_REMOVE};
    bool all = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAGAIN), SCMP_SYS(clone), 0) == 0 &&
               seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(newfstatat), 0) == 0 &&
               rule(filter, SCMP_ACT_ALLOW, SCMP_SYS(futex), 1, SCMP_CMP_MASKED_EQ, FUTEX_OWN, FUTEX_OWN) &&
               rule(filter, SCMP_ACT_ALLOW, SCMP_SYS(sched_getaffinity), 0, SCMP_CMP_EQ, 0, 0);

    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
        all &= rule(filter, SCMP_ACT_ALLOW, SCMP_SYS(madvise), 2, SCMP_CMP_EQ, advice[i], 0);
    return all;
}

/* fork of glibc 2.41 and later makes its call with all signals blocked, so that the refusal could not be named: make
 * the call first. */
static void
ask_to_fork(void)
{
    if (denied_call)
        syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

/* The filter of a process with this number; NULL: there is none. */
static scmp_filter_ctx
make_filter(bool apart, pid_t own)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));

    if (filter && rules_for(filter, SCMP_ACT_ALLOW, needed, sizeof needed / sizeof *needed) &&
        rules_that_trap(filter, apart, (uint64_t)own) && rules_of_arguments(filter, (uint64_t)own) &&
        rules_of_fcntl(filter, apart) &&
        (apart ? rules_of_a_node(filter) : rules_of_one_process(filter, (uint64_t)own)))
        return filter;
    if (filter)
        seccomp_release(filter);
    return NULL;
}

/* The filter of nodes that are process 1 of a namespace each: it takes a millisecond to make, and is made once. */
static struct sock_fprog first;

void
prepare_filter(void)
{
    scmp_filter_ctx filter = first.len == 0 ? make_filter(true, 1) : NULL;
    const int file = filter ? memfd_create("filter", MFD_CLOEXEC) : -1;
    const off_t bytes = file >= 0 && seccomp_export_bpf(filter, file) == 0 ? lseek(file, 0, SEEK_END) : 0;

    if (bytes > 0 && (first.filter = malloc((size_t)bytes)) && pread(file, first.filter, (size_t)bytes, 0) == bytes)
        first.len = (unsigned short)((size_t)bytes / sizeof *first.filter);
    if (file >= 0)
        close(file);
    if (filter)
        seccomp_release(filter);
}

bool
restrict_interpreter(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    const uint64_t own = (uint64_t)getpid();
    const bool works = filter && rules_for(filter, SCMP_ACT_ALLOW, needed, sizeof needed / sizeof *needed) &&
                       rules_of_arguments(filter, own) && rules_of_fcntl(filter, false) &&
                       rules_of_one_process(filter, own) &&
                       rule(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 3, SCMP_CMP_MASKED_EQ, MAP_TYPE, MAP_SHARED) &&
                       seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(execve), 0) == 0 && seccomp_load(filter) == 0;

    if (filter)
        seccomp_release(filter);
    return works;
}

static bool
filter_calls(bool apart)
{
    if (apart && first.len > 0 && getpid() == 1)
        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &first) == 0;
    scmp_filter_ctx filter = make_filter(apart, getpid());
    const bool works = filter && seccomp_load(filter) == 0;

    if (filter)
        seccomp_release(filter);
    return works;
}

bool
restrict_calls(bool apart, atomic_int *where)
{
    struct sigaction action = {.sa_sigaction = denied, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    denied_call = where;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSYS, &action, NULL);
    forbid_exits(); /* without it such a run ends only by its time limit */
    in_sandbox |= filter_calls(apart);
    return in_sandbox && pthread_atfork(ask_to_fork, NULL, NULL) == 0;
}

char *
sandbox_denied(int number, char text[200])
{
    int call = number > 0 ? number - 1 : -1, plain = call & ~WAYS;
    char *name = NULL;
    const char *way = "";

    if (call >= 0 && call & WAY_X32)
        way = " by the x32 interface";
    else if (call >= 0 && call & WAY_OTHER_PROCESSOR)
        way = " by the 32-bit interface";
    if (call >= 0 && call & WAY_OTHER_PROCESSOR)
        name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86, plain);
    else if (call >= 0)
        name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, plain);
    if (call == SYS_exit)
        snprintf(text, 200, "it ended its thread by the system call exit, which a checked program may not use");
    else
        snprintf(text, 200, "it asked the system for %s%s, which a checked program may not use",
                 name       ? name
                 : call < 0 ? "a call with SIGSYS blocked, as posix_spawn and system do"
                            : "something",
                 way);
    free(name);
    return text;
}

#else

void
prepare_filter(void)
{
}

bool
restrict_calls(bool apart, atomic_int *where)
{
    (void)apart, (void)where;
    return false;
}

bool
restrict_interpreter(void)
{
    return false;
}

char *
sandbox_denied(int number, char text[200])
{
    snprintf(text, 200, "it asked the system for call %d, which a checked program may not use", number - 1);
    return text;
}

#endif
