package main

import "fmt"

// branch is an expression of a type whose parts are at most `depth` deep.
func (g *generator) branch(of kind, depth int) string {
	switch of {
	case boolKind:
		return g.boolean(depth)
	case intKind:
		return g.integer(depth)
	case uintKind:
		return fmt.Sprintf("(%s %s %s)", g.make(uintKind, depth), g.one("+", "-", "*", "/", "%"), g.make(uintKind, depth))
	case doubleKind:
		return g.one(
			fmt.Sprintf("(%s %s %s)", g.make(doubleKind, depth), g.one("+", "-", "*", "/"), g.make(doubleKind, depth)),
			fmt.Sprintf("double(%s)", g.make([]kind{intKind, uintKind, attributeKind}[g.IntN(3)], depth)),
			fmt.Sprintf("%s.asApproximateFloat()", g.make(quantityKind, depth)))
	case stringKind:
		return g.text(depth)
	case bytesKind:
		return g.one(fmt.Sprintf("bytes(%s)", g.make(stringKind, depth)),
			fmt.Sprintf("(%s + %s)", g.make(bytesKind, depth), g.make(bytesKind, depth)))
	case intListKind:
		return g.intList(depth)
	case stringListKind:
		return g.stringList(depth)
	case mapKind:
		return g.mapping(depth)
	case quantityKind:
		// Not the least int64: subtracting it adds it, by a fault of upstream's quantities.
		return fmt.Sprintf("%s.%s(%s)", g.make(quantityKind, depth), g.one("add", "sub"), g.one(g.make(quantityKind, depth), "1", "-5", "100"))
	case durationKind:
		return g.one(fmt.Sprintf("(%s %s %s)", g.make(durationKind, depth), g.one("+", "-"), g.make(durationKind, depth)),
			fmt.Sprintf("(%s - %s)", g.make(timestampKind, depth), g.make(timestampKind, depth)))
	case timestampKind:
		return fmt.Sprintf("(%s + %s)", g.make(timestampKind, depth), g.make(durationKind, depth))
	case optionalKind:
		return g.optional(depth)
	case ipKind:
		return fmt.Sprintf("%s.ip()", g.make(cidrKind, depth))
	case cidrKind:
		return fmt.Sprintf("%s.masked()", g.make(cidrKind, depth))
	default:
		return g.leaf(of)
	}
}

// predicate is name, true or false, of the items of a list; loop adds its macro.
func (g *generator) loop(macro string, list, item kind, depth int, body kind) string {
	over := g.make(list, depth)
	name := g.open(item)
	text := fmt.Sprintf("%s.%s(%s, %s)", over, macro, name, g.make(body, depth))
	g.close(1)
	return text
}

// loopOfTwo is a macro with index and item, or key and value.
func (g *generator) loopOfTwo(macro string, over, first, second kind, depth int, body kind) string {
	range_ := g.make(over, depth)
	a, b := g.open(first), g.open(second)
	text := fmt.Sprintf("%s.%s(%s, %s, %s)", range_, macro, a, b, g.make(body, depth))
	g.close(2)
	return text
}

func (g *generator) comparable() kind {
	return []kind{intKind, intKind, uintKind, doubleKind, stringKind, stringKind, bytesKind, durationKind, timestampKind, boolKind}[g.IntN(10)]
}

