package outbound_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fieldlift/internal/apptest"
	"fieldlift/internal/outbound"
)

func TestMain(m *testing.M) { os.Exit(apptest.Main(m)) }

func body(text string) outbound.Body {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

func post(t *testing.T, c *outbound.Client, url string) (outbound.Answer, error) {
	t.Helper()
	return c.Post(t.Context(), url, http.Header{}, 4, body("text"))
}

// listener counts who connects to it.
func listener(t *testing.T, address string) (port string, connections *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skip(err) // a machine without IPv6
	}
	t.Cleanup(func() { l.Close() })
	connections = new(atomic.Int64)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			c.Close()
		}
	}()
	_, port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port, connections
}

// TestRebinding: a name that led to a public address when it was looked at
// leads home when it is called.
func TestRebinding(t *testing.T) {
	port, connections := listener(t, "127.0.0.1:0")
	for _, first := range []string{"93.184.216.34", "127.0.0.1"} {
		c := outbound.New(outbound.Options{Production: true, Resolver: apptest.NewResolver(t, first, "127.0.0.1")})
		found := c.Check(t.Context(), "https://rebind.test:"+port+"/")
		if (len(found) == 0) != (first != "127.0.0.1") {
			t.Errorf("%s: %+v", first, found)
		}
		_, err := post(t, c, "https://rebind.test:"+port+"/")
		if err == nil || outbound.Sentence(err) != "The host's address is not one that webhooks may call." {
			t.Errorf("%v", err)
		}
	}
	if connections.Load() != 0 {
		t.Error("a connection was made")
	}
}

func TestAddressesInside(t *testing.T) {
	port, connections := listener(t, "[::]:0")
	c := outbound.New(outbound.Options{Production: true})
	for _, host := range []string{
		"127.0.0.1", "127.8.9.10", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "0.0.0.0", "[::]",
		"10.0.0.1", "172.16.3.4", "192.168.1.1", "100.64.0.1", "169.254.169.254", "[::ffff:169.254.169.254]", "[::ffff:10.0.0.1]",
		"[fe80::1]", "[fd00::1]", "[fd00:ec2::254]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001:db8::1]", "168.63.129.16",
		"224.0.0.1", "255.255.255.255", "[ff02::1]", "198.18.0.1", "192.0.2.1",
	} {
		target := "https://" + host + ":" + port + "/"
		if found := c.Check(t.Context(), target); len(found) != 1 || found[0].Issue != "address" {
			t.Errorf("%s: %+v", host, found)
		}
		if _, err := post(t, c, target); err == nil || !strings.Contains(outbound.Sentence(err), "may call") {
			t.Errorf("%s: %v", host, err)
		}
	}
	if connections.Load() != 0 {
		t.Errorf("%d connections were made", connections.Load())
	}
	for _, host := range []string{"93.184.216.34", "1.1.1.1", "[2606:4700::1111]", "[::ffff:1.1.1.1]", "nowhere.invalid"} {
		if found := c.Check(t.Context(), "https://"+host+"/"); len(found) != 0 {
			t.Errorf("%s: %+v", host, found)
		}
	}
}

func TestAllowedNetworks(t *testing.T) {
	c := outbound.New(outbound.Options{Production: true, Allowed: []netip.Prefix{
		netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fd12::/16"),
	}})
	for host, allowed := range map[string]bool{"10.1.2.3": true, "[::ffff:10.1.2.3]": true, "[fd12::1]": true, "10.2.0.1": false, "169.254.169.254": false} {
		if found := c.Check(t.Context(), "https://"+host+"/"); (len(found) == 0) != allowed {
			t.Errorf("%s: %+v", host, found)
		}
	}
}

func TestInDevelopmentThisMachineMayBeCalled(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, err := io.ReadAll(r.Body); err != nil || string(text) != "text" || r.ContentLength != 4 {
			t.Errorf("%q, %v", text, err)
		}
		_, _ = io.WriteString(w, "thanks")
	}))
	t.Cleanup(server.Close)
	c := outbound.New(outbound.Options{})
	if found := c.Check(t.Context(), server.URL); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	if answer, err := post(t, c, server.URL); err != nil || answer.StatusCode != 200 || answer.Excerpt != "thanks" || answer.Cut || answer.Took <= 0 {
		t.Errorf("%+v, %v", answer, err)
	}
	for _, host := range []string{"169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "224.0.0.1"} {
		if found := c.Check(t.Context(), "http://"+host+"/"); len(found) != 1 {
			t.Errorf("%s may be called", host)
		}
	}
}

