/* SPDX-License-Identifier: MIT */
/* The parts of the sandbox.  Each is installed as far as the system allows, and reports whether it works. */
#include "lib/sandbox/sandbox.h"
#include "lib/base/process.h"
#include "lib/child/child.h"
#include "lib/machine/lookup.h"
#include "lib/machine/sanitize.h"
#include "lib/program/compile.h"
#include "lib/program/toolchain.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MAX_FILE_BYTES = 64 << 20,
    MAX_COMPILER_BYTES = 1 << 30,
    MAX_TASKS = 4096, /* more than there are already: a thread per node, and a few */
};

/* ------------------------------------------------------------------ limits */

static bool
limit(int what, rlim_t most)
{
    struct rlimit now;

    if (getrlimit((__rlimit_resource_t)what, &now) != 0)
        return false;
    if (now.rlim_max == RLIM_INFINITY || now.rlim_max > most)
        now.rlim_max = most;
    now.rlim_cur = now.rlim_max;
    return setrlimit((__rlimit_resource_t)what, &now) == 0;
}

/* ------------------------------------------------------------------ Landlock: files */

/* The kernel's interface as of its sixth version; fields unknown to an older one stay 0. */
struct ruleset {
    uint64_t files, network, scoped;
};

enum {
    FILES_1 = (1 << 13) - 1, /* the rights of the first version: execute, write, read, remove, make ... */
    FILES_REFER = 1 << 13,
    FILES_TRUNCATE = 1 << 14,
    FILES_DEVICES = 1 << 15,
    NETWORK_TCP = 3,
    SCOPES = 3, /* abstract sockets, signals */
    READ_ONLY = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
};

static struct ruleset
ruleset_known(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    struct ruleset all = {.files = version >= 1 ? FILES_1 : 0};

    all.files |= version >= 2 ? FILES_REFER : 0;
    all.files |= version >= 3 ? FILES_TRUNCATE : 0;
    all.files |= version >= 5 ? FILES_DEVICES : 0;
    all.network = version >= 4 ? NETWORK_TCP : 0;
    all.scoped = version >= 6 ? SCOPES : 0;
    return all;
}

/* Allow this use of everything at or below the path; a missing path needs no rule. */
static void
allow(int ruleset, const char *path, uint64_t access, uint64_t known)
{
    static const uint64_t of_files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                     LANDLOCK_ACCESS_FS_READ_FILE | FILES_TRUNCATE | FILES_DEVICES;
    struct landlock_path_beneath_attr rule = {.allowed_access = access & known, .parent_fd = -1};
    struct stat about;

    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0)
        return;
    if (fstat(rule.parent_fd, &about) == 0 && !S_ISDIR(about.st_mode))
        rule.allowed_access &= of_files;
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static void
allow_all(int ruleset, const char *const *paths, uint64_t access, uint64_t known)
{
    while (*paths)
        allow(ruleset, *paths++, access, known);
}

static int
begin_ruleset(const struct ruleset *rules)
{
    return rules->files ? (int)syscall(SYS_landlock_create_ruleset, rules, sizeof *rules, 0) : -1;
}

/* Enforce the rules, and free them. */
static bool
end_ruleset(int ruleset)
{
    bool works = ruleset >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                 syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;

    if (ruleset >= 0)
        close(ruleset);
    return works;
}

/* ------------------------------------------------------------------ around a compiler */

/* Allow reading the folders that flags name: -I/x, -L x, /x/y.c. */
static void
allow_flags(int ruleset, const char *flags, uint64_t known)
{
    static const char *const options[] = {"-isystem", "-iquote", "-include", "-idirafter", "-I", "-L", "-B"};
    char *text = strdup(flags), *rest = NULL, path[PATH_MAX];

    for (char *word = text ? strtok_r(text, " \t\n", &rest) : NULL; word; word = strtok_r(NULL, " \t\n", &rest)) {
        for (size_t i = 0; i < sizeof options / sizeof *options; i++)
            if (strncmp(word, options[i], strlen(options[i])) == 0) {
                word += strlen(options[i]);
                break;
            }
        if (*word && *word != '-' && realpath(word, path) && strcmp(path, "/") != 0)
            allow(ruleset, path, READ_ONLY, known);
    }
    free(text);
}

/* Allow what compilers are made of below a folder that they were installed in, and nothing else that lies there. */
static void
allow_prefix(int ruleset, const char *prefix, uint64_t known)
{
    static const char *const parts[] = {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "include", NULL};
    char path[PATH_MAX];

    for (int i = 0; parts[i]; i++)
        if (snprintf(path, sizeof path, "%s/%s", prefix, parts[i]) < (int)sizeof path)
            allow(ruleset, path, READ_ONLY | LANDLOCK_ACCESS_FS_EXECUTE, known);
}

