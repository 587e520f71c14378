// The body of a watch. The first two bytes choose how the rest is cut into pieces.
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "kube/stream/watch_stream.h"
#include "kube_pieces.h"
#include "nlohmann/json.hpp"
#include "outrigger/k8s/string_map.h"

namespace outrigger::fuzz {
namespace {

using kube::WatchEvent;
using kube::WatchEventType;

struct Event {
  WatchEventType type;
  std::string name, namespace_, version;
  bool end = false;
  bool readable = false;
  StringMap labels;
  std::string document, error;
  friend bool operator==(const Event& a, const Event& b) {
    return a.type == b.type && a.name == b.name && a.namespace_ == b.namespace_ &&
           a.version == b.version && a.end == b.end && a.readable == b.readable &&
           a.document == b.document && a.error == b.error;
  }
};

struct Outcome {
  absl::StatusCode code = absl::StatusCode::kOk;
  std::vector<Event> events;
};

absl::Status ReadLabels(json::Object object, StringMap* labels) {
  return json::ReadObject(
      object, json::Path(""),
      json::Field{"metadata", [&](json::Value value, const json::Path& at) {
                    return json::ReadObject(value, at, json::Field{"labels", labels});
                  }});
}

Outcome Feed(const std::vector<std::string_view>& pieces) {
  constexpr size_t kLimit = 2000;
  kube::WatchStream stream(kLimit);
  Outcome outcome;
  const auto on_event = [&outcome](const WatchEvent& event) {
    Event& copy = outcome.events.emplace_back();
    copy.type = event.type;
    copy.document = event.document;
    copy.error = event.error;
    if (event.type == WatchEventType::kError) return absl::OkStatus();
    copy.name = event.head.name;
    copy.namespace_ = event.head.namespace_;
    copy.version = event.head.resource_version;
    copy.end = event.head.initial_events_end;
    copy.readable = ReadLabels(event.object, &copy.labels).ok();
    return absl::OkStatus();
  };
  for (const std::string_view piece : pieces) {
    // Of the exact size, so that a sanitizer sees who reads behind it.
    const std::vector<char> memory(piece.begin(), piece.end());
    const absl::Status status = stream.Feed({memory.data(), memory.size()}, on_event);
    outcome.code = status.code();
    OUTRIGGER_REQUIRE(stream.pending() <= kLimit);
    if (status.ok()) continue;
    OUTRIGGER_REQUIRE(status.code() == absl::StatusCode::kInvalidArgument ||
                      status.code() == absl::StatusCode::kResourceExhausted);
    OUTRIGGER_REQUIRE(!status.message().empty() && status.message().size() < 1000);
    break;
  }
  return outcome;
}

const nlohmann::json& At(const nlohmann::json& object, const char* key) {
  static const nlohmann::json kNull;
  return object.is_object() && object.contains(key) ? object[key] : kNull;
}

std::string TextOf(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

// What nlohmann reads in the same bytes, where it takes them at all.
void CheckAgainst(const Event& event) {
  const auto parsed = nlohmann::json::parse(event.document, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return;
  constexpr const char* kTypes[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};
  OUTRIGGER_REQUIRE(TextOf(At(parsed, "type")) == kTypes[static_cast<size_t>(event.type)]);
  OUTRIGGER_REQUIRE(parsed.contains("object"));
  if (event.type == WatchEventType::kError) {
    OUTRIGGER_REQUIRE(nlohmann::json::parse(event.error, nullptr, false) == parsed["object"]);
    return;
  }
  OUTRIGGER_REQUIRE(parsed["object"].is_object());
  const nlohmann::json& metadata = At(parsed["object"], "metadata");
  OUTRIGGER_REQUIRE(TextOf(At(metadata, "name")) == event.name);
  OUTRIGGER_REQUIRE(TextOf(At(metadata, "namespace")) == event.namespace_);
  OUTRIGGER_REQUIRE(TextOf(At(metadata, "resourceVersion")) == event.version);
  OUTRIGGER_REQUIRE(!event.version.empty());
  if (event.type != WatchEventType::kBookmark) {
    OUTRIGGER_REQUIRE(!event.name.empty());
    return;
  }
  const std::string end = TextOf(At(At(metadata, "annotations"), "k8s.io/initial-events-end"));
  OUTRIGGER_REQUIRE((end == "true") == event.end);
}

void CheckLabels(const Event& event) {
  const auto parsed = nlohmann::json::parse(event.document, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded() || !event.readable) return;
  for (const auto& [key, value] : event.labels) {
    const nlohmann::json& labels = At(At(At(parsed, "object"), "metadata"), "labels");
    OUTRIGGER_REQUIRE(labels.contains(key) && TextOf(labels[key]) == value);
  }
}

void Run(std::string_view input) {
  if (input.size() < 2) return;
  const auto first = static_cast<uint8_t>(input[0]);
  const size_t size = 1 + static_cast<uint8_t>(input[1]);
  const std::string_view body = input.substr(2);
  const Outcome whole = Feed({body});
  for (const auto& pieces : {Pieces(body, first, size), Pieces(body, 0, 1)}) {
    const Outcome cut = Feed(pieces);
    OUTRIGGER_REQUIRE(cut.code == whole.code);
    OUTRIGGER_REQUIRE(cut.events == whole.events);
  }
  for (const Event& event : whole.events) {
    CheckAgainst(event);
    CheckLabels(event);
  }
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
