// The body of a watch in protobuf. The first two bytes choose how the rest is cut into pieces.
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "kube/stream/protobuf_watch_stream.h"
#include "kube_pieces.h"

namespace outrigger::fuzz {
namespace {

using kube::WatchEvent;
using kube::WatchEventType;

constexpr size_t kLimit = 1000;
constexpr size_t kLengthBytes = 4;

struct Frames {
  absl::Status status;
  size_t pending = 0;
  std::vector<std::string> frames;
  friend bool operator==(const Frames& a, const Frames& b) {
    return a.status == b.status && a.pending == b.pending && a.frames == b.frames;
  }
};

Frames Split(const std::vector<std::string_view>& pieces) {
  kube::FrameSplitter splitter(kLimit);
  Frames read;
  for (const std::string_view piece : pieces) {
    // Of the exact size, so that a sanitizer sees who reads behind it.
    const std::vector<char> memory(piece.begin(), piece.end());
    read.status = splitter.Feed({memory.data(), memory.size()}, [&read](std::string_view frame) {
      read.frames.emplace_back(frame);
      return absl::OkStatus();
    });
    read.pending = splitter.pending();
    OUTRIGGER_REQUIRE(read.pending < kLimit + kLengthBytes);
    OUTRIGGER_REQUIRE(splitter.capacity() <= 2 * kLimit);
    if (!read.status.ok()) break;
  }
  return read;
}

size_t LengthIn(std::string_view bytes) {
  size_t length = 0;
  for (const char c : bytes.substr(0, kLengthBytes)) {
    length = length * 256 + static_cast<unsigned char>(c);
  }
  return length;
}

// What the lengths say, read at one go.
void CheckFrames(std::string_view body, const Frames& read) {
  for (const std::string& frame : read.frames) {
    OUTRIGGER_REQUIRE(body.size() >= kLengthBytes + frame.size());
    OUTRIGGER_REQUIRE(LengthIn(body) == frame.size() && frame.size() <= kLimit);
    body.remove_prefix(kLengthBytes);
    OUTRIGGER_REQUIRE(body.substr(0, frame.size()) == frame);
    body.remove_prefix(frame.size());
  }
  const bool too_large = body.size() >= kLengthBytes && LengthIn(body) > kLimit;
  OUTRIGGER_REQUIRE(absl::IsResourceExhausted(read.status) == too_large);
  if (too_large) return;
  OUTRIGGER_REQUIRE(read.status.ok() && read.pending == body.size());
  OUTRIGGER_REQUIRE(body.size() < kLengthBytes || body.size() - kLengthBytes < LengthIn(body));
}

struct Event {
  WatchEventType type = WatchEventType::kError;
  std::string name, namespace_, version;
  bool end = false;
  std::string object, document, error;
  friend bool operator==(const Event&, const Event&) = default;
};

Event Copied(const WatchEvent& event) {
  Event copy;
  copy.type = event.type;
  copy.document = event.document;
  copy.error = event.error;
  if (event.type == WatchEventType::kError) return copy;
  copy.name = event.head.name;
  copy.namespace_ = event.head.namespace_;
  copy.version = event.head.resource_version;
  copy.end = event.head.initial_events_end;
  copy.object = event.protobuf;
  return copy;
}

struct Watched {
  absl::Status status;
  std::vector<Event> events;
};

Watched Watch(const std::vector<std::string_view>& pieces) {
  kube::ProtobufWatchStream stream(kLimit);
  Watched watched;
  for (const std::string_view piece : pieces) {
    const std::vector<char> memory(piece.begin(), piece.end());
    watched.status = stream.Feed({memory.data(), memory.size()}, [&](const WatchEvent& event) {
      watched.events.push_back(Copied(event));
      return absl::OkStatus();
    });
    if (!watched.status.ok()) break;
  }
  return watched;
}

void CheckWatch(const Watched& watched, const Frames& read) {
  const absl::StatusCode code = watched.status.code();
  OUTRIGGER_REQUIRE(code == read.status.code() || code == absl::StatusCode::kInvalidArgument);
  OUTRIGGER_REQUIRE(watched.status.ok() || !watched.status.message().empty());
  OUTRIGGER_REQUIRE(watched.status.message().size() < 1000);
  OUTRIGGER_REQUIRE(absl::IsInvalidArgument(watched.status)
                        ? watched.events.size() < read.frames.size()
                        : watched.events.size() == read.frames.size());
}

// An event has what its type promises, and depends on no frame but its own.
void CheckEvent(const Event& event, std::string_view frame) {
  OUTRIGGER_REQUIRE(event.document == frame);
  std::string alone;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) alone += static_cast<char>(frame.size() >> shift);
  alone += frame;
  const Watched again = Watch({alone});
  OUTRIGGER_REQUIRE(again.events == std::vector<Event>{event});
  if (event.type == WatchEventType::kError) return;
  OUTRIGGER_REQUIRE(!event.version.empty());
  OUTRIGGER_REQUIRE(!event.name.empty() || event.type == WatchEventType::kBookmark);
  OUTRIGGER_REQUIRE(!event.end || event.type == WatchEventType::kBookmark);
}

void Run(std::string_view input) {
  if (input.size() < 2) return;
  const auto first = static_cast<uint8_t>(input[0]);
  const size_t size = 1 + static_cast<uint8_t>(input[1]);
  const std::string_view body = input.substr(2);
  const Frames whole = Split({body});
  const Watched watched = Watch({body});
  for (const auto& pieces : {Pieces(body, first, size), Pieces(body, 0, 1)}) {
    OUTRIGGER_REQUIRE(Split(pieces) == whole);
    const Watched cut = Watch(pieces);
    OUTRIGGER_REQUIRE(cut.status == watched.status && cut.events == watched.events);
  }
  CheckFrames(body, whole);
  CheckWatch(watched, whole);
  for (size_t i = 0; i < watched.events.size(); ++i) {
    CheckEvent(watched.events[i], whole.frames[i]);
  }
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
