#include "serve/server/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

namespace outrigger::server {
namespace {

TEST(ProcStat, ReadsTheFieldsBehindAnyName) {
  const auto stat = ParseProcStat(
      "42 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 17 0 12345 1048576 99 18446744073");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->cpu_ticks, 300);
  EXPECT_EQ(stat->threads, 17);
  EXPECT_EQ(stat->start_ticks, 12345);
  EXPECT_EQ(stat->virtual_bytes, 1048576);
  EXPECT_EQ(stat->resident_pages, 99);
}

TEST(ProcStat, RefusesWhatIsTooShort) {
  for (const char* text : {"", "42 (x", "42 (x) S 1 2 3"}) EXPECT_FALSE(ParseProcStat(text));
}

TEST(ProcessFigures, AreThoseOfThisProcess) {
  const auto before = ReadProcessFigures();
  ASSERT_TRUE(before);
  const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const auto after = ReadProcessFigures();
  ::close(fd);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->open_fds, before->open_fds + 1);
  EXPECT_GE(after->max_fds, after->open_fds);
  EXPECT_GE(after->threads, 1);
  EXPECT_GT(after->resident_bytes, 100'000);
  EXPECT_GT(after->virtual_bytes, after->resident_bytes);
  EXPECT_GE(after->cpu_seconds, before->cpu_seconds);
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LE(after->start_seconds, now + 2);
  EXPECT_GT(after->start_seconds, now - 3600) << "a test program does not run for an hour";
}

}  // namespace
}  // namespace outrigger::server
