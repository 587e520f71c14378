#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "console/args/command.h"
#include "console/format/world.h"
#include "console/reading/cluster_objects.h"

// What the commands of `outrigger explain` have in common: where they read, and where they print.

namespace outrigger::cli {

/// What all commands of `outrigger explain` about objects of a cluster have.
struct ExplainFlags {
  std::string name;        // of the object; empty: none was given
  std::string name_space;  // empty: not said
  std::string cluster;     // path of a dump; "-" is standard input; empty: the live cluster
  std::string kubeconfig;
  std::string context;
  std::string output = "table";  // table, wide, json or yaml
  std::string color = "auto";    // auto, always or never
};

/// --cluster, which names `resources` (`but` goes behind the command that prints them), and those
/// of a live cluster.
std::vector<Flag> ClusterFlags(const std::string& resources, const std::string& but = "");
/// Reads what is in ExplainFlags but the name.
absl::Status ReadExplainFlags(const Given& given, ExplainFlags* flags);
/// Reads the argument "name": NAME or NAMESPACE/NAME, and of a pod what kubectl puts before it.
/// `what` is pod, claim or gang.
absl::Status ReadName(const Given& given, std::string_view what, ExplainFlags* flags);
/// Refuses --filename - with --cluster -.
absl::Status CheckOneReadsInput(const std::string& file, const ExplainFlags& flags);

struct ExplainInput {
  std::string name;  // for messages
  std::string text;
};

/// A file, or standard input ("-").
absl::StatusOr<ExplainInput> ReadExplainInput(const std::string& path, const World& world);

/// The dump or the live cluster that `flags` name. Of a dump the text is read, and nothing else.
absl::StatusOr<std::unique_ptr<ClusterObjects>> OpenCluster(const ExplainFlags& flags,
                                                            const World& world);

/// Whether to print in colour, for --color auto, always or never.
bool IsColored(const std::string& when, const World& world);

}  // namespace outrigger::cli
