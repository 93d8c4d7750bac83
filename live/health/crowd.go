package health

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"musubi/live/shm"
)

// Ranks that share processors yield them while they wait, and sleep instead where each yield would let another program
// compute for all of its time. Only over some time can it be seen whether there is one: whoever keeps the clock of a group
// compares for how long the processors have computed, and for how long the ranks.

const (
	crowdEvery = 100 * time.Millisecond
	// crowdShare is the part of a processor that other programs take where a host is crowded. The system counts the time of
	// processors in ticks of tickTime.
	crowdShare = 4
	tickTime   = 10 * time.Millisecond
)

// crowdDetector tells a group whether its host is crowded.
type crowdDetector struct {
	job  *shm.Region
	at   time.Time             // of the last look
	busy time.Duration         // for which processors had computed then
	own  map[int]time.Duration // for which this process and those of ranks had, by their numbers
}

// newCrowdDetector looks for the first time, before there are ranks. Until it is known better the host is not crowded, if the
// system will tell.
func newCrowdDetector(job *shm.Region, now time.Time) *crowdDetector {
	d := &crowdDetector{job: job, at: now, own: ownTimes(nil)}
	if !d.matters() {
		return d
	}
	var err error
	if d.busy, err = busyTime(); err == nil {
		job.Header.Alone.Store(1)
	}
	return d
}

// matters reports whether the ranks share processors, and are all of a job. In a larger one what serves connections needs the
// processors, too, and there may be a group for each rank.
func (d *crowdDetector) matters() bool { return d.job.Header.Sleeps != 0 && d.job.IsWhole() }

// look compares with the last look, if that was long enough ago and all ranks are there.
func (d *crowdDetector) look(now time.Time) {
	h := d.job.Header
	if !d.matters() || uint64(h.Joined.Load()) < h.Local || now.Sub(d.at) < crowdEvery {
		return
	}
	busy, err := busyTime()
	if err != nil {
		return
	}
	own := ownTimes(d.job)
	if others, known := d.othersSince(busy, own); known {
		alone := uint32(0)
		if others <= now.Sub(d.at)/crowdShare {
			alone = 1
		}
		h.Alone.Store(alone)
	}
	d.at, d.busy, d.own = now, busy, own
}

// othersSince returns for how long others have computed since the last look. Of a process that has ended since, nobody knows any
// more how long it has.
func (d *crowdDetector) othersSince(busy time.Duration, own map[int]time.Duration) (others time.Duration, known bool) {
	others = busy - d.busy
	for pid, t := range own {
		others -= t - d.own[pid]
	}
	for pid := range d.own {
		if _, runs := own[pid]; !runs {
			return 0, false
		}
	}
	return others, true
}

// ownTimes returns for how long this process and those of the ranks of a group, if it has any yet, have computed.
func ownTimes(job *shm.Region) map[int]time.Duration {
	times := map[int]time.Duration{os.Getpid(): 0}
	if job != nil {
		for _, rank := range job.Locals() {
			times[job.Pid(rank)] = 0
		}
	}
	for pid := range times {
		if t, err := shm.ProcessTime(pid); err == nil {
			times[pid] = t
		} else {
			delete(times, pid)
		}
	}
	return times
}

// busyTime returns for how long all processors of the host have computed for programs.
func busyTime() (time.Duration, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	return busyIn(text)
}

// busyIn returns what busyTime does of the text of /proc/stat.
func busyIn(text []byte) (time.Duration, error) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := bytes.Fields(line) // "cpu", and ticks: of programs, of nice ones, in the system, ...
	if len(fields) < 4 {
		return 0, fmt.Errorf("live: /proc/stat begins with %q; expected the times of processors", line)
	}
	var ticks int64
	for _, field := range fields[1:4] {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("live: /proc/stat begins with %q; expected the times of processors", line)
		}
		ticks += n
	}
	return time.Duration(ticks) * tickTime, nil
}
