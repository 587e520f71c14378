#include "kube/stream/object_head.h"

namespace outrigger::kube {
namespace {

using json::Field;

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

absl::Status ReadAnnotations(json::Value value, const json::Path& at, ObjectHead* head) {
  return json::ForEachField(value, at, [&](std::string_view key, json::Value item) {
    const json::Path place = at.Key(key);
    if (key != kInitialEventsEnd) return json::SkipValue(item, place);
    std::string_view text;
    absl::Status status = json::ReadField(item, place, &text);
    head->initial_events_end = text == "true";
    return status;
  });
}

template <typename ObjectOrValue>
absl::Status Read(ObjectOrValue object, const json::Path& at, bool annotations, ObjectHead* head) {
  head->name.clear();
  head->namespace_.clear();
  head->resource_version.clear();
  head->initial_events_end = false;
  const auto read_annotations = [&](json::Value value, const json::Path& place) {
    return ReadAnnotations(value, place, head);
  };
  const auto metadata = [&](json::Value value, const json::Path& place) {
    return json::ReadObject(value, place, Field{"name", &head->name},
                            Field{"namespace", &head->namespace_},
                            Field{"resourceVersion", &head->resource_version},
                            Field{"annotations", read_annotations, annotations});
  };
  return json::ReadObject(object, at, Field{"metadata", metadata});
}

}  // namespace

absl::Status ReadHead(json::Value object, const json::Path& at, bool annotations,
                      ObjectHead* head) {
  return Read(object, at, annotations, head);
}

absl::Status ReadHead(json::Object object, const json::Path& at, bool annotations,
                      ObjectHead* head) {
  return Read(object, at, annotations, head);
}

bool IsJson(std::string_view text) {
  simdjson::dom::parser parser;
  // Otherwise an object that is nested deeply would count as damaged.
  if (parser.allocate(text.size(), json::kMaxDepth) != simdjson::SUCCESS) return false;
  return parser.parse(text.data(), text.size()).error() == simdjson::SUCCESS;
}

}  // namespace outrigger::kube
