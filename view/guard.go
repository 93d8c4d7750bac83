package view

import (
	"crypto/rand"
	"net/http"
)

// newToken returns 26 characters that nobody can guess.
func newToken() string { return rand.Text() }

// policy lets a browser load what the page brings along, from here, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard answers only requests that name this server and do not come from a page of another one: names
// that lead here after all (DNS rebinding), and links or scripts of other pages, are refused.
func guard(host string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if why := refusal(r, host); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refusal says why a request is not answered; empty: it is.
func refusal(r *http.Request, host string) string {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	switch {
	case r.Host != host:
		return "this server is " + host
	case origin != "" && origin != "http://"+host:
		return "requests of other pages are not answered"
	case site != "" && site != "same-origin" && site != "none":
		return "requests of other pages are not answered"
	case r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json":
		return "expected application/json"
	}
	return ""
}
