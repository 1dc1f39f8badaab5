/* SPDX-License-Identifier: MIT */
/* What pealrun loads in the place of a program that is a process: each node serves its own. */
extern int peal_mpi_process(int argc, char **argv);

int
main(int argc, char **argv)
{
    return peal_mpi_process(argc, argv);
}
