package weather_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/weather"
	"github.com/vendemmia/vendemmia/harvest"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/weather"
)

// world is a service and what one item fetched from it.
type world struct {
	t       *testing.T
	service *replica.Service
	base    string
	req     harvest.Request
	pages   []harvest.Page
}

func newWorld(t *testing.T, c replica.Config) *world {
	t.Helper()
	w := &world{t: t, service: replica.New(c)}
	s := httptest.NewServer(w.service)
	t.Cleanup(s.Close)
	w.base = s.URL
	return w
}

// agent is the one of a worker with a contact.
type agent struct{}

// RoundTrip is part of http.RoundTripper.
func (agent) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", "Vendemmia/1 (+mailto:ops@example.org)")
	return http.DefaultTransport.RoundTrip(r)
}

func (w *world) fetch(params json.RawMessage) (harvest.Tally, error) {
	w.req.Params, w.pages = params, nil
	sum, err := harvest.Pump(w.t.Context(), weather.New(&http.Client{Transport: agent{}}), w.req, harvest.CommitFunc(func(_ context.Context, p harvest.Page) (harvest.Tally, error) {
		w.pages = append(w.pages, p)
		if w.req.Window.IsZero() {
			w.req.Checkpoint = p.Checkpoint
		}
		return harvest.PageTally(&p), nil
	}))
	return sum, err
}

func (w *world) documents() (ids []string) {
	for _, p := range w.pages {
		for _, d := range p.Documents {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

func TestManyPlacesAreOneRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{})
	_, err := w.fetch(params(w.base, `,"hourly":["temperature_2m"],"days":2`))
	require.NoError(t, err)
	require.Len(t, w.service.Requests(), 1)
	q := w.service.Requests()[0].URL.Query()
	require.Equal(t, "44.4100,41.9000,51.7600,59.9100,-54.8000", q.Get("latitude"))
	require.Equal(t, "unixtime", q.Get("timeformat"))
	require.Len(t, w.documents(), 5*48)
}

// Two places weigh as much as the limit allows, so that the third is refused; the
// wait is in the reason, and the fetch goes on where it stood.
func TestLimitsAreToldByTheirReason(t *testing.T) {
	t.Parallel()
	now := midnight().Add(12*time.Hour + 20*time.Minute)
	for limits, wait := range map[replica.Limits]time.Duration{{Minutely: 2}: time.Minute, {Hourly: 2}: time.Hour, {Daily: 2}: 24 * time.Hour} {
		at := now
		w := newWorld(t, replica.Config{Now: func() time.Time { return at }, Limits: limits})
		p := params(w.base, `,"batch":2,"days":1`)
		_, err := w.fetch(p)
		e := harvest.AsError(err)
		require.Equal(t, harvest.KindThrottled, e.Kind)
		require.ErrorContains(t, err, "limit exceeded")
		require.Positive(t, e.RetryAfter)
		require.LessOrEqual(t, e.RetryAfter, wait+time.Second)
		first := w.documents()
		for round := range 2 {
			at = at.Add(wait + time.Duration(round))
			if _, err = w.fetch(p); err == nil {
				break
			}
			first = append(first, w.documents()...)
		}
		require.NoError(t, err)
		of := map[string]int{}
		for _, id := range append(first, w.documents()...) {
			of[strings.Split(id, "/")[1]]++
		}
		for _, name := range names() {
			require.Equal(t, 24, of[name], name)
		}
	}
}

func TestRefusalsAndBrokenAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault replica.Fault
		more  string
		kind  harvest.Kind
		text  string
	}{
		"unknown variable": {nil, `,"hourly":["tempeture_2m"]`, harvest.KindMisconfigured, "invalid String value tempeture_2m"},
		"interrupted":      {replica.Interrupted(), "", harvest.KindServerError, "timeoutReached"},
		"half":             {replica.Changed(func(b []byte) []byte { return b[:len(b)/2] }), "", harvest.KindServerError, "unexpected EOF"},
		"overloaded":       {replica.Refused(503, "The service is overloaded"), "", harvest.KindServerError, "overloaded"},
		"concurrent":       {replica.Refused(429, "Too many concurrent requests"), "", harvest.KindThrottled, "concurrent"},
		"fewer places":     {replica.Changed(func(b []byte) []byte { return b[:strings.LastIndex(string(b), `,{"`)] }), "", harvest.KindServerError, ""},
		"only the first":   {replica.Changed(first), "", harvest.KindBroken, "5 places were asked for and 1 answered"},
		"another order":    {replica.Changed(reversed), "", harvest.KindBroken, "place 4 came where place 0 was due"},
		"nothing of it": {replica.Changed(func([]byte) []byte {
			return []byte(`[{},{"location_id":1},{"location_id":2},{"location_id":3},{"location_id":4}]`)
		}), "", harvest.KindBroken, "no values"},
		"met: agent":          {replica.Refused(403, ""), `,"service":"met-norway"`, harvest.KindBlocked, "give the campaign an owner"},
		"met: outside":        {replica.Refused(422, ""), `,"service":"met-norway"`, harvest.KindMisconfigured, "422"},
		"met: throttled":      {replica.Refused(429, ""), `,"service":"met-norway"`, harvest.KindThrottled, "429"},
		"met: something else": {replica.Changed(func([]byte) []byte { return []byte(`{"type":"Feature"}`) }), `,"service":"met-norway"`, harvest.KindBroken, "no times"},
	} {
		w := newWorld(t, replica.Config{})
		w.service.Break(c.fault)
		_, err := w.fetch(params(w.base, c.more))
		require.Equal(t, c.kind, harvest.KindOf(err), "%s: %v", name, err)
		require.ErrorContains(t, err, c.text, name)
		require.Empty(t, w.pages, name)
	}
}

