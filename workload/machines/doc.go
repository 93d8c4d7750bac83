// Package machines tests workloads on simulated machines, those of all packages in one program: it takes a second to
// build a program that knows all machines, and all that lies between these and a workload is built again for tests that
// lie beside the workload.
package machines
