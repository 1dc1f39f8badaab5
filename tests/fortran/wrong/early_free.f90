! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 0
! compiler: --watch
! error: NAME.f90:LINE2: finding: buffer-reuse: node 0 writes to memory that MPI_Irecv receives into, which is not complete
! error: NAME.f90:LINE: note
program early_free
  use mpi
  implicit none
  integer :: ierr, rank
  real, allocatable :: x(:)
  integer :: request
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  allocate (x(1000))
  x = rank
  if (rank == 0) then
    call MPI_Irecv(x, 1000, MPI_REAL, 1, 0, MPI_COMM_WORLD, request, ierr) ! HERE
    deallocate (x) ! HERE2
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  else
    call MPI_Send(x, 1000, MPI_REAL, 0, 0, MPI_COMM_WORLD, ierr)
    deallocate (x)
  end if
  call MPI_Finalize(ierr)
end program
