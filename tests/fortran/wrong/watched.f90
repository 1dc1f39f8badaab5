! SPDX-License-Identifier: MIT
! nodes: 2
! exit: 1
! compiler: --watch
! error: NAME.f90:LINE: finding: buffer-reuse: node 0 writes to memory that MPI_Isend sends from, which is not complete
! error: out-of-bounds: node 1 writes byte 40 of the 40 bytes that it allocated at NAME.f90:LINE2 (NAME.f90:LINE3)
program watched
  use mpi
  implicit none
  integer :: ierr, rank, i, request
  integer, allocatable :: a(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  allocate (a(10)) ! HERE2
  do i = 1, 10
    a(i) = i
  end do
  if (rank == 0) then
    call MPI_Isend(a, 10, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, ierr)
    a(3) = 7 ! HERE
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  else
    call MPI_Recv(a, 10, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    do i = 1, 10 + rank
      a(i) = 2 * a(i) ! HERE3
    end do
  end if
  call MPI_Finalize(ierr)
end program
