! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! options: --strict
! error: NAME.f90:LINE: finding: invalid-argument: MPI_Allreduce of node *: sendbuf and recvbuf overlap
program alias
  use mpi
  implicit none
  integer :: ierr, rank
  real :: x(4)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  x = rank
  call MPI_Allreduce(x, x, 4, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr) ! HERE
  call MPI_Finalize(ierr)
end program
