package einvoice

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxBytes is how large an invoice may be. A line of one takes about 2 KB and 40
// elements.
const MaxBytes = 16 << 20

const (
	mostNodes = 400_000
	mostDepth = 40
)

var (
	errNoInvoice = errors.New("the XML is no invoice of a kind that is known")
	errTooLarge  = errors.New("the XML is larger than any invoice")
)

// node is an element. Names are without their namespaces: prefixes and versions
// differ from one standard's edition to the next, the elements do not.
type node struct {
	name       string
	attributes []xml.Attr
	text       string // without white space around it
	letters    []byte // of the text, until it is whole
	children   []*node
}

// parseTree reads a document whole. Entities other than XML's own five are an
// error, so that there is nothing to blow up.
func parseTree(document []byte) (*node, error) {
	if len(document) > MaxBytes {
		return nil, errTooLarge
	}
	decoder := xml.NewDecoder(bytes.NewReader(document))
	decoder.CharsetReader = charset
	top := &node{}
	open := []*node{top}
	for nodes := 0; ; {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading the XML: %w", err)
		}
		last := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			if nodes++; nodes > mostNodes || len(open) > mostDepth {
				return nil, errTooLarge
			}
			child := &node{name: token.Name.Local, attributes: token.Attr}
			last.children = append(last.children, child)
			open = append(open, child)
		case xml.EndElement:
			if last.name != token.Name.Local || len(open) == 1 {
				return nil, fmt.Errorf("reading the XML: <%s> is closed as </%s>", last.name, token.Name.Local)
			}
			last.text, last.letters = string(bytes.TrimSpace(last.letters)), nil
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 1 && len(last.children) == 0 { // between elements there is only white space
				last.letters = append(last.letters, token...)
			}
		}
	}
	if len(open) > 1 || len(top.children) != 1 {
		return nil, fmt.Errorf("reading the XML: it ends early: %w", io.ErrUnexpectedEOF)
	}
	return top.children[0], nil
}

// charset reads the old encoding that some programs still write. All others but
// UTF-8 are refused.
func charset(name string, in io.Reader) (io.Reader, error) {
	if name = strings.ToLower(name); name != "iso-8859-1" && name != "us-ascii" {
		return nil, fmt.Errorf("unknown encoding %q", name)
	}
	raw, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	letters := make([]rune, len(raw))
	for n, b := range raw {
		letters[n] = rune(b)
	}
	return strings.NewReader(string(letters)), nil
}

// all gives the elements at the end of a path. Paths are names with slashes
// between them; a name may have others after a bar, as in "A|B/C".
func (n *node) all(path string) []*node {
	at := []*node{n}
	for step := range strings.SplitSeq(path, "/") {
		var next []*node
		for _, parent := range at {
			for _, child := range parent.children {
				for name := range strings.SplitSeq(step, "|") {
					if child.name == name {
						next = append(next, child)
					}
				}
			}
		}
		at = next
	}
	return at
}

// one gives the first element at the end of a path, an empty one if there is
// none.
func (n *node) one(path string) *node {
	if found := n.all(path); len(found) > 0 {
		return found[0]
	}
	return &node{}
}

// get gives the first text that there is at the end of one of the paths.
func (n *node) get(paths ...string) string {
	for _, path := range paths {
		for _, found := range n.all(path) {
			if found.text != "" {
				return found.text
			}
		}
	}
	return ""
}

// lines gives all texts at the ends of the paths, each on a line of its own.
func (n *node) lines(paths ...string) string {
	var texts []string
	for _, path := range paths {
		for _, found := range n.all(path) {
			if found.text != "" {
				texts = append(texts, found.text)
			}
		}
	}
	return strings.Join(texts, "\n")
}

// with gives the first of some elements that has an attribute of that value.
func with(nodes []*node, name string, values ...string) *node {
	for _, value := range values {
		for _, n := range nodes {
			if n.attribute(name) == value {
				return n
			}
		}
	}
	return &node{}
}

func (n *node) attribute(name string) string {
	for _, a := range n.attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
