package memory

import (
	"fmt"
	"strconv"
	"strings"
)

// moves returns the migrations in the order in which they are listed. It fails if they
// are not of the form "rank@time:host, ...".
func (c *Conditions) moves() ([]migration, error) {
	if c.Migrations == "" || c.Migrations == "none" {
		return nil, nil
	}
	var moves []migration
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

func parseMove(text string) (migration, error) {
	bad := fmt.Errorf("expected rank@time:host such as 3@1ms:12, or none")
	rank, rest, _ := strings.Cut(text, "@")
	at, host, ok := strings.Cut(rest, ":")
	var m migration
	var errRank, errHost error
	m.rank, errRank = strconv.Atoi(rank)
	m.host, errHost = strconv.Atoi(host)
	if !ok || errRank != nil || errHost != nil || m.rank < 0 || m.host < 0 {
		return m, bad
	}
	if err := m.at.UnmarshalText([]byte(at)); err != nil {
		return m, err
	}
	return m, nil
}
