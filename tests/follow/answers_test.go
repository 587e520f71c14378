package follow

import (
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/kube"
)

// continued matches the later pages of a list.
func continued(r *http.Request) bool { return r.URL.Query().Get("continue") != "" }

func TestAFewBadAnswersAreGotOver(t *testing.T) {
	w := newWorld(t)
	for _, row := range []struct {
		name string
		rule faults.Rule
	}{
		{"410 for a watch of nodes", faults.Rule{Match: faults.Watch("nodes"), Answer: faults.Gone(), Times: 1}},
		{"410 for a watch of pods, often", faults.Rule{Match: faults.Watch("pods"), Answer: faults.Gone(), Times: 4}},
		{"410 for anything", faults.Rule{Answer: faults.Gone(), Times: 5}},
		{"429", faults.Rule{Answer: faults.TooMany(1), Times: 4}},
		{"429 that names no time", faults.Rule{Answer: faults.TooMany(0), Times: 4}},
		{"500", faults.Rule{Answer: faults.Broken(), Times: 5}},
		{"401", faults.Rule{Answer: faults.Unauthorized(), Times: 3}},
		{"403", faults.Rule{Answer: faults.Forbidden(), Times: 3}},
		{"an answer that is late", faults.Rule{Delay: time.Second, Times: 3}},
		{"a page that is none", faults.Rule{Answer: &faults.Answer{Code: 200, Body: []byte("<html>")}, Times: 3}},
		{"an empty page", faults.Rule{Answer: &faults.Answer{Code: 200}, Times: 3}},
		{"a redirect to nowhere", faults.Rule{Answer: &faults.Answer{Code: 302,
			Header: http.Header{"Location": {"https://127.0.0.1:1/"}}}, Times: 2}},
		{"a 500 that is no Status", faults.Rule{Answer: &faults.Answer{Code: 500, Body: []byte("oops")}, Times: 3}},
	} {
		w.scene(row.name, func(s *scene) {
			s.settle()
			rule := s.proxy.Inject(row.rule)
			s.proxy.Cut()
			s.change()
			s.recovered()
			s.met(rule)
		})
	}
	w.scene("410 for a later page, if lists come in pages", func(s *scene) {
		s.proxy.Inject(faults.Rule{Match: continued, Answer: faults.Gone(), Times: 1})
		s.settle()
	})
}

// spoiled is a watch that carries what no server sends.
type spoiled struct {
	name   string
	tamper func() faults.Tamper
}

func (w *world) spoil(json bool, rows []spoiled) {
	form := "protobuf"
	if json {
		form = "JSON"
	}
	for _, row := range rows {
		w.scene(form+": "+row.name, func(s *scene) {
			s.json = json
			s.settle()
			rule := s.proxy.Inject(faults.Rule{Match: faults.Watch("pods"), Tamper: row.tamper, Times: 1})
			s.change()
			s.recovered()
			s.met(rule)
		})
	}
	for name, tamper := range map[string]func() faults.Tamper{
		"a first answer with a spoiled first byte": faults.Spoil(0, 'x'),
		"a first answer with a spoiled byte":       faults.Spoil(100, 0),
	} {
		w.scene(form+": "+name, func(s *scene) {
			s.json = json
			rule := s.proxy.Inject(faults.Rule{Match: faults.About(""), Tamper: tamper, Times: 2})
			s.settle()
			s.met(rule)
		})
	}
}

func TestEventsThatAreNoneAreNotBelieved(t *testing.T) {
	w := newWorld(t)
	gone := `{"type":"ERROR","object":` + string(faults.Gone().Body) + `}`
	broken := `{"type":"ERROR","object":` + string(faults.Broken().Body) + `}`
	w.spoil(true, []spoiled{
		{"the first byte", faults.Spoil(0, 'x')},
		{"a quote within a name", faults.Spoil(40, '"')},
		{"a zero byte", faults.Spoil(60, 0)},
		{"a byte that is no UTF-8", faults.Spoil(60, 0xff)},
		{"a bracket", faults.Spoil(20, '[')},
		{"a line that is no JSON", faults.Insert([]byte("what?"))},
		{"an empty object", faults.Insert([]byte("{}"))},
		{"an empty line", faults.Insert(nil)},
		{"an unknown type", faults.Insert([]byte(`{"type":"WHAT","object":{}}`))},
		{"no object", faults.Insert([]byte(`{"type":"ADDED"}`))},
		{"an object without a name", faults.Insert([]byte(`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1"}}`))},
		{"much nesting", faults.Insert([]byte(`{"type":"ADDED","object":` + strings.Repeat("[", 100_000)))},
		{"410 in the watch", faults.Insert([]byte(gone))},
		{"500 in the watch", faults.Insert([]byte(broken))},
	})
}

