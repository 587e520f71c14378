#include "engine/log_text.h"

#include "gtest/gtest.h"

namespace outrigger::engine {
namespace {

TEST(ForLog, LeavesPlainWordsAndQuotesTheRest) {
  EXPECT_EQ(ForLog("default/pod-1"), "default/pod-1");
  EXPECT_EQ(ForLog(""), "\"\"");
  EXPECT_EQ(ForLog("two words"), "\"two words\"");
  EXPECT_EQ(ForLog("a\r\nb"), "\"a\\r\\nb\"");
  EXPECT_EQ(ForLog("say \"x\""), "\"say \\\"x\\\"\"");
}

TEST(ForLog, CutsWhatIsLong) {
  EXPECT_EQ(ForLog(std::string(500, 'a')).size(), 131U);
}

}  // namespace
}  // namespace outrigger::engine
