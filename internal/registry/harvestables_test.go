package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/registry"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/registry"
)

func oai(id string) replica.Harvestable {
	return replica.OAI(id, "https://repo.example.org/oai/"+id)
}

func openXML(t *testing.T, service *replica.Harvestables) registry.Service {
	t.Helper()
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	s, err := registry.Open(rows.Registry{Name: "library", URL: server.URL + "/harvester/records", Format: registry.FormatHarvestables}, "", server.Client())
	require.NoError(t, err)
	return s
}

func listed(t *testing.T, s registry.Service, known registry.Known) registry.Listing {
	t.Helper()
	l, err := s.List(t.Context(), known)
	require.NoError(t, err)
	return l
}

// knownOf is what is known once a listing was taken.
func knownOf(t *testing.T, l registry.Listing) registry.Known {
	t.Helper()
	m, err := registry.Merge(rows.Registry{Name: "library"}, nil, l, false)
	require.NoError(t, err)
	return registry.KnownOf(rows.Registry{}, m.Changed)
}

func TestARecordBecomesAJob(t *testing.T) {
	t.Parallel()
	record := oai("4902").With(replica.Field{Name: "scheduleString", XML: "0 0 17 6 3"}, replica.Field{Name: "oaiSetName", XML: "music &amp; more"},
		replica.Field{Name: "fromDate", XML: "2024-01-01T00:30:00+01:00"}, replica.Field{Name: "untilDate", XML: "2024-02-01T00:00:00Z"},
		replica.Field{Name: "dateFormat", XML: "yyyy-MM-dd'T'hh:mm:ss'Z'"}, replica.Field{Name: "timeout", XML: "300"},
		replica.Field{Name: "retryCount", XML: "2"}, replica.Field{Name: "retryWait", XML: "60"}, replica.Field{Name: "encoding", XML: "iso-8859-1"},
		replica.Field{Name: "usedBy", XML: "lib-a, lib-b"}, replica.Field{Name: "managedBy", XML: "lib-a"})
	l := listed(t, openXML(t, replica.NewHarvestables(record)), registry.Known{})
	require.Empty(t, l.Problems)
	require.Len(t, l.Jobs, 1)
	got := l.Jobs[0]
	require.JSONEq(t, `{"cron":["0 0 17 6 *"],"days":["wed"]}`, string(got.Timing), "both days must fit")
	require.JSONEq(t, `{"url":"https://repo.example.org/oai/4902","prefix":"oai_dc","set":"music & more","from":"2023-12-31","granularity":"second","encoding":"iso-8859-1"}`,
		string(got.Params), "from is never later than it was there; until bounds one run only")
	policies, err := json.Marshal(got.Policies)
	require.NoError(t, err)
	require.JSONEq(t, `{"timeouts":{"request":"300s"},"retry":[{"when":["timeout","unreachable","server_error","throttled"],"times":1,"wait":"60s"}]}`, string(policies), "two tries are one more")
	got.Timing, got.Params, got.Policies = nil, nil, nil
	require.Equal(t, registry.Job{ID: "4902", Name: "Job 4902", Enabled: true, Fetcher: "oaipmh", Type: "oaiPmh", Stamp: "2024-01-05T10:00:00Z", Tags: []string{"lib-a", "lib-b"}}, got)
}

// What is not run is listed with why, and stops nothing.
func TestOtherTypesAreListedAndNotRun(t *testing.T) {
	t.Parallel()
	jobs := []replica.Harvestable{oai("1")}
	for i, kind := range []string{"xmlBulk", "connector", "webCrawl", "status", "folio"} {
		j := oai(fmt.Sprint(i + 2))
		j.Kind = kind
		jobs = append(jobs, j)
	}
	jobs = append(jobs, oai("7").With(replica.Field{Name: "recordLimit", XML: "50"}), oai("8").With(replica.Field{Name: "scheduleString", XML: "0 24 * * *"}))
	l := listed(t, openXML(t, replica.NewHarvestables(jobs...)), registry.Known{})
	require.Empty(t, l.Problems)
	var why []string
	for _, j := range l.Jobs {
		why = append(why, j.Unsupported)
	}
	require.Equal(t, []string{
		"", "xmlBulk: not supported yet, job 2", "connector: not supported yet, job 3", "webCrawl: not supported yet, job 4", "status: not supported yet, job 5",
		"folio is no type of job that is known, job 6", "recordLimit 50 makes it a test, which is not supported yet, job 7",
		`scheduleString "0 24 * * *": 24 never fires there: each field is * or a number as it is written without zeros before it, up to 23 in this place`,
	}, why)
}

