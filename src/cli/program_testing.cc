#include "console/program_testing.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/run.h"

namespace outrigger::testing {
namespace {

struct SafeSettings {
  double max_risk = 0.3;
  bool forecast = true;
  std::string objective = "risk";
  int64_t memory = 4;
  static constexpr auto kFields = std::tuple{
      Setting{"max-risk", &SafeSettings::max_risk, Range{0, 1},
              "risk above which a node is rejected"}
          .LegacyEnv("SAFEPERCENTILE", LegacyForm::kPercent),
      Setting{"forecast", &SafeSettings::forecast, "use forecasts"},
      Setting{"objective", &SafeSettings::objective, "risk|balance", "what scores aim at"}
          .FormerSwitch("balanced", "balance", "risk"),
  };
  static constexpr auto kFormer = std::tuple{
      Setting{"memory", &SafeSettings::memory, Range{1, 10}, "it is 4"},
  };
  static constexpr std::array kRetired{
      Retired{"history", "5", "fixed at 5"},
      Retired{"smooth", "true", "forecasts are always smooth"},
  };
};

class Safe final : public Agent, public Filterer, public Scorer {
 public:
  explicit Safe(const SafeSettings& /*settings*/) {}
  Needs Reads() const override { return Needs().NodeAllocatable(); }
  static std::vector<Alias> Aliases() {
    return {{"/scheduler/predicates/safe-overload", Alias::Verb::kFilter, ""}};
  }
  absl::Status Filter(const Request& /*request*/, std::span<Verdict> /*v*/) const override {
    return absl::OkStatus();
  }
  absl::Status Score(const Request& /*request*/, std::span<NodeScore> /*s*/) const override {
    return absl::OkStatus();
  }
};

struct CongestionSettings {
  int64_t max = 100;
  static constexpr auto kFields = std::tuple{Setting{
      "max", &CongestionSettings::max, Range{1, 1000}, "congestion at which a node scores 0"}
                                                 .LegacyEnv("CONGESTION_FACTOR_MAX")};
};

class Congestion final : public Agent, public Scorer {
 public:
  explicit Congestion(const CongestionSettings& /*settings*/) {}
  absl::Status Score(const Request& /*request*/, std::span<NodeScore> /*s*/) const override {
    return absl::OkStatus();
  }
};

class Gang final : public Agent, public Filterer, public Preempter, public Binder {
 public:
  explicit Gang(const NoSettings& /*settings*/) {}
  static std::vector<AccessRule> Access() { return {{"", "pods/binding", {"create"}}}; }
  absl::Status Filter(const Request& /*request*/, std::span<Verdict> /*v*/) const override {
    return absl::OkStatus();
  }
  absl::Status Preempt(const PreemptRequest& /*request*/,
                       std::vector<NodeVictims>* /*chosen*/) const override {
    return absl::OkStatus();
  }
  absl::Status Bind(const BindRequest& /*request*/) override { return absl::OkStatus(); }
};

}  // namespace

const std::vector<AgentInfo>& TestAgents() {
  static const std::vector<AgentInfo> agents = {
      {"congestion", "Prefers nodes that are not congested", 9872,
       internal::MakeAgentFactory<Congestion, CongestionSettings>()},
      {"gang", "Starts groups together", 9875, internal::MakeAgentFactory<Gang, NoSettings>()},
      {"safe", "Rejects nodes that would be overloaded", 9871,
       internal::MakeAgentFactory<Safe, SafeSettings>()},
  };
  return agents;
}

Ran RunProgram(const std::vector<std::string>& arguments, const Environment& environment,
               const std::string& input, const std::vector<AgentInfo>& agents) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  const cli::World world{agents, {"pigeon"}, environment, in, out, err};
  Ran ran;
  ran.code = cli::Run(arguments, world);
  ran.out = out.str();
  ran.err = err.str();
  return ran;
}

TempFile::TempFile(const std::string& content, const std::string& name) {
  std::string pattern = (std::filesystem::temp_directory_path() / "outrigger-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  directory_ = pattern;
  path_ = directory_ + "/" + name;
  std::ofstream(path_) << content;
}

TempFile::~TempFile() {
  std::filesystem::remove_all(directory_);
}

}  // namespace outrigger::testing