func (g *generator) boolean(depth int) string {
	order := g.one("<", "<=", ">", ">=")
	equal := g.one("==", "!=")
	any := kind(g.IntN(int(kindCount)))
	same := g.comparable()
	switch g.IntN(24) {
	case 0, 1:
		return fmt.Sprintf("(%s && %s)", g.make(boolKind, depth), g.make(boolKind, depth))
	case 2, 3:
		return fmt.Sprintf("(%s || %s)", g.make(boolKind, depth), g.make(boolKind, depth))
	case 4:
		return "!" + g.make(boolKind, depth)
	case 5, 6:
		return fmt.Sprintf("(%s %s %s)", g.make(any, depth), equal, g.make(any, depth))
	case 7:
		return fmt.Sprintf("(%s %s %s)", g.make(same, depth), order, g.make(same, depth))
	case 8, 9:
		return fmt.Sprintf("(%s %s %s)", g.make(attributeKind, depth), equal, g.make(g.comparable(), depth))
	case 10:
		return fmt.Sprintf("(%s %s %s)", g.make(attributeKind, depth), order, g.make(g.comparable(), depth))
	case 11:
		return g.loop(g.one("all", "exists", "exists_one"), intListKind, intKind, depth, boolKind)
	case 12:
		return g.loop(g.one("all", "exists", "exists_one"), stringListKind, stringKind, depth, boolKind)
	case 13:
		return g.loopOfTwo(g.one("all", "exists", "existsOne"), mapKind, stringKind, intKind, depth, boolKind)
	case 14:
		return fmt.Sprintf("%s in %s", g.make(intKind, depth), g.make(intListKind, depth))
	case 15:
		return fmt.Sprintf("%s in %s", g.make([]kind{stringKind, attributeKind}[g.IntN(2)], depth), g.make([]kind{stringListKind, mapKind}[g.IntN(2)], depth))
	case 16:
		return fmt.Sprintf("%s.%s(%s)", g.make(stringKind, depth), g.one("startsWith", "endsWith", "contains"), g.make(stringKind, depth))
	case 17:
		return fmt.Sprintf("%s.matches(%s)", g.make([]kind{stringKind, attributeKind}[g.IntN(2)], depth), g.one("'^[a-z]+$'", "'[0-9]'", "'h(1|2)00'", "'('", "'x{2,3}'", "'\\\\d+'"))
	case 18:
		return fmt.Sprintf("%s.%s(%s)", g.make(quantityKind, depth), g.one("isGreaterThan", "isLessThan"), g.make(quantityKind, depth))
	case 19:
		return fmt.Sprintf("%s.%s(%s)", g.make(versionKind, depth), g.one("isGreaterThan", "isLessThan"), g.make([]kind{versionKind, attributeKind}[g.IntN(2)], depth))
	case 20:
		return g.one(g.make(optionalKind, depth)+".hasValue()", g.make(quantityKind, depth)+".isInteger()", g.make(intListKind, depth)+".isSorted()")
	case 21:
		return fmt.Sprintf("sets.%s(%s, %s)", g.one("contains", "intersects", "equivalent"), g.make(intListKind, depth), g.make(intListKind, depth))
	case 22:
		return g.one(fmt.Sprintf("%s.containsIP(%s)", g.make(cidrKind, depth), g.make(ipKind, depth)),
			fmt.Sprintf("%s.%s()", g.make(ipKind, depth), g.one("isLoopback", "isGlobalUnicast", "isLinkLocalMulticast", "isUnspecified")),
			fmt.Sprintf("%s.containsCIDR(%s)", g.make(cidrKind, depth), g.make(cidrKind, depth)))
	default:
		return g.one(fmt.Sprintf("has(%s.a)", g.make(mapKind, depth)), fmt.Sprintf("(type(%s) == %s)", g.make(any, depth), g.one("int", "string", "list", "map", "bool", "double")),
			fmt.Sprintf("format.%s().validate(%s).hasValue()", g.one("dns1123Label", "labelValue", "uuid"), g.make(stringKind, depth)),
			fmt.Sprintf("(dyn(%s) == %s)", g.make(any, depth), g.make(same, depth)))
	}
}

func (g *generator) integer(depth int) string {
	switch g.IntN(14) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", g.make(intKind, depth), g.one("+", "-", "*", "/", "%"), g.make(intKind, depth))
	case 3:
		return fmt.Sprintf("size(%s)", g.make([]kind{stringKind, bytesKind, intListKind, mapKind}[g.IntN(4)], depth))
	case 4:
		return fmt.Sprintf("%s.size()", g.make([]kind{stringKind, stringListKind, attributeKind}[g.IntN(3)], depth))
	case 5:
		return fmt.Sprintf("int(%s)", g.make([]kind{stringKind, doubleKind, attributeKind, timestampKind}[g.IntN(4)], depth))
	case 6:
		return fmt.Sprintf("%s[%s]", g.make(intListKind, depth), g.make(intKind, depth))
	case 7:
		return fmt.Sprintf("%s.%s", g.make(mapKind, depth), g.one("a", "b"))
	case 8:
		return fmt.Sprintf("%s.%s()", g.make(intListKind, depth), g.one("sum", "min", "max"))
	case 9:
		return fmt.Sprintf("%s.%s(%s)", g.make(stringKind, depth), g.one("indexOf", "lastIndexOf"), g.make(stringKind, depth))
	case 10:
		return g.one(fmt.Sprintf("%s.orValue(%s)", g.make(optionalKind, depth), g.make(intKind, depth)), g.make(optionalKind, depth)+".value()")
	case 11:
		return g.one(g.make(quantityKind, depth)+".asInteger()", fmt.Sprintf("%s.compareTo(%s)", g.make(quantityKind, depth), g.make(quantityKind, depth)),
			fmt.Sprintf("sign(%s)", g.make(quantityKind, depth)), g.make(versionKind, depth)+"."+g.one("major", "minor", "patch")+"()")
	case 12:
		return g.one(g.make(timestampKind, depth)+"."+g.one("getHours", "getDayOfMonth", "getFullYear", "getDayOfWeek", "getMonth")+"("+g.one("", "'+02:00'", "'America/New_York'")+")",
			g.make(durationKind, depth)+"."+g.one("getHours", "getMinutes", "getSeconds")+"()")
	default:
		return g.one("-("+g.make(intKind, depth)+")", g.make(cidrKind, depth)+".prefixLength()", g.make(ipKind, depth)+".family()")
	}
}

