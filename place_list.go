package musubi

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"musubi/topology/networks"
)

// listed reads the hosts that a text lists, or else the file of that name.
func (p placement) listed(text string) ([]int, error) {
	l := hostList{placement: p, taken: map[int]int{}}
	if strings.Trim(text, "-0123456789:, ") == "" {
		if err := l.add(text); err != nil {
			return nil, err
		}
	} else if err := l.addFile(text); err != nil {
		return nil, err
	}
	if p.ranks != 0 && p.ranks != len(l.at) {
		return nil, fmt.Errorf("%d hosts are listed, but there are %d ranks", len(l.at), p.ranks)
	}
	return l.at, nil
}

// hostList is a list of hosts, one for each rank.
type hostList struct {
	placement
	at    []int
	taken map[int]int // ranks of each host
}

// addFile adds what the lines of a file list. A # begins a comment.
func (l *hostList) addFile(path string) error {
	file, err := networks.OpenFile(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20) // a line may list all hosts
	number := 1
	for ; lines.Scan(); number++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if strings.TrimSpace(text) == "" {
			continue
		}
		if err := l.add(text); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number, err)
	}
	if len(l.at) == 0 {
		return errors.New("the file lists no host")
	}
	return nil
}

// add adds the hosts of a list with commas; after a colon a host has the number of its ranks.
func (l *hostList) add(text string) error {
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		number, count, counted := strings.Cut(item, ":")
		h, err := strconv.Atoi(number)
		ranks := 1
		if counted {
			ranks, _ = strconv.Atoi(count)
		}
		hosts := l.net.Hosts()
		switch {
		case err != nil:
			return fmt.Errorf("%.40q is not the number of a host; expected 0 to %d", item, hosts-1)
		case h < 0 || h >= hosts:
			return fmt.Errorf("no host %d; the network has hosts 0 to %d", h, hosts-1)
		case ranks < 1:
			return fmt.Errorf("%q: %q ranks on host %d; expected 1 to %d", item, count, h, l.perHost)
		case counted && ranks > l.perHost:
			return fmt.Errorf("%q: %d ranks on host %d; a host runs %s", item, ranks, h, onlyRanks(l.perHost))
		case l.taken[h]+ranks > l.perHost:
			return fmt.Errorf("host %d is listed %s; a host runs %s", h, times(l.taken[h]+ranks), onlyRanks(l.perHost))
		}
		l.at = append(l.at, slices.Repeat([]int{h}, ranks)...)
		l.taken[h] += ranks
	}
	return nil
}

func times(n int) string {
	if n == 2 {
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

func onlyRanks(n int) string {
	if n == 1 {
		return "one rank"
	}
	return fmt.Sprintf("%d ranks", n)
}
