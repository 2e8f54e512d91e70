package harvest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://x.org/feed?token=s3cr3t#part":        "https://x.org/feed",
		"https://user:s3cr3t@x.org:8080/a/b":          "https://x.org:8080/a/b",
		"https://x.org/?":                             "https://x.org/",
		"//x.org/feed?token=s3cr3t":                   "//x.org/feed",
		"https://user:s3cr3t@x.org/%zz?token=s3cr3t":  "https://x.org/%zz",
		"https://user:s3cr3t@x.org/\x01?token=s3cr3t": "https://x.org/\x01",
		"https://:s3cr3t@?x":                          "https://",
		"max_entries":                                 "max_entries",
		"what? nothing":                               "what? nothing",
		"":                                            "",
	} {
		require.Equal(t, want, harvest.Redact(address), "%q", address)
	}
}

func FuzzRedact(f *testing.F) {
	for _, s := range []string{"https://u:p@x.org/a?b#c", "://", "https://x.org/%zz?k", "a b", "http://[::1]:8080/?q"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := harvest.Redact(s)
		if _, rest, ok := strings.Cut(s, "://"); ok && strings.ContainsAny(rest, "?#@") {
			_, rest, _ := strings.Cut(out, "://")
			require.NotContains(t, rest, "?", "%q", s)
			require.NotContains(t, rest, "#", "%q", s)
		}
	})
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	e := &harvest.Error{
		Kind: harvest.KindGone, Op: "get", On: "https://u:s3cr3t@x.org/a?key=s3cr3t", Err: errors.New("HTTP status 410"),
		Advice: "remove it",
	}
	require.Equal(t, "get https://x.org/a: HTTP status 410; remove it", e.Error())
	require.Equal(t, "decode params", (&harvest.Error{Op: "decode params"}).Error())
}

// TestTransportErrorsKeepNoQuery: net/url repeats the address in its errors.
func TestTransportErrorsKeepNoQuery(t *testing.T) {
	t.Parallel()
	const address = "https://u:s3cr3t@x.org/a?key=s3cr3t"
	cause := &url.Error{Op: "Get", URL: address, Err: io.ErrUnexpectedEOF}
	for _, err := range []error{
		harvest.TransportError("get", address, cause),
		harvest.Errorf(harvest.KindTimeout, "get", address, "twice: %w", fmt.Errorf("again: %w", cause)),
		fmt.Errorf("outside: %w", harvest.TransportError("get", address, cause)),
	} {
		require.NotContains(t, err.Error(), "s3cr3t")
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
}

type late struct{}

func (late) Error() string   { return "late" }
func (late) Timeout() bool   { return true }
func (late) Temporary() bool { return true }

func TestTransportError(t *testing.T) {
	t.Parallel()
	require.NoError(t, harvest.TransportError("get", "", nil))
	for err, want := range map[error]harvest.Kind{
		late{}:                                    harvest.KindTimeout,
		context.DeadlineExceeded:                  harvest.KindTimeout,
		os.ErrDeadlineExceeded:                    harvest.KindTimeout,
		io.ErrUnexpectedEOF:                       harvest.KindServerError,
		errors.New("connection refused"):          harvest.KindUnreachable,
		&net.DNSError{IsNotFound: true}:           harvest.KindUnreachable,
		&harvest.Error{Kind: harvest.KindBlocked}: harvest.KindBlocked,
	} {
		wrapped := harvest.TransportError("get", "https://x.org", &url.Error{Op: "Get", URL: "https://x.org", Err: err})
		require.Equal(t, want, harvest.KindOf(wrapped), "%v", err)
		require.ErrorIs(t, wrapped, err)
	}
}

func TestAsError(t *testing.T) {
	t.Parallel()
	require.Nil(t, harvest.AsError(nil))
	require.Empty(t, harvest.KindOf(nil))
	own := harvest.Errorf(harvest.KindBroken, "parse", "", "why")
	require.Same(t, own, harvest.AsError(fmt.Errorf("around: %w", own)))
	require.Equal(t, harvest.KindTimeout, harvest.KindOf(fmt.Errorf("x: %w", context.DeadlineExceeded)))
	require.Equal(t, harvest.KindInternal, harvest.KindOf(errors.New("x")))
}
