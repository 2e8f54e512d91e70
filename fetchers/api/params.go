package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/times"
)

// Params describe an API, and what becomes of its records.
type Params struct {
	URL     string            `json:"url" address:"true" doc:"address of the list of records" required:"true" example:"https://api.example.org/v1/records"`
	Method  string            `json:"method" doc:"how it is asked" enum:"GET,POST" default:"GET"`
	Headers map[string]string `json:"headers" doc:"headers of each request; what signs in is auth, beside params" example:"{X-GitHub-Api-Version: \"2022-11-28\"}"`
	Query   map[string]any    `json:"query" doc:"query parameters; {incremental.start_value} and {incremental.end_value} stand for what is asked for, and a parameter whose value is not known is left out" example:"{per_page: 100}"`
	Body    map[string]any    `json:"body" doc:"POST: the JSON body, with the same placeholders"`
	Format  string            `json:"format" doc:"what comes: json, or xml, which is read as JSON (attributes are @name, text beside elements is #text)" enum:"json,xml" default:"json"`

	DataSelector string            `json:"data_selector" doc:"JSONPath of the records, or of the list of them" default:"$" example:"$.items" extraction:"true"`
	PrimaryKey   string            `json:"primary_key" doc:"JSONPath of a record's id, within the record" required:"true" example:"$.id" extraction:"true"`
	IDPrefix     string            `json:"id_prefix" doc:"text put before every id, where another item has the same ids" extraction:"true"`
	Fields       map[string]string `json:"fields" doc:"name of a field and its JSONPath within the record; title, published, url, body and parent become the document's own; without fields the whole record is kept" extraction:"true" example:"{title: $.title, published: $.created_at}"`
	BodyType     string            `json:"body_type" doc:"media type of the field body" default:"text/plain" extraction:"true"`
	Kind         string            `json:"kind" doc:"kind of the documents" default:"record" extraction:"true"`
	Deleted      string            `json:"deleted" doc:"JSONPath of a flag within the record: where it is set the record was deleted" extraction:"true" example:"$.is_deleted"`
	Zone         string            `json:"zone" doc:"time zone of dates that name none" default:"UTC" example:"Europe/Rome" extraction:"true"`
	Absent       bool              `json:"absent_is_empty" doc:"data_selector finds nothing where there are no records; else that is broken"`
	ErrorPath    string            `json:"error_path" doc:"JSONPath that finds something only in answers with status 200 that are errors" example:"$.error.message"`

	Paginator   *Paginator   `json:"paginator" doc:"how the next page is found: type is single_page, header_link, json_link (next_url_path), cursor (cursor_path, cursor_param), page_number (page_param, base_page, total_path), offset (offset_param, limit_param, total_path); limit and has_more_path"`
	Incremental *Incremental `json:"incremental" doc:"ask only for what changed: cursor_path, start_param, end_param, initial_value, lookback_window, format, row_order"`
	RateLimit   *RateLimit   `json:"rate_limit" doc:"names of the headers remaining and reset, where they are not the usual ones"`
	MaxPages    int          `json:"max_pages" doc:"a list of more pages is broken" default:"10000"`
}

// The types of paginators.
const (
	singlePage = "single_page"
	headerLink = "header_link"
	jsonLink   = "json_link"
	byCursor   = "cursor"
	byPage     = "page_number"
	byOffset   = "offset"
)

// Paginator is how the next page is found.
type Paginator struct {
	Type        string `json:"type" doc:"which way" required:"true" enum:"single_page,header_link,json_link,cursor,page_number,offset"`
	NextURLPath string `json:"next_url_path" doc:"json_link: JSONPath of the next address"`
	CursorPath  string `json:"cursor_path" doc:"cursor: JSONPath of the next cursor"`
	CursorParam string `json:"cursor_param" doc:"cursor: the parameter, or member of the body, that takes it" default:"cursor"`
	PageParam   string `json:"page_param" doc:"page_number: the parameter" default:"page"`
	BasePage    *int   `json:"base_page" doc:"page_number: the first page" default:"1"`
	OffsetParam string `json:"offset_param" doc:"offset: the parameter" default:"offset"`
	LimitParam  string `json:"limit_param" doc:"the parameter of limit" default:"limit"`
	Limit       int    `json:"limit" doc:"how many records a page has; sent as limit_param, and a page with fewer is the last"`
	TotalPath   string `json:"total_path" doc:"JSONPath of how many there are: pages (page_number) or records (offset)"`
	HasMorePath string `json:"has_more_path" doc:"JSONPath of a flag: where it is false the page is the last"`
}