func TestCheck(t *testing.T) {
	c := outbound.New(outbound.Options{Production: true, Resolver: apptest.NewResolver(t, "93.184.216.34")})
	for target, issue := range map[string]string{
		"https://example.com/hook":                         "",
		"https://example.com":                              "",
		"HTTPS://EXAMPLE.COM/":                             "",
		"https://example.com:8443/a?b=c":                   "",
		"https://example.com./":                            "",
		"https://a_b.example.com/":                         "",
		"https://example.com/a?b=c#d":                      "format",
		"https://a..b/":                                    "format",
		"https://-/":                                       "format",
		"https://./":                                       "format",
		"https://exam!ple.com/":                            "format",
		"https://2130706433/":                              "format",
		"https://0x7f000001/":                              "format",
		"https://0177.0.0.1/":                              "format",
		"https://017700000001/":                            "format",
		"https://127.1/":                                   "format",
		"https://127.0.0.0x1/":                             "format",
		"https://0/":                                       "format",
		"https://999.1.1.1/":                               "format",
		"https://１２７.0.0.1/":                               "format",
		"https://127。0。0。1/":                               "format",
		"https://%EF%BC%91/":                               "format",
		"https://bücher.example/":                          "format",
		"https://127.0.0.1./":                              "address",
		"https://localhost/":                               "address",
		"https://LOCALHOST./":                              "address",
		"https://a.localhost/":                             "address",
		"https://metadata.google.internal/":                "address",
		"https://Metadata.Google.Internal./":               "address",
		"https://example.com:3000/":                        "",
		"http://example.com/":                              "scheme",
		"ftp://example.com/":                               "format",
		"example.com/hook":                                 "format",
		"https://":                                         "format",
		"https:///path":                                    "format",
		"https://:443/":                                    "format",
		"https:example.com":                                "format",
		"https://exa mple.com/":                            "format",
		"https://example.com/a b":                          "format",
		"":                                                 "format",
		"https://user@example.com/":                        "credentials",
		"https://user:password@example.com/":               "credentials",
		"https://example.com:22/":                          "port",
		"https://example.com:80/":                          "port",
		"https://example.com:0/":                           "port",
		"https://example.com:6379/":                        "port",
		"https://example.com:99999/":                       "port",
		"https://example.com/" + strings.Repeat("x", 2048): "max_length",
	} {
		found := c.Check(t.Context(), target)
		if issue == "" && len(found) != 0 || issue != "" && (len(found) != 1 || found[0].Issue != issue || found[0].Field != "url" || found[0].Message == "") {
			t.Errorf("%q: %+v, want %q", target, found, issue)
		}
	}
}

