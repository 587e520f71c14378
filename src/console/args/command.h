#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "console/settings/annotate_settings.h"

namespace outrigger::cli {

/// Exit codes of the program, as its help documents them.
enum ExitCode : int { kDone = 0, kFailed = 1, kUsage = 2 };

struct AgentsFlags {
  std::string name;              // empty: all
  std::string output = "table";  // table, json or yaml
  bool rbac = false;
  std::string mode;             // with rbac: the setting of this name; empty: its default
  std::string replacement;      // as mode
  std::string name_space;       // with rbac; empty: where agents keep their state, or outrigger
  std::string service_account;  // with rbac; empty: outrigger-<agent>
};

struct SchedulerConfigFlags {
  std::string agents;  // empty: all
  /// "VALUE" for all agents or "AGENT=VALUE" for one.
  std::vector<std::string> urls;
  std::vector<std::string> weights;
  std::vector<std::string> http_timeouts;
  std::vector<std::string> tls_cas;
  std::vector<std::string> tls_certs;
  std::vector<std::string> tls_keys;
  std::vector<std::string> tls_server_names;
  std::string bind_timeout = "10m30s";
  std::string in;  // path; "-" is standard input
  std::string scheduler_name;
  std::string kubeconfig;
  bool full_nodes = false;
  bool ignorable = false;
  bool members_only = false;
  bool tls_insecure = false;
};

struct ExplainFlags {
  std::string pod;         // name; empty with `file`
  std::string gang;        // explain gang: name; empty: all
  std::string claim;       // explain claim: name
  std::string name_space;  // empty: not said
  std::string file;        // path of a Pod; "-" is standard input
  std::string cluster;     // path of a dump; "-" is standard input; empty: the live cluster
  std::string kubeconfig;
  std::string context;
  std::string nodes;                                  // names of those to show; empty: all
  std::string output = "table";                       // table, wide, json or yaml
  std::string color = "auto";                         // auto, always or never
  std::string scheduler_names = "default-scheduler";  // explain gang, queue
  std::string unchecked;                              // explain gang, queue
  bool only_groups = false;                           // explain gang
  std::string agent;                                  // explain queue: URL of the agent to ask
  bool pod_priority = true;                           // explain queue
  static constexpr size_t kMostRows = 10'000;
  size_t limit = kMostRows;  // explain queue: rows at most
};

struct DoctorFlags {
  std::string file;              // path; "-" is standard input
  std::string output = "table";  // table, json or yaml
  std::string color = "auto";    // auto, always or never
  bool strict = false;
  std::string cluster;  // path of a file with pods; "-" is standard input; empty: none
  bool live = false;    // read the pods of the live cluster
  std::string kubeconfig;
  std::string context;
};

/// Of `penalty restore` and `explain penalty`.
struct PenaltyFlags {
  std::string class_name;  // restore; empty: all
  std::string name_space = "kube-system";
  std::string lease = "outrigger-penalty";  // restore
  std::chrono::seconds wait{60};            // restore: for the Lease, at most
  std::string kubeconfig;
  std::string context;
  std::string agent;                       // explain: URL of the agent to ask
  std::string output = "table";            // explain: table, json or yaml
  std::string color = "auto";              // explain: auto, always or never
  size_t limit = ExplainFlags::kMostRows;  // explain: rows of a table at most
};

/// Of `gang release`.
struct GangReleaseFlags {
  std::string kubeconfig;
  std::string context;
  bool dry_run = false;
};

/// Of `annotate usage` and `annotate allocation`.
struct AnnotateFlags {
  Annotating what = Annotating::kUsage;
  std::string config;                           // path of the settings file, or empty
  std::map<std::string, std::string> settings;  // flag -> value
  bool once = false;
  bool dry_run = false;
};

/// Of `lab scheduler`.
struct LabFlags {
  static constexpr int kFirstStep = 1;
  static constexpr int kLastStep = 7;
  int step = kLastStep;
  std::string kubeconfig;
  std::string context;
  std::string scheduler_name = "default-scheduler";
  std::string queue_sort = "arrival";  // arrival or riya
  std::optional<uint64_t> seed;        // nothing: any
  double qps = 50;                     // 0: no limit
  bool verbose = false;
  std::string color = "auto";  // auto, always or never
};

/// Where `schedule` and `devices` read objects.
struct DeviceSources {
  static constexpr const char* kLive = "live";
  std::vector<std::string> files;  // paths; "-" is standard input
  std::string cluster;             // path of a dump, "-", or kLive; empty: the files alone
  std::string name_space;          // of objects without one; empty: the context's, or default
  std::string kubeconfig;
  std::string context;
};

/// Of `schedule`.
struct ScheduleFlags {
  DeviceSources sources;
  std::string pod;              // NAME or NAMESPACE/NAME; empty: the one in the files
  std::string output = "text";  // text, json or yaml
  bool verbose = false;
  bool original_results = false;
  bool network_pools = false;
  bool write = false;  // with a live cluster only
};

/// Of `devices`.
struct DevicesFlags {
  DeviceSources sources;
  std::string output = "table";  // table or json
  std::string color = "auto";    // auto, always or never
};

/// What a command line asks for.
struct Command {
  enum class Kind {
    kHelp,  // print `text`
    kServe,
    kAgents,
    kSchedulerConfig,
    kExplainPod,
    kExplainClaim,
    kExplainGang,
    kExplainQueue,
    kExplainPenalty,
    kPenaltyRestore,
    kGangRelease,
    kAnnotate,
    kDoctor,
    kSchedule,
    kDevices,
    kLabScheduler,
    kVersion,
    kCompletion,
    kDocsSettings,
    kDocsCommands,
  };
  Kind kind = Kind::kHelp;
  std::string text;
  std::vector<std::string> warnings;            // former names, for standard error
  std::string config;                           // serve, explain, doctor: path of the settings file
  std::map<std::string, std::string> settings;  // serve, explain, doctor: flag -> value
  AgentsFlags agents;
  SchedulerConfigFlags scheduler_config;
  ExplainFlags explain;
  DoctorFlags doctor;
  PenaltyFlags penalty;
  GangReleaseFlags gang_release;
  AnnotateFlags annotate;
  LabFlags lab;
  ScheduleFlags schedule;
  DevicesFlags devices;
  std::string version_output = "text";  // text or json
  std::string shell;                    // completion: bash or zsh
};

}  // namespace outrigger::cli
