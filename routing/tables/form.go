package tables

import (
	"bufio"
	"io"
	"slices"

	"musubi/routing"
	"musubi/topology"
)

// Form is a form in which switches or their tools take routing tables.
type Form struct {
	Name  string
	About string // one line
	// ByDestination forms know only paths that fork by destination; see
	// routing.Options.DestinationOnly.
	ByDestination bool
	// Files puts routes into this form. It fails if they need more than the form can say.
	Files func(*routing.Routes) ([]File, error)
	// Read reads the only file of a form; nil for forms of several files. What messages call
	// it is file.
	Read func(r io.Reader, file string, net *topology.Network) (*routing.Routes, error)
}

// OneFile reports whether the tables of a form are one file, and no directory.
func (f *Form) OneFile() bool { return f.Read != nil }

// File is a file of tables.
type File struct {
	Name  string // in a directory; empty for the only file of a form
	Write func(io.Writer) error
}

var forms = []Form{
	{"general", "one file: output port and VC by input port, VC and destination", false, generalFiles, routesOf(ReadGeneral)},
	{"rhinet2", "one file: output port by destination, VC change by pair of ports", true, rhinet2Files, routesOf(ReadRHiNET2)},
	{"infiniband", "a directory: forwarding tables, service levels and lanes, as OpenSM has them", true, infiniBandFiles, nil},
	{"opensm", "a directory: what a stock OpenSM loads: forwarding tables, QoS policy, options, and how to", true, openSMFiles, nil},
}

// Forms lists the forms of routing tables.
func Forms() []Form { return slices.Clone(forms) }

// FormNamed returns the form of that name, nil if there is none.
func FormNamed(name string) *Form {
	i := slices.IndexFunc(forms, func(f Form) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &forms[i]
}

// Read reads a file of tables that Musubi has written, of any form that is one file. Its first
// line names the form.
func Read(r io.Reader, file string, net *topology.Network) (*routing.Routes, error) {
	b := bufio.NewReader(r)
	for _, f := range forms {
		header := headerOf(f.Name)
		if beginning, _ := b.Peek(len(header)); f.Read != nil && string(beginning) == header {
			return f.Read(b, file, net)
		}
	}
	return forms[0].Read(b, file, net) // says what was expected
}

// headerOf returns how the first line of a file of tables begins.
func headerOf(form string) string { return "musubi," + form + "," }

type hasRoutes interface {
	Routes() (*routing.Routes, error)
}

// routesOf makes a reader of routes from one of tables.
func routesOf[T hasRoutes](read func(io.Reader, string, *topology.Network) (T, error)) func(io.Reader, string, *topology.Network) (*routing.Routes, error) {
	return func(r io.Reader, file string, net *topology.Network) (*routing.Routes, error) {
		t, err := read(r, file, net)
		if err != nil {
			return nil, err
		}
		return t.Routes()
	}
}

// Fit fails if routes need more than the form can say. Where there is no form, f is nil and any
// routes fit.
func (f *Form) Fit(routes *routing.Routes) error {
	if f == nil {
		return nil
	}
	_, err := f.Files(routes)
	return err
}

func generalFiles(routes *routing.Routes) ([]File, error) {
	t, err := NewGeneral(routes)
	if err != nil {
		return nil, err
	}
	return []File{{"", t.WriteCSV}}, nil
}

func rhinet2Files(routes *routing.Routes) ([]File, error) {
	t, err := NewRHiNET2(routes)
	if err != nil {
		return nil, err
	}
	return []File{{"", t.WriteCSV}}, nil
}

func infiniBandFiles(routes *routing.Routes) ([]File, error) {
	t, err := NewInfiniBand(routes)
	if err != nil {
		return nil, err
	}
	return t.Files(), nil
}

// Files are the files of the tables that "musubi verify" reads.
func (t *InfiniBand) Files() []File {
	return []File{
		{"opensm-lfts.dump", t.WriteForwarding},
		{"path-sl.txt", t.WriteLevels},
		{"opensm-sl2vl.dump", t.WriteLanes},
		{"ibdm-sl2vl.txt", t.WriteLanesIBDM},
	}
}
