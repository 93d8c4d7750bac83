package cmdq

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// queueScript is what happens to a queue whose commands are words, and where its pointers
// are after each step:
//
//	step | Read Scheduled Write [| what the step yields]
//
// Scheduled is * in normal mode. The steps are:
//
//	post WORD...    post commands; yields "full" if there is no room
//	run [N]         carry out all that may be, or N commands; yields their words
//	complete N...   positions complete; with a ! as failed; yields "no" if one is not under way
//	advance N       a put arrives with a scheduling pointer step
//	take            take all completions; yields ok or the error of each
//	notice N        a put with a notice arrives; yields "wait" if it finds no place
//	notices         take all notices; yields their words
//	close           yields "no" if the queue cannot be closed
type queueScript struct {
	name   string
	config QueueConfig
	steps  string
}

func (s queueScript) test(t *testing.T) {
	q, err := NewQueue[string](s.config)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(s.steps) {
		fields := strings.Split(line, "|")
		if len(fields) < 2 {
			continue
		}
		got := []string{strings.TrimSpace(fields[0]), pointersOf(q)}
		yields, err := queueStep(q, strings.Fields(fields[0]))
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got[1] = pointersOf(q)
		want := []string{got[0], strings.TrimSpace(fields[1])}
		if yields != "" || len(fields) > 2 {
			got = append(got, yields)
			want = append(want, strings.TrimSpace(strings.Join(fields[2:], "")))
		}
		if got, want := strings.Join(got, " | "), strings.Join(want, " | "); got != want {
			t.Fatalf("%s; want %s", got, want)
		}
		if err := checkPointers(&q.Pointers, q.Entries()); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
}

func pointersOf(q *Queue[string]) string {
	scheduled := "*"
	if q.Session() || q.Closed() {
		scheduled = fmt.Sprint(q.Scheduled)
	}
	return fmt.Sprint(q.Read, " ", scheduled, " ", q.Write)
}

// checkPointers fails if positions are in an order in which they may not be.
func checkPointers(p *Pointers, entries int) error {
	if p.Taken > p.Done || p.Done > p.Read || p.Read > p.Write || p.Write > p.Taken+uint64(entries) || p.Read > p.Scheduled {
		return fmt.Errorf("pointers %+v of %d entries are out of order", *p, entries)
	}
	return nil
}

func queueStep(q *Queue[string], words []string) (yields string, err error) {
	var number int
	if len(words) == 2 && words[0] != "post" && words[0] != "complete" {
		if number, err = strconv.Atoi(words[1]); err != nil {
			return "", err
		}
	}
	switch words[0] {
	case "post":
		if !q.Post(words[1:]...) {
			return "full", nil
		}
	case "run":
		return runCommands(q, number), nil
	case "complete":
		return completeCommands(q, words[1:])
	case "advance":
		q.Arrive(number, nil)
	case "take":
		return takeCompletions(q), nil
	case "notice":
		if !q.Admit() {
			return "wait", nil
		}
		q.Arrive(0, &Notice{Word: uint64(number)})
	case "notices":
		return takeNotices(q), nil
	case "close":
		if q.Close() != nil {
			return "no", nil
		}
	default:
		return "", fmt.Errorf("step %q is not known", words[0])
	}
	return "", nil
}

// runCommands carries out up to most commands, or all for 0.
func runCommands(q *Queue[string], most int) string {
	var words []string
	for most == 0 || len(words) < most {
		_, command, ok := q.Next()
		if !ok {
			break
		}
		words = append(words, *command)
	}
	return strings.Join(words, " ")
}

func completeCommands(q *Queue[string], positions []string) (yields string, err error) {
	for _, word := range positions {
		digits, failed := strings.CutSuffix(word, "!")
		position, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			return "", err
		}
		var reason error
		if failed {
			reason = errors.New("failed")
		}
		if !q.Complete(position, reason) {
			return "no", nil
		}
	}
	return "", nil
}

func takeCompletions(q *Queue[string]) string {
	var words []string
	for {
		done, err := q.Completion()
		switch {
		case !done:
			return strings.Join(words, " ")
		case err != nil:
			words = append(words, err.Error())
		default:
			words = append(words, "ok")
		}
	}
}

func takeNotices(q *Queue[string]) string {
	var words []string
	for {
		n, ok := q.Notice()
		if !ok {
			return strings.Join(words, " ")
		}
		words = append(words, fmt.Sprint(n.Word))
	}
}
