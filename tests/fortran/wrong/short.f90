! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: truncation: node 1 receives at most 24 bytes, and node 0 sent 32
! error: (NAME.f90:LINE)
program short
  use mpi
  implicit none
  integer :: ierr, rank
  real(8) :: x(4)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  x = rank
  if (rank == 0) call MPI_Send(x, 4, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Recv(x, 3, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! HERE
  call MPI_Finalize(ierr)
end program