/* Allow running the compiler, wherever it was installed: the folder that its bin lies in. */
static void
allow_program(int ruleset, const char *program, uint64_t known)
{
    const char *folders = getenv("PATH"), *home = getenv("HOME");
    char path[2 * PATH_MAX], real[PATH_MAX];

    for (const char *at = folders ? folders : "/usr/bin"; *at; at += *at == ':') {
        size_t length = strcspn(at, ":");

        snprintf(path, sizeof path, "%.*s/%s", (int)(length < PATH_MAX ? length : PATH_MAX), at, program);
        at += length;
        if (!realpath(strchr(program, '/') ? program : path, real) || access(real, X_OK) != 0)
            continue;
        allow(ruleset, real, READ_ONLY | LANDLOCK_ACCESS_FS_EXECUTE, known);
        *strrchr(real, '/') = '\0';
        char *bin = strrchr(real, '/');

        if (bin && strcmp(bin, "/bin") == 0) {
            *bin = '\0';
            if (!home || strcmp(real, home) != 0)
                allow_prefix(ruleset, real, known);
        }
        return;
    }
}

static bool
restrict_compiler(const char *scratch, const char *const *readable, const char *compiler, const char *flags)
{
    static const char *const prefixes[] = {"", "/usr", "/usr/local", NULL};
    static const char *const system[] = {"/nix/store", "/etc/alternatives", "/etc/ld.so.cache", NULL};
    struct ruleset rules = ruleset_known();
    int ruleset = begin_ruleset(&rules);
    char library[PATH_MAX], headers[PATH_MAX], word[PATH_MAX], wrapper[PATH_MAX], folders[MPI_FOLDERS][4096];

    if (ruleset < 0)
        return false;
    for (int i = 0; prefixes[i]; i++)
        allow_prefix(ruleset, prefixes[i], rules.files);
    allow_all(ruleset, system, READ_ONLY | LANDLOCK_ACCESS_FS_EXECUTE, rules.files);
    allow_all(ruleset, readable, READ_ONLY, rules.files);
    for (const char *at = compiler; *at; at += strspn(at, " \t\n")) { /* "ccache gcc" */
        size_t length = strcspn(at, " \t\n");

        snprintf(word, sizeof word, "%.*s", (int)length, at);
        at += length;
        if (*word)
            allow_program(ruleset, word, rules.files);
    }
    allow_flags(ruleset, compiler, rules.files);
    allow_flags(ruleset, flags, rules.files);
    toolchain_needs(library, headers);
    toolchain_mpi_needs(wrapper, folders);
    allow(ruleset, wrapper, READ_ONLY | LANDLOCK_ACCESS_FS_EXECUTE, rules.files);
    for (int i = 0; i < MPI_FOLDERS; i++)
        if (folders[i][0])
            allow(ruleset, folders[i], READ_ONLY, rules.files);
    allow(ruleset, library, READ_ONLY, rules.files);
    allow(ruleset, headers, READ_ONLY, rules.files);
    allow(ruleset, "/dev/null", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE, rules.files);
    allow(ruleset, scratch, rules.files, rules.files & ~(uint64_t)LANDLOCK_ACCESS_FS_EXECUTE);
    return end_ruleset(ruleset);
}

unsigned
sandbox_compiler(const char *scratch, const char *const *readable, const char *compiler, const char *flags, int seconds)
{
    bool limits = limit(RLIMIT_CPU, (rlim_t)seconds) && limit(RLIMIT_FSIZE, MAX_FILE_BYTES) && limit(RLIMIT_CORE, 0);

#if !ADDRESS_SANITIZER
    limits = limits && limit(RLIMIT_DATA, MAX_COMPILER_BYTES); /* a sanitizer's shadow would count */
#endif
    setenv("CCACHE_DISABLE", "1", 1); /* its folder cannot be written */
    return (limits ? PEAL_SANDBOX_LIMITS : 0) |
           (restrict_compiler(scratch, readable, compiler, flags) ? PEAL_SANDBOX_FILES : 0);
}

/* ------------------------------------------------------------------ around a program */

/* `file`: the interpreter that is to be executed, which reads folders, too; NULL: none. */
static bool
restrict_files(const char *file, const char *const *folders)
{
    static const char *const libraries[] = {"/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache", NULL};
    static const char *const loaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", NULL};
    const uint64_t executes = READ_ONLY | LANDLOCK_ACCESS_FS_EXECUTE;
    struct ruleset rules = ruleset_known();
    int ruleset = begin_ruleset(&rules);

    if (ruleset < 0)
        return false;
    allow_all(ruleset, libraries, file ? READ_ONLY : LANDLOCK_ACCESS_FS_READ_FILE, rules.files);
    if (file) { /* without one only the unwinder is loaded late */
        allow_all(ruleset, loaders, executes, rules.files);
        allow_all(ruleset, folders, READ_ONLY, rules.files);
        allow(ruleset, file, executes, rules.files);
    }
    return end_ruleset(ruleset);
}

