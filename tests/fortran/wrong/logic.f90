! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: invalid-argument: MPI_Allreduce of node *: MPI_SUM is not defined for MPI_LOGICAL (NAME.f90:LINE)
program logic
  use mpi
  implicit none
  integer :: ierr, rank
  logical :: mine, all
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  mine = rank == 0
  call MPI_Allreduce(mine, all, 1, MPI_LOGICAL, MPI_SUM, MPI_COMM_WORLD, ierr) ! HERE
  call MPI_Finalize(ierr)
end program
