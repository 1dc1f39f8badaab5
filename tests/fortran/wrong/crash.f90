! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: crash: node 1 crashed: segmentation fault
! error: NAME.f90:LINE
! never: Backtrace
program crash
  use mpi
  implicit none
  integer :: ierr, rank
  integer, pointer :: p
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  nullify (p)
  if (rank == 0) allocate (p)
  p = 1 ! HERE
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
