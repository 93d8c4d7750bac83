package tcp

import (
	"context"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"time"
)

// KeyBytes is the length of the key of a job.
const KeyBytes = 32

// Limits on those that have not proved yet that they belong to the job.
const (
	UsualPatience      = 5 * time.Second // for a handshake
	MaxUnauthenticated = 256             // connections at once
	crowdedShare       = 4               // of the patience: how long the oldest keeps its place if all are taken
)

// Identity proves that a process belongs to a job. All processes of a job derive the
// same pair of keys from the secret of the job, and take nobody for one of theirs who
// does not prove that it has it too. Keys of a connection are agreed upon anew each
// time (TLS 1.3), so that who learns the secret later cannot read what was sent.
type Identity struct {
	config   *tls.Config
	public   ed25519.PublicKey
	Group    uint16        // process group in packets
	Patience time.Duration // with handshakes
	Plain    bool          // what ranks send after they have greeted each other is not encrypted
	Refusals refusals
}

// NewIdentity derives the identity of a job from its key of 32 bytes.
func NewIdentity(key []byte) (*Identity, error) {
	if len(key) != KeyBytes {
		return nil, fmt.Errorf("live: key of a job with %d bytes; expected %d", len(key), KeyBytes)
	}
	seed, err := hkdf.Key(sha256.New, key, nil, "musubi live: identity of a job", ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("live: deriving the identity of the job: %w", err)
	}
	group, err := hkdf.Key(sha256.New, key, nil, "musubi live: process group", 2)
	if err != nil {
		return nil, fmt.Errorf("live: deriving the process group of the job: %w", err)
	}
	private := ed25519.NewKeyFromSeed(seed)
	id := &Identity{
		public:   private.Public().(ed25519.PublicKey),
		Group:    binary.LittleEndian.Uint16(group),
		Patience: UsualPatience,
		Refusals: refusals{log: slog.Default()},
	}
	certificate, err := selfSigned(private)
	if err != nil {
		return nil, fmt.Errorf("live: making the certificate of the job: %w", err)
	}
	id.config = &tls.Config{
		MinVersion:                  tls.VersionTLS13,
		Certificates:                []tls.Certificate{certificate},
		ClientAuth:                  tls.RequestClientCert,
		InsecureSkipVerify:          true, // there is no authority: verify looks at the key itself
		VerifyConnection:            id.verify,
		SessionTicketsDisabled:      true,
		DynamicRecordSizingDisabled: true,
	}
	return id, nil
}

// selfSigned returns a certificate that says nothing but the key.
func selfSigned(key ed25519.PrivateKey) (tls.Certificate, error) {
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

var (
	errNoCertificate = &refusedError{NoCertificate, errors.New("no proof that it belongs to the job")}
	ErrAnotherJob    = &refusedError{AnotherJob, errors.New("it belongs to another job")}
)

// verify fails if the other side has not proved that it has the key of the job.
func (id *Identity) verify(state tls.ConnectionState) error {
	if len(state.PeerCertificates) == 0 {
		return errNoCertificate
	}
	if !id.public.Equal(state.PeerCertificates[0].PublicKey) {
		return ErrAnotherJob
	}
	return nil
}

// RedialAfter is how long dial waits until it tries again.
const RedialAfter = 50 * time.Millisecond

// Dial connects to the acceptor of another process of the job, and returns when that has
// let this one in. It tries again, until ctx ends, if nobody listens there yet or the
// acceptor is busy; not if another job does.
func (id *Identity) Dial(ctx context.Context, address string) (*tls.Conn, error) {
	for {
		conn, err := id.dialOnce(ctx, address)
		if err == nil {
			return conn, nil
		}
		var refused *refusedError
		if errors.As(err, &refused) {
			return nil, fmt.Errorf("live: connecting to %s: %w", address, err)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("live: connecting to %s: %w (%w)", address, err, ctx.Err())
		case <-time.After(RedialAfter):
		}
	}
}

func (id *Identity) dialOnce(ctx context.Context, address string) (*tls.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, id.Patience)
	defer cancel()
	var dialer net.Dialer
	raw, err := dialer.DialContext(ctx, networkOf(address), address)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(newSocket(raw), id.config)
	if err := shake(ctx, conn, awaitWelcome); err != nil {
		raw.Close()
		return nil, err
	}
	return conn, nil
}

// shake does the handshake of a connection and then something else, until ctx ends.
func shake(ctx context.Context, conn *tls.Conn, then func(net.Conn) error) error {
	if err := conn.HandshakeContext(ctx); err != nil {
		return err
	}
	end, _ := ctx.Deadline()
	if err := conn.SetDeadline(end); err != nil {
		return err
	}
	if err := then(conn); err != nil {
		return err
	}
	return conn.SetDeadline(time.Time{})
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
