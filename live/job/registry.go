package job

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Jobs can be asked what they do. The parent of a job, if it has one, listens on a socket
// that has a name in no file system, so that nothing of it is left behind, and tells every
// process of the same user that connects.

// registryName is how the names of these sockets begin: with the user.
func registryName() string { return fmt.Sprintf("@musubi/%d/", os.Geteuid()) }

// registered numbers the jobs of this process.
var registered atomic.Uint64

// patience is how long the two sides of a question have for it.
const patience = 5 * time.Second

// answerQuestions lets others ask what a job does, until the function that it returns
// is called: over a socket, and by SIGUSR1, upon which it is printed to standard
// error. Where there can be no such socket the job runs all the same.
func answerQuestions(describe func() *Job) (stop func()) {
	socket, err := announce(describe)
	signals := make(chan os.Signal, 1)
	notifyOfQuestions(signals)
	go func() {
		for range signals {
			_ = describe().Print(os.Stderr)
		}
	}()
	return func() {
		if err == nil {
			socket.Close()
		}
		signal.Stop(signals)
		close(signals)
	}
}

// announce lets others ask for a job. The caller closes what it returns.
func announce(describe func() *Job) (io.Closer, error) {
	name := fmt.Sprintf("%s%d/%d", registryName(), os.Getpid(), registered.Add(1))
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("live: listening for those who ask what the job does: %w", err)
	}
	go func() {
		for {
			conn, err := listener.AcceptUnix()
			if err != nil {
				return
			}
			go tellJob(conn, describe)
		}
	}()
	return listener, nil
}

// tellJob answers one question.
func tellJob(conn *net.UnixConn, describe func() *Job) {
	defer conn.Close()
	if user, err := userOf(conn); err != nil || user != os.Geteuid() && user != 0 {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	_ = json.NewEncoder(conn).Encode(describe())
}

// Jobs asks all jobs of this user on this host what they do. Those that end meanwhile,
// or do not answer in time, are left out. It fails if the system does not tell which
// there are.
func Jobs(ctx context.Context) ([]*Job, error) {
	file, err := os.Open("/proc/net/unix")
	if err != nil {
		return nil, fmt.Errorf("live: looking for jobs: %w", err)
	}
	defer file.Close()
	names, err := registryNames(file)
	if err != nil {
		return nil, fmt.Errorf("live: looking for jobs: %w", err)
	}
	var jobs []*Job
	for _, name := range names {
		if job, err := askJob(ctx, name); err == nil {
			jobs = append(jobs, job)
		}
	}
	slices.SortFunc(jobs, func(a, b *Job) int { return a.PID - b.PID })
	return jobs, ctx.Err()
}

// registryNames reads the names of sockets of this user's jobs from a table of the
// system.
func registryNames(table io.Reader) ([]string, error) {
	const (
		flagsField, nameField = 3, 7
		listening             = 1 << 16
	)
	var names []string
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) <= nameField || !strings.HasPrefix(fields[nameField], registryName()) {
			continue
		}
		if flags, err := strconv.ParseUint(fields[flagsField], 16, 64); err == nil && flags&listening != 0 {
			names = append(names, fields[nameField])
		}
	}
	return names, lines.Err()
}

// mostAnswer is the longest answer of a job, in bytes.
const mostAnswer = 1 << 20

// askJob asks one job. It does not believe a socket of another user.
func askJob(ctx context.Context, name string) (*Job, error) {
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "unix", name)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	user, err := userOf(conn.(*net.UnixConn))
	switch {
	case err != nil:
		return nil, fmt.Errorf("live: socket %s: %w", name, err)
	case user != os.Geteuid():
		return nil, fmt.Errorf("live: socket %s is of user %d; expected %d", name, user, os.Geteuid())
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	job := &Job{}
	if err := json.NewDecoder(io.LimitReader(conn, mostAnswer)).Decode(job); err != nil {
		return nil, fmt.Errorf("live: answer of job %s: %w", name, err)
	}
	return job, nil
}
