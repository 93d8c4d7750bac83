package comparison

import (
	"errors"
	"fmt"

	"musubi/topology"

	"github.com/pelletier/go-toml/v2"
)

// Parts is what a network is built of.
type Parts struct {
	Hosts    int `json:"hosts"`
	Switches int `json:"switches"`
	Cables   int `json:"cables"` // between switches, and of hosts
	ToHosts  int `json:"cables_to_hosts"`
	Ports    int `json:"ports"` // of switches, with a cable
	Largest  int `json:"largest_switch"`
}

// PartsOf counts what a network is built of. Adapters that are no hosts count as hosts.
func PartsOf(net *topology.Network) Parts {
	p := Parts{Hosts: len(net.EndPoints), Switches: len(net.Switches), Cables: len(net.Links) + len(net.EndPoints), ToHosts: len(net.EndPoints), Ports: 2*len(net.Links) + len(net.EndPoints)}
	for s := range net.Switches {
		p.Largest = max(p.Largest, net.Degree(s)+len(net.EndPointsAt(s)))
	}
	return p
}

// Prices is a price file.
type Prices struct {
	Source    string `toml:"source"` // where the prices are from, and of when
	Currency  string `toml:"currency"`
	Switch    Price  `toml:"switch"` // may be negative, as the constant of a price that grows with ports
	Port      Price  `toml:"port"`   // of a switch, with a cable in it
	Cable     Price  `toml:"cable"`
	HostCable *Price `toml:"host-cable"` // between a switch and a host; nil: as others
	Host      Price  `toml:"host"`       // network interface of a host
}

// Price is what one part costs, and the power that it takes in watts.
type Price struct {
	Price float64 `toml:"price"`
	Watts float64 `toml:"watts"`
}

// ReadPrices reads a price file in TOML.
func ReadPrices(data []byte) (*Prices, error) {
	p := new(Prices)
	if err := toml.Unmarshal(data, p); err != nil {
		var syntax *toml.DecodeError
		if errors.As(err, &syntax) {
			line, _ := syntax.Position()
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		return nil, err
	}
	var keys map[string]any
	if err := toml.Unmarshal(data, &keys); err != nil {
		return nil, err
	}
	for key := range keys {
		switch key {
		case "source", "currency", "switch", "port", "cable", "host-cable", "host":
		default:
			return nil, fmt.Errorf("unknown key %q; known are source, currency, [switch], [port], [cable], [host-cable], [host]", key)
		}
	}
	if p.Source == "" || p.Currency == "" {
		return nil, errors.New("no source or no currency; expected source = \"where the prices are from\" and currency = \"USD\" or the like")
	}
	for _, part := range []Price{{0, p.Switch.Watts}, p.Port, p.Cable, p.hostCable(), p.Host} {
		if !(part.Price >= 0 && part.Watts >= 0) {
			return nil, errors.New("a price or a power is negative; expected price and watts of 0 or more")
		}
	}
	return p, nil
}

// hostCable is the price of a cable between a switch and a host.
func (p *Prices) hostCable() Price {
	if p.HostCable != nil {
		return *p.HostCable
	}
	return p.Cable
}

// Of returns the price and the power of a network.
func (p *Prices) Of(parts Parts) (price, watts float64) {
	for _, each := range []struct {
		Price
		count int
	}{{p.Switch, parts.Switches}, {p.Port, parts.Ports}, {p.Cable, parts.Cables - parts.ToHosts}, {p.hostCable(), parts.ToHosts}, {p.Host, parts.Hosts}} {
		price += each.Price.Price * float64(each.count)
		watts += each.Watts * float64(each.count)
	}
	return price, watts
}
