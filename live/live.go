package live

import (
	"context"
	"io"

	"musubi/live/job"
	"musubi/live/rank"
	"musubi/live/wire"
	"musubi/rma"
)

// What a program needs of a job is in this package. How a job is described, and what it tells of
// itself, is said in package job, where these types are.
type (
	Config     = job.Config
	Host       = job.Host
	RankError  = job.RankError
	ToldError  = job.ToldError
	StuckError = job.StuckError
	Job        = job.Job
	Process    = job.Process
	State      = job.State
	Observed   = job.Observed
)

// Transports are the ways of data between ranks.
const (
	TransportAuto = job.TransportAuto // shared memory within a group, TCP between groups
	TransportShm  = job.TransportShm  // shared memory only
	TransportTCP  = job.TransportTCP  // TCP only, also between ranks of one host
	TransportUnix = job.TransportUnix // Unix-domain sockets only, between ranks of one host
)

// What ranks can be observed for.
const (
	ObserveMessages = job.ObserveMessages // see package trace/record
	ObserveCalls    = job.ObserveCalls    // see package trace/calls
)

// Ways in which ranks wait for messages.
const (
	WaitAuto  = job.WaitAuto  // they yield the processor, and sleep after some milliseconds; soon where ranks share processors
	WaitSpin  = job.WaitSpin  // they keep the processor
	WaitYield = job.WaitYield // they yield it
	WaitSleep = job.WaitSleep // they sleep soon
)

// How what ranks send each other over TCP is encrypted.
const (
	EncryptOn  = job.EncryptOn  // each frame by itself, as TLS encrypts its records
	EncryptTLS = job.EncryptTLS // by TLS, whose records have the frames
	EncryptOff = job.EncryptOff // not at all: for networks on which nobody else can listen or send
)

const (
	// MaxRanks is how many ranks a job may have.
	MaxRanks = wire.MaxRanks
	// Packet is the data of the largest packet of a message, and so the smallest receive ring, in
	// bytes.
	Packet = rank.Packet
	// MaxBOTF is the most bytes that BOTF takes.
	MaxBOTF = rank.MaxBOTF
	// UsualSSH is how other hosts are reached, if nobody says otherwise.
	UsualSSH = job.UsualSSH
)

// Run runs a program in processes of its own, as many as there are ranks, and returns the result of
// rank 0. It starts them by executing the command line of this process again. In each of these it
// joins the job, runs the program, and leaves; what has become of it there it returns there. So
// what comes after Run is done by all of them; see Main. In ranks that were started from outside,
// cfg says how data goes and how long they may be silent, and the rest of it is not looked at.
//
// The error is that of ctx, whose end kills the ranks; a *RankError; a *StuckError; in rank 0 of a
// job that was launched a *ToldError; or it says why the job could not be started.
func Run(ctx context.Context, cfg Config, program func(rma.Process) (result []byte, err error)) ([]byte, error) {
	return job.Run(ctx, cfg, program)
}

// Main is Run that ends the process in all ranks, when the program has returned, but one: rank 0 of
// a job that was launched, or that was started from outside, which has nobody else to hand the
// result to. So what comes before Main is done by every rank, and what comes after it once.
func Main(ctx context.Context, cfg Config, program func(rma.Process) (result []byte, err error)) ([]byte, error) {
	return job.Main(ctx, cfg, program)
}

// Join makes this process the rank of a job as which it was started; see Inside. The goroutine that
// calls it is the only one that may use the process. leave says what has become of the program, its
// result in rank 0 or an error, and waits until the programs of all other ranks have ended; it
// returns that error, or why another rank has failed. The process goes on.
func Join(ctx context.Context, cfg Config) (p rma.Process, leave func(result []byte, err error) error, err error) {
	m, err := job.Join(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	return m.Process, m.Leave, nil
}

// Launch runs a command in processes, as many as there are ranks, for its own sake. If it comes to
// Run, Main or Join, that makes them ranks. Other programs are just run as often. All find their
// rank and the number of ranks in the environment, as MUSUBI_RANK and MUSUBI_SIZE.
//
// Errors are as for Run. A status of a process other than 0 is a failure of its rank.
func Launch(ctx context.Context, cfg Config) error { return job.Launch(ctx, cfg) }

// Agent runs a group of ranks for a launcher on another host, which it talks to over in and out. It
// returns when all ranks have ended; they are made to when the launcher says so or is gone. It is
// for "musubi agent".
func Agent(ctx context.Context, in io.Reader, out io.Writer) error { return job.Agent(ctx, in, out) }

// Inside reports whether this process is a rank of a job, started by its parent or from outside.
func Inside() bool { return job.Inside() }

// Size returns how many ranks the job has that this process is a rank of, 0 if it is none of a job.
// It fails if a starter says that it is one, but not which, or of how many.
func Size() (int, error) { return job.Size() }

// Jobs asks all jobs of this user on this host what they do. Those that end meanwhile, or do not
// answer in time, are left out. It fails if the system does not tell which there are.
func Jobs(ctx context.Context) ([]*Job, error) { return job.Jobs(ctx) }
