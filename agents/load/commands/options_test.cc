#include "load/commands/options.h"

#include <sstream>

#include "console/program_testing.h"

namespace outrigger::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TempFile;

class AnnotateOptionsTest : public ::testing::Test {
 protected:
  absl::StatusOr<AnnotateOptions> Prepare() {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    const World world{testing::TestAgents(), {},   environment_, in, out, err, {},
                      "outrigger",           false};
    return PrepareAnnotate(flags_, world);
  }
  AnnotateOptions Good() {
    auto options = Prepare();
    EXPECT_TRUE(options.ok()) << options.status();
    return options.ok() ? *std::move(options) : AnnotateOptions();
  }
  std::string Error() {
    const auto options = Prepare();
    EXPECT_TRUE(absl::IsInvalidArgument(options.status())) << options.status();
    return std::string(options.status().message());
  }

  AnnotateFlags flags_;
  Environment environment_;
};

TEST_F(AnnotateOptionsTest, DefaultsDifferByCommand) {
  const AnnotateOptions usage = Good();
  EXPECT_EQ(usage.settings.threshold, 0.01);
  EXPECT_EQ(usage.lease.name, "outrigger-annotate-usage");
  EXPECT_EQ(usage.lease.namespace_, "kube-system");
  EXPECT_EQ(usage.settings.admin_port, 9981);
  EXPECT_EQ(usage.annotator.interval, std::chrono::seconds(60));
  flags_.what = Annotating::kAllocation;
  const AnnotateOptions allocation = Good();
  EXPECT_EQ(allocation.settings.threshold, 0);
  EXPECT_EQ(allocation.lease.name, "outrigger-annotate-allocation");
  EXPECT_EQ(allocation.settings.admin_port, 9982);
}

TEST_F(AnnotateOptionsTest, AWindowThatIsNotGivenIsAsLongAsItMustBe) {
  flags_.settings["--interval"] = "600";
  EXPECT_EQ(Good().settings.window, 2400);
  flags_.settings["--step"] = "3000";
  EXPECT_EQ(Good().settings.window, 3000);
}

