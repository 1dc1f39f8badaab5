! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 0
! error: NAME.f90:LINE: finding: type-mismatch: MPI_Recv: node 1 receives 4 bytes as MPI_REAL, and node 0 sent them as MPI_INTEGER
! error: NAME.f90:LINE2
program types
  use mpi
  implicit none
  integer :: ierr, rank, n
  real :: x
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  n = 7
  if (rank == 0) then
    call MPI_Send(n, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr) ! HERE2
  else
    call MPI_Recv(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! HERE
  end if
  call MPI_Finalize(ierr)
end program
