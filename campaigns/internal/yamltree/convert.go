package yamltree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// converter turns the parser's tree into ours.
type converter struct {
	file    string
	shifts  []shift
	errors  []Error
	anchors map[string]*Node
	// weight counts the nodes below one, aliases multiplied out.
	weight map[*Node]int
	full   bool // maxNodes was passed
}

func (c *converter) fail(at Pos, format string, args ...any) *Node {
	c.errors = append(c.errors, Error{at, fmt.Sprintf(format, args...)})
	return &Node{Pos: at, Kind: Null}
}

func (c *converter) document(f *ast.File) *Node {
	var docs []ast.Node
	for _, d := range f.Docs {
		if _, directive := d.Body.(*ast.DirectiveNode); d.Body != nil && !directive {
			docs = append(docs, d.Body)
		}
	}
	if len(docs) == 0 {
		return &Node{Pos: Pos{File: c.file, Line: 1}, Kind: Null}
	}
	if len(docs) > 1 {
		c.fail(c.node(docs[1], 0).Pos, "a second document (after ---); put it into a file of its own")
	}
	return c.node(docs[0], 0)
}

func (c *converter) node(n ast.Node, depth int) *Node {
	if n == nil {
		return &Node{Pos: Pos{File: c.file}, Kind: Null}
	}
	at := c.at(n.GetToken())
	if depth > maxDepth {
		return c.fail(at, "nested too deeply")
	}
	out := c.shape(n, at, depth)
	c.weigh(out)
	return out
}

func (c *converter) shape(n ast.Node, at Pos, depth int) *Node {
	switch n := n.(type) {
	case *ast.MappingNode:
		return c.mapping(n.Values, at, n.IsFlowStyle, depth)
	case *ast.MappingValueNode:
		return c.mapping([]*ast.MappingValueNode{n}, at, false, depth)
	case *ast.SequenceNode:
		out := &Node{Pos: at, Kind: List}
		for _, item := range n.Values {
			out.Items = append(out.Items, c.node(item, depth+1))
		}
		return out
	case *ast.AnchorNode:
		value := c.node(n.Value, depth+1)
		c.anchors[n.Name.GetToken().Value] = value
		return value
	case *ast.AliasNode:
		return c.alias(n, at)
	case *ast.TagNode:
		return c.tag(n, at, depth)
	default:
		return c.scalar(n, at)
	}
}

func (c *converter) scalar(n ast.Node, at Pos) *Node {
	text := strings.TrimSpace(n.GetToken().Value)
	switch n := n.(type) {
	case *ast.NullNode:
		return &Node{Pos: at, Kind: Null}
	case *ast.BoolNode:
		return &Node{Pos: at, Kind: Bool, Text: text}
	case *ast.IntegerNode:
		if d := decimal(fmt.Sprint(n.Value)); d != "" {
			return &Node{Pos: at, Kind: Int, Text: d}
		}
		return &Node{Pos: at, Kind: Text, Text: text}
	case *ast.FloatNode:
		return &Node{Pos: at, Kind: Float, Text: text}
	case *ast.StringNode:
		return &Node{Pos: at, Kind: Text, Text: n.Value}
	case *ast.LiteralNode:
		return &Node{Pos: at, Kind: Text, Text: n.Value.Value}
	case *ast.InfinityNode, *ast.NanNode:
		return &Node{Pos: at, Kind: Text, Text: text}
	default:
		return c.fail(at, "YAML that a campaign file has no use for (%s)", n.Type())
	}
}

func (c *converter) alias(n *ast.AliasNode, at Pos) *Node {
	name := n.Value.GetToken().Value
	if value, ok := c.anchors[name]; ok {
		return value
	}
	return c.fail(at, "*%s points to no anchor &%s before it; text that starts with * must be in quotes", name, name)
}

func (c *converter) tag(n *ast.TagNode, at Pos, depth int) *Node {
	tag := n.GetToken().Value
	value := c.node(n.Value, depth+1)
	switch {
	case tag == "!!str" && value.IsScalar():
		return &Node{Pos: value.Pos, Kind: Text, Text: value.Text}
	case strings.HasPrefix(tag, "!!"):
		return value
	default:
		return c.fail(at, "the tag %s means nothing here; leave it out", tag)
	}
}

func (c *converter) mapping(values []*ast.MappingValueNode, at Pos, flow bool, depth int) *Node {
	out := &Node{Pos: at, Kind: Map}
	if !flow && len(values) > 0 {
		out.Pos = c.at(values[0].Key.GetToken())
	}
	seen := make(map[string]Pos, len(values))
	var merged []*Node
	for _, v := range values {
		if v.Key.IsMergeKey() {
			merged = append(merged, c.mergeSources(v, depth)...)
			continue
		}
		key, keyAt := c.key(v.Key), c.at(v.Key.GetToken())
		if first, twice := seen[key]; twice {
			c.fail(keyAt, "%s stands here twice; the first is on line %d", key, first.Line)
			continue
		}
		seen[key] = keyAt
		out.Members = append(out.Members, Member{Key: key, At: keyAt, Value: c.node(v.Value, depth+1)})
	}
	for _, m := range merged {
		out.inherit(m, seen)
	}
	return out
}

// inherit takes what a merge key brings: keys that are not there yet.
func (n *Node) inherit(from *Node, seen map[string]Pos) {
	for _, m := range from.Members {
		if _, known := seen[m.Key]; !known {
			seen[m.Key] = m.At
			n.Members = append(n.Members, m)
		}
	}
}

func (c *converter) mergeSources(v *ast.MappingValueNode, depth int) []*Node {
	value := c.node(v.Value, depth+1)
	sources := []*Node{value}
	if value.IsList() {
		sources = value.Items
	}
	if slices.ContainsFunc(sources, func(s *Node) bool { return !s.IsMap() }) {
		c.fail(c.at(v.Key.GetToken()), "<< takes a map or a list of maps, such as <<: *common")
		return nil
	}
	return sources
}

func (c *converter) key(k ast.MapKeyNode) string {
	switch k := k.(type) {
	case *ast.StringNode:
		return k.Value
	case *ast.MappingKeyNode:
		if s, ok := k.Value.(*ast.StringNode); ok {
			return s.Value
		}
		c.fail(c.at(k.GetToken()), "a key must be one word")
	}
	return strings.TrimSpace(k.GetToken().Value)
}

// weigh keeps aliases of aliases of aliases from growing without end.
func (c *converter) weigh(n *Node) {
	if _, known := c.weight[n]; known {
		return
	}
	w := 1
	for _, item := range n.Items {
		w += c.weight[item]
	}
	for _, m := range n.Members {
		w += c.weight[m.Value]
	}
	if w > maxNodes {
		if !c.full {
			c.fail(n.Pos, "aliases multiply this to more than %d values", maxNodes)
		}
		c.full, n.Items, n.Members, w = true, nil, nil, 1
	}
	c.weight[n] = w
}
