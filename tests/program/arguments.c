/* SPDX-License-Identifier: MIT */
/* Write into argv, let the others do so too, and print it; then take a string apart with strtok, a piece a round. */
#include <peal/peal.h>
#include <stdio.h>
#include <string.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    char text[] = "x:y:z";

    if (argc < 2 || argv[argc] != NULL)
        peal_abort(me, "argv has no end");
    argv[1][0] = (char)('0' + peal_rank(me));
    text[0] = argv[1][0];
    peal_next_round(me);
    printf("%d", argc);
    for (int i = 1; i < argc; i++)
        printf(" [%s]", argv[i]);
    for (char *piece = strtok(text, ":"); piece; piece = strtok(NULL, ":")) {
        printf(" %s", piece);
        peal_next_round(me);
    }
    printf("\n");
}
