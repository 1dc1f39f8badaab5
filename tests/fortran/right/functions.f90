! SPDX-License-Identifier: MIT
! nodes: 3
! Functions in Fortran that MPI calls: of operators, handlers, keys of both generations, general requests.
module own
  use mpi
  implicit none
  integer :: copied = 0, deleted = 0, handled = 0, freed = 0, last_code, last_comm, last_type
contains
  subroutine join(in, inout, n, datatype)
    integer :: n, datatype, i
    real(8) :: in(2, n), inout(2, n)
    last_type = datatype
    do i = 1, n ! a x + b after another one
      inout(:, i) = [inout(1, i) * in(1, i), inout(1, i) * in(2, i) + inout(2, i)]
    end do
  end subroutine
  subroutine handler(comm, code)
    integer :: comm, code
    handled = handled + 1
    last_comm = comm
    last_code = code
  end subroutine
  subroutine copy(comm, key, extra, in, out, flag, ierr)
    integer :: comm, key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    copied = copied + 1
    out = in + extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine
  subroutine remove(comm, key, value, extra, ierr)
    integer :: comm, key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    deleted = deleted + 1
    last_comm = comm
    ierr = MPI_SUCCESS
  end subroutine
  subroutine old_copy(comm, key, extra, in, out, flag, ierr)
    integer :: comm, key, extra, in, out, ierr
    logical :: flag
    copied = copied + 1
    out = in * extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine
  subroutine query(extra, status, ierr)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), ierr
    status(MPI_SOURCE) = int(extra)
    status(MPI_TAG) = 17
    call MPI_Status_set_elements(status, MPI_INTEGER, 3, ierr)
    call MPI_Status_set_cancelled(status, .false., ierr)
  end subroutine
  subroutine free_it(extra, ierr)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: ierr
    freed = freed + int(extra)
    ierr = MPI_SUCCESS
  end subroutine
  subroutine cancel(extra, complete, ierr)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierr
    freed = freed + merge(100, 1000, complete)
    ierr = MPI_SUCCESS
  end subroutine
end module

program functions
  use own
  integer :: ierr, rank, op, pair, errhandler, key, old_key, dup, request, status(MPI_STATUS_SIZE), n, old_value
  integer(kind=MPI_ADDRESS_KIND) :: value, extra
  logical :: there
  real(8) :: mine(2), all(2)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)

  call MPI_Type_contiguous(2, MPI_REAL8, pair, ierr)
  call MPI_Type_commit(pair, ierr)
  call MPI_Op_create(join, .false., op, ierr)
  mine = [2d0, 1d0 * rank]
  call MPI_Allreduce(mine, all, 1, pair, op, MPI_COMM_WORLD, ierr)
  if (any(abs(all - [8d0, 4d0]) > 1d-12)) stop 1
  if (last_type /= pair) call MPI_Abort(MPI_COMM_WORLD, 2, ierr)
  call MPI_Op_free(op, ierr)
  call MPI_Type_free(pair, ierr)

  call MPI_Comm_create_errhandler(handler, errhandler, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
  call MPI_Comm_set_errhandler(dup, errhandler, ierr)
  call MPI_Send(mine, 1, MPI_REAL8, 99, 0, dup, ierr)
  if (handled /= 1 .or. last_comm /= dup .or. last_code /= ierr .or. ierr == MPI_SUCCESS) stop 3
  call MPI_Errhandler_free(errhandler, ierr)
  call MPI_Comm_free(dup, ierr)

  extra = 1000
  call MPI_Comm_create_keyval(copy, remove, key, extra, ierr)
  value = 2_MPI_ADDRESS_KIND**40 + rank
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
  call MPI_Keyval_create(old_copy, MPI_NULL_DELETE_FN, old_key, 3, ierr)
  call MPI_Attr_put(MPI_COMM_WORLD, old_key, -7, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
  call MPI_Comm_get_attr(dup, key, value, there, ierr)
  if (.not. there .or. value /= 2_MPI_ADDRESS_KIND**40 + rank + 1000 .or. copied /= 2) stop 4
  call MPI_Attr_get(dup, old_key, old_value, there, ierr)
  if (.not. there .or. old_value /= -21) stop 5
  n = dup
  call MPI_Comm_free(dup, ierr)
  if (deleted /= 1 .or. last_comm /= n) stop 6
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
  call MPI_Comm_free_keyval(key, ierr)
  call MPI_Keyval_free(old_key, ierr)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, there, ierr)
  if (.not. there .or. value < 32767) stop 7
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, extra, ierr)
  call MPI_Comm_set_attr(MPI_COMM_SELF, key, extra, ierr)
  call MPI_Comm_dup(MPI_COMM_SELF, dup, ierr)
  call MPI_Comm_get_attr(dup, key, value, there, ierr)
  if (.not. there .or. value /= 1000) stop 8
  call MPI_Comm_free(dup, ierr)
  call MPI_Comm_free_keyval(key, ierr)

  extra = 5
  call MPI_Grequest_start(query, free_it, cancel, extra, request, ierr)
  call MPI_Cancel(request, ierr)
  call MPI_Grequest_complete(request, ierr)
  call MPI_Wait(request, status, ierr)
  call MPI_Get_elements(status, MPI_INTEGER, n, ierr)
  if (status(MPI_SOURCE) /= 5 .or. status(MPI_TAG) /= 17 .or. n /= 3 .or. freed /= 1005) stop 9
  call MPI_Finalize(ierr)
end program
