package activities

import (
	"context"
	"iter"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/retry"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// A host name that does not exist is not tried as often as one that does not answer.
func TestANameThatDoesNotExistGivesUpSoon(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		asked int
	}{
		"not found": {&net.DNSError{Err: "no such host", IsNotFound: true}, maxNameless},
		"no answer": {&net.DNSError{Err: "timeout", IsTimeout: true}, 6}, // once and five repeats
	} {
		w := newWorld(t)
		def := campaign("news", "a")
		def.Entries[0].Retry = retry.Default()
		w.apply(def)
		w.script.on("a", func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
			return func(yield func(harvest.Page, error) bool) {
				yield(harvest.Page{}, harvest.Errorf(harvest.KindUnreachable, "get", "https://nowhere.example/", "%w", c.err))
			}
		})
		o := w.open(steps.Start{Campaign: "news"})
		for range 10 {
			if out, err := w.fetch(o); err == nil && out.Left == 0 {
				break
			}
			w.clock.set(w.clock.now().Add(20 * time.Minute))
		}
		sum := w.close(o)
		require.Equal(t, outcomes.Failed, sum.Outcome, name)
		require.Equal(t, c.asked, w.script.count("a"), name)
	}
}
