package tcp

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// KeyBytes is the length of the key of a job.
const KeyBytes = 32

// Party is a process of a job: a rank, by its number, or Hub.
type Party int

// Hub is the party that tells ranks of each other.
const Hub Party = -1

const (
	hubName    = "hub"
	rankPrefix = "rank "
)

func (p Party) String() string {
	if p == Hub {
		return "the hub"
	}
	return rankPrefix + strconv.Itoa(int(p))
}

// name returns what a certificate calls a party.
func (p Party) name() string {
	if p == Hub {
		return hubName
	}
	return p.String()
}

// Authority has the key of a job, and says by it which process is which.
type Authority struct{ private ed25519.PrivateKey }

// NewAuthority derives the authority of a job from the job's key of 32 bytes.
func NewAuthority(key []byte) (*Authority, error) {
	if len(key) != KeyBytes {
		return nil, fmt.Errorf("live: key of a job with %d bytes; expected %d", len(key), KeyBytes)
	}
	seed, err := hkdf.Key(sha256.New, key, nil, "musubi live: authority of a job", ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("live: deriving the authority of the job: %w", err)
	}
	return &Authority{ed25519.NewKeyFromSeed(seed)}, nil
}

// Credential is what a party proves by who it is. It is for that party alone.
type Credential struct {
	Job         []byte // public key of the job
	Seed        []byte // of the party's own key
	Certificate []byte // of that, signed by the job's key
}

// Issue makes a key for a party, and signs it.
func (a *Authority) Issue(p Party) (Credential, error) {
	seed := make([]byte, ed25519.SeedSize)
	_, _ = rand.Read(seed) // never fails
	number := big.NewInt(int64(p) + 2)
	of := &x509.Certificate{SerialNumber: number, Subject: pkix.Name{CommonName: p.name()}}
	by := &x509.Certificate{SerialNumber: number, Subject: pkix.Name{CommonName: "job"}}
	signed, err := x509.CreateCertificate(rand.Reader, of, by, ed25519.NewKeyFromSeed(seed).Public(), a.private)
	if err != nil {
		return Credential{}, fmt.Errorf("live: signing the key of %v: %w", p, err)
	}
	return Credential{Job: a.private.Public().(ed25519.PublicKey), Seed: seed, Certificate: signed}, nil
}

// partyOf returns of which party a certificate is. It fails if a job's key has not signed it.
func partyOf(c *x509.Certificate, job ed25519.PublicKey) (Party, error) {
	if !ed25519.Verify(job, c.RawTBSCertificate, c.Signature) {
		return 0, ErrAnotherJob
	}
	if c.Subject.CommonName == hubName {
		return Hub, nil
	}
	rank, err := strconv.Atoi(strings.TrimPrefix(c.Subject.CommonName, rankPrefix))
	if err != nil {
		return 0, ErrAnotherJob // cannot be: the job's key signs nothing else
	}
	return Party(rank), nil
}
