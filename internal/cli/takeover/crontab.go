package takeover

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
)

// CronJob is one line of a crontab.
type CronJob struct {
	Line     int
	Schedule campaigns.Schedule
	Command  string
	// Off: the line is commented out.
	Off bool
}

// Crontab is what a crontab holds, in its order.
type Crontab struct {
	Jobs []CronJob
	// Notes are lines that are not taken over, each reason once.
	Notes []campaigns.Problem
}

// ReadCrontab reads a crontab, of a user or of the system, in a dialect of
// Dialects. Text around the lines does no harm: what is not a line of a crontab
// is in Notes. CRON_TZ and TZ set the time zone of the lines after them.
func ReadCrontab(file string, text []byte, dialect string) Crontab {
	r := &cronReader{dialect: dialect, notes: grouped{file: file}}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		r.line(n, strings.TrimSpace(line))
	}
	return Crontab{Jobs: r.jobs, Notes: r.notes.problems()}
}

type cronReader struct {
	dialect, zone string
	jobs          []CronJob
	notes         grouped
}

// assignment is NAME=value.
var assignment = regexp.MustCompile(`^([A-Za-z_]\w*)\s*=\s*(.*)$`)

func (r *cronReader) line(n int, text string) {
	if text == "" {
		return
	}
	comment, isComment := strings.CutPrefix(text, "#")
	if isComment {
		r.comment(n, strings.TrimSpace(comment))
		return
	}
	if m := assignment.FindStringSubmatch(text); m != nil {
		r.setting(n, m[1], strings.Trim(m[2], `"'`))
		return
	}
	r.job(n, text)
}

// comment takes a job that was switched off by a #; any other comment says
// nothing to a program.
func (r *cronReader) comment(n int, text string) {
	fields, command, ok := cronFields(text)
	if !ok || !strings.Contains(command, mirScheduler) {
		return
	}
	if s, err := ScheduleIn(r.dialect, fields); err == nil {
		s.TimeZone = r.zone
		r.jobs = append(r.jobs, CronJob{Line: n, Schedule: s, Command: command, Off: true})
	}
}

func (r *cronReader) setting(n int, name, value string) {
	switch name {
	case "CRON_TZ", "TZ":
		r.zone = value
	case "MAILTO":
		if value != "" {
			r.notes.add(n, "MAILTO="+value+": cron's mail is not taken over; say it under notify: {to: \"mailto:"+value+"\", when: [failed, missed]}")
		}
	default:
		r.notes.add(n, "settings of cron's environment are not taken over; the worker has its own")
	}
}

func (r *cronReader) job(n int, text string) {
	fields, command, ok := cronFields(text)
	if !ok {
		r.notes.add(n, "not a line of a crontab")
		return
	}
	s, err := ScheduleIn(r.dialect, fields)
	if err != nil {
		r.notes.add(n, fmt.Sprintf("%s: %v; the line is left out", strings.Join(fields, " "), err))
		return
	}
	s.TimeZone = r.zone
	r.jobs = append(r.jobs, CronJob{Line: n, Schedule: s, Command: command})
}

// cronWord is what a field of a crontab may be made of.
var cronWord = regexp.MustCompile(`^(?i:[0-9*?][0-9*?,/\-#LW]*|(?:sun|mon|tue|wed|thu|fri|sat|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z0-9,/\-#]*)$`)

// cronFields parts the fields of a line, five or one like @daily, from its
// command; false: it is no line of a crontab.
func cronFields(text string) (fields []string, command string, ok bool) {
	wanted := 5
	if strings.HasPrefix(text, "@") {
		wanted = 1
	}
	for range wanted {
		i := strings.IndexAny(text, " \t")
		if i < 0 || wanted == 5 && !cronWord.MatchString(text[:i]) {
			return nil, "", false
		}
		fields = append(fields, text[:i])
		text = strings.TrimLeft(text[i:], " \t")
	}
	return fields, text, text != ""
}
