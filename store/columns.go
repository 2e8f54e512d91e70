package store

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// column is one column of rows on their way to PostgreSQL: as an array for a
// statement over many rows, or as bytes of COPY's binary format.
type column[T any] struct {
	name, kind string
	counted    bool // below zero it counts from the last change number on
	array      func([]T) any
	put        func([]byte, *T) []byte
}

func arrayOf[T, V any](of func(*T) V) func([]T) any {
	return func(list []T) any {
		values := make([]V, len(list))
		for i := range list {
			values[i] = of(&list[i])
		}
		return values
	}
}

func integers[T any](name string, of func(*T) int64) column[T] {
	return column[T]{name: name, kind: "bigint", array: arrayOf(of), put: func(b []byte, r *T) []byte {
		return putInteger(b, of(r))
	}}
}

// changes are change numbers. What is below zero is counted back from the number
// of the last change, -1, when it is written.
func changes[T any](name string, of func(*T) int64) column[T] {
	c := integers(name, of)
	c.counted = true
	return c
}

func putInteger(b []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, 8), uint64(n))
}

func smalls[T any](name string, of func(*T) int16) column[T] {
	return column[T]{name: name, kind: "smallint", array: arrayOf(of), put: func(b []byte, r *T) []byte {
		return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint32(b, 2), uint16(of(r)))
	}}
}

// maybes are integers that may be missing.
func maybes[T any](name string, of func(*T) any) column[T] {
	return column[T]{name: name, kind: "bigint", array: arrayOf(of), put: func(b []byte, r *T) []byte {
		if n, ok := of(r).(int64); ok {
			return putInteger(b, n)
		}
		return putNull(b)
	}}
}

func putNull(b []byte) []byte { return binary.BigEndian.AppendUint32(b, 1<<32-1) }

// texts are made such as the server takes them.
func texts[T any](name string, of func(*T) string) column[T] {
	cleaned := func(r *T) string { return clean(of(r)) }
	return column[T]{name: name, kind: "text", array: arrayOf(cleaned), put: func(b []byte, r *T) []byte {
		text := cleaned(r)
		return append(binary.BigEndian.AppendUint32(b, uint32(len(text))), text...)
	}}
}

func bytesOf[T any](name string, of func(*T) []byte) column[T] {
	return column[T]{name: name, kind: "bytea", array: arrayOf(of), put: func(b []byte, r *T) []byte {
		content := of(r)
		if content == nil {
			return putNull(b)
		}
		return append(binary.BigEndian.AppendUint32(b, uint32(len(content))), content...)
	}}
}

// names lists the columns.
func names[T any](columns []column[T]) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name
	}
	return strings.Join(list, ", ")
}

// fromRows is the table k of a statement over many rows; its arguments begin at
// $1.
func fromRows[T any](columns []column[T]) string {
	list, real, counted := make([]string, len(columns)), make([]string, len(columns)), false
	for i, c := range columns {
		list[i], real[i] = fmt.Sprintf("$%d::%s[]", i+1, c.kind), "u."+c.name
		if c.counted {
			real[i] = fmt.Sprintf("CASE WHEN u.%[1]s < 0 THEN s.value + 1 + u.%[1]s ELSE u.%[1]s END AS %[1]s", c.name)
			counted = true
		}
	}
	table := "unnest(" + strings.Join(list, ", ") + ") AS "
	if !counted {
		return table + "k(" + names(columns) + ")"
	}
	return "(SELECT " + strings.Join(real, ", ") + " FROM " + table + "u(" + names(columns) + "), sequences s WHERE s.name = 'change') AS k"
}

// assignments sets columns of a table to those of k.
func assignments[T any](columns []column[T]) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.name + " = k." + c.name
	}
	return strings.Join(list, ", ")
}

// arrays are the arguments of fromRows.
func arrays[T any](columns []column[T], list []T) []any {
	args := make([]any, len(columns))
	for i, c := range columns {
		args[i] = c.array(list)
	}
	return args
}

// copyHeader begins COPY's binary format, copyEnd ends it.
const (
	copyHeader = "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	copyEnd    = "\xff\xff"
)

// copyRows writes rows in COPY's binary format.
func copyRows[T any](b []byte, columns []column[T], list []T) []byte {
	b = append(b, copyHeader...)
	for i := range list {
		b = binary.BigEndian.AppendUint16(b, uint16(len(columns)))
		for k := range columns {
			b = columns[k].put(b, &list[i])
		}
	}
	return append(b, copyEnd...)
}