// Incremental is how only what changed is asked for.
type Incremental struct {
	CursorPath   string `json:"cursor_path" doc:"JSONPath of the value that grows, within the record" required:"true"`
	StartParam   string `json:"start_param" doc:"query parameter that takes the highest value known"`
	EndParam     string `json:"end_param" doc:"query parameter for the end of a window"`
	InitialValue string `json:"initial_value" doc:"where a first run begins; absent: everything"`
	Lookback     string `json:"lookback_window" doc:"how far before the highest value known the next run begins, for records that show up late"`
	Format       string `json:"format" doc:"how values are written" default:"as_written" enum:"as_written,rfc3339,date,unix,unix_ms"`
	RowOrder     string `json:"row_order" doc:"desc: the newest come first, and a page with nothing new is the last" enum:"asc,desc"`
}

// RateLimit names headers.
type RateLimit struct {
	Remaining string `json:"remaining" doc:"how many requests are left"`
	Reset     string `json:"reset" doc:"when there are more: Unix seconds, or seconds from now"`
}

// nested checks and decodes a map inside the params as strictly as these.
func nested[T any](name string, raw []byte, into *T) error {
	for _, p := range paramspec.Decode(raw, into) {
		return errors.New(strings.TrimSuffix(name+"."+p.Field, ".") + " " + p.Text)
	}
	return nil
}

// UnmarshalJSON is part of json.Unmarshaler.
func (p *Paginator) UnmarshalJSON(raw []byte) error {
	type plain Paginator
	return nested("paginator", raw, (*plain)(p))
}

// UnmarshalJSON is part of json.Unmarshaler.
func (i *Incremental) UnmarshalJSON(raw []byte) error {
	type plain Incremental
	return nested("incremental", raw, (*plain)(i))
}

// UnmarshalJSON is part of json.Unmarshaler.
func (l *RateLimit) UnmarshalJSON(raw []byte) error {
	type plain RateLimit
	return nested("rate_limit", raw, (*plain)(l))
}

// Validate is part of harvest.Validator.
func (p Params) Validate() error {
	_, err := p.compile()
	return err
}

const defaultPages = 10_000

func (p Params) check() error {
	at, err := url.Parse(p.URL)
	switch {
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "":
		return errors.New("url is not an address that begins with http:// or https://")
	case p.MaxPages < 0:
		return errors.New("max_pages is 0 or more")
	case p.authorizes():
		return errors.New("headers: what signs in stands beside params: auth: { bearer: \"${secret:env:NAME}\" }, or basic, header, oauth2")
	case len(p.Body) > 0 && p.Method != "POST":
		return errors.New("body is for method: POST")
	}
	return errors.Join(p.Paginator.check(), p.Incremental.check(p))
}

// authorizes reports a sign-in among the headers: these go wherever the next page is.
func (p Params) authorizes() bool {
	for name := range p.Headers {
		switch n := strings.ToLower(name); {
		case n == "authorization", n == "proxy-authorization", n == "cookie", strings.Contains(n, "api-key"), strings.Contains(n, "apikey"), strings.Contains(n, "token"):
			return true
		}
	}
	return false
}

func (p *Paginator) check() error {
	need := func(name, value string) error {
		if value != "" {
			return nil
		}
		return fmt.Errorf("paginator.%s is required for type %s", name, p.Type)
	}
	switch {
	case p == nil:
		return nil
	case p.Limit < 0 || p.BasePage != nil && *p.BasePage < 0:
		return errors.New("paginator.limit and paginator.base_page are 0 or more")
	case p.Type == jsonLink:
		return need("next_url_path", p.NextURLPath)
	case p.Type == byCursor:
		return need("cursor_path", p.CursorPath)
	case p.Type == byOffset && p.Limit == 0:
		return need("limit", "")
	}
	return nil
}

