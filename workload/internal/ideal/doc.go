// Package ideal is a world without contention, for tests of workloads: a transfer takes a latency and a
// time per byte, and nothing else takes any. So what a program should take can be said in a formula.
package ideal
