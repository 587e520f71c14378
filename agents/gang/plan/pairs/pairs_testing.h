#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "builders.h"
#include "gang/plan/pairs/pod_pairs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::plan {

using Refusal = PodPairs::Refusal;

inline constexpr Refusal kOk = Refusal::kNone;
inline constexpr Refusal kPorts = Refusal::kHostPorts;
inline constexpr Refusal kFar = Refusal::kAffinity;
inline constexpr Refusal kApart = Refusal::kAntiAffinity;
inline constexpr Refusal kUneven = Refusal::kSpread;

/// A row of a table: who may go where.
struct PairsRow {
  std::string name;
  std::vector<Node> nodes;
  std::vector<std::pair<size_t, Pod>> there;  // with the slots where they are
  Pod pod;
  std::vector<Refusal> answers;  // for each node
};

inline void PrintTo(Refusal refusal, std::ostream* out) {
  constexpr const char* kNames[] = {"ok", "host ports", "spread", "affinity", "anti-affinity"};
  *out << kNames[static_cast<size_t>(refusal)];
}

inline void PrintTo(const PairsRow& row, std::ostream* out) {
  *out << row.name;
}

inline std::string NameOf(const ::testing::TestParamInfo<PairsRow>& row) {
  return row.param.name;
}

inline std::vector<Refusal> Answers(const PodPairs& pairs, KindIndex kind, size_t nodes) {
  std::vector<Refusal> answers;
  for (size_t slot = 0; slot < nodes; ++slot) answers.push_back(pairs.Check(kind, slot));
  return answers;
}

/// The order in which kinds become known must not matter: the pod before those that are there, and
/// after them.
inline void ExpectAnswers(const PairsRow& row) {
  for (const bool pod_first : {true, false}) {
    PodPairs pairs(row.nodes.size());
    for (size_t slot = 0; slot < row.nodes.size(); ++slot) {
      pairs.SetNode(slot, std::make_shared<const Node>(row.nodes[slot]));
    }
    if (pod_first) pairs.AddKind(row.pod);
    for (const auto& [slot, pod] : row.there) pairs.Add(pairs.AddKind(pod), slot);
    const KindIndex kind = pairs.AddKind(row.pod);
    EXPECT_EQ(Answers(pairs, kind, row.nodes.size()), row.answers)
        << (pod_first ? "known before the others" : "known after the others");
    const bool refused = row.answers != std::vector<Refusal>(row.nodes.size(), kOk);
    EXPECT_TRUE(!refused || pairs.Matters(kind)) << "who is refused matters";
  }
}

}  // namespace outrigger::plan
