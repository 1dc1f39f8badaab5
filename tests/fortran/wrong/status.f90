! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! options: --strict
! error: NAME.f90:LINE: finding: out-of-bounds: MPI_Recv: node 1 receives 24 bytes into a block of 4 bytes, which it allocated at
! error: : they are the status
! A status that is a single integer, which mpif.h lets pass: what lies behind it is written over.
program status_is_one
  implicit none
  include 'mpif.h'
  integer :: ierr, rank, v
  integer, allocatable :: status(:)

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  allocate (status(1))
  v = rank
  if (rank == 0) call MPI_SEND(v, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
  if (rank == 1) then
    call MPI_RECV(v, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, ierr) ! HERE
  end if
  deallocate (status)
  call MPI_FINALIZE(ierr)
end program
