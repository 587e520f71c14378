#include "kube/stream/watch_stream.h"

#include <optional>
#include <string>

#include "codec/json/reader.h"
#include "fmt/format.h"

namespace outrigger::kube {

absl::Status LineSplitter::Append(std::string_view bytes) {
  if (bytes.size() > max_line_ - line_.size()) {
    return absl::ResourceExhaustedError(
        fmt::format("an event of more than {} bytes, expected at most that", max_line_));
  }
  line_.append(bytes);
  return absl::OkStatus();
}

absl::Status LineSplitter::EndLine(absl::FunctionRef<absl::Status(json::Body)> on_line) {
  if (line_.find_first_not_of(" \t\r") == std::string::npos) {
    line_.clear();
    return absl::OkStatus();
  }
  const size_t size = line_.size();
  line_.append(json::kPadding, ' ');
  absl::Status status = on_line({line_.data(), size});
  line_.clear();
  if (line_.capacity() > kKeptBytes) line_.shrink_to_fit();
  return status;
}

absl::Status LineSplitter::Feed(std::string_view bytes,
                                absl::FunctionRef<absl::Status(json::Body)> on_line) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    absl::Status status = Append(bytes.substr(0, end));
    if (!status.ok() || end == std::string_view::npos) return status;
    status = EndLine(on_line);
    if (!status.ok()) return status;
    bytes.remove_prefix(end + 1);
  }
  return absl::OkStatus();
}

namespace {

using json::Field;

const json::Path kEvent("event");

}  // namespace

std::optional<WatchEventType> WatchEventTypeOf(std::string_view text) {
  if (text == "ADDED") return WatchEventType::kAdded;
  if (text == "MODIFIED") return WatchEventType::kModified;
  if (text == "DELETED") return WatchEventType::kDeleted;
  if (text == "BOOKMARK") return WatchEventType::kBookmark;
  if (text == "ERROR") return WatchEventType::kError;
  return std::nullopt;
}

absl::Status UnknownWatchEventType(std::string_view found) {
  return json::Invalid(
      kEvent.Key("type"),
      fmt::format("expected ADDED, MODIFIED, DELETED, BOOKMARK or ERROR, found {}", found));
}

absl::Status CheckHead(WatchEventType type, const ObjectHead& head) {
  if (type == WatchEventType::kError) return absl::OkStatus();
  const json::Path object = kEvent.Key("object");
  const json::Path metadata = object.Key("metadata");
  if (head.resource_version.empty()) {
    return json::Invalid(metadata.Key("resourceVersion"), "expected a version, found nothing");
  }
  if (head.name.empty() && type != WatchEventType::kBookmark) {
    return json::Invalid(metadata.Key("name"), "expected a name, found nothing");
  }
  return absl::OkStatus();
}

namespace {

// The object itself: the frame has been read, and stands at its beginning again.
absl::Status OpenObject(json::Parser* parser, bool raw, json::Object* object,
                        std::string_view* bytes) {
  json::Object root;
  absl::Status status = parser->Rewind(&root);
  if (!status.ok()) return status;
  const json::Path at = kEvent.Key("object");
  auto value = root.find_field_unordered("object");
  if (raw) {
    const auto error = simdjson::to_json_string(value).get(*bytes);
    return error == simdjson::SUCCESS ? status : json::Broken(at, error);
  }
  const auto error = value.get_object().get(*object);
  return error == simdjson::SUCCESS ? status : json::Broken(at, error);
}

}  // namespace

absl::Status WatchStream::Feed(std::string_view bytes, OnWatchEvent on_event) {
  return lines_.Feed(bytes, [&](json::Body line) {
    if (!parser_) parser_ = std::make_unique<json::Parser>();
    absl::Status status = Decode(line, on_event);
    if (parser_->capacity() > 2 * LineSplitter::kKeptBytes) parser_.reset();
    return status;
  });
}

absl::Status WatchStream::ReadFrame(json::Object root, WatchEventType* type) {
  std::optional<WatchEventType> known;
  std::string unknown = "nothing";
  bool has_object = false;
  const auto read_type = [&](json::Value value, const json::Path& at) {
    std::string_view text;
    absl::Status status = json::Read(value, at, &text);
    known = WatchEventTypeOf(text);
    unknown = fmt::format("\"{}\"", json::Cut(text));
    return status;
  };
  const auto read_object = [&](json::Value value, const json::Path& at) {
    has_object = true;
    if (known == WatchEventType::kError) return json::SkipValue(value, at);
    const bool may_be_bookmark = !known || *known == WatchEventType::kBookmark;
    return ReadHead(value, at, may_be_bookmark, &head_);
  };
  head_ = ObjectHead();
  absl::Status status =
      json::ReadObject(root, kEvent, Field{"type", read_type}, Field{"object", read_object});
  if (status.ok()) status = parser_->Close();
  if (!status.ok()) return status;
  if (!known) return UnknownWatchEventType(unknown);
  if (!has_object) return json::Invalid(kEvent.Key("object"), "expected an object, found nothing");
  *type = *known;
  return CheckHead(*known, head_);
}

absl::Status WatchStream::Decode(json::Body line, OnWatchEvent on_event) {
  json::Object root;
  absl::Status status = parser_->Open(line, &root);
  WatchEvent event{.head = head_, .document = {line.data, line.size}};
  if (status.ok()) status = ReadFrame(root, &event.type);
  if (status.ok()) {
    status = OpenObject(parser_.get(), event.type == WatchEventType::kError, &event.object,
                        &event.error);
  }
  return status.ok() ? on_event(event) : status;
}

}  // namespace outrigger::kube
