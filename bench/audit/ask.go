package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"musubi/topology"
)

// client is attached to ibsim by its own protocol (include/ibsim.h and umad2sim/sim_client.c of
// linux-rdma/ibsim): saquery takes a process for each path, a hundred times as long.
type client struct {
	control, packets *net.UnixConn
	out              *net.UnixAddr
	id               uint32
}

// Of ibsim's requests, in the machine's byte order.
const (
	controlMagic      = 0xdeadbeef
	controlConnect    = 1
	controlDisconnect = 2
	controlSize       = 16 + 64
	packetSize        = 288 // dlid, slid, dqp, sqp, status, 4 bytes of padding, length, 256 bytes of a MAD
	packetMAD         = 32
)

// attach attaches a client at a host.
func (f *fabric) attach() (*client, error) {
	number := os.Getpid() // as OpenSM is known to ibsim by its own
	address := func(end string) *net.UnixAddr {
		return &net.UnixAddr{Net: "unixgram", Name: "@" + f.socket + ":" + end + "\x00"} // ibsim counts the end of the text
	}
	c := new(client)
	var err error
	if c.control, err = net.DialUnix("unixgram", address(fmt.Sprint("ctl", number)), address("ctl")); err != nil {
		return nil, err
	}
	if c.packets, err = net.ListenUnixgram("unixgram", address(fmt.Sprint("in", number))); err != nil {
		c.control.Close()
		return nil, err
	}
	info := make([]byte, 12+32)
	binary.NativeEndian.PutUint32(info, uint32(number))
	copy(info[12:43], f.host)
	answer, err := c.ask(controlConnect, info)
	if err != nil {
		c.close()
		return nil, fmt.Errorf("ibsim takes no client: %w", err)
	}
	c.id = binary.NativeEndian.Uint32(answer)
	c.out = address(fmt.Sprint("out", c.id))
	return c, nil
}

func (c *client) ask(what uint32, data []byte) ([]byte, error) {
	b := make([]byte, controlSize)
	for i, v := range []uint32{controlMagic, c.id, what, uint32(len(data))} {
		binary.NativeEndian.PutUint32(b[4*i:], v)
	}
	copy(b[16:], data)
	c.control.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.control.Write(b); err != nil {
		return nil, err
	}
	if _, err := c.control.Read(b); err != nil {
		return nil, err
	}
	if binary.NativeEndian.Uint32(b[8:]) != what {
		return nil, errors.New("it says no")
	}
	return b[16:], nil
}

func (c *client) close() {
	if c.out != nil {
		c.ask(controlDisconnect, nil) // ibsim ends soon anyway
	}
	c.control.Close()
	c.packets.Close()
}

// pair is a path, by LIDs.
type pair struct{ from, to uint16 }

// levels asks the subnet manager for the service level of each path, [noPath] where there is none.
func (c *client) levels(manager uint16, pairs []pair) ([]uint8, error) {
	const (
		window = 8
		tries  = 150 // of two seconds: OpenSM does not answer while it routes again
	)
	levels := make([]uint8, len(pairs))
	waiting := make(map[int]bool)
	next, silent := 0, 0
	send := func(i int) error {
		_, err := c.packets.WriteToUnix(pathQuery(manager, i, pairs[i]), c.out)
		return err
	}
	for next < len(pairs) || len(waiting) > 0 {
		for ; len(waiting) < window && next < len(pairs); next++ {
			if err := send(next); err != nil {
				return nil, err
			}
			waiting[next] = true
		}
		answer := make([]byte, packetSize)
		c.packets.SetReadDeadline(time.Now().Add(2 * time.Second))
		if _, err := c.packets.Read(answer); err != nil {
			if silent++; !errors.Is(err, os.ErrDeadlineExceeded) || silent > tries {
				return nil, fmt.Errorf("OpenSM does not tell the levels of %d paths: %w", len(waiting), err)
			}
			for i := range waiting {
				if err := send(i); err != nil {
					return nil, err
				}
			}
			continue
		}
		i, level, err := pathAnswer(answer)
		switch {
		case !waiting[i]:
		case err != nil:
			return nil, fmt.Errorf("the path from LID %d to %d: %w", pairs[i].from, pairs[i].to, err)
		default:
			delete(waiting, i)
			levels[i], silent = level, 0
		}
	}
	return levels, nil
}

