#include "http/tls/handshake_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fmt/format.h"

namespace outrigger::http {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class HttpHandshakeLog : public ::testing::Test {
 protected:
  void Fail(const std::string& peer, HandshakeLog::Clock::time_point now,
            const std::string& why = "why") {
    log_.Failed(peer, why, now);
  }

  const HandshakeLog::Clock::time_point start_{std::chrono::hours(5)};
  std::vector<std::string> lines_;
  HandshakeLog log_{[this](const std::string& line) { lines_.push_back(line); }};
};

TEST_F(HttpHandshakeLog, SaysWhoAndWhy) {
  Fail("10.0.0.1", start_, "the peer hung up");
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("a handshake with 10.0.0.1 failed: the peer hung up")));
}

TEST_F(HttpHandshakeLog, HasALinePerPeerAndMinute) {
  for (int second = 0; second < 120; ++second) Fail("10.0.0.1", start_ + seconds(second));
  EXPECT_THAT(lines_, SizeIs(2));
  Fail("10.0.0.2", start_ + seconds(119));
  EXPECT_THAT(lines_, SizeIs(3));
}

TEST_F(HttpHandshakeLog, TellsOnlySoManyPeersApart) {
  const size_t many = HandshakeLog::kMostPeers;
  for (size_t i = 0; i < 10 * many; ++i) Fail(fmt::format("peer-{}", i), start_);
  EXPECT_THAT(lines_, SizeIs(many + 1)) << "all further ones share one";
  lines_.clear();
  for (size_t i = 0; i < 10 * many; ++i) Fail(fmt::format("later-{}", i), start_ + seconds(60));
  EXPECT_THAT(lines_, SizeIs(many + 1)) << "those of the minute before make room";
}

TEST(HttpHandshakeLogAlone, NeedsNobodyToTell) {
  HandshakeLog(nullptr).Failed("10.0.0.1", "why", {});
}

}  // namespace
}  // namespace outrigger::http
