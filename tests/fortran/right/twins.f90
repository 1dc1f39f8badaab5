! SPDX-License-Identifier: MIT
! nodes: 1 4
! compiler: --watch
! What the programs of the folder wrong should have been.
program twins
  use mpi
  implicit none
  integer :: ierr, rank, nodes, next, before, request
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nodes, ierr)
  next = mod(rank + 1, nodes)
  before = mod(rank + nodes - 1, nodes)
  call messages()
  call kept_buffers()
  call collectives()
  call communicators()
  call types()
  call windows()
  call files()
  call MPI_Finalize(ierr)
contains
  subroutine messages() ! tags, short, kinds, countless, neighbour, unread, deadlock, lost, types, unset, beyond
    real(8) :: x(4), y(4)
    real, allocatable :: z(:)
    integer :: status(MPI_STATUS_SIZE), count
    x = rank
    call MPI_Irecv(y, 4, MPI_DOUBLE_PRECISION, before, 3, MPI_COMM_WORLD, request, ierr)
    call MPI_Send(x, 4, MPI_DOUBLE_PRECISION, next, 3, MPI_COMM_WORLD, ierr)
    call MPI_Wait(request, status, ierr)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierr)
    if (count /= 4 .or. nint(y(4)) /= before) stop 1
    allocate (z(4))
    z(1:3) = rank
    call MPI_Sendrecv_replace(z, 3, MPI_REAL, next, 0, before, 0, MPI_COMM_WORLD, status, ierr)
    if (nint(z(3)) /= before) stop 2
    deallocate (z)
  end subroutine
  subroutine kept_buffers() ! early_free, too_soon, watched, section, crash
    real, allocatable :: x(:), y(:, :)
    integer, pointer :: p
    allocate (x(1000), y(4, 4), p)
    p = rank
    x = p
    deallocate (p)
    y = -1
    call MPI_Irecv(y(2, :), 4, MPI_REAL, before, 0, MPI_COMM_WORLD, request, ierr)
    call MPI_Send(x, 4, MPI_REAL, next, 0, MPI_COMM_WORLD, ierr)
    x = 7
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    if (nint(y(2, 4)) /= before .or. nint(y(1, 4)) /= -1) stop 3
    deallocate (x, y)
  end subroutine
  subroutine collectives() ! roots, total, alias, logic, root, operation, places
    integer :: n, all(nodes), pair(2), least(2)
    logical :: mine, any
    real :: x(4)
    n = rank
    call MPI_Bcast(n, 1, MPI_INTEGER, nodes - 1, MPI_COMM_WORLD, ierr)
    if (n /= nodes - 1) stop 4
    call MPI_Gather(rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    if (rank > 0) all = nodes - 1 ! both operands of .and. are evaluated
    if (all(nodes) /= nodes - 1) stop 5
    x = 1
    call MPI_Allreduce(MPI_IN_PLACE, x, 4, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (nint(x(4)) /= nodes) stop 6
    mine = rank == 0
    call MPI_Allreduce(mine, any, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
    if (.not. any) stop 7
    pair = [nodes - rank, rank]
    call MPI_Reduce(pair, least, 1, MPI_2INTEGER, MPI_MINLOC, 0, MPI_COMM_WORLD, ierr)
    if (rank > 0) least = nodes - 1
    if (least(2) /= nodes - 1) stop 8
  end subroutine
  subroutine communicators() ! orders, excluded, swapped, leak, arrival
    integer :: color, half, dup, i, status(MPI_STATUS_SIZE), from
    call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
    call MPI_Barrier(dup, ierr)
    color = MPI_UNDEFINED
    if (rank < 2) color = 0
    call MPI_Comm_split(dup, color, rank, half, ierr)
    if (half /= MPI_COMM_NULL) then
      call MPI_Barrier(half, ierr)
      call MPI_Comm_free(half, ierr)
    end if
    if (rank > 0) call MPI_Send(rank, 1, MPI_INTEGER, 0, 0, dup, ierr)
    do i = 1, merge(nodes - 1, 0, rank == 0)
      call MPI_Recv(from, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, dup, status, ierr)
      if (from /= status(MPI_SOURCE)) stop 9
    end do
    call MPI_Comm_free(dup, ierr)
  end subroutine
  subroutine types() ! uncommitted, freed
    integer :: row
    real :: a(4, 4)
    a = rank
    call MPI_Type_vector(4, 1, 4, MPI_REAL, row, ierr)
    call MPI_Type_commit(row, ierr)
    call MPI_Sendrecv(a(1, 1), 1, row, next, 0, a(2, 1), 1, row, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (nint(a(2, 4)) /= before .or. nint(a(3, 4)) /= rank) stop 10
    call MPI_Type_free(row, ierr)
  end subroutine
  subroutine windows() ! fence, together
    integer, allocatable, asynchronous :: n(:)
    integer :: window
    integer(MPI_ADDRESS_KIND) :: bytes
    allocate (n(0:nodes))
    n = -1
    bytes = 4 * size(n)
    call MPI_Win_create(n, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
    call MPI_Win_fence(0, window, ierr)
    bytes = rank
    call MPI_Put(rank, 1, MPI_INTEGER, 0, bytes, 1, MPI_INTEGER, window, ierr)
    call MPI_Win_fence(0, window, ierr)
    if (rank == 0 .and. n(nodes - 1) /= nodes - 1) stop 11
    call MPI_Win_free(window, ierr)
    deallocate (n)
  end subroutine
  subroutine files() ! opens, ends, bounds
    integer :: unit, n, status
    open (newunit=unit, status='scratch')
    write (unit, *) rank
    rewind (unit)
    read (unit, *, iostat=status) n
    if (status /= 0 .or. n /= rank) stop 12
    read (unit, *, iostat=status) n
    if (status == 0) stop 13
    close (unit)
    open (newunit=unit, file='no such file', status='old', action='read', iostat=status)
    if (status == 0) stop 14
  end subroutine
end program