/* Be the first process to be killed when the system runs out of memory. */
static void
volunteer(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (write(fd, "1000", 4) < 0)
        errno = 0; /* then the system chooses for itself */
    close(fd);
}

/* The number of this user's processes and threads; 0 when unknown.  RLIMIT_NPROC counts all of them, wherever they come
 * from: if others start more meanwhile, the program may have fewer.  A separate limit would need a control group
 * (pids.max), which neither users nor containers may make. */
static rlim_t
tasks_of_user(void)
{
    DIR *all = opendir("/proc");
    rlim_t count = 0;
    char path[300];
    struct stat about;

    for (const struct dirent *one; all && (one = readdir(all));) {
        snprintf(path, sizeof path, "/proc/%s/task", one->d_name);
        if (*one->d_name >= '0' && *one->d_name <= '9' && stat(path, &about) == 0 && about.st_uid == getuid())
            count += about.st_nlink > 2 ? (rlim_t)about.st_nlink - 2 : 1;
    }
    if (all)
        closedir(all);
    return count;
}

/* Erase the environment, which may hold secrets: the pointers to it, and the text that the kernel laid
 * above the stack.  Called while files can be read. */
static void
forget_environment(void)
{
    enum { BEGINS = 50 - 3 }; /* the field of /proc/self/stat, counted from the one after the name */
    char stat[2048], *field;
    FILE *in = fopen("/proc/self/stat", "re");
    size_t bytes = in ? fread(stat, 1, sizeof stat - 1, in) : 0;
    unsigned long begin = 0, end = 0;
    static char *none[1];

    stat[bytes] = '\0';
    if (in)
        fclose(in);
    environ = none;
    field = strrchr(stat, ')');
    for (int i = 0; field && i <= BEGINS; i++)
        field = strchr(field + 1, ' ');
    if (field && sscanf(field, "%lu %lu", &begin, &end) == 2 && begin < end)
        memset((void *)begin, 0, end - begin);
}

/* Become a user that owns nothing else, where possible: the kernel then separates this process from all others, other
 * untrusted programs included, and counts only its threads.  Where no such user exists, become nobody.  Its memory and
 * descriptors are closed to others, too. */
static void
become_nobody(int number)
{
    enum { NOBODY = 65534, FIRST_USER = 0x70000000 };

    if (geteuid() == 0 && syscall(SYS_setgroups, 0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0) {
        const uid_t user = FIRST_USER + (uid_t)number;

        if (setresuid(user, user, user) == 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0)
            prctl(PR_SET_PDEATHSIG, SIGKILL); /* the change of user cleared it */
    }
    prctl(PR_SET_DUMPABLE, 0);
}

unsigned
sandbox_program(int seconds, bool apart, atomic_int *denied_number)
{
    unsigned parts = 0;

    line_finder.alone = true;
    forget_environment();
    volunteer();
    const int number = process_number(); /* while files can be read */

    if (apart)
        sandbox_prepare(), parts |= sandbox_separate(number);
    become_nobody(number);
    if (apart)
        parts |= sandbox_separate_user() | sandbox_take_clocks();
    rlim_t tasks = apart ? 0 : tasks_of_user();

    if (limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, MAX_FILE_BYTES) && limit(RLIMIT_MSGQUEUE, 0) &&
        (seconds <= 0 || limit(RLIMIT_CPU, (rlim_t)seconds)))
        parts |= PEAL_SANDBOX_LIMITS;
    if (apart) /* the queue of signals is shared by all of the user's processes */
        limit(RLIMIT_NPROC, 0), limit(RLIMIT_SIGPENDING, 0);
    else if (tasks > 0) /* root is exempt, but this is another user now */
        limit(RLIMIT_NPROC, tasks + MAX_TASKS);
    if (restrict_files(NULL, NULL))
        parts |= PEAL_SANDBOX_FILES;
    if (restrict_calls(apart, denied_number))
        parts |= PEAL_SANDBOX_CALLS;
    return parts;
}

