package oai

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Handler answers at Path, and at Path/fault/NAME, whatever the host it is
// asked by.
func (r *Repository) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(Path, r.serve)
	mux.HandleFunc(Path+"/fault/{fault}", r.serve)
	return mux
}

// call is one request: what a fault works on.
type call struct {
	house    *Repository
	w        http.ResponseWriter
	r        *http.Request
	args     url.Values
	verb     string
	now      time.Time // by the repository's clock
	epoch    int
	fault    Fault
	query    query // of a verb that lists
	problems []problem
	note     *Request
}

// maxForm bounds the body of a POST.
const maxForm = 64 << 10

func (r *Repository) serve(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodGet && req.Method != http.MethodPost {
		http.Error(w, "OAI-PMH knows GET and POST", http.StatusMethodNotAllowed)
		return
	}
	c := &call{house: r, w: w, r: req}
	c.read()
	if !c.begin() {
		http.Error(w, "no fault "+req.PathValue("fault"), http.StatusNotFound)
		return
	}
	a := c.answer()
	if c.fault.send != nil {
		c.fault.send(c, a)
		return
	}
	c.send(a)
}

// read takes the arguments from the query, or from the form of a POST.
func (c *call) read() {
	text := c.r.URL.RawQuery
	if c.r.Method == http.MethodPost {
		c.r.Body = http.MaxBytesReader(c.w, c.r.Body, maxForm)
		if err := c.r.ParseForm(); err != nil {
			c.problems = []problem{{"badArgument", "the form cannot be read"}}
		}
		c.args = maps.Clone(c.r.PostForm)
	} else {
		var err error
		if c.args, err = url.ParseQuery(text); err != nil {
			c.problems = []problem{{"badArgument", "the arguments cannot be read"}}
		}
	}
	c.verb = c.args.Get("verb")
	if c.args.Has("resumptionToken") {
		c.args.Set("resumptionToken", plain(c.args.Get("resumptionToken")))
	}
}

// begin books the request and finds its fault; false when the base URL names
// none that there is.
func (c *call) begin() bool {
	house := c.house
	house.mu.RLock()
	c.now, c.epoch = house.clock, house.epoch
	house.mu.RUnlock()
	house.desk.Lock()
	defer house.desk.Unlock()
	c.enter()
	ok := true
	list := c.faultOfList()
	switch name := c.r.PathValue("fault"); {
	case name != "":
		c.fault, ok = named(house.faults, name)
	case len(house.coming) > 0:
		c.fault, house.coming = house.coming[0], house.coming[1:]
	case list != "":
		if c.fault, ok = named(house.faults, list); !ok {
			c.problems, ok = []problem{{"badArgument", "there is no fault " + list}}, true
		}
	default:
		c.fault = house.fault
	}
	c.note.Fault = c.fault.Name
	return ok
}

// faultOfList is the fault that a list was asked for by.
func (c *call) faultOfList() string {
	if t, ok := decode(c.args.Get("resumptionToken")); ok {
		return t.fault
	}
	name, ok := strings.CutPrefix(c.args.Get("set"), faultSet)
	if !ok {
		return ""
	}
	return name
}

// answer is what is to be sent, the fault's doing included.
func (c *call) answer() *answer {
	key := c.cacheKey()
	if a := c.house.cached(key); a != nil {
		return a
	}
	c.parse()
	if c.fault.before != nil {
		if a := c.fault.before(c); a != nil {
			return a
		}
	}
	a := c.right()
	if c.fault.after != nil {
		a = c.fault.after(c, a)
	}
	a.compress(c.r)
	c.house.keep(key, a)
	return a
}

// parse checks verb and arguments.
func (c *call) parse() {
	v, known := verbs()[c.verb]
	switch {
	case !known || len(c.args["verb"]) != 1:
		c.problems = []problem{{"badVerb", "the verb is missing, doubled or unknown"}}
	case len(c.problems) == 0:
		c.problems = v.check(c.args)
	}
	if len(c.problems) == 0 && v.list {
		c.house.mu.RLock()
		defer c.house.mu.RUnlock()
		c.query, c.problems = c.ask()
	}
}

// cacheKey is "" for what must not be kept.
func (c *call) cacheKey() string {
	if c.house.config.CachePages == 0 || c.fault.Name != "" {
		return ""
	}
	key := c.r.Host + " " + c.args.Encode()
	if takesGzip(c.r) {
		key = "gzip " + key
	}
	return key
}

func (r *Repository) cached(key string) *answer {
	if key == "" {
		return nil
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.cache[key]
}

func (r *Repository) keep(key string, a *answer) {
	if key == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.cache) < r.config.CachePages {
		r.cache[key] = a
	}
}
