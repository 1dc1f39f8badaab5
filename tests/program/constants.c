/* SPDX-License-Identifier: MIT */
/* Node 1 writes to the constant that argv[1] names.  The tests know the lines. */
#include <peal/peal.h>
#include <stdio.h>
#include <string.h>

#ifdef WITH_GLOBALS
static int counter; /* each node then has a copy of its own */
#endif
static const long table[4] = {1, 2, 3, 4};
static const char *const names[4] = {"one", "two", "three", "four"};
extern char _end[]; /* the linker's: after the last variable */

static char *
found(const void *constant)
{
    return (char *)(uintptr_t)constant;
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    double word = 0;
    char *volatile to;

#ifdef WITH_GLOBALS
    counter++;
#endif
    if (peal_rank(me) == 0)
        peal_send_async(me, &word, 1, 1);
    if (peal_rank(me) == 1 && strcmp(what, "literal") == 0) {
        to = found("literal");
        to[1] = 'x'; /* line 34 */
    }
    if (peal_rank(me) == 1 && strcmp(what, "table") == 0) {
        to = found(table);
        to[8] = 'x'; /* line 38 */
    }
    if (peal_rank(me) == 1 && strcmp(what, "names") == 0) {
        to = found(names);
        to[8] = 'x'; /* line 42 */
    }
    if (peal_rank(me) == 1 && strcmp(what, "code") == 0) {
        memcpy((void *)&to, &(void (*)(struct peal_node *, int, char **)){peal_main}, sizeof to);
        *to = 'x'; /* line 46 */
    }
    if (peal_rank(me) == 1 && strcmp(what, "library") == 0) {
        to = found(table);
        strncpy(to, what, 8); /* line 50 */
    }
    if (peal_rank(me) == 1 && strcmp(what, "end") == 0) {
        to = _end;
        to[16] = 'x'; /* line 54 */
    }
    if (peal_rank(me) == 1)
        peal_recv(me, strcmp(what, "receive") == 0 ? (void *)found(table) : (void *)&word, 1, 0); /* line 57 */
    peal_wait_all(me);
    peal_barrier(me);
    if (table[1] != 2 || strcmp(names[1], "two") != 0)
        peal_abort(me, "somebody wrote here");
}
