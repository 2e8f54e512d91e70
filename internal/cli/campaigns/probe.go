package campaigns

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/source"
	"github.com/vendemmia/vendemmia/internal/cli/survey"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// probeWidth is how wide the table of a survey may be.
const probeWidth = 100

// ProbedItem is one item of the files and what its address answers.
type ProbedItem struct {
	Item    string         `json:"item"`
	Fetcher string         `json:"fetcher"`
	Address string         `json:"address"`
	Answers string         `json:"answers"` // yes, no, or "-" where nothing is to be asked
	Facts   []harvest.Fact `json:"facts,omitempty"`
	TLS     string         `json:"tls,omitempty"`
	FirstMS int64          `json:"first_ms,omitempty"`
	Kind    harvest.Kind   `json:"kind,omitempty"`
	Wrong   string         `json:"wrong,omitempty"` // in a word or two
	Why     string         `json:"why,omitempty"`

	name   units.Item
	answer survey.Answer
	target int // place among what is asked; -1: not asked
}

// surveyor collects what is to be asked: each address once, however many items
// ask it.
type surveyor struct {
	*program.Program
	network *source.NetworkFlags
	hosts   []campaigns.Host
	items   []ProbedItem
	targets []survey.Target
	asked   map[survey.Target]int
	hidden  secrets.Found
	hides   *secrets.Growing  // of hidden, and of what sign-ins are granted
	auths   map[string]signIn // by their JSON
}

// signIn is a sign-in as the file has it, and with values.
type signIn struct{ written, resolved *visit.Auth }

// probe asks the addresses of all items of the files.
func (c *campaignsValidate) probe(ctx context.Context, l *campaigns.Loaded) error {
	v := &surveyor{Program: c.Program, network: &c.network, hosts: l.Hosts, asked: map[survey.Target]int{}, auths: map[string]signIn{}}
	for _, s := range l.Campaigns {
		for _, e := range s.Campaign.Entries {
			for _, row := range rowsOf(s, e) {
				if err := v.add(s.Campaign.Name, e, row); err != nil {
					return err
				}
			}
		}
	}
	if len(v.items) == 0 {
		return program.Usage("campaigns validate --probe: there are no items in %s", strings.Join(l.Files, ", "))
	}
	answers, err := v.ask(ctx)
	if err != nil {
		return err
	}
	v.judge(answers)
	v.sort()
	return v.tell()
}

// add takes an item in; an entry that asks its source for items is one.
func (v *surveyor) add(campaign string, e campaigns.Entry, row campaigns.Row) error {
	params, err := e.ItemParams(row, nil)
	if err != nil {
		return err
	}
	kind, err := v.Env.Fetchers.Find(e.Fetcher)
	if err != nil {
		return err
	}
	it := ProbedItem{Fetcher: kind.Name, Answers: "-", target: -1, name: units.Item{Campaign: campaign, Entry: e.Name}}
	if it.name.Key, err = e.ItemKey(params, kind.Identity, row); err != nil {
		return err
	}
	address, why := v.address(params)
	auth, unknown := v.signIn(e)
	why = cmp.Or(why, unknown)
	if _, ok := kind.New(nil).(harvest.Prober); !ok {
		why = "its fetcher cannot say what is at an address"
	}
	if it.Address = harvest.Redact(address); why != "" {
		it.Wrong, it.Why = "not checked", why
		v.items = append(v.items, it)
		return nil
	}
	t := survey.Target{Fetcher: kind.Name, Address: address, Host: hostName(address), Auth: auth}
	at, known := v.asked[t]
	if !known {
		at = len(v.targets)
		v.asked[t] = at
		v.targets = append(v.targets, t)
	}
	it.target = at
	v.items = append(v.items, it)
	return nil
}

// signIn has the sign-in of an entry ready and returns its name, "" for none, and why it
// cannot be used.
func (v *surveyor) signIn(e campaigns.Entry) (name, why string) {
	if e.Auth == nil {
		return "", ""
	}
	raw, err := json.Marshal(e.Auth)
	if err != nil {
		return "", err.Error()
	}
	resolved, hidden, err := source.ResolveAuth(v.Program, e.Auth)
	if err != nil {
		return "", err.Error()
	}
	v.hidden = append(v.hidden, hidden...)
	v.auths[string(raw)] = signIn{e.Auth, resolved}
	return string(raw), ""
}

// address is the param url, else the first that is an address.
func (v *surveyor) address(params json.RawMessage) (address, why string) {
	whole, hidden, err := source.ResolveSecrets(v.Program, params)
	if err != nil {
		return "", err.Error()
	}
	v.hidden = append(v.hidden, hidden...)
	var values map[string]any
	if err := json.Unmarshal(whole, &values); err != nil {
		return "", err.Error()
	}
	names := []string{"url"}
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names[1:])
	for _, name := range names {
		if text, ok := values[name].(string); ok && hostName(text) != "" {
			return text, ""
		}
	}
	return "", "none of its params is an address"
}

