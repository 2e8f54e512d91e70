package web

import (
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// hostilePages are as long as a body may be.
func hostilePages() map[string]string {
	const size = 15 << 20
	fill := func(before, text, after string) string { return before + strings.Repeat(text, size/len(text)) + after }
	return map[string]string{
		"elements":         fill("", "<b>", ""),
		"closed elements":  fill("", "<p></p>", ""),
		"empty elements":   fill("<body>", "<br>", ""),
		"attributes":       fill("<a ", "a ", ">"),
		"many attributes":  fill("", "<a a b c d e f g h i j k l m n o p q r s t u v w x y z></a>", ""),
		"values":           fill("<a ", "a=1 ", ">"),
		"slashes":          fill("<a ", "a/", ">"),
		"equals signs":     fill("<a ", "=", ">"),
		"no end of a tag":  fill("", "<a b='", ""),
		"no end of a word": fill("<a", "a", ""),
		"comments":         fill("", "<!-- -->", ""),
		"tables":           fill("", "<table>", ""),
		"scripts":          fill("", "<script></script>", ""),
	}
}

func TestHostilePagesCostLittle(t *testing.T) {
	p, err := Params{URL: "https://x/", Links: "a"}.compile()
	require.NoError(t, err)
	final := &url.URL{Scheme: "https", Host: "x", Path: "/"}
	for name, text := range hostilePages() {
		began, most := time.Now(), watchHeap(t)
		d, err := p.parse(fetched{Answer: answer.Answer{Body: []byte(text), Final: final}}, "https://x/")
		if err == nil {
			d.free()
		} else {
			require.Equal(t, harvest.KindBroken, harvest.KindOf(err), name)
		}
		took, heap := time.Since(began), most()
		t.Logf("%-16s %8s %5d MiB %v", name, took.Round(time.Millisecond), heap>>20, err)
		require.Less(t, took, 20*time.Second, name)
		require.Less(t, heap, int64(512<<20), name)
	}
}

// watchHeap returns how much more memory was in use at most than at the beginning.
func watchHeap(t *testing.T) (most func() int64) {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, top, over := int64(m.HeapInuse), int64(0), make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			top = max(top, int64(m.HeapInuse)-before)
			select {
			case <-over:
				return
			case <-tick.C:
			}
		}
	})
	return func() int64 {
		close(over)
		watching.Wait()
		return top
	}
}
