package view_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"musubi/internal/check"
	"musubi/view"
)

// serve starts a server that ends with the test.
func serve(t *testing.T) *view.Server {
	t.Helper()
	server, err := view.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return server
}

// Only who has the address is answered, and only as a page of this server asks.
func TestStrangersAreRefused(t *testing.T) {
	server := serve(t)
	home, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	port := home.Port()
	for name, c := range map[string]struct {
		path, host string
		header     map[string]string
		want       int
	}{
		"the page":                             {path: home.Path, want: 200},
		"a script of the page":                 {path: home.Path + "main.js", header: map[string]string{"Sec-Fetch-Site": "same-origin"}, want: 200},
		"without the token":                    {path: "/", want: 404},
		"another token":                        {path: "/" + strings.Repeat("A", 26) + "/api/choices", want: 404},
		"part of the token":                    {path: home.Path[:20] + "/", want: 404},
		"a name that is rebound":               {path: home.Path, host: "example.com:" + port, want: 403},
		"another port":                         {path: home.Path, host: "127.0.0.1:1", want: 403},
		"no port":                              {path: home.Path, host: "127.0.0.1", want: 403},
		"a page elsewhere":                     {path: home.Path + "api/choices", header: map[string]string{"Origin": "http://example.com"}, want: 403},
		"a page of another port":               {path: home.Path + "api/choices", header: map[string]string{"Origin": "http://127.0.0.1:1"}, want: 403},
		"a page without origin":                {path: home.Path + "api/choices", header: map[string]string{"Origin": "null"}, want: 403},
		"a link elsewhere":                     {path: home.Path, header: map[string]string{"Sec-Fetch-Site": "cross-site"}, want: 403},
		"above the page, to what is not there": {path: home.Path + "../../view/doc.go", want: 307},
	} {
		request, err := http.NewRequest("GET", "http://"+home.Host+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.host != "" {
			request.Host = c.host
		}
		for key, value := range c.header {
			request.Header.Set(key, value)
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != c.want {
			t.Errorf("%s: status %d; expected %d", name, response.StatusCode, c.want)
		}
		if policy := response.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'") {
			t.Errorf("%s: the policy is %q", name, policy)
		}
	}
}

func TestForms(t *testing.T) {
	server := serve(t)
	for _, c := range []struct{ kind, body, want string }{
		{"text/plain", `{}`, "expected application/json"},
		{"application/x-www-form-urlencoded", `on=ndr`, "expected application/json"},
		{"application/json", `{"on":"ndr","record":"/tmp/x"}`, `unknown field \"record\"`},
		{"application/json", `{"on":"live","workload":"pingpong"}`, "simulations only"},
		{"application/json", `{"on":`, "what to run"},
	} {
		response, err := http.Post(server.URL()+"api/runs", c.kind, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode/100 != 4 || !strings.Contains(string(text), c.want) {
			t.Errorf("%s as %s: status %d, %q; expected %q", c.body, c.kind, response.StatusCode, text, c.want)
		}
	}
}

func TestListenRefusesOthers(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "example.com:80", "127.0.0.1"} {
		if _, err := view.Listen(address); err == nil || !strings.Contains(err.Error(), "an address of this host alone") {
			t.Errorf("%s: error %v; expected a refusal", address, err)
		}
	}
}

// ask asks the server, and reads what it answers.
func ask(t *testing.T, server *view.Server, method, path, body string, into any) int {
	t.Helper()
	request, err := http.NewRequest(method, server.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return response.StatusCode
}

// A run that is stopped ends as such, and no more than two run at a time.
func TestRunsAreStopped(t *testing.T) {
	server := serve(t)
	long := `{"on":"rhinet2","workload":"pattern","set":{"load":"0.1","packets":"100000000","loop":"open"}}`
	var first, second struct{ ID int }
	var refused struct{ Error string }
	ask(t, server, "POST", "api/runs", long, &first)
	ask(t, server, "POST", "api/runs", long, &second)
	if status := ask(t, server, "POST", "api/runs", long, &refused); status != 422 || !strings.Contains(refused.Error, "2 runs are under way") {
		t.Errorf("a third run: status %d, %q; expected a refusal", status, refused.Error)
	}
	for _, id := range []string{"1", "2"} {
		var nothing struct{}
		ask(t, server, "POST", "api/runs/"+id+"/stop", "", &nothing)
		var now struct{ State, Error string }
		for range 200 {
			if ask(t, server, "GET", "api/runs/"+id, "", &now); now.State != "running" {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if now.State != "stopped" {
			t.Errorf("run %s is %s after it was stopped: %s", id, now.State, now.Error)
		}
	}
}

// The API tells of a network what the routing's proof and statistics say.
func TestNetworksAreRefusedInOneLine(t *testing.T) {
	server := serve(t)
	for query, want := range map[string]string{
		"":                                        "no network given",
		"topology=taurus:3&routing=updown":        "taurus:3",
		"topology=torus:4x4&routing=down":         "unknown routing",
		"topology=torus:4x4&routing=dl&vcs=x":     "expected a number",
		"topology=torus:4x4&routing=dl&vcs=9999":  "vcs 9999",
		"topology=torus:40x40&routing=updown":     "draws up to 1000",
		"topology=/nowhere/at/all&routing=updown": "/nowhere/at/all",
	} {
		var got struct{ Error string }
		if status := ask(t, server, "GET", "api/network?"+query, "", &got); status != 422 || !strings.Contains(got.Error, want) || strings.Contains(got.Error, "\n") {
			t.Errorf("%q: status %d, %q; expected one line with %q", query, status, got.Error, want)
		}
	}
}

// A file that has changed is another network.
func TestChangedFilesAreReadAgain(t *testing.T) {
	server := serve(t)
	file := filepath.Join(t.TempDir(), "net.edges")
	for i, edges := range []string{"a b\n", "a b\nb c\n"} {
		check.Must(t, os.WriteFile(file, []byte(edges), 0o600))
		var got struct {
			Switches []json.RawMessage `json:"switches"`
		}
		if status := ask(t, server, "GET", "api/network?routing=updown&hosts=1&topology="+url.QueryEscape(file), "", &got); status != 200 || len(got.Switches) != i+2 {
			t.Errorf("%q: status %d, %d switches; expected %d", edges, status, len(got.Switches), i+2)
		}
	}
}
