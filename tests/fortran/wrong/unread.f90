! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: unmatched-message: node 0 sent 4 bytes with tag 0 to node 1, which never received the message (NAME.f90:LINE)
program unread
  use mpi
  implicit none
  integer :: ierr, rank
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) call MPI_Send(rank, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr) ! HERE
  call MPI_Finalize(ierr)
end program