func (i *Incremental) check(p Params) error {
	if i == nil {
		return nil
	}
	if i.Lookback != "" {
		if _, err := times.ParseDuration(i.Lookback); err != nil {
			return fmt.Errorf("incremental.lookback_window: %w", err)
		}
	}
	if i.StartParam != "" && p.uses(startHolder) {
		return errors.New("incremental.start_param and " + startHolder + ": one of them")
	}
	return nil
}

// The placeholders of query and body.
const (
	startHolder = "{incremental.start_value}"
	endHolder   = "{incremental.end_value}"
)

// uses reports a placeholder in query or body.
func (p Params) uses(holder string) bool {
	raw, _ := json.Marshal([]any{p.Query, p.Body}) // they were read from JSON
	return strings.Contains(string(raw), holder)
}

// plan is Params ready for use. It is read only.
type plan struct {
	Params
	data, key, deleted, failed path
	next, cursor, total, more  path
	grows                      path
	fields                     []field
	lookback                   time.Duration
	zone                       *time.Location
	asks                       bool // the API is asked for what is new; else it is picked out here
	most                       int
	remaining, reset           []string
}

type field struct {
	name string
	at   path
}

func (p Params) compile() (*plan, error) {
	out := &plan{Params: p, most: defaultPages, zone: time.UTC}
	if err := p.check(); err != nil {
		return nil, err
	}
	if p.MaxPages > 0 {
		out.most = p.MaxPages
	}
	if out.Paginator == nil {
		out.Paginator = &Paginator{Type: singlePage}
	}
	errs := []error{out.compilePaths(), out.compileFields(), out.inZone()}
	if i := p.Incremental; i != nil {
		out.lookback, _ = times.ParseDuration(i.Lookback) // it was checked
		out.asks = i.StartParam != "" || p.uses(startHolder)
	}
	out.remaining, out.reset = limitHeaders(p.RateLimit)
	return out, errors.Join(errs...)
}

func (out *plan) compilePaths() error {
	inc := out.Incremental
	if inc == nil {
		inc = &Incremental{}
	}
	data := out.DataSelector
	if data == "" {
		data = "$"
	}
	var errs []error
	for _, c := range []struct {
		name, text string
		into       *path
	}{
		{"data_selector", data, &out.data},
		{"primary_key", out.PrimaryKey, &out.key},
		{"deleted", out.Deleted, &out.deleted},
		{"error_path", out.ErrorPath, &out.failed},
		{"paginator.next_url_path", out.Paginator.NextURLPath, &out.next},
		{"paginator.cursor_path", out.Paginator.CursorPath, &out.cursor},
		{"paginator.total_path", out.Paginator.TotalPath, &out.total},
		{"paginator.has_more_path", out.Paginator.HasMorePath, &out.more},
		{"incremental.cursor_path", inc.CursorPath, &out.grows},
	} {
		var err error
		*c.into, err = compilePath(c.name, c.text)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (out *plan) compileFields() error {
	var errs []error
	for name, text := range out.Fields {
		at, err := compilePath("fields."+name, text)
		if errs = append(errs, err); at.zero() && err == nil {
			errs = append(errs, fmt.Errorf("fields.%s has no path", name))
		}
		out.fields = append(out.fields, field{name, at})
	}
	slices.SortFunc(out.fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	return errors.Join(errs...)
}

// made is the fingerprint of what decides which records there are.
func (p Params) made() (string, error) {
	var cursor, start string
	if p.Incremental != nil {
		cursor, start = p.Incremental.CursorPath, p.Incremental.InitialValue
	}
	way := singlePage
	if p.Paginator != nil {
		way = p.Paginator.Type
	}
	return harvest.Fingerprint([]any{p.URL, p.Method, p.Query, p.Body, p.Format, p.DataSelector, p.PrimaryKey, p.IDPrefix, way, cursor, start})
}
