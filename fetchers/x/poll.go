package x

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// Bounds of one request, and of a way that leads nowhere.
const (
	mostResults  = 100
	leastOfUser  = 5
	leastOfQuery = 10
	maxPages     = 1000
)

// fields are asked for of each post. Its counters are not: they change with each
// look, and mean no new version.
const fields = "created_at,author_id,lang,conversation_id,in_reply_to_user_id,referenced_tweets,edit_history_tweet_ids,entities,note_tweet"

// poll goes from the newest post, or from where it was cut, back to what is known.
func (r *reading) poll() error {
	for !r.Stopped {
		size, why := r.size()
		if size == 0 {
			return r.short(why)
		}
		w, err := r.ask(size)
		if r.tooOld(err) {
			continue
		}
		if err != nil {
			return err
		}
		last, err := r.take(&w)
		if err != nil || last {
			return err
		}
	}
	return nil
}

func (r *reading) least() int {
	if r.params.Query != "" {
		return leastOfQuery
	}
	return leastOfUser
}

// size is how many posts the next request may ask for; 0, and why, where budget or
// backlog allow none. A search brings a user with each post.
func (r *reading) size() (n int, why error) {
	n = r.left()
	if r.params.Query != "" {
		n /= 2
	}
	switch back := r.back(); {
	case back <= 0:
		return 0, errBacklog
	case n < r.least() && r.params.perMonth()-r.cp.Spent.Reads <= r.params.perRun()-r.cp.Spent.Run:
		return 0, errMonth
	case n < r.least():
		return 0, errRun
	default:
		return max(min(n, mostResults, back), r.least()), nil
	}
}

var (
	errBacklog = errors.New("backlog")
	errMonth   = errors.New("month")
	errRun     = errors.New("run")
)

// back is how many posts a fetch may go back that has no known post before it.
func (r *reading) back() int {
	read := 0
	if r.cp.Poll != nil {
		read = r.cp.Poll.Read
	}
	if r.since() != "" || r.windowed() {
		return mostResults
	}
	return r.params.backlog() - read
}

func (r *reading) since() string {
	if r.req.ForceRefresh || r.windowed() || r.cp.Poll != nil && r.cp.Poll.Again {
		return ""
	}
	return r.cp.Since
}

// short ends a fetch before all was read.
func (r *reading) short(why error) error {
	switch why {
	case errMonth:
		return r.overMonth()
	case errRun:
		r.warn(r.overRun())
	default:
		r.finish()
	}
	r.send(harvest.Page{Last: true, NotModified: r.cp.Since != "" && r.pages == 0})
	return nil
}

func (r *reading) ask(size int) (reply, error) {
	path, token := "/2/users/"+r.cp.User+"/tweets", "pagination_token"
	q := url.Values{"max_results": {strconv.Itoa(size)}, "tweet.fields": {fields}}
	if r.params.Query != "" {
		path, token = "/2/tweets/search/recent", "next_token"
		q.Set("query", r.params.Query)
		q.Set("expansions", "author_id")
	}
	if len(r.params.Exclude) > 0 {
		q.Set("exclude", strings.Join(r.params.Exclude, ","))
	}
	set(q, "since_id", r.since())
	set(q, "start_time", moment(r.req.Window.From))
	set(q, "end_time", moment(r.req.Window.Until))
	if r.token != "" {
		q.Set(token, r.token)
	} else if r.cp.Poll != nil && !r.windowed() {
		q.Set("until_id", r.cp.Poll.Until)
	}
	r.pages++
	return r.get(path, q, false)
}

func set(q url.Values, name, value string) {
	if value != "" {
		q.Set(name, value)
	}
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// tooOld forgets an id that a search does not know any more: it reaches back seven
// days. What was posted between is lost to it.
func (r *reading) tooOld(err error) bool {
	e := harvest.AsError(err)
	if e == nil || e.Kind != harvest.KindMisconfigured || r.params.Query == "" || r.windowed() {
		return false
	}
	switch text := e.Err.Error(); {
	case strings.Contains(text, "'until_id'") && r.cp.Poll != nil:
		r.finish()
	case strings.Contains(text, "'since_id'") && r.since() != "":
		r.cp.Since, r.cp.Poll = "", nil
	default:
		return false
	}
	r.token = ""
	r.warn("the search reaches back seven days, and the last post read is older: posts between may be missing")
	return true
}

// finish ends a poll: the next one begins behind its newest post.
func (r *reading) finish() {
	if r.cp.Poll != nil {
		r.cp.Since, r.cp.Poll = newest(r.cp.Since, r.cp.Poll.Newest), nil
	}
}
