//go:build cgo

package main

/*
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

#include "front/short.h"

typedef int64_t (*musubi_host)(int what, int64_t *words);

static inline int64_t musubi_ask(void *host, int what, int64_t *words) { return ((musubi_host)host)(what, words); }

static inline int64_t musubi_thread(void) { return (int64_t)pthread_self(); }
*/
import "C"

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"unsafe"

	"musubi/live"
	"musubi/mpi/abi"
	"musubi/mpi/abi/environment"
	_ "musubi/mpi/abi/functions"
	"musubi/rma"
)

// self is the one of this program: a C program is one rank.
var self *abi.Process

// musubi_core_start is called once, with the function of the front that carries out requests, and its lanes.
//
//export musubi_core_start
func musubi_core_start(front, lanes unsafe.Pointer) {
	debug.SetGCPercent(400) // little of what a program has lies in Go's heap
	debug.SetPanicOnFault(true)
	keepProcessor()
	self = abi.New(&here{front: front, lanes: (*C.struct_musubi_lanes)(lanes)})
}

// keepProcessor lets Go have two processors where the program is bound to one. With one only, Go's monitor takes it away whenever the
// program is in C for 20 us. The next call then wakes the monitor, which looks for work 50,000 times a second on the processor
// that the ranks need.
func keepProcessor() {
	if os.Getenv("GOMAXPROCS") == "" && runtime.GOMAXPROCS(0) == 1 {
		runtime.GOMAXPROCS(2)
	}
}

// musubi_core_version returns the version of what front and core say to each other.
//
//export musubi_core_version
func musubi_core_version() C.int { return abi.FrontVersion }

// tellFault ends the process if a call has named memory that the program does not have.
func tellFault(number C.int) {
	reason := recover()
	if reason == nil {
		return
	}
	at := "an address near 0"
	switch fault := reason.(type) {
	case interface{ Addr() uintptr }:
		at = fmt.Sprintf("%#x", fault.Addr())
	case runtime.Error:
		if !strings.Contains(fault.Error(), "invalid memory address") && !strings.Contains(fault.Error(), "unsafe.Slice: ptr is nil") {
			panic(reason)
		}
	default:
		panic(reason)
	}
	self.Abort(fmt.Sprintf("%s: memory at %s, which the program does not have", abi.Name(int(number)), at))
}

// musubi_core_call carries out a function by its number. The front gives as many words as it has
// arguments.
//
//export musubi_core_call
func musubi_core_call(number C.int, words *C.int64_t) (result C.int64_t) {
	defer tellFault(number)
	return C.int64_t(self.Call(int(number), unsafe.Slice((*int64)(unsafe.Pointer(words)), abi.MostWords)))
}

// musubi_core_leave is called when the program ends.
//
//export musubi_core_leave
func musubi_core_leave() { environment.Leave(self) }

// here is the process that this library is loaded in.
type here struct {
	front unsafe.Pointer
	lanes *C.struct_musubi_lanes
	rma   rma.Process // nil before Join
}

func (h *here) View(at uintptr, bytes int) []byte {
	return unsafe.Slice((*byte)(memoryAt(at)), bytes)
}

// memoryAt returns an address of C as a pointer. It never points to memory of Go.
func memoryAt(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

func (h *here) Read(at uintptr, into []byte) { copy(into, h.View(at, len(into))) }

func (h *here) Look(at []uintptr, into [][]byte) bool {
	for i := range at {
		h.Read(at[i], into[i])
	}
	return true
}

func (h *here) Store(at uintptr, data []byte) { copy(h.View(at, len(data)), data) }

func (h *here) Direct() bool { return true }

func (h *here) Simulated() bool { return false }

func (h *here) OwnsProcessor() bool {
	rank, ok := h.rma.(laned)
	return ok && !rank.Sleeps()
}

func (h *here) Thread() int64 { return int64(C.musubi_thread()) }

func (h *here) Yield() { C.sched_yield() }

func (h *here) Request(what abi.Demand, words *[8]int64) int64 {
	return int64(C.musubi_ask(h.front, C.int(what), (*C.int64_t)(unsafe.Pointer(words))))
}

// The memory that live ranks share is that of the world.

func (h *here) Share(int) (int, error) { return 0, errors.ErrUnsupported }

func (h *here) Unshare(int) {}

func (h *here) Map(int, int) ([]byte, int64, error) { return nil, 0, errors.ErrUnsupported }

func (h *here) Unmap([]byte, int64) {}

func (h *here) Tell(text string) {
	rank := ""
	if h.rma != nil {
		rank = fmt.Sprintf("rank %d: ", h.rma.Rank())
	}
	fmt.Fprintf(os.Stderr, "musubi: %s%s\n", rank, text)
}

func (h *here) Path(name string) string { return name }

func (h *here) Name() string {
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}

// Join joins the job that has started this process. One that nobody has started is a job of its own.
func (h *here) Join() (rma.Process, func() error, error) {
	if !live.Inside() {
		if err := beAlone(); err != nil {
			return nil, nil, err
		}
	}
	p, leave, err := live.Join(context.Background(), live.Config{})
	if err != nil {
		return nil, nil, err
	}
	h.rma = p
	if rank, ok := p.(laned); ok {
		self.Lanes = newLanes(rank, h.lanes)
		self.Reached = newReached(rank, h.lanes)
	}
	return p, func() error { return leave(nil, nil) }, nil
}

// beAlone makes this process the only rank of a job.
func beAlone() error {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	hub := free.Addr().String()
	if err := free.Close(); err != nil {
		return err
	}
	key := make([]byte, 32)
	rand.Read(key)
	for name, value := range map[string]string{"MUSUBI_RANK": "0", "MUSUBI_SIZE": "1", "MUSUBI_HUB": hub, "MUSUBI_KEY": hex.EncodeToString(key)} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

func main() {}
