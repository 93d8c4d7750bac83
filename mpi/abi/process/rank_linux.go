package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"musubi/mpi/abi"
	_ "musubi/mpi/abi/functions"
	"musubi/rma"

	"golang.org/x/sys/unix"
)

// rank is a process of the operating system, and the simulated rank that carries out its calls.
type rank struct {
	program *Program
	rma     rma.Process
	abi     *abi.Process
	slots   *slots
	at      *slot // of the call that is carried out
	last    int   // slot of the last call
	waiting []*thread
	running *thread // that the call belongs to; nil: threads do not call at once
	command *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	status  error         // of the process, once it has ended
	told    string        // why the program ends
	counts  bool          // the program counts its basic blocks
	called  bool          // it has called MPI
	clock   clock
	local   []unix.Iovec // for Look
	remote  []unix.RemoteIovec
	stray   error // an access to memory that the program does not have
}

func (g *Program) start(p rma.Process) (*rank, error) {
	s, file, err := newSlots()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := &rank{program: g, rma: p, slots: s, ended: make(chan struct{})}
	r.abi = abi.New(r)
	text, err := unix.MemfdCreate("standard output of a rank", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	output := os.NewFile(uintptr(text), "standard output of a rank")
	g.keep(p.Rank(), &fromBeginning{file: output})
	r.command = exec.Command(g.Command[0], g.Command[1:]...)
	r.command.ExtraFiles = []*os.File{file}
	r.command.Env = environment(p)
	r.command.Stdout, r.command.Stderr = output, g.Errors
	r.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := r.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		r.status = r.command.Wait()
		close(r.ended)
	}()
	return r, nil
}

// fromBeginning reads a file from its beginning, wherever the process that has written it stands.
type fromBeginning struct {
	file *os.File
	at   int64
}

func (f *fromBeginning) Read(data []byte) (int, error) {
	n, err := f.file.ReadAt(data, f.at)
	f.at += int64(n)
	return n, err
}

func (f *fromBeginning) Close() error { return f.file.Close() }

// kill ends the process, if it has not ended.
func (r *rank) kill() {
	select {
	case <-r.ended:
	default:
		r.command.Process.Kill() // fails if it ends meanwhile
		<-r.ended
	}
	r.slots.close()
}

// serve carries out calls until the process has ended.
func (r *rank) serve() error {
	defer r.stopThreads()
	for {
		s, err := r.next()
		if err != nil {
			return err
		}
		if s == nil {
			break
		}
		if r.slots.library != abi.FrontVersion && !r.called {
			return errors.New("its libmpi_abi.so is of another version than musubi; expected what one abi/install has installed")
		}
		if !r.called {
			r.called = true
			r.program.noteCall()
		}
		if err := r.slots.check(s); err != nil {
			return err
		}
		if err := r.spend(s); err != nil {
			return err
		}
		if err := r.take(s); err != nil {
			return err
		}
		if r.stray != nil && r.told == "" { // one that has told why it ends has no memory any more
			return r.stray
		}
	}
	select {
	case <-r.ended:
	case <-r.program.Stop:
		return errStopped
	}
	switch {
	case r.told != "":
		return errors.New(r.told)
	case r.status != nil && r.abi.State == abi.Finalized:
		r.program.fail(r.rma.Rank(), fmt.Errorf("the program has ended: %w", r.status))
	case r.status != nil && !r.called:
		return fmt.Errorf("the program has ended before it called MPI: %w", r.status)
	case r.status != nil:
		return fmt.Errorf("the program has ended: %w", r.status)
	case r.abi.Running():
		return errors.New("the program has ended without MPI_Finalize")
	}
	return nil
}

var errStopped = errors.New("interrupted")

