/* SPDX-License-Identifier: MIT */
/* peal explain KIND. */
#include "kinds.h"
#include "show/print.h"
#include <stdlib.h>
#include <string.h>

static const struct kind *
kinds_find(const char *name)
{
    for (const struct kind *kind = kinds; kind->name; kind++)
        if (strcmp(kind->name, name) == 0)
            return kind;
    return NULL;
}

static void
show_text(const char *text)
{
    for (; *text; text += strcspn(text, "\n") + 1) {
        bool heading = *text == '\1';

        if (heading)
            print_ink(stdout, BOLD);
        printf("%.*s", (int)(strcspn(text, "\n") - heading), text + heading);
        if (heading)
            print_ink(stdout, PLAIN);
        putchar('\n');
    }
}

static void
list_kinds(void)
{
    int width = 0;

    puts("Kinds of findings and of failures of runs: peal explain KIND explains one.\n");
    for (const struct kind *kind = kinds; kind->name; kind++)
        width = print_width(kind->name) > width ? print_width(kind->name) : width;
    for (const struct kind *kind = kinds; kind->name; kind++)
        print_wrapped(stdout, kind->title, printf("  %-*s  ", width, kind->name));
}

bool
kinds_have(const char *what)
{
    return kinds_find(what) || strcmp(what, "kinds") == 0;
}

void
kinds_show(const char *what)
{
    if (kinds_find(what))
        show_text(kinds_find(what)->text);
    else
        list_kinds();
}

enum peal_status
kinds_refuse(const char *what, struct peal_error *error)
{
    struct session session = {.program = NULL};
    enum peal_status status = target_find(&session, what, error);
    size_t count = 0;

    if (status == PEAL_OK || strchr(what, '/'))
        return status;
    for (const struct kind *kind = kinds; kind->name; kind++)
        count++;
    const char **names = calloc(count + PEAL_COLLECTIVES + 1, sizeof *names);

    if (!names)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (size_t i = 0; i < count; i++)
        names[i] = kinds[i].name;
    for (int i = 0; i < PEAL_COLLECTIVES; i++)
        names[count + (size_t)i] = peal_collective_name((enum peal_collective)i);
    const char *near = peal_suggest(what, names);

    free(names);
    if (near && kinds_find(near))
        return peal_refuse(error, PEAL_USAGE, "unknown kind of finding '%s'; did you mean %s?", what, near);
    if (near)
        return status;
    return peal_refuse(
        error, PEAL_USAGE,
        "'%s' is neither a collective (peal list shows them), nor a kind of finding (peal explain kinds shows "
        "them), nor a file FILE.c",
        what);
}
