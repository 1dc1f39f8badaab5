! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 0
! compiler: --watch
! error: NAME.f90:LINE: finding: early-read: node 0 reads memory that MPI_Irecv receives into, which is not complete
program too_soon
  use mpi
  implicit none
  integer :: ierr, rank
  real :: x(4)
  integer :: request, n = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  x = 0
  if (rank == 0) then
    call MPI_Irecv(x, 4, MPI_REAL, 1, 0, MPI_COMM_WORLD, request, ierr)
    call MPI_Send(n, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
    if (x(2) > 0) print *, 'here' ! HERE
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  else
    call MPI_Recv(n, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    x = rank
    call MPI_Send(x, 4, MPI_REAL, 0, 0, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Finalize(ierr)
end program
