! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 2
! error: Fortran runtime error: Cannot open file 'no such file'
! error: crash: node 1 aborted: exit with code 2 before MPI_Finalize: Cannot open file 'no such file': No such file or directory (NAME.f90:LINE)
program opens
  use mpi
  implicit none
  integer :: ierr, rank
  integer :: n
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 1) then
    open (10, file='no such file', status='old', action='read') ! HERE
    read (10, *) n
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
