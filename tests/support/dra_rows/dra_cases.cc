#include "dra_cases.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "codec/json/object_list.h"
#include "devices/dra/decode.h"

namespace outrigger::dra::testing {
namespace {

using Json = nlohmann::json;

void Check(const absl::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

template <typename Item, typename Decode>
std::vector<Item> ReadAll(const Json& json, const char* key, Decode decode) {
  std::vector<Item> items;
  if (!json.contains(key) || json[key].is_null()) return items;
  for (const Json& object : json[key]) {
    // The parser wants room behind the text.
    std::string text = object.dump();
    const size_t size = text.size();
    text.append(json::kPadding, ' ');
    json::ListedObject listed;
    listed.body = {text.data(), size};
    std::vector<json::MalformedValue> malformed;
    Check(decode(listed, &items.emplace_back(), &malformed));
    if (!malformed.empty()) throw std::runtime_error(malformed[0].field + " is malformed");
  }
  return items;
}

absl::Status DecodeNode(const json::ListedObject& object, Node* node,
                        std::vector<json::MalformedValue>* malformed) {
  return json::DecodeNode(object, Needs::All(), node, malformed);
}

Json RequirementsJson(const std::vector<SelectorRequirement>& requirements) {
  static constexpr const char* kNames[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
  Json list = Json::array();
  for (const SelectorRequirement& each : requirements) {
    Json json = {{"key", each.key}, {"operator", kNames[static_cast<size_t>(each.op)]}};
    if (!each.values.empty()) json["values"] = each.values;
    list.push_back(std::move(json));
  }
  return list;
}

Json SelectorJson(const NodeSelector& selector) {
  Json terms = Json::array();
  for (const NodeSelectorTerm& term : selector.terms) {
    Json json = Json::object();
    if (!term.match_expressions.empty()) {
      json["matchExpressions"] = RequirementsJson(term.match_expressions);
    }
    if (!term.match_fields.empty()) json["matchFields"] = RequirementsJson(term.match_fields);
    terms.push_back(std::move(json));
  }
  return {{"nodeSelectorTerms", std::move(terms)}};
}

Json ResultJson(const Result& result) {
  Json json = {{"request", result.request},
               {"driver", result.driver},
               {"pool", result.pool},
               {"device", result.device}};
  if (result.admin_access) json["adminAccess"] = true;
  if (result.share) json["shareID"] = "*";
  for (const auto& [name, amount] : result.consumed) {
    json["consumedCapacity"][name] = amount.ToString();
  }
  return json;
}

Json AllocationJson(const Allocation& allocation) {
  Json devices = Json::object();
  for (const Result& result : allocation.results) devices["results"].push_back(ResultJson(result));
  for (const Allocation::Config& config : allocation.configs) {
    Json json = Json::parse(config.json);
    json["source"] = config.of_class ? "FromClass" : "FromClaim";
    if (!config.requests.empty()) json["requests"] = config.requests;
    devices["config"].push_back(std::move(json));
  }
  Json json = {{"devices", std::move(devices)}};
  if (allocation.nodes.has_value()) json["nodeSelector"] = SelectorJson(*allocation.nodes);
  return json;
}

}  // namespace

Case ReadCase(const Json& json) {
  Case read;
  read.nodes = ReadAll<Node>(json, "nodes", DecodeNode);
  read.cluster.slices = ReadAll<Slice>(json, "slices", DecodeSlice);
  read.cluster.classes = ReadAll<Class>(json, "classes", DecodeClass);
  read.cluster.claims = ReadAll<Claim>(json, "allocated", DecodeClaim);
  read.claims = ReadAll<Claim>(json, "claims", DecodeClaim);
  return read;
}

Json ToJson(const Answer& answer) {
  switch (answer.outcome) {
    case Outcome::kMisfit:
      return {{"fits", false}};
    case Outcome::kError:
      return {{"error", answer.text}, {"scope", answer.of_node ? "node" : "cycle"}};
    case Outcome::kUnsure:
      return {{"unsure", answer.text}};
    case Outcome::kFits:
      break;
  }
  Json allocations = Json::array();
  for (const Allocation& each : answer.claims) allocations.push_back(AllocationJson(each));
  return {{"fits", true}, {"allocations", std::move(allocations)}};
}

Json AnswersTo(const Json& of_case) {
  const Case read = ReadCase(of_case);
  const Allocator allocator(read.cluster);
  Json answers = Json::object();
  for (const Node& node : read.nodes) {
    answers[node.name] = ToJson(allocator.Allocate(node, read.claims));
  }
  return answers;
}

}  // namespace outrigger::dra::testing
