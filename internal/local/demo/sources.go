package demo

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/local/replica"
	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
)

// Where the sources listen, if nobody else does: the same at every start, so
// that the second one finds its feeds where the first one left them. The
// library's address is none of the feeds': a host is one host for all campaigns,
// and theirs have a pace.
const (
	newsPort    = 8330
	libraryPort = 8331
	libraryHost = "127.0.0.60"

	servicesPort = "8332"
	servicesHost = "127.0.0.61"
)

// secretFolder is where the worker may read secrets, below the data.
const secretFolder = "secrets"

// sources are the houses that are harvested.
type sources struct {
	news    *replica.Feeds
	library *oai.Repository
	*services
}

func openSources() (*sources, error) {
	s := &sources{}
	var err error
	if s.news, err = onPort(newsPort, replica.Demo()); err != nil {
		return nil, err
	}
	if s.library, err = openLibrary(); err == nil {
		s.services, err = openServices()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// openLibrary takes any port when its own is taken, and the usual address on
// machines that have but one.
func openLibrary() (*oai.Repository, error) {
	c := oai.Demo()
	for _, at := range []struct {
		host string
		port int
	}{{libraryHost, libraryPort}, {libraryHost, 0}, {"", libraryPort}} {
		c.Host, c.Port = at.host, at.port
		if r, err := oai.Start(c); err == nil {
			return r, nil
		}
	}
	c.Port = 0
	return oai.Start(c)
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

// String says what there is.
func (s *sources) String() string {
	return fmt.Sprintf("a repository of %s, %d feeds, two weather services, X and Instagram", print.Count(s.records(), "record"), len(s.news.Names()))
}

// records is how many the library has, deleted ones included.
func (s *sources) records() int { return len(s.library.Living("")) + len(s.library.Deleted("")) }

// Close ends all of them.
func (s *sources) Close() {
	if s.services != nil {
		s.server.Close() // nobody asks any more
	}
	if s.news != nil {
		s.news.Close()
	}
	if s.library != nil {
		s.library.Close()
	}
}

// holds are the identities of all that a campaign could read: the feed that
// asks for rest shows its own to nobody.
func (s *sources) holds(campaign string) []string {
	switch campaign {
	case libraryCampaign:
		return append(s.library.Living(""), s.library.Deleted("")...)
	case weatherCampaign, postsCampaign, photosCampaign:
		return s.services.holds(campaign)
	}
	var ids []string
	for _, name := range s.news.Names() {
		if name != replica.DemoThrottled {
			ids = append(ids, s.news.Holds(name)...)
		}
	}
	return ids
}

// requests counts what a campaign's source was asked since the start.
func (s *sources) requests(campaign string) int {
	switch campaign {
	case libraryCampaign:
		return s.library.Counts().Requests
	case weatherCampaign, postsCampaign, photosCampaign:
		return s.services.requests(campaign)
	}
	return s.news.Total().Requests
}

const (
	newsCampaign    = "demo-feeds"
	libraryCampaign = "demo-oai"
	weatherCampaign = "demo-weather"
	postsCampaign   = "demo-x"
	photosCampaign  = "demo-instagram"
)

// write writes the campaign files into dir and returns their paths.
func (s *sources) write(dir string) ([]string, error) {
	news, err := s.news.Campaign(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, libraryCampaign+".yaml")
	if err := os.WriteFile(path, []byte(s.libraryFile()), 0o644); err != nil { // no secret
		return nil, fmt.Errorf("write the demo's campaign: %w", err)
	}
	others, err := s.services.write(dir)
	return append([]string{path, news}, others...), err
}

func (s *sources) libraryFile() string {
	return fmt.Sprintf(`# a repository of two sets, a replica on this machine
project: demo
campaigns:
  demo-oai:
    description: A library's records, set by set
    tags: [demo, oai]
    schedule: daily at 02:00
    processors: 4
    fetcher: oaipmh
    params: { url: %q }
    split: { ask: sets, include: ["col_*"] }
`, s.library.URL())
}
