! SPDX-License-Identifier: MIT
! nodes: 1
! exit: 1
! error: bad-request: MPI_Comm_rank of node 0: called before MPI_Init (NAME.f90:LINE)
program early
  use mpi
  implicit none
  integer :: ierr, rank
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr) ! HERE
  call MPI_Init(ierr)
  call MPI_Finalize(ierr)
end program
