#include "sdk/base/nearest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace outrigger {
namespace {

const std::vector<std::string> kCommands = {"serve", "agents", "scheduler-config", "version"};

struct NearestRow {
  std::string name;
  std::string text;
  std::string nearest;
};

class Nearest : public ::testing::TestWithParam<NearestRow> {};

TEST_P(Nearest, FindsWhatWasMeant) {
  EXPECT_EQ(outrigger::Nearest(GetParam().text, kCommands), GetParam().nearest);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Nearest,
    ::testing::Values(NearestRow{"LetterMissing", "srve", "serve"},
                      NearestRow{"LetterTooMany", "servve", "serve"},
                      NearestRow{"LetterWrong", "sarve", "serve"},
                      NearestRow{"LettersSwapped", "sevre", "serve"},
                      NearestRow{"LongWordSeveralEdits", "schedulr-confg", "scheduler-config"},
                      NearestRow{"NothingNear", "explain", ""}, NearestRow{"Empty", "", ""}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger
