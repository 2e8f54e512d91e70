package takeover

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

// VuFind reads the settings of VuFindHarvest (oai.ini, called file in notes)
// and what it keeps beside, in a folder for each section: last_harvest.txt, the
// day from which the next harvest begins, and last_state.txt, which is there
// while a harvest is incomplete: set, resumption token, from and until, divided
// by tabs. It changes nothing.
func VuFind(ini, file string, state fs.FS) Harvest {
	v := &vufind{file: file, state: state, lines: map[string]int{}}
	for _, s := range parseINI(ini, func(line int, text string) { v.note(file, line, text) }) {
		v.section(s)
	}
	return v.Harvest
}

type vufind struct {
	Harvest
	file  string
	state fs.FS
	lines map[string]int // of sections
}

// target is a section while it is read.
type target struct {
	Source
	sets []string
}

func (v *vufind) section(s section) {
	if s.name == "Parent_Config" {
		v.note(v.file, s.line, "settings of a parent file are not read; import that file too")
		return
	}
	if first, twice := v.lines[s.name]; twice {
		v.note(v.file, s.line, fmt.Sprintf("[%s] is also on line %d; only the first is taken", s.name, first))
		return
	}
	v.lines[s.name] = s.line
	t := &target{Source: Source{Key: key(s.name), Prefix: defaultPrefix, Params: map[string]string{}}}
	for _, set := range s.settings {
		v.setting(s.name, t, set)
	}
	if t.URL == "" {
		v.note(v.file, s.line, fmt.Sprintf("[%s] has no address that begins with http; left out", s.name))
		return
	}
	t.From = v.position(s)
	for _, one := range t.sources() {
		v.keep(one)
	}
}

// key is a section's name without what a key must not hold.
func key(name string) string {
	name = strings.Join(strings.Fields(strings.Map(printable, name)), " ")
	if len(name) > 200 {
		return strings.ToValidUTF8(name[:200], "") + "-" + mark(name)
	}
	if name == "" {
		return "source-" + mark(name)
	}
	return name
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\ufffd' {
		return ' '
	}
	return r
}

// sources are one for each set; without any, one for all.
func (t *target) sources() []Source {
	if len(t.sets) < 2 {
		t.Set = strings.Join(t.sets, "")
		return []Source{t.Source}
	}
	var out []Source
	seen := map[string]bool{}
	for _, set := range t.sets {
		if one := t.Source; !seen[set] {
			seen[set] = true
			one.Key, one.Set = key(t.Key+":"+set), set
			out = append(out, one)
		}
	}
	return out
}

func (v *vufind) setting(name string, t *target, s setting) {
	switch strings.TrimSuffix(s.name, "[]") {
	case "url":
		var secret bool
		if t.URL, secret = cleanAddress(s.value); secret {
			v.note(v.file, s.line, fmt.Sprintf("[%s] the address holds a password, which was left out", name))
		}
	case "set":
		if s.value != "" {
			t.sets = append(t.sets, s.value)
		}
	case "metadataPrefix":
		if s.value != "" {
			t.Prefix = s.value
		}
	case "timeout":
		v.timeout(name, s)
	case "from", "until":
		v.bound(name, t, s)
	case "dateGranularity":
		v.granularity(name, t, s)
	default:
		v.loses(name, s)
	}
}

// bound is a day outside of which nothing is harvested.
func (v *vufind) bound(name string, t *target, s setting) {
	switch {
	case s.value == "":
	case moment(s.value) == "":
		v.note(v.file, s.line, fmt.Sprintf("[%s] %s: not a day like 2026-05-01", name, s.name))
	default:
		t.Params[s.name] = s.value
	}
}

// granularity is how a repository writes dates, in the words of OAI-PMH.
func (v *vufind) granularity(name string, t *target, s setting) {
	switch strings.ToLower(s.value) {
	case "", "auto":
	case "yyyy-mm-dd":
		t.Params["granularity"] = "day"
	case "yyyy-mm-ddthh:mm:ssz":
		t.Params["granularity"] = "second"
	default:
		v.note(v.file, s.line, fmt.Sprintf("[%s] dateGranularity: not known; the repository is asked for it", name))
	}
}

// timeout is the longest of all: it is one for the campaign.
func (v *vufind) timeout(name string, s setting) {
	n, err := strconv.Atoi(s.value)
	if err != nil || n <= 0 || n > 24*3600 {
		v.note(v.file, s.line, fmt.Sprintf("[%s] timeout: not a number of seconds", name))
		return
	}
	d := time.Duration(n) * time.Second
	if v.Timeout != 0 && v.Timeout != d {
		v.note(v.file, s.line, fmt.Sprintf("[%s] timeout: one holds for the whole campaign, the longest", name))
	}
	v.Timeout = max(v.Timeout, d)
}

// loses tells of a setting that has no like here. Values are not repeated: some
// are passwords.
func (v *vufind) loses(name string, s setting) {
	bare := strings.TrimSuffix(s.name, "[]")
	text := instead(bare)
	switch {
	case bare == "sslverifypeer":
		if !s.off() {
			return
		}
	case s.off():
		return
	}
	v.note(v.file, s.line, fmt.Sprintf("[%s] %s: %s", name, bare, text))
}

// instead says what there is in the place of a setting.
func instead(name string) string {
	switch name {
	case "combineRecords", "combineRecordsTag":
		return "files are made on the way out: documents export --as files --batch 100"
	case "idPrefix", "idSearch", "idReplace":
		return "documents keep the identifiers of their repository"
	case "injectDate", "injectId", "injectSetName", "injectSetSpec", "injectHeaderElements", "globalSearch", "globalReplace":
		return "records are kept as they came; their headers are in the fields"
	case "harvestedIdLog", "verbose", "badXMLLog":
		return "there is no such log; see documents changes and failures list"
	case "sanitize", "sanitizeRegex":
		return "not taken over; what cannot be read is in failures list"
	case "autosslca", "sslcapath", "sslcafile":
		return "certificates are checked by those of the system"
	case "sslverifypeer":
		return "certificates are always checked; there is no switch"
	case "httpUser", "httpPass":
		return "not taken over; add auth with basic, the password by reference"
	case "stopAfter":
		return "not taken over; for a trial: campaigns try --limit"
	case "proxy_host", "proxy_port", "proxy_user", "proxy_pass", "proxy_auth":
		return "a proxy is the worker's: HTTPS_PROXY in its environment"
	default:
		return "not known"
	}
}

// position is where the next harvest begins: where the last one ended, or, while
// one is not complete, where that began.
func (v *vufind) position(s section) string {
	if !fs.ValidPath(s.name) || s.name == "." {
		v.note(v.file, s.line, fmt.Sprintf("[%s] names no folder: its state was not looked for", s.name))
		return ""
	}
	last := v.lastHarvest(path.Join(s.name, "last_harvest.txt"))
	if started, going := v.lastState(path.Join(s.name, "last_state.txt")); going {
		return started
	}
	return last
}

func (v *vufind) lastHarvest(name string) string {
	text, err := smallFile(v.state, name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			v.note(name, 0, "cannot be read: "+err.Error())
		}
		return ""
	}
	text, _, _ = strings.Cut(text, "\n")
	at := moment(strings.TrimSpace(text))
	if at == "" {
		v.note(name, 1, "not a day like 2026-05-01: begins at the beginning")
	}
	return at
}

// lastState tells that a harvest is incomplete, and from when its records are.
// Its resumption token belongs to that harvester and will have expired.
func (v *vufind) lastState(name string) (from string, going bool) {
	text, err := smallFile(v.state, name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			v.note(name, 0, "cannot be read: "+err.Error())
		}
		return "", false
	}
	parts := strings.Split(strings.TrimRight(text, "\r\n"), "\t")
	if len(parts) < 3 {
		v.note(name, 1, "an incomplete harvest that does not say from when it is: begins at the beginning")
		return "", true
	}
	if from = moment(strings.TrimSpace(parts[2])); from == "" {
		v.note(name, 1, "a harvest from the beginning was not complete: begins at the beginning")
		return "", true
	}
	v.note(name, 1, "a harvest was not complete: its records since "+from+" are asked for again")
	return from, true
}