TEST_F(AnnotateOptionsTest, TheWindowOfTheOriginalIsADay) {
  EXPECT_EQ(Good().settings.window, 300);
  flags_.settings["--original-arithmetic"] = "true";
  EXPECT_EQ(Good().settings.window, 86'400);
  flags_.settings["--window"] = "600";
  EXPECT_EQ(Good().settings.window, 600);
}

TEST_F(AnnotateOptionsTest, AFlagWinsOverTheEnvironmentOverTheFileOverTheOriginalsVariable) {
  const TempFile file("interval: 30\nqps: 5\nwindow: 600\n");
  environment_ = {{"OUTRIGGER_ANNOTATE_CONFIG", file.path()}, {"ANNOTATE_FREQ", "40"}};
  EXPECT_EQ(Good().settings.interval, 30);
  environment_["OUTRIGGER_ANNOTATE_INTERVAL"] = "20";
  EXPECT_EQ(Good().settings.interval, 20);
  flags_.settings["--interval"] = "10";
  const AnnotateOptions options = Good();
  EXPECT_EQ(options.settings.interval, 10);
  EXPECT_EQ(options.settings.qps, 5);
  EXPECT_EQ(options.annotator.patcher.qps, 5);
  EXPECT_THAT(options.warnings, IsEmpty());
}

TEST_F(AnnotateOptionsTest, VariablesOfTheOriginalAreFallbacks) {
  environment_ = {{"PROM_IP", "10.0.0.5"},
                  {"PROM_PORT", "30090"},
                  {"NODE_EXP_PORT", "8445"},
                  {"ANNOTATE_FREQ", "5"},
                  {"USE_FORECAST", "False"}};
  const AnnotateOptions options = Good();
  EXPECT_EQ(options.settings.prometheus_url, "http://10.0.0.5:30090");
  EXPECT_EQ(options.settings.exporter_port, 8445);
  EXPECT_EQ(options.settings.interval, 5);
  EXPECT_FALSE(options.settings.forecast);
  environment_.erase("PROM_IP");
  EXPECT_EQ(Good().settings.prometheus_url, "http://127.0.0.1:30090");
  // A Service named "prom" makes this one.
  environment_["PROM_PORT"] = "tcp://10.96.0.7:9090";
  EXPECT_EQ(Good().settings.prometheus_url, "http://127.0.0.1:9090");
}

TEST_F(AnnotateOptionsTest, AWrongVariableOfTheOriginalIsNamed) {
  const struct {
    const char* name;
    const char* value;
    const char* accepted;
  } rows[] = {
      {"PROM_IP", "http://10.0.0.5", "without a port"},
      {"PROM_PORT", "99999", "1 to 65535"},
      {"PROM_PORT", "90 90", "1 to 65535"},
      {"NODE_EXP_PORT", "0", "1 to 65535"},
      {"ANNOTATE_FREQ", "0", "from 1 to"},
      {"ANNOTATE_FREQ", "1.5", "an integer"},
      {"USE_FORECAST", "maybe", "true or false"},
      {"USE_REQ", "yes", "true or false"},
  };
  for (const auto& row : rows) {
    environment_ = {{row.name, row.value}};
    const std::string error = Error();
    EXPECT_THAT(error, HasSubstr(std::string(row.name) + "=\"" + row.value + "\"")) << error;
    EXPECT_THAT(error, HasSubstr(row.accepted)) << error;
  }
}

TEST_F(AnnotateOptionsTest, FurtherPairsComeFromTheFile) {
  const TempFile file(
      "source: prometheus\nfurther:\n  congestion-factor: 'max(x)'\n  example.com/load: sum(y)\n"
      "gpu: example.com/gpu\n");
  flags_.config = file.path();
  const AnnotateOptions options = Good();
  ASSERT_EQ(options.further.size(), 2U);
  EXPECT_EQ(options.further[0].annotation, "congestion-factor");
  EXPECT_EQ(options.further[0].query, "max(x)");
  EXPECT_EQ(options.further[1].annotation, "example.com/load");
  // The file is of both commands.
  flags_.what = Annotating::kAllocation;
  const AnnotateOptions allocation = Good();
  EXPECT_THAT(allocation.further, IsEmpty());
  EXPECT_EQ(allocation.settings.gpu, "example.com/gpu");
}

TEST_F(AnnotateOptionsTest, WhatIsWrongIsNamedWithItsPlace) {
  const struct {
    const char* file;
    const char* error;
  } rows[] = {
      {"further: {mean-free-cpu: x}", "write themselves"},
      {"further: {requested-cpu: x}", "write themselves"},
      {"further: {'a b': x}", "no name of an annotation"},
      {"further: {a: ''}", "has no query"},
      {"intervall: 5", "no such setting"},
      {"interval: 0", "interval"},
      {"qps: -1", "qps"},
      {"threshold: .nan", "threshold"},
      {"window: 10\nstep: 15", "--step 15 is longer than --window 10"},
      {"source: file", "--source file and --file"},
      {"source: metrics\nfurther: {a: b}", "--source prometheus"},
      {"source: metrics\nwindow: 239", "at least 240"},
      {"source: file\nfile: f\nwindow: 600\ninterval: 200", "at least 800"},
      {"useRequests: true", "--original-arithmetic"},
      {"maxStaleness: 5s", "at least 1m"},
      {"context: c", "--context"},
  };
  for (const auto& row : rows) {
    const TempFile file(row.file);
    flags_.config = file.path();
    EXPECT_THAT(Error(), HasSubstr(row.error)) << row.file;
  }
}

TEST_F(AnnotateOptionsTest, ADryRunIsOnce) {
  flags_.dry_run = true;
  EXPECT_TRUE(Good().once);
}

}  // namespace
}  // namespace outrigger::cli
