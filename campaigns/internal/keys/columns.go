package keys

// Columns are the columns of a list that are not params, besides label: the policies of
// an item in dotted form.
func Columns() []Key {
	var out []Key
	for _, k := range At(Item) {
		for _, c := range columns(k, k.Name) {
			if c.Name != "label" {
				out = append(out, c)
			}
		}
	}
	return out
}

// columns flattens a key. The word item is left out: every row is one.
func columns(k Key, name string) []Key {
	if k.Value.Map == nil {
		k.Name = name
		return []Key{k}
	}
	var out []Key
	for _, below := range k.Value.Map {
		if below.Name == "item" {
			out = append(out, columns(below, name)...)
			continue
		}
		out = append(out, columns(below, name+"."+below.Name)...)
	}
	return out
}
