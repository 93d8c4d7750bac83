package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestPIOIsFasterThanDMAForSmallMessages(t *testing.T) {
	var out strings.Builder
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	var dma, pio float64
	if _, err := fmt.Sscanf(out.String(), "8 bytes by dma: %f us\n8 bytes by pio: %f us\n", &dma, &pio); err != nil {
		t.Fatalf("%v in %q", err, out.String())
	}
	// Seven switches and their cables take 1.2 us.
	if !(pio > 1.2 && dma > pio) {
		t.Errorf("%v us by DMA, %v us by PIO", dma, pio)
	}
}
