package browser

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestPage uses the page as a person does. The parts share a browser, which takes a second to start.
func TestPage(t *testing.T) {
	s := browse(t)
	t.Run("way", func(t *testing.T) { testWay(t, s) })
	t.Run("choosing", func(t *testing.T) { testChoosing(t, s) })
	t.Run("deadlock", func(t *testing.T) { testDeadlock(t, s) })
	t.Run("mistakes", func(t *testing.T) { testMistakes(t, s) })
	t.Run("keyboard", func(t *testing.T) { testKeyboard(t, s) })
	t.Run("runs", func(t *testing.T) { testRuns(t, s) })
	t.Run("sizes", func(t *testing.T) { testSizes(t, s) })
	s.Lock()
	defer s.Unlock()
	if len(s.problems) > 0 {
		t.Errorf("the page complains: %q", s.problems)
	}
	home, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	for _, asked := range s.asked {
		if asked != "about:blank" && !strings.HasPrefix(asked, "http://"+home.Host+home.Path) {
			t.Errorf("the page asked for %s; expected only what is below %s", asked, s.url)
		}
	}
	if len(s.asked) < 20 {
		t.Errorf("%d requests were seen; expected the page and what it asks", len(s.asked))
	}
}

func testWay(t *testing.T, s *site) {
	s.open(t, "topology=mesh:4x4&routing=ecube", 1280, 800)
	s.wait(t, `document.querySelectorAll("#hops li").length === 6`)
	if got := s.text(t, "#verdict"); !strings.HasPrefix(got, "free of deadlock") {
		t.Errorf("the verdict is %q", got)
	}
	if got := s.text(t, "#way-told"); got != "h0 → h15: 6 links between switches, as few as can be" {
		t.Errorf("the way is told as %q", got)
	}
	// From the other end, e-cube takes other switches.
	before := s.text(t, "#hops")
	s.click(t, "#swap")
	s.wait(t, `document.getElementById("way-told").textContent.startsWith("h15 → h0")`)
	if after := s.text(t, "#hops"); after == before || !strings.HasPrefix(after, "s15") {
		t.Errorf("the way back is %q", after)
	}
	// A click on a switch takes its host.
	value[bool](t, s, `document.querySelectorAll("#drawing g g")[5].dispatchEvent(new Event("click"))`)
	s.wait(t, `document.getElementById("way-told").textContent.startsWith("h5 → h0: 2 links")`)
	s.shoot(t, "way")
}

// Where packets choose, links show the parts that they are expected to carry, and the legend says so.
func testChoosing(t *testing.T, s *site) {
	s.open(t, "topology=fattree:k=4&routing=spray", 1280, 800)
	s.wait(t, `document.querySelectorAll("#hops li").length > 0`)
	if got := s.text(t, "#verdict"); !strings.HasPrefix(got, "free of deadlock, whatever packets choose") {
		t.Errorf("the verdict is %q", got)
	}
	if got := s.text(t, "#way-told"); got != "h0 → h15: packets choose, and are expected to take 4 of these links between switches, as few as can be" {
		t.Errorf("the way is told as %q", got)
	}
	// Two ways up to the aggregation, four to the core, and back.
	if n := s.count(t, "#hops li"); n != 12 {
		t.Errorf("%d links are listed; expected 2, 4, 4 and 2", n)
	}
	if got := s.text(t, "#hops"); strings.Count(got, "50 % of the packets") != 4 || strings.Count(got, "25 % of the packets") != 8 {
		t.Errorf("the links are %q", got)
	}
	if got := s.text(t, "#legend"); !strings.Contains(got, "Expected, as packets choose: a pair counts in parts, each next hop of the shortest ways equally often") {
		t.Errorf("the legend is %q", got)
	}
	s.open(t, "topology=dragonfly:a=4,h=2,p=2,absolute=1&routing=booksim-ugal&panel=cycle", 1280, 800)
	if got := s.text(t, "#verdict"); !strings.HasPrefix(got, "can deadlock") {
		t.Errorf("the verdict is %q", got)
	}
	if n := s.count(t, "#holds li"); n < 3 || s.count(t, "#player:not([hidden])") != 0 {
		t.Errorf("the cycle has %d channels, or is played", n)
	}
}

