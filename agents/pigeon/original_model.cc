#include "original_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fmt/format.h"

namespace outrigger::pigeon {
namespace {

constexpr int64_t kMi = int64_t{1} << 20;
constexpr int64_t kGi = int64_t{1} << 30;

struct Term {
  std::string_view name;
  std::string_view annotation;
  int64_t unit;  // of capacity and usage
};
constexpr std::array<Term, 5> kTerms = {
    {{"cpu", "requested-cpu", 1},
     {"memory", "requested-memory", kMi},
     {"pods", "requested-pods", 1},
     {"gpu", "requested-gpu", 1},
     {"ephemeral-storage", "requested-ephemeral-storage", kGi}}};
constexpr size_t kCpuAt = 0;
constexpr size_t kMemoryAt = 1;
constexpr size_t kPodsAt = 2;
constexpr size_t kGpuAt = 3;
constexpr size_t kStorageAt = 4;

int64_t CapacityOf(size_t resource, const Quantity& quantity) {
  switch (resource) {
    case kCpuAt:
      return quantity.MilliValue();
    case kGpuAt:
      return quantity.AsInt64().value_or(0);
    default:
      return quantity.Value() / kTerms[resource].unit;
  }
}

// Sums wrap as they do in Go.
int64_t Sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

int64_t SumOfContainers(const Pod& pod, std::string_view name) {
  int64_t sum = 0;
  for (const Container& container : pod.containers) {
    const Quantity quantity = container.requests.Get(name);
    sum = Sum(sum, name == kCpu ? quantity.MilliValue() : quantity.Value());
  }
  return sum;
}

// The first resource that keeps the pod away.
Verdict Reject(std::span<const int32_t> asked, const original::Node& node) {
  for (size_t r = 0; r < asked.size(); ++r) {
    const int64_t free = int64_t{node.capacity[r]} - node.usage[r];
    if (asked[r] <= free) continue;
    return Verdict::Rejected(
        "does-not-fit", "{}: {} requested, {} free; fewer pods or a smaller request would help",
        kTerms[r].name, asked[r], std::max<int64_t>(free, 0));
  }
  return {};
}

}  // namespace

OriginalModel::OriginalModel(const Options& options)
    : terms_{options.objective, options.prime},
      resources_(options.resources.size()),
      counts_(options.original_counts),
      demand_(resources_) {}

std::vector<int32_t> OriginalModel::Asked(const Pod& pod) const {
  std::vector<int32_t> asked(resources_);
  for (size_t r = 0; r < resources_; ++r) {
    int64_t amount = 0;
    if (r == kCpuAt) {
      amount = SumOfContainers(pod, kCpu);
      if (amount == 0) amount = 10;
    } else if (r == kMemoryAt) {
      amount = SumOfContainers(pod, kMemory) / kMi;
      if (amount == 0) amount = 16;
    } else if (r == kPodsAt) {
      amount = 1;
    } else if (r == kStorageAt) {
      amount = SumOfContainers(pod, kEphemeralStorage);  // fault: in bytes, and cut to 32 bits
    }                                                    // fault: no gpu is ever asked for
    asked[r] = static_cast<int32_t>(amount);
  }
  return asked;
}

original::Node OriginalModel::Read(const Request& request, const Node& node) const {
  original::Node read{std::vector<int32_t>(resources_), std::vector<int32_t>(resources_)};
  for (size_t r = 0; r < resources_; ++r) {
    const Term& term = kTerms[r];
    read.capacity[r] = static_cast<int32_t>(CapacityOf(r, node.allocatable.Get(term.name)));
    const int64_t usage = request.AnnotationInt(node, term.annotation).value_or(0);
    read.usage[r] = static_cast<int32_t>(std::max<int64_t>(usage, 0) / term.unit);
  }
  return read;
}

void OriginalModel::Filter(const Request& request, std::span<Verdict> verdicts) const {
  const std::vector<int32_t> asked = Asked(request.pod);
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    const Node& node = request.nodes[i];
    if (node.known) verdicts[i] = Reject(asked, Read(request, node));
  }
}

// A name that is there twice is one node, as it was; both entries get its score (the original left
// one of them empty).
void OriginalModel::Score(const Request& request, std::span<NodeScore> scores) {
  const std::vector<int32_t> asked = Asked(request.pod);
  std::vector<original::Node> nodes;
  std::vector<size_t> place(request.nodes.size());
  std::unordered_map<std::string_view, size_t> known;
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    const Node& node = request.nodes[i];
    if (!node.known) continue;
    place[i] = known.emplace(node.name, nodes.size()).first->second;
    if (place[i] == nodes.size()) nodes.emplace_back();
    nodes[place[i]] = Read(request, node);
  }
  const MutexLock lock(mutex_);
  if (counts_) demand_.Add(asked);
  const std::vector<float> values = original::Evaluate(terms_, asked, demand_, &nodes);
  const std::vector<int> mapped = original::ScoresOf(values);
  for (size_t i = 0; i < scores.size(); ++i) {
    if (!request.nodes[i].known) {
      scores[i] = {0, request.Why("the node is unknown")};
      continue;
    }
    const float value = values[place[i]];
    scores[i].value = mapped[place[i]] / 10.0;
    if (!request.explaining) continue;
    scores[i].why = std::isnan(value) ? std::string("the pod does not fit")
                                      : fmt::format("{} {:.6f}, original arithmetic",
                                                    NameOf(terms_.objective), value);
  }
}

}  // namespace outrigger::pigeon
