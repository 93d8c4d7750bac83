// Package files has files that ranks open together, read and write: each rank the bytes that its view shows, with pointers of
// its own and one that all share. The data goes by system calls of the rank that has it, also in collective accesses, and
// in simulated jobs without simulated time.
package files
