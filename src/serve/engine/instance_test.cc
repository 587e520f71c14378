#include "serve/engine/instance.h"

#include <sstream>

#include "fake_agents_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spdlog/sinks/ostream_sink.h"
#include "spdlog/spdlog.h"

namespace outrigger::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DiagnosticsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = spdlog::default_logger();
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_)));
  }
  void TearDown() override { spdlog::set_default_logger(before_); }
  size_t Lines() const {
    const std::string text = log_.str();
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  std::ostringstream log_;
  std::shared_ptr<spdlog::logger> before_;
  RecordingObserver observer_;
};

TEST_F(DiagnosticsTest, CountsEachAndWarnsOnce) {
  CountingDiagnostics diagnostics("safe", &observer_);
  for (int i = 0; i < 3; ++i) diagnostics.Malformed("n", "mean-free-cpu", "much", "a number");
  EXPECT_EQ(observer_.malformed["safe/mean-free-cpu"], 3U);
  EXPECT_EQ(Lines(), 1U);
  EXPECT_THAT(log_.str(), HasSubstr("safe: node n: mean-free-cpu=much is not a number"));
}

TEST_F(DiagnosticsTest, AClientCannotWriteLogLinesOfItsOwn) {
  CountingDiagnostics diagnostics("safe", &observer_);
  diagnostics.Malformed("n", "f", "x\n[critical] forged\x1b[31m", "a number");
  EXPECT_EQ(Lines(), 1U);
  EXPECT_THAT(log_.str(), Not(HasSubstr("\x1b")));
}

TEST_F(DiagnosticsTest, EndlesslyManyValuesFillNoLog) {
  CountingDiagnostics diagnostics("safe", &observer_);
  for (int i = 0; i < 5000; ++i) diagnostics.Malformed("n", "f", std::to_string(i), "a number");
  EXPECT_LE(Lines(), 1024U);
  EXPECT_EQ(observer_.malformed["safe/f"], 5000U);
}

}  // namespace
}  // namespace outrigger::engine
