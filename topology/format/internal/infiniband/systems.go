package infiniband

import (
	"fmt"
	"io/fs"
	"musubi/topology/format/internal/scan"
	"strings"
)

// systemLibrary finds the IBNL files of types of systems.
type systemLibrary struct {
	dirs  []fs.FS
	files map[string]systemFile // by type; nil: the directories have not been looked at
	read  map[systemFile]*ibnlFile
}

type systemFile struct {
	dir  int
	name string
}

// maxIBNL is the largest IBNL file that is read, in bytes.
const maxIBNL = 16 << 20

// lookup returns what is known of a type of systems, nil if there is no file of it.
func (l *systemLibrary) lookup(kind string) (*ibnlFile, error) {
	if l.files == nil {
		if err := l.index(); err != nil {
			return nil, err
		}
	}
	at, ok := l.files[kind]
	if !ok {
		return nil, nil
	}
	if f := l.read[at]; f != nil {
		return f, nil
	}
	text, err := l.text(at)
	if err != nil {
		return nil, err
	}
	f, err := parseIBNL(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", at.name, err)
	}
	l.read[at] = f
	return f, nil
}

// index notes which file describes which types. The first directory that has one counts.
func (l *systemLibrary) index() error {
	l.files, l.read = make(map[string]systemFile), make(map[systemFile]*ibnlFile)
	for i, dir := range l.dirs {
		names, err := fs.Glob(dir, "*.ibnl")
		if err != nil {
			return err
		}
		for _, name := range names {
			at := systemFile{i, name}
			text, err := l.text(at)
			if err != nil {
				return err
			}
			m := ibnlTop().FindStringSubmatch(text)
			if m == nil {
				continue
			}
			for kind := range strings.SplitSeq(m[1], ",") {
				kind = strings.TrimSpace(kind)
				if _, known := l.files[kind]; !known {
					l.files[kind] = at
				}
			}
		}
	}
	return nil
}

func (l *systemLibrary) text(at systemFile) (string, error) {
	info, err := fs.Stat(l.dirs[at.dir], at.name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxIBNL {
		return "", fmt.Errorf("%s: expected a file of at most %d bytes", at.name, maxIBNL)
	}
	data, err := fs.ReadFile(l.dirs[at.dir], at.name)
	return scan.Valid(data), err
}