// Ten thousand: all records the first time, the pages of the list the second time.
func TestOnlyWhatChangedIsReadAgain(t *testing.T) {
	t.Parallel()
	var jobs []replica.Harvestable
	for i := range 2500 {
		jobs = append(jobs, oai(fmt.Sprint(i)))
	}
	service := replica.NewHarvestables(jobs...)
	s := openXML(t, service)
	first := listed(t, s, registry.Known{})
	require.Len(t, first.Jobs, 2500)
	require.Equal(t, 2503, first.Requests)
	known := knownOf(t, first)
	service.Edit("7", replica.Field{Name: "name", XML: "another"})
	second := listed(t, s, known)
	require.Equal(t, 4, second.Requests)
	require.Len(t, second.Same, 2499)
	require.Equal(t, "another", second.Jobs[0].Name)
}

func TestWishesOfTheXMLService(t *testing.T) {
	t.Parallel()
	service := replica.NewHarvestables(oai("1"))
	s := openXML(t, service)
	first := listed(t, s, registry.Known{})
	require.Empty(t, first.Jobs[0].Run+first.Jobs[0].Stop)
	known := knownOf(t, first)
	service.Edit("1")
	require.NotEmpty(t, listed(t, s, known).Jobs[0].Stop, "a new lastUpdated and nothing else")
	service.Edit("1", replica.Field{Name: "name", XML: "another"})
	require.Empty(t, listed(t, s, known).Jobs[0].Stop, "an edit: the run keeps its definition")

	service.Edit("1", replica.Field{Name: "enabled", XML: "false"}, replica.Field{Name: "harvestImmediately", XML: "true"})
	now := listed(t, s, known).Jobs[0]
	require.Equal(t, "now "+now.Stamp, now.Run, "also of a job that is disabled")
	service.Edit("1", replica.Field{Name: "harvestImmediately", XML: "false"}, replica.Field{Name: "scheduleString", XML: ""})
	require.Empty(t, listed(t, s, known).Jobs[0].Run, "disabled")
	service.Edit("1", replica.Field{Name: "enabled", XML: "true"})
	once := listed(t, s, known)
	require.Empty(t, once.Jobs[0].Timing)
	require.NotEmpty(t, once.Jobs[0].Run, "an empty schedule means once now")
	service.Edit("1")
	again := listed(t, s, knownOf(t, once)).Jobs[0]
	require.Equal(t, once.Jobs[0].Run, again.Run, "once for each definition")
	require.NotEmpty(t, again.Stop)
}

// faults of the XML service: err is of the whole listing, else one problem, and the rest is
// listed.
func TestABrokenXMLService(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault replica.Fault
		err   string
		jobs  int
		why   string
	}{
		"down":              {fault: replica.Down(), err: "503"},
		"HTML":              {fault: replica.HTML(), err: "got an HTML page instead of XML"},
		"truncated":         {fault: replica.Cut(), err: "not a list of harvestables"},
		"shorter":           {fault: replica.Shorter(), err: "changed while it was read, or cut"},
		"another document":  {fault: replica.InsteadOfHarvestables(`<jobs/>`), err: "not a list of harvestables"},
		"no count":          {fault: replica.InsteadOfHarvestables(`<harvestables/>`), err: `count=""`},
		"two documents":     {fault: replica.InsteadOfHarvestables(`<harvestables count="0"/><harvestables count="0"/>`), err: "a second document follows"},
		"empty":             {fault: replica.EmptyHarvestables()},
		"unreadable record": {fault: replica.UnreadableRecord("2"), jobs: 2, why: "not a harvestable"},
		"failing record":    {fault: replica.FailingRecord("2"), jobs: 2, why: "500"},
		"twice":             {fault: replica.ListedTwice("2"), jobs: 2, why: "is listed twice, and not alike"},
		"no number":         {fault: replica.InsteadOfHarvestables(`<harvestables count="1"><harvestableBrief><id>../1</id></harvestableBrief></harvestables>`), why: `the id "../1" is not a number`},
		"gone meanwhile":    {fault: replica.InsteadOfHarvestables(`<harvestables count="1"><harvestableBrief><id>9</id></harvestableBrief></harvestables>`), why: "404"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := replica.NewHarvestables(oai("1"), oai("2"), oai("3"))
			service.Break(c.fault)
			l, err := openXML(t, service).List(t.Context(), registry.Known{})
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Len(t, l.Jobs, c.jobs)
			if c.why == "" {
				require.Empty(t, l.Problems)
				return
			}
			require.Len(t, l.Problems, 1)
			require.Contains(t, l.Problems[0].Text, c.why)
		})
	}
}

// A service that dies among the records is away; it is not asked for all the rest.
func TestAServiceThatDiesAmongTheRecords(t *testing.T) {
	t.Parallel()
	var jobs []replica.Harvestable
	for i := range 500 {
		jobs = append(jobs, oai(fmt.Sprint(i)))
	}
	service := replica.NewHarvestables(jobs...)
	service.Break(replica.AfterTheList())
	_, err := openXML(t, service).List(t.Context(), registry.Known{})
	require.ErrorContains(t, err, "requests in a row failed")
	require.Less(t, len(service.Requests()), 100)

	service.Break(replica.Slow(time.Hour))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = openXML(t, service).List(ctx, registry.Known{})
	require.Error(t, err)
}

