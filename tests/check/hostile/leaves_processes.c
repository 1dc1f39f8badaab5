/* A hostile "scatter": right, but for processes that stay. */
#include <peal/peal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    int r = peal_rank(me);

    if (fork() == 0) {
        prctl(PR_SET_NAME, "peal-left");
        for (;;)
            sleep(1000);
    }
    if (r != root)
        peal_recv(me, out, m, root);
    for (int i = 0; r == root && i < peal_size(me); i++)
        if (i != root)
            peal_send(me, peal_block(in, m, i), m, i);
    if (r == root)
        memcpy(out, peal_block(in, m, root), m * peal_word_bytes(me));
}
