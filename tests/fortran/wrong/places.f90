! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: invalid-argument: MPI_Reduce of node *: MPI_MAXLOC is not defined for MPI_INTEGER (NAME.f90:LINE)
! error: MPI_2INTEGER
program places
  use mpi_f08
  implicit none
  integer :: rank, all(2)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Reduce([rank, rank], all, 2, MPI_INTEGER, MPI_MAXLOC, 0, MPI_COMM_WORLD) ! HERE
  call MPI_Finalize()
end program
