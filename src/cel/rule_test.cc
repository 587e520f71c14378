// Rules as CustomResourceDefinitions have them in x-kubernetes-validations: over self and oldSelf.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "cel/check/environment.h"
#include "cel/evaluator.h"
#include "cel/program.h"

namespace outrigger::cel {
namespace {

absl::StatusOr<Program> CompileRule(std::string_view text) {
  return Program::Compile(text, RuleEnvironment());
}

// A value that an expression makes; "": null.
class Made {
 public:
  explicit Made(std::string_view text)
      : program_(Program::Compile(text.empty() ? "null" : text, PrototypeEnvironment())) {
    EXPECT_TRUE(program_.ok()) << text << "\n" << program_.status();
    evaluator_.Evaluate(*program_, {});
  }
  const Value& value() const { return evaluator_.value(); }

 private:
  absl::StatusOr<Program> program_;
  Evaluator evaluator_;
};

struct Judged {
  Verdict verdict;
  std::string reason;
};
Judged Judge(std::string_view rule, std::string_view self, std::string_view old_self = "") {
  const auto program = CompileRule(rule);
  EXPECT_TRUE(program.ok()) << rule << "\n" << program.status();
  if (!program.ok()) return {Verdict::kFailed, "does not compile"};
  const Made now(self);
  const Made before(old_self);
  Evaluator evaluator;
  const Verdict verdict = evaluator.Evaluate(*program, std::array{now.value(), before.value()});
  return {verdict, evaluator.Reason()};
}

struct Row {
  const char* name;
  const char* rule;
  const char* good;
  const char* bad;
};

class Rules : public ::testing::TestWithParam<Row> {};

TEST_P(Rules, TellGoodFromBad) {
  EXPECT_EQ(Judge(GetParam().rule, GetParam().good).verdict, Verdict::kTrue);
  EXPECT_EQ(Judge(GetParam().rule, GetParam().bad).verdict, Verdict::kFalse);
}

INSTANTIATE_TEST_SUITE_P(
    OfTheField, Rules,
    ::testing::Values(
        Row{"Order", "self.minReplicas <= self.maxReplicas", "{'minReplicas': 1, 'maxReplicas': 1}",
            "{'minReplicas': 2, 'maxReplicas': 1}"},
        Row{"Implication", "!has(self.tls) || self.port == 443", "{'port': 80}",
            "{'port': 80, 'tls': 1}"},
        Row{"OneOf", "has(self.a) != has(self.b)", "{'a': 1}", "{'a': 1, 'b': 1}"},
        Row{"ExactlyOne", "[has(self.a), has(self.b)].exists_one(x, x)", "{'b': 1}", "{'c': 1}"},
        Row{"Keys", "self.all(k, k.startsWith('example.com/'))", "{'example.com/a': 1}",
            "{'example.com/a': 1, 'b': 2}"},
        Row{"Items", "self.all(i, i.weight > 0 && i.weight <= 100)", "[{'weight': 1}]",
            "[{'weight': 1}, {'weight': 101}]"},
        Row{"Unique", "self.all(x, self.exists_one(y, x.name == y.name))",
            "[{'name': 'a'}, {'name': 'b'}]", "[{'name': 'a'}, {'name': 'a'}]"},
        Row{"Size", "size(self.items) <= 2 && self.items.size() > 0", "{'items': ['a', 'b']}",
            "{'items': ['a', 'b', 'c']}"},
        Row{"SizeInCodePoints", "self.size() == 2", "'\u00e4\u00f6'", "'abc'"},
        Row{"Enum", "self in ['Always', 'Never']", "'Never'", "'Sometimes'"},
        Row{"KeyIn", "!('count' in self) || int(self['count']) >= 1", "{'count': '3'}",
            "{'count': '0'}"},
        Row{"Pattern", "self.matches('^[a-z]+-[0-9]+$')", "'gpu-1'", "'gpu'"},
        Row{"Texts", "self.host.endsWith('.com') && !self.host.contains('..')", "{'host': 'a.com'}",
            "{'host': 'a..com'}"},
        Row{"Split", "self.split(',').map(x, x.trim()).filter(x, x != '').size() == 2", "'a, b'",
            "'a, '"},
        Row{"Ternary", "self.type == 'A' ? has(self.a) : !has(self.a)",
            "{'type': dyn('A'), 'a': dyn(1)}", "{'type': dyn('B'), 'a': dyn(1)}"},
        Row{"Numbers", "self.ratio * 2.0 < 1.0", "{'ratio': 0.25}", "{'ratio': 0.5}"},
        Row{"Mixed", "self.a == 1 && self.a < 1.5", "{'a': 1.0}", "{'a': 2.0}"},
        Row{"Either", "type(self) == int ? self < 5 : self.matches('%$')", "'50%'", "7"},
        Row{"Quantity", "quantity(self.a).isLessThan(quantity('1Gi'))", "{'a': '512Mi'}",
            "{'a': '2Gi'}"},
        Row{"Optional", "self.?spec.?size.orValue(1) == 1", "{'spec': {}}",
            "{'spec': {'size': 2}}"},
        Row{"Escaped", "self.__namespace__ == self.my__dash__name",
            "{'__namespace__': 'a', 'my__dash__name': 'a'}",
            "{'__namespace__': 'a', 'my__dash__name': 'b'}"},
        Row{"Rooted", "[1].all(self, .self == 2 && self == 1)", "2", "1"},
        Row{"Url", "isURL(self) && url(self).getScheme() == 'https'", "'https://a.b'",
            "'http://a.b'"}),
    [](const auto& row) { return row.param.name; });

struct Transition {
  const char* name;
  const char* rule;
  const char* before;
  const char* good;
  const char* bad;
};

class Transitions : public ::testing::TestWithParam<Transition> {};

TEST_P(Transitions, TellGoodFromBad) {
  const Transition& row = GetParam();
  EXPECT_TRUE(CompileRule(row.rule)->Uses(1));
  EXPECT_EQ(Judge(row.rule, row.good, row.before).verdict, Verdict::kTrue);
  EXPECT_EQ(Judge(row.rule, row.bad, row.before).verdict, Verdict::kFalse);
}

INSTANTIATE_TEST_SUITE_P(
    OfTheField, Transitions,
    ::testing::Values(
        Transition{"Immutable", "self == oldSelf", "{'a': [dyn(1), dyn({'b': null})]}",
                   "{'a': [dyn(1), dyn({'b': null})]}", "{'a': [dyn(1), dyn({'b': 2})]}"},
        Transition{"OnlyGrows", "self >= oldSelf", "3", "4", "2"},
        Transition{"KeepsItems", "oldSelf.all(x, x in self)", "['a']", "['b', 'a']", "['b']"},
        Transition{"OnceSet", "!has(oldSelf.a) || (has(self.a) && self.a == oldSelf.a)", "{'a': 1}",
                   "{'a': 1}", "{}"},
        Transition{"OptionalOld", "oldSelf.hasValue() ? self >= oldSelf.value() : self == 1",
                   "optional.none()", "1", "2"},
        Transition{"OptionalOldThere", "oldSelf.optMap(x, x == self).orValue(false)",
                   "optional.of(1)", "1", "2"}),
    [](const auto& row) { return row.param.name; });

TEST(Rule, OneWithoutOldSelfIsNoTransition) {
  EXPECT_FALSE(CompileRule("[self].all(oldSelf, oldSelf == 1)")->Uses(1));
}

TEST(Rule, WhatIsMissingIsAnError) {
  const Judged missing = Judge("self.a == 1", "{'b': 1}");
  EXPECT_EQ(missing.verdict, Verdict::kFailed);
  EXPECT_EQ(missing.reason, "no such key: a");
  EXPECT_EQ(Judge("self[1] == 1", "[1]").verdict, Verdict::kFailed);
  EXPECT_EQ(Judge("self.a < 'x'", "{'a': 1}").reason, "no such overload: _<_");
}

TEST(Rule, OthersDoNotCompile) {
  const auto device = CompileRule("device.driver == 'a'");
  EXPECT_EQ(device.status().message(),
            "ERROR: <input>:1:1: undeclared reference to 'device'; known are 'self', 'oldSelf' and "
            "the variables of macros, and texts need quotes\n"
            " | device.driver == 'a'\n | ^");
  EXPECT_FALSE(CompileRule("self.a ==").ok());
  EXPECT_FALSE(CompileRule("self.a in [1, 'x']").ok());
  EXPECT_FALSE(CompileRule("self.frobnicate()").ok());
  EXPECT_FALSE(Program::Compile("self == 1", DraEnvironment()).ok());
  EXPECT_FALSE(CompileRule("authorizer.path('/').check('get').allowed()").ok());
  EXPECT_TRUE(IsWrongResultType(CompileRule("self.size()").status()));
  EXPECT_TRUE(CompileRule("self.a").ok());
}

// Reading a long text costs 1 at times, but not one step.
TEST(Rule, WhatLongTextsTakeIsBounded) {
  const std::string text(1'000'000, 'a');
  const Value self = Value::String(text);
  Evaluator evaluator;
  const auto judge = [&](std::string_view rule) {
    return evaluator.Evaluate(*CompileRule(rule), std::array{self, self});
  };
  EXPECT_EQ(judge("lists.range(100).all(i, self != '')"), Verdict::kTrue);
  EXPECT_GT(evaluator.work(), 100U * 15'000);
  EXPECT_EQ(judge("lists.range(10000).all(i, self != '')"), Verdict::kCost);
  EXPECT_EQ(judge("cel.bind(x, [self], lists.range(10000).all(i, x == x))"), Verdict::kCost);
}

}  // namespace
}  // namespace outrigger::cel
