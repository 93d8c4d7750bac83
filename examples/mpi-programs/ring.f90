! A number goes round all ranks, and each adds its own to it.
program ring
  use mpi_f08
  implicit none
  integer :: rank, size, sum

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  sum = 0
  if (rank > 0) call MPI_Recv(sum, 1, MPI_INTEGER, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  sum = sum + rank
  if (size > 1) call MPI_Send(sum, 1, MPI_INTEGER, mod(rank + 1, size), 0, MPI_COMM_WORLD)
  if (rank == 0 .and. size > 1) call MPI_Recv(sum, 1, MPI_INTEGER, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  if (rank == 0) print '(A,I0,A,I0)', 'the sum of ', size, ' ranks is ', sum
  call MPI_Finalize()
end program
