package files

import (
	"slices"

	"musubi/mpi/abi"
	"musubi/mpi/abi/standard"
	"musubi/mpi/abi/typemap"
	"musubi/mpi/internal/reduction"
)

func init() {
	abi.Add(map[string]func(c *abi.Call) error{
		"MPI_File_set_view":        onFile(setView),
		"MPI_File_get_view":        onFile(getView),
		"MPI_File_get_byte_offset": onFile(byteOffset),
		"MPI_File_get_type_extent": onFile(typeExtent),
		"MPI_Register_datarep":     register,
	})
}

// representations are how files represent data. The internal one is the native one: it is for files that Musubi reads again. So
// are those of the program.
var representations = []string{"native", "internal", "external32"}

// register lets the program give the native representation another name. With functions that convert data it is refused.
func register(c *abi.Call) error {
	name := c.Text(c.Words[0])
	switch {
	case name == "" || len(name) > standard.MaxDatarepString:
		return abi.Wrong(standard.ErrArg, "a representation whose name has %d bytes; expected 1 to %d", len(name), standard.MaxDatarepString)
	case slices.Contains(representations, name) || slices.Contains(c.Representations, name):
		return abi.Wrong(standard.ErrDupDatarep, "representation %q, which there is", name)
	case c.Words[1] != standard.ConversionFnNull || c.Words[2] != standard.ConversionFnNull:
		return abi.Wrong(standard.ErrUnsupportedOperation, "representation %q with functions that convert; expected MPI_CONVERSION_FN_NULL for both", name)
	}
	c.Representations = append(c.Representations, name)
	return nil
}

// viewOfBytes is that of a file that has been opened.
func viewOfBytes(p *abi.Process) abi.FileView {
	b := p.TypeAt(standard.Byte)
	return abi.FileView{Etype: b, Filetype: b, Representation: "native", Unit: 1, Bytes: b.Tile(0)}
}

// inFile returns how many bytes an element of a type has in a file.
func inFile(v *abi.FileView, t *abi.Datatype) int {
	if v.External {
		return t.ExternalSize()
	}
	return t.Size
}

// viewAt reads a view from words 1 to 4.
func viewAt(c *abi.Call, f *abi.File) (v abi.FileView, err error) {
	v.Begin = c.At(1)
	if v.Etype, err = c.Datatype(2); err != nil {
		return v, err
	}
	if v.Filetype, err = c.Datatype(3); err != nil {
		return v, err
	}
	v.Representation = c.Text(c.Words[4])
	sequential := f.Mode&standard.ModeSequential != 0
	switch t := v.Filetype; {
	case v.Begin == standard.DisplacementCurrent && !sequential:
		return v, abi.Wrong(standard.ErrArg, "MPI_DISPLACEMENT_CURRENT for %s; expected MPI_MODE_SEQUENTIAL, or bytes", f.Name)
	case v.Begin < 0 && v.Begin != standard.DisplacementCurrent:
		return v, abi.Wrong(standard.ErrArg, "a view of %s from byte %d on; expected at least 0", f.Name, v.Begin)
	case !slices.Contains(representations, v.Representation) && !slices.Contains(c.Representations, v.Representation):
		return v, abi.Wrong(standard.ErrUnsupportedDatarep, "representation %q; expected one of %v", v.Representation, slices.Concat(representations, c.Representations))
	case !v.Etype.Committed || !t.Committed:
		return v, abi.Wrong(standard.ErrType, "a datatype that has not been committed")
	case v.Etype.Size > 0 && t.Size%v.Etype.Size != 0:
		return v, abi.Wrong(standard.ErrType, "a filetype of %d bytes of data; expected a multiple of the %d of the etype", t.Size, v.Etype.Size)
	}
	for _, t := range []*abi.Datatype{v.Etype, v.Filetype} {
		if err := checkShown(f, t); err != nil {
			return v, err
		}
	}
	v.External = v.Representation == "external32"
	v.Unit = inFile(&v, v.Etype)
	return v, nil
}

