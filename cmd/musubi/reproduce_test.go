package main

import (
	"bytes"
	"strings"
	"testing"

	"musubi/cmd/musubi/internal/papers"
	"musubi/reproduce"
)

// figure is a value as cells hold it.
func figure(v float64) *float64 { return &v }

// TestReproductionShowsPublicationsFirst checks which cells and columns are printed.
func TestReproductionShowsPublicationsFirst(t *testing.T) {
	cells := []reproduce.Cell{
		{Source: "a", Item: "times", Cell: "known", Unit: "us", Published: figure(2), First: figure(7), Got: 3, Error: figure(0.5), Kind: reproduce.Predicted},
		{Source: "a", Item: "times", Cell: "unknown", Unit: "us", Got: 4, Kind: reproduce.Predicted},
		{Source: "a", Item: "rates", Cell: "hidden", Unit: "MB/s", Got: 5, Kind: reproduce.Predicted},
		{Source: "b", Item: "sums", Cell: "sum", Unit: "us", Derived: figure(8), Got: 8, Error: figure(0), Kind: reproduce.Derived},
		{Source: "b", Item: "curve", Cell: "x, 8 B", Unit: "us", Got: 11, Kind: reproduce.Predicted, Point: &reproduce.Point{Curve: "x", Bytes: 8}},
		{Source: "b", Item: "curve", Cell: "x, 16 B", Unit: "us", Published: figure(13), Got: 12, Error: figure(-1. / 13), Kind: reproduce.Predicted, Point: &reproduce.Point{Curve: "x", Bytes: 16}},
	}
	for _, c := range []struct {
		all         bool
		has, hasNot []string
	}{
		{false, []string{"known ", "published  first  Musubi", "sum ", "derived  Musubi", "x, published", "13.00", "2 cells have no published figure"}, []string{"unknown", "hidden", "deviation"}},
		{true, []string{"known ", "unknown", "hidden"}, []string{"have no published figure"}},
	} {
		var out bytes.Buffer
		if err := papers.PrintReproduction(&out, cells, c.all); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.has {
			if !strings.Contains(out.String(), want) {
				t.Errorf("all=%v: no %q in\n%s", c.all, want, out.String())
			}
		}
		for _, text := range c.hasNot {
			if strings.Contains(out.String(), text) {
				t.Errorf("all=%v: %q in\n%s; expected none", c.all, text, out.String())
			}
		}
	}
}
