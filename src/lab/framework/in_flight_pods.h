#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lab/framework/cluster_event.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::lab {

/// The pods that were taken out of the queue and are being scheduled or bound, and what happens
/// meanwhile. A pod that finds no node looked at the cluster as it was when its cycle began: an
/// event since then may be the very one that it needs, and must not be lost. Not thread-safe.
class InFlightPods {
 public:
  /// What happened that may help a pod; nothing: something that helps every pod.
  using Happening = std::optional<ClusterEvent>;
  /// What there is to know when the flight is over.
  struct Landed {
    /// As it was last seen; null: it is gone, or wants no node any more.
    std::shared_ptr<const Pod> pod;
    /// In the order in which it happened.
    std::vector<Happening> meanwhile;
  };

  /// The pod leaves the queue.
  void Begin(const std::shared_ptr<const Pod>& pod);
  /// The pod has changed, which helps it, not others. False: it is not in flight.
  bool Update(std::shared_ptr<const Pod> pod, const std::vector<ClusterEvent>& changes);
  /// The pod is gone, or wants no node any more. Nothing if it is not in flight.
  void Delete(std::string_view uid);
  /// Something happened: remembered as long as a pod is in flight that may ask for it.
  void Remember(const Happening& happening);

  /// The flight is over without a node. Nothing: the pod was not in flight.
  std::optional<Landed> End(std::string_view uid);
  /// The flight is over, and the pod has its node. News of the pod that were sent before the
  /// binding may still come: Update() takes them as of a pod in flight, until Delete().
  void EndPlaced(std::string_view uid);

  bool Contains(std::string_view uid) const { return flights_.contains(uid); }
  /// How much is remembered, of all pods in flight.
  size_t remembered() const { return log_.size() - flights_.size(); }

 private:
  /// One list for all, however many pods are in flight: each begins with an entry of its own, and
  /// what comes after that entry has happened since.
  struct Entry {
    std::string uid;                    // the pod that it is about; empty: all
    std::optional<Happening> happened;  // nothing: here that pod took off
  };
  struct Flight {
    std::shared_ptr<const Pod> pod;
    std::list<Entry>::iterator takeoff;
  };
  /// Drops what happened before the first take-off that is left: no pod will ask for it.
  void Prune();

  std::list<Entry> log_;
  std::map<std::string, Flight, std::less<>> flights_;
  std::set<std::string, std::less<>> placed_;
};

}  // namespace outrigger::lab
