#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gang/plan/pairs/tally.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/selector.h"

// What pods ask of other pods, each with its counts. Equal ones of many pods are one: Key() of
// those that differ differs.

namespace outrigger::plan {

/// What of a pod selectors look at.
struct PodIdentity {
  std::string namespace_;
  StringMap labels;
};

/// Which pods a term of pod affinity or anti-affinity is about.
///
/// Namespaces are known by name alone. So a namespaceSelector is judged by the one label that every
/// namespace has, kubernetes.io/metadata.name; one that asks for other labels is `guessed`.
struct PodMatcher {
  std::optional<LabelSelector> selector;  // absent: no pod
  std::vector<std::string> namespaces;    // in order, each once
  std::optional<LabelSelector> namespace_selector;
  bool guessed = false;

  /// `if_guessed`: what to take for the answer of a namespaceSelector that is guessed.
  bool Matches(const PodIdentity& pod, bool if_guessed) const;
};

/// `term` as the pod in `namespace_` means it: no namespaces and no namespaceSelector are its own.
PodMatcher MatcherOf(const PodAffinityTerm& term, const std::string& namespace_);

/// A required term of anti-affinity, or all that pods ask of one. It works both ways: who has it
/// keeps away from those that match, and these keep away from who has it.
struct ApartTerm {
  ApartTerm(PodMatcher who, const Places* places)
      : matcher(std::move(who)), matching(places), owners(places) {}

  // Guesses against the pod: too often apart costs a place, too seldom a refused pod.
  bool Matches(const PodIdentity& pod) const { return matcher.Matches(pod, true); }

  const PodMatcher matcher;
  Tally matching;
  Tally owners;
  bool asked = false;  // see PodPairs::Ask(), as below
};

/// All required terms of affinity of a pod: those pods count that match every term.
struct NearTerms {
  explicit NearTerms(std::vector<PodMatcher> who) : matchers(std::move(who)) {}

  bool Matches(const PodIdentity& pod) const;
  /// True if nobody is known to match, so that a pod that matches itself may be the first.
  bool IsVacant() const;

  const std::vector<PodMatcher> matchers;
  std::vector<Tally> matching;  // one for each topology key
  bool asked = false;
};

/// A hard constraint of topology spread, but for what is compared with its counts.
struct SpreadTerm {
  /// `constraint` is one of `pod`.
  SpreadTerm(const Pod& pod, const TopologySpreadConstraint& constraint);

  bool Selects(const StringMap& labels) const { return selector && selector->Matches(labels); }
  /// True if pods like this are counted. Upstream counts nobody for a selector that is empty.
  bool Counts(const PodIdentity& pod, bool being_deleted) const;
  /// True if the node counts, as far as the inclusion policies go.
  bool Includes(const Node& node) const;
  std::string Key() const;

  std::string namespace_;
  std::optional<LabelSelector> selector;  // the keys of matchLabelKeys included
  std::string topology_key;
  std::vector<std::string>
      keys;                   // of all hard constraints of the pod; a node without one is left out
  Pod filter;                 // what the policies that are honoured look at, and nothing else
  bool honor_taints = false;  // who tolerates nothing is not who ignores taints
  const Places* places = nullptr;
  std::vector<const Places*> needed;  // of `keys`
  SpreadTally matching;
  bool asked = false;
};

/// A port that pods take of their node.
struct PortTerm {
  PortTerm(HostPort what, const Places* places) : port(std::move(what)), owners(places) {}

  const HostPort port;
  Tally owners;
  std::vector<const Tally*>
      conflicts;  // owners of all ports that exclude this one, itself included
};

bool Conflict(const HostPort& a, const HostPort& b);

std::string KeyOf(const PodMatcher& matcher, const std::string& topology_key);
std::string KeyOf(const HostPort& port);
/// Of each hard constraint of topology spread: constraints are equal where these are.
std::vector<std::string> SpreadKeysOf(const Pod& pod);
/// The same for pods that every predicate between pods treats alike.
std::string KindKeyOf(const Pod& pod);

}  // namespace outrigger::plan
