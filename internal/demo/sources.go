package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/replica"
)

// Where the sources listen, if nobody else does: the same at every start, so
// that the second one finds its feeds where the first one left them.
const (
	newsPort    = 8330
	archivePort = 8331
)

// The archive: few feeds with many older pages (RFC 5005), so that a kill finds
// an item in the middle.
const (
	archiveFeeds   = 4
	archiveEntries = 500
	archivePage    = 25
	archiveSlow    = 200 * time.Millisecond
	// archiveHosts passes over the addresses of the feeds: a host is one host for
	// all campaigns, and theirs have a pace.
	archiveHosts = 30
)

// sources are the houses that are harvested.
type sources struct {
	news    *replica.Feeds
	archive *replica.Feeds
}

func openSources() (*sources, error) {
	s := &sources{}
	var err error
	if s.news, err = onPort(newsPort, replica.Demo()); err != nil {
		return nil, err
	}
	if s.archive, err = onPort(archivePort, archive()); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func onPort(port int, c replica.Config) (*replica.Feeds, error) {
	c.Port = port
	f, err := replica.StartFeeds(c)
	if err == nil {
		return f, nil
	}
	c.Port = 0
	return replica.StartFeeds(c)
}

func archive() replica.Config {
	c := replica.Config{
		Seed: 1861, Feeds: archiveFeeds, Hosts: archiveHosts + archiveFeeds, Entries: archiveEntries, Faults: map[string]replica.Fault{},
		Shape: func(i int) replica.Shape {
			return replica.Shape{Format: []replica.Format{replica.Atom1, replica.JSON1}[i%2], Host: archiveHosts + i, Page: archivePage}
		},
	}
	for i := range archiveFeeds {
		c.Faults[fmt.Sprintf("%04d", i)] = replica.Slow(archiveSlow)
	}
	return c
}

// String says what there is.
func (s *sources) String() string {
	return fmt.Sprintf("%d feeds and an archive of %d pages", len(s.news.Names()), archiveFeeds*archiveEntries/archivePage)
}

// Close ends both houses.
func (s *sources) Close() {
	for _, f := range []*replica.Feeds{s.news, s.archive} {
		if f != nil {
			f.Close()
		}
	}
}

// holds are the identities of all entries that a campaign could read: the feed
// that asks for rest shows its own to nobody.
func (s *sources) holds(campaign string) []string {
	f := s.of(campaign)
	var ids []string
	for _, name := range f.Names() {
		if f == s.archive || name != replica.DemoThrottled {
			ids = append(ids, f.Holds(name)...)
		}
	}
	return ids
}

// requests counts what a campaign's source was asked since the start.
func (s *sources) requests(campaign string) int { return s.of(campaign).Total().Requests }

func (s *sources) of(campaign string) *replica.Feeds {
	if campaign == archiveCampaign {
		return s.archive
	}
	return s.news
}

const (
	newsCampaign    = "demo-feeds"
	archiveCampaign = "demo-archive"
)

// write writes the campaign files into dir and returns their paths.
func (s *sources) write(dir string) ([]string, error) {
	news, err := s.news.Campaign(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, archiveCampaign+".yaml")
	if err := os.WriteFile(path, []byte(s.archiveFile()), 0o644); err != nil { //nolint:gosec // no secret
		return nil, fmt.Errorf("write the demo's campaign: %w", err)
	}
	return []string{path, news}, nil
}

func (s *sources) archiveFile() string {
	var b strings.Builder
	b.WriteString(`# archives of many pages each, replicas on this machine
project: demo
campaigns:
  demo-archive:
    description: Older news, page by page
    tags: [demo, archive]
    schedule: daily at 02:00
    processors: 4
    fetcher: feed
    split:
      key: id
      items:
`)
	for _, name := range s.archive.Names() {
		fmt.Fprintf(&b, "        - { id: archive-%s, url: %q }\n", name, s.archive.URL(name))
	}
	return b.String()
}
