package keys

// Tables are the keys of each place, made once for a load.
type Tables struct {
	File, Hosts, Campaign, Entry, Defaults, Columns []Key
	entry                                           map[string]bool
}

// NewTables makes the tables.
func NewTables() *Tables {
	t := &Tables{File: File(), Hosts: Hosts(), Campaign: At(Campaign), Entry: At(Entry), Defaults: At(Defaults), Columns: Columns(), entry: map[string]bool{}}
	for _, k := range t.Entry {
		t.entry[k.Name] = true
	}
	return t
}

// OfEntry reports whether an entry may hold the key.
func (t *Tables) OfEntry(key string) bool { return t.entry[key] }

// IsColumn reports whether a list may hold the column beside params and label.
func (t *Tables) IsColumn(name string) bool {
	_, found := find(t.Columns, name)
	return found
}
