package job

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"musubi/live/tcp"
	"musubi/live/wire"
	"musubi/tuning"
)

// spec is what a process is told of its job. A parent tells it over an inherited file,
// so that the key is in no command line and no environment.
type spec struct {
	Rank  int
	Host  string         // that it runs on, as the user calls it; "" if it has no other name than its own
	Size  int            // ranks of the job
	Self  tcp.Credential // by which it proves who it is; nothing if nothing leaves its memory
	Hub   string         // where the hub is, as host:port; "" if there is none
	HubOf int            // rank in whose process the hub is; noRank: in the launcher
	Bound time.Duration  // how long a peer may be silent; 0: for ever

	Protects wire.Protection // what ranks send each other over connections
	Unix     bool            // these are Unix-domain sockets, not TCP

	CPU      int           // processor that it keeps to; or noBinding
	Observe  string        // see Config
	Tuning   tuning.Choice // by which all ranks choose algorithms
	Launched bool          // Run returns in rank 0, as nobody else wants the result
	Parent   int           // process that has started the ranks of this host; 0: none that tells the hub how it ends
}

// isWatched reports whether the hub is told how this process ends. Of one that is not the
// child of the parent itself, as there is a script between, it is not.
func (s spec) isWatched() bool { return s.Parent != 0 && s.Parent == os.Getppid() }

// noBinding is a processor that is none.
const noBinding = -1

// file returns a spec as a file that a process can inherit and read once. It is written meanwhile, as measurements may be
// longer than what a pipe holds; not to the end, if no process is left that could read it.
func (s spec) file() (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() {
		defer write.Close()
		_ = gob.NewEncoder(write).Encode(s)
	}()
	return read, nil
}

// inheritSpec reads the spec that a parent has left.
func inheritSpec() (spec, error) {
	file := os.NewFile(specFile, "spec of the job")
	defer file.Close()
	var s spec
	err := gob.NewDecoder(file).Decode(&s)
	if errors.Is(err, io.EOF) { // a script has run a rank before
		return s, errTwice
	}
	if err != nil {
		return s, fmt.Errorf("live: %s is set, but no parent tells of a job: %w", RankVariable, err)
	}
	return s, nil
}

// hostName returns the name of the host that the rank runs on.
func (s spec) hostName() string {
	if s.Host != "" {
		return s.Host
	}
	name, err := os.Hostname()
	if err != nil {
		return "an unknown host"
	}
	return name
}
