#include "apiserver/verbs/options.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr const char* kMatch = "resourceVersionMatch";

std::optional<Failure> Refusal(const char* kind, std::vector<Cause> causes) {
  if (causes.empty()) return std::nullopt;
  return Failure::Invalid({"meta.k8s.io", kind, ""}, std::move(causes));
}

void CheckMatchOfWatch(const Query& query, std::vector<Cause>* causes) {
  const std::string match = query.Text(kMatch);
  if (query.Has("sendInitialEvents")) {
    if (match == "NotOlderThan") return;
    causes->push_back(ForbiddenValue(
        kMatch, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  } else if (!match.empty()) {
    causes->push_back(ForbiddenValue(
        kMatch,
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
}

void CheckMatchOfList(const Query& query, std::vector<Cause>* causes) {
  const std::string match = query.Text(kMatch);
  const std::string version = query.Text("resourceVersion");
  if (query.Has("sendInitialEvents")) {
    causes->push_back(
        ForbiddenValue("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (match.empty()) return;
  if (version.empty()) {
    causes->push_back(ForbiddenValue(
        kMatch, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
  }
  if (match != "Exact" && match != "NotOlderThan") {
    causes->push_back(NotSupportedValue(kMatch, match, {"Exact", "NotOlderThan", ""}));
  } else if (match == "Exact" && version == "0") {
    causes->push_back(ForbiddenValue(
        kMatch, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
  }
}

}  // namespace

std::optional<Failure> CheckListOptions(const Query& query) {
  std::vector<Cause> causes;
  const bool is_watch = query.Is("watch");
  is_watch ? CheckMatchOfWatch(query, &causes) : CheckMatchOfList(query, &causes);
  if (query.Has("continue") && (is_watch || query.Has(kMatch))) {
    causes.push_back(
        ForbiddenValue(kMatch, "resourceVersionMatch is forbidden when continue is provided"));
  }
  return Refusal("ListOptions", std::move(causes));
}

std::optional<Failure> CheckWriteOptions(const Query& query, const char* kind) {
  std::vector<Cause> causes;
  const std::string dry_run = query.Text("dryRun");
  if (!dry_run.empty() && dry_run != "All") {
    causes.push_back(NotSupportedValue("dryRun", Json::array({dry_run}), {"All"}));
  }
  const std::string mode = query.Text("fieldValidation");
  const std::vector<std::string> modes = {"", "Ignore", "Strict", "Warn"};
  if (std::find(modes.begin(), modes.end(), mode) == modes.end()) {
    causes.push_back(NotSupportedValue("fieldValidation", mode, modes));
  }
  return Refusal(kind, std::move(causes));
}

std::optional<Failure> CheckNumbers(const Query& query) {
  for (const char* name : {"limit", "timeoutSeconds", "gracePeriodSeconds"}) {
    if (query.Text(name).empty() || query.Number(name)) continue;
    return Failure::BadRequest(
        fmt::format("strconv.ParseInt: parsing {}: invalid syntax", Json(query.Text(name)).dump()));
  }
  return std::nullopt;
}

std::optional<Failure> ReadVersion(const Query& query, uint64_t* version) {
  const std::string text = query.Text("resourceVersion");
  *version = 0;
  if (text.empty() || absl::SimpleAtoi(text, version)) return std::nullopt;
  return Failure{
      .reason = "",
      .message = fmt::format(
          "resourceVersion: Invalid value: {}: strconv.ParseUint: parsing {}: invalid syntax",
          Json(text).dump(), Json(text).dump())};
}

}  // namespace outrigger::apiserver
