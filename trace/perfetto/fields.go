package perfetto

import "google.golang.org/protobuf/encoding/protowire"

// Fields, by message.
const (
	tracePacket protowire.Number = 1

	packetTimestamp       protowire.Number = 8
	packetSequence        protowire.Number = 10
	packetTrackEvent      protowire.Number = 11
	packetInternedData    protowire.Number = 12
	packetSequenceFlags   protowire.Number = 13
	packetTrackDescriptor protowire.Number = 60

	trackUUID    protowire.Number = 1
	trackName    protowire.Number = 2
	trackProcess protowire.Number = 3
	trackThread  protowire.Number = 4
	trackParent  protowire.Number = 5
	trackCounter protowire.Number = 8

	processPID  protowire.Number = 1
	processName protowire.Number = 6

	threadPID  protowire.Number = 1
	threadTID  protowire.Number = 2
	threadName protowire.Number = 5

	counterUnitName protowire.Number = 6

	eventArguments   protowire.Number = 4
	eventType        protowire.Number = 9
	eventName        protowire.Number = 10
	eventTrack       protowire.Number = 11
	eventValue       protowire.Number = 44
	eventFlows       protowire.Number = 47
	eventEndingFlows protowire.Number = 48

	argumentName protowire.Number = 1
	argumentInt  protowire.Number = 4

	internedEvents    protowire.Number = 2
	internedArguments protowire.Number = 3
	internedID        protowire.Number = 1
	internedName      protowire.Number = 2
)

// Values of TrackEvent.type.
const (
	sliceBegin = 1 + iota
	sliceEnd
	instant
	counter
)

// Values of TracePacket.sequence_flags.
const (
	stateCleared = 1 // names of this sequence have not been told yet
	needsState   = 2 // names are those told before
)
