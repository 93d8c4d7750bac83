package reproduce

// clockTable is a table of the papers that lists a passage through the card clock by
// clock, for a packet with 8 bytes of data.
type clockTable struct {
	item, path, mechanism string
	steps                 []clockStep
	total                 float64
}

// clockStep is a line of a clock table. The first of each table, from which the
// others are counted, takes no time and is left out.
type clockStep struct {
	name   string
	clocks float64
}

var clockTables = []clockTable{
	{"BOTF, 8 B through the Window Controller ([C], table of sending)", "botf-send", "botf", []clockStep{
		{"fetch command", 2},
		{"decode", 1},
		{"begin", 1},
		{"request window read", 1},
		{"take first header line, overwrite PGID", 1},
		{"forward it, take second header line", 1},
		{"forward it, take first data line", 1},
		{"forward data to the end", 1},
	}, 9},
	{"8 B to a Prefetch Window ([C], table of receiving)", "receive-window", "botf", []clockStep{
		{"request", 1},
		{"first header line", 1},
		{"second header line, decode", 1},
		{"start write", 1},
		{"request window", 1},
		{"granted", 1},
		{"request data", 1},
		{"write data to the end", 1},
		{"release", 1},
		{"ask for status", 1},
		{"write status", 3},
	}, 13},
	{"PUSH, 8 B to SO-DIMM ([I], table of PUSH)", "push-receive", "push", []clockStep{
		{"request header", 1},
		{"first header line", 1},
		{"second header line", 1},
		{"decode, start Write Unit", 1},
		{"compute size and address", 2},
		{"request data", 1},
		{"receive data", 1},
		{"request SO-DIMM", 1},
		{"granted", 1},
		{"write", 6},
		{"status", 4},
	}, 20},
	{"IPUSH, 8 B to a receive ring ([I], table of IPUSH)", "ipush-receive", "ipush", []clockStep{
		{"request header", 1},
		{"first header line, AMT address table look-up", 1},
		{"second header line", 1},
		{"decode, start Write Unit", 1},
		{"get head and tail from LLCM", 1},
		{"start of free area", 1},
		{"end of free area", 1},
		{"space test", 1},
		{"compute size and address", 2},
		{"request data", 1},
		{"receive data", 1},
		{"request SO-DIMM", 1},
		{"granted", 1},
		{"write", 6},
		{"status", 4},
	}, 24},
}

// dimmnet2Tables are the clock tables, and the one total that is stated for a full
// packet.
func dimmnet2Tables(b *bench) error {
	for _, t := range clockTables {
		d, err := b.breakdown("mechanism="+t.mechanism, "bytes=8")
		if err != nil {
			return err
		}
		for _, s := range t.steps {
			got, err := d.clocks(t.path, s.name)
			if err != nil {
				return err
			}
			b.add(Derived, t.item, s.name, "clocks", s.clocks, got)
		}
		b.add(Derived, t.item, "total", "clocks", t.total, d.totalClocks(t.path))
	}
	d, err := b.breakdown("mechanism=botf", "bytes=496")
	if err != nil {
		return err
	}
	b.add(Derived, "BOTF through the Window Controller ([C])", "496 B", "clocks", 70, d.totalClocks("botf-send"))
	return nil
}
