package keys

import (
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns/internal/values"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/times"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func ok(*yamltree.Node) error { return nil }

func text(example string) *Form {
	return &Form{Name: "text", Example: example, Check: ok, Schema: map[string]any{"type": []string{"string", "number"}}}
}

func name() *Form {
	return &Form{
		Name: "a name", Example: "gu-serie-generale",
		Check:  func(n *yamltree.Node) error { return values.Name(n.Text) },
		Schema: map[string]any{"type": "string", "pattern": values.NamePattern},
	}
}

func words(w ...string) *Form { return &Form{Name: "one of", Words: w, Example: w[0]} }

func duration(example string, others ...string) *Form {
	return &Form{
		Name: "a duration", Example: example, Words: others,
		Check: func(n *yamltree.Node) error {
			_, err := times.ParseDuration(n.Text)
			return err
		},
		Schema: map[string]any{"anyOf": []any{map[string]any{"type": "string", "pattern": times.DurationPattern}, map[string]any{"const": 0}}},
	}
}

func integer(least int, others ...string) *Form {
	example := strconv.Itoa(max(least, 1))
	return &Form{
		Name: "a whole number", Example: example, Words: others,
		Check: func(n *yamltree.Node) error {
			if i, err := strconv.ParseInt(n.Text, 10, 32); err != nil || n.Kind != yamltree.Int || int(i) < least {
				return fmt.Errorf("%q: a whole number from %d on", n.Text, least)
			}
			return nil
		},
		Schema: map[string]any{"type": "integer", "minimum": least},
	}
}

func factor() *Form {
	return &Form{
		Name: "a number", Example: "2",
		Check: func(n *yamltree.Node) error {
			if f, err := strconv.ParseFloat(n.Text, 64); err != nil || !(f >= 1 && f <= 1000) {
				return fmt.Errorf("%q: a number from 1 on, for example 2", n.Text)
			}
			return nil
		},
		Schema: map[string]any{"type": "number", "minimum": 1, "maximum": 1000},
	}
}

func count() *Form {
	return &Form{
		Name: "a number or a share", Example: "5%",
		Check: func(n *yamltree.Node) error {
			_, _, err := values.Count(n.Text)
			return err
		},
		Schema: map[string]any{"anyOf": []any{
			map[string]any{"type": "integer", "minimum": 0}, map[string]any{"type": "string", "pattern": `^[0-9.]+%?$`},
		}},
	}
}

func share() *Form {
	return &Form{
		Name: "a share", Example: "20%",
		Check: func(n *yamltree.Node) error {
			_, err := values.Share(n.Text)
			return err
		},
		Schema: map[string]any{"type": "string", "pattern": `^[0-9.]+%$`},
	}
}

func rate(bytes bool, example string) *Form {
	return &Form{
		Name: "a rate", Example: example,
		Check: func(n *yamltree.Node) error {
			_, _, err := values.Rate(n.Text, bytes)
			return err
		},
		Schema: map[string]any{"type": "string", "pattern": `^[0-9].*/(run|day|month)$`},
	}
}

func queue() *Form {
	return &Form{
		Name: "a task queue", Example: "library",
		Check:  func(n *yamltree.Node) error { return values.Queue(n.Text) },
		Schema: map[string]any{"type": "string", "pattern": values.QueuePattern},
	}
}

func date() *Form {
	return &Form{
		Name: "a date", Example: "2026-01-31",
		Check: func(n *yamltree.Node) error {
			if _, err := time.Parse(time.DateOnly, n.Text); err != nil {
				return fmt.Errorf("%q is not a date; for example 2026-01-31", n.Text)
			}
			return nil
		},
		Schema: map[string]any{"type": "string", "pattern": `^\d{4}-\d{2}-\d{2}$`},
	}
}

// pauseNote requires a reason for a pause, because somebody else will ask.
func pauseNote() *Form {
	return &Form{
		Name: "text or false", Example: `"new firewall, ask Ilse"`,
		Check: func(n *yamltree.Node) error {
			if n.Kind == yamltree.Bool && strings.EqualFold(n.Text, "true") {
				return fmt.Errorf(`say why, as text: paused: "new firewall, ask Ilse"`)
			}
			return nil
		},
		Schema: map[string]any{"anyOf": []any{map[string]any{"type": "string"}, map[string]any{"const": false}}},
	}
}

func truth() *Form {
	return &Form{
		Name: "true or false", Example: "true",
		Check: func(n *yamltree.Node) error {
			if n.Kind != yamltree.Bool {
				return fmt.Errorf("%q: true, or a map with items, file or ask", n.Text)
			}
			return nil
		},
		Schema: map[string]any{"type": "boolean"},
	}
}

func address() *Form {
	return &Form{
		Name: "an address", Example: "https://hooks.example.org/x",
		Check: func(n *yamltree.Node) error {
			if scheme, rest, found := strings.Cut(n.Text, ":"); references.Has(n.Text) || found && scheme != "" && rest != "" {
				return values.Secrets(n.Text)
			}
			return fmt.Errorf("%q is not an address; for example https://hooks.example.org/x or ${secret:env:VENDEMMIA_SECRET_HOOK}", n.Text)
		},
		Schema: map[string]any{"type": "string", "minLength": 3},
	}
}

// reference is a secret: a definition is stored and shown.
func reference(name string) *Form {
	example := `"${secret:env:VENDEMMIA_SECRET_` + name + `}"`
	return &Form{
		Name: "a reference to a secret", Example: example,
		Check: func(n *yamltree.Node) error {
			if !references.Has(n.Text) {
				return errors.New("a secret has no place in the file; write " + example + " or ${secret:file:PATH}")
			}
			return values.Secrets(n.Text)
		},
		Schema: map[string]any{"type": "string", "pattern": `\$\{secret:`},
	}
}

// origin is an address whose host may be sent something.
func origin() *Form {
	return &Form{
		Name: "an address", Example: "https://repo.example.org",
		Check: func(n *yamltree.Node) error {
			if visit.Origin(n.Text) == "" || references.Has(n.Text) {
				return fmt.Errorf("%q is not an address of a host; for example https://repo.example.org", n.Text)
			}
			return values.Secrets(n.Text)
		},
		Schema: map[string]any{"type": "string", "pattern": "^https?://"},
	}
}

// headerName refuses headers that are the client's.
func headerName() *Form {
	own := []string{"host", "user-agent", "content-length", "transfer-encoding", "connection", "accept-encoding"}
	return &Form{
		Name: "the name of a header", Example: "X-Api-Key",
		Check: func(n *yamltree.Node) error {
			odd := func(r rune) bool {
				return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
			}
			if n.Text == "" || strings.ContainsFunc(n.Text, odd) || slices.Contains(own, strings.ToLower(n.Text)) {
				return fmt.Errorf("%q is not a header to sign in with; for example X-Api-Key", n.Text)
			}
			return nil
		},
		Schema: map[string]any{"type": "string", "pattern": `^[A-Za-z0-9_-]+$`},
	}
}

// certificates are those of authorities that may vouch for a host.
func certificates() *Form {
	return &Form{
		Name: "certificates (PEM)",
		Check: func(n *yamltree.Node) error {
			if n.Text != "" && x509.NewCertPool().AppendCertsFromPEM([]byte(n.Text)) {
				return nil
			}
			return errors.New("no certificate in it: it is the text of a PEM file, from -----BEGIN CERTIFICATE----- on, as a block (ca: |)")
		},
		Schema: map[string]any{"type": "string", "pattern": "-----BEGIN CERTIFICATE-----"},
	}
}

// hostName refuses a name that no request can have.
func hostName(text string) error {
	if name, port, found := strings.Cut(text, ":"); found && !strings.Contains(port, ":") {
		return fmt.Errorf("%q: what holds for a host holds at all its ports: %s", text, values.Host(name))
	}
	if text != strings.ToLower(text) {
		return fmt.Errorf("%q: hosts are written in lower case: %s", text, strings.ToLower(text))
	}
	if name := values.Host(text); name != text {
		return fmt.Errorf("%q: hosts are written as they are asked for: %s", text, name)
	}
	return nil
}

// host is a host as it stands in an address, or * for all others.
func host() Form {
	return Form{
		Name: "a host", Example: "www.gazzettaufficiale.it",
		Check: func(n *yamltree.Node) error {
			if n.Text == "*" {
				return nil
			}
			if n.Text == "" || strings.ContainsAny(n.Text, "/@ *?#\t") {
				return fmt.Errorf(`%q is not a host; for example www.gazzettaufficiale.it, or "*" for all others`, n.Text)
			}
			return hostName(n.Text)
		},
		Schema: map[string]any{"type": "string", "pattern": `^[^/@ ?#]+$`},
	}
}
