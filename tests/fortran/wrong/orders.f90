! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! error: collective-mismatch: collectives of 2 communicators wait for one another
! error: NAME.f90:LINE)
! error: NAME.f90:LINE2)
program orders
  use mpi
  implicit none
  integer :: ierr, rank
  integer :: dup
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
  if (rank == 0) then
    call MPI_Barrier(MPI_COMM_WORLD, ierr) ! HERE
    call MPI_Barrier(dup, ierr)
  else
    call MPI_Barrier(dup, ierr) ! HERE2
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end if
  call MPI_Comm_free(dup, ierr)
  call MPI_Finalize(ierr)
end program
