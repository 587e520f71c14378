#include "codec/json/token_budget.h"

#include <memory>
#include <random>
#include <string>

#include "json_testing.h"
#include "simdjson.h"

namespace outrigger::json {
namespace {

// What simdjson writes into its index; 0 where it stops before the end.
size_t Indexed(std::string_view text) {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> stage;
  EXPECT_EQ(simdjson::get_active_implementation()->create_dom_parser_implementation(
                text.size() + 64, 8, stage),
            simdjson::SUCCESS);
  const simdjson::padded_string padded(text);
  const auto error = stage->stage1(reinterpret_cast<const uint8_t*>(padded.data()), padded.size(),
                                   simdjson::stage1_mode::regular);
  return error == simdjson::SUCCESS ? stage->n_structural_indexes : 0;
}

struct Row {
  const char* name;
  std::string_view text;
  size_t tokens;
};
class CountTokensTest : public ::testing::TestWithParam<Row> {};

TEST_P(CountTokensTest, CountsWhatSimdjsonIndexes) {
  EXPECT_EQ(CountTokens(GetParam().text), GetParam().tokens);
  EXPECT_EQ(Indexed(GetParam().text), GetParam().tokens);
}

const Row kRows[] = {
    {"Object", "{:1}", 4},
    {"EmptyObject", "{}", 2},
    {"Numbers", "[0,0,0]", 7},
    {"BracketsAlone", "[[[[[", 5},
    {"ClosingOnes", "]}]}", 4},
    {"NumbersBetweenBlanks", "1 22\n3\t4\r5", 5},
    {"BlanksAround", "  [ 1 , 2 ] ", 5},
    {"Literals", "[true,null]", 5},

};
INSTANTIATE_TEST_SUITE_P(Wire, CountTokensTest, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST(CountTokens, CountsTheFirstByteOfAStringAsWell) {
  EXPECT_EQ(Indexed(R"({"a":1})"), 5U);
  EXPECT_EQ(CountTokens(R"({"a":1})"), 6U);
}

TEST(CountTokens, OfNothingIsNone) {
  EXPECT_EQ(CountTokens(""), 0U);
  EXPECT_EQ(CountTokens(" \n"), 0U);
}

TEST(CountTokens, GoesOnFromBlockToBlock) {
  for (size_t size = 1; size < 1500; ++size) {
    EXPECT_EQ(CountTokens(std::string(size, '[')), size);
    EXPECT_EQ(CountTokens(std::string(size, 'x')), 1U);
    EXPECT_EQ(CountTokens("[" + std::string(size, 'x') + "]"), 3U);
  }
}

TEST(CountTokens, IsNeverBelowSimdjsons) {
  constexpr std::string_view kTelling = "{}[],:\"\\ \n\t0a\f\x1a\x01\x80";
  std::mt19937 random(20'261'121);  // NOLINT(cert-msc*): the same bytes every time
  size_t indexed = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text(1 + random() % 400, ' ');
    for (char& c : text) c = kTelling[random() % (round % 2 == 0 ? kTelling.size() : 13)];
    const size_t found = Indexed(text);
    ASSERT_GE(CountTokens(text), found) << text;
    indexed += found > 0 ? 1 : 0;
  }
  EXPECT_GT(indexed, 500U) << "simdjson stopped early nearly always: nothing was compared";
}

TEST(CheckTokens, RefusesOneMoreThanTheLimit) {
  EXPECT_THAT(CheckTokens("[0,0]   ", Path(""), 5), IsOk());
  EXPECT_THAT(CheckTokens("[0,0]   ", Path(""), 4),
              IsInvalid("body: more than 4 keys, values, brackets, commas and colons"));
}

TEST(CheckTokens, CountsNothingThatIsTooSmallToHaveSoMany) {
  EXPECT_THAT(CheckTokens("[[[[", Path(""), 4), IsOk());
}

}  // namespace
}  // namespace outrigger::json
