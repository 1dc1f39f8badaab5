/* A hostile "scatter": wrong only if it could start more threads than a program may, and than others may have ended. */
#include <peal/peal.h>
#include <pthread.h>
#include <unistd.h>

enum { MANY = 4096 + 300 };

static void *
stay(void *arg)
{
    sleep(1000);
    return arg;
}

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    pthread_attr_t attributes;
    pthread_t thread;
    int count = 0;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 16);
    while (count < MANY && pthread_create(&thread, &attributes, stay, NULL) == 0)
        count++;
    if (count == MANY)
        peal_abort(me, "it could start them all");
    peal_scatter(me, in, m, root, out);
}
