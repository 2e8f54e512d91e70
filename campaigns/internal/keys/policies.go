package keys

import "github.com/vendemmia/vendemmia/harvest"

func policyKeys() []Key {
	return []Key{
		{Name: "queue", In: "ceD", Value: Value{Form: queue()}, Default: "vendemmia-fetch", Doc: "the task queue it runs on", Example: "library"},
		{Name: "priority", In: "ceD", Value: Value{Form: words("urgent", "high", "normal", "low", "idle")}, Default: "normal", Doc: "who goes first, on the task queue and in the queue of a host"},
		{Name: "timeouts", In: "ceD", Value: Value{Map: timeoutKeys()}, Doc: "bounds of a request, a page, an item, a run"},
		{Name: "retry", In: "ceD", Value: Value{List: &Value{Map: retryKeys()}}, Default: defaultRetry, Doc: "the first rule that fits an error decides"},
		{Name: "tolerate", In: "ceiD", Value: Value{Map: tolerateKeys()}, Doc: "beyond this it has failed"},
		{Name: "expect", In: "ceiD", Value: Value{Map: expectKeys()}, Doc: "what makes empty, stale, missed"},
		{Name: "budget", In: "ceD", Value: Value{Map: budgetKeys()}, Doc: "over it: throttled, why *budget*; an entry's holds beside the campaign's, days and months are in the campaign's zone"},
		{Name: "auth", In: "ceD", Value: Value{Map: authKeys()}, Doc: "how the source is signed in to: one of `basic`, `bearer`, `header`, `oauth2`; sent to the hosts of the addresses in params, and to no other"},
	}
}

// Auth returns what may stand behind `auth`.
func Auth() Value { return Value{Map: authKeys()} }

func authKeys() []Key {
	return []Key{
		{Name: "basic", Value: Value{Map: []Key{
			{Name: "user", Value: Value{Form: text("harvester")}, Doc: "the user; may be a secret"},
			{Name: "password", Value: Value{Form: reference("PASSWORD")}, Doc: "the password, by reference"},
		}}, Doc: "a user and a password", Example: `{ user: harvester, password: "${secret:env:VENDEMMIA_SECRET_PASSWORD}" }`},
		{Name: "bearer", Value: Value{Form: reference("TOKEN")}, Doc: "a token, by reference: `Authorization: Bearer …`"},
		{Name: "header", Value: Value{Map: []Key{
			{Name: "name", Value: Value{Form: headerName()}, Doc: "the header"},
			{Name: "value", Value: Value{Form: reference("KEY")}, Doc: "its value, by reference"},
		}}, Doc: "a header of the source's own", Example: `{ name: X-Api-Key, value: "${secret:env:VENDEMMIA_SECRET_KEY}" }`},
		{Name: "oauth2", Value: Value{Map: []Key{
			{Name: "access_token_url", Value: Value{Form: text("https://login.example.org/token")}, Doc: "where tokens are given"},
			{Name: "client_id", Value: Value{Form: text("harvester")}, Doc: "who asks; may be a secret"},
			{Name: "client_secret", Value: Value{Form: reference("CLIENT")}, Doc: "by reference"},
			{Name: "scopes", Value: texts("[records.read]"), Doc: "what for"},
			{Name: "endpoint_params", Value: Value{Any: true}, Doc: "further parameters of the request for a token", Example: "{ audience: records }"},
		}}, Doc: "client credentials: a token is asked for when a fetch begins, and once more when it is refused"},
		{Name: "to", Value: Value{Form: origin(), List: &Value{Form: origin()}}, Doc: "where it may be sent besides the addresses that stand in the campaign file, for addresses in a list file; scheme, host and port count"},
	}
}

// defaultRetry is retry.Default as a file would say it.
const defaultRetry = `
- { when: [throttled], times: 20, wait: 1m }
- { when: [blocked, gone, broken, misconfigured, bad_record], times: 0 }
- { times: 5, wait: 30s, factor: 2, cap: 15m, jitter: 20% }
`

func timeoutKeys() []Key {
	return []Key{
		{Name: "request", Value: Value{Form: duration("30s", "none")}, Default: "60s", Doc: "from asking to the end of the answer"},
		{Name: "page", Value: Value{Form: duration("5m", "none")}, Default: "5m", Doc: "an item that yields no page for so long is given up"},
		{Name: "item", Value: Value{Form: duration("2h", "none")}, Default: "6h", Doc: "one item, repeats included"},
		{Name: "run", In: "cD", Value: Value{Form: duration("2h", "auto", "none", "until_next")}, Default: "auto", Doc: "the whole run; `auto` ends it the shortest gap of the schedule after it was due (a week, without a schedule), `until_next` before the next tick, `none` never"},
	}
}