func hostName(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return polite.Host(u)
}

func (v *surveyor) ask(ctx context.Context) ([]survey.Answer, error) {
	client, err := source.PoliteBy(v.Program, v.network, v.rule)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	bar, start := watch.NewProgress(v.Program), v.Env.Now()
	done := func(n int) {
		if bar.Screen {
			total := int64(len(v.targets))
			bar.Show("  "+print.Bar(int64(n), total)+"  "+print.Number(n)+" of "+print.Count(total, "address")+" asked", print.Watch(v.Env.Now().Sub(start)))
		}
	}
	v.hides = secrets.NewGrowing(v.hidden)
	answers := survey.Ask(ctx, v.targets, func(t survey.Target, wrap func(*http.Client) *http.Client, record func(visit.Exchange)) harvest.Prober {
		kind, err := v.Env.Fetchers.Find(t.Fetcher)
		program.Must(err)
		visitor := v.network.Visitor(kind, record)
		visitor.Auth, visitor.Granted = v.auths[t.Auth].resolved, v.hides.Granted
		return kind.New(wrap(client.HTTP(visitor))).(harvest.Prober)
	}, done)
	bar.Clear()
	return answers, ctx.Err()
}

// rule is what the files say of a host.
func (v *surveyor) rule(host string) polite.Rule {
	var out polite.Rule
	for _, h := range v.hosts {
		if h.Name == host || h.Name == "*" && out == (polite.Rule{}) {
			out = polite.Rule{Every: h.Every, Connections: h.Connections, Robots: h.Robots, CA: h.CA}
		}
	}
	return out
}

// judge says what is wrong with each item.
func (v *surveyor) judge(answers []survey.Answer) {
	names, mask := v.short(), v.hides.Mask()
	for i := range v.items {
		it := &v.items[i]
		it.Item = names[i]
		if it.target < 0 {
			it.Why = mask.Text(it.Why)
			continue
		}
		it.answer = answers[it.target]
		it.answer.Err = v.auths[v.targets[it.target].Auth].written.Explain(it.answer.Err)
		it.Answers, it.Facts, it.TLS, it.FirstMS = "yes", it.answer.Facts, it.answer.TLS, it.answer.First.Milliseconds()
		for i := range it.Facts {
			it.Facts[i].Value = mask.Text(it.Facts[i].Value)
		}
		it.Address = mask.Text(it.Address)
		it.Wrong, it.Why = it.verdict()
		it.Why = mask.Text(it.Why)
	}
}

// verdict is what is wrong, in a word and in full.
func (it *ProbedItem) verdict() (word, why string) {
	if err := it.answer.Err; err != nil {
		it.Answers, it.Kind = "no", harvest.KindOf(err)
		if it.TLS == survey.BadCertificate {
			return survey.BadCertificate, harvest.AsError(err).Error()
		}
		return strings.ReplaceAll(string(it.Kind), "_", " "), harvest.AsError(err).Error()
	}
	detail := cmp.Or(it.answer.Detail, "it answers something else")
	switch {
	case it.answer.Sure == 0:
		return "not " + it.Fetcher, detail
	case it.answer.Sure < 80:
		return "doubtful", detail
	default:
		return "", ""
	}
}

// short names items by their keys where these are enough.
func (v *surveyor) short() []string {
	count := map[string]int{}
	for _, it := range v.items {
		count[it.name.Key]++
	}
	out := make([]string, len(v.items))
	for i, it := range v.items {
		if out[i] = it.name.Key; count[it.name.Key] > 1 {
			out[i] = it.name.String()
		}
	}
	return out
}

// sort puts what is wrong on top: first what does not answer.
func (v *surveyor) sort() {
	rank := func(it ProbedItem) int {
		switch {
		case it.Answers == "no":
			return 0
		case it.Answers == "yes" && it.Wrong != "":
			return 1
		case it.Wrong != "":
			return 2
		default:
			return 3
		}
	}
	slices.SortStableFunc(v.items, func(a, b ProbedItem) int {
		return cmp.Or(cmp.Compare(a.Fetcher, b.Fetcher), cmp.Compare(rank(a), rank(b)), strings.Compare(a.Item, b.Item))
	})
}

func (v *surveyor) tell() error {
	list := v.Out.List()
	well, wrong, not := 0, 0, 0
	for _, it := range v.items {
		list.Add(it)
		switch {
		case it.Answers == "-":
			not++
		case it.Wrong != "":
			wrong++
		default:
			well++
		}
	}
	list.End()
	if v.Out.People() {
		v.screen()
		v.Out.Printf("%s: %s ok, %s with problems, %s not checked\n", print.Count(len(v.items), "item"), print.Number(well), print.Number(wrong), print.Number(not))
	}
	if wrong > 0 {
		return program.Quiet(program.ExitError)
	}
	return nil
}
