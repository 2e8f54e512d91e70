package takeover

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
)

// Acquisition is what Mir acquires, as campaigns.
type Acquisition struct {
	Campaigns []Campaign
	// NotTaken is what cannot be taken over, Doubts what was and is probably not meant.
	NotTaken, Doubts []campaigns.Problem
}

// Campaign is one campaign of an Acquisition.
type Campaign struct {
	Name        string
	Description string
	Schedule    *campaigns.Schedule // nil: by hand
	Processors  int                 // 0: not said
	Paused      string
	Entries     []Entry
	// Lacks is what has to be written before it can be applied; nothing: it can be.
	Lacks []string
}

// Entry is one fetcher of a campaign.
type Entry struct {
	Name    string // of the entry, distinct within its campaign
	Fetcher string
	Params  map[string]json.RawMessage
	Items   []Item // nil: one item, of Params
	// Identity are the params that name an item.
	Identity []string
}

// Item is one element of a split.
type Item struct {
	Label  string
	Params map[string]json.RawMessage
}

// Acquire turns the jobs of a crontab and the campaigns of Mir's documents into
// campaigns. Either may be empty: a campaign that no job starts has no schedule,
// one that no document lists is not complete. now is for warnings.
func Acquire(set fetchers.Set, now time.Time, file string, jobs []CronJob, docs []MirCampaign) Acquisition {
	a := &acquirer{set: set, now: now, docs: docs, notes: grouped{file: file}, doubts: grouped{file: file}}
	for _, job := range jobs {
		a.job(job)
	}
	for _, d := range docs {
		if !a.has(d.Name) {
			a.fromDocument(CronJob{}, d.Name, 0)
		}
	}
	a.warnings()
	a.out.NotTaken, a.out.Doubts = a.notes.problems(), a.doubts.problems()
	return a.out
}

type acquirer struct {
	set   fetchers.Set
	now   time.Time
	docs  []MirCampaign
	out   Acquisition
	lines []int    // of out.Campaigns
	of    []string // what each of out.Campaigns was made of: equal ones are one campaign

	notes, doubts grouped
}

func (a *acquirer) has(name string) bool {
	return slices.Contains(a.of, "campaign "+name)
}

func (a *acquirer) job(job CronJob) {
	c, ok := mirCommandOf(job.Command)
	if !ok {
		a.notes.add(job.Line, "does not start "+mirScheduler+": not a job of Mir")
		return
	}
	for _, odd := range c.odd {
		a.notes.add(job.Line, oddWords(odd))
	}
	switch {
	case len(c.campaigns) > 0:
		a.ofCampaigns(job, c)
	case len(c.fetchers) > 0:
		for _, class := range c.fetchers {
			a.ofClass(job, class, c)
		}
	default:
		a.notes.add(job.Line, "neither --campaign nor --fetcher: Mir starts nothing; left out")
	}
}

// oddWords says what becomes of words that are no flag of Mir's.
func oddWords(odd string) string {
	switch {
	case strings.HasPrefix(odd, "--processors"):
		return odd + "; left out, so there are 4"
	case strings.HasPrefix(odd, ">"), strings.HasPrefix(odd, "|"):
		return "where cron sends the output is not taken over: runs keep what happened (starter runs show)"
	case strings.HasPrefix(odd, "--config"), strings.HasPrefix(odd, "--queue"):
		return strings.Fields(odd)[0] + " is not taken over: it is about Mir's own database and queue"
	}
	return fmt.Sprintf("%q is not taken over", odd)
}

func (a *acquirer) ofCampaigns(job CronJob, c mirCommand) {
	if len(c.fetchers) > 0 || c.params != "" {
		a.notes.add(job.Line, "--fetcher and --params beside --campaign: Mir takes the list of the campaign; not taken over")
	}
	for _, name := range c.campaigns {
		a.fromDocument(job, name, c.processors)
	}
}

// fromDocument takes a campaign whose fetchers stand in Mir's documents.
func (a *acquirer) fromDocument(job CronJob, name string, processors int) {
	camp := Campaign{Name: nameOf(name), Description: "campaign " + name + " of Mir", Processors: processors}
	i := slices.IndexFunc(a.docs, func(d MirCampaign) bool { return d.Name == name })
	if i < 0 {
		camp.Lacks = []string{"the list of its fetchers stands in Mir's database: export it and say --mir FILE"}
	} else {
		a.entries(&camp, a.docs[i])
	}
	a.keep(job, camp, "campaign "+name)
}

