package cli

import (
	"bufio"
	"fmt"
	"io"

	"musubi/topology/networks"
)

// WithFile opens a file or a pipe for f, which reads text: a byte order mark, which editors and spreadsheets put before
// it, is no part of that.
func WithFile(path string, f func(io.Reader) error) error {
	file, err := networks.OpenFile(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r := bufio.NewReader(file)
	if head, _ := r.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		r.Discard(len(byteOrderMark)) // they are in the buffer
	}
	return f(r)
}

const byteOrderMark = "\ufeff"

// maxScenario is the size of the largest scenario file that is read, in bytes.
const maxScenario = 1 << 20

// ReadSmall reads a file or a pipe of at most maxScenario bytes.
func ReadSmall(path string) ([]byte, error) {
	var data []byte
	err := WithFile(path, func(r io.Reader) (err error) {
		data, err = io.ReadAll(io.LimitReader(r, maxScenario+1))
		return err
	})
	if len(data) > maxScenario {
		return nil, fmt.Errorf("%s is too long; expected at most %d bytes", path, maxScenario)
	}
	return data, err
}