func retryKeys() []Key {
	var kinds []string
	for _, k := range harvest.Kinds() {
		kinds = append(kinds, string(k))
	}
	older := Value{Each: &Each{Key: *duration("5m"), Value: Value{Form: duration("1m")}, Doc: "while younger than the key, wait the value"}}
	return []Key{
		{Name: "when", Value: Value{Form: words(kinds...), List: &Value{Form: words(kinds...)}}, Doc: "kinds of error; absent: all", Example: "[throttled]"},
		{Name: "times", Value: Value{Form: integer(0, "forever")}, Default: "0", Doc: "repeats, so n+1 attempts; `forever` when only `within` is said", Example: "5"},
		{Name: "wait", Value: Value{Form: duration("30s")}, Doc: "before the first repeat; a longer Retry-After wins"},
		{Name: "factor", Value: Value{Form: factor()}, Default: "1", Doc: "multiplies the wait each time"},
		{Name: "cap", Value: Value{Form: duration("15m")}, Doc: "the longest wait"},
		{Name: "jitter", Value: Value{Form: share()}, Doc: "spreads each wait by so much"},
		{Name: "within", Value: Value{Form: duration("24h")}, Doc: "no repeat later than this after the first attempt"},
		{Name: "by_age", Value: older, Doc: "waits by the age of the item", Example: "{ 5m: 1m, 1h: 5m, 24h: 1h }"},
		{Name: "queue", Value: Value{Form: queue()}, Doc: "repeats run on this task queue"},
	}
}

func tolerateKeys() []Key {
	return []Key{
		{Name: "items", In: "ceD", Value: Value{Form: count()}, Default: "10%", Doc: "items of a run that may fail; of a share at least one, `misconfigured` never", Example: "5%"},
		{Name: "records", In: "ceiD", Value: Value{Form: count()}, Default: "20", Doc: "records of one item that may be unreadable"},
	}
}

func expectKeys() []Key {
	return []Key{
		{Name: "run", In: "cD", Value: Value{Map: expectation("else the run is `empty`", "else the run is `missed`")}, Doc: "of a whole run"},
		{Name: "item", In: "ceiD", Value: Value{Map: expectation("else the item is `empty`", "an item silent for longer is stale")}, Doc: "of each item"},
	}
}

func expectation(empty, stale string) []Key {
	return []Key{
		{Name: "min_documents", Value: Value{Form: integer(0)}, Doc: "at least so many listed; " + empty, Example: "1"},
		{Name: "fresh_within", Value: Value{Form: duration("14d")}, Doc: "something new at least so often; " + stale},
		{Name: "else", Value: Value{Form: words("warn", "fail")}, Default: "warn", Doc: "what it means when it is not met"},
	}
}

func budgetKeys() []Key {
	some := func(bytes bool, example string) Value {
		return Value{Form: rate(bytes, example), List: &Value{Form: rate(bytes, example)}}
	}
	return []Key{
		{Name: "requests", Value: some(false, "20000/day"), Doc: "HTTP requests, but those for robots.txt"},
		{Name: "bytes", Value: some(true, "5GiB/run"), Doc: "bytes transferred; what is under way when it is reached comes to its end"},
		{Name: "documents", Value: some(false, "500/run"), Doc: "documents listed; the page that reaches it is kept"},
	}
}

func entryKeys() []Key {
	entry := append(at(aboutAndPolicies(), Entry), at(ownKeys(), Entry)...)
	fetchers := Key{Name: "fetchers", In: "c", Value: Value{List: &Value{Map: entry}}, Doc: "several fetchers; never beside `fetcher`"}
	return append([]Key{fetchers}, ownKeys()...)
}

func aboutAndPolicies() []Key { return append(aboutKeys(), policyKeys()...) }

// ownKeys belong to an entry. At the campaign they are the short form of a list with
// one entry.
func ownKeys() []Key {
	return []Key{
		{Name: "fetcher", In: "ceD", Value: Value{Form: text("feed")}, Doc: "which fetcher; see `starter fetchers list`"},
		{Name: "name", In: "ce", Value: Value{Form: name()}, Doc: "the entry's name, part of checkpoints; absent: the fetcher's", Example: "theses"},
		{Name: "params", In: "ceD", Value: Value{Any: true}, Doc: "the fetcher's params, strict; common to all items", Example: "{ max_entries: 200 }"},
		{Name: "split", In: "ce", Value: Value{Form: truth(), Map: splitKeys()}, Doc: "one item per element; `true`: the list stands under `params`"},
		{Name: "refresh", In: "ce", Value: Value{Form: duration("90d", "none")}, Doc: "how often a full pass is made, of fetchers that list everything their source holds; what is no longer listed becomes deleted, after success, never before"},
		{Name: "add", In: "ceD", Value: Value{Any: true}, Doc: "constant fields of documents; `collection` names where they go", Example: "{ collection: theses }"},
	}
}

func splitKeys() []Key {
	return []Key{
		{Name: "items", Value: Value{List: &Value{Any: true}}, Doc: "the elements, inline"},
		{Name: "file", Value: Value{Form: text("feeds.csv")}, Doc: "a list: csv, jsonl, json or opml; relative to this file"},
		{Name: "ask", Value: Value{Form: text("sets"), Map: []Key{{Name: "name", Value: Value{Form: text("sets")}, Doc: "what the fetcher is asked for"}}}, Doc: "asks the source at every run"},
		{Name: "key", Value: Value{Form: text("id")}, Doc: "the column or param that names an item; absent: by the fetcher"},
		{Name: "label", Value: Value{Form: text("title")}, Doc: "the column or param that is shown for an item; absent: `label`"},
		{Name: "include", Value: texts(`["col_*"]`), Doc: "only keys that fit one of these; `*` and `?`"},
		{Name: "exclude", Value: texts(`["*_test"]`), Doc: "no keys that fit one of these"},
	}
}
