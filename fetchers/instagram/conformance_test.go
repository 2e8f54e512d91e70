package instagram_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/fetchers/instagram"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/instagram"
)

func params(base, more string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"url":%q,"user":%q,"token":%q%s}`, base, replica.User, replica.Token, more))
}

// posts are the ids without those of files.
func posts(ids []string) (list []string) {
	for _, id := range ids {
		if !strings.Contains(id, "/") {
			list = append(list, id)
		}
	}
	return list
}

func album() *replica.API {
	api := replica.New(replica.Config{Posts: 30})
	api.Publish(replica.Post{Caption: "album", Children: 3})
	return api
}

func sixty() *replica.API { return replica.New(replica.Config{Posts: 60}) }

// growing is an API to which another post is published with each call of grow.
func growing(of func() *replica.API) func() (source http.Handler, grow func() string) {
	return func() (http.Handler, func() string) {
		api := of()
		return api, func() string { return api.Publish(replica.Post{Caption: "nuova"}).ID }
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	api := album()
	fetchertest.Run(t, fetchertest.Case{
		New: instagram.New, Source: api, Pages: 31, IDs: api.Holds(), Growing: growing(album),
		Params: func(base string) json.RawMessage { return params(base, `,"account":"@genova"`) },
	})
}

func TestConformanceOfOwnPosts(t *testing.T) {
	t.Parallel()
	c := replica.Config{Posts: 60}
	api, spoilt, without := replica.New(c), replica.New(c), replica.New(c)
	odd := posts(api.Holds())[7]
	spoilt.Break(replica.Undated(odd))
	without.Delete(odd)
	fetchertest.Run(t, fetchertest.Case{
		New: instagram.New, Source: api, Pages: 3, IDs: posts(api.Holds()), Spoiled: spoilt, Withdrawn: without, Growing: growing(sixty),
		Params: func(base string) json.RawMessage { return params(base, `,"own":true,"media":"none"`) },
	})
}

func TestConformanceOfHashtags(t *testing.T) {
	t.Parallel()
	api := replica.New(replica.Config{Posts: 60})
	fetchertest.Run(t, fetchertest.Case{
		New: instagram.New, Source: api, Pages: 3, IDs: posts(api.Holds()), Growing: growing(sixty),
		Params: func(base string) json.RawMessage {
			return params(base, `,"hashtag":"#Genova","edge":"top","media":"none"`)
		},
	})
}
