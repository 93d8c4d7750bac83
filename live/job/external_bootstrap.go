package job

import (
	"context"
	"crypto/rand"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"musubi/live/tcp"
	"net"
	"os"
	"strings"
	"time"
)

// bootstrap is what the ranks of a job need to find each other.
type bootstrap struct {
	Key []byte
	Hub string
}

// bootstrap finds out where the hub is and what key the job has. In rank 0 it opens the hub
// with open, which returns where that is. stop ends what other ranks are told by, when all
// have come.
func (e external) bootstrap(ctx context.Context, open func(key []byte, listen string) (address string, err error)) (m bootstrap, stop func(), err error) {
	key, err := givenKey()
	if err != nil {
		return m, nil, err
	}
	stop = func() {}
	if hub := os.Getenv(externalHub); hub != "" {
		if key == nil {
			return m, nil, fmt.Errorf("live: %s is set without a key; expected %s or %s, with %d hexadecimal digits", externalHub, externalKey, externalKeyFile, 2*tcp.KeyBytes)
		}
		m = bootstrap{key, hub}
		if e.rank == 0 {
			_, err = open(key, hub)
		}
		return m, stop, err
	}
	if e.rank == 0 {
		m.Key = key
		if key == nil {
			m.Key = make([]byte, tcp.KeyBytes)
			_, _ = rand.Read(m.Key) // never fails
		}
	}
	switch {
	case e.starter.rank == "PMI_RANK" && os.Getenv("PMI_FD") != "":
		m, err = e.bootstrapByPMI(ctx, m, key != nil, open)
	case e.jobName() != "":
		m, stop, err = e.bootstrapOnHost(ctx, m, open)
	default:
		err = fmt.Errorf("live: rank %d of %d was started by %s, which does not say where the others are; expected %s=HOST:PORT, at which rank 0 listens, and %s or %s, the same for all ranks",
			e.rank, e.size, e.starter.name, externalHub, externalKey, externalKeyFile)
	}
	if key != nil {
		m.Key = key
	}
	return m, stop, err
}

// bootstrapByPMI exchanges what is needed through mpiexec; not the key if all know it.
func (e external) bootstrapByPMI(ctx context.Context, m bootstrap, known bool, open func([]byte, string) (string, error)) (bootstrap, error) {
	const name = "musubi"
	p, err := dialPMI()
	if err != nil {
		return m, err
	}
	defer p.close()
	if e.rank == 0 {
		listen, host := "127.0.0.1:0", "127.0.0.1"
		if !equalVariables("MPI_LOCALNRANKS", "PMI_SIZE") {
			if host, err = os.Hostname(); err != nil {
				return m, fmt.Errorf("live: name of this host: %w", err)
			}
			listen = ":0"
		}
		address, err := open(m.Key, listen)
		if err != nil {
			return m, err
		}
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return m, err
		}
		m.Hub = address
		told := net.JoinHostPort(host, port)
		if !known {
			told += "/" + hex.EncodeToString(m.Key)
		}
		if err := p.put(name, told); err != nil {
			return m, err
		}
	}
	if err := p.barrier(ctx); err != nil || e.rank == 0 {
		return m, err
	}
	told, err := p.get(name)
	if err != nil {
		return m, err
	}
	var key string
	m.Hub, key, _ = strings.Cut(told, "/")
	if key != "" {
		m.Key, err = decodeKey(key, "mpiexec")
	}
	return m, err
}

// bootstrapOnHost exchanges what is needed over a socket that has a name in no file system, and
// that only processes of the same user are answered on.
func (e external) bootstrapOnHost(ctx context.Context, m bootstrap, open func([]byte, string) (string, error)) (bootstrap, func(), error) {
	name := fmt.Sprintf("@musubi-job/%d/%s", os.Geteuid(), e.jobName())
	if e.rank > 0 {
		m, err := askBootstrap(ctx, name)
		return m, func() {}, err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return m, nil, fmt.Errorf("live: listening for the other ranks: %w", err)
	}
	if m.Hub, err = open(m.Key, "127.0.0.1:0"); err != nil {
		listener.Close()
		return m, nil, err
	}
	go func() {
		for {
			conn, err := listener.AcceptUnix()
			if err != nil {
				return
			}
			go tellBootstrap(conn, m)
		}
	}()
	return m, func() { listener.Close() }, nil
}

// tellBootstrap tells another process of this user.
func tellBootstrap(conn *net.UnixConn, m bootstrap) {
	defer conn.Close()
	if user, err := userOf(conn); err != nil || user != os.Geteuid() {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	_ = gob.NewEncoder(conn).Encode(m)
}

// askBootstrap asks rank 0, as soon as it listens.
func askBootstrap(ctx context.Context, name string) (m bootstrap, err error) {
	for {
		m, err = askBootstrapOnce(ctx, name)
		if err == nil {
			return m, nil
		}
		select {
		case <-ctx.Done():
			return m, fmt.Errorf("live: looking for rank 0 on this host: %w (%w)", err, ctx.Err())
		case <-time.After(tcp.RedialAfter):
		}
	}
}

func askBootstrapOnce(ctx context.Context, name string) (m bootstrap, err error) {
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "unix", name)
	if err != nil {
		return m, err
	}
	defer conn.Close()
	user, err := userOf(conn.(*net.UnixConn))
	switch {
	case err != nil:
		return m, err
	case user != os.Geteuid():
		return m, fmt.Errorf("it is of user %d; expected %d", user, os.Geteuid())
	}
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return m, err
	}
	return m, gob.NewDecoder(conn).Decode(&m)
}
