package card

import (
	"reflect"

	"musubi/units"
)

// Section is the tables of machine files that only this model has.
type Section struct {
	Card          Card
	SWIF          SWIF
	Processor     Processor
	BOTFSend      BOTFSend
	MemorySend    MemorySend
	WindowReceive WindowReceive
	PushReceive   PushReceive
	IPushReceive  IPushReceive
	MemoryRead    MemoryRead
	Match         Match
}

// Card describes a network interface of model "windows": a card in a memory slot,
// such as DIMMnet-2, to which the host writes and from which it reads through small
// windows. The card's own memory the host cannot address. Times hold for memory of
// type PC1600; see Scale.
type Card struct {
	Memory          string      `param:"card.memory" choice:"PC1600,PC2100,PC2700,PC3200"` // type of the host's memory bus, and of the card's memory
	Clock           units.Time  `param:"card.clock"`                                       // period of the controller
	Capacity        units.Bytes `param:"card.capacity"`                                    // of the card's memory
	Processes       int         `param:"card.processes"`                                   // ranks that may share the card
	WriteWindows    int         `param:"card.write_windows"`                               // of all processes
	PrefetchWindows int         `param:"card.prefetch_windows"`
	Window          units.Bytes `param:"card.window"` // size of each
	LLCM            units.Bytes `param:"card.llcm"`   // memory for the status rings and AMTs of all processes

	MemoryPath units.Bytes `param:"card.memory_path"` // moved in a clock between the controller and the card's memory

	Command units.Time `param:"card.command"` // command written to its arrival at the Window Controller
	Ask     int        `param:"card.ask"`     // clocks to form a packet that asks for data, without what it carries

	RefreshInterval units.Time `param:"card.refresh_interval" zero:"no refresh"` // between refreshes of the card's memory
	Refresh         units.Time `param:"card.refresh" zero:"takes no time"`
}

// SWIF describes the switch interface of a card: what lies between its controller
// and the network.
type SWIF struct {
	Send    units.Time `param:"swif.send"`                     // last line in, and packets before sent, to header on the link
	Receive units.Time `param:"swif.receive"`                  // tail arrived to the packet at the controller
	Transit units.Time `param:"swif.transit"`                  // of both sides together, outside of Send and Receive
	Alpha   units.Time `param:"swif.alpha" zero:"none"`        // what the network takes beyond all that has been measured
	Window  int        `param:"swif.window"`                   // packets to one card that are not acknowledged
	Timeout units.Time `param:"swif.timeout"`                  // without acknowledgement, until they are sent again
	Retry   units.Time `param:"swif.retry" zero:"at once"`     // from being asked to send packets again to doing so
	Tries   int        `param:"swif.tries"`                    // in a row and in vain before a run fails, if no program computes meanwhile
	Loss    int        `param:"swif.loss" zero:"nothing lost"` // of a million packets, how many the network loses
}

// Processor describes what a host does to use a card. Times hold for memory of type
// PC1600; see Scale.
type Processor struct {
	Write     WriteTimes  `param:"processor.write"`      // a packet, with its header, to a Write Window
	WriteCold int         `param:"processor.write_cold"` // percent of that if the data is not in the cache
	Cache     units.Bytes `param:"processor.cache"`      // size of the cache
	Ways      int         `param:"processor.ways"`       // of the cache; what is fetched ahead of a copy fills one

	Command64  units.Time `param:"processor.command_64"`  // write a short command
	Command128 units.Time `param:"processor.command_128"` // write a long command

	Poll         units.Time `param:"processor.poll"`                            // one poll for arrivals, or of other memory of the card
	PollRegister units.Time `param:"processor.poll_register"`                   // one poll of the register of busy windows
	Sample       int        `param:"processor.sample"`                          // percent of a poll of a register before it sees what is there
	Arrivals     string     `param:"processor.arrivals" choice:"register,llcm"` // what the processor polls for arrivals

	ReadStatus  units.Time  `param:"processor.read_status"`  // read a status record
	ReadCommand units.Time  `param:"processor.read_command"` // issue a command that reads the card's memory
	Copy        units.Time  `param:"processor.copy"`         // Prefetch Window to memory, one cache line
	CopyLine    units.Time  `param:"processor.copy_line"`    // each further cache line
	CopyCold    units.Time  `param:"processor.copy_cold"`    // more for each line if the destination is not in the cache
	Line        units.Bytes `param:"processor.line"`         // size of a cache line
}

