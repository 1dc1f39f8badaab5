! SPDX-License-Identifier: MIT
! nodes: 3
! exit: 1
! error: (NAME.f90:LINE)
! error: recvcount is for the block of one node, not the total: expected 1, got
program total
  use mpi
  implicit none
  integer :: ierr, rank
  integer :: all(9)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Gather(rank, 1, MPI_INTEGER, all, 3, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr) ! HERE
  call MPI_Finalize(ierr)
end program
