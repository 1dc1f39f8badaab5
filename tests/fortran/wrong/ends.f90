! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 2
! error: Fortran runtime error: End of file
! error: crash: node 1 aborted: exit with code 2 before MPI_Finalize: End of file (NAME.f90:LINE)
! never: Backtrace
program ends
  use mpi
  implicit none
  integer :: ierr, rank, x
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 1) then
    open (10, status='scratch')
    read (10, *) x ! HERE
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
