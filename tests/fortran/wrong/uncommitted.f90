! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: invalid-argument: MPI_Send of node 0: the datatype is not committed (NAME.f90:LINE)
program uncommitted
  use mpi
  implicit none
  integer :: ierr, rank
  real :: a(4, 4)
  integer :: row
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  a = rank
  call MPI_Type_vector(4, 1, 4, MPI_REAL, row, ierr)
  if (rank == 0) call MPI_Send(a, 1, row, 1, 0, MPI_COMM_WORLD, ierr) ! HERE
  if (rank == 1) call MPI_Recv(a, 1, row, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call MPI_Type_free(row, ierr)
  call MPI_Finalize(ierr)
end program
