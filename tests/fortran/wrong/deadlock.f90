! SPDX-License-Identifier: MIT
! nodes: 3
! exit: 1
! error: deadlock: nothing can move: node 0 waits in MPI_Recv to receive 32 bytes from node 2 (NAME.f90:LINE)
! output: before
program deadlock
  use mpi
  implicit none
  integer :: ierr, rank, nodes, left
  real(8) :: x(4)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nodes, ierr)
  left = mod(rank + nodes - 1, nodes)
  x = rank
  print *, 'before'
  call MPI_Recv(x, 4, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! HERE
  call MPI_Send(x, 4, MPI_DOUBLE_PRECISION, mod(rank + 1, nodes), 0, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
