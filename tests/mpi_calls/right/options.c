/* nodes: 2 */
/* arguments: -x */
/* arguments: 10 */
/* arguments: -y */
/* arguments: 20 */
/* arguments: word */
/* arguments: -z */
/* SPDX-License-Identifier: MIT */
/* getopt in order ("+"): arguments stay where they are, and the first that is not an option ends the options. */
#include "check.h"
#include <unistd.h>

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    CHECK(argc == 7);
    CHECK(getopt(argc, argv, "+x:y:z") == 'x' && atoi(optarg) == 10);
    CHECK(getopt(argc, argv, "+x:y:z") == 'y' && atoi(optarg) == 20);
    CHECK(getopt(argc, argv, "+x:y:z") == -1 && optind == 5);
    CHECK(strcmp(argv[5], "word") == 0 && strcmp(argv[1], "-x") == 0 && strcmp(argv[6], "-z") == 0);
    MPI_Finalize();
    return 0;
}
