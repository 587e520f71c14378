#include "kube/write/binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kube/errors.h"
#include "kube/kube_testing.h"
#include "kube/scripted_testing.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using ::testing::HasSubstr;

constexpr Binding kBinding{"shop", "web-1", "uid-1", "node-a"};

absl::Status Conflict() {
  return ErrorOfAnswer(409, R"({"kind":"Status","reason":"Conflict","message":"taken"})", "");
}

TEST(Bind, PostsTheBindingWithTheUidAndBeyondTheLimit) {
  ScriptedApi api({std::string("{}")});
  EXPECT_TRUE(Bind(api, kBinding).ok());
  ASSERT_EQ(api.asked.size(), 1U);
  EXPECT_EQ(api.asked[0].method, "POST");
  EXPECT_EQ(api.asked[0].path, "/api/v1/namespaces/shop/pods/web-1/binding");
  EXPECT_FALSE(api.asked[0].rate_limited);
  EXPECT_TRUE(api.asked[0].may_retry);
  EXPECT_TRUE(api.asked[0].errors_are_of_all_tries);
  EXPECT_TRUE(api.asked[0].server_times_out);
  EXPECT_EQ(nlohmann::json::parse(api.asked[0].body), nlohmann::json::parse(R"({
    "apiVersion":"v1","kind":"Binding",
    "metadata":{"name":"web-1","namespace":"shop","uid":"uid-1"},
    "target":{"kind":"Node","name":"node-a"}})"));
}

struct ConflictRow {
  const char* name;
  absl::StatusOr<std::string> pod;
  absl::StatusCode code;
  const char* text;
};
class BindConflict : public ::testing::TestWithParam<ConflictRow> {};

TEST_P(BindConflict, IsJudgedByThePodItself) {
  ScriptedApi api({Conflict(), GetParam().pod});
  const absl::Status status = Bind(api, kBinding);
  EXPECT_EQ(status.code(), GetParam().code) << status;
  EXPECT_THAT(Text(status), HasSubstr(GetParam().text));
  ASSERT_EQ(api.asked.size(), 2U);
  EXPECT_EQ(api.asked[1].path, "/api/v1/namespaces/shop/pods/web-1");
  EXPECT_FALSE(api.asked[1].rate_limited);
  if (!status.ok()) {
    EXPECT_EQ(ApiErrorOf(status)->reason, "Conflict");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BindConflict,
    ::testing::Values(
        ConflictRow{"SameNode", R"({"metadata":{"uid":"uid-1"},"spec":{"nodeName":"node-a"}})",
                    absl::StatusCode::kOk, ""},
        ConflictRow{"OtherNode", R"({"metadata":{"uid":"uid-1"},"spec":{"nodeName":"node-b"}})",
                    absl::StatusCode::kAborted, "it is bound to node node-b"},
        ConflictRow{"OtherPod", R"({"metadata":{"uid":"uid-2"},"spec":{"nodeName":"node-a"}})",
                    absl::StatusCode::kAborted, "taken"},
        ConflictRow{"NotBound", R"({"metadata":{"uid":"uid-1"},"spec":{}})",
                    absl::StatusCode::kAborted, "taken"},
        ConflictRow{"Nonsense", R"([1,2)", absl::StatusCode::kAborted, "taken"},
        ConflictRow{"Unreadable", absl::NotFoundError("gone"), absl::StatusCode::kAborted,
                    "taken"}),
    [](const auto& row) { return row.param.name; });

// A try whose answer was lost may have bound it: Aborted would say that it is not bound there.
TEST(Bind, AConflictWhosePodCannotBeReadLeavesOpenWhetherItIsBound) {
  for (const absl::Status& error :
       {absl::UnavailableError("gone away"), absl::PermissionDeniedError("no right")}) {
    ScriptedApi api({Conflict(), error});
    const absl::Status status = Bind(api, kBinding);
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    EXPECT_THAT(Text(status), HasSubstr("taken; it is unknown whether the pod is bound"));
  }
}

// The client says Unavailable, with the conflict as the payload, where an earlier try got no
// answer.
TEST(Bind, AConflictAfterATryWithoutAnswerIsJudgedByThePodToo) {
  struct Row {
    absl::StatusOr<std::string> pod;
    absl::StatusCode code;
  };
  for (const Row& row :
       {Row{R"({"metadata":{"uid":"uid-1"},"spec":{"nodeName":"node-a"}})", absl::StatusCode::kOk},
        Row{R"({"metadata":{"uid":"uid-1"},"spec":{"nodeName":"node-b"}})",
            absl::StatusCode::kAborted},
        Row{R"({"metadata":{"uid":"uid-2"},"spec":{}})", absl::StatusCode::kAborted},
        Row{absl::NotFoundError("gone"), absl::StatusCode::kAborted},
        Row{R"({"metadata":{"uid":"uid-1"},"spec":{}})", absl::StatusCode::kUnavailable}}) {
    ScriptedApi api({WithCode(Conflict(), absl::StatusCode::kUnavailable), row.pod});
    EXPECT_EQ(Bind(api, kBinding).code(), row.code) << row.pod.status();
    EXPECT_EQ(api.asked.size(), 2U);
  }
}

TEST(Bind, TellsOtherErrorsAsTheyAre) {
  ScriptedApi api({ErrorOfAnswer(404, "", "")});
  EXPECT_EQ(Bind(api, kBinding).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(api.asked.size(), 1U);
}

TEST(Bind, WantsAllFourNames) {
  for (const Binding& binding : {Binding{"", "p", "u", "n"}, Binding{"s", "", "u", "n"},
                                 Binding{"s", "p", "", "n"}, Binding{"s", "p", "u", ""}}) {
    ScriptedApi api({std::string("{}")});
    EXPECT_EQ(Bind(api, binding).code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(api.asked.empty());
  }
}

}  // namespace
}  // namespace outrigger::kube
