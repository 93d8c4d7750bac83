package queue

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/url"

	"musubi"
	"musubi/sweep"
)

// task is a sweep.Task on its way.
type task struct {
	Scenario  musubi.Scenario `json:"scenario"`
	Breakdown bool            `json:"breakdown,omitempty"`
}

// result is a sweep.Done on its way.
type result struct {
	Outcome sweep.Outcome `json:"outcome"`
	Seconds float64       `json:"seconds"`
	Failed  string        `json:"failed,omitempty"`
}

func (r *result) done(key string) sweep.Done {
	d := sweep.Done{Key: key, Outcome: r.Outcome, Seconds: r.Seconds}
	if r.Failed != "" {
		d.Err = errors.New(r.Failed)
	}
	return d
}

// pack returns a value as compressed JSON.
func pack(v any) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// mostUnpacked bounds what a message becomes, in bytes.
const mostUnpacked = 1 << 30

// unpack reads what pack has made.
func unpack(data []byte, v any) error {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return json.NewDecoder(io.LimitReader(r, mostUnpacked)).Decode(v)
}

// hideToken returns a URL without what gives access.
func hideToken(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "the server"
	}
	u.User = nil
	return u.String()
}
