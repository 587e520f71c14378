#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "gang/plan/pairs/pair_terms.h"
#include "gang/plan/pairs/tally.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger::plan {

/// A kind of pods: those that all predicates between pods treat alike. Same namespace, labels,
/// terms and so on; from 0 on, never taken back.
using KindIndex = uint32_t;

/// What pods forbid each other: kube-scheduler 1.36's filters NodePorts, PodTopologySpread (hard
/// constraints) and InterPodAffinity (required terms), over pods that come and go thousands of
/// times in a planning run. Selectors are evaluated once for each pair of a term and a kind, and
/// for each pair of an inclusion policy and a node; Add(), Remove() and Check() look at counts
/// only.
///
/// Where it knows less than kube-scheduler it refuses more, never less: the labels of namespaces
/// are not known, so a namespaceSelector that asks for another label than
/// kubernetes.io/metadata.name matches every namespace in anti-affinity, and in affinity none but
/// those that are named beside it; its pod is nowhere the first of its series. A selector that
/// upstream calls invalid, which no API server lets in, matches no pod. Default constraints of the
/// scheduler's configuration are not known.
///
/// Kinds, terms and their counts stay as long as this lives: who follows a cluster for long makes a
/// new one now and then. Thread-compatible; no call fails.
class PodPairs {
 public:
  /// Slots are small numbers that the caller gives to nodes, such as cluster::NodeState::index.
  explicit PodPairs(size_t node_slots);

  /// A node has come or changed, or, null, gone. What pods are counted in its slot stay there.
  /// O(terms + kinds of pods in the slot). Slots beyond those known are added.
  void SetNode(size_t slot, std::shared_ptr<const Node> node);

  /// The kind of `pod`: its namespace, labels, required pod affinity and anti-affinity, hard spread
  /// constraints (with what their policies look at), host ports and whether it is being deleted. A
  /// new term is counted over the pods that are there.
  KindIndex AddKind(const Pod& pod);

  /// A pod of that kind is on the node from now on. O(terms that it counts in + kinds in the slot).
  void Add(KindIndex kind, size_t slot) { Change(kind, slot, 1); }
  /// No more: it must have been added there.
  void Remove(KindIndex kind, size_t slot) { Change(kind, slot, -1); }

  /// The first filter that refuses, in kube-scheduler's order. kAntiAffinity: the pod's own or that
  /// of one that is there.
  enum class Refusal : uint8_t { kNone, kHostPorts, kSpread, kAffinity, kAntiAffinity };
  /// Whether kube-scheduler would let a pod of that kind onto the node as things are. O(terms of
  /// the kind, and terms of others that match it). The slot has a node.
  Refusal Check(KindIndex kind, size_t slot) const;

  /// False if the kind fits every node and affects no other kind. The planner then skips its
  /// checks. AddKind() may make it true for a kind that was there.
  bool Matters(KindIndex kind) const;

  /// Sets the pending kinds. Terms of kinds that are neither pending nor placed are dropped.
  /// O(terms + kinds given).
  void Ask(std::span<const KindIndex> kinds);
  /// As Matters(), as things have been since the last Ask(): it does not depend on which kinds
  /// there were before.
  bool PlaysPart(KindIndex kind) const;

  /// How many terms of anti-affinity are known, and whether all of the pod's are.
  size_t apart_terms() const { return apart_.all.size(); }
  bool KnowsApartTermsOf(const Pod& pod) const;
  /// True if no node has the label; once one does, this is stale.
  bool IsOnNoNode(const std::string& label) { return PlacesOf(label) == &nowhere_.places(); }
  /// How much is remembered: kinds, and terms, which cost more.
  size_t memory() const {
    return kinds_.size() + 4 * (apart_.all.size() + near_.all.size() + ports_.all.size()) +
           16 * (spread_.all.size() + axes_.all.size()) + absent_.size();
  }
  /// A node has come to have a label that was known as one of no node: what is remembered of pods
  /// that name it is wrong from now on.
  bool is_stale() const { return is_stale_; }

 private:
  struct Spread {
    const SpreadTerm* term;
    int64_t max_skew;
    int32_t min_domains;
    int64_t self;  // the pod itself, where the selector matches it
  };
  struct Kind {
    PodIdentity identity;
    bool being_deleted = false;
    std::vector<Tally*> counted_in;
    std::vector<SpreadTally*> spread_over;
    std::vector<const PortTerm*> ports;
    std::vector<Spread> spreads;
    const NearTerms* near = nullptr;
    bool may_be_first = false;             // matches its own terms of affinity
    std::vector<const Tally*> apart_from;  // none of these may be in the node's domain
    std::vector<bool*> asks;               // of its own terms: whether they are asked
    std::vector<const bool*> joins;        // of the terms that it matches
  };
  struct Occupant {
    KindIndex kind;
    int32_t pods;
  };
  template <typename T>
  struct Terms {
    std::deque<T> all;  // where they are they stay
    absl::flat_hash_map<std::string, T*> by_key;
  };

  void Change(KindIndex kind, size_t slot, int32_t by);
  static void Count(const Kind& kind, size_t slot, int32_t by);
  void Resize(size_t slots);
  const Places* PlacesOf(const std::string& topology_key);
  void PlaceNode(SpreadTerm* term, size_t slot) const;

  // Each finds the term, or adds it and makes the kinds that are there count in it.
  ApartTerm* Apart(const PodAffinityTerm& term, const std::string& namespace_);
  NearTerms* Near(const Pod& pod);
  SpreadTerm* SpreadOf(const Pod& pod, const TopologySpreadConstraint& constraint);
  PortTerm* PortOf(const HostPort& port);
  /// Asks joins(kind) of each kind, and calls count(slot, pods) for the pods of those that do.
  template <typename Joins, typename CountOne>
  void JoinKinds(Joins joins, CountOne count);

  void AddOwnTerms(const Pod& pod, Kind* kind);
  void JoinTerms(Kind* kind);
  static bool Spreads(const Kind& kind, size_t slot);
  static bool IsNear(const Kind& kind, size_t slot);

  std::vector<std::shared_ptr<const Node>> nodes_;
  std::vector<std::vector<Occupant>> occupants_;  // by slot
  Places slots_;                                  // each slot its own domain
  Terms<Axis> axes_;
  // Labels that pods name and no node has share the axis on which no node is anywhere: an axis
  // takes memory for each node, and pods may name any number of labels.
  Axis nowhere_{""};
  absl::flat_hash_set<std::string> absent_;
  bool is_stale_ = false;
  Terms<ApartTerm> apart_;
  Terms<NearTerms> near_;
  Terms<SpreadTerm> spread_;
  Terms<PortTerm> ports_;
  std::vector<Kind> kinds_;
  absl::flat_hash_map<std::string, KindIndex> kind_by_key_;
};

}  // namespace outrigger::plan
