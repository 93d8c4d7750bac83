package open

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"musubi/cmd/musubi/internal/cli"
	"musubi/live"
)

// Hosts reads a list of hosts, such as "a:2,b:2". A host without a number has one
// rank. An address of IPv6 stands in brackets.
func Hosts(list string) ([]live.Host, error) {
	var hosts []live.Host
	for entry := range strings.SplitSeq(list, ",") {
		name, number := entry, "1"
		if at := strings.LastIndexByte(entry, ':'); at > strings.LastIndexByte(entry, ']') {
			name, number = entry[:at], entry[at+1:]
		}
		host, err := newHost(name, number)
		if err != nil {
			return nil, fmt.Errorf("--hosts %s: %w", list, err)
		}
		hosts = append(hosts, host)
	}
	return hosts, nil
}

func newHost(name, number string) (live.Host, error) {
	ranks, err := strconv.Atoi(number)
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if err != nil || ranks < 1 || name == "" {
		return live.Host{}, fmt.Errorf("host %q with %q ranks; expected a name and a number from 1 on, such as node1:4", name, number)
	}
	return live.Host{Name: name, Ranks: ranks}, nil
}

// HostFile reads a file with a host in each line, and behind it how many ranks it has
// room for: a number, or slots=NUMBER as Open MPI writes it. What follows # is a comment.
func HostFile(path string) ([]live.Host, error) {
	var hosts []live.Host
	err := cli.WithFile(path, func(r io.Reader) (err error) {
		hosts, err = scanHosts(r, path)
		return err
	})
	return hosts, err
}

func scanHosts(from io.Reader, path string) ([]live.Host, error) {
	var hosts []live.Host
	lines := bufio.NewScanner(from)
	for number := 1; lines.Scan(); number++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(text)
		switch len(fields) {
		case 0:
			continue
		case 1:
			fields = append(fields, "1")
		case 2:
		default:
			return nil, fmt.Errorf("%s:%d: %q; expected a host and a number of ranks", path, number, strings.TrimSpace(text))
		}
		host, err := newHost(fields[0], strings.TrimPrefix(fields[1], "slots="))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		hosts = append(hosts, host)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s: a line is too long; expected a host and a number of ranks in each", path)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(hosts) == 0 {
		return nil, fmt.Errorf("%s: no host; expected one in each line", path)
	}
	return hosts, nil
}
