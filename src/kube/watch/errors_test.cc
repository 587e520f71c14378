#include "kube/watch/errors.h"

#include "reflect_testing.h"

namespace outrigger::kube {
namespace {

struct Row {
  const char* name;
  absl::Status status;
  Failure failure;
};
class WatchErrors : public ::testing::TestWithParam<Row> {};

TEST_P(WatchErrors, AskForARemedy) {
  EXPECT_EQ(FailureOf(GetParam().status), GetParam().failure);
}

const Row kRows[] = {
    {"NoConnection", absl::UnavailableError("connection refused"), Failure::kConnection},
    {"NoAnswerInTime", absl::DeadlineExceededError("30 s are over"), Failure::kConnection},
    {"BadRequest", Refused(400, "BadRequest", "?"), Failure::kUnsupported},
    {"BadMethod", Refused(405, "MethodNotAllowed", "?"), Failure::kUnsupported},
    {"Invalid", Refused(422, "Invalid", "sendInitialEvents: Forbidden"), Failure::kUnsupported},
    {"Unauthorized", Refused(401, "Unauthorized", "?"), Failure::kNotAllowed},
    {"Forbidden", Refused(403, "Forbidden", "?"), Failure::kNotAllowed},
    {"NoCredentials", absl::UnauthenticatedError("no token"), Failure::kNotAllowed},
    {"NotFound", Refused(404, "NotFound", "?"), Failure::kMissing},
    {"NotFoundWithoutStatus", ErrorOfAnswer(404, "404 page not found", ""), Failure::kMissing},
    {"Gone", Refused(410, "Gone", "?"), Failure::kExpired},
    {"Expired", Refused(410, "Expired", "too old resource version: 1 (5)"), Failure::kExpired},
    {"TooMany", Refused(429, "TooManyRequests", "?", "3"), Failure::kTooMany},
    {"TooLarge", TooLarge(), Failure::kTooLarge},
    {"GatewayTimeout", Refused(504, "Timeout", "?"), Failure::kServer},
    {"Internal", Refused(500, "InternalError", "?"), Failure::kServer},
    {"Unavailable", Refused(503, "ServiceUnavailable", "?"), Failure::kServer},
    {"Damaged", absl::InvalidArgumentError("event: broken JSON"), Failure::kDamaged},
    {"TooBig", absl::ResourceExhaustedError("an event of more"), Failure::kDamaged},
    {"StreamedLists", absl::UnimplementedError("no"), Failure::kServer},
};
INSTANTIATE_TEST_SUITE_P(Kube, WatchErrors, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace outrigger::kube
