// Command abi is the core of the library libmpi_abi.so: built with -buildmode=c-shared it carries
// out the calls of C programs on the processes of package live. The front in front/, in C, is what
// programs are linked with; it loads the core in live jobs, and hands calls to a simulator in
// simulated ones. Run abi/install to build and install both.
package main

//go:generate go run ./generate
