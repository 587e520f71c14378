#include "gang/plan/shortfall/shortfall.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "fmt/format.h"
#include "gang/plan/nodes/node_space.h"
#include "gang/plan/round/round.h"
#include "gang/plan/search/causes.h"
#include "gang/plan/shortfall/proposal.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/taint.h"

namespace outrigger::plan {
namespace {

constexpr size_t kLongestTaint = 128;

bool HasAmounts(const NodeSpace& space, const Shape& shape, Slot slot) {
  const int64_t* const row = space.Row(slot);
  return std::all_of(shape.requests.begin(), shape.requests.end(),
                     [row](const Amount& amount) { return row[amount.column] >= amount.value; });
}

std::string TextOf(const Taint& taint) {
  const char* const effect = taint.effect == TaintEffect::kNoExecute ? "NoExecute" : "NoSchedule";
  const std::string value = taint.value.empty() ? "" : "=" + taint.value;
  return Shortened(fmt::format("{}{}:{}", taint.key, value, effect), kLongestTaint);
}

// As MayTake() of a shape; empty where it is for something else.
std::string WhyNot(const Shape& shape, const Node& node) {
  const Pod& pod = *shape.example;
  const Taint* const taint =
      shape.ignores_taints ? nullptr : FindUntoleratedTaint(node.taints, pod.tolerations);
  if (taint != nullptr) {
    return fmt::format("with taint {}, which no toleration covers", TextOf(*taint));
  }
  const bool cordoned =
      node.unschedulable && !shape.ignores_cordons && !ToleratesCordon(pod.tolerations);
  return cordoned ? "cordoned" : "";
}

// "not counted: 2 nodes with room, with taint a=b:NoSchedule, which no toleration covers": what
// most of the nodes that have room for one more member of the shape turn it away for, of what its
// author does not see in the pod: taints and cordons. Empty if no node does.
std::string TurnedAway(const NodeSpace& space, ShapeIndex index) {
  const Shape& shape = space.shape(index);
  Shape other = shape;  // for which neither is looked at
  other.ignores_taints = other.ignores_cordons = true;
  std::map<std::string, size_t> counts;
  for (const Slot slot : space.in_order()) {
    if (space.MayTake(index, slot) || !HasAmounts(space, shape, slot)) continue;
    if (!MayTake(other, space.node(slot))) continue;
    std::string why = WhyNot(shape, space.node(slot));
    if (!why.empty()) ++counts[std::move(why)];
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(counts.begin(), counts.end(), fewer);
  if (most == counts.end()) return {};
  return fmt::format("not counted: {} node{} with room, {}", most->second,
                     most->second == 1 ? "" : "s", most->first);
}

// So many plans are made in all: each may look at all nodes for each shape of the unit.
constexpr size_t kMostPlans = 96;
// So many plans are made to find nodes with which a unit fits.
constexpr size_t kMostTries = 32;
// Where labels of nodes decide, so many sets of them are tried, each with so many plans.
constexpr size_t kMostLabelSets = 9;
constexpr size_t kTriesOfLabels = 4;
// Shorter runs of nodes are taken away one by one.
constexpr size_t kShortRun = 8;

class Finder {
 public:
  Finder(const Workshop& workshop, std::span<const Unit> units, size_t index,
         const PlanOptions& options, const std::stop_token& stop)
      : work_(workshop), units_(units), index_(index), options_(options), stop_(stop) {}

  Shortfall Find() {
    Shortfall shortfall;
    std::optional<Proposal> first;
    const UnitPlan plan = PlanWith({}, &first);
    shortfall.cause = plan.cause;
    if (plan.fits || !first.has_value()) return shortfall;
    fit_ = first->fit + units_[index_].bound;
    domain_ = first->domain;
    in_all_ = first->in_all;
    shapes_ = first->shapes;
    if (first->possible && plan.cause.kind != Cause::Class::kWaiter) {
      shortfall.nodes = Least(WithLabels(*first));
    }
    shortfall.gave_up = gives_up();
    return shortfall;
  }

  bool gives_up() const { return plans_ >= kMostPlans || stop_.stop_requested(); }
  int64_t fit() const { return fit_; }
  const std::string& domain() const { return domain_; }
  const std::string& in_all() const { return in_all_; }
  const std::vector<ShapeIndex>& shapes() const { return shapes_; }

 private:
  // Plans with nodes more. `proposal`: what would be missing even so, unless it is null.
  UnitPlan PlanWith(std::vector<Node> nodes, std::optional<Proposal>* proposal) {
    ++plans_;
    Name(&nodes);
    work_.space->Pretend(nodes);
    Round round(work_.space, work_.domains, work_.shapes, options_);
    round.Watch(index_, [&](const Unit& unit, const Seats& seats) {
      if (proposal != nullptr) *proposal = Propose(work_, unit, seats);
    });
    round.Run(units_);
    return std::move(round.TakePlan().units[index_]);
  }

  bool FitsWith(const std::vector<Node>& nodes) { return PlanWith(nodes, nullptr).fits; }

  // Enough nodes as they are, or with labels that place them among other pods.
  std::vector<Node> WithLabels(const Proposal& first) {
    std::vector<Node> nodes = Enough(first, kMostTries);
    work_.space->Pretend({});
    const auto sets = NeighbourLabels(*work_.space, units_[index_], kMostLabelSets);
    if (!nodes.empty()) return WhereTheyDo(nodes, sets);
    for (const StringMap& labels : sets) {
      if (gives_up()) return {};
      Proposal labelled = first;
      for (Node& node : labelled.nodes) Set(labels, &node);
      for (Node& node : labelled.kinds) Set(labels, &node);
      labels_ = &labels;
      nodes = Enough(labelled, kTriesOfLabels);
      labels_ = nullptr;
      if (!nodes.empty()) return nodes;
    }
    return {};
  }

  // Nodes without labels may do where most that somebody could add, in a zone that is there, would
  // not: then the labels of one that does are named.
  std::vector<Node> WhereTheyDo(const std::vector<Node>& nodes,
                                const std::vector<StringMap>& sets) {
    bool everywhere = true;
    std::optional<std::vector<Node>> good;
    for (const StringMap& labels : sets) {
      if (gives_up()) break;
      std::vector<Node> labelled = nodes;
      for (Node& node : labelled) Set(labels, &node);
      const bool fits = FitsWith(labelled);
      everywhere &= fits;
      if (fits && !good.has_value()) good = std::move(labelled);
    }
    return everywhere || !good.has_value() ? nodes : *good;
  }

  // What a node is to have already stays.
  static void Set(const StringMap& labels, Node* node) {
    for (const auto& [key, value] : labels) {
      if (!node->labels.Contains(key)) node->labels.Set(key, value);
    }
  }

  // Units before this one may take what is added, and places beside it that this one had: what is
  // still missing then is added, too. Empty: that does not come to an end.
  std::vector<Node> Enough(const Proposal& first, size_t most) {
    std::vector<Node> nodes = first.nodes;
    for (size_t tries = 0; tries < most && !gives_up(); ++tries) {
      std::optional<Proposal> more;
      if (PlanWith(nodes, &more).fits) return nodes;
      const std::vector<Node>& add =
          more.has_value() && more->possible && tries < most / 2 ? more->nodes : first.kinds;
      nodes.insert(nodes.end(), add.begin(), add.end());
      if (labels_ == nullptr) continue;
      for (Node& node : nodes) Set(*labels_, &node);
    }
    return {};
  }

  // Equal nodes have equal labels until then.
  static void Name(std::vector<Node>* nodes) {
    for (size_t i = 0; i < nodes->size(); ++i) {
      Node& node = (*nodes)[i];
      node.name = absl::StrFormat("such-a-node-%05d", i + 1);
      node.labels.Set(kHostname, node.name);
    }
  }

  // Takes away runs of so many nodes without which the unit fits all the same.
  std::vector<Node> Without(std::vector<Node> nodes, size_t run) {
    for (size_t end = nodes.size(); end > 0 && nodes.size() > 1 && !gives_up();) {
      const size_t begin = end > run ? end - run : 0;
      std::vector<Node> fewer = nodes;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                  fewer.begin() + static_cast<std::ptrdiff_t>(end));
      if (!fewer.empty() && FitsWith(fewer)) nodes = std::move(fewer);
      end = begin;
    }
    return nodes;
  }

  // Of nodes with which the unit fits those without which it does not. Many go in runs first: one
  // by one a gang of unlike members takes a plan for each.
  std::vector<Node> Least(std::vector<Node> nodes) {
    for (size_t run = nodes.size() / 2; run >= kShortRun; run /= 2) {
      nodes = Without(std::move(nodes), run);
    }
    for (bool shrunk = true; shrunk && nodes.size() > 1;) {
      shrunk = false;
      for (size_t i = 0; i < nodes.size() && !gives_up(); ++i) {
        // Of equal nodes one is as good as another.
        if (i > 0 && SameNode(nodes[i - 1], nodes[i])) continue;
        std::vector<Node> fewer = nodes;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (!FitsWith(fewer)) continue;
        nodes = std::move(fewer);
        shrunk = true;
        break;
      }
    }
    Name(&nodes);
    return nodes;
  }

  static bool SameNode(const Node& a, const Node& b) {
    return a.labels == b.labels && std::equal(a.allocatable.begin(), a.allocatable.end(),
                                              b.allocatable.begin(), b.allocatable.end());
  }

  const Workshop work_;
  const std::span<const Unit> units_;
  const size_t index_;
  const PlanOptions& options_;
  const std::stop_token stop_;
  size_t plans_ = 0;
  int64_t fit_ = 0;
  const StringMap* labels_ = nullptr;  // that all nodes get; null: those of the proposal
  std::string domain_;
  std::string in_all_;
  std::vector<ShapeIndex> shapes_;
};

std::string Count(size_t count, const char* what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

// "4 more nodes in rack r7 with cpu 8 free"
std::string TextOfNodes(const std::vector<Node>& nodes, const std::string& domain,
                        std::vector<std::string> labels) {
  labels.emplace_back(kHostname);  // each has its own
  std::vector<std::pair<std::string, size_t>> kinds;
  for (const Node& node : nodes) {
    const std::string text = TextOfWanted(node, labels);
    const auto same = [&](const auto& kind) { return kind.first == text; };
    const auto at = std::find_if(kinds.begin(), kinds.end(), same);
    if (at == kinds.end()) {
      kinds.emplace_back(text, 1);
    } else {
      ++at->second;
    }
  }
  std::vector<std::string> parts;
  parts.reserve(kinds.size());
  for (const auto& [text, count] : kinds) {
    parts.push_back(absl::StrCat(Count(count, "more node"), domain, " with ", text));
  }
  return absl::StrJoin(parts, " and ");
}

// What decides about units[index]: those before it, and the gangs behind it whose places those
// before it leave alone. `copy` holds them if there are any.
std::span<const Unit> Deciding(std::span<const Unit> units, size_t index, std::vector<Unit>* copy) {
  const auto behind = units.subspan(index + 1);
  if (std::none_of(behind.begin(), behind.end(), HasKeptPlaces)) return units.first(index + 1);
  copy->assign(units.begin(), behind.begin());
  std::copy_if(behind.begin(), behind.end(), std::back_inserter(*copy), HasKeptPlaces);
  return *copy;
}

}  // namespace

Shortfall FindShortfall(const Workshop& workshop, std::span<const Unit> units, size_t index,
                        const PlanOptions& options, const std::stop_token& stop) {
  const Unit& unit = units[index];
  std::vector<Unit> copy;
  Finder finder(workshop, Deciding(units, index, &copy), index, options, stop);
  Shortfall shortfall = finder.Find();
  const NodeSpace& space = *workshop.space;
  const int64_t exist = static_cast<int64_t>(unit.members.size()) + unit.bound;
  if (shortfall.cause.kind == Cause::Class::kMembers) {
    shortfall.members = unit.minimum - exist;
    shortfall.text = absl::StrCat(exist, " of ", unit.minimum, " members exist");
  } else if (shortfall.cause.kind != Cause::Class::kNone) {
    shortfall.text =
        absl::StrCat(unit.minimum, unit.minimum == 1 ? " pod needs " : " members need ");
    if (finder.shapes().size() == 1) {
      absl::StrAppend(&shortfall.text, TextOfRequests(space, finder.shapes().front()),
                      unit.minimum == 1 ? "" : " each");
    } else {
      absl::StrAppend(&shortfall.text, "a place");
    }
    absl::StrAppend(&shortfall.text, ", ", finder.fit(), " fit");
    if (finder.fit() == 1) absl::StrAppend(&shortfall.text, "s");
    std::string domain;
    if (!finder.domain().empty()) {
      domain = absl::StrCat(" in ", unit.topology.required.back(), " ", finder.domain());
    }
    absl::StrAppend(&shortfall.text, domain);
    if (!finder.in_all().empty()) {
      absl::StrAppend(&shortfall.text, "; minResources asks for ", finder.in_all());
    }
    if (!shortfall.nodes.empty()) {
      absl::StrAppend(&shortfall.text, "; ",
                      TextOfNodes(shortfall.nodes, domain, unit.topology.required), " would do",
                      shortfall.gave_up ? " (perhaps fewer: the search was stopped)" : "");
    } else {
      absl::StrAppend(&shortfall.text, "; missing: ", TextOf(shortfall.cause));
    }
    if (!finder.shapes().empty()) {
      const std::string turned_away = TurnedAway(space, finder.shapes().front());
      if (!turned_away.empty()) absl::StrAppend(&shortfall.text, "; ", turned_away);
    }
  }
  workshop.space->Pretend({});
  return shortfall;
}

}  // namespace outrigger::plan
