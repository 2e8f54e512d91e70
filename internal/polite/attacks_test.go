package polite

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/golden"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// attack is a row of docs/network-guard.md: something a source, or an address, tries,
// and how it ends. ask makes the request; says is part of the error's text.
type attack struct {
	name, with string
	kind       harvest.Kind
	says       string
	ask        func(t *testing.T) error
}

// group is one table of the document.
type group struct {
	title, about string
	rows         []attack
}

func attacks() []group {
	return []group{
		{"Addresses inside the own network", "The dialer looks at the address that is about to be connected, so the notation does not matter. `worker --allow-network CIDR` allows a network.", insideAttacks()},
		{"Names that lead inside", "A name is checked after it was resolved, at every connection anew.", nameAttacks()},
		{"Addresses that are not what they seem", "", spellingAttacks()},
		{"Redirects", "Each hop is checked like a first request.", redirectAttacks()},
		{"Answers that do not end", "Bodies are bounded in bytes, transferred and decoded (`--max-body`, 16 MiB), headers in bytes, exchanges in time (`timeouts.request`).", answerAttacks()},
		{"Certificates", "Verification has no switch to turn it off. `hosts: {NAME: {ca: …}}` pins the authority of one host.", certificateAttacks()},
	}
}

// TestAttacks runs every row of docs/network-guard.md.
func TestAttacks(t *testing.T) {
	t.Parallel()
	for _, g := range attacks() {
		for _, a := range g.rows {
			t.Run(g.title+"/"+a.name, func(t *testing.T) {
				t.Parallel()
				err := a.ask(t)
				require.Error(t, err, a.with)
				require.Equal(t, a.kind, harvest.KindOf(err), "%s: %v", a.with, err)
				require.ErrorContains(t, harvest.AsError(err), a.says, a.with)
			})
		}
	}
}

// TestNetworkGuardDocument keeps docs/network-guard.md.
func TestNetworkGuardDocument(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# The network guard\n\nGenerated from internal/polite/attacks_test.go; `go test ./internal/polite -run TestNetworkGuardDocument -update` rewrites it.\n\n")
	b.WriteString("Whoever edits a campaign file, and every source that answers with an address, decides what a worker connects to. Each row is a test:\n`go test ./internal/polite -run TestAttacks -v`.\n")
	for _, g := range attacks() {
		fmt.Fprintf(&b, "\n## %s\n\n", g.title)
		if g.about != "" {
			b.WriteString(g.about + "\n\n")
		}
		b.WriteString("| attack | for example | ends as | says |\n|---|---|---|---|\n")
		for _, a := range g.rows {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", a.name, cell(a.with), a.kind, a.says)
		}
	}
	b.WriteString(guardRest)
	golden.Compare(t, "../../docs/network-guard.md", []byte(b.String()))
}

