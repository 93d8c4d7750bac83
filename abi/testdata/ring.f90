! A ring, a sum in place, an operation and an attribute of the program's own. Each rank prints what it
! has; the same text comes from the module mpi_f08, from mpi and from mpif.h.
#ifdef F08
#define COMM type(MPI_Comm)
#define INFO type(MPI_Info)
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status)
#define DATATYPE type(MPI_Datatype)
#define OPERATION type(MPI_Op)
#define SOURCE(s) s%MPI_SOURCE
#else
#define COMM integer
#define INFO integer
#define REQUEST integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define DATATYPE integer
#define OPERATION integer
#define SOURCE(s) s(MPI_SOURCE)
#endif

subroutine larger(in, inout, n, kind)
#ifdef F08
  use mpi_f08
#endif
  implicit none
  integer :: n, in(n), inout(n)
  DATATYPE :: kind
  inout = max(in, inout)
end subroutine

program ring
#ifdef F08
  use mpi_f08
#elif defined(MODULE)
  use mpi
#endif
  implicit none
#ifdef HEADER
  include 'mpif.h'
#endif
  external larger
  integer :: rank, n, ierror, got, index, key, best, length, first
  integer :: sums(2), mine(1), others(1)
  integer(MPI_ADDRESS_KIND) :: value, found, extra
  logical :: flag
  REQUEST :: requests(2)
  STATUS :: s
  COMM :: twin
  INFO :: facts
  integer :: here(1), one(1), few, room
  logical :: weighted
  OPERATION :: op
  DATATYPE :: pair
  character(len=MPI_MAX_OBJECT_NAME) :: name

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierror)
  mine = 10 * rank
  call MPI_Irecv(others, 1, MPI_INTEGER, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Send(mine, 1, MPI_INTEGER, mod(rank + 1, n), 7, MPI_COMM_WORLD, ierror)
  requests(2) = MPI_REQUEST_NULL
  call MPI_Waitany(2, requests, index, s, ierror)
  first = SOURCE(s)

  sums = (/ rank, 1 /)
  call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierror)
  call MPI_Type_commit(pair, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call MPI_Bcast(sums, 1, pair, n - 1, MPI_COMM_WORLD, ierror)
  call MPI_Op_create(larger, .true., op, ierror)
  mine = rank * (n - 1 - rank)
  best = -1
  call MPI_Allreduce(mine, others, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
  best = others(1)

  extra = 0
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, extra, ierror)
  value = 100 + rank
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, twin, ierror)
  call MPI_Comm_get_attr(twin, key, found, flag, ierror)
  call MPI_Comm_set_name(twin, 'a twin  ', ierror)
  name = 'x'
  call MPI_Comm_get_name(twin, name, length, ierror)
  call MPI_Info_create(facts, ierror)
  call MPI_Info_set(facts, 'key', 'value', ierror)
  room = 3
  call MPI_Info_get_string(facts, 'key', room, name, flag, ierror)
  if (.not. flag .or. room /= 5 .or. name /= 'val') print *, 'of 5 characters 3 are ', trim(name), room
  call MPI_Info_free(facts, ierror)
  here = rank
  one = 1
  call MPI_Comm_free(twin, ierror)
  call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, here, one, here, one, MPI_INFO_NULL, .false., twin, ierror)
  call MPI_Dist_graph_neighbors_count(twin, room, few, weighted, ierror)
  if (room /= 1 .or. few /= 1 .or. .not. weighted) print *, 'not one neighbour with a weight', room, few, weighted
  name = 'a twin'
  flag = .true.
  print '(6(I0,A),I0,L2,A,A,A,I0)', rank, ': from ', first, ' index ', index, ', sums ', sums(1), &
    ' and ', sums(2), ', best ', best, ', attribute ', found, flag, ', name ', trim(name), ' of ', length
  call MPI_Comm_free(twin, ierror)
  call MPI_Finalize(ierror)
end program
