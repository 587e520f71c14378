#include "lab/client/named_rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kube/errors.h"
#include "unit/kube/kube_testing.h"

namespace outrigger::lab {
namespace {

using kube::ApiRequest;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Answers everything alike.
class Answers final : public kube::Api {
 public:
  explicit Answers(absl::Status status) : status_(std::move(status)) {}
  absl::StatusOr<kube::ApiResponse> Call(const ApiRequest& /*request*/) override {
    if (status_.ok()) return kube::ApiResponse{200, "{}"};
    return status_;
  }
  absl::Status Stream(const ApiRequest& /*request*/, kube::ByteSink /*sink*/) override {
    return status_;
  }

 private:
  const absl::Status status_;
};

absl::Status Forbidden() {
  return kube::ErrorOfAnswer(403, R"({"kind":"Status","message":"User \"jane\" cannot"})", "");
}

struct Row {
  const char* name;
  const char* method;
  const char* path;
  bool watches;
  const char* right;
};

class NamedRight : public ::testing::TestWithParam<Row> {};

TEST_P(NamedRight, IsTheVerbAndTheResource) {
  Answers refuses(Forbidden());
  NamedRights rights(&refuses);
  ApiRequest request;
  request.method = GetParam().method;
  request.path = GetParam().path;
  if (GetParam().watches) request.query.emplace_back("watch", "true");
  const std::string begin = std::string("needs the right to ") + GetParam().right + ": ";
  const absl::Status called = rights.Call(request).status();
  EXPECT_THAT(kube::Text(called), StartsWith(begin));
  EXPECT_THAT(kube::Text(called), HasSubstr("User \"jane\" cannot"));
  EXPECT_EQ(kube::ApiErrorOf(called)->code, 403);
  EXPECT_THAT(kube::Text(rights.Stream(request, [](std::string_view) { return true; })),
              StartsWith(begin));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, NamedRight,
    ::testing::Values(Row{"List", "GET", "/api/v1/nodes", false, "list nodes"},
                      Row{"Watch", "GET", "/api/v1/pods", true, "watch pods"},
                      Row{"GetOfANamespace", "GET", "/api/v1/namespaces/shop/pods/web-1", false,
                          "get pods"},
                      Row{"Namespace", "GET", "/api/v1/namespaces/shop", false, "get namespaces"},
                      Row{"Bind", "POST", "/api/v1/namespaces/shop/pods/web-1/binding", false,
                          "create pods/binding"},
                      Row{"Condition", "PATCH", "/api/v1/namespaces/shop/pods/web-1/status", false,
                          "patch pods/status"},
                      Row{"Event", "POST", "/apis/events.k8s.io/v1/namespaces/shop/events", false,
                          "create events.events.k8s.io"},
                      Row{"Update", "PUT", "/apis/apps/v1/namespaces/shop/deployments/a", false,
                          "update deployments.apps"},
                      Row{"Delete", "DELETE", "/api/v1/nodes/a", false, "delete nodes"},
                      Row{"NoResource", "GET", "/version", false, "list /version"}),
    [](const auto& row) { return row.param.name; });

TEST(NamedRights, LeavesOtherAnswersAsTheyAre) {
  ApiRequest request;
  request.path = "/api/v1/nodes";
  Answers good(absl::OkStatus());
  EXPECT_EQ(NamedRights(&good).Call(request)->body, "{}");
  Answers gone(kube::ErrorOfAnswer(404, "", ""));
  EXPECT_THAT(kube::Text(NamedRights(&gone).Call(request).status()), Not(HasSubstr("right")));
}

}  // namespace
}  // namespace outrigger::lab
