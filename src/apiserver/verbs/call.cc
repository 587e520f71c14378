#include "apiserver/verbs/call.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "apiserver/types/body.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// False: a percent without two digits behind it.
bool UnescapeUrl(std::string_view text, std::string* plain) {
  plain->clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain->push_back(text[i]);
      continue;
    }
    uint8_t byte = 0;
    const char* const digits = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
      return false;
    }
    plain->push_back(static_cast<char>(byte));
    i += 2;
  }
  *plain = AsUtf8(*plain);
  return true;
}

// Takes what stands before the names: /api/v1 or /apis/<group>/<version>.
bool TakeGroupVersion(std::vector<std::string>* parts, Target* target) {
  const bool is_core = !parts->empty() && parts->front() == "api";
  const size_t count = is_core ? 2 : 3;
  if (parts->size() < count || (!is_core && parts->front() != "apis")) return false;
  if (!is_core) target->group = (*parts)[1];
  target->version = (*parts)[count - 1];
  parts->erase(parts->begin(), parts->begin() + static_cast<ptrdiff_t>(count));
  return true;
}

}  // namespace

std::optional<Failure> Query::Parse(std::string_view text, Query* query) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  for (const absl::string_view part : absl::StrSplit(spaced, '&', absl::SkipEmpty())) {
    const std::vector<std::string> pair = absl::StrSplit(part, absl::MaxSplits('=', 1));
    std::string name;
    std::string value;
    if (!UnescapeUrl(pair[0], &name) || (pair.size() > 1 && !UnescapeUrl(pair[1], &value))) {
      return Failure::BadRequest(fmt::format("invalid URL escape in the query \"{}\"", text));
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

std::optional<Failure> Query::Version(uint64_t* version) const {
  const std::string text = Text("resourceVersion");
  *version = 0;
  if (text.empty() || absl::SimpleAtoi(text, version)) return std::nullopt;
  return Failure::BadRequest(fmt::format("invalid resource version: {}", Json(text).dump()));
}

std::optional<Failure> Query::Check(const std::string& kind) const {
  for (const char* name : {"limit", "timeoutSeconds", "gracePeriodSeconds"}) {
    if (Text(name).empty() || Number(name)) continue;
    return Failure::BadRequest(
        fmt::format("strconv.ParseInt: parsing {}: invalid syntax", Json(Text(name)).dump()));
  }
  static const std::map<std::string, std::vector<std::string>> kKnown = {
      {"dryRun", {"", "All"}},
      {"fieldValidation", {"", "Ignore", "Strict", "Warn"}},
      {"propagationPolicy", {"", "Background", "Foreground", "Orphan"}},
      {"resourceVersionMatch", {"", "Exact", "NotOlderThan"}}};
  for (const auto& [name, known] : kKnown) {
    const std::string text = Text(name);
    if (std::find(known.begin(), known.end(), text) != known.end()) continue;
    return Failure::Invalid({"meta.k8s.io", kind, ""}, {NotSupportedValue(name, text, known)});
  }
  return std::nullopt;
}

std::optional<Target> ParseTarget(std::string_view path) {
  std::vector<std::string> parts;
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(path.data(), path.size()), '/', absl::SkipEmpty())) {
    parts.emplace_back();
    if (!UnescapeUrl({part.data(), part.size()}, &parts.back())) return std::nullopt;
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
  if (parts.empty() || parts.size() > 3) return std::nullopt;
  parts.resize(3);
  target.plural = parts[0];
  target.name = parts[1];
  target.subresource = parts[2];
  return target;
}

std::string_view Call::media_type() const {
  const std::string_view type = http.content_type.substr(0, http.content_type.find(';'));
  return type.substr(0, type.find_last_not_of(' ') + 1);
}

bool Call::accepts_json() const {
  const std::string_view accept = http.Header("Accept");
  const auto names = [&](const char* type) { return accept.find(type) != accept.npos; };
  return accept.empty() || names("json") || names("protobuf") || names("yaml") || names("*");
}

bool Call::wants_table() const {
  return http.Header("Accept").find("as=Table") != std::string_view::npos;
}

}  // namespace outrigger::apiserver
