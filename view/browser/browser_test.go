package browser

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"musubi/internal/check"
	"musubi/view"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "write the screenshots of the documents anew")

// site is a server with one browser for all tests, and what that has asked and complained of.
type site struct {
	url string
	ctx context.Context

	sync.Mutex
	asked    []string // addresses
	problems []string // errors of scripts and refusals of the policy
}

// browse starts a server and a browser, or skips the test where there is none.
func browse(t *testing.T) *site {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("chromium is not installed; expected it in CI")
		}
		t.Skip("chromium is not installed")
	}
	server, err := view.Listen("127.0.0.1:0")
	check.Must(t, err)
	serving, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(serving) }()
	t.Cleanup(func() {
		end()
		check.Must(t, <-ended)
	})
	s := &site{url: server.URL()}
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Headless, chromedp.DisableGPU,
		chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("force-prefers-reduced-motion", true)}
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx, chromedp.WithAllocatorOptions(options...))
	t.Cleanup(stop)
	s.ctx = ctx
	if err := chromedp.Listen(ctx, s.note); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// note keeps what the browser asks for and complains of.
func (s *site) note(event any) {
	s.Lock()
	defer s.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		s.asked = append(s.asked, e.Request.URL)
	case *runtime.EventExceptionThrown:
		s.problems = append(s.problems, e.ExceptionDetails.Text+" "+fmt.Sprint(e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			s.problems = append(s.problems, fmt.Sprint(e.Args))
		}
	}
}

// do does something in the page.
func (s *site) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	s.check(t, chromedp.Do(s.ctx, steps...))
}

// check ends the test with what the page complains of, if something failed.
func (s *site) check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		s.Lock()
		defer s.Unlock()
		t.Fatalf("%v; problems of the page: %q", err, s.problems)
	}
}

// value returns the value of an expression of the page.
func value[T any](t *testing.T, s *site, expression string) T {
	t.Helper()
	v, err := chromedp.Run(s.ctx, chromedp.Evaluate[T](expression))
	s.check(t, err)
	return v
}

// click clicks on what a selector finds.
func (s *site) click(t *testing.T, selector string) {
	t.Helper()
	s.do(t, chromedp.Click(chromedp.CSS(selector)))
}

// set sets a field, as if a person had chosen its value.
func (s *site) set(t *testing.T, selector, text string) {
	t.Helper()
	value[bool](t, s, fmt.Sprintf("(() => { const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event('change', {bubbles: true})); return true })()", selector, text))
}

// open opens the page with what is asked of it, in a size.
func (s *site) open(t *testing.T, asked string, width, height int64) {
	t.Helper()
	s.do(t, chromedp.EmulateViewport(width, height), chromedp.Navigate("about:blank"), chromedp.Navigate(s.url+"#"+asked))
	s.wait(t, "document.querySelectorAll('#drawing circle').length > 0")
}

// text returns the text of an element.
func (s *site) text(t *testing.T, selector string) string {
	t.Helper()
	return value[string](t, s, fmt.Sprintf("document.querySelector(%q).innerText", selector))
}

// count returns how many elements there are.
func (s *site) count(t *testing.T, selector string) int {
	t.Helper()
	return value[int](t, s, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

// wait waits until an expression of the page is true.
func (s *site) wait(t *testing.T, expression string) {
	t.Helper()
	for range 1200 {
		if value[bool](t, s, "Boolean("+expression+")") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("after a minute the page does not fulfil %s; it says %q", expression, s.text(t, "body"))
}

// shoot takes a picture of the page, for whoever asks for it in the environment. Those of the documents are
// compared with what is there; -update writes them.
func (s *site) shoot(t *testing.T, name string) {
	t.Helper()
	dir, document := os.Getenv("MUSUBI_SCREENSHOTS"), filepath.Join("..", "..", "docs", "pictures", name+".png")
	inDocument := strings.HasPrefix(name, "view-")
	if dir == "" && !inDocument {
		return
	}
	data, err := chromedp.Run(s.ctx, chromedp.FullScreenshot(100))
	s.check(t, err)
	if dir != "" {
		check.Must(t, os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644))
	}
	switch {
	case inDocument && *update:
		check.Must(t, os.WriteFile(document, data, 0o644))
	case inDocument:
		old, err := os.ReadFile(document)
		check.Must(t, err)
		if part := differing(t, data, old); part > 0.05 {
			t.Errorf("%s: %.0f %% of the picture differ from what the page shows; -update takes it anew", document, 100*part)
		}
	}
}

// differing returns the fraction of two pictures that differ, in blocks of 16 pixels, as browsers draw letters
// in different ways. It is 1 if their sizes do.
func differing(t *testing.T, a, b []byte) float64 {
	t.Helper()
	const block, most = 16, 24 // shades of 255
	left, err := png.Decode(bytes.NewReader(a))
	check.Must(t, err)
	right, err := png.Decode(bytes.NewReader(b))
	check.Must(t, err)
	bounds := left.Bounds()
	if bounds != right.Bounds() {
		t.Logf("sizes %v and %v", bounds, right.Bounds())
		return 1
	}
	blocks, others := 0, 0
	for y := bounds.Min.Y; y < bounds.Max.Y; y += block {
		for x := bounds.Min.X; x < bounds.Max.X; x += block {
			of := image.Rect(x, y, x+block, y+block).Intersect(bounds)
			blocks++
			if math.Abs(shade(left, of)-shade(right, of)) > most {
				others++
			}
		}
	}
	return float64(others) / float64(blocks)
}

// shade returns how light a part of a picture is, 0 to 255.
func shade(i image.Image, of image.Rectangle) float64 {
	sum := 0
	for y := of.Min.Y; y < of.Max.Y; y++ {
		for x := of.Min.X; x < of.Max.X; x++ {
			sum += int(color.GrayModel.Convert(i.At(x, y)).(color.Gray).Y)
		}
	}
	return float64(sum) / float64(of.Dx()*of.Dy())
}