func cell(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

const guardRest = `
## What else holds

* Credentials (Authorization, cookies, headers and query values with names like ` + "`api-key`" + `) and the Referer are dropped as soon as a redirect leaves
  the first host, port or scheme, and do not come back (TestCredentialsStayWithTheirHost).
* A sign-in (auth in a campaign file) is set on the copy of a request that is sent, to the origins that the file names: each hop of a chain of redirects
  is judged anew, and one that left them, or its encryption, gets it no more (TestSignInIsSentToItsOriginsAlone, TestSignInAlongRedirects).
* A proxy of the environment is dialled like any other address; the target's name is resolved and checked before it is handed to the proxy
  (TestGuardHoldsThroughAProxy). A name that only the proxy can resolve is left to the proxy.
* A program that the fetcher ` + "`exec`" + ` starts makes its own connections: this guard does not see them.
* Webhooks go to addresses of campaign files, written by whoever may apply them.
`

// asks makes the request of a row that needs no server: no network is allowed.
func asks(address string) func(*testing.T) error {
	return func(t *testing.T) error {
		c, _ := client(t, Settings{})
		_, _, err := get(t.Context(), c, address)
		return err
	}
}

func refusedAt(name, address, says string) attack {
	return attack{name, address, harvest.KindBlocked, says, asks(address)}
}

func insideAttacks() []attack {
	return []attack{
		refusedAt("loopback", "http://127.0.0.1:7233/", "127.0.0.1 is a loopback address: refused"),
		refusedAt("all of loopback", "http://127.8.9.10/", "127.8.9.10 is a loopback address"),
		refusedAt("private, 10/8", "http://10.0.0.1/", "10.0.0.1 is a private address"),
		refusedAt("private, 172.16/12", "http://172.16.0.1/", "172.16.0.1 is a private address"),
		refusedAt("private, 192.168/16", "http://192.168.1.1/", "192.168.1.1 is a private address"),
		refusedAt("metadata of a cloud", "http://169.254.169.254/latest/meta-data/", "169.254.169.254 is a link-local address"),
		refusedAt("metadata over IPv6", "http://[fd00:ec2::254]/", "fd00:ec2::254 is a private address"),
		refusedAt("carrier's shared addresses", "http://100.100.100.200/", "100.100.100.200 is a carrier's shared address"),
		refusedAt("unspecified", "http://0.0.0.0/", "0.0.0.0 is an unspecified address"),
		refusedAt("this network", "http://0.1.2.3/", "0.1.2.3 is an address of this network"),
		refusedAt("multicast", "http://224.0.0.1/", "224.0.0.1 is a multicast address"),
		refusedAt("broadcast", "http://255.255.255.255/", "255.255.255.255 is a reserved address"),
		refusedAt("IPv6 loopback", "http://[::1]/", "::1 is a loopback address"),
		refusedAt("IPv6 unspecified", "http://[::]/", "is an unspecified address"),
		refusedAt("IPv6 link-local with a zone", "http://[fe80::1%25lo]/", "fe80::1 is a link-local address"),
		refusedAt("IPv6 unique local", "http://[fd12:3456::1]/", "fd12:3456::1 is a private address"),
		refusedAt("IPv4 mapped into IPv6", "http://[::ffff:127.0.0.1]/", "127.0.0.1 is a loopback address"),
		refusedAt("mapped, in hexadecimal", "http://[::ffff:a9fe:a9fe]/", "169.254.169.254 is a link-local address"),
		refusedAt("IPv4-compatible IPv6", "http://[::127.0.0.1]/", "is a reserved address"),
		refusedAt("through NAT64", "http://[64:ff9b::7f00:1]/", "is a loopback address"),
		refusedAt("through 6to4", "http://[2002:c0a8:101::1]/", "is a private address"),
	}
}

func nameAttacks() []attack {
	return []attack{
		refusedAt("localhost", "http://localhost/", "is a loopback address"),
		{"a public name for a private address", "A inside.example 10.0.0.1", harvest.KindBlocked, "10.0.0.1 is a private address", resolves("10.0.0.1")},
		{"a public name for metadata over IPv6", "AAAA inside.example fd00:ec2::254", harvest.KindBlocked, "fd00:ec2::254 is a private address", resolves("fd00:ec2::254")},
		{"rebinding: the second answer leads inside", "A 127.0.0.2 (allowed), then A 10.0.0.1", harvest.KindBlocked, "10.0.0.1 is a private address", rebinds},
		{"a name that does not exist", "NXDOMAIN", harvest.KindUnreachable, "no such host", resolves("")},
	}
}

func spellingAttacks() []attack {
	misconfigured := func(name, address, says string) attack {
		return attack{name, address, harvest.KindMisconfigured, says, asks(address)}
	}
	return []attack{
		refusedAt("one number", "http://2130706433/", "127.0.0.1 is a loopback address"),
		refusedAt("hexadecimal", "http://0x7f000001/", "127.0.0.1 is a loopback address"),
		refusedAt("octal", "http://0177.0.0.1/", "127.0.0.1 is a loopback address"),
		refusedAt("fewer parts", "http://127.1/", "127.0.0.1 is a loopback address"),
		refusedAt("a dot at the end", "http://127.0.0.1./", "127.0.0.1 is a loopback address"),
		refusedAt("userinfo that looks like a host", "http://example.org@127.0.0.1/", "127.0.0.1 is a loopback address"),
		refusedAt("userinfo with a port", "http://example.org:80@127.0.0.1/", "127.0.0.1 is a loopback address"),
		refusedAt("a fragment that looks like a host", "http://127.0.0.1/#@example.org", "127.0.0.1 is a loopback address"),
		refusedAt("wide digits", "http://１２７.0.0.1/", "127.0.0.1 is a loopback address"),
		misconfigured("a file", "file:///etc/passwd", `scheme "file" is not http or https`),
		misconfigured("gopher", "gopher://127.0.0.1:6379/_FLUSHALL", `scheme "gopher" is not http or https`),
		misconfigured("FTP", "ftp://127.0.0.1/x", `scheme "ftp" is not http or https`),
		misconfigured("data", "data:text/plain,hello", `scheme "data" is not http or https`),
		misconfigured("no host", "http:///latest", "the address has no host"),
	}
}

// redirected asks a server that answers as h does.
func redirected(h http.HandlerFunc) func(*testing.T) error {
	return func(t *testing.T) error {
		s := serve(t, h)
		c, _ := client(t, loopback())
		_, _, err := get(t.Context(), c, s.URL+"/start")
		return err
	}
}

func to(location string) func(*testing.T) error {
	return redirected(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Location"] = []string{location}
		w.WriteHeader(http.StatusFound)
	})
}

