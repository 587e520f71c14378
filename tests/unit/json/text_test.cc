#include "json/text.h"

#include <string>

#include "json_testing.h"

namespace outrigger::json {
namespace {

struct Text {
  const char* name;
  std::string_view bytes;
  bool is_utf8;
};

class Utf8 : public ::testing::TestWithParam<Text> {};

// Behind and before so much ASCII that every way to look at several bytes at once meets them.
TEST_P(Utf8, IsToldAtEveryPlace) {
  for (size_t before = 0; before < 20; ++before) {
    for (const size_t behind : {0, 1, 9}) {
      const std::string text =
          std::string(before, 'a') + std::string(GetParam().bytes) + std::string(behind, 'z');
      EXPECT_EQ(IsUtf8(text), GetParam().is_utf8) << before << " before, " << behind << " behind";
    }
  }
}

const Text kTexts[] = {
    {"Nothing", "", true},
    {"Control", std::string_view("\0\x7f", 2), true},
    {"TwoBytes", "\xc2\x80", true},
    {"ThreeBytes", "\xef\xbf\xbf", true},
    {"FourBytes", "\xf4\x8f\xbf\xbf", true},
    {"Continuation", "\x80", false},
    {"CutOff", "\xe2\x98", false},
    {"Overlong", "\xc0\xaf", false},
    {"OverlongThree", "\xe0\x9f\xbf", false},
    {"Surrogate", "\xed\xa0\x80", false},
    {"BeyondUnicode", "\xf4\x90\x80\x80", false},
    {"Latin1", "\xe9t\xe9", false},
};
INSTANTIATE_TEST_SUITE_P(Rows, Utf8, ::testing::ValuesIn(kTexts),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::json
