// Package format reads and writes schedules in files, in the formats of other tools, which it knows by
// their names and contents.
package format

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"musubi/report/files"
	"musubi/trace/chakra"
	"musubi/trace/goal"
	"musubi/trace/schedule"
	"musubi/trace/simgrid"
)

// format is a way to write schedules.
type format struct {
	extension string
	write     func(path string, s *schedule.Schedule) error
}

var formats = []format{
	{".goal", oneFile(goal.WriteText)},
	{".bin", oneFile(goal.WriteBinary)},
	{".et", chakra.Write},
}

// Extensions says which names Writes knows, for help and errors.
const Extensions = ".goal (GOAL), .bin (GOAL, binary) or .et (Chakra: NAME.et stands for the files NAME.RANK.et)"

// oneFile returns the writer of a format that has one file for all ranks.
func oneFile(write func(w io.Writer, s *schedule.Schedule) error) func(string, *schedule.Schedule) error {
	return func(path string, s *schedule.Schedule) error {
		return files.Write(path, func(w io.Writer) error { return write(w, s) })
	}
}

// of returns the format that the name of a file asks for, nil if it names none.
func of(path string) *format {
	for i := range formats {
		if formats[i].extension == filepath.Ext(path) {
			return &formats[i]
		}
	}
	return nil
}

// Writes reports whether Write knows the format that the name of a file asks for.
func Writes(path string) bool { return of(path) != nil }

// Write writes a schedule to a file, in the format that its name asks for.
func Write(path string, s *schedule.Schedule) error {
	f := of(path)
	if f == nil {
		return fmt.Errorf("%s: expected a name that ends in %s", path, Extensions)
	}
	return f.write(path, s)
}

// Open reads a schedule from a file, in any format, or from the files of a Chakra trace. Errors name the file.
func Open(path string) (*schedule.Schedule, error) {
	if err := mustBeFile(path); err != nil {
		return nil, err
	}
	if isChakra(path) {
		return chakra.Open(path)
	}
	if simgrid.Is(path) {
		return simgrid.Open(path)
	}
	return goal.Open(path)
}

// mustBeFile fails if there is something else than a file or a directory. A file is read more than once, to know its format and at
// each run, and to open a pipe again would wait for ever.
func mustBeFile(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() || info.IsDir() {
		return nil // what is not there is told by who reads it
	}
	return fmt.Errorf("%s is no regular file; expected a schedule in GOAL, or a trace of Chakra or SimGrid", path)
}

// isChakra reports whether a name is of a Chakra trace: a directory, a prefix of files, or one of them.
func isChakra(path string) bool {
	if ending := filepath.Ext(path); ending == ".goal" || ending == ".bin" {
		return false // whether it is there or not
	}
	info, err := os.Stat(path)
	return err != nil && os.IsNotExist(err) || err == nil && info.IsDir() || filepath.Ext(path) == ".et"
}

// Stamp returns a text that changes when the files do that Open reads.
func Stamp(path string) (string, error) {
	if err := mustBeFile(path); err != nil {
		return "", err
	}
	list := []string{path}
	if isChakra(path) {
		var err error
		if list, err = chakra.Files(path); err != nil {
			return "", err
		}
	} else if simgrid.Is(path) {
		var err error
		if list, err = simgrid.Files(path); err != nil {
			return "", err
		}
	}
	stamp := path
	for _, file := range list {
		info, err := os.Stat(file)
		if err != nil {
			return "", err
		}
		stamp = fmt.Sprint(stamp, " ", info.Size(), " ", info.ModTime().UnixNano())
	}
	return stamp, nil
}
