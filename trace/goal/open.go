package goal

import (
	"fmt"
	"os"

	"musubi/trace/schedule"
)

// Open reads a file in either form. Errors name the file.
func Open(path string) (*schedule.Schedule, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file; expected a schedule in GOAL", path)
	}
	head := make([]byte, 8)
	n, _ := f.ReadAt(head, 0)
	var s *schedule.Schedule
	if IsBinary(head[:n]) {
		s, err = ReadBinary(f, info.Size())
	} else {
		s, err = ReadText(f)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}
