! SPDX-License-Identifier: MIT
! nodes: 3
! exit: 1
! options: --explore
! error: NAME.f90:LINE: finding: order-dependent: MPI_Recv of node 0
! error: exit with code 7
! error: status's MPI_SOURCE
program arrival
  use mpi
  implicit none
  integer :: ierr, rank
  integer :: first, second
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank > 0) call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) then
    call MPI_Recv(first, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! HERE
    call MPI_Recv(second, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (first > second) stop 7
  end if
  call MPI_Finalize(ierr)
end program
