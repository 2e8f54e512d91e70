package takeover

import "strings"

// shellWords parts a command as a shell does: blanks part words, quotes and
// backslashes keep them together. It ends at what is no longer the command
// (> | ; & and, in a crontab, %), which it returns as rest.
func shellWords(command string) (words []string, rest string) {
	var word strings.Builder
	open, quote := false, byte(0)
	end := func() {
		if open {
			words = append(words, word.String())
		}
		word.Reset()
		open = false
	}
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(command):
			i++
			word.WriteByte(command[i])
			open = true
		case quote != 0 && c != '%':
			word.WriteByte(c)
		case c == '"' || c == '\'':
			quote, open = c, true
		case c == ' ' || c == '\t':
			end()
		case strings.IndexByte("<>|;&%", c) >= 0:
			if strings.Trim(word.String(), "0123456789") == "" {
				open = false // the 2 of 2>
			}
			end()
			return words, strings.TrimSpace(command[i:])
		default:
			word.WriteByte(c)
			open = true
		}
	}
	end()
	return words, ""
}
