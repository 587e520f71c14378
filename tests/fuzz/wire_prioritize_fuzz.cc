// A prioritize call as agents read it (some annotations, resources) beside all of it, and the
// answer to it.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "check.h"
#include "wire_args.h"
#include "wire_input.h"

namespace outrigger::fuzz {
namespace {

Needs AgentNeeds() {
  return Needs()
      .NodeAnnotations({"mean-free-cpu", "std-free-cpu", "congestion-factor"})
      .NodeAllocatable()
      .PodResources();
}

bool Same(const ResourceList& a, const ResourceList& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

template <typename Map, typename Key>
void CheckOrdered(const Map& map, Key key) {
  for (auto entry = map.begin(); entry != map.end(); ++entry) {
    if (entry != map.begin()) OUTRIGGER_REQUIRE(key(*(entry - 1)) < key(*entry));
  }
}

void CheckMapsAreOrdered(const Node& node) {
  const auto key = [](const StringMap::Entry& entry) { return entry.first; };
  const auto name = [](const ResourceList::Entry& entry) { return entry.name; };
  CheckOrdered(node.labels, key);
  CheckOrdered(node.annotations, key);
  CheckOrdered(node.allocatable, name);
  CheckOrdered(node.capacity, name);
}

// What the agent asked for is what is read where all is read, and nothing else is there.
void CheckNeeds(wire::Body body, const wire::ExtenderArgs& all) {
  wire::ExtenderArgs* args = nullptr;
  const Needs needs = AgentNeeds();
  const absl::Status status = DecodeReused(body, needs, &args);
  OUTRIGGER_REQUIRE(status.ok() && args->nodes.size() == all.nodes.size());
  for (size_t i = 0; i < all.nodes.size(); ++i) {
    const Node& some = args->nodes[i];
    size_t asked = 0;
    for (const std::string& key : needs.annotation_keys()) {
      const std::string* value = all.nodes[i].annotations.Find(key);
      asked += value != nullptr ? 1 : 0;
      const std::string* found = some.annotations.Find(key);
      OUTRIGGER_REQUIRE((found == nullptr) == (value == nullptr));
      if (found != nullptr) OUTRIGGER_REQUIRE(*found == *value);
    }
    OUTRIGGER_REQUIRE(some.annotations.size() == asked);
    OUTRIGGER_REQUIRE(Same(some.allocatable, all.nodes[i].allocatable));
    OUTRIGGER_REQUIRE(some.labels.empty() && some.capacity.empty() && some.taints.empty());
  }
  OUTRIGGER_REQUIRE(args->pod.containers.size() == all.pod.containers.size());
  OUTRIGGER_REQUIRE(Same(PodRequests(args->pod), PodRequests(all.pod)));
}

void CheckMap(const nlohmann::json& parsed, const StringMap& map) {
  OUTRIGGER_REQUIRE(map.size() == (parsed.is_null() ? 0 : parsed.size()));
  for (const auto& [key, value] : map) OUTRIGGER_REQUIRE(TextOf(Exact(parsed, key)) == value);
}

// Amounts that are no quantities are left out and listed.
void CheckAmounts(const nlohmann::json& parsed, const ResourceList& list) {
  for (const ResourceList::Entry& entry : list) {
    const nlohmann::json& amount = Exact(parsed, entry.name);
    if (!amount.is_string()) continue;  // a number, or null
    const auto quantity = Quantity::Parse(amount.get<std::string>());
    OUTRIGGER_REQUIRE(quantity.ok() && *quantity == entry.quantity);
  }
}

// Values and not only names: labels, annotations and amounts are those that nlohmann reads. Of
// equal keys the last wins in both.
void CheckValues(const nlohmann::json& body, const wire::ExtenderArgs& args) {
  const nlohmann::json& items = Exact(AnyCase(body, "Nodes"), "items");
  if (!items.is_array()) return;
  for (size_t i = 0; i < args.nodes.size(); ++i) {
    const nlohmann::json& metadata = Exact(items[i], "metadata");
    CheckMap(Exact(metadata, "labels"), args.nodes[i].labels);
    CheckMap(Exact(metadata, "annotations"), args.nodes[i].annotations);
    CheckAmounts(Exact(Exact(items[i], "status"), "allocatable"), args.nodes[i].allocatable);
  }
}

void CheckAnswer(size_t seed, const wire::ExtenderArgs& args) {
  std::vector<int> scores;
  for (size_t i = 0; i < args.names.size(); ++i) {
    scores.push_back(static_cast<int>((i + seed) % 11));
  }
  std::string encoded;
  wire::EncodeHostPriorityList(args, scores, &encoded);
  const nlohmann::json parsed = Parsed(encoded);
  const bool all_zero = std::count(scores.begin(), scores.end(), 0) == std::ssize(scores);
  OUTRIGGER_REQUIRE(parsed.is_array() && parsed.size() == (all_zero ? 0 : scores.size()));
  if (all_zero) return;
  for (size_t i = 0; i < scores.size(); ++i) {
    OUTRIGGER_REQUIRE(TextOf(Exact(parsed[i], "Host")) == args.names[i]);
    OUTRIGGER_REQUIRE(Exact(parsed[i], "Score") == scores[i]);
  }
}

void Run(std::string_view bytes) {
  const Input input(bytes, '\0');
  wire::ExtenderArgs args;
  const absl::Status status = DecodeChecked(input.bytes(), Needs::All(), &args);
  CheckFewer(input.body(), AgentNeeds(), status, args);
  if (!status.ok()) return;
  for (const Node& node : args.nodes) CheckMapsAreOrdered(node);
  CheckNeeds(input.body(), args);
  const nlohmann::json parsed = Parsed(bytes);
  if (!parsed.is_discarded()) {
    CheckAgainst(parsed, args);
    CheckValues(parsed, args);
  }
  CheckAnswer(bytes.size(), args);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run(outrigger::fuzz::Text(data, size));
  return 0;
}
