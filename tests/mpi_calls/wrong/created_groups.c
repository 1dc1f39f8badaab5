/* nodes: 4 */
/* exit: 0 */
/* error: NAME.c:LINE: finding: collective-mismatch: MPI_Comm_create: node 0 has a group of 3, and those that call with the */
/* error: NAME.c:LINE2: finding: collective-mismatch: MPI_Comm_create: node */
/* error: rule   MPI 3.1, 6.4.2: all nodes of a group call MPI_Comm_create with the same */
/* also: --strict => 1 */
/* Groups that have other members, or another order, on some of their nodes. */
#include <mpi.h>

int
main(int argc, char **argv)
{
    int rank, two[] = {0, 1}, three[] = {0, 1, 2}, turned[] = {0, 2, 1};
    MPI_Group all, group;
    MPI_Comm made;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, rank == 1 ? 2 : 3, rank == 1 ? two : three, &group);
    MPI_Comm_create(MPI_COMM_WORLD, rank == 2 ? MPI_GROUP_EMPTY : group, &made); /* HERE */
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    MPI_Group_free(&group);
    MPI_Group_incl(all, 3, rank == 1 ? turned : three, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &made); /* HERE2 */
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
