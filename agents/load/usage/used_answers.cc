#include "load/usage/used_answers.h"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "codec/json/body.h"
#include "codec/json/parser.h"
#include "codec/json/path.h"
#include "codec/json/reader.h"
#include "outrigger/k8s/quantity.h"
#include "outrigger/k8s/resources.h"

namespace outrigger::usage {
namespace {

using json::Field;

// Far more than a cluster has; 256 MiB of "{}," would be gigabytes of nodes.
constexpr size_t kMostNodes = 1'000'000;

absl::Status CheckCount(const std::vector<UsedNow>& nodes, const json::Path& at) {
  return nodes.size() < kMostNodes ? absl::OkStatus() : json::Invalid(at, "too many nodes");
}

/// Returns the amount times `unit`; none where it is missing, negative or beyond a double.
std::optional<double> AmountOf(const ResourceList& used, std::string_view name, double unit) {
  const Quantity* const amount = used.Find(name);
  if (amount == nullptr) return std::nullopt;
  const double value = amount->ToDouble() * unit;
  return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

void SetAmounts(const ResourceList& used, UsedNow* node) {
  node->cpu = AmountOf(used, "cpu", 1000);
  node->memory = AmountOf(used, "memory", 1);
}

/// Reads a time of RFC 3339, with any offset and digits, as Unix time in ms; 0 of another text.
absl::Status ReadInstant(json::Value value, const json::Path& at, int64_t* ms) {
  std::string text;
  absl::Status status = json::Read(value, at, &text);
  absl::Time time;
  std::string error;
  const bool is_time = status.ok() && absl::ParseTime(absl::RFC3339_full, text, &time, &error) &&
                       time != absl::InfiniteFuture();  // which absl has a word for
  *ms = is_time ? absl::ToUnixMillis(time) : 0;
  return status;
}

/// Reads a duration as Go writes it ("20.5s", "1m0s"); 0 of another text.
absl::Status ReadSpan(json::Value value, const json::Path& at, std::chrono::milliseconds* span) {
  std::string text;
  absl::Status status = json::Read(value, at, &text);
  absl::Duration duration;
  if (status.ok() && absl::ParseDuration(text, &duration) && duration >= absl::ZeroDuration() &&
      duration < absl::Hours(24)) {
    *span = std::chrono::milliseconds(absl::ToInt64Milliseconds(duration));
  }
  return status;
}

absl::Status ReadName(json::Value value, const json::Path& at, std::string* name) {
  return json::ReadObject(value, at, Field{"name", name});
}

absl::Status ReadNode(json::Value value, const json::Path& at, UsedNow* node) {
  ResourceList used;
  absl::Status status =
      json::ReadObject(value, at,
                       Field{"metadata",
                             [node](json::Value metadata, const json::Path& place) {
                               return ReadName(metadata, place, &node->name);
                             }},
                       Field{"timestamp",
                             [node](json::Value time, const json::Path& place) {
                               return ReadInstant(time, place, &node->time_ms);
                             }},
                       Field{"window",
                             [node](json::Value window, const json::Path& place) {
                               return ReadSpan(window, place, &node->covers);
                             }},
                       Field{"usage", &used});
  SetAmounts(used, node);
  return status;
}

absl::Status ReadList(json::Object root, const json::Path& at, std::vector<UsedNow>* nodes) {
  bool has_items = false;
  absl::Status status = json::ReadObject(
      root, at, Field{"items", [&](json::Value items, const json::Path& place) {
                        has_items = true;
                        return json::ForEachElement(
                            items, place, [&](json::Value item, const json::Path& inner) {
                              absl::Status fits = CheckCount(*nodes, inner);
                              if (!fits.ok()) return fits;
                              return ReadNode(item, inner, &nodes->emplace_back());
                            });
                      }});
  if (status.ok() && !has_items) {
    return json::Invalid(at.Key("items"), "expected an array, found nothing");
  }
  return status;
}

absl::Status ReadFile(json::Object root, const json::Path& at, std::vector<UsedNow>* nodes) {
  int64_t time_ms = 0;
  bool has_nodes = false;
  const auto read_time = [&](json::Value value, const json::Path& place) {
    absl::Status status = ReadInstant(value, place, &time_ms);
    if (status.ok() && time_ms <= 0) {
      return json::Invalid(place, "expected a time such as 2026-11-26T02:00:00Z, found other text");
    }
    return status;
  };
  const auto read_nodes = [&](json::Value value, const json::Path& place) {
    has_nodes = true;
    return json::ForEachField(value, place, [&](std::string_view name, json::Value node) {
      absl::Status status = CheckCount(*nodes, place);
      if (!status.ok()) return status;
      UsedNow& now = nodes->emplace_back();
      now.name = name;
      ResourceList used;
      status = json::Read(node, place.Key(now.name), &used);
      SetAmounts(used, &now);
      return status;
    });
  };
  absl::Status status =
      json::ReadObject(root, at, Field{"time", read_time}, Field{"nodes", read_nodes});
  if (status.ok() && !has_nodes) {
    return json::Invalid(at.Key("nodes"), "expected an object, found nothing");
  }
  for (UsedNow& node : *nodes) node.time_ms = time_ms;
  return status;
}

using ReadRootFunction =
    absl::FunctionRef<absl::Status(json::Object, const json::Path&, std::vector<UsedNow>*)>;

absl::StatusOr<std::vector<UsedNow>> ReadBody(std::string_view name, std::string* body,
                                              ReadRootFunction read) {
  const size_t size = body->size();
  body->append(json::kPadding, ' ');
  std::vector<json::MalformedValue> malformed;
  const json::Path at(name, &malformed);
  const json::ParserLease parser;
  json::Object root;
  std::vector<UsedNow> nodes;
  absl::Status status = parser->Open({body->data(), size}, &root);
  if (status.ok()) status = read(root, at, &nodes);
  if (status.ok()) status = parser->Close();
  body->resize(size);
  if (!status.ok()) return status;
  return nodes;
}

}  // namespace

absl::StatusOr<std::vector<UsedNow>> ReadNodeMetrics(std::string* body) {
  return ReadBody("NodeMetricsList", body, ReadList);
}

absl::StatusOr<std::vector<UsedNow>> ReadUsageFile(std::string* body) {
  return ReadBody("usage", body, ReadFile);
}

}  // namespace outrigger::usage
