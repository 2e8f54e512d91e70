package x

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

// Bounds and defaults, told in the tags of Params.
const (
	maxQuery       = 4096
	maxBacklog     = 3200
	defaultBacklog = 100
	defaultRun     = 500
	defaultMonth   = 10000
	leastReads     = 2 * leastOfQuery
)

var handles = regexp.MustCompile(`^[A-Za-z0-9_]{1,15}$`)

// Validate is part of harvest.Validator.
func (p Params) Validate() error {
	given := 0
	for _, text := range []string{p.User, p.Channel, p.Query} {
		if text != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("one of user and query is needed")
	case p.Query == "" && !handles.MatchString(p.user()):
		return errors.New("user must be a handle: up to 15 letters, digits and underscores, @ before them or not")
	case len(p.Query) > maxQuery:
		return fmt.Errorf("query has %d bytes; at most %d", len(p.Query), maxQuery)
	case p.Query != "" && len(p.Exclude) > 0:
		return errors.New("exclude is for users; a query says -is:reply and -is:retweet")
	case p.backlog() < 0 || p.backlog() > maxBacklog:
		return fmt.Errorf("backlog must be from 1 to %d", maxBacklog)
	case p.perRun() < leastReads || p.perMonth() < leastReads:
		return fmt.Errorf("reads_per_run and reads_per_month must be at least %d: one request reads as many", leastReads)
	}
	if i := slices.IndexFunc(p.Exclude, func(word string) bool { return word != "replies" && word != "retweets" }); i >= 0 {
		return fmt.Errorf("exclude: %q: one of replies, retweets", p.Exclude[i])
	}
	if u, err := url.Parse(p.base()); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" {
		return errors.New("url must be an address that starts with http:// or https:// and has no query")
	}
	return nil
}

func (p Params) base() string {
	return strings.TrimSuffix(cmp.Or(p.URL, "https://api.x.com"), "/")
}

// user is the handle without its @.
func (p Params) user() string { return strings.TrimPrefix(cmp.Or(p.User, p.Channel), "@") }

func (p Params) backlog() int {
	return cmp.Or(p.Backlog, defaultBacklog)
}

func (p Params) perRun() int { return cmp.Or(p.Run, defaultRun) }

func (p Params) perMonth() int { return cmp.Or(p.Month, defaultMonth) }

// made is what decides which posts are read.
func (p Params) made() (string, error) {
	return harvest.Fingerprint(map[string]any{"user": strings.ToLower(p.user()), "query": p.Query, "exclude": p.Exclude, "url": p.base()})
}
