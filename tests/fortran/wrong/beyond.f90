! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! options: --strict
! error: NAME.f90:LINE: finding: out-of-bounds: MPI_Recv: node 1 receives 20 bytes into a block of 16 bytes, which it allocated at NAME.f90:LINE2
program beyond
  use mpi
  implicit none
  integer :: ierr, rank
  real, allocatable :: x(:)
  real, save :: many(5) = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  allocate (x(4)) ! HERE2
  x = rank
  if (rank == 0) call MPI_Send(many, 5, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Recv(x, 5, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr) ! HERE
  call MPI_Finalize(ierr)
end program