func TestFramesThatAreNoneAreNotBelieved(t *testing.T) {
	w := newWorld(t)
	event := func(kind watch.EventType, object runtime.Object) func() faults.Tamper {
		bytes, err := faults.ProtobufEvent(kind, object)
		w.Must(err)
		return faults.InsertFrame(bytes)
	}
	w.spoil(false, []spoiled{
		{"a length of gigabytes", faults.Spoil(0, 'x')},
		{"a length that is off", faults.Spoil(3, 7)},
		{"the first field", faults.Spoil(4, 0xff)},
		{"a byte of the type", faults.Spoil(7, '?')},
		{"a byte of the envelope", faults.Spoil(20, 0xff)},
		{"a frame that is no event", faults.InsertFrame([]byte("what?"))},
		{"an empty frame", faults.InsertFrame(nil)},
		{"an unknown type", event("WHAT", kube.MakePod("x").Pod())},
		{"an object without a name", event(watch.Added, &corev1.Pod{})},
		{"an event in JSON", faults.Insert([]byte(`{"type":"ADDED"}`))},
		{"410 in the watch", event(watch.Error, &metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired})},
		{"500 in the watch", event(watch.Error, &metav1.Status{Code: 500})},
	})
}

func TestHugeObjectsAreFollowedOrRefusedButNothingBreaks(t *testing.T) {
	w := newWorld(t)
	w.scene("as large as a server takes", func(s *scene) {
		s.settle()
		huge := kube.MakePod("huge").Node("n3").Pod()
		huge.Spec.Containers[0].Args = []string{strings.Repeat("x", 1_000_000)}
		_, err := s.Client.CoreV1().Pods("default").Create(s.Ctx, huge, metav1.CreateOptions{})
		s.Must(err)
		s.recovered()
		s.proxy.Inject(faults.Rule{Match: faults.Watch("pods"), Answer: faults.Gone(), Times: 1})
		s.proxy.Cut() // now it is in a list
		s.change()
		s.recovered()
		s.Must(s.Client.CoreV1().Pods("default").Delete(s.Ctx, "huge", metav1.DeleteOptions{}))
		s.recovered()
	})
	w.scene("far larger", func(s *scene) {
		s.settle()
		before, err := s.follower.Stats()
		s.Must(err)
		// What the server has, with an annotation that no server takes.
		pod, err := s.Client.CoreV1().Pods("default").Get(s.Ctx, "p1", metav1.GetOptions{})
		s.Must(err)
		pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
		pod.Annotations = map[string]string{"huge": strings.Repeat("x", 64<<20)}
		event, err := faults.ProtobufEvent(watch.Modified, pod)
		s.Must(err)
		rule := s.proxy.Inject(faults.Rule{Match: faults.Watch("pods"), Tamper: faults.InsertFrame(event), Times: 1})
		s.change()
		s.recovered()
		s.met(rule)
		pod, err = s.Client.CoreV1().Pods("default").Get(s.Ctx, "p1", metav1.GetOptions{})
		s.Must(err)
		pod.Labels["huge"] = "no-more" // whoever has kept the annotation can let go of it
		_, err = s.Client.CoreV1().Pods("default").Update(s.Ctx, pod, metav1.UpdateOptions{})
		s.Must(err)
		s.recovered()
		after, err := s.follower.Stats()
		s.Must(err)
		if grown := after.RSSBytes - before.RSSBytes; grown > 32<<20 {
			s.Errorf("%d MiB more than before the huge event", grown>>20)
		}
	})
}
