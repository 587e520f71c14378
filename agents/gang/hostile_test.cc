// What one tenant may put into pods and groups, and what it does to others: an innocent gang and a
// single pod get their places in the same plan, in bounded time and memory.
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <fstream>

#include "fmt/format.h"
#include "gang/plan/groups.h"
#include "rounds_testing.h"

namespace outrigger::gang {
namespace {

// How many times less there is of everything: sanitizers make planning fifty times slower.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OUTRIGGER_TEST_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    defined(OUTRIGGER_TEST_SANITIZED)
constexpr int kLess = 10;
#else
constexpr int kLess = 1;
#endif
constexpr int kNodes = 500 / kLess;
// Ten times what they take, of processor time: what else the machine does is no matter of the
// planner.
constexpr double kMostSeconds = 20;
constexpr size_t kMostMemory = size_t{400} << 20;

size_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

Pod Named(std::string_view name) {
  return testing::MakePod(name).Requests({{"cpu", "1"}});
}

std::vector<Pod> One(Pod pod) {
  return {std::move(pod)};
}

std::vector<Pod> SpreadOverManyKeys(int pods, int constraints) {
  std::vector<Pod> all;
  for (int p = 0; p < pods; ++p) {
    Pod& pod = all.emplace_back(Named(fmt::format("evil-{}", p)));
    for (int i = 0; i < constraints; ++i) {
      TopologySpreadConstraint& constraint = pod.topology_spread.emplace_back();
      constraint.topology_key = fmt::format("example.com/k-{}-{}", p, i);
      constraint.hard = true;
      constraint.label_selector.emplace();
    }
  }
  return all;
}

std::vector<Pod> GangSpreadOverManyKeys(int pods, int constraints) {
  std::vector<Pod> all = SpreadOverManyKeys(pods, constraints);
  for (Pod& pod : all) {
    pod.labels.Set("podGroup", "evil");
    pod.labels.Set("minAvailable", "2");
  }
  return all;
}

// Terms of pods that have a place already, in the namespace of another tenant.
std::vector<Pod> BoundApart(int pods, int terms) {
  std::vector<Pod> all;
  for (int p = 0; p < pods; ++p) {
    Pod& pod = all.emplace_back(Named(fmt::format("evil-{}", p)));
    pod.namespace_ = "evil";
    pod.uid = fmt::format("uid-evil-{}", p);
    pod.node_name = fmt::format("n{}", p % (kNodes / 2));
    for (int i = 0; i < terms; ++i) {
      PodAffinityTerm& term = pod.affinity.required_pod_anti.emplace_back();
      term.label_selector.emplace().match_labels.Set("app", fmt::format("{}-{}", p, i));
      term.topology_key = "kubernetes.io/hostname";
    }
  }
  return all;
}

std::vector<Pod> AskingForResources(int pods, int resources) {
  std::vector<Pod> all;
  for (int p = 0; p < pods; ++p) {
    Pod& pod = all.emplace_back(Named(fmt::format("evil-{}", p)));
    for (int i = 0; i < resources; ++i) {
      pod.containers[0].requests.Append(fmt::format("example.com/r-{}-{}", p, i),
                                        Quantity::FromInt(1));
    }
    pod.containers[0].requests.Normalize();
  }
  return all;
}

std::vector<Pod> ApartFromEverybody(int terms) {
  Pod pod = Named("evil");
  for (int i = 0; i < terms; ++i) {
    PodAffinityTerm& term = pod.affinity.required_pod_anti.emplace_back();
    term.label_selector.emplace();
    term.namespace_selector.emplace();
    term.topology_key = fmt::format("example.com/k{}", i);
  }
  return One(pod);
}

std::vector<Pod> WithManyValues(int values) {
  Pod pod = Named("evil");
  SelectorRequirement& requirement =
      pod.affinity.required_node.emplace().terms.emplace_back().match_expressions.emplace_back();
  requirement.key = "kubernetes.io/hostname";
  requirement.op = SelectorOperator::kNotIn;
  for (int i = 0; i < values; ++i) requirement.values.push_back(fmt::format("other-{}", i));
  return One(pod);
}

std::vector<Pod> WithManyTolerations(int tolerations) {
  Pod pod = Named("evil");
  for (int i = 0; i < tolerations; ++i) {
    pod.tolerations.push_back({fmt::format("example.com/t{}", i), "", true, {}});
  }
  return One(pod);
}

std::vector<Pod> GangWithLevels(int levels) {
  std::string text;
  for (int i = 0; i < levels; ++i) text += fmt::format("example.com/level-{},", i);
  std::vector<Pod> all;
  for (int i = 0; i < 2; ++i) {
    Pod& pod = all.emplace_back(Member("evil", i, 2, "1"));
    pod.annotations.Set(plan::kTopologyRequired, text);
  }
  return all;
}

std::vector<Pod> UnlikeMembers(int members) {
  std::vector<Pod> all;
  for (int i = 0; i < members; ++i) {
    all.push_back(Member("evil", i, members, fmt::format("{}m", 3001 + i)));
  }
  return all;
}

struct HostileRow {
  const char* name;
  std::vector<Pod> (*pods)();
  const char* reason;  // a part of what the group's, or the pod's, reason is; empty: it has none
};

class Hostile : public RoundsTest, public ::testing::WithParamInterface<HostileRow> {
 protected:
  Hostile() {
    for (int i = 0; i < kNodes; ++i) {
      cluster_.Put(testing::MakeNode(fmt::format("n{}", i))
                       .Label("kubernetes.io/hostname", fmt::format("n{}", i)));
    }
    cluster_.Put(Member("innocent", 0, 2, "1"));
    cluster_.Put(Member("innocent", 1, 2, "1"));
    cluster_.Put(Named("single"));
  }
  bool HasPlace(const std::string& pod) {
    const BoardPod* const seat = loop_.Answer()->board->Find(cluster_.Get(pod).uid);
    return seat != nullptr && !seat->node.empty();
  }
  std::string ReasonOfEvil() {
    for (const plan::GroupState& group : loop_.Answer()->board->groups()) {
      if (group.key.name == "evil") return group.text;
    }
    return "";
  }
};

TEST_P(Hostile, PodsHoldUpNobody) {
  for (const Pod& pod : GetParam().pods()) cluster_.Put(pod);
  const size_t before = ResidentBytes();
  const std::clock_t began = std::clock();
  for (int round = 0; round < 3; ++round) {
    loop_.Step();
    now_ += std::chrono::seconds(3);  // why gangs wait is to be explained by now
  }
  const double took = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  EXPECT_LT(took, kMostSeconds);
  const size_t after = ResidentBytes();
  EXPECT_LT(after - std::min(before, after), kMostMemory);
  EXPECT_TRUE(HasPlace("innocent-0") && HasPlace("innocent-1"));
  std::string said = ReasonOfEvil();
  for (const std::string& line : logged_) said += "\n" + line;
  EXPECT_THAT(said, ::testing::HasSubstr(GetParam().reason));
  RecordProperty("milliseconds", static_cast<int>(took * 1000));
  std::fprintf(stderr, "%s: %d ms, %zu MB\n", GetParam().name, static_cast<int>(took * 1000),
               (after - std::min(before, after)) >> 20);
}

const HostileRow kHostileRows[] = {
    {"SpreadConstraints", [] { return SpreadOverManyKeys(1, 5000); },
     "exceeds a limit of the planner: 5000 topology spread constraints, at most 64"},
    {"SpreadConstraintsOfManyPods", [] { return SpreadOverManyKeys(200, 60); },
     "exceeds a limit of the planner: all pending pods together have more than 1024 different"},
    {"SpreadConstraintsOfAGang", [] { return GangSpreadOverManyKeys(200, 60); },
     "gang default/evil waits: exceeds a limit of the planner: all pending pods together"},
    {"AntiAffinityOfManyBoundPods", [] { return BoundApart(200 / kLess, 60); }, ""},
    {"AntiAffinityOfABoundPod", [] { return BoundApart(1, 5000); }, ""},
    {"Resources", [] { return AskingForResources(1, 10'000); },
     "exceeds a limit of the planner: 10001 resources, at most 64"},
    {"ResourcesOfManyPods", [] { return AskingForResources(1000 / kLess, 60); }, ""},
    {"AntiAffinity", [] { return ApartFromEverybody(5000); },
     "5000 pod affinity and anti-affinity terms, at most 64"},
    {"NodeAffinity", [] { return WithManyValues(20'000); },
     "20002 labels and values in selectors, at most 1000"},
    {"Tolerations", [] { return WithManyTolerations(20'000); }, "20000 tolerations, at most 1000"},
    {"TopologyLevels", [] { return GangWithLevels(10'000); },
     "names more than 8 topology levels, the limit"},
    {"UnlikeMembersWithoutRoom", [] { return UnlikeMembers(kNodes + kNodes / 10); },
     "gang default/evil waits"},
};
INSTANTIATE_TEST_SUITE_P(Of, Hostile, ::testing::ValuesIn(kHostileRows),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace outrigger::gang
