! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 0
! compiler: --watch
! error: NAME.f90:LINE2: finding: early-read: node 1 reads memory that MPI_Irecv receives into
! error: got a copy of a section of an array
program section
  implicit none
  integer :: ierr, rank
  include 'mpif.h'
  real :: a(4, 4)
  integer :: request
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  a = rank
  if (rank == 0) call MPI_Isend(a(1, :), 4, MPI_REAL, 1, 0, MPI_COMM_WORLD, request, ierr)
  if (rank == 1) call MPI_Irecv(a(1, :), 4, MPI_REAL, 0, 0, MPI_COMM_WORLD, request, ierr) ! HERE2
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_Finalize(ierr)
end program
