package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestBOTFIsFasterThanDMAForSmallMessages(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	var dma, botf float64
	if _, err := fmt.Sscanf(out.String(), "8 bytes by dma: %f us\n8 bytes by botf: %f us\n", &dma, &botf); err != nil {
		t.Fatalf("%v in %q", err, out.String())
	}
	// Seven switches and their cables take 1.2 us.
	if !(botf > 1.2 && dma > botf) {
		t.Errorf("%v us by DMA, %v us by BOTF", dma, botf)
	}
}
