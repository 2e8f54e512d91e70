package instagram

import (
	"encoding/json"
	"net/url"
	"slices"

	"github.com/vendemmia/vendemmia/harvest"
)

// maxHashtags is how many different ones an account may ask for in seven days.
const maxHashtags = 30

// findHashtag asks for the id of the hashtag, once, and each time whether it may be
// asked for: the API keeps the ledger of the week for the whole account, so that all
// items, and other programs, share it.
func (r *reading) findHashtag() error {
	if r.params.Hashtag == "" {
		return nil
	}
	var used edge
	if err := r.get(r.params.User+"/recently_searched_hashtags", url.Values{"limit": {"30"}}, &used); err != nil {
		return err
	}
	if r.cp.Tag != "" && len(used.Data) >= maxHashtags && !slices.Contains(idsOf(used.Data), r.cp.Tag) {
		return tooMany(len(used.Data))
	}
	if r.cp.Tag != "" {
		return nil
	}
	var found edge
	if err := r.get("ig_hashtag_search", url.Values{"user_id": {r.params.User}, "q": {r.params.hashtag()}}, &found); err != nil {
		return err
	}
	if ids := idsOf(found.Data); len(ids) > 0 {
		r.cp.Tag = ids[0]
		return nil
	}
	return harvest.Errorf(harvest.KindBroken, "find hashtag", r.params.hashtag(), "the answer has no id")
}

func tooMany(n int) error {
	e := harvest.Errorf(harvest.KindThrottled, "find hashtag", "", "budget: the account has asked for %d hashtags in seven days", n)
	e.RetryAfter, e.Advice = aDay, adviceHashtags
	return e
}

func idsOf(list []json.RawMessage) (ids []string) {
	for _, raw := range list {
		var p post
		if json.Unmarshal(raw, &p) == nil && p.ID != "" {
			ids = append(ids, p.ID)
		}
	}
	return ids
}
