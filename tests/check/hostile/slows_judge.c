/* A hostile "scatter": puts its judge on one core, and last in the queue. */
#include <peal/peal.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    (void)me, (void)in, (void)m, (void)root, (void)out;
    cpu_set_t one;
    struct sched_param none = {.sched_priority = 0};

    CPU_ZERO(&one);
    CPU_SET(0, &one);
    if (sched_setaffinity(getppid(), sizeof one, &one) == 0)
        abort();
    setpriority(PRIO_PROCESS, (id_t)getppid(), 19);
    sched_setscheduler(getppid(), SCHED_IDLE, &none);
}
