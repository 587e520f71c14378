#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/json.h"

// Requests and recorded answers of tests/golden/lab, whose README says how they are written.

namespace outrigger::apiserver {

struct LabRequest {
  std::string name = {};  // sequence/request
  std::string method = {};
  std::string path = {};
  std::map<std::string, std::string, std::less<>> headers = {};
  std::string body = {};

  std::string Header(std::string_view header) const;
};

/// Without those that are empty.
std::vector<std::string> LinesOf(std::string_view text);

/// The requests of a file, in their order.
std::vector<LabRequest> ParseLabRequests(std::string_view text);

/// Puts texts of earlier answers, by their requests' names, in the place of `${...}`.
std::string FillPlaceholders(std::string_view text, const std::map<std::string, Json>& earlier);

/// Replaces what differs from run to run, as tests/support/cmd/record-lab does: one for each
/// sequence.
class NormalAnswers {
 public:
  Json Of(Json value);

 private:
  std::string TextOf(std::string text);
  void NormaliseMetadata(Json* metadata);

  std::map<std::string, size_t> uids_;
  std::map<std::string, size_t> versions_;
};

/// Where two values differ, as pointer -> "recorded A, ours B".
std::map<std::string, std::string> DifferencesOf(const Json& recorded, const Json& ours);

}  // namespace outrigger::apiserver
