! SPDX-License-Identifier: MIT
! nodes: 3
! exit: 1
! options: --strict
! error: NAME.f90:LINE: finding: remote-conflict: MPI_Put of node 1 and MPI_Put of node 2 access the same 4 bytes
program together
  use mpi
  implicit none
  integer :: ierr, rank
  integer, asynchronous :: n
  integer :: window
  integer(MPI_ADDRESS_KIND) :: bytes, target
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  bytes = 4
  call MPI_Win_create(n, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
  target = 0
  call MPI_Win_fence(0, window, ierr)
  if (rank > 0) call MPI_Put(rank, 1, MPI_INTEGER, 0, target, 1, MPI_INTEGER, window, ierr) ! HERE
  call MPI_Win_fence(0, window, ierr)
  call MPI_Win_free(window, ierr)
  call MPI_Finalize(ierr)
end program
