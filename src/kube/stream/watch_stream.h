#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "codec/json/body.h"
#include "codec/json/parser.h"
#include "kube/stream/object_head.h"

namespace outrigger::kube {

/// Cuts a stream of bytes into lines. Not thread-safe.
class LineSplitter {
 public:
  /// Memory that is kept between lines, at most; what a longer line took is given back behind it.
  static constexpr size_t kKeptBytes = size_t{256} << 10U;

  /// Lines of up to `max_line` bytes.
  explicit LineSplitter(size_t max_line) : max_line_(max_line) {}

  /// Calls `on_line` for each line that ends within `bytes`, with room behind it as JSON needs it
  /// and without its end; blank lines are left out. Ends with the first error of `on_line`, or
  /// ResourceExhausted at a line that is too long; the stream cannot go on after that.
  absl::Status Feed(std::string_view bytes, absl::FunctionRef<absl::Status(json::Body)> on_line);

  /// Bytes that wait for the end of their line.
  size_t pending() const { return line_.size(); }
  /// Memory in use.
  size_t capacity() const { return line_.capacity(); }

 private:
  absl::Status Append(std::string_view bytes);
  absl::Status EndLine(absl::FunctionRef<absl::Status(json::Body)> on_line);

  const size_t max_line_;
  std::string line_;
};

enum class WatchEventType : uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };

/// An event of a watch. Everything is valid during the callback only.
struct WatchEvent {
  WatchEventType type = WatchEventType::kError;
  /// Of kError nothing is read; of others there is a resource version, and of objects a name.
  const ObjectHead& head;
  /// The object, to be read at most once; of kError a metav1.Status. Empty if `protobuf` is not.
  json::Object object = {};
  /// The object as the bytes of a protobuf message; without data where it came as JSON.
  std::string_view protobuf = {};
  /// The bytes of the whole event.
  std::string_view document = {};
  /// The bytes of the object, of kError alone: JSON, or an envelope of protobuf.
  std::string_view error = {};
};

/// The type that the server calls `text`.
std::optional<WatchEventType> WatchEventTypeOf(std::string_view text);
/// InvalidArgument: nobody knows what an event of the type `found` changes.
absl::Status UnknownWatchEventType(std::string_view found);
/// InvalidArgument if the head lacks what every event of its type has.
absl::Status CheckHead(WatchEventType type, const ObjectHead& head);

using OnWatchEvent = absl::FunctionRef<absl::Status(const WatchEvent& event)>;

/// Decodes the body of a watch: a JSON document a line. Not thread-safe. Memory stays at
/// LineSplitter::kKeptBytes and a few times that for the parser, whatever has come through.
class WatchStream {
 public:
  static constexpr size_t kMaxEvent = size_t{16} << 20U;

  explicit WatchStream(size_t max_event = kMaxEvent) : lines_(max_event) {}

  /// Calls `on_event` for each event that ends within `bytes`, which may be any piece of the body.
  /// Ends with the first error, and the stream cannot go on after one:
  ///   InvalidArgument    the event is not JSON or not an event; the text names the field
  ///   ResourceExhausted  it is larger than the limit
  ///   else               what `on_event` returned
  /// Unknown types of events are InvalidArgument: nobody knows what they change.
  absl::Status Feed(std::string_view bytes, OnWatchEvent on_event);

  /// Bytes of an event that has begun and not ended.
  size_t pending() const { return lines_.pending(); }
  /// Memory held, in bytes of events.
  size_t capacity() const { return lines_.capacity() + (parser_ ? parser_->capacity() : 0); }

 private:
  absl::Status Decode(json::Body line, OnWatchEvent on_event);
  absl::Status ReadFrame(json::Object root, WatchEventType* type);

  LineSplitter lines_;
  std::unique_ptr<json::Parser> parser_;
  ObjectHead head_;
};

}  // namespace outrigger::kube
