// A settings file: its values with their places, the same values written anew, and the settings
// that they set.
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "console/program_testing.h"
#include "console/settings/config_file.h"
#include "console/settings/loader.h"
#include "nlohmann/json.hpp"

namespace outrigger::fuzz {
namespace {

using cli::FileValue;

// An error is printed on a terminal: it names the file first, and no control character of the file
// comes through.
void CheckError(const absl::Status& status) {
  OUTRIGGER_REQUIRE(status.code() == absl::StatusCode::kInvalidArgument);
  const std::string message(status.message());
  OUTRIGGER_REQUIRE(message.starts_with("o.yaml:"));
  for (const char c : message) {
    OUTRIGGER_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
}

// "o.yaml:<line>:<column>", counted from 1, within a text of `lines` lines.
void CheckPlace(const std::string& place, int lines) {
  int line = 0;
  int column = 0;
  int end = 0;
  OUTRIGGER_REQUIRE(std::sscanf(place.c_str(), "o.yaml:%d:%d%n", &line, &column, &end) == 2);
  OUTRIGGER_REQUIRE(static_cast<size_t>(end) == place.size());
  OUTRIGGER_REQUIRE(line >= 1 && line <= lines && column >= 1);
}

void CheckValues(const std::string& text, const std::vector<FileValue>& values) {
  int lines = 1;
  for (const char c : text) lines += c == '\n' || c == '\r' ? 1 : 0;
  std::set<std::string> keys;
  for (const FileValue& value : values) {
    OUTRIGGER_REQUIRE(keys.insert(value.key).second);
    CheckPlace(value.key_place, lines);
    CheckPlace(value.place, lines);
  }
}

// JSON is YAML: the same values from a file of quoted texts.
void CheckWrittenAnew(const std::vector<FileValue>& values) {
  constexpr size_t kLongestKey = 1024 / 6;  // YAML takes 1024 bytes, and an escape has six
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const FileValue& value : values) {
    if (value.key.size() > kLongestKey) return;
    json[value.key] = value.text;
  }
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  const std::string text = json.dump(-1, ' ', false, kReplace);
  // A text that is not UTF-8, such as a path, passes through a file and has no form in JSON.
  if (nlohmann::ordered_json::parse(text) != json) return;
  const auto again = cli::ParseConfigFile("o.yaml", text);
  OUTRIGGER_REQUIRE(again.ok() && again->size() == values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    OUTRIGGER_REQUIRE((*again)[i].key == values[i].key && (*again)[i].text == values[i].text);
  }
}

std::vector<std::string> Printed(const std::vector<cli::SettingGroup>& groups) {
  std::vector<std::string> texts;
  for (const cli::SettingGroup& group : groups) {
    for (const cli::BoundSetting& setting : group.settings) {
      texts.push_back(setting.spec.print(setting.target));
    }
  }
  return texts;
}

// What a setting of the file prints it takes again, as a flag, for the same value.
void CheckFlagsWin(const std::vector<cli::SettingGroup>& loaded, cli::SettingSources sources) {
  std::set<std::string> given;
  for (const FileValue& value : sources.file) given.insert(value.key);
  for (const cli::SettingGroup& group : loaded) {
    for (const cli::BoundSetting& setting : group.settings) {
      // Of what is not set some print what stands for that and is no value.
      if (!given.contains(setting.key)) continue;
      sources.flags[setting.flag] = setting.spec.print(setting.target);
    }
  }
  std::vector<cli::SettingGroup> groups = cli::MakeSettingGroups(testing::TestAgents());
  std::vector<std::string> warnings;
  OUTRIGGER_REQUIRE(cli::LoadSettings(sources, &groups, &warnings).ok());
  OUTRIGGER_REQUIRE(Printed(groups) == Printed(loaded));
}

void Run(const std::string& text) {
  auto values = cli::ParseConfigFile("o.yaml", text);
  if (!values.ok()) {
    CheckError(values.status());
    return;
  }
  CheckValues(text, *values);
  CheckWrittenAnew(*values);
  cli::SettingSources sources;
  sources.file = *std::move(values);
  std::vector<cli::SettingGroup> groups = cli::MakeSettingGroups(testing::TestAgents());
  std::vector<std::string> warnings;
  const absl::Status status = cli::LoadSettings(sources, &groups, &warnings);
  if (status.ok()) {
    CheckFlagsWin(groups, sources);
  } else {
    CheckError(status);
  }
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
