package follow

import (
	"testing"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
)

func TestAServerThatComesBack(t *testing.T) {
	w := worldOf(t, cluster.ForTest(t)) // its data goes back
	w.scene("with the same data", func(s *scene) {
		s.settle()
		s.Cluster.KillServer()
		s.notReady()
		s.Must(s.Cluster.StartServer(s.Ctx))
		s.change()
		s.recovered()
	})
	w.scene("with the same data, etcd too", func(s *scene) {
		s.settle()
		s.Cluster.Stop()
		s.notReady()
		s.Must(s.Cluster.StartEtcd())
		s.Must(s.Cluster.StartServer(s.Ctx))
		s.change()
		s.recovered()
	})
	// What happened meanwhile is in no watch any more: the server answers 410.
	w.scene("after changes that it has forgotten", func(s *scene) {
		s.settle()
		s.proxy.Refuse()
		for range 5 {
			s.change()
		}
		s.Must(s.Cluster.Restart(s.Ctx))
		s.Must(s.proxy.Accept())
		s.recovered()
	})
	for _, row := range []struct {
		name    string
		changes int // after the older data came back, before the follower sees the server again
	}{
		{"with older data", 0},
		{"with older data and a new history", 3},
		// Resource versions have passed those that the follower knows: a watch from there would seem fine.
		{"with older data and a longer new history", 60},
	} {
		w.scene(row.name, func(s *scene) { s.setBack(row.changes) })
	}
}

// setBack has the server lose its last changes, as after a disaster, while the follower knows them.
func (s *scene) setBack(changes int) {
	s.settle()
	s.witness.forget(func() {
		s.Cluster.Stop()
		s.Must(s.Cluster.SaveData("older"))
		s.Must(s.Cluster.StartEtcd())
		s.Must(s.Cluster.StartServer(s.Ctx))
	})
	for range 3 {
		s.change()
	}
	s.createNode(kube.MakeNode("lost"))
	s.createPod(kube.MakePod("lost").Node("lost"))
	s.recovered()
	s.witness.forget(func() {
		s.proxy.Refuse()
		s.Cluster.Stop()
		s.Must(s.Cluster.RestoreData("older"))
		s.Must(s.Cluster.StartEtcd())
		s.Must(s.Cluster.StartServer(s.Ctx))
		for range changes {
			s.change()
		}
	})
	s.Must(s.proxy.Accept())
	s.change()
	s.recovered()
}
