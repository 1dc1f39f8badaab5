/* A hostile "scatter": wrong only if it could write a file, make a folder, remove or rename something. */
#include <fcntl.h>
#include <peal/peal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    if (open("/tmp/peal-hostile", O_WRONLY | O_CREAT, 0600) >= 0 || mkdir("/tmp/peal-hostile-folder", 0700) == 0 ||
        rename(PROGRAM, "/tmp/peal-hostile") == 0 || unlink(PROGRAM) == 0 || chmod(PROGRAM, 0) == 0)
        peal_abort(me, "it could write");
    peal_scatter(me, in, m, root, out);
}
