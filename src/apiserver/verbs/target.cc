#include "apiserver/verbs/target.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// False: a percent without two digits behind it.
bool UnescapeUrl(std::string_view text, bool plus_is_space, std::string* plain) {
  plain->clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      plain->push_back(' ');
    } else if (text[i] != '%') {
      plain->push_back(text[i]);
    } else {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return false;
      plain->push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return true;
}

// Takes what stands before the names: /api/v1 or /apis/<group>/<version>.
bool TakeGroupVersion(std::vector<std::string>* parts, Target* target) {
  if (parts->size() >= 2 && parts->front() == "api") {
    target->version = (*parts)[1];
    parts->erase(parts->begin(), parts->begin() + 2);
    return target->version == "v1";
  }
  if (parts->size() < 3 || parts->front() != "apis") return false;
  target->group = (*parts)[1];
  target->version = (*parts)[2];
  parts->erase(parts->begin(), parts->begin() + 3);
  return true;
}

}  // namespace

std::optional<Failure> Query::Parse(std::string_view text, Query* query) {
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(text.data(), text.size()), '&')) {
    if (part.empty()) continue;
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    std::string name;
    std::string value;
    if (!UnescapeUrl({pair.first.data(), pair.first.size()}, true, &name) ||
        !UnescapeUrl({pair.second.data(), pair.second.size()}, true, &value)) {
      return Failure::BadRequest(fmt::format("invalid URL escape in the query \"{}\"",
                                             std::string_view(part.data(), part.size())));
    }
    query->values_.try_emplace(std::move(name), std::move(value));
  }
  return std::nullopt;
}

std::string Query::Text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string() : found->second;
}

bool Query::Is(std::string_view name) const {
  const auto found = values_.find(name);
  return found != values_.end() && found->second != "0" && found->second != "false";
}

std::optional<int64_t> Query::Number(std::string_view name) const {
  int64_t number = 0;
  if (!absl::SimpleAtoi(Text(name), &number)) return std::nullopt;
  return number;
}

std::optional<Target> ParseTarget(std::string_view path) {
  std::vector<std::string> parts;
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(path.data(), path.size()), '/')) {
    if (part.empty()) continue;
    std::string plain;
    if (!UnescapeUrl({part.data(), part.size()}, false, &plain)) return std::nullopt;
    parts.push_back(std::move(plain));
  }
  Target target;
  if (!TakeGroupVersion(&parts, &target)) return std::nullopt;
  // /namespaces/a/pods is in a namespace; /namespaces/a and /namespaces/a/status are of it.
  const bool is_in_namespace = parts.size() >= 3 && parts[0] == "namespaces" &&
                               !(parts.size() == 3 && target.group.empty() &&
                                 (parts[2] == "status" || parts[2] == "finalize"));
  if (is_in_namespace) {
    target.namespace_ = parts[1];
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  if (parts.size() > 3) return std::nullopt;
  if (!parts.empty()) target.plural = parts[0];
  if (parts.size() > 1) target.name = parts[1];
  if (parts.size() > 2) target.subresource = parts[2];
  return target;
}

}  // namespace outrigger::apiserver
