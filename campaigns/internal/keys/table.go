package keys

import (
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// File lists the keys of a file.
func File() []Key {
	return []Key{
		{Name: "project", Value: Value{Form: name()}, Doc: "whose files these are; `--prune` stays inside it", Example: "law-monitor"},
		{Name: "hosts", Value: Value{Each: &Each{Key: host(), Value: Value{Map: hostKeys()}, Doc: "one truth per host, for all workers and campaigns; `\"*\"` is all others"}}, Doc: "how hosts are to be treated"},
		{Name: "defaults", Value: Value{Map: at(all(), Defaults)}, Doc: "what holds for every campaign of the file; in `_defaults.yaml`, of the folder"},
		{Name: "campaigns", Value: Value{Each: &Each{Key: *name(), Value: Value{Map: at(all(), Campaign)}, Doc: "the campaigns, by name"}}, Doc: "the campaigns, by name"},
	}
}

// At returns the keys allowed at a place.
func At(p Place) []Key { return at(all(), p) }

func hostKeys() []Key {
	return []Key{
		{Name: "every", Value: Value{Form: duration("1.25s")}, Doc: "the least time from one answer to the next request"},
		{Name: "connections", Value: Value{Form: integer(1)}, Doc: "requests at the same time", Example: "2"},
		{Name: "robots", Value: Value{Form: words("obey", "ignore")}, Doc: "whether robots.txt is heeded; left out, pages heed it and protocols (feeds, OAI-PMH, documented interfaces) do not"},
		{Name: "ca", Value: Value{Form: certificates()}, Doc: "certificates, as PEM, of the only authorities that may vouch for this host; absent: those of the worker's system. Never at `\"*\"`"},
	}
}

// all lists the keys of campaigns, entries and defaults in the order of the
// reference.
func all() []Key {
	return append(append(aboutKeys(), policyKeys()...), entryKeys()...)
}

func texts(example string) Value {
	return Value{Form: text(example), List: &Value{Form: text(example)}}
}

func aboutKeys() []Key {
	return []Key{
		{Name: "description", In: "cD", Value: Value{Form: text("Italian news, 133 feeds")}, Doc: "one line for people"},
		{Name: "owner", In: "cD", Value: Value{Form: text("redazione@example.it")}, Doc: "mail or team: who to ask; also the contact in the User-Agent"},
		{Name: "tags", In: "cD", Value: texts("[news, rss]"), Doc: "filters everywhere"},
		{Name: "schedule", In: "cD", Value: Value{Form: text("every 2h"), List: &Value{Form: text(`"30 1 * * *"`)}, Map: scheduleKeys()}, Doc: "when it is due: words, a cron line, a list of them, or a map; none: only by hand"},
		{Name: "paused", In: "ci", Value: Value{Form: pauseNote()}, Doc: "the text becomes the note; absent: leave it as it is", Example: `"new firewall, ask Ilse"`},
		{Name: "processors", In: "cD", Value: Value{Form: integer(1)}, Default: "4", Doc: "items in flight per run", Example: "10"},
		{Name: "chunk", In: "cD", Value: Value{Form: integer(1, "auto")}, Default: "auto", Doc: "items of one activity, at least a 500th of the run's; auto: one each up to 500 items, else a 60th", Example: "50"},
		{Name: "notify", In: "cD", Value: Value{List: &Value{Map: notifyKeys()}}, Doc: "whom to tell, on a change of state; recovery always follows what was sent"},
		{Name: "keep", In: "cD", Value: Value{Map: keepKeys()}, Doc: "what the cleaner may take, by age"},
		{Name: "log", In: "cD", Value: Value{Form: words("debug", "info", "warn", "error")}, Default: "info", Doc: "least level of what is logged about its runs, on workers that run already; `starter runs logs` shows it", Example: "debug"},
		{Name: "was", In: "ce", Value: Value{Form: name(), List: &Value{Form: name()}}, Doc: "former names; checkpoints and documents move along", Example: "oai-nightly"},
		{Name: "was", In: "i", Value: Value{Form: text("ponte")}, Doc: "the item's former key; its checkpoint, documents and history move along", Example: "ponte"},
	}
}

func scheduleKeys() []Key {
	return []Key{
		{Name: "every", Value: Value{Form: duration("2h")}, Doc: "an interval, counted from midnight UTC of 1 January 1970"},
		{Name: "offset", Value: Value{Form: duration("20m")}, Doc: "moves `every` by so much"},
		{Name: "at", Value: texts(`["18:00", "22:30"]`), Doc: "times of day"},
		{Name: "days", Value: texts("[mon, thu]"), Doc: "weekdays for `at`, and the only ones of `cron`; absent: all"},
		{Name: "cron", Value: texts(`"30 1 * * *"`), Doc: "five fields, or `@daily` and the like; both day fields set mean *or*, as in crontab"},
		{Name: "time_zone", Value: Value{Form: text("Europe/Rome")}, Default: "UTC", Doc: "an IANA zone; all times are in it"},
		{Name: "jitter", Value: Value{Form: duration("2m")}, Doc: "spread of the start; absent: by name, up to two minutes"},
		{Name: "start", Value: Value{Form: date()}, Doc: "no run before this day"},
		{Name: "end", Value: Value{Form: date()}, Doc: "the last day with runs"},
		{Name: "skip", Value: texts(`["12-25", "2026-08-15"]`), Doc: "days without runs: a date, or month and day of every year"},
		{Name: "max_runs", Value: Value{Form: integer(1)}, Doc: "so many runs and no more"},
		{Name: "overlap", Value: Value{Form: words("skip", "buffer_one", "buffer_all", "cancel", "terminate", "allow")}, Default: "skip", Doc: "what happens when a run is due while another is going on"},
		{Name: "catch_up", Value: Value{Form: duration("1h")}, Default: "1h", Doc: "how late a missed tick may still be made up for"},
	}
}

func notifyKeys() []Key {
	when := []string{"recovered"}
	for _, o := range outcomes.All() {
		when = append(when, string(o))
	}
	return []Key{
		{Name: "to", Value: Value{Form: address()}, Doc: "a webhook; may be a secret", Example: `"${secret:env:VENDEMMIA_SECRET_HOOK}"`},
		{Name: "when", Value: Value{Form: words(when...), List: &Value{Form: words(when...)}}, Doc: "outcomes, and `recovered`; absent: everything that needs attention", Example: "[failed, missed, recovered]"},
		{Name: "after", Value: Value{Form: integer(1)}, Default: "1", Doc: "only after so many times in a row"},
		{Name: "per", Value: Value{Form: words("run", "item")}, Default: "run", Doc: "one message per run or per item"},
		{Name: "digest", Value: Value{Form: text("1d")}, Doc: "collected into one message per so long", Later: "messages are sent one by one for now"},
	}
}

func keepKeys() []Key {
	keep := func(example string) Value { return Value{Form: duration(example, "forever", "all")} }
	return []Key{
		{Name: "raw", Value: Value{Form: duration("2y", "forever", "all", "none")}, Default: "30d", Doc: "pages as they came, of fetchers that read pages; protocols keep each record as it came"},
		{Name: "versions", Value: keep("1y"), Default: "all", Doc: "former versions of documents"},
		{Name: "ledger", Value: keep("5y"), Default: "forever", Doc: "what was asked and what came"},
		{Name: "runs", Value: keep("90d"), Default: "90d", Doc: "run summaries; the last 20 always stay"},
	}
}

// Hosts returns the keys of a host.
func Hosts() []Key { return hostKeys() }
