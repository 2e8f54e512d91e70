package yamltree

import (
	"bytes"
	"regexp"
	"strings"
)

// shift is where characters were put in, so that places on the rest of the
// line can be told as the person sees them.
type shift struct{ line, column, by int }

// bare finds what people write first and YAML refuses: a cron line that begins
// with *, and words that begin with @.
var bare = regexp.MustCompile(`(^\s*-\s+|[:,]\s+|[\[{]\s*)(\*(?:/\d+)?(?:[ \t]+[0-9A-Za-z*/,?-]+){4}|@[A-Za-z0-9_]+)`)

// quoteBare quotes such text, so that the rest of the file can be checked, and reports
// it. It is only used for text that is not valid YAML.
func quoteBare(file string, data []byte) ([]byte, []shift, []Error) {
	var shifts []shift
	var errs []Error
	lines := bytes.Split(data, []byte("\n"))
	for i, line := range lines {
		var out []byte
		end := 0
		for _, m := range bare.FindAllSubmatchIndex(line, -1) {
			from, to := m[4], m[4]+len(bytes.TrimRight(line[m[4]:m[5]], ","))
			if bytes.Contains(line[:from], []byte(" #")) || from < end {
				continue
			}
			at := Pos{File: file, Line: i + 1, Column: len([]rune(string(line[:from]))) + 1}
			errs = append(errs, Error{at, bareText(keyBefore(string(line[:m[4]])), string(line[from:to]))})
			shifts = append(shifts, shift{i + 1, at.Column + 2*len(shiftsOn(shifts, i+1)), 2})
			out = append(append(append(out, line[end:from]...), '"'), append(line[from:to:to], '"')...)
			end = to
		}
		lines[i] = append(out, line[end:]...)
	}
	return bytes.Join(lines, []byte("\n")), shifts, errs
}

func shiftsOn(shifts []shift, line int) []shift {
	var on []shift
	for _, s := range shifts {
		if s.line == line {
			on = append(on, s)
		}
	}
	return on
}

func keyBefore(text string) string {
	text = strings.TrimRight(text, " \t")
	key, isKey := strings.CutSuffix(text, ":")
	if !isKey {
		return ""
	}
	return key[strings.LastIndexAny(key, " \t{,")+1:]
}

// bareText is the message: where, what, and two ways to write it.
func bareText(key, text string) string {
	prefix := ""
	if key != "" {
		prefix = key + ": "
	}
	if strings.HasPrefix(text, "@") {
		return prefix + "text that starts with @ must be in quotes: " + prefix + `"` + text + `"`
	}
	out := prefix + "a cron line that starts with * must be in quotes: " + prefix + `"` + text + `"`
	if words := asWords(text); words != "" && key == "schedule" {
		out += "   or: " + words
	}
	return out
}

// asWords says a simple cron line in the schedule's own words.
func asWords(cron string) string {
	f := strings.Fields(cron)
	if len(f) != 5 || strings.Join(f[1:], " ") != "* * * *" {
		return ""
	}
	if f[0] == "*" {
		return "every 1m"
	}
	return "every " + strings.TrimPrefix(f[0], "*/") + "m"
}
