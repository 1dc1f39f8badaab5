/* SPDX-License-Identifier: MIT */
/* peal explain KIND. */
#include "kinds.h"
#include "lib/base/nearest.h"
#include "show/print.h"
#include <stdlib.h>

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
    struct nearest near = {.word = what};

    if (status == PEAL_OK || strchr(what, '/'))
        return status;
    for (const struct kind *kind = kinds; kind->name; kind++)
        peal_nearest_offer(&near, kind->name);
    for (int i = 0; i < PEAL_COLLECTIVES; i++)
        if (peal_nearest_offer(&near, peal_collective_name((enum peal_collective)i)))
            return status;
    if (near.name)
        return peal_refuse(error, PEAL_USAGE, "unknown kind of finding '%s'%s", what, peal_nearest_words(&near, ""));
    return peal_refuse(
        error, PEAL_USAGE,
        "'%s' is neither a collective (peal list shows them), nor a kind of finding (peal explain kinds shows "
        "them), nor a file FILE.c",
        what);
}
