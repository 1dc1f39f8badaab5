! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: bad-request: MPI_Waitall of node 1: request 2 has a value that no call gave (NAME.f90:LINE)
program stale
  use mpi
  implicit none
  integer :: ierr, rank, n, requests(2)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  requests = 7
  if (rank == 0) then
    call MPI_Send(rank, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
  else
    call MPI_Irecv(n, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr) ! HERE
  end if
  call MPI_Finalize(ierr)
end program
