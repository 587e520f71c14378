package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// kind is a type of the language, as far as the generator tells them apart.
type kind int

const (
	boolKind kind = iota
	intKind
	uintKind
	doubleKind
	stringKind
	bytesKind
	intListKind
	stringListKind
	mapKind
	attributeKind
	quantityKind
	versionKind
	durationKind
	timestampKind
	optionalKind
	ipKind
	cidrKind
	kindCount
)

// generator makes expressions that mostly compile: each is built by the type that is wanted, and now
// and then another type, or a broken character, is put in.
type generator struct {
	*rand.Rand
	scope []variable
	names int
}

type variable struct {
	name string
	kind kind
}

// expression is the next one, of at most a few hundred characters.
func (g *generator) expression() string {
	g.scope, g.names = nil, 0
	text := g.make(boolKind, 1+g.IntN(5))
	switch g.IntN(40) {
	case 0:
		text = g.make(attributeKind, 2)
	case 1:
		text = g.make(kind(g.IntN(int(kindCount))), 2)
	case 2, 3:
		text = g.broken(text)
	case 4:
		text = "// " + g.word() + "\n" + text
	}
	return text
}

// broken changes one character, or writes all from one on in capitals.
func (g *generator) broken(text string) string {
	const characters = "()[]{}.,:?!+-*/%&|<>='\"`$@ \n1ax"
	before := []rune(text)
	i := g.IntN(len(before))
	rest := string(before[i:])
	switch g.IntN(3) {
	case 0:
		rest = string(before[i+1:])
	case 1:
		rest = string(characters[g.IntN(len(characters))]) + rest
	default:
		rest = strings.ToUpper(rest)
	}
	return string(before[:i]) + rest
}

func (g *generator) one(choices ...string) string { return choices[g.IntN(len(choices))] }

func (g *generator) word() string {
	return g.one("a", "b", "h200", "A100", "gpu", "pci0000:17", "x,y,z", "é", "", "Hello World", "10.0.0.1", "true", "17")
}

func (g *generator) quoted(text string) string { return "'" + text + "'" }

func (g *generator) number() string {
	return g.one("0", "1", "2", "3", "7", "17", "100", "-1", "-5", "9223372036854775807", "-9223372036854775808", "0x1F")
}

// make is an expression of a type; deeper ones have parts.
func (g *generator) make(of kind, depth int) string {
	if g.IntN(60) == 0 {
		of = kind(g.IntN(int(kindCount)))
	}
	if local := g.local(of); local != "" && g.IntN(3) == 0 {
		return local
	}
	if depth <= 0 {
		return g.leaf(of)
	}
	if g.IntN(12) == 0 {
		return fmt.Sprintf("(%s ? %s : %s)", g.make(boolKind, depth-1), g.make(of, depth-1), g.make(of, depth-1))
	}
	if g.IntN(25) == 0 {
		return g.bound(of, depth)
	}
	return g.branch(of, depth-1)
}

func (g *generator) bound(of kind, depth int) string {
	held := []kind{intKind, stringKind, intListKind, mapKind}[g.IntN(4)]
	value := g.make(held, depth-1)
	name := g.open(held)
	text := fmt.Sprintf("cel.bind(%s, %s, %s)", name, value, g.make(of, depth-1))
	g.close(1)
	return text
}

func (g *generator) open(of kind) string {
	g.names++
	name := fmt.Sprintf("v%d", g.names)
	g.scope = append(g.scope, variable{name, of})
	return name
}

func (g *generator) close(count int) { g.scope = g.scope[:len(g.scope)-count] }

func (g *generator) local(of kind) string {
	var fitting []string
	for _, each := range g.scope {
		if each.kind == of {
			fitting = append(fitting, each.name)
		}
	}
	if len(fitting) == 0 {
		return ""
	}
	return g.one(fitting...)
}

func (g *generator) leaf(of kind) string {
	switch of {
	case boolKind:
		return g.one("true", "false", "device.allowMultipleAllocations", "has(device.attributes['gpu.example.com'].numa)",
			"'gpu.example.com' in device.attributes", "bool('true')", "isSemver('1.2.3')", "isIP('1.2.3')", "isQuantity('1Gi')")
	case intKind:
		return g.number()
	case uintKind:
		return g.one("0u", "1u", "7u", "18446744073709551615u")
	case doubleKind:
		return g.one("0.0", "1.5", "-2.25", "1e3", ".5", "1e308")
	case stringKind:
		if g.IntN(4) == 0 {
			return "device.driver"
		}
		return g.quoted(g.word())
	case bytesKind:
		return g.one("b'abc'", "b''", "b'\\xff'", "bytes('é')")
	case intListKind:
		return g.one("[]", "[1]", "[1, 2, 3]", "[3, 1, 2, 3]", "lists.range(4)")
	case stringListKind:
		return g.one("['a']", "['b', 'a']", "['h200', 'A100']", "'x,y'.split(',')")
	case mapKind:
		return g.one("{}", "{'a': 1}", "{'a': 1, 'b': 2}", "{'b': -1, 'c': 3, 'a': 0}")
	case attributeKind:
		return g.attribute()
	case quantityKind:
		return g.one("quantity('1')", "quantity('1.5')", "quantity('80Gi')", "quantity('500m')", "quantity('bad')",
			"device.capacity['gpu.example.com'].memory", "device.capacity['gpu.example.com'].cores")
	case versionKind:
		return g.one("semver('1.2.3')", "semver('1.2.3-rc.1')", "semver('2.0.0+b1')", "semver('v1.2', true)", "semver('1')")
	case durationKind:
		return g.one("duration('1h')", "duration('90s')", "duration('-1.5s')", "duration('0')")
	case timestampKind:
		return g.one("timestamp('2024-04-30T23:30:00Z')", "timestamp(0)", "timestamp('2024-01-01T00:00:00.5+02:00')")
	case optionalKind:
		return g.one("optional.of(1)", "optional.none()", "{'a': 1}.?a", "[1, 2][?5]", "[4][?0]")
	case ipKind:
		return g.one("ip('10.0.0.1')", "ip('::1')", "ip('224.0.0.5')")
	default:
		return g.one("cidr('10.0.0.0/8')", "cidr('10.1.2.3/16')", "cidr('::/64')")
	}
}

// attribute selects an attribute of the device, present or not, of any type.
func (g *generator) attribute() string {
	domain := g.one("gpu.example.com", "gpu.example.com", "gpu.example.com", "pcie.example.org", "net.example.net", "big.example.com", "absent.example.com")
	id := g.one("model", "numa", "healthy", "version", "uuid", "root", "speed", "rdma", "max", "text", "absent")
	switch g.IntN(6) {
	case 0:
		return fmt.Sprintf("device.attributes['%s']['%s']", domain, id)
	case 1:
		return fmt.Sprintf("device.attributes['%s'].?%s.orValue(%s)", domain, id, g.number())
	case 2:
		return fmt.Sprintf("device.attributes[device.driver].%s", id)
	default:
		return fmt.Sprintf("device.attributes['%s'].%s", domain, id)
	}
}
