#include "devices/allocation/reason_parts_testing.h"

#include <algorithm>
#include <cstdint>
#include <regex>

#include "absl/strings/str_split.h"

namespace outrigger::devices {
namespace {

bool AddPart(const std::string& text, ReasonParts* parts) {
  static const std::regex form(
      R"(claim ([^ ,:]+)(?:, request (claims\[\d+\]))?: (every|\d+) (.*) wanted, )"
      R"((?:(the node has no pools|no device matches)|(which no devices can satisfy)|(?:best has )?(\d+) )"
      R"((?:free|left by the other requests of the pod))(?: \((.*)\))?)");
  std::smatch found;
  if (!std::regex_match(text, found, form)) return false;
  ReasonParts::More& more = parts->more.emplace_back();
  more.request = found[1].str() + " " + found[2].str();
  more.every = found[3] == "every";
  more.wanted = more.every ? 1 : std::stoll(found[3].str());
  more.none_match = found[5].matched;
  more.contradicts = found[6].matched;
  if (more.contradicts) return true;
  more.missing = more.wanted - (more.none_match ? 0 : std::stoll(found[7].str()));
  static const std::regex use(R"((\d+) in use by (\S+))");
  static const std::regex others(R"(\d+ by (\d+) more claims)");
  static const std::regex lacks(R"((?:device (\S+) of )?pool (\S+) lacks (\d+) (\S+))");
  const std::vector<std::string> notes = absl::StrSplit(found[8].str(), ", ");
  for (const std::string& note : notes) {
    std::smatch at;
    if (std::regex_match(note, at, use)) {
      int64_t& devices = parts->in_use[at[2].str()];
      devices = std::max<int64_t>(devices, std::stoll(at[1].str()));
    } else if (std::regex_match(note, at, others)) {
      parts->names_all = false;
    } else if (std::regex_match(note, at, lacks)) {
      parts->shorts.push_back({at[2].str(), at[1].str(), at[4].str(), std::stoll(at[3].str())});
    }
  }
  return true;
}

}  // namespace

std::optional<ReasonParts> PartsOf(const std::string& reason) {
  ReasonParts parts;
  const std::vector<std::string> texts = absl::StrSplit(reason, "; ");
  for (const std::string& text : texts) {
    if (!AddPart(text, &parts)) return std::nullopt;
  }
  return parts;
}

}  // namespace outrigger::devices
