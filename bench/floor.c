/*
 * The floor under any latency between two processors: two processes that flip a flag
 * in memory that they share. Prints microseconds for one way.
 *
 *     floor ROUNDS CPU CPU
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pin(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof one, &one) != 0)
		perror("floor: sched_setaffinity");
}

/* In each round waits for the turn of the other one to end and ends its own. */
static void flip(atomic_long *flag, long from, long to, int own)
{
	long i;

	for (i = from; i < to; i++) {
		while (atomic_load_explicit(flag, memory_order_acquire) != 2 * i + own)
			;
		atomic_store_explicit(flag, 2 * i + own + 1, memory_order_release);
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000000, warmup = rounds / 10;
	atomic_long *flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double start;
	pid_t child;

	if (flag == MAP_FAILED || (child = fork()) < 0) {
		perror("floor");
		return 1;
	}
	if (child == 0) {
		pin(argc > 3 ? atoi(argv[3]) : 1);
		flip(flag, 0, warmup + rounds, 1);
		_exit(0);
	}
	pin(argc > 2 ? atoi(argv[2]) : 0);
	flip(flag, 0, warmup, 0);
	start = now();
	flip(flag, warmup, warmup + rounds, 0);
	printf("%.4f\n", (now() - start) / rounds / 2);
	waitpid(child, NULL, 0);
	return 0;
}
