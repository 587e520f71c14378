#include "codec/json/token_budget.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "fmt/format.h"

// Written so that compilers make vector instructions of it: bytes only, no branches, and blocks of
// which even 8 bits can hold the sum.

namespace outrigger::json {
namespace {

constexpr size_t kBlock = 240;

constexpr unsigned Is(uint8_t byte, char c) {
  return byte == static_cast<uint8_t>(c) ? 1U : 0U;
}

// simdjson finds these with bit 5 set, too, and so takes some control characters for them.
constexpr unsigned IsMark(uint8_t byte) {
  const auto folded = static_cast<uint8_t>(byte | 0x20U);
  return Is(folded, '{') | Is(folded, '}') | Is(folded, ',') | Is(folded, ':');
}

constexpr unsigned IsBlank(uint8_t byte) {
  return Is(byte, ' ') | Is(byte, '\n') | Is(byte, '\t') | Is(byte, '\r');
}

// Tokens of blocks that follow one another.
class Counter {
 public:
  size_t Count(std::string_view block) {
    for (size_t i = 0; i < block.size(); ++i) {
      const auto byte = static_cast<uint8_t>(block[i]);
      const unsigned mark = IsMark(byte);
      const unsigned blank = IsBlank(byte);
      marks_[i] = static_cast<uint8_t>(mark);
      texts_[i] = static_cast<uint8_t>(blank ^ 1U);
      ends_[i + 1] = static_cast<uint8_t>(mark | blank | Is(byte, '"'));
    }
    uint8_t tokens = 0;
    for (size_t i = 0; i < block.size(); ++i) {
      tokens = static_cast<uint8_t>(tokens + (marks_[i] | (texts_[i] & ends_[i])));
    }
    ends_[0] = ends_[block.size()];
    return tokens;
  }

 private:
  std::array<uint8_t, kBlock> marks_{};
  std::array<uint8_t, kBlock> texts_{};      // whatever is not blank
  std::array<uint8_t, kBlock + 1> ends_{1};  // of [i]: whether a text may begin at byte i
};

}  // namespace

size_t CountTokens(std::string_view text) {
  Counter counter;
  size_t tokens = 0;
  for (size_t at = 0; at < text.size(); at += kBlock) {
    tokens += counter.Count(text.substr(at, kBlock));
  }
  return tokens;
}

absl::Status CheckTokens(std::string_view text, const Path& at, size_t limit) {
  if (text.size() <= limit || CountTokens(text) <= limit) return absl::OkStatus();
  return Invalid(at, fmt::format("more than {} keys, values, brackets, commas and colons", limit));
}

}  // namespace outrigger::json