// How it goes is written into the record, in its words; all else stays as it was.
func TestReportsAreWrittenIntoTheRecord(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 3, 1, 10, 0, 0, 5000, time.UTC)
	percent := 41
	for name, c := range map[string]struct {
		report          registry.Report
		status, message string
	}{
		"running":     {registry.Report{State: registry.StateRunning, Progress: &percent, Errors: 2, Run: "r"}, "RUNNING", "running, 41 %, errors recovered from: 2"},
		"ok":          {registry.Report{State: registry.StateWaiting, Ending: outcomes.EndedOK, Outcome: outcomes.Done, Run: "r"}, "OK", ""},
		"warnings":    {registry.Report{State: registry.StateWaiting, Ending: outcomes.EndedOK, Outcome: outcomes.Empty, Run: "r"}, "WARN", "finished OK (empty)"},
		"error":       {registry.Report{State: registry.StateWaiting, Ending: outcomes.EndedError, Outcome: outcomes.Gone, Error: "gone: 404 <oh>", Run: "r"}, "ERROR", "gone: 404 &lt;oh&gt;"},
		"terminated":  {registry.Report{State: registry.StateDisabled, Ending: outcomes.EndedTerminated, Outcome: outcomes.Cancelled, Run: "r"}, "KILLED", "terminated as told (cancelled)"},
		"restart":     {registry.Report{State: registry.StateWaiting, Ending: outcomes.EndedLater, Outcome: outcomes.Throttled, Run: "r"}, "SHUTDOWN", "asks to be started again in some time (throttled)"},
		"first waits": {registry.Report{State: registry.StateWaiting, Text: "waiting, 3 before you"}, "NEW", "waiting, 3 before you"},
		"waits again": {registry.Report{State: registry.StateWaiting, Text: "waiting, 3 before you", Ending: outcomes.EndedOK, Outcome: outcomes.Done, Run: "r"}, "OK", "waiting, 3 before you"},
		"refused":     {registry.Report{State: registry.StateRefused, Text: "no url"}, "ERROR", "no url"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := replica.NewHarvestables(oai("1").With(replica.Field{Name: "harvestImmediately", XML: "true"}, replica.Field{Name: "message", XML: "of before"}))
			before := service.Job("1")
			c.report.Job, c.report.Documents, c.report.Started, c.report.Next = "1", 7, at, at.Add(time.Hour)
			refused, err := openXML(t, service).Report(t.Context(), []registry.Report{c.report})
			require.NoError(t, err)
			require.Empty(t, refused)
			now := service.Job("1")
			require.Equal(t, c.status, now.Text("currentStatus"))
			require.Equal(t, c.message, now.Text("message"))
			require.Equal(t, "2024-03-01T10:00:00Z", now.Text("lastHarvestStarted"))
			require.Equal(t, "2024-03-01T11:00:00Z", now.Text("nextHarvestSchedule"))
			if c.report.Run != "" {
				require.Equal(t, "false", now.Text("harvestImmediately"))
				require.Equal(t, "7", now.Text("amountHarvested"))
			}
			for _, name := range []string{"id", "name", "enabled", "scheduleString", "lastUpdated", "url", "metadataPrefix", "storage"} {
				require.Equal(t, before.Text(name), now.Text(name), name)
			}
		})
	}
}

func TestReportsThatAreNotWritten(t *testing.T) {
	t.Parallel()
	bulk := oai("2")
	bulk.Kind = "xmlBulk"
	service := replica.NewHarvestables(oai("1"), bulk)
	s := openXML(t, service)
	ended := registry.Report{State: registry.StateWaiting, Ending: outcomes.EndedOK, Outcome: outcomes.Done}
	of := func(id string, r registry.Report) registry.Report {
		r.Job = id
		return r
	}
	refused, err := s.Report(t.Context(), []registry.Report{
		of("1", registry.Report{State: registry.StateWaiting}), of("1", registry.Report{State: registry.StateRemoved, Ending: outcomes.EndedOK}), of("2", ended), of("99", ended),
	})
	require.NoError(t, err)
	require.Empty(t, refused)
	require.Empty(t, service.Writes("1"), "nothing has run yet, or the record is gone")
	require.Empty(t, service.Writes("2"), "another harvester's job")

	service.Break(replica.FailingRecord("1"))
	refused, err = s.Report(t.Context(), []registry.Report{of("1", ended), of("2", ended)})
	require.NoError(t, err)
	require.Contains(t, refused["1"], "500")
	service.Break(replica.Down())
	refused, err = s.Report(t.Context(), []registry.Report{of("1", ended)})
	require.NoError(t, err, "one record says nothing of the service")
	require.Contains(t, refused["1"], "503")
	_, err = s.Report(t.Context(), []registry.Report{of("1", ended), of("2", ended)})
	require.ErrorContains(t, err, "none of 2 reports was taken")
}
