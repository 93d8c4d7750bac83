! Sections of arrays with gaps in messages: operations that go on when their call has returned use the arrays themselves.
! Each rank prints how many of the checks have failed.
program sections
  use mpi_f08
  implicit none
  integer :: rank, n, right, left, round, i, j, k, filled = 0, checks = 0, wrong = 0
  integer, asynchronous :: grid(9, 9), edge(9, 9), cube(4, 5, 6), other(4, 5, 6)
  real(8), asynchronous :: window(8, 8), mine(8, 8)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: s
  type(MPI_Win) :: win
  type(MPI_Datatype) :: gaps

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  right = mod(rank + 1, n)
  left = mod(rank + n - 1, n)

  ! Every second column, and a row from its end. The data is there when the call has returned, or only then.
  edge = -1
  call MPI_Irecv(edge(:, 2:6:2), 27, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
  grid = reshape((/ (1000 * rank + i, i = 1, 81) /), (/ 9, 9 /))
  call MPI_Isend(grid(:, 2:6:2), 27, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  do j = 1, 9
    do i = 1, 9
      call expect(edge(i, j), merge(1000 * left + 9 * (j - 1) + i, -1, j <= 6 .and. mod(j, 2) == 0))
    end do
  end do
  edge = -1
  call MPI_Isendrecv(grid(5, 9:1:-1), 9, MPI_INTEGER, right, 2, edge(3, :), 9, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(1))
  call MPI_Wait(requests(1), s)
  call expect(s%MPI_SOURCE, left)
  call MPI_Get_count(s, MPI_INTEGER, i)
  call expect(i, 9)
  do j = 1, 9
    call expect(edge(3, j), 1000 * left + 9 * (9 - j) + 5)
    call expect(edge(4, j), -1)
  end do

  ! The first 17 elements of a section of three dimensions, again and again, and all of it, as 15 pairs.
  call MPI_Send_init(cube(2:4:2, :, 1:6:2), 17, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(1))
  call MPI_Recv_init(other(1:2, :, 4:6), 17, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(2))
  do round = 1, 3
    other = -1
    call fill()
    call MPI_Startall(2, requests)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call compare(17)
  end do
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))
  other = -1
  call MPI_Isend(cube(2:4:2, :, 1:6:2), 15, MPI_2INTEGER, right, 4, MPI_COMM_WORLD, requests(1))
  call MPI_Irecv(other(1:2, :, 4:6), 30, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call compare(30)

  ! What has no gaps, one element on which others follow, and what all have got from one rank.
  other = -1
  call MPI_Isend(cube(1, 1, 2), 20, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(1))
  call MPI_Irecv(other(:, :, 2), 20, MPI_INTEGER, left, 5, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call expect(other(4, 5, 2), 10000 * left + 3452)
  call expect(other(1, 1, 3), -1)
  call MPI_Ibcast(edge(2, 1:9:4), 3, MPI_INTEGER, n - 1, MPI_COMM_WORLD, requests(1))
  call MPI_Wait(requests(1), s)
  call expect(edge(2, 9), -1)

  ! A row of a window from and to a column.
  window = -1
  do j = 1, 8
    mine(:, j) = (/ (100 * rank + 10 * i + j, i = 1, 8) /)
  end do
  call MPI_Win_create(window, 512_8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  call MPI_Put(mine(3, :), 8, MPI_DOUBLE_PRECISION, right, 8_8, 8, MPI_DOUBLE_PRECISION, win)
  call MPI_Win_fence(0, win)
  do i = 1, 8
    call expect(int(window(i, 2)), 100 * left + 30 + i)
  end do
  call MPI_Get(mine(4, 1:8:2), 4, MPI_DOUBLE_PRECISION, right, 9_8, 4, MPI_DOUBLE_PRECISION, win)
  call MPI_Win_fence(0, win)
  do j = 1, 8
    call expect(int(mine(4, j)), merge(100 * rank + 32 + j / 2, 100 * rank + 40 + j, mod(j, 2) == 1))
  end do
  call MPI_Win_free(win)

  ! Messages of calls that wait, by both names, also in a datatype that has gaps itself: each second of five.
  grid = reshape((/ (1000 * rank + i, i = 1, 81) /), (/ 9, 9 /))
  edge = -1
  call MPI_Type_vector(3, 1, 2, MPI_INTEGER, gaps)
  call MPI_Type_commit(gaps)
  if (rank == 0) call PMPI_Send(grid(7, :), 9, MPI_INTEGER, right, 6, MPI_COMM_WORLD)
  call PMPI_Recv(edge(9:1:-1, 2), 9, MPI_INTEGER, left, 6, MPI_COMM_WORLD, s)
  if (rank /= 0) call MPI_Send(grid(7, :), 9, MPI_INTEGER, right, 6, MPI_COMM_WORLD)
  call MPI_Sendrecv(grid(4, 9:1:-1), 1, gaps, right, 7, edge(6, 1:9:2), 1, gaps, left, 7, MPI_COMM_WORLD, s)
  call MPI_Type_free(gaps)
  do j = 1, 9
    if (j /= 4) call expect(edge(10 - j, 2), 1000 * left + 9 * (j - 1) + 7) ! row 6 is that of the other message
    call expect(edge(6, j), merge(1000 * left + 9 * (8 - j / 2) + 4, merge(edge(6, 2), -1, j == 2), mod(j, 4) == 1))
  end do
  call expect(edge(6, 2), 1000 * left + 34)
  print '(I0,A,I0,A,I0,A)', rank, ': ', checks, ' checks, ', wrong, ' wrong'
  call MPI_Finalize()

contains

  subroutine expect(got, want)
    integer, intent(in) :: got, want
    checks = checks + 1
    if (got /= want) then
      wrong = wrong + 1
      print '(A,I0,A,I0,A,I0)', 'check ', checks, ': ', got, '; expected ', want
    end if
  end subroutine

  ! fill fills cube, with other numbers each time.
  subroutine fill()
    filled = filled + 1
    do k = 1, 6
      do j = 1, 5
        do i = 1, 4
          cube(i, j, k) = 10000 * rank + 1000 * filled + 100 * i + 10 * j + k
        end do
      end do
    end do
  end subroutine

  ! compare checks that the first elements have come, and no others.
  subroutine compare(most)
    integer, intent(in) :: most
    integer :: at, base
    at = 0
    base = 10000 * left + 1000 * filled
    do k = 4, 6
      do j = 1, 5
        do i = 1, 2
          at = at + 1
          call expect(other(i, j, k), merge(base + 100 * 2 * i + 10 * j + 2 * (k - 4) + 1, -1, at <= most))
        end do
      end do
    end do
    call expect(count(other /= -1), most)
  end subroutine
end program
