#include <rapidcheck/gtest.h>

#include <iterator>
#include <optional>
#include <sstream>

#include "cases_testing.h"
#include "fmt/format.h"
#include "sdk/base/dialects.h"

// What a group is said to lack is what it lacks: with so many members more it lacks them no longer,
// and with one less it does.

namespace outrigger::plan {
namespace {

// "1 of 3 members of role ps exist; not counted: 2 gated by a gate", as people read it.
struct Lack {
  int have = 0;
  int want = 0;
  std::string role;  // empty: of any
  friend bool operator==(const Lack&, const Lack&) = default;
};

std::optional<Lack> LackIn(const GroupState& state) {
  if (state.cause != GroupCause::kTooFewMembers) return {};
  const std::string figures = state.text.substr(0, state.text.find(';'));
  std::istringstream stream(figures);
  const std::vector<std::string> words(std::istream_iterator<std::string>{stream}, {});
  Lack lack;
  lack.have = std::stoi(words.at(0));
  lack.want = std::stoi(words.at(2));
  if (words.at(4) == "of") lack.role = words.at(6);
  return lack;
}

GroupState StateOf(const UnitKey& key, const Input& input) {
  const GroupedUnits made = BuildUnits(input.pods, input.objects, AllServed(), nullptr);
  for (const GroupState& state : made.groups) {
    if (state.key == key) return state;
  }
  RC_FAIL("the group has gone");
  return {};
}

void AddMember(const UnitKey& key, const GroupState& state, const std::string& role, Pods* pods) {
  PodOf pod(fmt::format("more-{}", pods->size()));
  // Younger than all others: the minimum of labels is the oldest member's.
  pod.In(key.namespace_).Created(9).Annotation(RowOf(Dialect::kVolcano).role_key, role);
  pods->push_back(pod.Member(key.dialect, key.name, std::to_string(state.minimum)));
}

// Gives the group `number` of what it lacks.
void Give(const UnitKey& key, const GroupState& state, const Lack& lack, int number, Input* input) {
  for (int i = 0; i < number; ++i) {
    AddMember(key, state, lack.role, &input->pods);
  }
}

// Gives each group what it is said to lack until it lacks nothing; how often that was.
int FillUp(const UnitKey& key, Input input) {
  int times = 0;
  for (; times < 8; ++times) {
    const GroupState state = StateOf(key, input);
    const std::optional<Lack> lack = LackIn(state);
    if (!lack) break;
    RC_ASSERT(lack->have < lack->want);
    Give(key, state, *lack, lack->want - lack->have - 1, &input);
    Lack one_less = *lack;
    one_less.have = lack->want - 1;
    RC_ASSERT(LackIn(StateOf(key, input)) == one_less);
    Give(key, state, one_less, 1, &input);
    const GroupState then = StateOf(key, input);
    const std::optional<Lack> next = LackIn(then);
    RC_LOG() << fmt::format("{}: \"{}\", then \"{}\"", TextOf(key), state.text, then.text);
    const bool is_another = !next || next->role != lack->role;
    RC_ASSERT(is_another);  // The macro's own || evaluates both sides.
  }
  RC_ASSERT(StateOf(key, input).cause == GroupCause::kNone);
  return times;
}

// More pods that the gate holds, and groups whose roles matter, than RandomInput() alone gives.
Input WithManyThatAreHeld() {
  Input input = RandomInput();
  const Pod usual = PodOf("usual");
  for (PodPtr& pod : input.pods) {
    const bool can_be_held = pod->node_name.empty() && !pod->being_deleted &&
                             pod->phase == usual.phase &&
                             pod->scheduler_name == usual.scheduler_name;
    if (!can_be_held || *rc::gen::arbitrary<bool>()) continue;
    auto held = std::make_shared<Pod>(*pod);
    held->scheduling_gates = {std::string(kQueueGate)};
    pod = held;
  }
  for (PodGroupObject& object : input.objects) {
    if (object.dialect != Dialect::kVolcano || *rc::gen::arbitrary<bool>()) continue;
    object.min_member = 1;
    object.min_task_member = {{"ps", *rc::gen::inRange(0, 3)}, {"worker", 1}};
  }
  return input;
}

RC_GTEST_PROP(EveryLackOfMembers, IsTrue, ()) {
  const Input input = WithManyThatAreHeld();
  int lacks = 0;
  for (const GroupState& state :
       BuildUnits(input.pods, input.objects, AllServed(), nullptr).groups) {
    if (LackIn(state)) lacks += FillUp(state.key, input);
  }
  RC_CLASSIFY(lacks == 0, "nobody lacks members");
  RC_CLASSIFY(lacks > 2, "several do, or one of several kinds");
}

}  // namespace
}  // namespace outrigger::plan