// spend lets the simulated processor compute as long as the program has, and look at the clock. A program that counts has
// counted the beginning of main before its first call.
func (r *rank) spend(s *slot) error {
	compute := r.program.Compute
	r.counts = r.counts || s.blocks > 0
	if compute.Rate > 0 && !r.counts {
		return ErrNotCounted
	}
	d := compute.time(s.computed, s.blocks) + r.clock.time(int(s.number))
	if d > 0 && r.abi.Running() {
		r.rma.Compute(d)
	}
	return nil
}

// carryOut carries out the call in the slot that has one.
func (r *rank) carryOut() {
	s := r.at
	words := s.words
	s.result = r.abi.Call(int(s.number), words[:])
	s.give(callReturns)
}

// The rank is the host of its program.

func (r *rank) View(at uintptr, bytes int) []byte {
	data := make([]byte, bytes)
	r.Read(at, data)
	return data
}

func (r *rank) Read(at uintptr, into []byte) {
	if len(into) > 0 {
		r.transfer(at, into, unix.ProcessVMReadv)
	}
}

// Look implements abi.Host. It is no error if the program does not have the memory.
func (r *rank) Look(at []uintptr, into [][]byte) bool {
	const most = 1024 // pieces of a system call
	for len(at) > 0 {
		n := min(len(at), most)
		r.local, r.remote = r.local[:0], r.remote[:0]
		total := 0
		for i, piece := range into[:n] {
			local := unix.Iovec{Base: &piece[0]}
			local.SetLen(len(piece))
			r.local, r.remote = append(r.local, local), append(r.remote, unix.RemoteIovec{Base: at[i], Len: len(piece)})
			total += len(piece)
		}
		if copied, err := unix.ProcessVMReadv(r.command.Process.Pid, r.local, r.remote, 0); err != nil || copied != total {
			return false
		}
		at, into = at[n:], into[n:]
	}
	return true
}

func (r *rank) Store(at uintptr, data []byte) {
	if len(data) > 0 {
		r.transfer(at, data, unix.ProcessVMWritev)
	}
}

// transfer copies between this process and that of the program. A system call copies 2 GiB at most.
func (r *rank) transfer(at uintptr, data []byte, move func(pid int, local []unix.Iovec, remote []unix.RemoteIovec, flags uint) (int, error)) {
	for done := 0; done < len(data) && r.stray == nil; {
		left := data[done:]
		local := unix.Iovec{Base: &left[0]}
		local.SetLen(len(left))
		n, err := move(r.command.Process.Pid, []unix.Iovec{local}, []unix.RemoteIovec{{Base: at + uintptr(done), Len: len(left)}}, 0)
		done += max(n, 0)
		switch {
		case err != nil:
			r.stray = fmt.Errorf("a call with %d bytes at %#x: %w", len(data), at, err)
		case n == 0:
			r.stray = fmt.Errorf("a call with %d bytes at %#x, of which the program has %d", len(data), at, done)
		}
	}
}

func (r *rank) Direct() bool { return false }

func (r *rank) Simulated() bool { return true }

func (r *rank) OwnsProcessor() bool { return false }

// Request hands a request over, and carries out the calls that the program makes meanwhile.
func (r *rank) Request(what abi.Demand, words *[8]int64) int64 {
	s := r.at
	copy(s.words[:], words[:])
	s.number = int64(what)
	s.give(requestMade)
	for r.slots.await(s.isOurs, r.ended, r.program.Stop) {
		s.take()
		if s.what == requestDone {
			copy(words[:], s.words[:])
			return s.result
		}
		if r.stray = r.slots.check(s); r.stray != nil {
			return 0
		}
		r.carryOut()
	}
	return 0
}

func (r *rank) Tell(text string) { r.told = text }

// Path implements abi.Host. The program may have changed its folder.
func (r *rank) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	folder, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", r.command.Process.Pid))
	if err != nil {
		return name
	}
	return filepath.Join(folder, name)
}

func (r *rank) Name() string { return fmt.Sprintf("rank%d", r.rma.Rank()) }

func (r *rank) Join() (rma.Process, func() error, error) {
	return r.rma, func() error { return nil }, nil
}
