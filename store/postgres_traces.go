package store

func packColumns() []column[pack] {
	return []column[pack]{
		integers("id", func(p *pack) int64 { return p.id }),
		integers("live", func(p *pack) int64 { return int64(p.used) }),
		bytesOf("content", func(p *pack) []byte { return p.content }),
	}
}

func ledgerColumns() []column[exchangeRow] {
	return []column[exchangeRow]{
		integers("run", func(x *exchangeRow) int64 { return x.run }),
		integers("ord", func(x *exchangeRow) int64 { return x.ord }),
		integers("seq", func(x *exchangeRow) int64 { return int64(x.seq) }),
		integers("attempt", func(x *exchangeRow) int64 { return int64(x.attempt) }),
		integers("item", func(x *exchangeRow) int64 { return x.item }),
		integers("at", func(x *exchangeRow) int64 { return micros(x.At) }),
		integers("status", func(x *exchangeRow) int64 { return int64(x.Status) }),
		integers("bytes", func(x *exchangeRow) int64 { return x.Bytes }),
		integers("took", func(x *exchangeRow) int64 { return x.Took.Microseconds() }),
		integers("waited", func(x *exchangeRow) int64 { return x.Waited.Microseconds() }),
		integers("retry_after", func(x *exchangeRow) int64 { return x.RetryAfter.Microseconds() }),
		texts("method", func(x *exchangeRow) string { return x.Method }),
		texts("url", func(x *exchangeRow) string { return x.URL }),
		texts("host", func(x *exchangeRow) string { return x.Host }),
		texts("kind", func(x *exchangeRow) string { return string(x.Kind) }),
		texts("error", func(x *exchangeRow) string { return x.Error }),
		texts("raw", func(x *exchangeRow) string { return x.Raw }),
		texts("note", func(x *exchangeRow) string { return x.Note }),
		texts("worker", func(x *exchangeRow) string { return x.worker }),
	}
}

func rejectColumns() []column[rejectRow] {
	return []column[rejectRow]{
		integers("item", func(r *rejectRow) int64 { return r.item }),
		texts("lane", func(r *rejectRow) string { return r.lane }),
		texts("name", func(r *rejectRow) string { return r.name }),
		integers("run", func(r *rejectRow) int64 { return r.run }),
		integers("seq", func(r *rejectRow) int64 { return int64(r.seq) }),
		integers("at", func(r *rejectRow) int64 { return r.at }),
		integers("since", func(r *rejectRow) int64 { return r.at }),
		texts("kind", func(r *rejectRow) string { return string(r.kind) }),
		texts("record", func(r *rejectRow) string { return r.ID }),
		texts("place", (*rejectRow).place),
		texts("reason", func(r *rejectRow) string { return r.Reason }),
		integers("size", func(r *rejectRow) int64 { return int64(len(r.Bytes)) }),
		bytesOf("bytes", (*rejectRow).content),
	}
}
