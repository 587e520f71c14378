#include "cases_testing.h"

#include <rapidcheck.h>

#include "fmt/format.h"
#include "sdk/base/dialects.h"

namespace outrigger::plan {
namespace {

template <typename... Values>
std::string AnyOf(const Values&... values) {
  return *rc::gen::element<std::string>(values...);
}

}  // namespace

PodPtr RandomPod(int number) {
  PodOf pod(fmt::format("pod-{}", number));
  pod.In(AnyOf("x", "y")).Created(*rc::gen::inRange<int64_t>(0, 3)).Qos(AnyOf("Burstable", ""));
  pod.Priority(*rc::gen::element(0, 0, 1, 2, 2'000'000'000))
      .Label("groupPriority", AnyOf("0", "0", "1", "high"));
  for (int dialect = 1; dialect <= 5; ++dialect) {
    if (*rc::gen::inRange(0, 4) != 0) continue;
    pod.Member(static_cast<Dialect>(dialect), AnyOf("a", "b"), AnyOf("1", "2", "3", "0"));
  }
  pod.Annotation(RowOf(Dialect::kVolcano).role_key, AnyOf("", "ps", "worker"));
  pod.Annotation(kTopologyRequired, AnyOf("", "", "zone", "rack,zone", "a b"));
  if (*rc::gen::arbitrary<bool>()) pod.Owner(AnyOf("job-1", "job-2"));
  switch (*rc::gen::inRange(0, 14)) {
    case 0:
      return pod.Phase("Failed");
    case 12:
    case 13:
      return pod.On("node-1")
          .Scheduled(*rc::gen::inRange<int64_t>(0, 3))
          .Phase(AnyOf("Failed", "Succeeded"));
    case 1:
      return pod.Terminating();
    case 2:
      return pod.Scheduler("other");
    case 3:
      return pod.Gate("g");
    case 4:
      return pod.Gate(kQueueGate);
    case 5:
    case 6:
      if (*rc::gen::arbitrary<bool>()) pod.Annotation(kStartedWith, AnyOf("1", "2", "3"));
      return pod.On(AnyOf("node-1", "node-2"));
    default:
      return pod;
  }
}

PodGroupObject RandomObject(int number) {
  const auto dialect = static_cast<Dialect>(*rc::gen::inRange(2, 6));
  PodGroupObject object = ObjectOf(dialect, AnyOf("a", "b"), *rc::gen::inRange(0, 4));
  object.namespace_ = AnyOf("x", "y");
  object.created = *rc::gen::inRange<int64_t>(0, 3);
  object.uid = std::to_string(number);
  if (dialect == Dialect::kVolcano) object.min_task_member = {{"ps", *rc::gen::inRange(0, 2)}};
  if (*rc::gen::inRange(0, 3) == 0) object.min_resources.Set("cpu", testing::Q(AnyOf("1", "2")));
  object.independent = dialect == Dialect::kUpstream && *rc::gen::arbitrary<bool>();
  return object;
}

Input RandomInput() {
  Input input;
  const int number = *rc::gen::inRange(0, 30);
  for (int i = 0; i < number; ++i) input.pods.push_back(RandomPod(i));
  for (int i = *rc::gen::inRange(0, 8); i > 0; --i) input.objects.push_back(RandomObject(i));
  return input;
}

}  // namespace outrigger::plan
