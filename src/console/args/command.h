#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "console/format/world.h"
#include "console/settings/setting_group.h"

// A command of the program as its own folder declares it: flags, words of its help, and what runs.

namespace outrigger::cli {

/// Exit codes of the program, as its help documents them.
enum ExitCode : int { kDone = 0, kFailed = 1, kUsage = 2 };

/// A flag or an argument of a command.
struct Flag {
  std::string name = {};  // "-o,--output"; an argument has no dash: "file"
  std::string value =
      {};  // what stands for its value in a help, "FILE"; a flag without is a switch
  std::string help = {};
  std::vector<std::string> words = {};    // the only values that are accepted
  std::vector<std::string> offered = {};  // values that completion offers; others are accepted, too
  bool is_file = false;
  bool is_list = false;        // values are joined by commas
  bool is_repeatable = false;  // may be given several times
  bool is_hidden = false;      // a former name: no help and no page shows it
  std::string group = {};      // heading in the help; empty: "Options"

  bool IsArgument() const { return !name.starts_with('-'); }
  bool IsSwitch() const { return !IsArgument() && value.empty(); }
  /// The name by which Given has it: "--output", "file".
  std::string Key() const { return name.substr(name.find(',') + 1); }
};

/// Settings that are flags of a command, under a title of their own in its help.
struct FlagSettings {
  std::string title = {};  // "Settings of agent safe"
  std::vector<BoundSetting> settings = {};
  std::vector<RetiredSetting> retired = {};
  std::vector<std::string> agents = {};  // names that completion offers for --agents
};

/// What a user gave to a command. Words have been checked; values of settings have not.
class Given {
 public:
  /// `command` is its whole name, "explain pod".
  Given(std::string program, std::string command)
      : program_(std::move(program)), command_(std::move(command)) {}

  bool Has(std::string_view flag) const { return values_.find(flag) != values_.end(); }
  /// The value that was given last; `fallback` if there is none.
  std::string Value(std::string_view flag, std::string_view fallback = "") const;
  std::vector<std::string> Values(std::string_view flag) const;
  /// Flag of a setting -> value.
  const std::map<std::string, std::string>& settings() const { return settings_; }

  /// InvalidArgument, with the command whose help says more.
  absl::Status Wrong(std::string_view what) const;

  /// For those that parse.
  void Add(const std::string& flag, std::vector<std::string> values) {
    values_[flag] = std::move(values);
  }
  void AddSetting(const std::string& flag, const std::string& value) { settings_[flag] = value; }

 private:
  std::string program_;
  std::string command_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::map<std::string, std::string> settings_;
};

/// A command. Its run returns the exit code; help and parsing are CommandLine's.
struct Command {
  std::string name =
      {};  // "doctor"; "explain pod" is a subcommand of "explain", which stands before it
  std::string summary = {};
  std::vector<Flag> flags = {};
  std::vector<FlagSettings> settings = {};
  std::string notes = {};          // what its help says behind the flags, broken by hand
  bool has_subcommands = false;    // it runs nothing by itself
  bool is_hidden = false;          // for maintainers
  bool opens_connections = false;  // a peer that ends must not end the program
  std::function<int(const Given&, const World&)> run = {};
};

}  // namespace outrigger::cli
