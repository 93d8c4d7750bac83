package view

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"time"

	"musubi/routing"
	"musubi/routing/adaptive"
	"musubi/sim/machine"
	"musubi/topology/networks"
	"musubi/workload/programs"
)

//go:embed assets
var assets embed.FS

// Server serves the page.
type Server struct {
	listener net.Listener
	token    string
	networks cache
	runs     runs
}

// Listen opens a port of this computer: of an address such as 127.0.0.1:0, where port 0 is any that
// is free. It fails for addresses that others reach.
func Listen(address string) (*Server, error) {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--listen %s; expected an address of this host alone, such as 127.0.0.1:0", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return &Server{listener: listener, token: newToken()}, nil
}

// URL is where the page is. Whoever has it can use the page, so it is for the user alone.
func (s *Server) URL() string {
	return fmt.Sprintf("http://%v/%s/", s.listener.Addr(), s.token)
}

// Serve answers until the context is done, and then stops the runs.
func (s *Server) Serve(ctx context.Context) error {
	defer s.runs.stopAll()
	server := &http.Server{
		Handler:           guard(s.listener.Addr().String(), http.StripPrefix("/"+s.token, s.handler())),
		ReadHeaderTimeout: 10 * time.Second,
	}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// handler has all addresses below the token.
func (s *Server) handler() http.Handler {
	page, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // assets is embedded
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(page))
	mux.HandleFunc("GET /api/choices", answer(choices))
	mux.HandleFunc("GET /api/network", answer(s.network))
	mux.HandleFunc("GET /api/way", answer(s.way))
	mux.HandleFunc("GET /api/deadlock", answer(s.deadlock))
	mux.HandleFunc("POST /api/runs", answer(s.start))
	mux.HandleFunc("GET /api/runs/{id}", answer(s.state))
	mux.HandleFunc("POST /api/runs/{id}/stop", answer(s.stop))
	mux.HandleFunc("GET /api/beside", answer(s.beside))
	mux.HandleFunc("GET /api/figures/{number}", s.figure)
	return mux
}

// answer makes a handler of a function that returns what to write as JSON, or an error that the page
// shows.
func answer[T any](f func(r *http.Request) (T, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		value, err := f(r)
		w.Header().Set("Content-Type", "application/json")
		if err != nil {
			w.WriteHeader(http.StatusUnprocessableEntity)
			json.NewEncoder(w).Encode(map[string]string{"error": oneLine(err)})
			return
		}
		json.NewEncoder(w).Encode(value)
	}
}

// oneLine is an error as one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// mostBody is how many bytes a request may have.
const mostBody = 1 << 16

// read reads the JSON of a request.
func read(r *http.Request, into any) error {
	d := json.NewDecoder(io.LimitReader(r.Body, mostBody))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// choice is something that can be chosen.
type choice struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

// parameter is what can be set of a workload.
type parameter struct {
	Name    string `json:"name"`
	Default string `json:"default"`
	Help    string `json:"help"`
}

// program is a workload that can be run.
type program struct {
	choice
	Parameters []parameter `json:"parameters"`
}

// allChoices is all that the page offers.
type allChoices struct {
	Networks  []string  `json:"networks"`
	Routings  []choice  `json:"routings"`
	Machines  []choice  `json:"machines"`
	Workloads []program `json:"workloads"`
}

func choices(*http.Request) (allChoices, error) {
	c := allChoices{Networks: networks.Examples()}
	for _, a := range routing.Algorithms() {
		c.Routings = append(c.Routings, choice{a.Name, a.Summary})
	}
	for _, a := range adaptive.All() {
		c.Routings = append(c.Routings, choice{a.Name, a.Summary})
	}
	for _, m := range machine.All() {
		c.Machines = append(c.Machines, choice{m.Name, m.Title})
	}
	for _, w := range programs.All() {
		p := program{choice: choice{w.Name, w.Summary}}
		for _, q := range w.Params {
			p.Parameters = append(p.Parameters, parameter{q.Name, q.Default, q.Help})
		}
		c.Workloads = append(c.Workloads, p)
	}
	return c, nil
}
