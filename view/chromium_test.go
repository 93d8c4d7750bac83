package view_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"musubi/internal/check"
)

// browser is a Chromium with one page, which takes commands of the DevTools protocol through a pipe: JSON
// with a zero byte after each message. A library for all of that protocol takes longer to compile than all
// tests of this package take to run.
type browser struct {
	commands io.Writer
	session  string
	note     func(event string, params json.RawMessage)
	loaded   chan struct{}
	lost     chan struct{} // closed when nothing more comes

	sync.Mutex
	last    int
	answers map[int]chan message // by the number of the command
}

// message is a command, the answer to one, or an event, which has a method and no number.
type message struct {
	ID      int                       `json:"id,omitempty"`
	Session string                    `json:"sessionId,omitempty"`
	Method  string                    `json:"method,omitempty"`
	Params  json.RawMessage           `json:"params,omitempty"`
	Result  json.RawMessage           `json:"result,omitempty"`
	Error   *struct{ Message string } `json:"error,omitempty"`
}

// patience is how long the browser may take for a command.
const patience = time.Minute

// startBrowser starts a browser that ends with the test. The function is told of each event.
func startBrowser(t *testing.T, path string, note func(event string, params json.RawMessage)) *browser {
	t.Helper()
	b := &browser{note: note, loaded: make(chan struct{}, 1), lost: make(chan struct{}), answers: map[int]chan message{}}
	b.startProcess(t, path)
	var target struct{ TargetID string }
	b.do(t, "Target.createTarget", object{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.do(t, "Target.attachToTarget", object{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network"} {
		b.do(t, domain+".enable", nil, nil)
	}
	return b
}

func (b *browser) startProcess(t *testing.T, path string) {
	t.Helper()
	profile, err := os.MkdirTemp("", "chromium")
	check.Must(t, err)
	c := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--mute-audio", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-extensions", "--disable-sync",
		"--force-color-profile=srgb", "--force-prefers-reduced-motion", "--remote-debugging-pipe", "--user-data-dir="+profile)
	read, write, err := os.Pipe()
	check.Must(t, err)
	answers, send, err := os.Pipe()
	check.Must(t, err)
	c.ExtraFiles = []*os.File{read, send} // where Chromium expects them: 3 and 4
	check.Must(t, c.Start())
	read.Close()
	send.Close()
	b.commands = write
	go b.receive(answers)
	t.Cleanup(func() {
		write.Close() // at which Chromium ends
		end := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
		_ = c.Wait()
		end.Stop()
		<-b.lost
		answers.Close()
		_ = os.RemoveAll(profile) // a child may still write
	})
}

// receive hands on what comes from the browser, until nothing more does.
func (b *browser) receive(from io.Reader) {
	defer close(b.lost)
	for r := bufio.NewReader(from); ; {
		data, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(data[:len(data)-1], &m); err != nil {
			panic(fmt.Sprintf("chromium says %q: %v", data, err))
		}
		b.take(m)
	}
}

func (b *browser) take(m message) {
	switch {
	case m.ID != 0:
		b.Lock()
		answer := b.answers[m.ID]
		delete(b.answers, m.ID)
		b.Unlock()
		answer <- m
	case m.Method == "Page.loadEventFired":
		select {
		case b.loaded <- struct{}{}:
		default: // nobody waits for it
		}
	default:
		b.note(m.Method, m.Params)
	}
}

// object is an object of JSON.
type object map[string]any

// call carries out a command, and decodes its result if somebody wants it.
func (b *browser) call(method string, params object, result any) error {
	b.Lock()
	b.last++
	id, answer := b.last, make(chan message, 1)
	b.answers[id] = answer
	b.Unlock()
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	data, err := json.Marshal(message{ID: id, Session: b.session, Method: method, Params: text})
	if err != nil {
		return err
	}
	if _, err := b.commands.Write(append(data, 0)); err != nil {
		return err
	}
	select {
	case m := <-answer:
		switch {
		case m.Error != nil:
			return errors.New(m.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-b.lost:
		return errors.New("chromium has ended")
	case <-time.After(patience):
		return fmt.Errorf("no answer after %v", patience)
	}
}

// do is call that ends the test if the command fails.
func (b *browser) do(t *testing.T, method string, params object, result any) {
	t.Helper()
	if err := b.call(method, params, result); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

// evaluate decodes the value of an expression of the page.
func (b *browser) evaluate(expression string, value any) error {
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := b.call("Runtime.evaluate", object{"expression": expression, "returnByValue": true}, &got); err != nil {
		return err
	}
	if e := got.ExceptionDetails; e != nil {
		return fmt.Errorf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	return json.Unmarshal(got.Result.Value, value)
}

// navigate opens an address, and returns when all of the page is there.
func (b *browser) navigate(t *testing.T, address string) {
	t.Helper()
	var got struct{ ErrorText string }
	b.do(t, "Page.navigate", object{"url": address}, &got)
	if got.ErrorText != "" {
		t.Fatalf("%s: %s", address, got.ErrorText)
	}
	select {
	case <-b.loaded:
	case <-time.After(patience):
		t.Fatalf("%s is not there after %v", address, patience)
	}
}

// resize gives the window a size.
func (b *browser) resize(t *testing.T, width, height int) {
	t.Helper()
	b.do(t, "Emulation.setDeviceMetricsOverride", object{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// press clicks with the mouse.
func (b *browser) press(t *testing.T, x, y float64) {
	t.Helper()
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.do(t, "Input.dispatchMouseEvent", object{"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}, nil)
	}
}

// keyCodes are the numbers of keys that tests press.
var keyCodes = map[string]int{"End": 35, "ArrowRight": 39}

// key presses a key and lets it go.
func (b *browser) key(t *testing.T, name string) {
	t.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		b.do(t, "Input.dispatchKeyEvent", object{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": keyCodes[name]}, nil)
	}
}

// screenshot returns all of the page as a PNG.
func (b *browser) screenshot(t *testing.T) []byte {
	t.Helper()
	var got struct{ Data []byte }
	b.do(t, "Page.captureScreenshot", object{"format": "png", "captureBeyondViewport": true, "fromSurface": true}, &got)
	return got.Data
}
