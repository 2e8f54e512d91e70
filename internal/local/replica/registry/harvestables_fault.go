package registry

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
)

// EmptyHarvestables lists nothing.
func EmptyHarvestables() Fault {
	return xmls(harvestablesPath, func([]byte) []byte { return []byte(`<harvestables start="0" max="100" count="0"></harvestables>`) })
}

// InsteadOfHarvestables lists what it is given.
func InsteadOfHarvestables(body string) Fault {
	return xmls(harvestablesPath, func([]byte) []byte { return []byte(body) })
}

// Cut leaves out the end of what is listed.
func Cut() Fault {
	return xmls(harvestablesPath, func(body []byte) []byte { return body[:len(body)*2/3] })
}

// UnreadableRecord gives one job a record that breaks off.
func UnreadableRecord(id string) Fault {
	return xmls(harvestablesPath+id+"/", func(body []byte) []byte { return body[:len(body)/2] })
}

// FailingRecord answers 500 where one job's record is asked for.
func FailingRecord(id string) Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		if r.URL.Path == harvestablesPath+id+"/" {
			http.Error(w, "null", http.StatusInternalServerError)
			return
		}
		right.ServeHTTP(w, r)
	}
}

// AfterTheList answers 503 to everything but the list.
func AfterTheList() Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		if r.URL.Path != harvestablesPath {
			http.Error(w, "down for maintenance", http.StatusServiceUnavailable)
			return
		}
		right.ServeHTTP(w, r)
	}
}

// ListedTwice lists one job a second time, with another lastUpdated.
func ListedTwice(id string) Fault {
	return xmls(harvestablesPath, func(body []byte) []byte {
		again := `<harvestableBrief><id>` + id + `</id><lastUpdated>2020-02-02T02:02:02Z</lastUpdated></harvestableBrief></harvestables>`
		text := strings.Replace(string(body), "</harvestables>", again, 1)
		count := strings.Count(text, "<harvestableBrief")
		return []byte(strings.Replace(text, ` count="`+strconv.Itoa(count-1)+`"`, ` count="`+strconv.Itoa(count)+`"`, 1))
	})
}

// Shorter counts more jobs than it lists.
func Shorter() Fault {
	return xmls(harvestablesPath, func(body []byte) []byte { return bytes.Replace(body, []byte(` count="`), []byte(` count="1`), 1) })
}

// xmls changes what is answered to a GET of a path.
func xmls(path string, change func([]byte) []byte) Fault {
	return func(w http.ResponseWriter, r *http.Request, right http.Handler) {
		if r.Method != http.MethodGet || r.URL.Path != path {
			right.ServeHTTP(w, r)
			return
		}
		kept := httptest.NewRecorder()
		right.ServeHTTP(kept, r)
		w.Header().Set("Content-Type", "application/xml")
		_, _ = w.Write(change(kept.Body.Bytes())) // whoever is gone misses it
	}
}
