#include "lab_answers_testing.h"

#include <cstdlib>
#include <functional>
#include <regex>
#include <utility>

#include "absl/strings/str_split.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// Calls `replaced` with each match.
std::string ReplaceEach(const std::string& text, const std::regex& pattern,
                        const std::function<std::string(const std::smatch&)>& replaced) {
  std::string result;
  auto rest = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    result.append(rest, (*at)[0].first);
    result += replaced(*at);
    rest = (*at)[0].second;
  }
  return result.append(rest, text.cend());
}

std::string NumberOf(const char* what, std::map<std::string, size_t>* known,
                     const std::string& text) {
  const size_t number = known->try_emplace(text, known->size() + 1).first->second;
  return fmt::format("<{} {}>", what, number);
}

std::string Repeated(const std::string& text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i) result += text;
  return result;
}

// `what` is NAME/path/in/its/answer, perhaps with +NUMBER behind it, or repeat:TEXT:COUNT.
std::string ValueOf(const std::string& what, const std::map<std::string, Json>& earlier) {
  if (what.starts_with("repeat:")) {
    const size_t colon = what.rfind(':');
    return Repeated(what.substr(7, colon - 7), std::stoul(what.substr(colon + 1)));
  }
  const size_t plus = what.find('+');
  const std::string path = what.substr(0, plus);
  const size_t slash = std::min(path.find('/'), path.size());
  const auto found = earlier.find(path.substr(0, slash));
  const Json::json_pointer at(path.substr(slash));
  if (found == earlier.end() || !found->second.contains(at) || !found->second[at].is_string()) {
    return "<no " + what + ">";
  }
  const std::string value = found->second[at];
  if (plus == what.npos) return value;
  return std::to_string(std::stoull(value) + std::stoull(what.substr(plus + 1)));
}

}  // namespace

std::string LabRequest::Header(std::string_view header) const {
  const auto found = headers.find(header);
  return found == headers.end() ? "" : found->second;
}

std::vector<std::string> LinesOf(std::string_view text) {
  return absl::StrSplit(absl::string_view(text.data(), text.size()), '\n', absl::SkipEmpty());
}

std::vector<LabRequest> ParseLabRequests(std::string_view text) {
  static const std::regex header("([A-Z][A-Za-z-]*): (.*)");
  std::vector<LabRequest> requests;
  std::string sequence;
  for (const std::string& line : LinesOf(text)) {
    std::smatch match;
    if (line.starts_with("== ")) {
      sequence = line.substr(3);
    } else if (line.starts_with("-- ")) {
      requests.push_back({.name = sequence + "/" + line.substr(3)});
    } else if (line.starts_with('#') || requests.empty()) {
      continue;
    } else if (LabRequest& last = requests.back(); last.path.empty()) {
      last.method = line.substr(0, line.find(' '));
      last.path = line.substr(last.method.size() + 1);
    } else if (last.body.empty() && std::regex_match(line, match, header)) {
      last.headers[match[1]] = match[2];
    } else {
      last.body += line + "\n";
    }
  }
  return requests;
}

std::string FillPlaceholders(std::string_view text, const std::map<std::string, Json>& earlier) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = text.find("${", at);
    result += text.substr(at, begin - at);
    if (begin == text.npos) break;
    const size_t end = text.find('}', begin);
    result += ValueOf(std::string(text.substr(begin + 2, end - begin - 2)), earlier);
    at = end + 1;
  }
  return result;
}

std::string NormalAnswers::TextOf(std::string text) {
  using std::regex;
  static const regex uid("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  // Requests have times before 2025.
  static const regex time(
      "20(?:2[5-9]|[3-9][0-9])-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{6})?Z");
  static const regex age("(([0-9]+m)?[0-9]+s|[0-9]+y([0-9]+d)?)( ago)?");
  static const regex future("(Too large resource version: |current: )[0-9]+");
  static const regex expired("too old resource version: ([0-9]+) \\([0-9]+\\)");
  static const regex recorded("in record \\([0-9]+\\)");
  static const regex patched("(patch: Invalid value: |^Invalid value: )\"\\{.*\": ");
  static const regex generated("gen-[a-z0-9]{5}");
  text = ReplaceEach(text, uid, [&](const auto& m) { return NumberOf("uid", &uids_, m.str()); });
  text = ReplaceEach(text, time,
                     [](const auto& m) { return m[1].matched ? "<micro time>" : "<time>"; });
  if (std::regex_match(text, age)) text = text.ends_with("ago") ? "<age> ago" : "<age>";
  text = std::regex_replace(text, future, "$1<version>");
  text = std::regex_replace(text, expired, "too old resource version: $1 (<version>)");
  text = std::regex_replace(text, recorded, "in record (<version>)");
  text = std::regex_replace(text, patched, "$1<object>: ");
  text = std::regex_replace(text, generated, "gen-<5>");
  // What follows is how Go shows two structs apart.
  if (const size_t line = text.find('\n'); line != text.npos) text = text.substr(0, line);
  return text;
}

void NormalAnswers::NormaliseMetadata(Json* metadata) {
  metadata->erase("managedFields");
  const auto version = metadata->find("resourceVersion");
  if (version != metadata->end() && version->is_string() && *version != "") {
    *version = metadata->value("name", "").empty() ? "<version>"
                                                   : NumberOf("version", &versions_, *version);
  }
  if (metadata->contains("continue")) (*metadata)["continue"] = "<continue>";
}

Json NormalAnswers::Of(Json value) {
  if (value.is_string()) return TextOf(value);
  if (value.is_object()) {
    if (value.contains("metadata") && value["metadata"].is_object()) {
      NormaliseMetadata(&value["metadata"]);
    }
    value.erase("storageVersionHash");
    if (value.contains("serverAddress")) value["serverAddress"] = "<address>";
  }
  if (value.is_structured()) {
    for (Json& one : value) one = Of(std::move(one));
  }
  return value;
}

std::map<std::string, std::string> DifferencesOf(const Json& recorded, const Json& ours) {
  std::map<std::string, std::string> differences;
  const std::function<void(const std::string&, const Json*, const Json*)> compare =
      [&](const std::string& path, const Json* a, const Json* b) {
        if (a != nullptr && b != nullptr && a->type() == b->type() && a->is_structured()) {
          const bool is_list = a->is_array();
          for (const auto& [key, value] : a->items()) {
            const bool has = is_list ? std::stoul(key) < b->size() : b->contains(key);
            const Json* other = !has ? nullptr : is_list ? &(*b)[std::stoul(key)] : &(*b)[key];
            compare(path + "/" + key, &value, other);
          }
          for (const auto& [key, value] : b->items()) {
            const bool has = is_list ? std::stoul(key) < a->size() : a->contains(key);
            if (!has) compare(path + "/" + key, nullptr, &value);
          }
        } else if (a == nullptr || b == nullptr || *a != *b) {
          differences[path] = fmt::format("recorded {}, ours {}", a ? a->dump() : "nothing",
                                          b ? b->dump() : "nothing");
        }
      };
  compare("", &recorded, &ours);
  return differences;
}

}  // namespace outrigger::apiserver
