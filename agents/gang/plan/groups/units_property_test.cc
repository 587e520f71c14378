#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "cases_testing.h"
#include "fmt/format.h"

// Units, their order and their groups' states are a function of the set of pods and objects.

namespace outrigger::plan {
namespace {

std::string TextOf(const Rank& rank) {
  return fmt::format("{} {} {} {} {} {} {} {} {}/{}/{}", rank.first, rank.group_priority,
                     rank.priority, rank.by_priority, rank.in_part, rank.turn,
                     static_cast<int>(rank.qos), rank.created, rank.namespace_, rank.name,
                     rank.uid);
}

std::string TextOf(const Unit& unit) {
  std::string text = fmt::format(
      "{} {} {} [{}] {}/{}", Brief(unit), static_cast<int>(unit.key.dialect),
      plan::TextOf(unit.key) + unit.key.uid, TextOf(unit.rank), unit.bound, unit.minimum);
  for (const Member& member : unit.members) {
    text += fmt::format(" {}{}{}{}{}", member.role, member.reserved, member.waits_on,
                        member.refused.size(), member.pinned.size());
  }
  text += fmt::format(" in all {}", unit.min_resources.Get("cpu").ToString());
  for (const Role& role : unit.roles) {
    text += fmt::format(" {}:{}/{}", role.name, role.bound, role.minimum);
  }
  for (const auto* list :
       {&unit.topology.required, &unit.topology.preferred, &unit.topology.bound_on}) {
    text += " |";
    for (const std::string& item : *list) text += " " + item;
  }
  return text;
}

std::string TextOf(const GroupState& state) {
  return fmt::format("{} {}{} {} {} {}/{} {} {} {} {} {} {}/{} {} {}{} {}{}",
                     static_cast<int>(state.key.dialect), plan::TextOf(state.key), state.key.uid,
                     static_cast<int>(state.cause), state.text, state.existing, state.minimum,
                     state.bound, state.queued, state.gated, state.other_scheduler,
                     state.terminating, state.succeeded, state.finished, state.ran, state.needed,
                     state.admitted, state.in_part, state.preferred);
}

std::vector<std::string> TextsOf(const GroupedUnits& made) {
  std::vector<std::string> texts;
  for (const Unit& unit : made.units) texts.push_back(TextOf(unit));
  for (const GroupState& state : made.groups) texts.push_back(TextOf(state));
  return texts;
}

template <typename T>
std::vector<T> Shuffled(const std::vector<T>& items) {
  std::vector<T> shuffled;
  std::vector<size_t> left(items.size());
  std::iota(left.begin(), left.end(), size_t{0});
  while (!left.empty()) {
    const auto at = *rc::gen::inRange<size_t>(0, left.size());
    shuffled.push_back(items[left[at]]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return shuffled;
}

RC_GTEST_PROP(UnitsProperty, DoNotDependOnTheOrderOfTheInput, ()) {
  const Input input = RandomInput();
  const auto expected = TextsOf(BuildUnits(input.pods, input.objects, AllServed(), nullptr));
  const auto shuffled =
      TextsOf(BuildUnits(Shuffled(input.pods), Shuffled(input.objects), AllServed(), nullptr));
  RC_ASSERT(shuffled == expected);
}

RC_GTEST_PROP(UnitsProperty, AreInOrderAndHoldEveryPodAtMostOnce, ()) {
  const Input input = RandomInput();
  const GroupedUnits made = BuildUnits(input.pods, input.objects, AllServed(), nullptr);
  std::vector<const Pod*> placed;
  for (size_t i = 0; i < made.units.size(); ++i) {
    const Unit& unit = made.units[i];
    // RC_ASSERT evaluates both sides of an or.
    if (i != 0) RC_ASSERT(!(unit.rank < made.units[i - 1].rank));
    RC_ASSERT(!unit.members.empty());
    RC_ASSERT(unit.bound + static_cast<int64_t>(unit.members.size()) >= unit.minimum);
    for (const Member& member : unit.members) {
      RC_ASSERT(member.pod->node_name.empty());
      placed.push_back(member.pod.get());
    }
  }
  std::sort(placed.begin(), placed.end());
  RC_ASSERT(std::adjacent_find(placed.begin(), placed.end()) == placed.end());
}

// What happens to a cluster between two plans: pods and objects go, come, and change.
void Change(Input* input, int* next_pod) {
  std::erase_if(input->pods, [](const PodPtr&) { return *rc::gen::inRange(0, 6) == 0; });
  for (PodPtr& pod : input->pods) {
    // A pod that has changed is another object, here with the name of the old one.
    if (*rc::gen::inRange(0, 6) == 0) pod = RandomPod(std::stoi(pod->name.substr(4)));
  }
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) input->pods.push_back(RandomPod((*next_pod)++));
  if (*rc::gen::inRange(0, 2) == 0) return;
  std::erase_if(input->objects, [](const PodGroupObject&) { return *rc::gen::inRange(0, 4) == 0; });
  for (PodGroupObject& object : input->objects) {
    if (*rc::gen::inRange(0, 4) == 0) object.min_member = *rc::gen::inRange(0, 4);
    if (*rc::gen::inRange(0, 4) == 0)
      object.min_resources.Set("cpu", testing::Q(*rc::gen::element<std::string>("0", "3")));
  }
  if (*rc::gen::arbitrary<bool>()) input->objects.push_back(RandomObject(100 + *next_pod));
}

// What who plans may do with units that are to be brought up to date.
void Use(std::vector<Unit>* units) {
  for (Unit& unit : *units) {
    if (*rc::gen::inRange(0, 3) != 0) continue;
    unit.rank.turn = 1;
    unit.rank.first = true;
    unit.rank.in_part = !unit.rank.in_part;
    Member& member = unit.members.back();
    member.reserved = member.waits_on = "node-1";
    member.refused = {"node-2"};
    member.pinned.emplace_back();
  }
  std::erase_if(*units, [](const Unit&) { return *rc::gen::inRange(0, 8) == 0; });
  if (*rc::gen::arbitrary<bool>()) *units = Shuffled(*units);
}

RC_GTEST_PROP(UnitsProperty, ThatAreKeptAreThoseThatAreMadeAfresh, ()) {
  Input input = RandomInput();
  int next_pod = 30;
  UnitTable table;
  for (int round = 0; round < 4; ++round) {
    GroupOptions options = AllServed();
    if (*rc::gen::inRange(0, 8) == 0) options.scheduler_names = {"other"};
    options.order_by_pod_priority = *rc::gen::inRange(0, 8) != 0;
    if (*rc::gen::inRange(0, 8) == 0 && !input.pods.empty()) {
      options.leaving = {(*rc::gen::elementOf(input.pods))->uid};
    }
    table.Update(Shuffled(input.pods), input.objects, options, nullptr);
    RC_ASSERT(TextsOf(table.made()) ==
              TextsOf(BuildUnits(input.pods, input.objects, options, nullptr)));
    Use(&table.made().units);
    Change(&input, &next_pod);
  }
}

RC_GTEST_PROP(UnitsProperty, OfWhichNothingHasChangedStayWhereTheyAre, ()) {
  const Input input = RandomInput();
  UnitTable table;
  table.Update(input.pods, input.objects, AllServed(), nullptr);
  const auto text_of = [](const Unit& unit) {
    return static_cast<const void*>(unit.key.name.data());
  };
  std::vector<const void*> before;
  for (const Unit& unit : table.made().units) before.push_back(text_of(unit));
  table.Update(Shuffled(input.pods), input.objects, AllServed(), nullptr);
  std::vector<const void*> after;
  for (const Unit& unit : table.made().units) after.push_back(text_of(unit));
  const bool same = after == before;
  RC_ASSERT(same);
}

RC_GTEST_PROP(UnitsProperty, NoteEveryThingOnce, ()) {
  const Input input = RandomInput();
  NotesOnce notes;
  BuildUnits(input.pods, input.objects, AllServed(), &notes);
  notes.Take();
  BuildUnits(Shuffled(input.pods), Shuffled(input.objects), AllServed(), &notes);
  RC_ASSERT(notes.Take().empty());
}

}  // namespace
}  // namespace outrigger::plan
