package deploy

// objects are those of the API server, by resource, namespace and name.
func (w *world) objects() map[string]string {
	w.Helper()
	objects, err := w.Cluster.Objects(w.Ctx)
	w.Must(err)
	return objects
}

// checkObjects fails the test unless all objects are as they were, and of others these alone are there.
func (w *world) checkObjects(before map[string]string, left ...string) {
	w.Helper()
	now := w.objects()
	expected := map[string]bool{}
	for _, key := range left {
		expected[key] = true
		if _, there := now[key]; !there {
			w.Errorf("%s is not left", key)
		}
	}
	for key, text := range now {
		if was, known := before[key]; !known && !expected[key] {
			w.Errorf("%s is left", key)
		} else if known && was != text {
			w.Errorf("%s has changed:\n%q\n%q", key, was, text)
		}
	}
	for key := range before {
		if _, there := now[key]; !there {
			w.Errorf("%s is gone", key)
		}
	}
}
