// smpi measures one MPI operation in the simulated time of SimGrid's SMPI: smpi OPERATION BYTES. It
// prints the longest time of any rank, in microseconds, from a time at which all begin.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// begin waits until the first second of simulated time is over, and returns the time. Ranks do not leave a barrier at
// once: what they do next would wait for the last of them.
static double begin(void) {
  const long second = 1000000000;
  long left = second - (long)(1e9 * MPI_Wtime());
  struct timespec wait = {left / second, left % second};
  nanosleep(&wait, NULL);
  return MPI_Wtime();
}

// halo exchanges with the six neighbours on a torus of three dimensions.
static double halo(size_t bytes, int rank, int size) {
  int dims[3] = {0, 0, 0}, at[3], periodic[3] = {1, 1, 1};
  MPI_Comm torus;
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periodic, 0, &torus);
  MPI_Cart_coords(torus, rank, 3, at);
  char *data = malloc(bytes), *into = malloc(6 * bytes);
  MPI_Request requests[12];
  double start = begin();
  int n = 0;
  for (int i = 0; i < 6; i++) {
    int from, to;
    MPI_Cart_shift(torus, i / 2, i % 2 ? 1 : -1, &from, &to);
    MPI_Irecv(into + i * bytes, bytes, MPI_CHAR, from, i, torus, &requests[n++]);
  }
  for (int i = 0; i < 6; i++) {
    int from, to;
    MPI_Cart_shift(torus, i / 2, i % 2 ? 1 : -1, &from, &to);
    MPI_Isend(data, bytes, MPI_CHAR, to, i, torus, &requests[n++]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  return MPI_Wtime() - start;
}

static double measure(const char *operation, size_t bytes, int rank, int size) {
  char *in = NULL, *out = NULL;
  if (!strcmp(operation, "alltoall")) {
    in = calloc(size, bytes);
    out = malloc(size * bytes);
  } else if (!strcmp(operation, "allreduce")) {
    in = SMPI_SHARED_MALLOC(bytes); // ranks share it, so that long ones fit
    out = SMPI_SHARED_MALLOC(bytes);
  }
  if (!strcmp(operation, "halo"))
    return halo(bytes, rank, size);
  double start = begin();
  if (!strcmp(operation, "barrier"))
    MPI_Barrier(MPI_COMM_WORLD);
  else if (!strcmp(operation, "allreduce"))
    MPI_Allreduce(in, out, bytes / sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  else
    MPI_Alltoall(in, bytes, MPI_CHAR, out, bytes, MPI_CHAR, MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double took = measure(argv[1], strtoul(argv[2], NULL, 10), rank, size), longest;
  MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("us %.3f\n", 1e6 * longest);
  MPI_Finalize();
}
