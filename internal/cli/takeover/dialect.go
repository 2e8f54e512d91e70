package takeover

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/registry"
)

// The dialects of crontab lines.
const (
	// Vixie is crontab(5): names, lists, ranges, steps; both day fields mean OR.
	Vixie = "vixie"
	// DragonMantank is the PHP library of recruiter: as Vixie, and L, W, # and ?.
	DragonMantank = "dragonmantank"
	// LocalIndices is the harvester of the same name: a number or * in each field,
	// compared as text; both day fields mean AND.
	LocalIndices = "localindices"
)

// Dialects returns the dialects that ScheduleIn reads.
func Dialects() []string { return []string{Vixie, DragonMantank, LocalIndices} }

// ScheduleIn reads the fields of a line as their own system does, and returns
// the schedule that fires at the same times. The error says which line never
// fires there, or cannot be said here.
func ScheduleIn(dialect string, fields []string) (campaigns.Schedule, error) {
	if fields[0] == "@reboot" {
		return campaigns.Schedule{}, errors.New("there is no such moment here: a campaign without a schedule runs by hand")
	}
	switch dialect {
	case Vixie:
		return campaigns.ParseSchedule(strings.Join(fields, " "))
	case DragonMantank:
		return dragonMantank(fields)
	case LocalIndices:
		return registry.ParseAnd(fields)
	}
	return campaigns.Schedule{}, fmt.Errorf("dialect %q: one of %s", dialect, strings.Join(Dialects(), ", "))
}

// dragonMantank has ? for *, and three letters that crontab does not have.
func dragonMantank(fields []string) (campaigns.Schedule, error) {
	own := make([]string, len(fields))
	for i, f := range fields {
		upper := strings.ToUpper(f)
		if len(fields) == 5 && (strings.Contains(upper, "#") || i == 2 && strings.ContainsAny(upper, "LW") || i == 4 && strings.HasSuffix(upper, "L")) {
			return campaigns.Schedule{}, fmt.Errorf("%s: L (last), W (nearest weekday) and # (n-th weekday) cannot be said here; write the days out", f)
		}
		own[i] = f
		if f == "?" {
			own[i] = "*"
		}
	}
	return campaigns.ParseSchedule(strings.Join(own, " "))
}