func redirectAttacks() []attack {
	to := func(name, location string, kind harvest.Kind, says string) attack {
		return attack{name, location, kind, says, to(location)}
	}
	endless := redirected(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) })
	circle := redirected(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) })
	return []attack{
		to("to metadata", "http://169.254.169.254/latest/meta-data/", harvest.KindBlocked, "169.254.169.254 is a link-local address"),
		to("to a private address", "//10.0.0.1/", harvest.KindBlocked, "10.0.0.1 is a private address"),
		to("to a mapped address", "http://[::ffff:10.0.0.1]/", harvest.KindBlocked, "10.0.0.1 is a private address"),
		to("to a file", "file:///etc/passwd", harvest.KindBroken, `scheme "file" is not http or https`),
		to("to gopher", "gopher://127.0.0.1/", harvest.KindBroken, `scheme "gopher" is not http or https`),
		to("to nowhere", "", harvest.KindBroken, "a redirect (302) without an address"),
		{"without end", "/startx, /startxx, …", harvest.KindBroken, "more than 10 redirects", endless},
		{"in a circle", "/start to /start", harvest.KindBroken, "the redirects form a loop", circle},
	}
}

// soon is the timeout for what ends by it.
const soon = time.Second

// drinks reads an answer to its end without keeping it, and fails t if more than the
// cap of a body arrives.
func drinks(t *testing.T, timeout time.Duration, h http.HandlerFunc) error {
	t.Helper()
	s := serve(t, h)
	b := &reserve{}
	settings := loopback()
	settings.MaxBody = 4 << 20
	c := open(t, settings).HTTP(visit.Visitor{Timeout: timeout, Record: b.record})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	require.NoError(t, err)
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() // its end is what is looked at
	n, err := io.Copy(io.Discard, resp.Body)
	require.LessOrEqual(t, n, settings.MaxBody, "what the reader got")
	require.LessOrEqual(t, b.one(t).Bytes, settings.MaxBody+64<<10, "what was transferred")
	return err
}

// raw answers with bytes, without net/http between.
func raw(t *testing.T, timeout time.Duration, write func(w io.Writer)) error {
	t.Helper()
	return drinks(t, timeout, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close() // test server
		write(conn)
	})
}

// forever writes a text until nobody reads any more.
func forever(w io.Writer, text string) {
	for {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
	}
}

func answerAttacks() []attack {
	zeros := strings.Repeat("\x00", 64<<10)
	answer := func(timeout time.Duration, write func(w http.ResponseWriter)) func(*testing.T) error {
		return func(t *testing.T) error {
			return drinks(t, timeout, func(w http.ResponseWriter, _ *http.Request) { write(w) })
		}
	}
	bytes := func(timeout time.Duration, write func(w io.Writer)) func(*testing.T) error {
		return func(t *testing.T) error { return raw(t, timeout, write) }
	}
	return []attack{
		{"10 GB, announced", "Content-Length: 10000000000", harvest.KindBroken, "the body is too large", bytes(patience, func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n") // test server
			forever(w, zeros)
		})},
		{"10 GB, not announced", "", harvest.KindBroken, "the body is too large", answer(patience, func(w http.ResponseWriter) { forever(w, zeros) })},
		{"a gzip bomb", "12 MiB of zeros in 12 KiB", harvest.KindBroken, "the body grows too much when decompressed", func(t *testing.T) error {
			bomb := pack(t, "gzip", strings.Repeat("\x00", 12<<20))
			return drinks(t, patience, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				w.Write(bomb) // test server
			})
		}},
		{"gzip members that hold nothing", "", harvest.KindBroken, "the body is too large", func(t *testing.T) error {
			empty := string(pack(t, "gzip", ""))
			return drinks(t, patience, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				forever(w, strings.Repeat(empty, 1000))
			})
		}},
		{"a slow drip", "one byte at a time", harvest.KindTimeout, "no complete response in time", answer(soon, func(w http.ResponseWriter) {
			for drip := time.NewTicker(10 * time.Millisecond); ; <-drip.C {
				if _, err := io.WriteString(w, "x"); err != nil || http.NewResponseController(w).Flush() != nil {
					return
				}
			}
		})},
		{"headers that drip", "", harvest.KindTimeout, "no complete response in time", bytes(soon, func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\nX-Drip: ") // test server
			for drip := time.NewTicker(10 * time.Millisecond); ; <-drip.C {
				if _, err := io.WriteString(w, "x"); err != nil {
					return
				}
			}
		})},
		{"headers without end", "X-A: …", harvest.KindBroken, "server response headers exceeded 262144 bytes", bytes(patience, func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\n") // test server
			forever(w, "X-A: "+strings.Repeat("a", 1000)+"\r\n")
		})},
		{"interim answers without end", "103 Early Hints, again and again", harvest.KindBroken, "the response is not HTTP", bytes(patience, func(w io.Writer) {
			forever(w, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
		})},
		{"no answer", "", harvest.KindTimeout, "no complete response in time", bytes(soon, func(w io.Writer) { io.Copy(io.Discard, w.(net.Conn)) })}, // test server
		{"no HTTP", "SSH-2.0-OpenSSH_9.6", harvest.KindBroken, "the response is not HTTP", bytes(patience, func(w io.Writer) {
			io.WriteString(w, "SSH-2.0-OpenSSH_9.6\r\n\r\n") // test server
		})},
		{"a body cut short", "5 of 1000 bytes", harvest.KindServerError, "the body was cut short", bytes(patience, func(w io.Writer) {
			io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello") // test server
		})},
	}
}

