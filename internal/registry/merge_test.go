package registry

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

func job(id string) Job {
	return Job{ID: id, Name: "Job " + id, Enabled: true, Fetcher: "feed", Params: []byte(`{"url":"https://example.org/` + id + `"}`)}
}

func of(ids ...string) (l Listing) {
	for _, id := range ids {
		l.Jobs = append(l.Jobs, job(id))
	}
	return l
}

// after lays listings over each other, and makes what is to be made.
func after(t *testing.T, listings ...Listing) []rows.RegistryJob {
	t.Helper()
	var jobs []rows.RegistryJob
	for _, l := range listings {
		jobs, _ = next(t, jobs, l, false)
	}
	return jobs
}

func next(t *testing.T, jobs []rows.RegistryJob, l Listing, accept bool) ([]rows.RegistryJob, Merged) {
	t.Helper()
	m, err := Merge(rows.Registry{Name: "house"}, jobs, l, accept)
	require.NoError(t, err)
	out := m.Over(jobs)
	for i, row := range out {
		for _, a := range actions(t, row) {
			if a.Defines() {
				out[i].Applied, out[i].Problem = row.Listed, ""
			}
		}
	}
	return out, m
}

func actions(t *testing.T, row rows.RegistryJob) []Action {
	t.Helper()
	list, err := Actions(row)
	require.NoError(t, err)
	return list
}

// said is what is to be done, as "action job".
func said(t *testing.T, jobs []rows.RegistryJob, l Listing, accept bool) []string {
	t.Helper()
	m, err := Merge(rows.Registry{Name: "house"}, jobs, l, accept)
	require.NoError(t, err)
	if m.Warning != "" {
		return []string{"warning"}
	}
	out := []string{}
	for _, row := range m.Over(jobs) {
		for _, a := range actions(t, row) {
			out = append(out, string(a.Kind)+" "+a.Job)
		}
	}
	return out
}

func ids(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%02d", i))
	}
	return out
}

func with(l Listing, id string, change func(*Job)) Listing {
	for i := range l.Jobs {
		if l.Jobs[i].ID == id {
			change(&l.Jobs[i])
		}
	}
	return l
}

func TestWhatAListingMeans(t *testing.T) {
	t.Parallel()
	ten := ids(10)
	known := func() []rows.RegistryJob { return after(t, of(ten...)) }
	gone := after(t, of(ten...), of(ten[1:]...))
	for name, c := range map[string]struct {
		jobs    []rows.RegistryJob
		listing Listing
		accept  bool
		want    []string
	}{
		"all new":                 {nil, of("1", "2"), false, []string{"create 1", "create 2"}},
		"all the same":            {known(), of(ten...), false, []string{}},
		"the service says so":     {known(), Listing{Unchanged: true}, false, []string{}},
		"one is new":              {known(), of(append(ten, "new")...), false, []string{"create new"}},
		"another definition":      {known(), with(of(ten...), "03", func(j *Job) { j.Params = nil }), false, []string{"change 03"}},
		"restarts on change":      {known(), with(of(ten...), "03", func(j *Job) { j.Params, j.Restart = nil, true }), false, []string{"restart 03"}},
		"disabled":                {known(), with(of(ten...), "03", func(j *Job) { j.Enabled = false }), false, []string{"disable 03"}},
		"run now":                 {known(), with(of(ten...), "03", func(j *Job) { j.Run = "a" }), false, []string{"run 03"}},
		"run now, disabled":       {known(), with(of(ten...), "03", func(j *Job) { j.Run, j.Enabled = "a", false }), false, []string{"disable 03", "run 03"}},
		"stop":                    {known(), with(of(ten...), "03", func(j *Job) { j.Stop = "a" }), false, []string{"stop 03"}},
		"becomes unsupported":     {known(), with(of(ten...), "03", func(j *Job) { j.Fetcher, j.Unsupported = "", "not supported yet, job 03" }), false, []string{"hold 03"}},
		"new and unsupported":     {nil, with(of("1"), "1", func(j *Job) { j.Unsupported = "not supported yet, job 1" }), false, []string{"leave 1"}},
		"unreadable":              {known(), Listing{Jobs: of(ten[1:]...).Jobs, Problems: []Problem{{ID: "00", Text: "?"}}}, false, []string{"leave 00"}},
		"one is missing":          {known(), of(ten[1:]...), false, []string{"wait 00"}},
		"and again":               {gone, of(ten[1:]...), false, []string{"close 00"}},
		"and again, unchanged":    {gone, Listing{Unchanged: true}, false, []string{"close 00"}},
		"but it comes back":       {gone, of(ten...), false, []string{}},
		"missing beside nameless": {gone, Listing{Jobs: of(ten[1:]...).Jobs, Problems: []Problem{{Text: "?"}}}, false, []string{"wait 00"}},
		"a fifth is missing":      {known(), of(ten[2:]...), false, []string{"wait 00", "wait 01"}},
		"more than a fifth":       {known(), of(ten[3:]...), false, []string{"warning"}},
		"empty":                   {known(), Listing{}, false, []string{"warning"}},
		"more, and accepted":      {known(), of(ten[8:]...), true, []string{"wait 00", "wait 01", "wait 02", "wait 03", "wait 04", "wait 05", "wait 06", "wait 07"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, said(t, c.jobs, c.listing, c.accept))
		})
	}
}