// checkShown fails for a type of which a view cannot be made (MPI 5.0, section 14.1.1).
func checkShown(f *abi.File, t *abi.Datatype) error {
	order := t.Order()
	switch {
	case t.Size > 0 && t.TrueLow < 0:
		return abi.Wrong(standard.ErrIo, "a view of %s by a datatype with data at displacement %d; expected none before 0", f.Name, t.TrueLow)
	case !order.Monotonic:
		return abi.Wrong(standard.ErrIo, "a view of %s by a datatype whose displacements go back; expected none that is less than one before", f.Name)
	case !order.Apart && f.Mode&standard.ModeRdonly == 0:
		return abi.Wrong(standard.ErrIo, "a view of %s by a datatype whose data overlaps; expected MPI_MODE_RDONLY, or data that does not", f.Name)
	}
	return nil
}

// tile finds the bytes of a view that is complete else.
func tile(v *abi.FileView) error {
	t := v.Filetype
	switch bytes := inFile(v, t); {
	case bytes == t.Size:
		v.Bytes = t.Tile(v.Begin)
	case t.Simple:
		v.Bytes = typemap.TileBytes(bytes, v.Begin)
	default:
		return abi.Wrong(standard.ErrUnsupportedDatarep, "external32 for a filetype with gaps, of which %d bytes are %d there; expected types that are as long there, or no gaps", t.Size, bytes)
	}
	return nil
}

func setView(c *abi.Call, f *abi.File) error {
	if err := noSplit(f); err != nil {
		return err
	}
	v, err := viewAt(c, f)
	info, wrong := infoAt(c, 5)
	if err == nil {
		err = wrong
	}
	if err == nil && v.Begin != standard.DisplacementCurrent {
		err = tile(&v)
	}
	etype := 0
	if v.Etype != nil {
		etype = v.Etype.Extent()
	}
	if err := agree(c, f.Comm(), err, fact{"an etype of an extent of", etype}, fact{"representation", slices.Index(representations, v.Representation)}); err != nil {
		return err
	}
	if v.Begin == standard.DisplacementCurrent {
		at, err := changeShared(c, f, 0, reduction.NoOpID)
		if err != nil {
			return err
		}
		v.Begin = f.View.Begin
		if !f.View.Bytes.IsEmpty() {
			v.Begin = f.View.Bytes.Place(at)
		}
		if err := agree(c, f.Comm(), tile(&v)); err != nil { // and all have seen the pointer
			return err
		}
	}
	f.View, f.At = v, 0
	f.Info.Merge(info)
	return setShared(c, f, 0)
}

func getView(c *abi.Call, f *abi.File) error {
	c.PutWord(c.Words[1], int64(f.View.Begin))
	for i, t := range []*abi.Datatype{f.View.Etype, f.View.Filetype} {
		if !t.Predefined {
			n := t.Clone(abi.Envelope{Combiner: standard.CombinerDup, Types: []*abi.Datatype{t}})
			n.Committed = true
			n.Handle = c.Types.Add(n)
			t = n
		}
		c.PutWord(c.Words[2+i], t.Handle)
	}
	c.PutText(c.Words[4], f.View.Representation, standard.MaxDatarepString)
	return nil
}

func byteOffset(c *abi.Call, f *abi.File) error {
	if err := notSequential(f); err != nil {
		return err
	}
	from, err := offset(f, c.At(1))
	if err != nil {
		return err
	}
	at := f.View.Begin
	if !f.View.Bytes.IsEmpty() {
		at = f.View.Bytes.Place(from)
	}
	c.PutWord(c.Words[2], int64(at))
	return nil
}

// typeExtent tells the extent of a type in the file.
func typeExtent(c *abi.Call, f *abi.File) error {
	t, err := c.Datatype(1)
	if err != nil {
		return err
	}
	extent, bytes := t.Extent(), inFile(&f.View, t)
	if bytes != t.Size {
		if extent = bytes; !t.Simple {
			return abi.Wrong(standard.ErrUnsupportedDatarep, "external32 for a datatype with gaps, of which %d bytes are %d there; expected one without", t.Size, bytes)
		}
	}
	c.PutWord(c.Words[2], int64(extent))
	return nil
}
