#include "codec/json/text.h"

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
    for (const size_t behind : std::initializer_list<size_t>{0, 1, 9}) {
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

// Long texts are looked at in blocks, short ones byte by byte: both must see the same.
TEST(AppendString, EscapesTheSameAtEveryPlaceOfALongText) {
  for (int c = 0; c < 0x80; ++c) {
    std::string alone;
    AppendString(std::string(1, static_cast<char>(c)), &alone);
    const std::string escaped = alone.substr(1, alone.size() - 2);
    for (size_t length = 15; length < 50; ++length) {
      for (size_t at = 0; at < length; ++at) {
        std::string text(length, 'x');
        text[at] = static_cast<char>(c);
        std::string out = "before ";
        AppendString(text, &out);
        ASSERT_EQ(out, "before \"" + std::string(at, 'x') + escaped +
                           std::string(length - at - 1, 'x') + "\"")
            << c << " at " << at << " of " << length;
      }
    }
  }
}

TEST(AppendString, LooksAtBytesThatAreNoAsciiWhereverTheyAre) {
  for (size_t before = 0; before < 40; ++before) {
    std::string out;
    AppendString(std::string(before, 'x') + "\xff\xc3\xa4", &out);
    EXPECT_EQ(out, "\"" + std::string(before, 'x') + "\\ufffd\xc3\xa4\"");
  }
}

}  // namespace
}  // namespace outrigger::json