// What is held back counts, so that --accept-removals need not wait for a further
// listing; what is accepted holds for that set only.
func TestRemovalsAreAcceptedForOneSet(t *testing.T) {
	t.Parallel()
	ten := ids(10)
	jobs := after(t, of(ten...))
	jobs, m := next(t, jobs, of(ten[3:]...), false)
	require.Contains(t, m.Warning, "lacks 3 of 10 jobs")
	jobs, m = next(t, jobs, of(ten[3:]...), false)
	require.NotEmpty(t, m.Warning, "it does not wear off")
	require.Equal(t, []string{"close 00", "close 01", "close 02"}, said(t, jobs, of(ten[3:]...), true))

	_, m = next(t, jobs, of(ten[3:]...), true)
	accepted := rows.Registry{Name: "house", RegistryLooks: rows.RegistryLooks{Accepted: m.Accepted}}
	more, err := Merge(accepted, jobs, of(ten[4:]...), false)
	require.NoError(t, err)
	require.NotEmpty(t, more.Warning, "one more is missing than was accepted")
}

// A job that comes back after its campaign was removed is made anew, under the name
// that its checkpoints have.
func TestBackFromTheDead(t *testing.T) {
	t.Parallel()
	jobs := after(t, of(ids(10)...), of(ids(10)[1:]...), of(ids(10)[1:]...))
	require.Equal(t, rows.JobClosing, jobs[0].State)
	require.Equal(t, []string{"create 00"}, said(t, jobs, of(ids(10)...), false), "it was paused for the end")
	jobs[0].State, jobs[0].Applied = rows.JobRemoved, ""
	require.Equal(t, []string{}, said(t, jobs, of(ids(10)[1:]...), false))
	require.Equal(t, []string{"create 00"}, said(t, jobs, of(ids(10)...), false))
}

func TestCampaignNames(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"4902": "reg-house-4902", "music-9": "reg-house-music-9"} {
		require.Equal(t, want, Campaign("house", id))
	}
	seen := map[string]string{}
	for _, id := range []string{"Music", "music", "mu sic", "mu-sic", "è", "é", "-", "a--b", "x/../y", "urn:" + string(make([]byte, 0)) + "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"} {
		name := Campaign("house", id)
		require.Regexp(t, `^[a-z0-9][a-z0-9-]{0,62}$`, name)
		require.Empty(t, seen[name], "%s and %s are one", seen[name], id)
		seen[name] = id
	}
	for _, bad := range []string{"", "a-b", "House", "9a", "abcdefghijklmnopqrstuvw"} {
		require.Error(t, CheckName(bad), bad)
	}
}
