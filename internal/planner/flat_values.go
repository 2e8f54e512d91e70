package planner

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/retry"
)

// add walks a Go value by its JSON names.
func (f flat) add(path string, v reflect.Value) {
	if text, is := scalarWords(v); is {
		f.set(path, text)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			f.add(path, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if name != "" && name != "-" {
				f.add(join(path, name), v.Field(i))
			}
		}
	case reflect.Map:
		raw, err := json.Marshal(v.Interface())
		if err == nil {
			f.json(path, raw)
		}
	case reflect.Slice:
		for i := range v.Len() {
			f.add(join(path, strconv.Itoa(i+1)), v.Index(i))
		}
	}
}

// scalarWords writes what is shown as one value.
func scalarWords(v reflect.Value) (string, bool) {
	switch x := v.Interface().(type) {
	case time.Duration:
		if x == 0 {
			return "", true
		}
		return durationWords(x), true
	case campaigns.Count:
		return countWords(x), true
	case campaigns.Allowance:
		return fmt.Sprintf("%s %d/%s", x.What, x.N, x.Per), true
	case retry.AgeStep:
		return durationWords(x.Until) + ": " + durationWords(x.Wait), true
	case []string:
		return strings.Join(x, ", "), true
	}
	switch v.Kind() {
	case reflect.String:
		return v.String(), true
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		if v.IsZero() {
			return "", true
		}
		return fmt.Sprint(v.Interface()), true
	}
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String {
		words := make([]string, v.Len())
		for i := range words {
			words[i] = v.Index(i).String()
		}
		return strings.Join(words, ", "), true
	}
	return "", false
}

func countWords(c campaigns.Count) string {
	switch {
	case c.Share > 0:
		return strconv.FormatFloat(c.Share*100, 'g', 6, 64) + "%"
	case c.N > 0:
		return strconv.Itoa(c.N)
	}
	return ""
}

// json walks a JSON value; lists of scalars are one value.
func (f flat) json(path string, raw json.RawMessage) {
	var v any
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	if d.Decode(&v) == nil {
		f.any(path, v)
	}
}

func (f flat) any(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			f.any(join(path, name), member)
		}
	case nil:
	case string:
		if v == "" {
			v = `""`
		}
		f.set(path, v)
	case []any:
		raw, err := json.Marshal(v)
		if err == nil {
			f.set(path, string(raw))
		}
	default:
		f.set(path, fmt.Sprint(v))
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// durationWords writes 1h30m, 14d.
func durationWords(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	if day := 24 * time.Hour; d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
