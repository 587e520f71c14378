#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "console/args/command_line.h"

// The CLI11 side of CommandLine: which subcommands and flags there are. Only command_*.cc include
// this, since CLI11 is heavy.

namespace outrigger::cli {

/// What completion needs to know of a flag beyond CLI11.
struct FlagExtra {
  bool is_file = false;
  bool is_list = false;
  std::vector<std::string> values;
  bool is_repeatable = false;  // may be given several times
};

class CommandLine::Tree {
 public:
  Tree(const std::vector<AgentInfo>& registry, const std::string& program);

  CLI::App& app() { return app_; }
  const CLI::App& app() const { return app_; }
  const FlagExtra& ExtraOf(const CLI::Option* option) const;

  /// Refuses a flag that is given twice and may not be.
  absl::Status CheckCounts(const CLI::App& command) const;

  /// What was asked, from a parse that went well; `given` is the subcommand, or the program.
  absl::StatusOr<Command> Read(const CLI::App& given) const;

 private:
  absl::StatusOr<Command> ReadServe(const CLI::App& serve) const;
  absl::StatusOr<Command> ReadExplainPod(const CLI::App& given) const;
  absl::StatusOr<Command> ReadExplainGang(const CLI::App& given) const;
  absl::StatusOr<Command> ReadExplainClaim(const CLI::App& given) const;
  absl::StatusOr<Command> ReadExplainQueue(const CLI::App& given) const;
  absl::StatusOr<Command> ReadExplainPenalty(const CLI::App& given) const;
  absl::StatusOr<Command> ReadAnnotate(const CLI::App& given) const;
  absl::StatusOr<Command> ReadLabScheduler(const CLI::App& given) const;
  absl::StatusOr<Command> ReadSchedule(const CLI::App& given) const;
  absl::StatusOr<Command> ReadDevices(const CLI::App& given) const;
  /// Reads where objects are from. Refuses flags that exclude each other.
  static absl::Status ReadDeviceSources(const CLI::App& given, DeviceSources* sources);
  absl::StatusOr<Command> ReadPenaltyRestore(const CLI::App& given) const;
  absl::StatusOr<Command> ReadGangRelease(const CLI::App& given) const;
  /// Reads the number of rows that a table may have.
  static absl::Status ReadLimit(const CLI::App& given, size_t* limit);
  absl::StatusOr<Command> ReadDoctor(const CLI::App& given) const;
  /// Reads where doctor gets pods from. Refuses flags that exclude each other.
  static absl::Status ReadPodsOfDoctor(const CLI::App& given, DoctorFlags* flags);
  /// What all commands of `explain` have.
  absl::Status ReadExplainFlags(const CLI::App& given, ExplainFlags* flags) const;
  /// Moves the namespace of "NAMESPACE/NAME" out of `name`, and drops what kubectl puts before a
  /// pod's name. `what` is pod or gang.
  static absl::Status SplitName(std::string_view what, std::string* name, ExplainFlags* flags);
  /// Takes the settings that were given, and --config.
  void ReadSettings(const CLI::App& given, Command* command) const;
  /// Reads --mode and its former names.
  absl::Status ReadMode(const CLI::App& agents, Command* command) const;
  absl::StatusOr<Command> ReadAgents(const CLI::App& agents) const;
  absl::StatusOr<Command> ReadSchedulerConfig(const CLI::App& command) const;
  absl::StatusOr<Command> ReadVersion(const CLI::App& version) const;
  absl::StatusOr<Command> ReadCompletion(const CLI::App& completion) const;
  absl::StatusOr<Command> ReadDocs(const CLI::App& docs) const;
  /// Refuses a value of `flag` that is not one of its words.
  absl::Status CheckWord(const CLI::App& command, const std::string& flag) const;

  void AddServe(const std::vector<AgentInfo>& registry);
  void AddExplain(const std::vector<AgentInfo>& registry);
  void AddExplainPod(CLI::App* explain, const std::vector<AgentInfo>& registry);
  void AddExplainClaim(CLI::App* explain);
  void AddExplainGang(CLI::App* explain);
  void AddExplainQueue(CLI::App* explain);
  void AddExplainPenalty(CLI::App* explain);
  void AddAnnotate();
  void AddAnnotateCommand(CLI::App* annotate, Annotating what, const std::string& name,
                          const std::string& summary);
  void AddLab();
  void AddPenalty();
  void AddGang();
  void AddSchedule();
  void AddDevices();
  /// Adds the flags of ReadDeviceSources(). `otherwise`: what is read without --cluster.
  void AddDeviceSources(CLI::App* command, const std::string& otherwise);
  /// Adds the flags of the cluster in which penalties are.
  void AddPenaltyFlags(CLI::App* command);
  /// Adds the flags by which a plan is made: of the agent's settings, and of the cluster.
  void AddPlanFlags(CLI::App* command);
  void AddDoctor(const std::vector<AgentInfo>& registry);
  void AddPodsOfDoctor(CLI::App* doctor);
  /// `but` goes behind the command that prints `resources`.
  void AddClusterFlags(CLI::App* command, const std::string& resources,
                       const std::string& but = "");
  void AddColor(CLI::App* command);
  void AddConfig(CLI::App* command, const std::string& group);
  void AddSetting(CLI::App* command, const BoundSetting& setting, const std::string& group);
  /// Adds the flag of a setting of an earlier version, which helps do not show.
  void AddHidden(CLI::App* command, const std::string& flag);
  void AddAgents();
  void AddSchedulerConfig();
  void AddTlsOfSchedulerConfig(CLI::App* command);
  void AddOthers();
  CLI::App* AddCommand(const std::string& name, const std::string& summary,
                       CLI::App* parent = nullptr);
  CLI::Option* AddValue(CLI::App* command, const std::string& flag, const std::string& type,
                        const std::string& help, FlagExtra extra = {});

  CLI::App app_;
  std::vector<std::string> agent_names_;
  std::map<const CLI::Option*, FlagExtra> extras_;
  std::set<const CLI::Option*> settings_;
};

/// Values of a flag or an argument, as they were given.
std::vector<std::string> ValuesOf(const CLI::App& command, const std::string& flag);
std::string ValueOf(const CLI::App& command, const std::string& flag, const std::string& fallback);

/// The part of a help that says what exit codes mean.
extern const char* const kExitCodes;

}  // namespace outrigger::cli
