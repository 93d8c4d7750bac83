package job

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// pmi is a connection with mpiexec, by which the processes that it has started exchange
// short texts: as much of version 1 of the protocol PMI as that takes. Requests and answers
// are lines of name=value pairs, of which the first says which it is.
type pmi struct {
	file   *os.File
	lines  *bufio.Reader
	space  string // of names and texts of the job
	gaveUp bool   // an answer is still to come
}

// dialPMI takes up the connection that mpiexec has left.
func dialPMI() (*pmi, error) {
	fd, err := strconv.Atoi(os.Getenv("PMI_FD"))
	if err != nil || fd < 3 {
		return nil, fmt.Errorf("live: PMI_FD is %q; expected the number of a file", os.Getenv("PMI_FD"))
	}
	file := os.NewFile(uintptr(fd), "connection with mpiexec")
	p := &pmi{file: file, lines: bufio.NewReader(file)}
	if _, err := p.ask("init pmi_version=1 pmi_subversion=1", "response_to_init"); err != nil {
		file.Close()
		return nil, err
	}
	answer, err := p.ask("get_my_kvsname", "my_kvsname")
	if err != nil {
		file.Close()
		return nil, err
	}
	p.space = answer["kvsname"]
	return p, nil
}

// put enters a text without blanks under a name. Others see it after the next barrier.
func (p *pmi) put(name, text string) error {
	_, err := p.ask(fmt.Sprintf("put kvsname=%s key=%s value=%s", p.space, name, text), "put_result")
	return err
}

// get returns the text under a name.
func (p *pmi) get(name string) (string, error) {
	answer, err := p.ask(fmt.Sprintf("get kvsname=%s key=%s", p.space, name), "get_result")
	return answer["value"], err
}

// barrier waits for all processes, until ctx ends; then no more can be asked.
func (p *pmi) barrier(ctx context.Context) error {
	done := make(chan error, 1)
	go func() {
		_, err := p.ask("barrier_in", "barrier_out")
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		p.gaveUp = true
		return fmt.Errorf("live: waiting by mpiexec until all ranks are there: %w", ctx.Err())
	}
}

// close says that nothing more will be exchanged.
func (p *pmi) close() {
	if p.gaveUp {
		return // the one that waits for the answer has the file
	}
	_, _ = p.ask("finalize", "finalize_ack")
	p.file.Close()
}

// ask sends a request, and returns the answer.
func (p *pmi) ask(request, expected string) (map[string]string, error) {
	if _, err := fmt.Fprintf(p.file, "cmd=%s\n", request); err != nil {
		return nil, fmt.Errorf("live: asking mpiexec: %w", err)
	}
	line, err := p.lines.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("live: mpiexec does not answer: %w", err)
	}
	answer := parsePMI(line)
	if answer["cmd"] != expected || answer["rc"] != "" && answer["rc"] != "0" {
		return nil, fmt.Errorf("live: mpiexec answers %q; expected cmd=%s without an error", strings.TrimSpace(line), expected)
	}
	return answer, nil
}

// parsePMI reads the pairs of a line.
func parsePMI(line string) map[string]string {
	pairs := map[string]string{}
	for _, field := range strings.Fields(line) {
		if name, value, found := strings.Cut(field, "="); found {
			pairs[name] = value
		}
	}
	return pairs
}
