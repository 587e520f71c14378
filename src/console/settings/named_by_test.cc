// An error about a file or URL names the flag, variable or setting that it comes from.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "console/program_testing.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;
using testing::Ran;
using testing::RunProgram;
using testing::TempFile;

struct NamedByRow {
  const char* name;
  std::vector<std::string> arguments;  // in all: FILE is that of `content`
  Environment environment;
  std::string content;
  std::string named;
};

class NamedBy : public ::testing::TestWithParam<NamedByRow> {};

std::string WithFile(std::string text, const std::string& path) {
  const size_t at = text.find("FILE");
  return at == std::string::npos ? text : text.replace(at, 4, path);
}

TEST_P(NamedBy, IsSaid) {
  NamedByRow row = GetParam();
  const TempFile file(row.content);
  for (std::string& argument : row.arguments) argument = WithFile(argument, file.path());
  for (auto& [name, value] : row.environment) value = WithFile(value, file.path());
  ::testing::internal::CaptureStderr();
  const Ran ran = RunProgram(row.arguments, row.environment);
  const std::string err = ran.err + ::testing::internal::GetCapturedStderr();
  EXPECT_NE(ran.code, 0);
  EXPECT_THAT(err, HasSubstr(" " + WithFile(row.named, file.path())));
}

std::vector<std::string> Serve(std::vector<std::string> more) {
  std::vector<std::string> all = {"serve", "--agents=safe", "--port=0", "--admin-port=0"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const std::vector<std::string> kExplain = {"explain", "pod", "web"};
constexpr const char* kNoContexts = "apiVersion: v1\n";
constexpr const char* kNone = "/nonexistent/f";
constexpr const char* kClear =
    "{clusters: [{name: a, cluster: {server: 'http://127.0.0.1:1'}}], contexts: [{name: a, "
    "context: "
    "{cluster: a}}], current-context: a}";
constexpr const char* kRemote =
    "{clusters: [{name: a, cluster: {server: 'https://10.0.0.1'}}], contexts: [{name: a, context: "
    "{cluster: a}}], current-context: a}";

const NamedByRow kNamedByRows[] = {
    {"KubeconfigByFlag",
     Serve({"--kubeconfig=FILE"}),
     {},
     kNoContexts,
     "--kubeconfig: FILE: has no contexts"},
    {"KubeconfigByVariableOfOurs",
     Serve({}),
     {{"OUTRIGGER_KUBECONFIG", "FILE"}},
     kNoContexts,
     "OUTRIGGER_KUBECONFIG: FILE: has no contexts"},
    {"KubeconfigBySetting",
     Serve({"--config=FILE"}),
     {},
     std::string("kubeconfig: ") + kNone,
     "FILE:1:13: kubeconfig: /nonexistent/f: No such file or directory"},
    {"KubeconfigByKubectlsVariable",
     Serve({}),
     {{"KUBECONFIG", "FILE"}},
     kNoContexts,
     "KUBECONFIG: FILE: has no contexts"},
    {"KubeconfigOfExplainByFlag",
     {"explain", "pod", "web", "--kubeconfig=FILE"},
     {},
     kNoContexts,
     "--kubeconfig: FILE: has no contexts"},
    {"KubeconfigOfExplainByVariable",
     kExplain,
     {{"KUBECONFIG", "FILE"}},
     "a: [",
     "KUBECONFIG: FILE:1:1: not YAML"},
    {"KubeconfigOfExplainThatIsNotThere",
     kExplain,
     {{"KUBECONFIG", kNone}},
     "",
     "KUBECONFIG: no kubeconfig: tried /nonexistent/f"},
    {"KubeconfigOfAnnotateBySetting",
     {"annotate", "usage", "--once"},
     {{"OUTRIGGER_ANNOTATE_KUBECONFIG", "FILE"}},
     kNoContexts,
     "OUTRIGGER_ANNOTATE_KUBECONFIG: FILE: has no contexts"},
    {"Proxy",
     {"explain", "pod", "web", "--kubeconfig=FILE"},
     {{"https_proxy", "ftp://proxy"}},
     kRemote,
     "https_proxy: proxy-url 'ftp://...'"},
    {"SettingsByFlag", Serve({"--config=FILE"}), {}, "a: [", "--config: FILE:1:1: not YAML"},
    {"SettingsByVariable",
     Serve({}),
     {{"OUTRIGGER_CONFIG", kNone}},
     "",
     "OUTRIGGER_CONFIG: cannot read /nonexistent/f"},
    {"SettingsOfAnnotate",
     {"annotate", "usage"},
     {{"OUTRIGGER_ANNOTATE_CONFIG", "FILE"}},
     "a: [",
     "OUTRIGGER_ANNOTATE_CONFIG: FILE:1:1: not YAML"},
    {"InputOfSchedulerConfig",
     {"scheduler-config", "--agents=safe", "--in", kNone},
     {},
     "",
     "--in: cannot read /nonexistent/f"},
    {"MalformedInputOfSchedulerConfig",
     {"scheduler-config", "--agents=safe", "--in=FILE"},
     {},
     "a: [",
     "--in: FILE:1:1: not YAML"},
    {"ClusterOfExplain",
     {"explain", "gang", "--cluster", kNone},
     {},
     "",
     "--cluster: cannot read /nonexistent/f"},
    {"FileOfExplain",
     {"explain", "pod", "--agents=safe", "--filename", kNone},
     {},
     "",
     "--filename: cannot read /nonexistent/f"},
    {"ClusterOfDevices",
     {"devices", "--cluster", kNone},
     {},
     "",
     "--cluster: cannot read /nonexistent/f"},
    {"FileOfSchedule",
     {"schedule", "--filename", kNone},
     {},
     "",
     "--filename: cannot read /nonexistent/f"},
    {"AuthorityOfKubeconfig",
     {"explain", "pod", "web", "--kubeconfig=FILE"},
     {},
     "{clusters: [{name: a, cluster: {server: 'https://10.0.0.1', certificate-authority: "
     "/nonexistent/f}}], contexts: [{name: a, context: {cluster: a}}], current-context: a}",
     "--kubeconfig: FILE: clusters 'a' certificate-authority: /nonexistent/f"},
    {"UrlOfPrometheusByFlag",
     {"annotate", "usage", "--once", "--dry-run", "--kubeconfig=FILE", "--prometheus-url=10.0.0.1"},
     {},
     kClear,
     "--prometheus-url: no scheme"},
    {"UrlOfPrometheusByVariable",
     {"annotate", "usage", "--once", "--dry-run", "--kubeconfig=FILE"},
     {{"OUTRIGGER_ANNOTATE_PROMETHEUS_URL", "ftp://x"}},
     kClear,
     "OUTRIGGER_ANNOTATE_PROMETHEUS_URL: http:// or https:// is expected"},
    {"UrlOfSchedulerConfig",
     {"scheduler-config", "--agents=safe", "--url=ftp://x"},
     {},
     "",
     "--url: \"ftp://x\" is not accepted"},
};
INSTANTIATE_TEST_SUITE_P(Rows, NamedBy, ::testing::ValuesIn(kNamedByRows),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace outrigger::cli
