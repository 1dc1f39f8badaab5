! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 2
! compiler: -fcheck=bounds
! error: Fortran runtime error: Index '4' of dimension 1 of array 'a' above upper bound of 3
! error: crash: node 1 aborted: exit with code 2 before MPI_Finalize: Index '4' of dimension 1 of array 'a' above upper bound of 3 (NAME.f90:LINE)
program bounds
  use mpi
  implicit none
  integer :: ierr, rank, a(3)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  a = 0
  call write_to(a, rank + 3)
  call MPI_Finalize(ierr)
contains
  subroutine write_to(a, at)
    integer :: a(:), at
    a(at) = 1 ! HERE
  end subroutine
end program
