#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/look/screen.h"

namespace outrigger::cli::look {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(KeysIn, KnowsWhatTerminalsSend) {
  EXPECT_THAT(KeysIn("q"), ElementsAre(Key::kQuit));
  EXPECT_THAT(KeysIn("\x03"), ElementsAre(Key::kQuit));
  EXPECT_THAT(KeysIn("\x1b[A\x1bOB\x1b[5~\x1b[6~n"),
              ElementsAre(Key::kUp, Key::kDown, Key::kPageUp, Key::kPageDown, Key::kNodes));
}

TEST(KeysIn, SkipsOthers) {
  EXPECT_THAT(KeysIn("xyz\x1b\x1b[Z"), IsEmpty());
  EXPECT_THAT(KeysIn("xq"), ElementsAre(Key::kQuit));
}

}  // namespace
}  // namespace outrigger::cli::look