// unknownAuthority asks a TLS server whose certificate no one trusts.
func unknownAuthority(t *testing.T) error {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = quiet
	s.StartTLS()
	t.Cleanup(s.Close)
	c, _ := client(t, loopback())
	_, _, err := get(t.Context(), c, s.URL)
	return err
}

// plainPort asks over TLS at a port without it.
func plainPort(t *testing.T) error {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	c, _ := client(t, loopback())
	_, _, err := get(t.Context(), c, strings.Replace(s.URL, "http:", "https:", 1))
	return err
}

// chained asks a server that presents what present says, of a made authority; trust are
// the settings' rules by what the authority is.
func chained(present func(a *authority) tls.Certificate, trust func(a *authority) string) func(*testing.T) error {
	return func(t *testing.T) error {
		a := newAuthority(t)
		s := a.serve(t, present(a))
		settings := loopback()
		settings.Rules = func(string) Rule { return Rule{CA: trust(a)} }
		c, _ := client(t, settings)
		_, _, err := get(t.Context(), c, s.URL)
		return err
	}
}

func certificateAttacks() []attack {
	root := func(a *authority) string { return a.pem }
	other := func(a *authority) string { return newAuthority(a.t).pem }
	return []attack{
		{"self-signed", "", harvest.KindUnreachable, "the host's certificate is", unknownAuthority},
		{"an unknown authority", "", harvest.KindUnreachable, "from an unknown authority", chained((*authority).whole, func(*authority) string { return "" })},
		{"the certificates in between are not sent", "", harvest.KindUnreachable, "ask its operator to send the whole chain", chained((*authority).leafOnly, root)},
		{"expired", "", harvest.KindUnreachable, "the host's certificate expired on", chained((*authority).expired, root)},
		{"for another name", "", harvest.KindUnreachable, "the host's certificate is for another name: other.example", chained((*authority).misnamed, root)},
		{"valid, by another authority than the pinned one", "", harvest.KindUnreachable, "not from the pinned authority", chained((*authority).whole, other)},
		{"no TLS at the port", "https://…:80", harvest.KindUnreachable, "the host does not speak TLS at this port", plainPort},
	}
}

// resolves asks for a name that a name server answers with an address, "" with NXDOMAIN.
func resolves(address string) func(*testing.T) error {
	return func(t *testing.T) error {
		c := named(t, address)
		_, _, err := get(t.Context(), c, "http://inside.example/")
		return err
	}
}

// rebinds asks twice for a name whose second answer leads inside.
func rebinds(t *testing.T) error {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.2:0")
	require.NoError(t, err)
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
	})}}
	s.Start()
	t.Cleanup(s.Close)
	c := named(t, "127.0.0.2", "10.0.0.1")
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	_, _, err = get(t.Context(), c, "http://inside.example:"+port+"/")
	require.NoError(t, err, "the first answer is an allowed address")
	_, _, err = get(t.Context(), c, "http://inside.example:"+port+"/")
	return err
}

// named makes a client whose names are resolved by a server that gives these answers in
// turn, the last one for ever.
func named(t *testing.T, answers ...string) *http.Client {
	t.Helper()
	shared := open(t, loopback())
	shared.guard.dialer.Resolver = &net.Resolver{PreferGo: true, Dial: nameServer(t, answers)}
	return shared.HTTP(visit.Visitor{Timeout: patience})
}
