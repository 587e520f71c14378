#include "load/annotate/node_writer.h"

#include <chrono>
#include <utility>

#include "kube/objects.h"
#include "kube/resource.h"
#include "nlohmann/json.hpp"

namespace outrigger::annotate {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::chrono::seconds kTimeout{10};

}  // namespace

std::string PatchBody(const NodeChange& change) {
  OrderedJson annotations = OrderedJson::object();
  for (const auto& [key, text] : change) {
    annotations[key] = text ? OrderedJson(*text) : OrderedJson(nullptr);
  }
  const OrderedJson body = {{"metadata", {{"annotations", std::move(annotations)}}}};
  return body.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

absl::StatusOr<std::string> KubeNodeWriter::Write(std::string_view node, const NodeChange& change,
                                                  std::stop_token stop) {
  const auto written = kube::Patch(
      api_, kube::kNodes, {"", node}, PatchBody(change),
      {.type = kube::PatchType::kMerge, .field_manager = "outrigger-annotate", .force = false},
      {.timeout = kTimeout, .stop = std::move(stop), .rate_limited = false, .may_retry = false});
  if (!written.ok()) return written.status();
  const auto object = OrderedJson::parse(*written, nullptr, /*allow_exceptions=*/false);
  const OrderedJson::json_pointer at("/metadata/resourceVersion");
  if (!object.is_object() || !object.contains(at) || !object[at].is_string()) return std::string();
  return object[at].get<std::string>();
}

}  // namespace outrigger::annotate
