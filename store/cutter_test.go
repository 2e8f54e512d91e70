package store

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// boundCommit is in the message that runs COMMIT: the driver prepares statements
// under the digest of their text, and runs them by that name on the portal "".
var boundCommit = fmt.Appendf(nil, "\x00stmtcache_%x\x00", sha256Of("COMMIT")[:24])

func sha256Of(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// cutter stands between a store and its server. When it is armed, it cuts the
// line at the next COMMIT: before the server has it, or before the answer.
type cutter struct {
	listener net.Listener
	server   string
	before   atomic.Bool
	after    atomic.Bool
	cuts     atomic.Int32
}

func newCutter(t *testing.T, address string) (*cutter, string) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cutter{listener: l, server: u.Host}
	go c.serve()
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	u.Host = l.Addr().String()
	return c, u.String()
}

func (c *cutter) serve() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", c.server)
		if err != nil {
			client.Close()
			continue
		}
		go c.forward(client, server)
		go func() {
			io.Copy(client, server) // the line ends somehow
			client.Close()
		}()
	}
}

func (c *cutter) forward(client, server net.Conn) {
	defer server.Close()
	defer client.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		commits := bytes.Contains(buffer[:n], boundCommit)
		if commits && c.before.CompareAndSwap(true, false) {
			c.cuts.Add(1)
			return
		}
		cut := commits && c.after.CompareAndSwap(true, false)
		if cut {
			client.Close()
			c.cuts.Add(1)
		}
		if _, err := server.Write(buffer[:n]); err != nil || cut {
			return
		}
	}
}

func TestLostCommit(t *testing.T) {
	t.Parallel()
	for name, arm := range map[string]func(*cutter){
		"before the server had it": func(c *cutter) { c.before.Store(true) },
		"before the answer came":   func(c *cutter) { c.after.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, address := newCutter(t, Cluster.Database(t))
			s, err := Open(t.Context(), address, Options{Create: true})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			g, err := s.OpenRun(t.Context(), rows.NewRun{Exclusive: true, Run: rows.Run{RunID: "r", WorkflowID: "news-1", Campaign: "news"}})
			require.NoError(t, err)
			arm(c)
			require.NoError(t, s.AddItems(t.Context(), g.Run.ID, []rows.RunItem{{Entry: "feed", Key: "a", Fetcher: "feed"}, {Ord: 1, Entry: "feed", Key: "b", Fetcher: "feed"}}))
			arm(c)
			_, err = s.SealRun(t.Context(), g.Run.ID, 1, time.Time{})
			require.NoError(t, err)
			arm(c)
			got, err := s.Claim(t.Context(), rows.Claim{Run: g.Run.ID, Shared: true, Idle: true, Epoch: 1, Max: 1})
			require.NoError(t, err)
			require.Len(t, got.Items, 1, "the claim holds")
			require.Zero(t, got.Items[0].Lost)
			require.Equal(t, 1, got.Left)
			arm(c)
			w := s.Write(t.Context(), onePageOf(got.Items[0], 3, "x"))
			require.NoError(t, w.Err)
			require.Equal(t, 3, w.Tally.New)
			arm(c)
			require.NoError(t, s.Record(t.Context(), rows.Event{Verb: "once"}))
			require.EqualValues(t, 5, c.cuts.Load())
			counts, err := s.Counts(t.Context(), "")
			require.NoError(t, err)
			require.Equal(t, rows.Counts{Documents: 3, Changes: 3, Pages: 1}, counts)
			events, err := s.Events(t.Context(), "", time.Time{}, 0)
			require.NoError(t, err)
			require.Len(t, events, 1)
		})
	}
}
