! SPDX-License-Identifier: MIT
! nodes: 4
! exit: 1
! error: invalid-argument: MPI_Barrier of node *: comm is MPI_COMM_NULL (NAME.f90:LINE)
! error: /= MPI_COMM_NULL
program excluded
  use mpi
  implicit none
  integer :: ierr, rank
  integer :: color, half
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  color = MPI_UNDEFINED
  if (rank < 2) color = 0
  call MPI_Comm_split(MPI_COMM_WORLD, color, rank, half, ierr)
  call MPI_Barrier(half, ierr) ! HERE
  call MPI_Comm_free(half, ierr)
  call MPI_Finalize(ierr)
end program
