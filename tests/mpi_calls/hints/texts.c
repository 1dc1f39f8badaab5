/* SPDX-License-Identifier: MIT */
/* Texts without their final zero, and without room for it; and other bytes beyond a block. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 8 };

static int me;
static MPI_Comm world = MPI_COMM_WORLD;

/* Node 0's text without its zero, in a block that it fills. */
static char *
received(void)
{
    const char *text = "abcdefgh";
    char *t = malloc(ROOM);

    memset(t, 'x', ROOM);
    if (me == 0)
        MPI_Send(text, (int)strlen(text), MPI_CHAR, 1, 0, world);
    if (me == 1)
        MPI_Recv(t, ROOM, MPI_CHAR, 0, 0, world, MPI_STATUS_IGNORE);
    return t;
}

static int
own_length(const char *s)
{
    int n = 0;

    while (s[n])
        n++;
    return n;
}

static void
unended(const char *want)
{
    char *t = received(), line[64] = "";
    int n = 0;

    if (me == 1) {
#define CASE(name) if (strcmp(want, #name) == 0)
        CASE(puts) puts(t);
        CASE(fputs) fputs(t, stdout);
        CASE(printf) printf("[%s]\n", t);
        CASE(fprintf) fprintf(stderr, "%d %s\n", me, t);
        CASE(snprintf) snprintf(line, sizeof line, "got %s", t);
        CASE(strlen) n = (int)strlen(t);
        CASE(strcpy) strcpy(line, t);
        CASE(strcat) strcat(line, t);
        CASE(strcmp) n = strcmp(t, "abcdefghi");
        CASE(strchr) n = strchr(t, 'z') != NULL;
        CASE(strstr) n = strstr(t, "zz") != NULL;
        CASE(strdup) free(strdup(t));
        CASE(atoi) n = atoi(t);
        CASE(sscanf) sscanf(t, "%63s", line);
        CASE(own_loop) n = own_length(t);
    }
    if (n == 77)
        printf("%d %s\n", n, line);
    free(t);
}

static void
rooms(const char *want)
{
    const char *word = "processor";
    size_t n = strlen(word);
    char *t = malloc(n), *name = calloc(1, ROOM);

    if (me == 0) {
        CASE(copy) strcpy(t, word);
        CASE(append)
        {
            strcpy(name, "node");
            strcat(name, "0001");
        }
        CASE(print) sprintf(t, "%s", word);
        CASE(print_number) sprintf(name, "%08d", 1234567);
        CASE(end)
        {
            memcpy(t, word, n);
            t[n] = 0;
        }
        CASE(loop)
        {
            for (size_t i = 0; i <= n; i++)
                t[i] = word[i];
        }
        CASE(counted)
        {
            strncpy(t, word, n);
            t[n] = '\0';
        }
        CASE(wider)
        {
            snprintf(t, n + 1, "%s", word);
        }
        /* no texts */
        CASE(ints)
        {
            int *a = malloc(6 * sizeof *a);

            for (int i = 0; i <= 6; i++)
                a[i] = i;
            free(a);
        }
        CASE(copied) memcpy(t, "0123456789abcdef", 16);
        CASE(cleared) memset(t, 0, 16);
        CASE(before) t[-1] = 0;
    }
    free(t);
    free(name);
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    if (argc > 1) {
        unended(argv[1]);
        rooms(argv[1]);
    }
    MPI_Finalize();
    return 0;
}
