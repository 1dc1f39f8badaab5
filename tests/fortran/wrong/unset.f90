! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 0
! compiler: --watch
! options: --strict
! error: NAME.f90:LINE: note: uninitialised-send: MPI_Send: node 0 sends 16 bytes
program unset
  use mpi
  implicit none
  integer :: ierr, rank
  real, allocatable :: x(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  allocate (x(4))
  if (rank == 0) then
    x(1:3) = 1
    call MPI_Send(x, 4, MPI_REAL, 1, 0, MPI_COMM_WORLD, ierr) ! HERE
  else
    call MPI_Recv(x, 4, MPI_REAL, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if
  deallocate (x)
  call MPI_Finalize(ierr)
end program