// TestStaleConnections: a receiver that closes kept connections is reached all
// the same.
func TestStaleConnections(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	var open atomic.Pointer[net.Conn]
	server.Config.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateIdle {
			open.Store(&c)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	c := outbound.New(outbound.Options{})
	for range 50 {
		if answer, err := post(t, c, server.URL); err != nil || answer.StatusCode != 200 {
			t.Fatal(answer, err)
		}
		if idle := open.Swap(nil); idle != nil {
			(*idle).Close()
		}
	}
}

// TestProductionCallsNothingPlain: whatever was stored.
func TestProductionCallsNothingPlain(t *testing.T) {
	port, connections := listener(t, "127.0.0.1:0")
	c := outbound.New(outbound.Options{Production: true, Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	_, err := post(t, c, "http://127.0.0.1:"+port+"/")
	if err == nil || outbound.Sentence(err) != "The url begins with http://; in production only https:// is called." || connections.Load() != 0 {
		t.Errorf("%v, %d connections", err, connections.Load())
	}
	if _, err := post(t, c, "https://127.0.0.1:6379/"); err == nil || outbound.Sentence(err) != "The port is not one that webhooks may call." {
		t.Error(err)
	}
}

func TestDevelopmentURLs(t *testing.T) {
	c := outbound.New(outbound.Options{Resolver: apptest.NewResolver(t, "127.0.0.1")})
	for target, issue := range map[string]string{
		"http://localhost:9000/": "", "http://127.0.0.1/": "", "http://receiver:80/": "", "http://[::1]:9000/": "",
		"http://a..b/": "format", "http://-/": "format", "http://receiver/#x": "format", "http://127.1/": "format",
		"http://receiver:0/": "port", "http://receiver:70000/": "port", "http://169.254.169.254/": "address", "http://metadata.google.internal/": "address",
	} {
		found := c.Check(t.Context(), target)
		if issue == "" && len(found) != 0 || issue != "" && (len(found) != 1 || found[0].Issue != issue || strings.Contains(found[0].Message, "production")) {
			t.Errorf("%q: %+v, want %q", target, found, issue)
		}
	}
}

// TestNoHTTP: some answer with other things.
func TestNoHTTP(t *testing.T) {
	for name, text := range map[string]string{
		"garbage":     "220 mail.example ESMTP\r\n",
		"huge header": "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
		"odd header":  "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			if c, err := l.Accept(); err == nil {
				_, _ = io.CopyN(io.Discard, c, 1)
				_, _ = io.WriteString(c, text)
				_, _ = io.Copy(io.Discard, c)
				c.Close()
			}
		}()
		_, err = post(t, outbound.New(outbound.Options{}), "http://"+l.Addr().String())
		if got := outbound.Sentence(err); got != "The receiver answered with something that is not HTTP." {
			t.Errorf("%s: %q for %v", name, got, err)
		}
	}
}

func TestSentencesTellNothingOfOurNetwork(t *testing.T) {
	self := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(self.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	c := outbound.New(outbound.Options{Resolver: apptest.NewResolver(t, "127.0.0.1")})
	secure := func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return "https://internal.test:" + u.Port()
	}
	for target, want := range map[string]string{
		secure(self.URL):  "The receiver's certificate is not valid:",
		secure(plain.URL): "The receiver does not speak TLS at this port.",
	} {
		_, err := post(t, c, target)
		if got := outbound.Sentence(err); !strings.HasPrefix(got, want) || strings.Contains(got, "127.0.0.1") {
			t.Errorf("%q for %v", got, err)
		}
	}
}

// TestDrippingBodies: once the status is known, a body is not waited for long,
// and the time that it took is told.
func TestDrippingBodies(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "a drop")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	c := outbound.New(outbound.Options{})
	answer, err := post(t, c, server.URL)
	if err != nil || answer.StatusCode != 200 || answer.Excerpt != "a drop" || !answer.Cut || answer.Took < time.Second || answer.Took > 5*time.Second {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestAnEndedContextEndsTheCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // before that, net/http does not notice who goes away
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	c := outbound.New(outbound.Options{})
	if _, err := c.Post(ctx, server.URL, http.Header{}, 4, body("text")); err == nil {
		t.Error("there is an answer")
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"https://example.com:443/", "https://[::ffff:127.0.0.1]:8443/", "https://127.1/", "https://user@x/", "https://0x7f000001/", "//x"} {
		f.Add(seed)
	}
	// Names lead nowhere, so that only what stands in the URL itself decides.
	c := outbound.New(outbound.Options{Production: true, Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, net.ErrClosed
	}}})
	f.Fuzz(func(t *testing.T, text string) {
		if len(c.Check(t.Context(), text)) != 0 {
			return
		}
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Hostname() == "" {
			t.Fatalf("%q is taken", text)
		}
		if a, err := netip.ParseAddr(u.Hostname()); err == nil && (a.Unmap().IsPrivate() || a.Unmap().IsLoopback() || a.Unmap().IsLinkLocalUnicast()) {
			t.Errorf("%q is taken", text)
		}
		if bytes.ContainsAny([]byte(text), "\r\n") {
			t.Errorf("%q is taken", text)
		}
	})
}