// memoryPeriods are the clock periods of memory buses, in tenths of nanoseconds.
var memoryPeriods = map[string]units.Time{"PC1600": 100, "PC2100": 75, "PC2700": 60, "PC3200": 50}

// Scale returns what a time that is stated for PC1600 memory is with the memory of
// the card: everything that runs at the clock of the memory bus is faster with it.
func (c *Card) Scale(t units.Time) units.Time {
	return t * memoryPeriods[c.Memory] / memoryPeriods["PC1600"]
}

// Clocks returns the time of n clocks of the controller.
func (c *Card) Clocks(n int) units.Time { return units.Time(n) * c.Scale(c.Clock) }

// BOTFSend is the passage of a packet from a Write Window through the Window
// Controller, in clocks.
type BOTFSend struct {
	Start        int `param:"botf_send.start" step:"start"`
	Fetch        int `param:"botf_send.fetch_command" step:"fetch command"`
	Decode       int `param:"botf_send.decode" step:"decode"`
	Begin        int `param:"botf_send.begin" step:"begin"`
	Request      int `param:"botf_send.request_window" step:"request window read"`
	FirstHeader  int `param:"botf_send.first_header" step:"take first header line, overwrite PGID"`
	SecondHeader int `param:"botf_send.second_header" step:"forward it, take second header line"`
	FirstData    int `param:"botf_send.first_data" step:"forward it, take first data line"`
	Forward      int `param:"botf_send.forward" step:"forward data to the end" further:"line"`
}

// WindowReceive is the passage of a packet through the Receive Controller to a
// Prefetch Window, in clocks.
type WindowReceive struct {
	Detect       int `param:"window_receive.detect" step:"detect" phase:"decode"`
	Request      int `param:"window_receive.request" step:"request" phase:"decode"`
	FirstHeader  int `param:"window_receive.first_header" step:"first header line" phase:"decode"`
	SecondHeader int `param:"window_receive.second_header" step:"second header line, decode" phase:"decode"`
	Start        int `param:"window_receive.start_write" step:"start write" phase:"reach"`
	Window       int `param:"window_receive.request_window" step:"request window" phase:"reach"`
	Granted      int `param:"window_receive.granted" step:"granted" phase:"reach"`
	Data         int `param:"window_receive.request_data" step:"request data" phase:"reach"`
	Write        int `param:"window_receive.write" step:"write data to the end" further:"line" phase:"write"`
	Release      int `param:"window_receive.release" step:"release" phase:"finish"`
	AskStatus    int `param:"window_receive.ask_status" step:"ask for status" phase:"finish"`
	Status       int `param:"window_receive.status" step:"write status" phase:"status"`
}

// PushReceive is the passage of a packet through the Receive Controller to the
// card's memory, in clocks.
type PushReceive struct {
	Detect       int `param:"push_receive.detect" step:"detect" phase:"decode"`
	Request      int `param:"push_receive.request_header" step:"request header" phase:"decode"`
	FirstHeader  int `param:"push_receive.first_header" step:"first header line" phase:"decode"`
	SecondHeader int `param:"push_receive.second_header" step:"second header line" phase:"decode"`
	Decode       int `param:"push_receive.decode" step:"decode, start Write Unit" phase:"decode"`
	Compute      int `param:"push_receive.compute" step:"compute size and address" phase:"reach"`
	RequestData  int `param:"push_receive.request_data" step:"request data" phase:"reach"`
	ReceiveData  int `param:"push_receive.receive_data" step:"receive data" phase:"reach"`
	Memory       int `param:"push_receive.request_memory" step:"request SO-DIMM" phase:"reach"`
	Granted      int `param:"push_receive.granted" step:"granted" phase:"reach"`
	Write        int `param:"push_receive.write" step:"write" further:"memory" phase:"write"`
	Status       int `param:"push_receive.status" step:"status" phase:"status"`
}

