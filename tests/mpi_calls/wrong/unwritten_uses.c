/* nodes: 2 */
/* compiler: --watch */ /* compiler: -w */
/* exit: 0 */
/* not with a sanitizer */
/* by clang: int member switch printf fprintf text puts sprintf fwrite write */
/* also: --strict -- right => 0 */
/* also: --strict -- short => 0 */
/* also: --strict -- copies => 0 */
/* also: --strict -- bits => 0 */
/* also: --strict -- pattern => 0 */
/* also: -- int => 0 unwritten_uses.c:75: finding: uninitialised-use: node 0 compares 4 bytes that nobody has written, from byte 12 on of a block of 40 bytes, which it allocated at unwritten_uses.c:65 */
/* also: -- member => 0 unwritten_uses.c:76: finding: uninitialised-use: node 0 compares 1 byte that nobody has written, from byte 16 on of a block of 24 bytes, which it allocated at unwritten_uses.c:66, one of 2 alike */
/* also: -- double => 0 unwritten_uses.c:78: finding: uninitialised-use: node 0 compares 8 bytes that nobody has written, from byte 8 on of a block of 24 bytes, which it allocated at unwritten_uses.c:66, one of 2 alike */
/* also: -- switch => 0 unwritten_uses.c:80: finding: uninitialised-use: node 0 compares 4 bytes that nobody has written, from byte 4 on of a block of 40 bytes */
/* also: -- loop => 0 unwritten_uses.c:89: finding: uninitialised-use: node 0 compares 1 byte that nobody has written, from byte 0 on of a block of 40 bytes */
/* also: -- local => 0 unwritten_uses.c:51: finding: uninitialised-use: node 0 compares 4 bytes that nobody has written */
/* also: -- array => 0 unwritten_uses.c:91: finding: uninitialised-use: node 0 compares 4 bytes that nobody has written, from byte 8 on of empty, a variable of 16 bytes */
/* also: -- printf => 0 unwritten_uses.c:93: finding: uninitialised-use: node 0 prints 8 bytes that nobody has written, from byte 8 on of a block of 24 bytes */
/* also: -- fprintf => 0 unwritten_uses.c:95: finding: uninitialised-use: node 0 prints 4 bytes that nobody has written, from byte 16 on of a block of 40 bytes */
/* also: -- text => 0 unwritten_uses.c:97: finding: uninitialised-use: node 0 prints 1 byte that nobody has written, from byte 0 on of a block of 40 bytes */
/* also: -- puts => 0 unwritten_uses.c:99: finding: uninitialised-use: node 0 prints 1 byte that nobody has written, from byte 0 on of a block of 40 bytes */
/* also: -- sprintf => 0 unwritten_uses.c:101: finding: uninitialised-use: node 0 prints 4 bytes that nobody has written, from byte 20 on of a block of 40 bytes */
/* also: -- fwrite => 0 unwritten_uses.c:103: finding: uninitialised-use: node 0 writes out 36 bytes that nobody has written, from byte 4 on of a block of 40 bytes */
/* also: -- write => 0 unwritten_uses.c:105: finding: uninitialised-use: node 0 writes out 32 bytes that nobody has written, from byte 0 on of a block of 40 bytes */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mixed {
    int a, b;
    double value;
    char letter;
    unsigned low : 3, high : 5;
};

static struct mixed other;
static char line[100];

/* A branch that the variable decides, unless n has it set, to one of two values: gcc 14 takes one to be what it is. */
static int
pick(int n)
{
    int x;

    if (n > 5)
        x = 3;
    else if (n == 4)
        x = n + 5;
    return n > 5 && x > 2 ? 1 : n == 2 && x > 1 ? 2 : 0;
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "right";
    int rank, empty[4], count = 0;
    int *volatile all = empty;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0)
        return MPI_Finalize();
    int *a = malloc(40);
    struct mixed *m = malloc(sizeof *m), *n = malloc(sizeof *n);
    char *text = malloc(40);

    a[0] = 1;
    n->a = m->a = 1;
    text[39] = '\0';
    if (strcmp(what, "right") == 0)
        count += a[0] > 0, printf("%d %d %s\n", count, m->a, text + 39);
    if (strcmp(what, "int") == 0)
        count += a[3] > count;
    if (strcmp(what, "member") == 0 && m->letter == 'x')
        count++;
    if (strcmp(what, "double") == 0 && m->value > 0.5)
        count++;
    switch (strcmp(what, "switch") == 0 ? a[1] : 0) {
    case 1:
    case 7:
        count = 1;
    default:
        break;
    }
    char *at = text;
    if (strcmp(what, "loop") == 0)
        while (*at)
            at++;
    count += strcmp(what, "array") == 0 && all[2] == 5;
    if (strcmp(what, "printf") == 0)
        printf("%*d %-5s %.*s %f\n", 3, 1, "x", 2, "yyy", m->value);
    if (strcmp(what, "fprintf") == 0)
        fprintf(stderr, "%5.2f %hd %c %d%%\n", 1.0, (short)1, 'x', a[4]);
    if (strcmp(what, "text") == 0)
        printf("%s\n", text);
    if (strcmp(what, "puts") == 0)
        puts(text);
    if (strcmp(what, "sprintf") == 0)
        sprintf(line, "%x", a[5]);
    if (strcmp(what, "fwrite") == 0)
        fwrite(a, sizeof *a, 10, stderr);
    if (strcmp(what, "write") == 0)
        count += write(2, m == NULL ? (void *)a : text, 40) == 40;
    count += pick(strcmp(what, "local") == 0 ? 2 : 3);
    if (strcmp(what, "short") == 0) /* what is not evaluated, or holds no value yet, decides nothing */
        count += (rank > 0 && a[6] > 3) + pick(7);
    if (strcmp(what, "copies") == 0) { /* gaps, and members that nobody has set, may be copied */
        other = *m;
        *n = *m;
        n->b = m->b;
        n->letter = m->letter;
        memcpy(&other, n, sizeof other);
        a = realloc(a, 80);
        count += other.a == 1 && n->a == 1 && a[0] == 1;
        fwrite(a, sizeof *a, 1, stdout);
        write(1, m, 4);
    }
    if (strcmp(what, "bits") == 0) {
        m->low = 5;
        m->high = 6;
        count += m->low == 5 && m->high > 5;
    }
    if (strcmp(what, "pattern") == 0) { /* the program's own */
        memset(a, 0xFE, 40);
        memset(text, 0xFE, 39);
        count += a[3] == -16843010 && a[4] < 0 && text[3] == (char)0xFE;
        printf("%d %d\n", a[7], text[4]);
    }
    free(text), free(m), free(n), free(a);
    MPI_Finalize();
    return count < 0;
}
