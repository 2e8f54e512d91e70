package x_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/fetchers/x"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/x"
)

func params(base, more string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"url":%q,"token":%q%s}`, base, replica.Token, more))
}

// growing is an API where the first user writes another post with each call of grow.
func growing(c replica.Config) func() (source http.Handler, grow func() string) {
	return func() (http.Handler, func() string) {
		api := replica.New(c)
		return api, func() string { return strconv.FormatUint(api.Write(0, "new post of "+c.Users[0]).Root, 10) }
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	api := replica.New(replica.Config{Posts: 230, Users: []string{"Genova"}, Limit: 1e6})
	fetchertest.Run(t, fetchertest.Case{
		New: x.New, Source: api, Pages: 3, IDs: api.Holds(0), Growing: growing(replica.Config{Posts: 230, Users: []string{"Genova"}, Limit: 1e6}),
		Params: func(base string) json.RawMessage {
			return params(base, `,"user":"@Genova","backlog":3200,"reads_per_run":3000`)
		},
	})
}

func TestConformanceOfSearch(t *testing.T) {
	t.Parallel()
	c := replica.Config{Posts: 40, Users: []string{"Genova", "Savona", "Imperia"}, Limit: 1e6}
	api, spoilt, without := replica.New(c), replica.New(c), replica.New(c)
	odd := api.Holds(1)[7]
	spoilt.Break(replica.Undated(odd))
	without.Delete(numberOf(odd))
	fetchertest.Run(t, fetchertest.Case{
		New: x.New, Source: api, Pages: 2, IDs: api.Holds(-1), Spoiled: spoilt, Withdrawn: without, Growing: growing(c),
		Params: func(base string) json.RawMessage {
			return params(base, `,"query":"post of","backlog":3200,"reads_per_run":3000`)
		},
	})
}

func numberOf(id string) (n uint64) {
	fmt.Sscan(id, &n) // the replica's own
	return n
}

func noon() time.Time { return time.Date(2026, time.September, 1, 12, 0, 0, 0, time.UTC) }
