#include "apiserver/commands/lab_apiserver.h"

#include <fstream>
#include <iterator>

#include "console/program_testing.h"
#include "gmock/gmock.h"

namespace outrigger::cli {
namespace {

using ::testing::HasSubstr;

TEST(LabApiServer, TheKubeconfigOfTheTreeIsTheOneThatIsWritten) {
  std::ifstream file(OUTRIGGER_DEPLOY "/lab/kubeconfig");
  ASSERT_TRUE(file) << OUTRIGGER_DEPLOY;
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            LabKubeconfig(ApiServerFlags::kPort));
}

struct ApiServerRow {
  const char* name;
  std::vector<std::string> arguments;
  const char* error;
};

class WrongLabApiServer : public ::testing::TestWithParam<ApiServerRow> {};

TEST_P(WrongLabApiServer, NamesFlagValueAndWhatIsAccepted) {
  std::vector<std::string> arguments = {"lab", "apiserver"};
  arguments.insert(arguments.end(), GetParam().arguments.begin(), GetParam().arguments.end());
  const Ran ran = RunProgram(arguments);
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, WrongLabApiServer,
    ::testing::Values(
        ApiServerRow{
            "Port", {"--port", "65536"}, "--port: \"65536\" is not accepted; expected 0 to 65535"},
        ApiServerRow{"AgentsAlone", {"--agents", "gang"}, "give --scheduler PATH, too"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::cli