func testDeadlock(t *testing.T, s *site) {
	s.open(t, "topology=ring:6&routing=minimal&panel=cycle", 1280, 800)
	if got := s.text(t, "#verdict"); !strings.HasPrefix(got, "can deadlock") {
		t.Errorf("the verdict is %q", got)
	}
	if n := s.count(t, "#holds li"); n != 6 {
		t.Errorf("the cycle has %d channels; expected 6", n)
	}
	// Step by step, each step moves a packet, and at the end all wait for each other.
	steps := 0
	for last := ""; ; steps++ {
		now := s.text(t, "#step-told")
		if now == last {
			t.Fatalf("step %d tells what the one before did: %q", steps, now)
		}
		last = now
		if strings.Contains(now, "Deadlock at") {
			break
		}
		if steps == 9 {
			s.shoot(t, "playing")
		}
		s.click(t, "#next")
	}
	if steps < 7 {
		t.Errorf("the deadlock came after %d steps; expected a step for each packet and more", steps)
	}
	if n := s.count(t, "#packets td.waits"); n < 6 {
		t.Errorf("%d packets wait; expected one on each of 6 channels", n)
	}
	s.shoot(t, "view-deadlock")
}

func testMistakes(t *testing.T, s *site) {
	s.open(t, "topology=torus:4x4&routing=dl", 1280, 800)
	s.set(t, "#question [name=topology]", "taurus:4x4")
	s.wait(t, `!document.getElementById("message").hidden`)
	if got := s.text(t, "#message"); !strings.Contains(got, "taurus:4x4") {
		t.Errorf("the message is %q; expected what was given", got)
	}
	s.set(t, "#question [name=topology]", "torus:3x3")
	s.wait(t, `document.getElementById("message").hidden && document.getElementById("title").textContent === "torus:3x3, dl"`)
}

// testKeyboard gets along without a mouse.
func testKeyboard(t *testing.T, s *site) {
	s.open(t, "topology=ring:5&routing=minimal", 1280, 800)
	s.do(t, chromedp.Focus(chromedp.CSS("#tab-way")), chromedp.KeyEvent(kb.ArrowRight))
	s.wait(t, `document.activeElement.id === "tab-cycle" && !document.getElementById("cycle").hidden`)
	s.do(t, chromedp.Focus(chromedp.CSS("#step")), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	if got := s.text(t, "#step-told"); !strings.HasPrefix(got, "Step 2 of") {
		t.Errorf("after two arrow keys the page tells %q", got)
	}
	s.do(t, chromedp.Focus(chromedp.CSS("#tab-cycle")), chromedp.KeyEvent(kb.End))
	s.wait(t, `document.activeElement.id === "tab-beside" && !document.getElementById("beside").hidden`)
}

// testRuns runs a workload with two routings, one that can deadlock, and one that is stopped.
func testRuns(t *testing.T, s *site) {
	s.open(t, "topology=fattree:k=4&routing=updown&panel=run", 1280, 900)
	s.set(t, "#order [name=workload]", "collective")
	s.click(t, "#order > button")
	s.wait(t, `document.querySelectorAll("#run-1 table").length > 0`)
	s.shoot(t, "run")
	s.click(t, "#run-1 > button")
	s.wait(t, `document.getElementById("legend").textContent.includes("busy in run 1")`)
	s.set(t, "#question [name=routing]", "dl")
	s.wait(t, `document.getElementById("title").textContent.endsWith(", dl")`)
	s.click(t, "#order > button")
	s.wait(t, `document.querySelectorAll("#run-2 table").length > 0`)
	s.click(t, "#tab-beside")
	s.wait(t, `document.querySelectorAll("#beside-table tbody tr").length > 3 && [...document.querySelectorAll("#beside-figures img")].every((i) => i.complete && i.naturalWidth > 0)`)
	s.shoot(t, "view-beside")

	s.click(t, "#tab-run")
	s.set(t, "#order [name=on]", "rhinet2")
	s.set(t, "#question [name=routing]", "minimal")
	s.set(t, "#question [name=topology]", "torus:4x4")
	s.wait(t, `document.getElementById("title").textContent === "torus:4x4, minimal"`)
	s.click(t, "#order > button")
	s.wait(t, `document.querySelectorAll("#run-3 .bad").length > 0`)
	if told := s.text(t, "#run-3 .bad"); !strings.Contains(told, "can deadlock") {
		t.Errorf("a routing that can deadlock is refused with %q", told)
	}
}

// testSizes finds no size in which something is cut off at the right, and takes pictures.
func testSizes(t *testing.T, s *site) {
	for _, size := range []struct {
		name          string
		asked         string
		width, height int64
	}{
		{"phone", "topology=torus:4x4&routing=minimal&panel=cycle", 360, 740},
		{"tablet", "topology=dragonfly:a=4,h=2,p=2&routing=updown", 768, 1024},
		{"wide", "topology=torus:4x4x4&routing=lash", 1680, 1000},
		{"large", "topology=fattree:k=8&routing=updown&panel=run", 1280, 800},
	} {
		s.open(t, size.asked, size.width, size.height)
		s.wait(t, `document.querySelectorAll("#hops li").length > 0`)
		if over := value[int](t, s, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
			t.Errorf("%s: the page is %d points wider than the window", size.name, over)
		}
		s.shoot(t, size.name)
	}
}
