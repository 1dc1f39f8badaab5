! SPDX-License-Identifier: MIT
! A program in Fortran for Open MPI.  With a word it is wrong.
program prebuilt
  use mpi
  implicit none
  integer :: ierr, me, p, got(2), t, st(MPI_STATUS_SIZE), n, req(2), sts(MPI_STATUS_SIZE,2), comm
  double precision :: x(3), y(3)
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierr)
  call MPI_Get_processor_name(name, n, ierr)
  call MPI_Irecv(got, 2, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, req(1), ierr)
  call MPI_Isend((/me, 7/), 2, MPI_INTEGER, mod(me + 1, p), 3, MPI_COMM_WORLD, req(2), ierr)
  call MPI_Waitall(2, req, sts, ierr)
  if (sts(MPI_SOURCE,1) /= mod(me + p - 1, p) .or. sts(MPI_TAG,1) /= 3 .or. got(2) /= 7) print *, 'wrong', got, sts(:,1)
  call MPI_Get_count(sts(:,1), MPI_INTEGER, n, ierr)
  if (n /= 2) print *, 'count', n
  x = me
  call MPI_Allreduce(MPI_IN_PLACE, x, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (x(1) /= p*(p-1)/2) print *, 'sum', x
  call MPI_Type_vector(2, 1, 2, MPI_DOUBLE_PRECISION, t, ierr)
  call MPI_Type_commit(t, ierr)
  y = 0
  call MPI_Sendrecv(x, 1, t, me, 0, y, 1, t, me, 0, MPI_COMM_WORLD, st, ierr)
  if (y(3) /= x(3) .or. y(2) /= 0) print *, 'type', y
  call MPI_Type_free(t, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), me, comm, ierr)
  call MPI_Comm_free(comm, ierr)
  if (comm /= MPI_COMM_NULL) print *, 'null', comm
  print '(a,i0)', 'done ', me
  if (command_argument_count() > 0) call MPI_Recv(got, 1, MPI_INTEGER, mod(me+1,p), 0, MPI_COMM_WORLD, st, ierr)
  call MPI_Finalize(ierr)
end program
