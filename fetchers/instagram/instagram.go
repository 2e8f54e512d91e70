// Package instagram acquires posts and their files by the Instagram Graph API: of
// another professional account, of a hashtag, or one's own.
package instagram

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// Name is what campaign files call this fetcher.
const Name = "instagram"

// formerName is what the system before called it.
const formerName = "Instagram"

// formerToken is where the token of a former name stands: a reference, no secret.
const formerToken = "${secret:env:VENDEMMIA_SECRET_INSTAGRAM}"

// Params are the params of one list of posts.
type Params struct {
	User    string `json:"user" doc:"id of the own professional account, in whose name the API is asked" required:"true" example:"17841405309211844"`
	Account string `json:"account" doc:"handle of another professional account whose posts are read" example:"genova"`
	Hashtag string `json:"hashtag" doc:"posts with this hashtag instead" example:"genova"`
	Edge    string `json:"edge" doc:"of a hashtag: the posts of the last 24 hours, or the most popular" default:"recent" enum:"recent,top"`
	Own     bool   `json:"own" doc:"the own account's posts instead" default:"false"`
	Token   string `json:"token" doc:"access token, by reference" required:"true" secret:"true" example:"${secret:env:VENDEMMIA_SECRET_INSTAGRAM}"`
	Backlog int    `json:"backlog" doc:"how many posts one run reads back at most, up to 1000" default:"100"`
	Media   string `json:"media" doc:"which files are fetched with the posts" default:"images" enum:"none,images,all"`
	Version string `json:"version" doc:"version of the API" default:"v25.0"`
	URL     string `json:"url" address:"true" doc:"address of the API: graph.facebook.com, or graph.instagram.com for own posts" default:"https://graph.facebook.com"`
}

const (
	maxBacklog     = 1000
	defaultBacklog = 100
)

var (
	handles  = regexp.MustCompile(`^[A-Za-z0-9_.]{1,30}$`)
	numbers  = regexp.MustCompile(`^[0-9]{1,25}$`)
	versions = regexp.MustCompile(`^v[0-9]{1,3}\.[0-9]$`)
)

// Validate is part of harvest.Validator.
func (p Params) Validate() error {
	given := 0
	for _, set := range []bool{p.Account != "", p.Hashtag != "", p.Own} {
		if set {
			given++
		}
	}
	switch {
	case given != 1:
		return errors.New("one of account, hashtag and own is needed")
	case !numbers.MatchString(p.User) && !strings.Contains(p.User, "${"):
		return errors.New("user must be the number of an account; /me/accounts of the API tells it")
	case p.Account != "" && !handles.MatchString(p.account()):
		return errors.New("account must be a handle: letters, digits, dots and underscores")
	case strings.ContainsAny(p.Hashtag, " \t/?&"):
		return errors.New("hashtag must be one word, # before it or not")
	case p.Edge != "" && p.Hashtag == "":
		return errors.New("edge is for hashtags")
	case p.Backlog < 0 || p.Backlog > maxBacklog:
		return fmt.Errorf("backlog must be from 1 to %d", maxBacklog)
	case !versions.MatchString(p.version()):
		return errors.New("version must be such as v25.0")
	}
	if u, err := url.Parse(p.base()); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" {
		return errors.New("url must be an address that starts with http:// or https:// and has no query")
	}
	return nil
}

func (p Params) base() string {
	return strings.TrimSuffix(cmp.Or(p.URL, "https://graph.facebook.com"), "/")
}

func (p Params) version() string { return cmp.Or(p.Version, "v25.0") }

func (p Params) account() string { return strings.TrimPrefix(p.Account, "@") }

func (p Params) hashtag() string { return strings.ToLower(strings.TrimPrefix(p.Hashtag, "#")) }

func (p Params) backlog() int { return cmp.Or(p.Backlog, defaultBacklog) }

// made is what decides which posts are read, and what of them.
func (p Params) made() (string, error) {
	return harvest.Fingerprint(map[string]any{
		"user": p.User, "account": p.account(), "hashtag": p.hashtag(), "edge": p.Edge, "own": p.Own, "media": cmp.Or(p.Media, "images"), "url": p.base(),
	})
}

// Fetcher acquires posts. It holds no state and may be used by many goroutines at
// once.
type Fetcher struct {
	client *http.Client
	now    func() time.Time
}

// New makes a fetcher that asks through client; nil serves for Describe only.
func New(client *http.Client) harvest.Fetcher { return &Fetcher{client: client, now: time.Now} }

// Describe is part of harvest.Describer.
func (f *Fetcher) Describe() harvest.Description {
	implied, _ := json.Marshal(map[string]string{"token": formerToken}) // text only: it cannot fail
	return harvest.Description{
		Summary:  "reads posts and their files by the Instagram Graph API",
		Params:   Params{},
		Identity: []string{"account"},
		Aliases:  []string{formerName},
		Implied:  map[string]json.RawMessage{formerName: implied},
		Protocol: true,
	}
}