func first(b []byte) []byte {
	var list []json.RawMessage
	json.Unmarshal(b, &list) // the replica's own
	return list[0]
}

func reversed(b []byte) []byte {
	var list []json.RawMessage
	json.Unmarshal(b, &list) // the replica's own
	list[0], list[4] = list[4], list[0]
	b, _ = json.Marshal(list) // the same
	return b
}

// A series that is too short is set aside whole, and comes once it is mended.
func TestShortSeries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{})
	w.service.Break(replica.Short("precipitation"))
	p := params(w.base, `,"days":1,"current":["temperature_2m"],"hourly":["temperature_2m","precipitation"]`)
	sum, err := w.fetch(p)
	require.NoError(t, err)
	require.Equal(t, 5, sum.Quarantined)
	require.Len(t, w.documents(), 5, "the present is not touched")
	w.service.Break(nil)
	for _, page := range w.pages {
		w.req.Unread = append(w.req.Unread, harvest.Unread{ID: page.Rejects[0].ID, Where: page.Rejects[0].Where})
	}
	w.req.Unread = append(w.req.Unread, harvest.Unread{ID: "open-meteo/Atlantis/hour", Where: "Atlantis"})
	_, err = w.fetch(p)
	require.NoError(t, err)
	var resolved []string
	for _, page := range w.pages {
		resolved = append(resolved, page.Resolved...)
	}
	for _, u := range w.req.Unread {
		require.Contains(t, resolved, u.ID)
	}
	require.Len(t, w.documents(), 5*25)
}

// On the day the clocks go back an hour stands twice, and a day has 25 hours.
func TestClocksThatGoBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{Now: func() time.Time { return time.Date(2026, time.October, 24, 9, 0, 0, 0, time.UTC) }})
	raw := json.RawMessage(`{"url":"` + w.base + `","place":"Roma","latitude":41.9,"longitude":12.5,"days":3,"hourly":["temperature_2m"],"daily":["temperature_2m_max"]}`)
	_, err := w.fetch(raw)
	require.NoError(t, err)
	ids := w.documents()
	require.Len(t, ids, 3*24+3)
	require.Contains(t, ids, "open-meteo/Roma/hour/2026-10-25T00:00Z")
	require.Contains(t, ids, "open-meteo/Roma/hour/2026-10-25T01:00Z")
	require.Subset(t, ids, []string{"open-meteo/Roma/day/2026-10-24", "open-meteo/Roma/day/2026-10-25", "open-meteo/Roma/day/2026-10-26"})
}

