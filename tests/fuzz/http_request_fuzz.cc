// The requests of one connection. The first two bytes choose how the rest is cut into the pieces in
// which it comes: the meaning must not depend on that.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "http/request/reader.h"
#include "http/server.h"
#include "scripted_transport.h"

namespace outrigger::fuzz {
namespace {

using http::RequestReader;
using State = RequestReader::State;

// Small, so that inputs of some kilobytes meet all of them.
constexpr http::ReaderLimits kLimits{
    .max_head = 2048, .max_target = 256, .max_headers = 100, .max_body = 4096, .first_read = 512};

struct Call {
  std::string method;
  std::string path;
  std::string query;
  std::string body;
  bool close = false;
  friend bool operator==(const Call&, const Call&) = default;
};

struct Meaning {
  std::vector<Call> calls;
  State end = State::kIdle;
  int status = 0;  // of the refusal
};

// Counts what has come: more must not be charged, whatever was announced.
class CountingTransport final : public http::Transport {
 public:
  explicit CountingTransport(std::vector<std::string_view> pieces)
      : script_(std::move(pieces), /*ends=*/true) {}
  http::Moved Handshake() override { return script_.Handshake(); }
  http::Moved Read(char* to, size_t size) override {
    OUTRIGGER_REQUIRE(size > 0);
    const http::Moved moved = script_.Read(to, size);
    received_ += moved.bytes;
    ++reads_;
    return moved;
  }
  http::Moved Write(std::span<const std::string_view> parts) override {
    return script_.Write(parts);
  }
  void EndWriting() override {}

  size_t received() const { return received_; }
  size_t reads() const { return reads_; }
  std::string_view written() const { return script_.written(); }

 private:
  testing::ScriptedTransport script_;
  size_t received_ = 0;
  size_t reads_ = 0;
};

Call Taken(const RequestReader& reader) {
  const http::RequestHead& head = reader.head();
  const std::string_view body = reader.body();
  OUTRIGGER_REQUIRE(!head.method.empty());
  OUTRIGGER_REQUIRE(head.path.size() + head.query.size() <= kLimits.max_target + 1);
  OUTRIGGER_REQUIRE(head.method.size() <= MaxLine(kLimits));
  OUTRIGGER_REQUIRE(head.headers <= kLimits.max_headers);
  OUTRIGGER_REQUIRE(head.hosts == 1 || (head.hosts == 0 && head.http10));
  OUTRIGGER_REQUIRE(head.lengths + head.codings <= 1);
  OUTRIGGER_REQUIRE(body.size() <= kLimits.max_body);
  OUTRIGGER_REQUIRE(head.codings == 1 || body.size() == head.content_length);
  for (const char c : head.method + head.path + head.query) {
    OUTRIGGER_REQUIRE(static_cast<unsigned char>(c) > ' ' && c != '\x7f');
  }
  for (size_t i = 0; i < http::kBodyPadding; ++i) {
    OUTRIGGER_REQUIRE(body.data()[body.size() + i] == '\0');
  }
  return {head.method, head.path, head.query, std::string(body), head.close};
}

// A refused connection stays refused, reads nothing more, and says why in plain text.
void CheckEnd(RequestReader& reader, CountingTransport& transport) {
  const State end = reader.state();
  const size_t reads = transport.reads();
  http::Moved::How blocked{};
  OUTRIGGER_REQUIRE(reader.Advance(transport, &blocked) == end);
  OUTRIGGER_REQUIRE(transport.reads() == reads);
  if (end != State::kRefused) return;
  OUTRIGGER_REQUIRE(reader.refusal().status >= 400 && reader.refusal().status < 600);
  OUTRIGGER_REQUIRE(!reader.refusal().text.empty());
  for (const char c : reader.refusal().text) OUTRIGGER_REQUIRE(c >= ' ' && c != '\x7f');
}

// Nothing is written but the go-ahead for bodies.
void CheckWritten(std::string_view written) {
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  while (written.starts_with(kContinue)) written.remove_prefix(kContinue.size());
  OUTRIGGER_REQUIRE(written.empty());
}

Meaning Read(RequestReader& reader, CountingTransport& transport, const http::Budget& memory,
             size_t steps) {
  Meaning meaning;
  for (;; --steps) {
    OUTRIGGER_REQUIRE(steps > 0);
    http::Moved::How blocked{};
    const State state = reader.Advance(transport, &blocked);
    OUTRIGGER_REQUIRE(memory.held() <= transport.received());
    if (state == State::kComplete) {
      meaning.calls.push_back(Taken(reader));
      reader.Next();
      OUTRIGGER_REQUIRE(reader.state() == State::kIdle && memory.held() == 0);
    } else if (state == State::kRefused || state == State::kEnded) {
      CheckEnd(reader, transport);
      meaning.end = state;
      meaning.status = state == State::kRefused ? reader.refusal().status : 0;
      return meaning;
    } else {
      OUTRIGGER_REQUIRE(blocked == http::Moved::How::kWouldRead);
    }
  }
}

Meaning MeaningOf(const std::vector<std::string_view>& pieces, size_t size) {
  http::Pool<http::Buffer> bodies(2, size_t{1} << 20);
  http::Budget memory(size_t{1} << 20);
  CountingTransport transport(pieces);
  Meaning meaning;
  {
    RequestReader reader(kLimits, bodies, memory);
    meaning = Read(reader, transport, memory, 2 * pieces.size() + size + 8);
  }
  OUTRIGGER_REQUIRE(memory.held() == 0);
  CheckWritten(transport.written());
  return meaning;
}

std::vector<std::string_view> Cut(std::string_view bytes, uint8_t span, uint8_t seed) {
  const uint32_t largest = uint32_t{1} << (span % 12);
  uint32_t random = seed;
  std::vector<std::string_view> pieces;
  while (!bytes.empty()) {
    random = random * 1664525U + 1013904223U;
    const size_t size = std::min<size_t>(bytes.size(), 1 + (random >> 16U) % largest);
    pieces.push_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return pieces;
}

bool IsSyntax(int status) {
  return status == 400 || status == 414 || status == 431 || status == 505;
}

// Of a head with several faults any may be named, and one that never ends may be refused or not.
bool EndsAlike(const Meaning& a, const Meaning& b) {
  if (a.end == b.end && a.status == b.status) return true;
  const bool no_end = a.end == State::kEnded || b.end == State::kEnded;
  return (no_end || (IsSyntax(a.status) && IsSyntax(b.status))) &&
         (a.status == 0 || IsSyntax(a.status)) && (b.status == 0 || IsSyntax(b.status));
}

void Run(std::string_view input) {
  if (input.size() < 2) return;
  const std::string_view bytes = input.substr(2);
  const Meaning whole = MeaningOf({bytes}, bytes.size());
  const Meaning cut = MeaningOf(
      Cut(bytes, static_cast<uint8_t>(input[0]), static_cast<uint8_t>(input[1])), bytes.size());
  OUTRIGGER_REQUIRE(whole.calls == cut.calls);
  OUTRIGGER_REQUIRE(EndsAlike(whole, cut));
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
