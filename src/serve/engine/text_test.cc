#include "serve/engine/text.h"

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

TEST(LineForLog, LeavesASentenceAsItIs) {
  EXPECT_EQ(LineForLog("403: \"a\" cannot patch C:\\b, say 'x'"),
            "403: \"a\" cannot patch C:\\b, say 'x'");
  EXPECT_EQ(LineForLog(""), "");
  EXPECT_EQ(LineForLog("\""), "\"");
}

TEST(LineForLog, IsOneLineWhateverItQuotes) {
  EXPECT_EQ(LineForLog("a\r\nb \x1b[31m"), "a\\r\\nb \\x1b[31m");
  EXPECT_EQ(LineForLog("\xff"), "\\xff");
}

TEST(LineForLog, CutsWhatIsVeryLong) {
  EXPECT_EQ(LineForLog(std::string(2048, 'a')), std::string(2048, 'a'));
  EXPECT_EQ(LineForLog(std::string(2049, 'a')), std::string(2048, 'a') + "...");
}

TEST(ForLog, CutsWhatIsLong) {
  EXPECT_EQ(ForLog(std::string(500, 'a')).size(), 131U);
}

}  // namespace
}  // namespace outrigger::engine
