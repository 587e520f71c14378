package metricsapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// window is the time over which metrics-server says that it has measured.
const window = 15 * time.Second

// nodeMetrics is NodeMetrics of metrics.k8s.io/v1beta1.
type nodeMetrics struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Timestamp         metav1.Time       `json:"timestamp"`
	Window            string            `json:"window"`
	Usage             map[string]string `json:"usage"`
}

func (s *Server) routes() http.Handler {
	routes := http.NewServeMux()
	kind := metav1.APIResource{Name: "nodes", Kind: "NodeMetrics", Verbs: metav1.Verbs{"get", "list"}}
	routes.HandleFunc("GET /apis/"+group+"/"+version, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, metav1.APIResourceList{
			TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
			GroupVersion: group + "/" + version, APIResources: []metav1.APIResource{kind}})
	})
	routes.HandleFunc("GET /apis/"+group+"/"+version+"/nodes", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, struct {
			metav1.TypeMeta `json:",inline"`
			metav1.ListMeta `json:"metadata"`
			Items           []nodeMetrics `json:"items"`
		}{metav1.TypeMeta{Kind: "NodeMetricsList", APIVersion: group + "/" + version}, metav1.ListMeta{}, s.list()})
	})
	return routes
}

func (s *Server) list() []nodeMetrics {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	items := []nodeMetrics{}
	for node, usage := range s.nodes {
		items = append(items, nodeMetrics{
			ObjectMeta: metav1.ObjectMeta{Name: node, CreationTimestamp: metav1.Now()},
			Timestamp:  metav1.Now(), Window: window.String(),
			Usage: map[string]string{"cpu": usage.Cpu, "memory": usage.Memory}})
	}
	slices.SortFunc(items, func(a, b nodeMetrics) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return items
}

func answer(w http.ResponseWriter, object any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object)
}
