package queue

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Server is a NATS server with JetStream inside this process.
type Server struct {
	URL    string // with the token that gives access
	server *server.Server
}

// mostPayload is the size of the largest message, in bytes.
const mostPayload = 32 << 20

// startTime is how long a server may take to start.
const startTime = 30 * time.Second

// Serve starts a server that listens at an address, such as host:4222, and keeps its messages in a
// folder. Workers need the token of its URL, which stays in the folder as well, so that they find the
// server again after a restart.
func Serve(address, folder string) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	number, errPort := strconv.Atoi(port)
	if err != nil || errPort != nil || number < 0 || number > 65535 {
		return nil, fmt.Errorf("address %q; expected host:port, such as 10.0.0.1:4222", address)
	}
	if number == 0 {
		number = server.RANDOM_PORT
	}
	token, err := tokenIn(folder)
	if err != nil {
		return nil, err
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "musubi", Host: host, Port: number, Authorization: token,
		JetStream: true, StoreDir: folder, SyncAlways: true, MaxPayload: mostPayload, MaxPending: 4 * mostPayload,
		NoLog: true, NoSigs: true,
	})
	if err != nil {
		return nil, err
	}
	go s.Start()
	if !s.ReadyForConnections(startTime) {
		s.Shutdown()
		return nil, fmt.Errorf("no server could be started at %s; expected an address of this computer that nobody listens at, and a folder %s to write to", address, folder)
	}
	u := url.URL{Scheme: "nats", User: url.User(token), Host: s.Addr().String()}
	return &Server{u.String(), s}, nil
}

// Close ends the server. What waits in it stays in its folder.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// tokenIn returns the token that a folder has, or puts one there.
func tokenIn(folder string) (string, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(folder, "token")
	text, err := os.ReadFile(path)
	if err == nil && strings.TrimSpace(string(text)) != "" {
		return strings.TrimSpace(string(text)), nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	token := rand.Text()
	return token, os.WriteFile(path, []byte(token+"\n"), 0o600)
}
