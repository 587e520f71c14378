#include "load/usage/prometheus_answer.h"

#include <cmath>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace outrigger::usage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<QueryAnswer> Read(std::string body) {
  return ReadQueryAnswer(&body);
}

std::string Success(const std::string& result) {
  return R"({"status":"success","data":{"resultType":"x","result":)" + result + "}}";
}

TEST(QueryAnswer, HasVectorsMatricesAndScalars) {
  const auto vector =
      Read(Success(R"([{"metric":{"a":"\u00e4\"","__name__":"x"},"value":[1.5,"2e3"]},)"
                   R"({"metric":{},"value":[1,"NaN"]}])"));
  ASSERT_TRUE(vector.ok()) << vector.status();
  ASSERT_EQ(vector->series.size(), 2U);
  EXPECT_EQ(LabelOf(vector->series[0].labels, "a"), "\xC3\xA4\"");
  EXPECT_EQ(vector->series[0].points[0].time, 1.5);
  EXPECT_EQ(vector->series[0].points[0].value, 2000);
  EXPECT_TRUE(std::isnan(vector->series[1].points[0].value));

  const auto matrix = Read(Success(R"([{"values":[[1,"1"],[2,"-Inf"]],"metric":{"a":"b"}}])"));
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(matrix->series[0].points.size(), 2U);
  EXPECT_EQ(matrix->series[0].points[1].value, -HUGE_VAL);

  const auto scalar = Read(Success(R"([7,"42"])"));
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_EQ(scalar->series[0].points[0].time, 7);
  EXPECT_EQ(scalar->series[0].points[0].value, 42);
}

TEST(QueryAnswer, HasNoPointsOfNativeHistograms) {
  const auto answer = Read(Success(
      R"([{"metric":{},"histogram":[1,{"count":"1","sum":"2","buckets":[[0,"1","2","1"]]}]}])"));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(answer->series[0].points.empty());
}

TEST(QueryAnswer, HasErrorsAndWarnings) {
  const auto error = Read(R"({"status":"error","errorType":"timeout","error":"slow"})");
  ASSERT_TRUE(error.ok()) << error.status();
  EXPECT_EQ(error->error_type, "timeout");
  EXPECT_EQ(error->error, "slow");
  EXPECT_EQ(Read(R"({"status":"error"})")->error, "no cause is given");
  const auto warned = Read(R"({"status":"success","data":{"result":[]},"warnings":["a","b"],)"
                           R"("infos":["c"],"isPartial":true,"stats":{"x":[1]}})");
  ASSERT_TRUE(warned.ok()) << warned.status();
  EXPECT_THAT(warned->warnings, ElementsAre("a", "b", "the response is partial"));
}

TEST(QueryAnswer, IsBoundedInMemory) {
  for (const char* part :
       {"{}", R"({"metric":{"":"","":""}})", R"({"values":[[1,"1"],[1,"1"]]})"}) {
    std::string body = Success(fmt::format("[{0},{0},{0}]", part));
    EXPECT_TRUE(ReadQueryAnswer(&body).ok()) << body;
    EXPECT_EQ(ReadQueryAnswer(&body, 2 * sizeof(Series) + 1).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
}

TEST(QueryAnswer, OfNothingButTokensIsBoundedInMemory) {
  std::string zeros = "0";
  for (int i = 0; i < 10'000; ++i) zeros += ",0";
  std::string body = R"({"status":"success","data":{"result":[]},"stats":[)" + zeros + "]}";
  EXPECT_TRUE(ReadQueryAnswer(&body).ok());
  EXPECT_EQ(ReadQueryAnswer(&body, 60'000).status().code(), absl::StatusCode::kResourceExhausted);
}

struct BadRow {
  const char* name;
  std::string body;
  const char* text;
};
class BadQueryAnswer : public ::testing::TestWithParam<BadRow> {};

TEST_P(BadQueryAnswer, IsRefusedWithItsPlace) {
  const auto answer = Read(GetParam().body);
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(answer.status().message()), HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadQueryAnswer,
    ::testing::Values(
        BadRow{"Empty", "", "found nothing"}, BadRow{"Text", "<html>", "JSON object"},
        BadRow{"Array", "[]", "JSON object"}, BadRow{"Cut", R"({"status":"success",)", "broken"},
        BadRow{"More", Success("[]") + "{}", ""},
        BadRow{"OtherStatus", R"({"status":"fine"})", "answer.status"},
        BadRow{"ResultIsText", Success(R"("a")"), "answer.data.result: expected an array"},
        BadRow{"ValueIsNumber", Success(R"([{"value":[1,2]}])"),
               "answer.data.result[0].value[1]: expected a string"},
        BadRow{"ValueIsWord", Success(R"([{"value":[1,"much"]}])"), "result[0].value[1]"},
        BadRow{"ValueIsEmpty", Success(R"([{"value":[1,""]}])"), "result[0].value[1]"},
        BadRow{"TimeIsText", Success(R"([{"value":["1","2"]}])"), "a timestamp"},
        BadRow{"TimeIsHuge", Success(R"([{"value":[1e673,"2"]}])"), "found an invalid number"},
        BadRow{"OneElement", Success(R"([{"value":[1]}])"), "found less"},
        BadRow{"ThreeElements", Success(R"([{"value":[1,"1","1"]}])"), "found more"},
        BadRow{"LabelIsNumber", Success(R"([{"metric":{"a":1}}])"), "metric.a"},
        BadRow{"ScalarOfThree", Success(R"([1,"1","1"])"), "a series"},
        BadRow{"Twice", R"({"status":"success","data":{"result":[]},"data":{"result":[]}})",
               "given twice"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::usage
