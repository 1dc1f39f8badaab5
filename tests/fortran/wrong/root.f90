! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: bad-rank: MPI_Bcast of node *: root 2 is out of range: ranks are 0 to 1 (NAME.f90:LINE)
program root
  use mpi
  implicit none
  integer :: ierr, n
  call MPI_Init(ierr)
  n = 1
  call MPI_Bcast(n, 1, MPI_INTEGER, 2, MPI_COMM_WORLD, ierr) ! HERE
  call MPI_Finalize(ierr)
end program
