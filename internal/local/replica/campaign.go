package replica

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Campaign writes the campaign "demo-feeds" for this house into dir (made when
// absent): demo-feeds.yaml and demo-feeds.csv, over older ones. It returns the
// path of the first. The worker that runs it needs --allow-network 127.0.0.0/8.
func (f *Feeds) Campaign(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("write the demo's campaign: %w", err)
	}
	rows, err := f.rows()
	if err != nil {
		return "", fmt.Errorf("write the demo's list of feeds: %w", err)
	}
	for name, text := range map[string][]byte{"demo-feeds.csv": rows, "demo-feeds.yaml": []byte(f.yaml())} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil { // no secret
			return "", fmt.Errorf("write the demo's campaign: %w", err)
		}
	}
	return filepath.Join(dir, "demo-feeds.yaml"), nil
}

// rows are the items: the key is the paper's, so it stays when addresses move.
func (f *Feeds) rows() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{"id", "label", "url"}) // told by Error
	for _, name := range f.Names() {
		v := f.at(name)
		w.Write([]string{v.paper.slug, v.paper.title(), v.url(1)}) // told by Error
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

func (f *Feeds) yaml() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %d feeds, replicas on this machine: http://%s/feeds.opml\n", len(f.feeds), f.hosts[0])
	b.WriteString("project: demo\nhosts:\n")
	var names []string
	for _, host := range f.hosts {
		names = append(names, bare(host))
	}
	for _, name := range slices.Compact(names) {
		fmt.Fprintf(&b, "  %q: { every: 0.5s, connections: 1, robots: ignore }\n", name)
	}
	b.WriteString(`campaigns:
  demo-feeds:
    description: Italian news, replicas with one broken and one busy feed
    tags: [demo, rss]
    schedule: every 2h
    processors: 20
    timeouts: { request: 10s, run: until_next }
    tolerate: { items: 5% }
    fetcher: feed
    split: { file: demo-feeds.csv, key: id, label: label }
`)
	return b.String()
}
