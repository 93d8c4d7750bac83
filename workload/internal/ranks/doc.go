// Package ranks has what the programs of workloads share at each rank: memory that others can access, a
// team that agrees on when to begin and what took longest, and the results, which come together at rank 0.
package ranks
