! SPDX-License-Identifier: MIT
! nodes: 3
! Numbers of 16 bytes, and complex ones of 32, are sent, added and multiplied with all their digits.
program wide
  use mpi
  implicit none
  integer, parameter :: quad = selected_real_kind(33), long = selected_int_kind(38)
  integer :: ierr, rank, bytes, type
  integer(long) :: whole, wholes
  real(quad) :: x, most, parts(3)
  complex(quad) :: z, product
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  x = 1 + rank * 1e-30_quad
  call MPI_Allreduce(x, most, 1, MPI_REAL16, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (abs((most - 1) * 1e30_quad - 2) > 1e-3_quad) stop 1
  call MPI_Allgather(x, 1, MPI_REAL16, parts, 1, MPI_REAL16, MPI_COMM_WORLD, ierr)
  if (parts(3) /= most .or. parts(1) /= 1) stop 2
  z = cmplx(1, rank, quad)
  call MPI_Allreduce(z, product, 1, MPI_COMPLEX32, MPI_PROD, MPI_COMM_WORLD, ierr)
  if (product /= cmplx(-1, 3, quad)) stop 3
  whole = 3_long * 10_long**30 + rank
  call MPI_Allreduce(whole, wholes, 1, MPI_INTEGER16, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (wholes /= 9_long * 10_long**30 + 3) stop 4
  call MPI_Sizeof(parts, bytes, ierr)
  call MPI_Type_match_size(MPI_TYPECLASS_REAL, bytes, type, ierr)
  if (bytes /= 16 .or. type /= MPI_REAL16) stop 5
  call MPI_Sizeof(z, bytes, ierr)
  call MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, bytes, type, ierr)
  if (bytes /= 32 .or. type /= MPI_COMPLEX32) stop 6
  call MPI_Type_create_f90_real(33, 4000, type, ierr)
  call MPI_Allreduce(x, most, 1, type, MPI_MIN, MPI_COMM_WORLD, ierr)
  if (most /= 1) stop 7
  call MPI_Finalize(ierr)
end program
