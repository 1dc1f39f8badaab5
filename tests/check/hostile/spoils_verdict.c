/* SPDX-License-Identifier: MIT */
/* A hostile "scatter": finds what the judge reads of this process by the places of private members (hostile_test.c),
 * spoils it, and ends the process. */
#include <peal/peal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AT(pointer, place) ((char *)(pointer) + (place))
#define POINTER_AT(pointer, place) (*(char **)AT(pointer, place))

/* Send a message of these bytes as the process itself would. */
__attribute__((no_sanitize("thread"))) static void
forge(const char *child, unsigned char byte, int what)
{
    static char message[MESSAGE_BYTES];
    const int to = *(const int *)AT(child, REPORT_TO);

    memset(message, byte, sizeof message);
    memcpy(message, &what, sizeof what);
    (void)!write(to, AT(child, TOKEN), TOKEN_BYTES);
    (void)!write(to, message, sizeof message);
}

__attribute__((no_sanitize("thread"))) void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    char *machine = POINTER_AT(POINTER_AT(me, NODE_OF), MACHINE_OF);
    char *prover = POINTER_AT(machine, CHOOSER_OF) - EXPLORER;
    char *progress = POINTER_AT(prover, PROGRESS_OF);

    (void)in, (void)m, (void)root, (void)out;
    for (int what = 0; WAY == 0 && what < MESSAGES; what++)
        for (int byte = 0x78; byte < 0x100; byte += 0x87)
            forge(POINTER_AT(prover, CHILD_OF), (unsigned char)byte, what);
    memset(AT(progress, WAY == 1 ? NODES : INDEX), 0x7F, WAY == 0 ? 0 : sizeof(int));
    syscall(SYS_exit_group, 0);
}
