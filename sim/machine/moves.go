package machine

import (
	"fmt"
	"strconv"
	"strings"

	"musubi/units"
)

// Move is a process that goes to another host during a run.
type Move struct {
	Rank int
	At   units.Time
	Host int
}

// Moves returns the migrations in the order in which they are listed. It fails if they
// are not of the form "rank@time:host, ...".
func (c *Conditions) Moves() ([]Move, error) {
	if c.Migrations == "" || c.Migrations == "none" {
		return nil, nil
	}
	var moves []Move
	for part := range strings.SplitSeq(c.Migrations, ",") {
		part = strings.TrimSpace(part)
		move, err := parseMove(part)
		if err != nil {
			return nil, fmt.Errorf("conditions.migrations: given %q, %w", part, err)
		}
		moves = append(moves, move)
	}
	return moves, nil
}

func parseMove(text string) (Move, error) {
	bad := fmt.Errorf("expected rank@time:host such as 3@1ms:12, or none")
	rank, rest, _ := strings.Cut(text, "@")
	at, host, ok := strings.Cut(rest, ":")
	var m Move
	var errRank, errHost error
	m.Rank, errRank = strconv.Atoi(rank)
	m.Host, errHost = strconv.Atoi(host)
	if !ok || errRank != nil || errHost != nil || m.Rank < 0 || m.Host < 0 {
		return m, bad
	}
	if err := m.At.UnmarshalText([]byte(at)); err != nil {
		return m, err
	}
	return m, nil
}