// IPushReceive is the passage of a packet through the Receive Controller to a
// receive ring in the card's memory, in clocks.
type IPushReceive struct {
	Detect       int `param:"ipush_receive.detect" step:"detect" phase:"decode"`
	Request      int `param:"ipush_receive.request_header" step:"request header" phase:"decode"`
	FirstHeader  int `param:"ipush_receive.first_header" step:"first header line, AMT address table look-up" phase:"decode"`
	SecondHeader int `param:"ipush_receive.second_header" step:"second header line" phase:"decode"`
	Decode       int `param:"ipush_receive.decode" step:"decode, start Write Unit" phase:"decode"`
	Pointers     int `param:"ipush_receive.pointers" step:"get head and tail from LLCM" phase:"place"`
	FreeStart    int `param:"ipush_receive.free_start" step:"start of free area" phase:"place"`
	FreeEnd      int `param:"ipush_receive.free_end" step:"end of free area" phase:"place"`
	SpaceTest    int `param:"ipush_receive.space_test" step:"space test" phase:"place"`
	Compute      int `param:"ipush_receive.compute" step:"compute size and address" phase:"reach"`
	RequestData  int `param:"ipush_receive.request_data" step:"request data" phase:"reach"`
	ReceiveData  int `param:"ipush_receive.receive_data" step:"receive data" phase:"reach"`
	Memory       int `param:"ipush_receive.request_memory" step:"request SO-DIMM" phase:"reach"`
	Granted      int `param:"ipush_receive.granted" step:"granted" phase:"reach"`
	Write        int `param:"ipush_receive.write" step:"write" further:"memory" phase:"write"`
	Status       int `param:"ipush_receive.status" step:"status" phase:"status"`
}

// MemorySend is the passage of data from the card's memory through the Prefetch
// Unit and the Window Controller into packets, in clocks.
type MemorySend struct {
	First int `param:"memory_send.first" step:"command to the last line of a packet of one data line" further:"line"`
	Next  int `param:"memory_send.next" step:"gap between packets of a message"` // beyond one clock per line
	Piece int `param:"memory_send.piece" step:"each further piece of scattered data"`
}

// MemoryRead is the passage of data from the card's memory to a Prefetch Window, in
// clocks.
type MemoryRead struct {
	First int `param:"memory_read.first" step:"command to one line in the window" further:"memory"`
	Head  int `param:"memory_read.head" step:"advance the head of a receive ring"`
	Piece int `param:"memory_read.piece" step:"each further piece of scattered data"`
}

// Phase is what steps of receiving have in common for the simulator.
type Phase string

// Phases of receiving, in their order.
const (
	Decode Phase = "decode" // the header
	Place  Phase = "place"  // find room in a receive ring
	Reach  Phase = "reach"  // what is written to
	Write  Phase = "write"  // the data
	Finish Phase = "finish" // what keeps the receiver busy afterwards
	Status Phase = "status" // tell of the packet, while the receiver goes on
)

// Further is how a step takes further data.
type Further string

// Ways to take further data; the empty one takes no clocks.
const (
	Lines  Further = "line"   // a line in a clock
	Memory Further = "memory" // as much in a clock as the path to the card's memory is wide
)

// Step is a step of a path through a card.
type Step struct {
	Name    string  // in the words of the paper
	Clocks  int     // for a packet with one line of data
	Further Further // and more clocks for further data
	Phase   Phase   // empty if the path is not one of receiving
}

// Steps returns the steps of one of the paths of a machine, such as
// &m.PushReceive, in their order.
func Steps(path any) []Step {
	v := reflect.ValueOf(path).Elem()
	var steps []Step
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		steps = append(steps, Step{tag.Get("step"), int(v.Field(i).Int()), Further(tag.Get("further")), Phase(tag.Get("phase"))})
	}
	return steps
}
