package tcp

import (
	"context"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"musubi/live/wire"
)

// Limits on those that have not proved yet that they belong to the job.
const (
	UsualPatience      = 5 * time.Second // for a handshake
	MaxUnauthenticated = 256             // connections at once
	crowdedShare       = 4               // of the patience: how long the oldest keeps its place if all are taken
)

// Identity proves that a process belongs to a job, and which one of it it is: by a key of its own, and
// a certificate that the job's key has signed. Keys of a connection are agreed upon anew each time (TLS
// 1.3), so that who learns the other keys later cannot read what was sent.
type Identity struct {
	config     *tls.Config
	job        ed25519.PublicKey // by which certificates are signed
	Group      uint16            // process group in packets
	Patience   time.Duration     // with handshakes
	Protection wire.Protection   // of what ranks send after they have greeted each other
	Refusals   refusals
}

// NewIdentity returns the identity that a process was given.
func NewIdentity(c Credential) (*Identity, error) {
	if len(c.Job) != ed25519.PublicKeySize || len(c.Seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("live: identity with keys of %d and %d bytes; expected %d and %d", len(c.Job), len(c.Seed), ed25519.PublicKeySize, ed25519.SeedSize)
	}
	group, err := hkdf.Key(sha256.New, c.Job, nil, "musubi live: process group", 2)
	if err != nil {
		return nil, fmt.Errorf("live: deriving the process group of the job: %w", err)
	}
	id := &Identity{
		job:      c.Job,
		Group:    binary.LittleEndian.Uint16(group),
		Patience: UsualPatience,
		Refusals: refusals{log: slog.Default()},
	}
	id.config = &tls.Config{
		MinVersion:                  tls.VersionTLS13,
		Certificates:                []tls.Certificate{{Certificate: [][]byte{c.Certificate}, PrivateKey: ed25519.NewKeyFromSeed(c.Seed)}},
		ClientAuth:                  tls.RequestClientCert,
		InsecureSkipVerify:          true, // there are no names of hosts, and one authority: verify looks at that
		VerifyConnection:            func(state tls.ConnectionState) error { _, err := id.verify(state); return err },
		SessionTicketsDisabled:      true,
		DynamicRecordSizingDisabled: true,
	}
	return id, nil
}

var (
	errNoCertificate = &refusedError{NoCertificate, errors.New("no proof that it belongs to the job")}
	ErrAnotherJob    = &refusedError{AnotherJob, errors.New("it belongs to another job")}
)

// verify returns which process of the job the other side has proved to be. It fails if that is none.
func (id *Identity) verify(state tls.ConnectionState) (Party, error) {
	if len(state.PeerCertificates) == 0 {
		return 0, errNoCertificate
	}
	return partyOf(state.PeerCertificates[0], id.job)
}

// expecting returns a configuration for a connection to one process of the job.
func (id *Identity) expecting(to Party) *tls.Config {
	config := id.config.Clone()
	config.VerifyConnection = func(state tls.ConnectionState) error {
		found, err := id.verify(state)
		if err == nil && found != to {
			err = &refusedError{AnotherParty, fmt.Errorf("it has proved to be %v; expected %v", found, to)}
		}
		return err
	}
	return config
}

// CheckRank fails unless the other end of a connection, which an acceptor has let in, has proved to be
// the rank that it says it is.
func (id *Identity) CheckRank(conn net.Conn, said int) error {
	found, err := id.verify(conn.(*tls.Conn).ConnectionState())
	if err == nil && found != Party(said) {
		err = &refusedError{AnotherParty, fmt.Errorf("it says that it is rank %d; it has proved to be %v", said, found)}
	}
	return err
}

// RedialAfter is how long dial waits until it tries again.
const RedialAfter = 50 * time.Millisecond

// Dial connects to the acceptor of some other process of the job, and returns when that has
// let this one in. It tries again, until ctx ends, if nobody listens there yet or the
// acceptor is busy; not if another job does.
func (id *Identity) Dial(ctx context.Context, address string, to Party) (*tls.Conn, error) {
	config := id.expecting(to)
	for {
		conn, err := id.dialOnce(ctx, address, config)
		if err == nil {
			return conn, nil
		}
		var refused *refusedError
		if errors.As(err, &refused) {
			return nil, fmt.Errorf("live: connecting to %s: %w", address, err)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("live: connecting to %s: %w (%w)", address, err, context.Cause(ctx))
		case <-time.After(RedialAfter):
		}
	}
}

func (id *Identity) dialOnce(ctx context.Context, address string, config *tls.Config) (*tls.Conn, error) {
	ctx, cancel := Patience(ctx, id.Patience)
	defer cancel()
	var dialer net.Dialer
	raw, err := dialer.DialContext(ctx, networkOf(address), address)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(newSocket(raw), config)
	if err := shake(ctx, conn, awaitWelcome); err != nil {
		raw.Close()
		return nil, err
	}
	return conn, nil
}

// shake does the handshake of a connection and then something else, until ctx ends.
func shake(ctx context.Context, conn *tls.Conn, then func(net.Conn) error) error {
	interrupt := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	err := conn.HandshakeContext(ctx)
	if err == nil {
		err = then(conn)
	}
	if !interrupt() {
		return context.Cause(ctx)
	}
	return err
}

// welcome is what an acceptor says to those that it lets in. Without it the side that has
// dialled would not know: its own handshake ends first.
const welcome = 'M'

func sayWelcome(conn net.Conn) error {
	_, err := conn.Write([]byte{welcome})
	return err
}

func awaitWelcome(conn net.Conn) error {
	var b [1]byte
	if _, err := conn.Read(b[:]); err != nil {
		return err
	}
	if b[0] != welcome {
		return fmt.Errorf("the other side says %#x; expected a welcome, %#x", b[0], welcome)
	}
	return nil
}

// LogTo makes a log the one of what is refused.
func (id *Identity) LogTo(log *slog.Logger) { id.Refusals.log = log }

// Certificates are those by which a process proves that it belongs to the job.
func (id *Identity) Certificates() []tls.Certificate { return id.config.Certificates }
