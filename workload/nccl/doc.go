// Package nccl is collective operations as NCCL carries them out on accelerators, for networks of today:
// the algorithms ring, double binary tree, NVLS, NVLSTree, CollNet and PAT, the protocols LL, LL128 and
// Simple, channels and chunks, chosen by NCCL's own model of their times.
//
// An algorithm is a list of steps for each rank, made without communication (step.go): receive from some,
// combine, send to some. The steps of a channel follow each other, and those of several go on at the same
// time, as blocks of threads on an accelerator do. A runner (run.go) carries them out on package rma: data is
// pushed into slots of the receiver, a word tells it, and a word gives the slot back.
//
// What an accelerator spends at the start of an operation and at each step is NCCL's own table of latencies
// (latency.go). From a step the time is taken off that its words take on the way anyway, which is measured at
// the start. How long data takes comes of the networks.
//
//	layout.go    nodes, and where a rank is in them
//	latency.go   NCCL's tables, and its choice of algorithm and protocol
//	step.go      steps, and buffers that they work on
//	ring.go, tree.go, nvls.go, nvls_blocks.go, collnet.go, pat.go, pairs.go   algorithms
//	pxn.go       messages by way of another accelerator of the node
//	run.go       carrying out the steps of a rank
//	workload.go  the workload
package nccl
