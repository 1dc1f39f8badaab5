! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: invalid-argument: MPI_Send of node 0: count is -1: expected 0 or more (NAME.f90:LINE)
program countless
  use mpi
  implicit none
  integer :: ierr, rank
  real, save :: x(4) = 0
  integer :: n
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  n = -1
  if (rank == 0) call MPI_Send(x, n, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr) ! HERE
  if (rank == 1) call MPI_Recv(x, 4, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Finalize(ierr)
end program
