! SPDX-License-Identifier: MIT
! nodes: 3
! mpi_f08: handles of their own types, errors left out, sentinels, indices from 1, MPI_Sizeof, memory that MPI allocates.
module own
  use mpi_f08
  implicit none
contains
  subroutine add(in, inout, n, datatype)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: in, inout
    integer :: n
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    if (datatype /= MPI_INTEGER) call MPI_Abort(MPI_COMM_WORLD, 9)
    call c_f_pointer(in, a, [n])
    call c_f_pointer(inout, b, [n])
    b = a + b
  end subroutine
end module

program handles
  use own
  use, intrinsic :: iso_c_binding
  procedure(MPI_User_function), pointer :: function
  type(MPI_Comm) :: dup, row
  type(MPI_Request) :: requests(3)
  type(MPI_Status) :: status, statuses(3)
  type(MPI_Op) :: op
  type(MPI_Win) :: win
  type(c_ptr) :: memory
  integer, pointer :: cells(:)
  integer :: rank, nodes, i, k, got(3), done, places(3), total, bytes
  real(8) :: grid(2, 3, 4)
  complex :: z
  logical :: flag
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nodes)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup)
  if (dup == MPI_COMM_WORLD .or. .not. dup /= MPI_COMM_NULL) stop 1
  call MPI_Comm_split(dup, merge(0, MPI_UNDEFINED, rank == 0), rank, row)
  if ((row == MPI_COMM_NULL) .neqv. rank > 0) stop 2
  if (rank == 0) call MPI_Comm_free(row)
  call MPI_Sizeof(grid, bytes)
  call MPI_Sizeof(z, k)
  if (bytes /= 8 .or. k /= 8) stop 3
  if (rank == 0) then
    do i = 1, nodes - 1
      call MPI_Irecv(got(i), 1, MPI_INTEGER, i, i, dup, requests(i))
    end do
    call MPI_Waitany(nodes - 1, requests, k, status)
    if (k < 1 .or. k > 2 .or. status%MPI_SOURCE /= k .or. status%MPI_TAG /= k) stop 4
    if (requests(k) /= MPI_REQUEST_NULL) stop 5
    call MPI_Waitsome(nodes - 1, requests, done, places, statuses)
    if (done /= 1 .or. places(1) /= 3 - k .or. statuses(1)%MPI_SOURCE /= 3 - k) stop 6
    call MPI_Testall(nodes - 1, requests, flag, MPI_STATUSES_IGNORE)
    if (.not. flag .or. any(got(1:2) /= [10, 20])) stop 7
  else
    call MPI_Send(10 * rank, 1, MPI_INTEGER, 0, rank, dup)
  end if
  function => add
  call MPI_Op_create(function, .true., op)
  total = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, op, dup)
  if (total /= 6) stop 8
  call MPI_Op_free(op)
  call MPI_Win_allocate(int(4 * nodes, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, dup, memory, win)
  call c_f_pointer(memory, cells, [nodes])
  cells = -1
  call MPI_Win_fence(0, win)
  do i = 0, nodes - 1
    call MPI_Put(rank, 1, MPI_INTEGER, i, int(rank, MPI_ADDRESS_KIND), 1, MPI_INTEGER, win)
  end do
  call MPI_Win_fence(0, win)
  if (any(cells /= [0, 1, 2])) stop 9
  call MPI_Win_free(win)
  call MPI_Alloc_mem(int(64, MPI_ADDRESS_KIND), MPI_INFO_NULL, memory)
  call c_f_pointer(memory, cells, [16])
  cells = 3
  call MPI_Free_mem(cells)
  call MPI_Comm_free(dup)
  call MPI_Finalize()
end program
