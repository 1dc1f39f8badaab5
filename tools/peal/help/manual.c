/* SPDX-License-Identifier: MIT */
/* Finds the page of a name in the build or among installed pages, and lets man show it. */
#include "help/manual.h"
#include "lib/base/process.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The folder of this command, without its name; "." when the system does not say. */
static void
own_folder(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);

    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');

    if (slash)
        *slash = '\0';
    else
        strcpy(folder, ".");
}

/* Whether a path of this length fitted snprintf's buffer and is that of a readable file. */
static bool
manual_is_file(const char *path, int length)
{
    return length < PATH_MAX && access(path, R_OK) == 0;
}

/* Find the file of a page: beside a command in its build folder, or in the share folder of an installed one. */
static bool
manual_find_file(const char *page, char path[PATH_MAX])
{
    char own[PATH_MAX], section = page[strlen(page) - 1];

    own_folder(own);
    if (manual_is_file(path, snprintf(path, PATH_MAX, "%s/man/%s", own, page)))
        return true;
    for (int i = 0; i < 2; i++) { /* as it is, compressed */
        const char *ending = i == 0 ? "" : ".gz";

        if (manual_is_file(path, snprintf(path, PATH_MAX, "%s/../share/man/man%c/%s%s", own, section, page, ending)) ||
            manual_is_file(path, snprintf(path, PATH_MAX, "%s/man%c/%s%s", PEAL_MAN_FOLDER, section, page, ending)))
            return true;
    }
    return false;
}

/* Follow a page that only names another one, ".so man3/peal_send.3": man does so among installed pages only. */
static void
manual_follow_link(char path[PATH_MAX])
{
    char line[200] = "", other[200];
    FILE *file = fopen(path, "r");
    bool links = file && fgets(line, sizeof line, file) && sscanf(line, ".so man%*1[0-9]/%199s", other) == 1;

    if (file)
        fclose(file);
    if (links)
        manual_find_file(other, path);
}

/* Find the page that a name means: "run" is peal-run(1), "topology" peal-topology(5), "peal_send" itself. */
static bool
find_page(const char *name, char path[PATH_MAX])
{
    static const struct {
        const char *before;
        int section;
    } forms[] = {{"peal-", 1}, {"peal-", 5}, {"peal-", 7}, {"", 1}, {"", 3}, {"", 5}, {"", 7}};
    char page[200];

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        int length = snprintf(page, sizeof page, "%s%s.%d", forms[i].before, name, forms[i].section);

        if (length < (int)sizeof page && manual_find_file(page, path))
            return true;
    }
    return false;
}

/* Write what man says; output_flush finds what could not be written. */
static void
manual_copy_output(int from)
{
    char text[4096];
    ssize_t count;

    while ((count = read(from, text, sizeof text)) > 0 || (count < 0 && errno == EINTR))
        if (count > 0)
            fwrite(text, 1, (size_t)count, stdout);
    close(from);
}

enum peal_status
manual_show(const char *name, struct peal_error *error)
{
    char path[PATH_MAX], man[] = "man", local[] = "-l";
    char *words[] = {man, local, path, NULL};
    int from;
    pid_t child;

    if (name[0] == '\0' || strchr(name, '/') || !find_page(name, path))
        return peal_refuse(error, PEAL_USAGE,
                           "no man page for '%s': expected a command, a topic as topology or libpeal, or a call as "
                           "peal_send",
                           name);
    manual_follow_link(path);
    fflush(stdout);
    /* man does not report when it cannot write: its output comes through here, unless it has a terminal */
    int out = isatty(STDOUT_FILENO) ? PEAL_SPAWN_SAME : PEAL_SPAWN_PIPE;
    int trouble = peal_spawn(words, (int[]){PEAL_SPAWN_SAME, out, PEAL_SPAWN_SAME}, &child, &from);

    if (trouble == ENOENT || trouble == EACCES) /* a folder of that name may be on PATH, as in a build */
        return peal_refuse(error, PEAL_RESOURCES, "man is not installed (package man-db); the page is %s", path);
    if (trouble != 0)
        return peal_refuse(error, PEAL_RESOURCES, "man cannot be started: %s", strerror(trouble));
    if (from >= 0)
        manual_copy_output(from);
    int status = peal_spawn_wait(child, 0);

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) /* its reader stopped reading */
        return PEAL_OK;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? PEAL_OK
               : peal_refuse(error, PEAL_RESOURCES, "man could not show %s", path);
}
