! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 0
! error: NAME.f90:LINE: finding: type-mismatch: MPI_Recv: node 1 receives 32 bytes as MPI_DOUBLE_PRECISION, and node 0 sent them as MPI_REAL
program kinds
  use mpi
  implicit none
  integer :: ierr, rank
  real(8) :: x(4)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  x = rank
  if (rank == 0) call MPI_Send(x, 8, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Recv(x, 4, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! HERE
  call MPI_Finalize(ierr)
end program
