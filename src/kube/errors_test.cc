#include "kube/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "kube_testing.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

struct CodeRow {
  int code;
  const char* reason;
  absl::StatusCode status;
};
class ErrorOfAnswerRows : public ::testing::TestWithParam<CodeRow> {};

TEST_P(ErrorOfAnswerRows, HasTheCodeOfItsAnswer) {
  const nlohmann::json body = {{"kind", "Status"}, {"reason", GetParam().reason}};
  const absl::Status status = ErrorOfAnswer(GetParam().code, body.dump(), "");
  EXPECT_EQ(status.code(), GetParam().status);
  EXPECT_EQ(ApiErrorOf(status)->code, GetParam().code);
  EXPECT_EQ(ApiErrorOf(status)->reason, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ErrorOfAnswerRows,
    ::testing::Values(CodeRow{400, "BadRequest", absl::StatusCode::kInvalidArgument},
                      CodeRow{413, "RequestEntityTooLarge", absl::StatusCode::kInvalidArgument},
                      CodeRow{415, "UnsupportedMediaType", absl::StatusCode::kInvalidArgument},
                      CodeRow{422, "Invalid", absl::StatusCode::kInvalidArgument},
                      CodeRow{401, "Unauthorized", absl::StatusCode::kUnauthenticated},
                      CodeRow{403, "Forbidden", absl::StatusCode::kPermissionDenied},
                      CodeRow{404, "NotFound", absl::StatusCode::kNotFound},
                      CodeRow{405, "MethodNotAllowed", absl::StatusCode::kUnimplemented},
                      CodeRow{409, "Conflict", absl::StatusCode::kAborted},
                      CodeRow{409, "AlreadyExists", absl::StatusCode::kAlreadyExists},
                      CodeRow{410, "Expired", absl::StatusCode::kOutOfRange},
                      CodeRow{429, "TooManyRequests", absl::StatusCode::kResourceExhausted},
                      CodeRow{500, "InternalError", absl::StatusCode::kInternal},
                      CodeRow{502, "", absl::StatusCode::kUnavailable},
                      CodeRow{503, "ServiceUnavailable", absl::StatusCode::kUnavailable},
                      CodeRow{504, "Timeout", absl::StatusCode::kDeadlineExceeded},
                      CodeRow{302, "", absl::StatusCode::kUnknown},
                      CodeRow{418, "", absl::StatusCode::kUnknown},
                      CodeRow{0, "", absl::StatusCode::kUnknown},
                      CodeRow{999, "", absl::StatusCode::kUnknown}),
    [](const auto& row) { return std::to_string(row.param.code) + row.param.reason; });

TEST(ErrorOfAnswer, CarriesWhatTheServerSaid) {
  const absl::Status status = ErrorOfAnswer(404, R"({"kind":"Status","apiVersion":"v1","code":404,
      "status":"Failure","reason":"NotFound","message":"pods \"web-1\" not found",
      "details":{"name":"web-1","kind":"pods","retryAfterSeconds":5}})",
                                            "");
  const auto error = ApiErrorOf(status);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->message, "pods \"web-1\" not found");
  EXPECT_EQ(error->details, "pods \"web-1\"");
  EXPECT_EQ(error->retry_after, seconds(5));
  EXPECT_EQ(Text(status), "the API server answered 404 NotFound: pods \"web-1\" not found");
}

TEST(ErrorOfAnswer, PrefersTheHeaderForRetryAfter) {
  const char body[] = R"({"kind":"Status","details":{"retryAfterSeconds":5}})";
  EXPECT_EQ(ApiErrorOf(ErrorOfAnswer(429, body, "7"))->retry_after, seconds(7));
  EXPECT_EQ(ApiErrorOf(ErrorOfAnswer(429, body, "soon"))->retry_after, seconds(5));
  EXPECT_EQ(ApiErrorOf(ErrorOfAnswer(429, "", "-1"))->retry_after, std::nullopt);
  EXPECT_EQ(ApiErrorOf(ErrorOfAnswer(429, "", "99999999999999999999"))->retry_after,
            seconds(86'400));
  EXPECT_EQ(ApiErrorOf(ErrorOfAnswer(429, "", ""))->retry_after, std::nullopt);
}

TEST(ErrorOfAnswer, TakesAnyBody) {
  for (const char* body : {"", "not JSON", "[]", "null", "{", R"({"kind":"Pod","reason":"x"})",
                           R"({"kind":"Status","reason":5,"message":{},"details":[],"code":1e99})",
                           "{\"kind\":\"Status\",\"message\":\"\xff\"}"}) {
    const absl::Status status = ErrorOfAnswer(403, body, "");
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
    EXPECT_EQ(ApiErrorOf(status)->reason, "") << body;
  }
}

TEST(ErrorOfAnswer, CutsLongTextsBetweenCharactersAndKeepsThemToALine) {
  std::string text = "a\nb\x1b[31m";
  while (text.size() < 10'000) text += "\xc3\xa9";
  const nlohmann::json body = {{"kind", "Status"}, {"message", text}};
  const absl::Status status = ErrorOfAnswer(403, body.dump(), "");
  const std::string message = ApiErrorOf(status)->message;
  EXPECT_LE(message.size(), 4096U);
  EXPECT_GE(message.size(), 4090U);
  EXPECT_EQ(message.substr(0, 4), "a b ");
  EXPECT_NO_THROW(nlohmann::json(message).dump()) << "still UTF-8";
}

TEST(ErrorOfEvent, HasTheCodeOfItsStatus) {
  const absl::Status gone =
      ErrorOfEvent(R"({"kind":"Status","code":410,"reason":"Expired","message":"too old"})");
  EXPECT_EQ(gone.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(Text(gone), HasSubstr("too old"));
  EXPECT_EQ(ErrorOfEvent("nonsense").code(), absl::StatusCode::kInternal);
  EXPECT_EQ(ErrorOfEvent(R"({"kind":"Status","code":200})").code(), absl::StatusCode::kInternal);
}

TEST(ApiErrorOf, IsNothingWhereNoServerSpoke) {
  EXPECT_FALSE(ApiErrorOf(absl::UnavailableError("lost")).has_value());
  EXPECT_FALSE(ApiErrorOf(absl::OkStatus()).has_value());
}

}  // namespace
}  // namespace outrigger::kube
