#include <string>

#include "nlohmann/json.hpp"
#include "wire_testing.h"

namespace outrigger::wire {
namespace {

absl::Status DecodeBind(std::string_view json) {
  BindArgs args;
  return DecodeBindArgs(PaddedBody(json), &args);
}

TEST(BindArgs, ReadsARealCall) {
  BindArgs args;
  ASSERT_THAT(DecodeBindArgs(PaddedBody(GoldenBytes("requests/bind.json")), &args), IsOk());
  EXPECT_EQ(args.pod_name, "web-0");
  EXPECT_EQ(args.pod_namespace, "shop");
  EXPECT_EQ(args.pod_uid, "4d9c1c2e-9f0e-4b4f-8d3a-0c5a1f0e7b11");
  EXPECT_EQ(args.node, "worker-1");
}

TEST(BindArgs, TakesKeysInAnyCaseAndOrderAndEscaped) {
  BindArgs args;
  const PaddedBody body(
      R"({"node":"n","podUID":"u","PODNAME":"p","x":[],"pod\u004eamespace":"s"})");
  ASSERT_THAT(DecodeBindArgs(body, &args), IsOk());
  EXPECT_EQ(args.pod_name + args.pod_namespace + args.pod_uid + args.node, "psun");
}

class BindKeys : public ::testing::TestWithParam<const char*> {
 protected:
  nlohmann::json call_ = nlohmann::json::parse(GoldenBytes("requests/bind.json"));
};

TEST_P(BindKeys, AreRequired) {
  const std::string text = std::string(GetParam()) + " is missing or empty";
  call_[GetParam()] = "";
  EXPECT_THAT(DecodeBind(call_.dump()), IsUnanswerable(text));
  call_[GetParam()] = nullptr;
  EXPECT_THAT(DecodeBind(call_.dump()), IsUnanswerable(text));
  call_.erase(GetParam());
  EXPECT_THAT(DecodeBind(call_.dump()), IsUnanswerable(text));
}

TEST_P(BindKeys, AreStrings) {
  for (const nlohmann::json& wrong : {nlohmann::json(1), nlohmann::json::array({"a"}),
                                      nlohmann::json::object(), nlohmann::json(false)}) {
    call_[GetParam()] = wrong;
    EXPECT_THAT(DecodeBind(call_.dump()),
                IsInvalid(std::string(GetParam()) + ": expected a string, found "));
  }
}

TEST_P(BindKeys, ComeOnce) {
  std::string json = call_.dump();
  json.insert(1, std::string("\"") + GetParam() + "\":\"x\",");
  EXPECT_THAT(DecodeBind(json), IsInvalid(std::string(GetParam()) + ": given twice"));
}

INSTANTIATE_TEST_SUITE_P(Wire, BindKeys,
                         ::testing::Values("PodName", "PodNamespace", "PodUID", "Node"),
                         [](const auto& row) { return row.param; });

TEST(BindArgs, RefusesTruncatedBodies) {
  const std::string whole = GoldenBytes("requests/bind.json");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(DecodeBind(whole.substr(0, size)), IsInvalid("body: "));
  }
  EXPECT_THAT(DecodeBind("null"), IsInvalid("body: expected a JSON object"));
  EXPECT_THAT(DecodeBind(whole + "x"), IsInvalid("body: broken JSON"));
}

TEST(BindArgs, ForgetsTheCallBefore) {
  BindArgs args;
  ASSERT_THAT(DecodeBindArgs(PaddedBody(GoldenBytes("requests/bind.json")), &args), IsOk());
  EXPECT_THAT(DecodeBindArgs(PaddedBody(R"({"PodName":"p"})"), &args),
              IsUnanswerable("PodNamespace"));
}

}  // namespace
}  // namespace outrigger::wire
