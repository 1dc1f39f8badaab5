/* SPDX-License-Identifier: MIT */
/* Makes temporary folders named by their process, and removes those of dead processes of the same user and system:
 * peal-SYSTEM-PID-XXXXXX, where SYSTEM is a number for this boot of this machine and the namespace of its process
 * numbers.  And reads and writes files in them. */
#include "lib/base/text.h"
#include "lib/program/compile.h"
#include "lib/program/compiler.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A number for this boot of this machine and the namespace of process numbers: a process of another may be alive
 * although its number is not known here.  0 where the system does not say. */
static uint32_t
find_system(void)
{
    char text[200] = "";
    size_t used = 0;
    FILE *boot = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (boot) {
        used = fread(text, 1, 100, boot);
        fclose(boot);
    }
    ssize_t space = readlink("/proc/self/ns/pid", text + used, sizeof text - used);

    if (used == 0 || space <= 0)
        return 0;
    const uint32_t sum = (uint32_t)digest_bytes(text, used + (size_t)space, DIGEST_NOTHING);

    return sum ? sum : 1;
}

/* Whether the process has ended, also if its parent has not waited for it and its number is still taken. */
static bool
folder_owner_has_ended(int process)
{
    char path[64], state = '\0';

    if (kill(process, 0) != 0)
        return errno == ESRCH;
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *in = fopen(path, "re");
    bool read = in && fscanf(in, "%*d (%*[^)]) %c", &state) == 1;

    if (in)
        fclose(in);
    return read && state == 'Z';
}

/* Whether the name is that of a folder of this system whose process has ended. */
static bool
is_left(const char *name, uint32_t system)
{
    unsigned of;
    int process, length = 0;

    if (sscanf(name, "peal-%8x-%d-%n", &of, &process, &length) != 2 || length == 0 || of != system || process <= 0)
        return false;
    for (int i = 0; i < 6; i++)
        if (!isalnum((unsigned char)name[length + i]))
            return false;
    return name[length + 6] == '\0' && folder_owner_has_ended(process);
}

/* Remove the folders that killed processes of this user have left. */
static void
sweep(const char *parent, uint32_t system)
{
    DIR *all = system ? opendir(parent) : NULL;
    const struct dirent *one;
    struct stat about;

    while (all && (one = readdir(all)))
        if (is_left(one->d_name, system) && fstatat(dirfd(all), one->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISDIR(about.st_mode) && about.st_uid == geteuid())
            compiler_remove(dirfd(all), one->d_name, 0);
    if (all)
        closedir(all);
}

enum peal_status
folder_make(char folder[PATH_MAX], struct peal_error *error)
{
    const char *parent = getenv("TMPDIR");
    uint32_t system = find_system();

    if (!parent || !*parent)
        parent = "/tmp";
    sweep(parent, system);
    if (snprintf(folder, PATH_MAX, "%s/peal-%08x-%d-XXXXXX", parent, system, (int)getpid()) >= PATH_MAX)
        return peal_refuse(error, PEAL_RESOURCES, "TMPDIR is a path of more than %d characters", PATH_MAX - 40);
    if (mkdtemp(folder))
        return PEAL_OK;
    return peal_refuse(error, PEAL_RESOURCES,
                       "cannot make a directory for the compiler in %s: %s; set TMPDIR to one that can be written",
                       parent, strerror(errno));
}

unsigned char *
folder_bytes(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rbe");
    unsigned char *bytes = NULL;
    struct stat about;

    *size = 0;
    if (in && fstat(fileno(in), &about) == 0 && (bytes = malloc((size_t)about.st_size + 1)) &&
        (*size = fread(bytes, 1, (size_t)about.st_size, in)) != (size_t)about.st_size) {
        free(bytes);
        bytes = NULL;
    }
    int why = errno;

    if (in)
        fclose(in);
    errno = why;
    return bytes;
}

enum peal_status
folder_read(const char *path, unsigned char **bytes, size_t *size, struct peal_error *error)
{
    *bytes = folder_bytes(path, size);
    return *bytes ? PEAL_OK
                  : peal_refuse(error, PEAL_RESOURCES, "what the compiler wrote to %s cannot be read: %s", path,
                                strerror(errno));
}

enum peal_status
folder_write(const char *path, const unsigned char *bytes, size_t size, struct peal_error *error)
{
    FILE *out = fopen(path, "wbe");
    bool whole = out && fwrite(bytes, 1, size, out) == size;

    if (out && fclose(out) != 0)
        whole = false;
    return whole ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "%s cannot be written: %s", path, strerror(errno));
}
