/* How heat spreads in a rod: each rank has 1,000 cells, and exchanges its edges with its neighbours in each step. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 1000 };

int main(int argc, char **argv) {
	static double now[CELLS + 2], next[CELLS + 2]; /* with the edges of the neighbours */
	int rank, size, steps = argc > 1 ? atoi(argv[1]) : 100;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	if (rank == 0)
		now[0] = next[0] = 100; /* one end is kept hot */

	double start = MPI_Wtime();
	for (int step = 0; step < steps; step++) {
		MPI_Sendrecv(&now[1], 1, MPI_DOUBLE, left, 0, &now[CELLS + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(&now[CELLS], 1, MPI_DOUBLE, right, 1, &now[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 1; i <= CELLS; i++)
			next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
		for (int i = 1; i <= CELLS; i++)
			now[i] = next[i];
	}

	double heat = 0, all = 0;
	for (int i = 1; i <= CELLS; i++)
		heat += now[i];
	MPI_Reduce(&heat, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d ranks, %d steps: heat %.6f after %.1f us\n", size, steps, all, 1e6 * (MPI_Wtime() - start));
	MPI_Finalize();
	return 0;
}
