#include "http/client/headers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "sdk/base/files.h"

namespace outrigger::http_client {
namespace {

constexpr size_t kMostBytes = size_t{64} << 10U;
// A tenant's number is no secret, and is in many texts.
constexpr size_t kShortestSecret = 4;
constexpr std::string_view kAuthorization = "Authorization";

absl::Status Refuse(const std::string& text) {
  return absl::FailedPreconditionError(text);
}

absl::StatusOr<std::string> Read(const std::string& path) {
  absl::StatusOr<std::string> text = ReadSmallFile(path, kMostBytes);
  if (!text.ok()) return Refuse(std::string(text.status().message()));
  // Editors of some systems put a byte order mark in front.
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text->starts_with(kMark)) text->erase(0, kMark.size());
  return text;
}

bool IsNameByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
}

std::string LowerCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// True for headers that this client sets itself.
bool IsOurs(const std::string& name) {
  constexpr std::array kOurs = {"accept", "accept-encoding", "connection",
                                "host",   "content-length",  "content-type",
                                "expect", "user-agent",      "transfer-encoding"};
  return std::find(kOurs.begin(), kOurs.end(), LowerCase(name)) != kOurs.end();
}

/// True if the header is one that lets its holder in: an Authorization, a cookie, a key.
bool IsSecret(const std::string& name) {
  constexpr std::array kWords = {"auth", "cookie", "token", "key", "secret", "password"};
  return std::any_of(kWords.begin(), kWords.end(), [lower = LowerCase(name)](const char* word) {
    return lower.find(word) != std::string::npos;
  });
}

absl::StatusOr<std::pair<std::string, std::string>> ReadLine(std::string_view line) {
  // "user:password" is no header, and is not sent as one.
  const size_t colon = std::min(line.find(": "), line.size());
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = Trimmed(line.substr(std::min(colon + 1, line.size())));
  const auto is_odd = [](char c) { return c < ' ' || c > '~'; };
  if (name.empty() || value.empty() || !std::all_of(name.begin(), name.end(), IsNameByte) ||
      std::any_of(value.begin(), value.end(), is_odd)) {
    return Refuse(
        "expected a header, as \"X-Scope-OrgID: tenant\" or "
        "\"Authorization: Basic <user:password in base64>\"");
  }
  std::pair<std::string, std::string> header(name, value);
  if (IsOurs(header.first)) return Refuse(fmt::format("the header {} cannot be set", name));
  return header;
}

absl::Status AddLines(const std::string& path, bool in_clear, Headers* headers) {
  const absl::StatusOr<std::string> text = Read(path);
  if (!text.ok()) return text.status();
  if (Trimmed(*text).empty()) return Refuse(path + " has no header in it");
  std::istringstream lines(*text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (Trimmed(line).empty()) continue;
    auto header = ReadLine(Trimmed(line));
    const std::string at = fmt::format("{}, line {}: ", path, number);
    if (!header.ok()) return Refuse(at + std::string(header.status().message()));
    if (in_clear && IsSecret(header->first)) {
      return Refuse(
          fmt::format("{}the header {} goes over https:// only, or to loopback: in clear "
                      "it can be read",
                      at, header->first));
    }
    const auto is_same = [&header](const auto& other) {
      return LowerCase(other.first) == LowerCase(header->first);
    };
    if (std::any_of(headers->begin(), headers->end(), is_same)) {
      return Refuse(fmt::format("{}a second header {}", at, header->first));
    }
    headers->push_back(*std::move(header));
  }
  return absl::OkStatus();
}

absl::Status AddToken(const std::string& path, Headers* headers) {
  const absl::StatusOr<std::string> text = Read(path);
  if (!text.ok()) return text.status();
  const std::string_view token = Trimmed(*text);
  const auto is_odd = [](char c) { return c <= ' ' || c > '~'; };
  if (token.empty() || std::any_of(token.begin(), token.end(), is_odd)) {
    return Refuse(path + " is no bearer token: one line without blanks is expected");
  }
  headers->emplace_back(kAuthorization, "Bearer " + std::string(token));
  return absl::OkStatus();
}

void Hide(std::string_view secret, std::string* text) {
  if (secret.size() < kShortestSecret) return;
  for (size_t at = 0; (at = text->find(secret, at)) != std::string::npos; at += 3) {
    text->replace(at, secret.size(), "***");
  }
}

}  // namespace

absl::StatusOr<Headers> ReadHeaders(const std::string& token_file, const std::string& header_file,
                                    bool in_clear) {
  Headers headers;
  absl::Status status;
  if (!token_file.empty()) status = AddToken(token_file, &headers);
  if (status.ok() && !header_file.empty()) status = AddLines(header_file, in_clear, &headers);
  if (!status.ok()) return status;
  return headers;
}

void HideSecrets(const Headers& headers, std::string* text) {
  for (const auto& [name, value] : headers) {
    if (!IsSecret(name)) continue;
    Hide(value, text);
    Hide(std::string_view(value).substr(std::min(value.rfind(' ') + 1, value.size())), text);
  }
}

}  // namespace outrigger::http_client
