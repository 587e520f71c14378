#include "http/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "http/server.h"

namespace outrigger::http {
namespace {

// A chunk header is a hexadecimal length and, rarely, extensions; trailers are read and dropped.
constexpr size_t kMaxChunkLine = 256;
constexpr size_t kMaxTrailers = 32;

bool ParseNumber(std::string_view text, int base, size_t* value) {
  // from_chars alone would take a sign, and "-1" must not become a length.
  if (text.empty() || text.front() == '-') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, base);
  return error == std::errc{} && end == text.data() + text.size();
}

Refusal TooLarge(size_t max_body) {
  return {413, fmt::format("body is larger than the limit of {} bytes", max_body)};
}

Refusal CutShort(const Connection& connection) {
  if (connection.timed_out()) return {408, "the body did not arrive in time"};
  return {400, "the body ended early"};
}

/// One line up to "\r\n", which is dropped; false when it does not come or is too long.
bool ReadLine(Connection& connection, std::array<char, kMaxChunkLine>* space,
              std::string_view* line) {
  size_t size = 0;
  while (size < space->size() && connection.Read(space->data() + size, 1) == 1) {
    if ((*space)[size++] != '\n') continue;
    if (size < 2 || (*space)[size - 2] != '\r') return false;
    *line = std::string_view(space->data(), size - 2);
    return true;
  }
  return false;
}

std::optional<Refusal> ReadTrailers(Connection& connection) {
  std::array<char, kMaxChunkLine> space;
  std::string_view line;
  for (size_t i = 0; i <= kMaxTrailers; ++i) {
    if (!ReadLine(connection, &space, &line)) return CutShort(connection);
    if (line.empty()) return std::nullopt;
  }
  return Refusal{400, fmt::format("more than {} trailers", kMaxTrailers)};
}

std::optional<Refusal> ReadChunks(size_t max_body, Connection& connection, Buffer* buffer,
                                  size_t* size) {
  std::array<char, kMaxChunkLine> space;
  std::string_view line;
  for (;;) {
    if (!ReadLine(connection, &space, &line)) return CutShort(connection);
    size_t chunk = 0;
    if (!ParseNumber(line.substr(0, line.find(';')), 16, &chunk)) {
      return Refusal{400, "malformed chunk length: a hexadecimal number is accepted"};
    }
    if (chunk == 0) return ReadTrailers(connection);
    if (chunk > max_body - *size) return TooLarge(max_body);
    const size_t needed = *size + chunk + kBodyPadding;
    if (needed > buffer->capacity()) {
      buffer->Reserve(std::max(needed, std::min(2 * *size, max_body) + kBodyPadding), *size);
    }
    if (!connection.ReadExactly(buffer->data() + *size, chunk)) return CutShort(connection);
    *size += chunk;
    if (!ReadLine(connection, &space, &line) || !line.empty()) {
      return Refusal{400, "a chunk is not followed by CRLF"};
    }
  }
}

}  // namespace

std::optional<Refusal> PlanBody(const RequestHead& head, size_t max_body, BodyPlan* plan) {
  if (!head.content_encoding.empty() && !SameText(head.content_encoding, "identity")) {
    return Refusal{415, "Content-Encoding is not accepted: send the body as it is"};
  }
  if (head.codings > 0) {
    // RFC 9112, 6.3: both headers together are how requests are smuggled.
    if (head.lengths > 0) {
      return Refusal{400, "Content-Length and Transfer-Encoding exclude each other"};
    }
    if (head.codings > 1 || !SameText(head.transfer_encoding, "chunked")) {
      return Refusal{501, "Transfer-Encoding: only chunked is accepted"};
    }
    plan->chunked = true;
    return std::nullopt;
  }
  if (head.lengths == 0) return std::nullopt;
  if (head.lengths > 1) return Refusal{400, "Content-Length is given more than once"};
  if (!ParseNumber(head.content_length, 10, &plan->length)) {
    return Refusal{400, "malformed Content-Length: a decimal number is accepted"};
  }
  if (plan->length > max_body) return TooLarge(max_body);
  return std::nullopt;
}

std::optional<Refusal> ReadBody(const BodyPlan& plan, size_t max_body, Connection& connection,
                                Buffer* buffer, size_t* size) {
  *size = 0;
  buffer->Reserve(plan.length + kBodyPadding, 0);
  if (plan.chunked) {
    if (auto refusal = ReadChunks(max_body, connection, buffer, size)) return refusal;
  } else {
    if (!connection.ReadExactly(buffer->data(), plan.length)) return CutShort(connection);
    *size = plan.length;
  }
  std::memset(buffer->data() + *size, 0, kBodyPadding);
  return std::nullopt;
}

}  // namespace outrigger::http
