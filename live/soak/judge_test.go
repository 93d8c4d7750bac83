//go:build linux

package soak

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"musubi/live"
)

// judge compares the error that a job has ended with.
func (j *job) judge(err error) error {
	if j.trouble == nothing {
		if err != nil {
			return fmt.Errorf("it ends with %w", err)
		}
		return nil
	}
	var failed *live.RankError
	if !errors.As(err, &failed) || !j.mayName(failed.Rank) {
		return fmt.Errorf("it ends with %v; want an error that names rank %d", err, j.victim)
	}
	want := map[trouble]string{killed: "killed", failing: errOnPurpose.Error()}[j.trouble]
	if !strings.Contains(failed.Error(), want) {
		return fmt.Errorf("it ends with %v; want that it tells of %q", err, want)
	}
	return nil
}

// mayName reports whether an error may name a rank: the victim, or any if none is one.
func (j *job) mayName(rank int) bool { return rank == j.victim || j.trouble == parted }

// survivors fails if ranks that have begun were not told which rank has failed.
func (j *job) survivors() error {
	output := j.output()
	for rank := range j.processes {
		want := regexp.MustCompile(fmt.Sprintf(`(?m)^rank %d: done$`, rank))
		switch j.trouble {
		case nothing:
		case parted:
			want = regexp.MustCompile(fmt.Sprintf(`(?m)^rank %d: told: .*live: .*\b(rank \d|launcher)\b`, rank))
		default:
			want = regexp.MustCompile(fmt.Sprintf(`(?m)^rank %d: told: .*live: .*\brank %d\b`, rank, j.victim))
		}
		if (j.trouble == nothing || j.trouble == parted || rank != j.victim) && !want.MatchString(output) {
			return fmt.Errorf("rank %d does not say what matches %v", rank, want)
		}
	}
	return nil
}
