! SPDX-License-Identifier: MIT
! nodes: 1
! exit: 1
! error: unsupported: MPI_File_open of node 0: Peal has no such function (peal-mpi(7) lists those it has) (NAME.f90:LINE)
program files
  use mpi
  implicit none
  integer :: ierr, file
  call MPI_Init(ierr)
  call MPI_File_open(MPI_COMM_WORLD, 'out', MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file, ierr) ! HERE
  call MPI_Finalize(ierr)
end program
