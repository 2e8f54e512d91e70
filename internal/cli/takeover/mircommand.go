package takeover

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// mirScheduler is the script of Mir that a crontab starts.
const mirScheduler = "mir-acq-scheduler.pl"

// mirCommand is what a line tells Mir to start.
type mirCommand struct {
	campaigns, fetchers []string
	processors          int
	params              string // as it is written
	// odd are words that are not taken over.
	odd []string
}

// mirCommandOf reads a command; false: it does not start Mir's scheduler.
func mirCommandOf(command string) (mirCommand, bool) {
	for command != "" {
		words, rest := shellWords(command)
		at := slices.IndexFunc(words, func(w string) bool { return path.Base(w) == mirScheduler })
		if at >= 0 {
			c := mirFlags(words[at+1:])
			if rest != "" {
				c.odd = append(c.odd, rest)
			}
			return c, true
		}
		command = strings.TrimLeft(rest, "<>|;&% \t")
		if strings.HasPrefix(rest, "<") || strings.HasPrefix(rest, ">") || strings.HasPrefix(rest, "%") {
			return mirCommand{}, false
		}
	}
	return mirCommand{}, false
}

func mirFlags(words []string) (c mirCommand) {
	for i := 0; i < len(words); i++ {
		name, value, has := strings.Cut(words[i], "=")
		if !has && i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
			i++
			value = words[i]
		}
		c.flag(name, value)
	}
	return c
}

// flag takes one flag, by the names of the documentation and of the code.
func (c *mirCommand) flag(name, value string) {
	switch name {
	case "--campaign":
		c.campaigns = append(c.campaigns, value)
	case "--fetcher":
		c.fetchers = append(c.fetchers, value)
	case "--params", "--fetcher-params", "--fetcher_params":
		c.params = value
	case "--processors":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			c.odd = append(c.odd, fmt.Sprintf("--processors %s: not a number from 1 up", value))
			return
		}
		c.processors = n
	default:
		c.odd = append(c.odd, strings.TrimSpace(name+" "+value))
	}
}
