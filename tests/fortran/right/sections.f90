! SPDX-License-Identifier: MIT
! nodes: 2
! Sections of arrays that are not contiguous, in calls whose buffers are used later: they are sent from and received to their places.
module both
contains
  subroutine by_mpi(rank)
    use mpi
    implicit none
    integer, intent(in) :: rank
    integer :: a(4, 6, 3), requests(3), ierr, i, window, status(MPI_STATUS_SIZE)
    complex :: z(8)
    integer(kind=MPI_ADDRESS_KIND) :: place, first
    integer, allocatable :: whole(:)
    a = 0
    if (rank == 0) a = reshape([(i, i=1, 72)], [4, 6, 3])
    z = rank
    if (rank == 0) then
      call MPI_Isend(a(2, 1:6:2, :), 9, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, requests(1), ierr)
      call MPI_Send_init(a(4:1:-3, 2, 2), 2, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, requests(2), ierr)
      call MPI_Isend(z(::2), 6, MPI_REAL, 1, 3, MPI_COMM_WORLD, requests(3), ierr)
    else
      call MPI_Irecv(a(2, 1:6:2, :), 9, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, requests(1), ierr)
      call MPI_Recv_init(a(4:1:-3, 2, 2), 2, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, requests(2), ierr)
      call MPI_Irecv(z(2::2), 6, MPI_REAL, 0, 3, MPI_COMM_WORLD, requests(3), ierr)
    end if
    call MPI_Start(requests(2), ierr)
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierr)
    call MPI_Request_free(requests(2), ierr)
    if (rank == 1) then
      if (any(a(2, 1:6:2, :) /= reshape([2, 10, 18, 26, 34, 42, 50, 58, 66], [3, 3]))) stop 1
      if (a(4, 2, 2) /= 32 .or. a(1, 2, 2) /= 29 .or. sum(a) /= 306 + 61) stop 2
      if (any(z /= [1, 0, 1, 0, 1, 0, 1, 1])) stop 3
    end if
    call MPI_Get_address(a(2, 1:6:2, 1), place, ierr)
    call MPI_Get_address(a, first, ierr)
    if (place - first /= 4) stop 4
    allocate (whole(12))
    whole = rank
    place = 48
    call MPI_Win_create(whole, place, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
    call MPI_Win_fence(0, window, ierr)
    first = 6
    if (rank == 0) call MPI_Put(a(1, 1:6:3, 3), 2, MPI_INTEGER, 1, first, 2, MPI_INTEGER, window, ierr)
    call MPI_Win_fence(0, window, ierr)
    if (rank == 1 .and. any(whole /= [1, 1, 1, 1, 1, 1, 49, 61, 1, 1, 1, 1])) stop 5
    call MPI_Win_free(window, ierr)
    ! Half of an element is sent, and not all of it.
    if (rank == 0) call MPI_Isend(z(::2), 5, MPI_REAL, 1, 5, MPI_COMM_WORLD, requests(1), ierr)
    if (rank == 1) call MPI_Irecv(z(2::2), 5, MPI_REAL, 0, 5, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Wait(requests(1), status, ierr)
    if (rank == 1) call MPI_Get_count(status, MPI_REAL, i, ierr)
    if (rank == 1 .and. i /= 5) stop 10
    call MPI_Waitany(1, requests, i, status, ierr)
    if (i /= MPI_UNDEFINED) stop 11
    ! A blocking call has the compiler's copy.
    if (rank == 0) call MPI_Send(a(3, :, 1), 6, MPI_INTEGER, 1, 4, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Recv(a(1, :, 3), 6, MPI_INTEGER, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (rank == 1 .and. any(a(1, :, 3) /= [3, 7, 11, 15, 19, 23])) stop 6
  end subroutine

  subroutine by_f08(rank, a)
    use mpi_f08
    implicit none
    integer, intent(in) :: rank
    real(8), intent(inout) :: a(:, :) ! a section of the caller's already
    type(MPI_Request) :: request
    type(MPI_Datatype) :: pair
    integer :: i
    a = rank
    if (rank == 0) then
      a(2, :) = [(i, i=1, size(a, 2))]
      call MPI_Isend(a(2, :), 5, MPI_REAL8, 1, 0, MPI_COMM_WORLD, request)
    else
      call MPI_Irecv(a(1, :), 5, MPI_REAL8, 0, 0, MPI_COMM_WORLD, request) ! not all of it
    end if
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (rank == 1 .and. any(a(1, 1:6) /= [1, 2, 3, 4, 5, 1])) stop 7
    call MPI_Ibcast(a(:2, ::2), 5, MPI_REAL8, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (any(a(:2, ::2) /= reshape([0d0, 1d0, 0d0, 3d0, 0d0, merge(5d0, 1d0, rank == 0)], [2, 3]))) stop 8
    call MPI_Type_contiguous(2, MPI_REAL8, pair)
    call MPI_Type_commit(pair)
    if (rank == 0) call MPI_Isend(a(3, :), 2, pair, 1, 0, MPI_COMM_WORLD, request)
    if (rank == 1) call MPI_Irecv(a(1, 1:4), 2, pair, 0, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (rank == 1 .and. any(a(1, 1:4) /= 0)) stop 9
    call MPI_Type_free(pair)
    ! An empty section begins somewhere, too.
    if (rank == 0) call MPI_Isend(a(1:0, ::2), 1, MPI_REAL8, 1, 0, MPI_COMM_WORLD, request)
    if (rank == 1) call MPI_Irecv(a(4, :1), 1, MPI_REAL8, 0, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
  end subroutine
end module

program sections
  use mpi
  use both
  implicit none
  integer :: ierr, rank
  real(8) :: a(9, 6)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call by_mpi(rank)
  call by_f08(rank, a(::2, :))
  call MPI_Finalize(ierr)
end program
