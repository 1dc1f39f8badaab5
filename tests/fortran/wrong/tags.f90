! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: deadlock: nothing can move
! error: MPI_Ssend to send 4 bytes with tag 3 to node 1 (NAME.f90:LINE)
! error: give the send of node 0 and the receive of node 1 the same tag
program tags
  use mpi
  implicit none
  integer :: ierr, rank
  integer :: n
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) call MPI_Ssend(rank, 1, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, ierr) ! HERE
  if (rank == 1) call MPI_Recv(n, 1, MPI_INTEGER, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Finalize(ierr)
end program
