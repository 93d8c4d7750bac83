// Package communicators has the functions of communicators, groups, intercommunicators and topologies of processes.
package communicators
