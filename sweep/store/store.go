// Package store keeps the outcomes of sweeps in a file, so that a sweep that was stopped goes on where
// it was. The file is a SQLite database with one table, runs, for other tools to read.
package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"musubi/sweep"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Store is an open file. It implements sweep.Keeper. Several processes can have a file open.
type Store struct {
	db   *sql.DB
	path string
}

// schema is the table of runs: scenario and outcome are JSON, seconds is how long the run took, ended
// when it did.
const schema = `CREATE TABLE IF NOT EXISTS runs (
	key TEXT PRIMARY KEY,
	scenario TEXT NOT NULL,
	outcome TEXT NOT NULL,
	seconds REAL NOT NULL,
	ended TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT`

// Open opens a file, and makes it if there is none.
func Open(path string) (*Store, error) {
	// What has been committed survives the end of the process at any time, and of the system.
	name := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: "_pragma=busy_timeout(60000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(schema); err != nil {
		return nil, errors.Join(fmt.Errorf("%s cannot be the store of a sweep: %s; expected a file that musubi sweep has made, or none", path, oneLine(err)), db.Close())
	}
	return &Store{db, path}, nil
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Kept implements sweep.Keeper.
func (s *Store) Kept(key string) (*sweep.Outcome, error) {
	var text string
	switch err := s.db.QueryRow("SELECT outcome FROM runs WHERE key = ?", key).Scan(&text); {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	o := new(sweep.Outcome)
	if err := json.Unmarshal([]byte(text), o); err != nil {
		return nil, fmt.Errorf("%s: the outcome of run %s is not one: %w", s.path, key, err)
	}
	return o, nil
}

// Keep implements sweep.Keeper.
func (s *Store) Keep(t sweep.Task, d sweep.Done) error {
	scenario, err := json.Marshal(t.Scenario)
	if err != nil {
		return err
	}
	outcome, err := json.Marshal(d.Outcome)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(context.Background(), "INSERT INTO runs (key, scenario, outcome, seconds) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
		d.Key, string(scenario), string(outcome), d.Seconds)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}

// Count returns how many outcomes are kept.
func (s *Store) Count() (n int, err error) {
	err = s.db.QueryRow("SELECT count(*) FROM runs").Scan(&n)
	return n, err
}