func TestMETNorwayIsNotAskedBeforeItExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{Hold: time.Hour})
	p := params(w.base, `,"service":"met-norway"`)
	_, err := w.fetch(p)
	require.NoError(t, err)
	require.Len(t, w.service.Requests(), 5)
	sum, err := w.fetch(p)
	require.NoError(t, err)
	require.Len(t, w.service.Requests(), 5, "all of it still holds")
	require.True(t, sum.NotModified)
	require.Equal(t, 5*replica.METTimes, sum.Same)
	w.req.ForceRefresh = true
	_, err = w.fetch(p)
	require.NoError(t, err)
	require.Len(t, w.documents(), 5*replica.METTimes)
	require.Len(t, w.service.Requests(), 10)
}

func TestMETNorwayIsAskedByItsValidator(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{})
	p := params(w.base, `,"service":"met-norway","product":"complete"`)
	for range 2 {
		_, err := w.fetch(p)
		require.NoError(t, err)
	}
	requests := w.service.Requests()
	require.Empty(t, requests[0].Header.Get("If-Modified-Since"))
	require.Equal(t, "Tue, 01 Sep 2026 12:00:00 GMT", requests[5].Header.Get("If-Modified-Since"))
	require.Equal(t, "/weatherapi/locationforecast/2.0/complete", requests[5].URL.Path)
	require.Empty(t, w.documents())
	w.service.Update()
	w.service.Break(replica.Deprecated())
	_, err := w.fetch(p)
	require.NoError(t, err)
	require.Len(t, w.documents(), 5*replica.METTimes)
	require.Contains(t, w.pages[0].Warnings[0], "203")
}

// Five decimals would be refused: nothing of the file can make them.
func TestMETNorwayGetsFourDecimals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{})
	_, err := w.fetch(json.RawMessage(`{"url":"` + w.base + `","service":"met-norway","latitude":44.4056499,"longitude":8.9463501,"altitude":20.4}`))
	require.NoError(t, err)
	require.Equal(t, "altitude=20&lat=44.4056&lon=8.9464", w.service.Requests()[0].URL.RawQuery)
	require.True(t, strings.HasPrefix(w.documents()[0], "met-norway/44.4056,8.9464/hour/"))
}

func TestAWindowMovesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{})
	w.req.Window = harvest.Window{From: midnight().Add(6 * time.Hour), Until: midnight().Add(30 * time.Hour)}
	w.req.Checkpoint = json.RawMessage(`{"made":"x"}`)
	_, err := w.fetch(params(w.base, `,"hourly":["temperature_2m"],"time_zone":"UTC"`))
	require.NoError(t, err)
	require.Len(t, w.documents(), 5*24)
	require.Equal(t, "2026-09-02", w.service.Requests()[0].URL.Query().Get("end_date"))
	for _, p := range w.pages {
		require.JSONEq(t, `{"made":"x"}`, string(p.Checkpoint))
	}
}

// More times than a page may have are several pages; a fetch that is cut between
// them goes on, and one that was cut long ago begins anew.
func TestAPlaceOfManyTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{})
	p := json.RawMessage(`{"url":"` + w.base + `","place":"Roma","latitude":41.9,"longitude":12.5,"days":16,"past_days":60,"hourly":["temperature_2m"]}`)
	_, err := w.fetch(p)
	require.NoError(t, err)
	all := w.documents()
	require.Len(t, all, 76*24)
	require.Len(t, w.pages, 2)
	cut := w.pages[0].Checkpoint
	w.req.Checkpoint = cut
	_, err = w.fetch(p)
	require.NoError(t, err)
	require.Equal(t, all[1000:], w.documents())
	var cp map[string]any
	require.NoError(t, json.Unmarshal(cut, &cp))
	cp["began"] = time.Now().Add(-2 * time.Hour).Unix()
	w.req.Checkpoint, err = json.Marshal(cp)
	require.NoError(t, err)
	_, err = w.fetch(p)
	require.NoError(t, err)
	require.Equal(t, all, w.documents())
}
