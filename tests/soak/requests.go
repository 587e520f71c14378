package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// forged is what hostile clients would like to see at the start of a line of the log.
const forged = "FORGED"

// badRequest is a request that has to be refused. Its bytes are made anew for each use.
type badRequest struct {
	kind   string
	make   func(host string) []byte
	status []int
	// early: refused before a handler saw it, so that outrigger_http_requests_refused_total counts.
	early bool
}

func fixed(request string) func(string) []byte {
	return func(host string) []byte { return []byte(strings.ReplaceAll(request, "HOST", host)) }
}

// withBody is a well-formed call whose body is what is wrong.
func withBody(body func() string) func(string) []byte {
	return func(host string) []byte {
		text := body()
		return fmt.Appendf(nil, "POST /safe/filter HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", host, len(text), text)
	}
}

func constant(text string) func() string { return func() string { return text } }

const start = "POST /safe/filter HTTP/1.1\r\nHost: HOST\r\n"

var badRequests = []badRequest{
	{"garbage", garbage, []int{400, 431, 501, 505}, true},
	{"raw control characters in the target", fixed("POST /\x1b[31m\x01 HTTP/1.1\r\nHost: HOST\r\n\r\n"), []int{400}, true},
	{"TLS or HTTP/2 where HTTP/1.1 is spoken", fixed("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), []int{400, 505}, true},
	{"100 KB of one header", largeHeader, []int{431}, true},
	{"300 headers", manyHeaders, []int{431}, true},
	{"20 KB of target", func(host string) []byte {
		return fmt.Appendf(nil, "GET /%s HTTP/1.1\r\nHost: %s\r\n\r\n", strings.Repeat("a", 20_000), host)
	}, []int{414}, true},
	{"gzip", fixed(start + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08"), []int{415}, true},
	{"Expect: something else", fixed(start + "Expect: miracles\r\nContent-Length: 2\r\n\r\n{}"), []int{417}, true},
	{"1 GB announced", fixed(start + "Content-Length: 1073741824\r\n\r\n"), []int{413}, true},
	{"length and chunks", fixed(start + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), []int{400}, true},
	{"two lengths", fixed(start + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"), []int{400}, true},
	{"negative chunk", fixed(start + "Transfer-Encoding: chunked\r\n\r\n-5\r\nabcde\r\n0\r\n\r\n"), []int{400}, true},
	{"chunk beyond 64 bits", fixed(start + "Transfer-Encoding: chunked\r\n\r\n1ffffffffffffffff\r\nabc"), []int{400, 413}, true},
	{"chunk of 1 GB announced", fixed(start + "Transfer-Encoding: chunked\r\n\r\n40000000\r\nabc"), []int{413}, true},
	{"chunk without its end", fixed(start + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcXX0\r\n\r\n"), []int{400}, true},
	{"no Host", fixed("POST /safe/filter HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"), []int{400}, true},
	{"folded header", fixed("POST /safe/filter HTTP/1.1\r\nHost: HOST\r\nX: a\r\n\tContent-Length: 5\r\nContent-Length: 0\r\n\r\n"), []int{400}, false},
	{"unknown path with escapes", fixed("POST /x%0d%0a" + forged + "\x22\\u001b HTTP/1.1\r\nHost: HOST\r\nREMOTE_ADDR: " + forged + "\r\n\r\n"), []int{400, 404}, false},
	{"another method", fixed("DELETE /safe/filter HTTP/1.1\r\nHost: HOST\r\n\r\n"), []int{405}, false},
	{"no body", withBody(constant("")), []int{400}, false},
	{"no JSON", withBody(constant("\x1b[2J\n" + forged + "\xff\xfe")), []int{400}, false},
	{"cut JSON", withBody(constant(`{"Pod":{"metadata":{"name":"a"}},"NodeNames":["a`)), []int{400}, false},
	{"deep nesting", withBody(func() string { return `{"Pod":{"spec":` + strings.Repeat("[", 200_000) }), []int{400}, false},
	{"deep nesting, closed", withBody(func() string {
		return `{"Pod":{"spec":` + strings.Repeat(`{"a":`, 50_000) + "1" + strings.Repeat("}", 50_000) + "}}"
	}), []int{400}, false},
	{"a wrong type", withBody(constant(`{"Pod":{"metadata":{"name":"` + forged + `"},"spec":{"containers":"\n` + forged + `"}},"NodeNames":[]}`)), []int{400}, false},
	{"a key twice", withBody(constant(`{"Pod":{"metadata":{}},"Pod":{"metadata":{}},"NodeNames":[]}`)), []int{400}, false},
	{"escapes in names and values", withBody(poison), []int{200}, false},
}

func garbage(string) []byte {
	noise := make([]byte, 1+rand.IntN(2000))
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	noise[0] = 0xfe // no method begins so
	return append(noise, "\r\n\r\n"...)
}

func largeHeader(host string) []byte {
	return fmt.Appendf(nil, "POST /safe/filter HTTP/1.1\r\nHost: %s\r\nX: %s\r\n\r\n", host, strings.Repeat("x", 100_000))
}

func manyHeaders(host string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "POST /safe/filter HTTP/1.1\r\nHost: %s\r\n", host)
	for i := range 300 {
		fmt.Fprintf(&out, "X-%d: %s\r\n", i, forged)
	}
	out.WriteString("\r\n")
	return out.Bytes()
}

// poison is a good call with texts, never twice the same, that would break a log or a terminal.
func poison() string {
	evil := fmt.Sprintf(`%d\u001b[31m\r\n%s\u0000\u2028\u009b\"\\`, rand.Uint64(), forged)
	return `{"Pod":{"metadata":{"name":"` + evil + `","namespace":"` + evil + `"}},"Nodes":{"items":[{"metadata":{"name":"` +
		evil + `","annotations":{"mean-free-cpu":"` + evil + `"}},"status":{"allocatable":{"cpu":"` + evil + `"}}}]}}`
}
