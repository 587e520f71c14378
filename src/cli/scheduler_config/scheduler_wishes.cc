#include "cli/scheduler_config/scheduler_wishes.h"

#include "cli/scheduler_config/scheduler_config.h"
#include "console/format/yaml.h"
#include "fmt/format.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

class WishWriter {
 public:
  WishWriter(YAML::Node& root, std::vector<std::string>* notes) : root_(root), notes_(notes) {}

  void Write(const char* field, int wanted, int tolerated, const char* otherwise) {
    const YAML::Node value = root_[field];
    if (IsAbsent(value) || value.Scalar() == "0") {
      root_[field] = wanted;
    } else if (value.Scalar() != std::to_string(wanted) &&
               value.Scalar() != std::to_string(tolerated)) {
      notes_->push_back(
          fmt::format("{} is still {}, expected {}: {}", field, value.Scalar(), wanted, otherwise));
    }
  }

  // A profile's own share wins over the one of all, which was written.
  void NoteProfiles() {
    for (const auto& profile : root_["profiles"]) {
      const YAML::Node share = profile["percentageOfNodesToScore"];
      if (IsAbsent(share) || share.Scalar() == "100") continue;
      const YAML::Node name = profile["schedulerName"];
      notes_->push_back(
          fmt::format("profiles: percentageOfNodesToScore of {} is still {}, expected 100",
                      IsAbsent(name) ? kDefaultScheduler : name.Scalar(), share.Scalar()));
    }
  }

 private:
  YAML::Node& root_;
  std::vector<std::string>* notes_;
};

}  // namespace

void WriteWishes(const SchedulerWishes& wishes, YAML::Node& root, std::vector<std::string>* notes) {
  WishWriter writer(root, notes);
  if (wishes.every_node) {
    writer.Write("percentageOfNodesToScore", 100, 100,
                 "the scheduler offers only a sample of the nodes, which may lack a planned node");
    writer.NoteProfiles();
  }
  if (wishes.quick_retries) {
    constexpr const char* kOtherwise = "pods of a failed gang wait this long";
    writer.Write("podInitialBackoffSeconds", 1, 1, kOtherwise);
    writer.Write("podMaxBackoffSeconds", 1, 2, kOtherwise);
  }
}

}  // namespace outrigger::cli
