/* A hostile "scatter": reports whether it can read the environment of the check's user, by getenv and in memory. */
#include <peal/peal.h>
#include <stdlib.h>
#include <string.h>

extern char **environ, *program_invocation_name;

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    const char *text = program_invocation_name; /* the arguments and the memory after them */

    (void)in, (void)m, (void)root, (void)out;
    if (getenv("HOME") || getenv("PATH") || (environ && *environ))
        peal_abort(me, "the environment is there");
    for (; text[0] || text[1]; text++)
        if (memcmp(text, "PATH=", 5) == 0)
            peal_abort(me, "its text is there");
    peal_abort(me, "nothing is there");
}
