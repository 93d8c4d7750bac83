// Package simgrid reads time-independent traces of SimGrid, such as "smpirun -trace-ti" writes, as schedules.
//
// A line is a rank, an action and its arguments. A file has the lines of all ranks, or the names of files, one for each rank. Computations are in
// operations; here one takes a nanosecond.
package simgrid