func (g *generator) text(depth int) string {
	switch g.IntN(11) {
	case 0, 1:
		return fmt.Sprintf("(%s + %s)", g.make(stringKind, depth), g.make(stringKind, depth))
	case 2:
		return fmt.Sprintf("%s.%s()", g.make(stringKind, depth), g.one("lowerAscii", "upperAscii", "trim"))
	case 3:
		return fmt.Sprintf("%s.substring(%s)", g.make(stringKind, depth), g.one("0", "1", "0, 2", g.make(intKind, depth)))
	case 4:
		return fmt.Sprintf("%s.replace(%s, %s)", g.make(stringKind, depth), g.make(stringKind, depth), g.make(stringKind, depth))
	case 5:
		return fmt.Sprintf("%s.join(%s)", g.make(stringListKind, depth), g.one("", "'-'", g.make(stringKind, depth)))
	case 6:
		return fmt.Sprintf("string(%s)", g.make([]kind{intKind, doubleKind, boolKind, attributeKind, durationKind, timestampKind, bytesKind, ipKind}[g.IntN(8)], depth))
	case 7:
		return fmt.Sprintf("%s.charAt(%s)", g.make(stringKind, depth), g.make(intKind, depth))
	case 8:
		return fmt.Sprintf("%s[%s]", g.make(stringListKind, depth), g.one("0", "1", g.make(intKind, depth)))
	case 9:
		return fmt.Sprintf("%s.find('[a-z]+')", g.make(stringKind, depth))
	default:
		return g.one(fmt.Sprintf("'%%s-%%d'.format([%s, %s])", g.make(stringKind, depth), g.make(intKind, depth)), fmt.Sprintf("strings.quote(%s)", g.make(stringKind, depth)))
	}
}

func (g *generator) intList(depth int) string {
	switch g.IntN(9) {
	case 0:
		return fmt.Sprintf("[%s, %s]", g.make(intKind, depth), g.make(intKind, depth))
	case 1:
		return fmt.Sprintf("(%s + %s)", g.make(intListKind, depth), g.make(intListKind, depth))
	case 2:
		return g.loop("map", intListKind, intKind, depth, intKind)
	case 3:
		return g.loop("filter", intListKind, intKind, depth, boolKind)
	case 4:
		return fmt.Sprintf("%s.%s()", g.make(intListKind, depth), g.one("sort", "reverse", "distinct"))
	case 5:
		return g.loopOfTwo("transformList", intListKind, intKind, intKind, depth, intKind)
	case 6:
		return g.loop("sortBy", intListKind, intKind, depth, intKind)
	case 7:
		return fmt.Sprintf("%s.slice(%s)", g.make(intListKind, depth), g.one("0, 1", "1, 2", "2, 1"))
	default:
		return fmt.Sprintf("[?%s, %s]", g.make(optionalKind, depth), g.make(intKind, depth))
	}
}

func (g *generator) stringList(depth int) string {
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("[%s, %s]", g.make(stringKind, depth), g.make(stringKind, depth))
	case 1:
		return fmt.Sprintf("%s.split(%s)", g.make(stringKind, depth), g.one("','", "''", g.make(stringKind, depth)))
	case 2:
		return g.loop("map", stringListKind, stringKind, depth, stringKind)
	case 3:
		return g.loop("filter", mapKind, stringKind, depth, boolKind) + ".sort()"
	default:
		return fmt.Sprintf("%s.findAll('[a-z0-9]')", g.make(stringKind, depth))
	}
}

func (g *generator) mapping(depth int) string {
	switch g.IntN(3) {
	case 0:
		return fmt.Sprintf("{%s: %s, 'a': %s}", g.make(stringKind, depth), g.make(intKind, depth), g.make(intKind, depth))
	case 1:
		return g.loopOfTwo("transformMap", mapKind, stringKind, intKind, depth, intKind)
	default:
		return fmt.Sprintf("{'a': %s, ?'b': %s}", g.make(intKind, depth), g.make(optionalKind, depth))
	}
}

func (g *generator) optional(depth int) string {
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("optional.of(%s)", g.make(intKind, depth))
	case 1:
		return fmt.Sprintf("%s.or(%s)", g.make(optionalKind, depth), g.make(optionalKind, depth))
	case 2:
		return g.loop("optMap", optionalKind, intKind, depth, intKind)
	case 3:
		return g.loop("optFlatMap", optionalKind, intKind, depth, optionalKind)
	default:
		return g.one(g.make(mapKind, depth)+".?a", fmt.Sprintf("%s[?%s]", g.make(intListKind, depth), g.make(intKind, depth)), fmt.Sprintf("%s.%s()", g.make(intListKind, depth), g.one("first", "last")))
	}
}
