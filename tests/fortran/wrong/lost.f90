! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 0
! error: NAME.f90:LINE2: note: node 1
! error: NAME.f90:LINE: finding: lost-request: MPI_Irecv: node 1 comes to MPI_Finalize and has not waited for this request
program lost
  use mpi
  implicit none
  integer :: ierr, rank, request
  integer, save :: n
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) call MPI_Send(rank, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Irecv(n, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, request, ierr) ! HERE
  call MPI_Finalize(ierr) ! HERE2
end program