unsigned
sandbox_interpreter(const char *file, const char *const *folders, int seconds, uint64_t bytes)
{
    enum { THREADS = 64 };
    const int number = process_number();
    unsigned parts = getpid() == 1 ? PEAL_SANDBOX_PROCESSES : 0;

    volunteer();
    parts |= unshare(CLONE_NEWIPC) == 0 ? PEAL_SANDBOX_IPC : 0;
    parts |= unshare(CLONE_NEWNET) == 0 ? PEAL_SANDBOX_NETWORK : 0;
    become_nobody(number);
    parts |= sandbox_separate_user();
    if (limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_MSGQUEUE, 0) &&
        limit(RLIMIT_CPU, (rlim_t)seconds) && limit(RLIMIT_AS, (rlim_t)bytes) &&
        limit(RLIMIT_NPROC, tasks_of_user() + THREADS))
        parts |= PEAL_SANDBOX_LIMITS;
    if (restrict_files(file, folders))
        parts |= PEAL_SANDBOX_FILES;
    if (restrict_interpreter())
        parts |= PEAL_SANDBOX_CALLS;
    return parts;
}

/* ------------------------------------------------------------------ descriptors */

void
sandbox_close_others(const int *keep, int count)
{
    for (unsigned next = STDERR_FILENO + 1, last; next <= INT_MAX; next = last + 2) {
        last = INT_MAX;
        for (int i = 0; i < count; i++)
            if (keep[i] >= (int)next && (unsigned)keep[i] <= last)
                last = (unsigned)keep[i] - 1;
        if (last >= next)
            close_range(next, last, 0);
    }
}

int
sandbox_hide(int fd)
{
    uint16_t number = 0;
    struct rlimit files;

    if (getrandom(&number, sizeof number, 0) < 0 || getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur < 256)
        return fd;
    rlim_t most = files.rlim_cur < 65536 ? files.rlim_cur : 65536;
    int hidden = fcntl(fd, F_DUPFD_CLOEXEC, (int)(most / 4 + number % (most / 2)));

    if (hidden < 0)
        return fd;
    close(fd);
    return hidden;
}

bool
sandbox_shut(void)
{
    return limit(RLIMIT_NOFILE, 0);
}

bool
sandbox_is_shut(pid_t process)
{
    char path[64], line[200];
    unsigned long most = 1;

    snprintf(path, sizeof path, "/proc/%d/limits", (int)process);
    FILE *in = fopen(path, "re");

    while (in && fgets(line, sizeof line, in) && sscanf(line, "Max open files %*s %lu", &most) != 1)
        ;
    if (in)
        fclose(in);
    return most == 0;
}

/* ------------------------------------------------------------------ a self-test */

/* In a child in the sandbox: try what must fail, and record in *held the parts that stopped it.  The last try ends the
 * process where the filter works. */
static void
try_all(pid_t parent, atomic_int *held)
{
    struct rlimit size;

    if (getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur <= MAX_FILE_BYTES)
        atomic_fetch_or(held, PEAL_SANDBOX_LIMITS);
    errno = 0;
    if (open("/proc/self/status", O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES)
        atomic_fetch_or(held, PEAL_SANDBOX_FILES);
    kill(parent, 0);
}

/* In a child that is alone: report the parts that make it so. */
static int
try_apart(void *arg, struct child *child)
{
    const unsigned parts = sandbox_program(10, true, NULL) & PEAL_SANDBOX_APART;

    (void)arg;
    return !peal_write_whole(child->report.to, &parts, sizeof parts);
}

static unsigned
parts_apart(void)
{
    const struct child_setup setup = {.what = "a try", .body = try_apart, .untrusted = true, .alone = true};
    struct peal_error error;
    struct child child;
    unsigned parts = 0;

    if (peal_child_start(&child, &setup, &error) != PEAL_OK)
        return 0;
    while (!child.over)
        peal_child_attend();
    peal_child_end(&child);
    if (child.report.bytes == sizeof parts)
        memcpy(&parts, child.report.text, sizeof parts);
    free(child.report.text);
    return parts;
}

unsigned
peal_sandbox_parts(void)
{
    atomic_int *shared = mmap(NULL, 2 * sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int how = 0;

    if (shared == MAP_FAILED)
        return 0;
    fflush(NULL);
    pid_t parent = getpid(), child = fork();

    if (child == 0) {
        sandbox_program(10, false, &shared[0]);
        try_all(parent, &shared[1]);
        _exit(0);
    }
    while (child > 0 && waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    unsigned parts = (unsigned)atomic_load(&shared[1]);

    if (child > 0 && WIFEXITED(how) && WEXITSTATUS(how) == SANDBOX_EXIT && atomic_load(&shared[0]) > 0)
        parts |= PEAL_SANDBOX_CALLS;
    munmap(shared, 2 * sizeof *shared);
    return parts | parts_apart();
}