func (a *acquirer) entries(camp *Campaign, of MirCampaign) {
	for _, f := range of.Fetchers {
		e, lacks := a.entry(place{of.File, 0, of.Name + ", " + f.Class}, f)
		if len(lacks) > 0 {
			a.notes.in(of.File, 0, fmt.Sprintf("%s, %s: %s; left out", of.Name, f.Class, strings.Join(lacks, "; ")))
			continue
		}
		for n := 2; slices.ContainsFunc(camp.Entries, func(o Entry) bool { return o.Name == e.Name }); n++ {
			e.Name = fmt.Sprintf("%s-%d", e.Fetcher, n)
		}
		camp.Entries = append(camp.Entries, e)
	}
	if len(camp.Entries) == 0 {
		camp.Lacks = []string{"none of its fetchers can be taken over; see what was left out"}
	}
}

// ofClass takes a fetcher that a job starts without a campaign.
func (a *acquirer) ofClass(job CronJob, class string, c mirCommand) {
	camp := Campaign{Name: nameOf(a.whole(class)), Description: class + " of Mir", Processors: c.processors}
	params, guessed, err := looseParams(c.params)
	if guessed {
		a.doubts.add(job.Line, fmt.Sprintf("%s: the params %s are not JSON; read as %s", camp.Name, c.params, mustJSON(params)))
	}
	e, lacks := a.entry(place{a.notes.file, job.Line, camp.Name}, MirFetcher{Class: class, Items: []json.RawMessage{mustJSON(params)}})
	if err != nil {
		lacks = append([]string{fmt.Sprintf("its params %s are not JSON", c.params)}, lacks...)
	}
	if camp.Lacks = lacks; e.Fetcher != "" {
		camp.Entries = []Entry{e}
	}
	a.keep(job, camp, class+string(mustJSON(params)))
}

// whole is a class' name in full, where it is known that it was cut: GU::Contratt
// is GU::Contratti.
func (a *acquirer) whole(class string) string {
	kind, err := a.set.Find(class)
	if err != nil || kind.Implied[class] == nil {
		return class
	}
	for _, other := range kind.Aliases {
		if strings.HasPrefix(other, class) && string(kind.Implied[other]) == string(kind.Implied[class]) {
			class = other
		}
	}
	return class
}

// keep adds a campaign, or the times of a further job of the same one.
func (a *acquirer) keep(job CronJob, camp Campaign, of string) {
	if job.Line > 0 {
		s := job.Schedule
		camp.Schedule = &s
	}
	if i := slices.Index(a.of, of); i >= 0 {
		a.further(job, &a.out.Campaigns[i])
		return
	}
	name := camp.Name
	for n := 2; slices.ContainsFunc(a.out.Campaigns, func(o Campaign) bool { return o.Name == camp.Name }); n++ {
		camp.Name = fmt.Sprintf("%s-%d", name, n)
	}
	if job.Off {
		camp.Paused = "commented out in the crontab"
	}
	a.of, a.lines = append(a.of, of), append(a.lines, job.Line)
	a.out.Campaigns = append(a.out.Campaigns, camp)
}

// further adds the times of one more line to a campaign.
func (a *acquirer) further(job CronJob, camp *Campaign) {
	switch s := camp.Schedule; {
	case job.Off:
		a.notes.add(job.Line, camp.Name+": a line that is commented out, of a campaign that others start; left out")
	case camp.Paused != "":
		camp.Schedule, camp.Paused = &job.Schedule, ""
	case s.TimeZone != job.Schedule.TimeZone, s.Every+job.Schedule.Every > 0, len(s.Days)+len(job.Schedule.Days) > 0:
		a.notes.add(job.Line, camp.Name+": its times cannot stand beside those of its other lines; left out")
	default:
		s.Cron = append(slices.Clone(s.Cron), job.Schedule.Cron...)
	}
}

// warnings tells which schedules are probably not meant, and what is not
// complete.
func (a *acquirer) warnings() {
	for i, c := range a.out.Campaigns {
		if c.Schedule != nil {
			for _, text := range c.Schedule.Warnings(a.now) {
				a.doubts.add(a.lines[i], c.Name+": "+text)
			}
		}
		for _, text := range c.Lacks {
			if a.lines[i] > 0 { // of a document the reasons are told
				a.notes.add(a.lines[i], c.Name+": "+text)
			}
		}
	}
}
