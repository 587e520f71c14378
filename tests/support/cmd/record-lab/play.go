package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

const protobufType = "application/vnd.kubernetes.protobuf"

// patience is how long a request waits for the answer that its `Until` names.
const patience = 20 * time.Second

type player struct {
	host   string
	client *http.Client
	served served
}

func newPlayer(config *rest.Config, served served) (*player, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return &player{config.Host, client, served}, nil
}

// An answer, as a file of answers has it.
type answer struct {
	Name        string   `json:"name"` // sequence/request
	Code        int      `json:"code"`
	ContentType string   `json:"contentType"`
	Warnings    []string `json:"warnings,omitempty"`
	RetryAfter  string   `json:"retryAfter,omitempty"`
	Request     []byte   `json:"request,omitempty"` // what was sent, where a test cannot make it
	Body        any      `json:"body,omitempty"`
	Events      []any    `json:"events,omitempty"`

	plain any // Body, before it is normalised
}

// play returns the answers to a sequence, a line each.
func (p *player) play(ctx context.Context, subject string, sequence sequence) ([][]byte, error) {
	namespace := subject + "-" + sequence.name
	setUp := request{method: "POST", path: "/api/v1/namespaces",
		body: fmt.Sprintf(`{"metadata":{"name":%q}}`, namespace)}
	if made, _, err := p.send(ctx, setUp); err != nil || made.Code != http.StatusCreated {
		return nil, fmt.Errorf("namespace %s: %v %v", namespace, made, err)
	}
	earlier := map[string]any{"ns": namespace}
	normal := newNormaliser(p.served)
	var lines [][]byte
	for _, request := range sequence.requests {
		answer, err := p.ask(ctx, request, earlier)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", request.name, err)
		}
		earlier[request.name] = answer.plain
		answer.Name = sequence.name + "/" + request.name
		answer.Body = normal.value(answer.Body)
		for i, event := range answer.Events {
			answer.Events[i] = normal.value(event)
		}
		line, err := marshal(answer)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return out.Bytes(), err
}

// ask sends a request, again and again if the answer comes only when something has been noticed.
func (p *player) ask(ctx context.Context, r request, earlier map[string]any) (answer, error) {
	r, err := fill(r, earlier)
	if err != nil {
		return answer{}, err
	}
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		got, raw, err := p.send(ctx, r)
		until := r.headers["Until"]
		if err != nil || until == "" || strconv.Itoa(got.Code) == until || strings.Contains(raw, until) {
			return got, err
		}
		if time.Now().After(end) {
			return got, fmt.Errorf("no answer %s: %v", until, got)
		}
	}
}

var placeholder = regexp.MustCompile(`\$\{([^}]*)\}`)

// fill replaces the placeholders of a request.
func fill(r request, earlier map[string]any) (request, error) {
	var failed error
	replace := func(text string) string {
		return placeholder.ReplaceAllStringFunc(text, func(whole string) string {
			value, err := valueOf(whole[2:len(whole)-1], earlier)
			if err != nil {
				failed = err
			}
			return value
		})
	}
	r.path, r.body = replace(r.path), replace(r.body)
	return r, failed
}

// valueOf reads NAME/path/in/its/answer, perhaps with +NUMBER behind it, or repeat:TEXT:COUNT.
func valueOf(text string, earlier map[string]any) (string, error) {
	if repeated, found := strings.CutPrefix(text, "repeat:"); found {
		what, count, _ := strings.Cut(repeated, ":")
		n, err := strconv.Atoi(count)
		return strings.Repeat(what, n), err
	}
	path, more, _ := strings.Cut(text, "+")
	steps := strings.Split(path, "/")
	value := earlier[steps[0]]
	for _, step := range steps[1:] {
		switch parent := value.(type) {
		case map[string]any:
			value = parent[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(parent) {
				return "", fmt.Errorf("${%s}: no element %s", text, step)
			}
			value = parent[i]
		}
	}
	found, ok := value.(string)
	if !ok {
		return "", fmt.Errorf("${%s}: no such text in an earlier answer", text)
	}
	if more == "" {
		return found, nil
	}
	base, err := strconv.Atoi(found)
	if err != nil {
		return "", err
	}
	plus, err := strconv.Atoi(more)
	return strconv.Itoa(base + plus), err
}

func (p *player) send(ctx context.Context, r request) (got answer, raw string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	contentType := r.headers["Content-Type"]
	if contentType == "" && r.body != "" {
		contentType = "application/json"
	}
	body := []byte(r.body)
	if contentType == protobufType {
		if body, err = toProtobuf(body); err != nil {
			return got, "", err
		}
		got.Request = body
	}
	asked, err := http.NewRequestWithContext(ctx, r.method, p.host+r.path, bytes.NewReader(body))
	if err != nil {
		return got, "", err
	}
	if contentType != "" {
		asked.Header.Set("Content-Type", contentType)
	}
	if accept := r.headers["Accept"]; accept != "" {
		asked.Header.Set("Accept", accept)
	}
	response, err := p.client.Do(asked)
	if err != nil {
		return got, "", err
	}
	defer response.Body.Close()
	got.Code = response.StatusCode
	got.ContentType = response.Header.Get("Content-Type")
	got.Warnings = response.Header.Values("Warning")
	got.RetryAfter = response.Header.Get("Retry-After")
	if count := r.headers["Events"]; count != "" && got.Code == http.StatusOK {
		got.Events, err = readEvents(response.Body, count)
		return got, "", err
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return got, "", err
	}
	if json.Valid(text) {
		got.Body, _ = decode(text)
		got.plain, _ = decode(text)
	} else {
		got.Body = string(text)
	}
	return got, string(text), nil
}

// readEvents reads that many lines of a watch, or fewer if it ends before.
func readEvents(body io.Reader, count string) ([]any, error) {
	wanted, err := strconv.Atoi(count)
	if err != nil {
		return nil, err
	}
	events := []any{}
	reader := bufio.NewReader(body)
	for len(events) < wanted {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			break
		}
		event, err := decode(line)
		if err != nil {
			return nil, err
		}
		events = append(events, event)
	}
	return events, nil
}

// decode keeps numbers as they are written.
func decode(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

func toProtobuf(body []byte) ([]byte, error) {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil {
		return nil, err
	}
	return runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), object)
}