// Of a MAD of subnet administration: InfiniBand Architecture Specification, volume 1, 15.2.
const (
	madMethod     = 3
	madStatus     = 4
	madNumber     = 8 // of the transaction; its upper half is ibsim's
	madAttribute  = 16
	madComponents = 48
	madRecord     = 56
	recordDLID    = madRecord + 40
	recordSLID    = madRecord + 42
	recordLevel   = madRecord + 53
)

func pathQuery(manager uint16, number int, p pair) []byte {
	b := make([]byte, packetSize)
	binary.BigEndian.PutUint16(b, manager)
	binary.BigEndian.PutUint32(b[8:], 1) // queue pairs
	binary.BigEndian.PutUint32(b[12:], 1)
	binary.BigEndian.PutUint64(b[24:], packetSize-packetMAD)
	mad := b[packetMAD:]
	copy(mad, []byte{1, 3, 2, 1}) // base version, subnet administration, its version, Get
	binary.BigEndian.PutUint32(mad[madNumber+4:], uint32(number))
	binary.BigEndian.PutUint16(mad[madAttribute:], 0x35)       // PathRecord
	binary.BigEndian.PutUint64(mad[madComponents:], 1<<4|1<<5) // DLID, SLID
	binary.BigEndian.PutUint16(mad[recordDLID:], p.to)
	binary.BigEndian.PutUint16(mad[recordSLID:], p.from)
	return b
}

// noPath is given for pairs of hosts between which OpenSM says there is no path.
const noPath = 0xff

// pathAnswer returns the number of the query that is answered; -1 if none is.
func pathAnswer(b []byte) (number int, level uint8, err error) {
	mad := b[packetMAD:]
	if mad[madMethod] != 0x81 || binary.BigEndian.Uint16(mad[madAttribute:]) != 0x35 {
		return -1, 0, nil
	}
	number = int(binary.BigEndian.Uint32(mad[madNumber+4:]))
	switch status := binary.BigEndian.Uint16(mad[madStatus:]); status {
	case 0:
		return number, mad[recordLevel] & 0xf, nil
	case 0x0300: // no records
		return number, noPath, nil
	default:
		return number, 0, fmt.Errorf("OpenSM answers with status 0x%04x", status)
	}
}

// levelsFile asks for the service level of each path that there is, for [tables.InfiniBand.ReadLevels].
func (f *fabric) levelsFile(net *topology.Network) (string, error) {
	c, err := f.attach()
	if err != nil {
		return "", err
	}
	defer c.close()
	var pairs []pair
	var sources []uint64
	manager, port := uint16(0), 0 // ibsim puts OpenSM and the client on the host's first port
	for _, e := range net.EndPoints {
		if net.Adapters[e.Adapter].GUID == f.hostGUID && (port == 0 || e.AdapterPort < port) {
			manager, port = e.LID, e.AdapterPort
		}
	}
	if port == 0 {
		return "", fmt.Errorf("OpenSM has not found its own host %s", f.host)
	}
	for _, src := range net.EndPoints {
		for _, dst := range net.EndPoints {
			if src.LID != dst.LID {
				pairs = append(pairs, pair{src.LID, dst.LID})
				sources = append(sources, src.GUID)
			}
		}
	}
	levels, err := c.levels(manager, pairs)
	if err != nil {
		return "", err
	}
	var lines strings.Builder
	for i, p := range pairs {
		if levels[i] == noPath {
			continue
		}
		fmt.Fprintf(&lines, "0x%016x %d %s\n", sources[i], p.to, strconv.Itoa(int(levels[i])))
	}
	return lines.String(), nil
}
