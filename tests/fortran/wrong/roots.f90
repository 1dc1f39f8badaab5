! SPDX-License-Identifier: MIT
! nodes: 3
! exit: 1
! error: node 1 calls MPI_Bcast of 4 bytes with root 1 (NAME.f90:LINE): the roots differ
program roots
  use mpi
  implicit none
  integer :: ierr, rank
  integer :: n
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  n = rank
  call MPI_Bcast(n, 1, MPI_INTEGER, rank, MPI_COMM_WORLD, ierr) ! HERE
  call MPI_Finalize(ierr)
end program
