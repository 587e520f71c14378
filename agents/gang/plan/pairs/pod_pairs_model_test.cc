#include <rapidcheck.h>

#include <algorithm>
#include <optional>
#include <random>

#include "pairs_testing.h"
#include "reference_testing.h"

// Small random clusters in which pods and nodes come and go: after each step PodPairs answers as
// the reference for every kind on every node. Once it is stale it is made anew, as each follower of
// a cluster does.

namespace outrigger::plan {
namespace {

using testing::MakeNode;
using testing::MakePod;

constexpr size_t kSlots = 6;

class World {
 public:
  explicit World(uint64_t seed) : random_(seed) {
    pairs_.emplace(kSlots / 2);
    reference_.nodes.resize(kSlots);
    for (size_t slot = 0; slot < kSlots; ++slot) SetNode(slot, RandomNode());
    AddKind();
  }

  void Step() {
    const uint64_t what = Below(20);
    if (what <= 1) {
      const bool gone = Below(3) == 0;
      SetNode(Below(kSlots), gone ? std::nullopt : std::optional<Node>(RandomNode()));
    } else if (what <= 4) {
      AddKind();
    } else if (what <= 13 || reference_.pods.empty()) {
      AddPod(Below(kinds_.size()), Below(kSlots));
    } else {
      RemovePod(Below(reference_.pods.size()));
    }
    if (pairs_->is_stale()) MakeAnew();
  }

  void ExpectSame(size_t* refusals) const {
    for (const auto& [pod, kind] : kinds_) {
      for (size_t slot = 0; slot < kSlots; ++slot) {
        if (!reference_.nodes[slot]) continue;
        const Refusal expected = reference_.Check(pod, slot);
        RC_ASSERT(pairs_->Check(kind, slot) == expected);
        RC_ASSERT(expected == kOk || pairs_->Matters(kind));
        refusals[static_cast<size_t>(expected)]++;
      }
    }
  }

 private:
  size_t Below(uint64_t bound) { return random_() % bound; }
  bool Chance(uint64_t percent) { return Below(100) < percent; }
  std::string Pick(std::initializer_list<const char*> from) {
    return from.begin()[Below(from.size())];
  }

  Node RandomNode() {
    MakeNode node("n" + std::to_string(Below(4)));
    if (Chance(85)) node.Label("zone", Pick({"1", "2", "3"}));
    if (Chance(85)) node.Label("host", Pick({"a", "b", "c", "d"}));
    if (Chance(50)) node.Label("pool", Pick({"p", "q"}));
    if (Chance(25)) node.AddTaint("t", "", TaintEffect::kNoSchedule);
    return node;
  }

  std::optional<LabelSelector> RandomSelector() {
    if (Chance(5)) return std::nullopt;
    LabelSelector selector;
    if (Chance(80)) selector.match_labels.Set("app", Pick({"x", "y"}));
    if (Chance(20)) {
      selector.match_expressions.push_back({"tier", SelectorOperator::kNotIn, {Pick({"1", "2"})}});
    }
    return selector;
  }

  PodAffinityTerm RandomTerm() {
    PodAffinityTerm term;
    term.label_selector = RandomSelector();
    term.topology_key = Pick({"zone", "host"});
    if (Chance(20)) term.namespaces = {Pick({"default", "other"})};
    if (Chance(15)) term.namespace_selector.emplace();
    if (term.namespace_selector && Chance(50))
      term.namespace_selector->match_labels.Set("team", "a");
    return term;
  }

  TopologySpreadConstraint RandomSpread() {
    TopologySpreadConstraint constraint;
    constraint.max_skew = static_cast<int32_t>(1 + Below(2));
    constraint.topology_key = Pick({"zone", "host"});
    constraint.hard = Chance(90);
    constraint.label_selector = RandomSelector();
    if (Chance(30)) constraint.min_domains = static_cast<int32_t>(1 + Below(4));
    constraint.honor_affinity = Chance(70);
    constraint.honor_taints = Chance(40);
    // Upstream takes no label keys where there is no selector.
    if (constraint.label_selector && Chance(30)) constraint.match_label_keys = {"tier"};
    return constraint;
  }

  Pod RandomPod() {
    Pod pod = MakePod().Namespace(Chance(75) ? "default" : "other");
    if (Chance(80)) pod.labels.Set("app", Pick({"x", "y"}));
    if (Chance(50)) pod.labels.Set("tier", Pick({"1", "2"}));
    if (Chance(30)) pod.node_selector.Set("pool", Pick({"p", "q"}));
    if (Chance(30)) pod.tolerations = {{"t", "", true, {}}};
    pod.being_deleted = Chance(10);
    if (Chance(20)) pod.host_ports.push_back({Pick({"", "0.0.0.0", "1.1.1.1", "2.2.2.2"})});
    for (HostPort& port : pod.host_ports) port.port = static_cast<int32_t>(80 + Below(2));
    for (size_t left = Chance(35) ? 1 + Below(2) : 0; left > 0; --left) {
      pod.affinity.required_pod.push_back(RandomTerm());
    }
    for (size_t left = Chance(35) ? 1 + Below(2) : 0; left > 0; --left) {
      pod.affinity.required_pod_anti.push_back(RandomTerm());
    }
    for (size_t left = Chance(35) ? 1 + Below(2) : 0; left > 0; --left) {
      pod.topology_spread.push_back(RandomSpread());
    }
    return pod;
  }

  void SetNode(size_t slot, const std::optional<Node>& node) {
    reference_.nodes[slot] = node;
    pairs_->SetNode(slot, node ? std::make_shared<const Node>(*node) : nullptr);
  }
  void AddKind() {
    const Pod pod = RandomPod();
    kinds_.emplace_back(pod, pairs_->AddKind(pod));
  }
  // Kinds get the numbers that they had: they come in the same order.
  void MakeAnew() {
    pairs_.emplace(kSlots);
    for (size_t slot = 0; slot < kSlots; ++slot) SetNode(slot, reference_.nodes[slot]);
    for (const auto& [pod, kind] : kinds_) RC_ASSERT(pairs_->AddKind(pod) == kind);
    for (size_t at = 0; at < there_.size(); ++at) {
      pairs_->Add(there_[at], reference_.pods[at].first);
    }
  }
  void AddPod(size_t kind, size_t slot) {
    reference_.pods.emplace_back(slot, kinds_[kind].first);
    there_.push_back(kinds_[kind].second);
    pairs_->Add(there_.back(), slot);
  }
  void RemovePod(size_t index) {
    pairs_->Remove(there_[index], reference_.pods[index].first);
    reference_.pods.erase(reference_.pods.begin() + static_cast<ptrdiff_t>(index));
    there_.erase(there_.begin() + static_cast<ptrdiff_t>(index));
  }

  std::mt19937_64 random_;
  std::optional<PodPairs> pairs_;
  PairsReference reference_;
  std::vector<std::pair<Pod, KindIndex>> kinds_;
  std::vector<KindIndex> there_;  // of the reference's pods
};

TEST(PodPairs, AnswersAsIfEverythingWereWorkedOutAnew) {
  size_t answers[5] = {};
  EXPECT_TRUE(rc::check("Check() == reference", [&answers](uint64_t seed) {
    World world(seed);
    for (int step = 0; step < 80; ++step) {
      world.Step();
      world.ExpectSame(answers);
    }
  }));
  EXPECT_THAT(answers, ::testing::Each(::testing::Gt(1000U))) << "every answer was asked for";
}

}  // namespace
}  // namespace outrigger::plan
