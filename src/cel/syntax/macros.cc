#include "cel/syntax/macros.h"

#include <array>
#include <string>
#include <utility>

#include "cel/values/concat.h"

namespace outrigger::cel {
namespace {

constexpr std::string_view kResultName = "@result";
constexpr std::string_view kUnused = "#unused";
constexpr std::string_view kSortInput = "@__sortBy_input__";

class Expander {
 public:
  Expander(Ast& ast, ErrorList& errors, const WrittenCall& call)
      : ast_(ast), errors_(errors), call_(call) {}

  Expr* Run() {
    for (const Macro& macro : kMacros) {
      if (macro.name == call_.name && macro.arguments == call_.args.size() &&
          macro.member == (call_.target != nullptr)) {
        return (this->*macro.expand)();
      }
    }
    return nullptr;
  }

 private:
  struct Macro {
    std::string_view name;
    bool member;
    size_t arguments;
    Expr* (Expander::*expand)();
  };
  static const std::array<Macro, 21> kMacros;

  Expr* Fail(const Expr& at, std::string message) {
    errors_.Add(at.offset, std::move(message));
    return ast_.NewConstant(at.offset, Value::Null());
  }

  Expr* Call(std::string_view name, std::vector<Expr*> args, Expr* target = nullptr) {
    return ast_.NewCall(call_.offset, name, std::move(args), target);
  }
  Expr* Result() { return ast_.NewIdent(call_.offset, kResultName); }
  Expr* Constant(const Value& value) { return ast_.NewConstant(call_.offset, value); }
  Expr* List(std::vector<Expr*> items) {
    Expr* list = ast_.New(ExprKind::kList, call_.offset);
    list->optional.resize(items.size());
    list->args = std::move(items);
    return list;
  }
  Expr* EmptyMap() { return ast_.New(ExprKind::kMap, call_.offset); }

  Expr* Fold(std::string_view accumulator, Expr* range, Expr* init, Expr* condition, Expr* step,
             Expr* result) {
    Expr* fold = ast_.New(ExprKind::kComprehension, call_.offset);
    fold->accumulator = accumulator;
    fold->first_variable = kUnused;
    fold->args = {range, init, condition, step, result};
    return fold;
  }

  // A loop over the target with the variables that the first arguments name.
  Expr* Loop(Expr* init, Expr* condition, Expr* step, Expr* result) {
    Expr* fold = Fold(kResultName, call_.target, init, condition, step, result);
    fold->first_variable = call_.args[0]->name;
    if (two_variables_) fold->second_variable = call_.args[1]->name;
    return fold;
  }

  // Whether the first `count` arguments can name variables; adds an error if not.
  Expr* CheckVariables(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const Expr& variable = *call_.args[i];
      if (variable.kind != ExprKind::kIdent) {
        return Fail(variable, "argument must be a simple name");
      }
      if (variable.name == kResultName || variable.name == "__result__") {
        return Fail(variable, "iteration variable overwrites accumulator variable");
      }
    }
    if (count == 2 && call_.args[0]->name == call_.args[1]->name) {
      return Fail(*call_.args[1], Concat("duplicate variable name: ", call_.args[0]->name));
    }
    two_variables_ = count == 2;
    return nullptr;
  }

  Expr* Has() {
    const Expr& argument = *call_.args[0];
    if (argument.kind != ExprKind::kSelect) {
      return Fail(argument, "invalid argument to has() macro: has(a.b) needs a field");
    }
    Expr* test = ast_.New(ExprKind::kSelect, call_.offset);
    test->name = argument.name;
    test->target = argument.target;
    test->test_only = true;
    return test;
  }

  Expr* All(size_t variables) {
    if (Expr* wrong = CheckVariables(variables)) return wrong;
    return Loop(Constant(Value::Bool(true)), Call("@not_strictly_false", {Result()}),
                Call("_&&_", {Result(), call_.args[variables]}), Result());
  }
  Expr* Exists(size_t variables) {
    if (Expr* wrong = CheckVariables(variables)) return wrong;
    return Loop(Constant(Value::Bool(false)), Call("@not_strictly_false", {Call("!_", {Result()})}),
                Call("_||_", {Result(), call_.args[variables]}), Result());
  }
  Expr* ExistsOne(size_t variables) {
    if (Expr* wrong = CheckVariables(variables)) return wrong;
    Expr* one_more = Call("_+_", {Result(), Constant(Value::Int(1))});
    return Loop(Constant(Value::Int(0)), Constant(Value::Bool(true)),
                Call("_?_:_", {call_.args[variables], one_more, Result()}),
                Call("_==_", {Result(), Constant(Value::Int(1))}));
  }
  Expr* AllOne() { return All(1); }
  Expr* AllTwo() { return All(2); }
  Expr* ExistsOf() { return Exists(1); }
  Expr* ExistsTwo() { return Exists(2); }
  Expr* ExistsOneOf() { return ExistsOne(1); }
  Expr* ExistsOneTwo() { return ExistsOne(2); }

  // A loop that takes the step where the filter, if any, is true.
  Expr* Collect(Expr* init, Expr* filter, Expr* step) {
    if (filter != nullptr) step = Call("_?_:_", {filter, step, Result()});
    return Loop(init, Constant(Value::Bool(true)), step, Result());
  }
  Expr* Appended(Expr* item) { return Call("_+_", {Result(), List({item})}); }

  Expr* MapItems() {
    if (Expr* wrong = CheckVariables(1)) return wrong;
    return Collect(List({}), call_.args.size() == 3 ? call_.args[1] : nullptr,
                   Appended(call_.args.back()));
  }
  Expr* Filter() {
    if (Expr* wrong = CheckVariables(1)) return wrong;
    return Collect(List({}), call_.args[1],
                   Appended(ast_.NewIdent(call_.args[0]->offset, call_.args[0]->name)));
  }
  Expr* FilterOfThree() { return call_.args.size() == 4 ? call_.args[2] : nullptr; }
  Expr* TransformList() {
    if (Expr* wrong = CheckVariables(2)) return wrong;
    return Collect(List({}), FilterOfThree(), Appended(call_.args.back()));
  }
  Expr* TransformMap() {
    if (Expr* wrong = CheckVariables(2)) return wrong;
    Expr* key = ast_.NewIdent(call_.args[0]->offset, call_.args[0]->name);
    return Collect(EmptyMap(), FilterOfThree(),
                   Call("cel.@mapInsert", {Result(), key, call_.args.back()}));
  }
  Expr* TransformMapEntry() {
    if (Expr* wrong = CheckVariables(2)) return wrong;
    return Collect(EmptyMap(), FilterOfThree(),
                   Call("cel.@mapInsert", {Result(), call_.args.back()}));
  }

  // `result` with `name` standing for `value`, which is computed at most once.
  Expr* Bind(std::string_view name, Expr* value, Expr* result) {
    return Fold(name, List({}), value, Constant(Value::Bool(false)),
                ast_.NewIdent(call_.offset, name), result);
  }

  Expr* SortBy() {
    Expr* input = call_.target;
    const Expr* variable = call_.args[0];
    if (input->kind == ExprKind::kConstant || input->kind == ExprKind::kMap) {
      return Fail(*input,
                  "sortBy can only be applied to a list, identifier, comprehension, call or "
                  "select expression");
    }
    if (Expr* wrong = CheckVariables(1)) return wrong;
    Expr* keys = Fold(kResultName, ast_.NewIdent(call_.offset, kSortInput), List({}),
                      Constant(Value::Bool(true)), Appended(call_.args[1]), Result());
    keys->first_variable = variable->name;
    return Bind(kSortInput, input,
                Call("@sortByAssociatedKeys", {keys}, ast_.NewIdent(call_.offset, kSortInput)));
  }

  Expr* OptionalMap(bool flat) {
    const Expr& variable = *call_.args[0];
    if (variable.kind != ExprKind::kIdent) {
      return Fail(variable, Concat(call_.name, "() variable name must be a simple identifier"));
    }
    Expr* present = Call("hasValue", {}, call_.target);
    Expr* value = Call("value", {}, ast_.Copy(*call_.target));
    Expr* mapped = Bind(variable.name, value, call_.args[1]);
    if (!flat) mapped = Call("optional.of", {mapped});
    return Call("_?_:_", {present, mapped, Call("optional.none", {})});
  }
  Expr* OptMap() { return OptionalMap(false); }
  Expr* OptFlatMap() { return OptionalMap(true); }

  Expr* CelBind() {
    if (call_.target->kind != ExprKind::kIdent || call_.target->name != "cel") return nullptr;
    if (call_.args[0]->kind != ExprKind::kIdent || call_.args[0]->name.starts_with('.')) {
      return Fail(*call_.args[0], "cel.bind() variable names must be simple identifiers");
    }
    return Bind(call_.args[0]->name, call_.args[1], call_.args[2]);
  }

  Ast& ast_;
  ErrorList& errors_;
  const WrittenCall& call_;
  bool two_variables_ = false;
};

const std::array<Expander::Macro, 21> Expander::kMacros = {{
    {"has", false, 1, &Expander::Has},
    {"all", true, 2, &Expander::AllOne},
    {"all", true, 3, &Expander::AllTwo},
    {"exists", true, 2, &Expander::ExistsOf},
    {"exists", true, 3, &Expander::ExistsTwo},
    {"exists_one", true, 2, &Expander::ExistsOneOf},
    {"exists_one", true, 3, &Expander::ExistsOneTwo},
    {"existsOne", true, 3, &Expander::ExistsOneTwo},
    {"map", true, 2, &Expander::MapItems},
    {"map", true, 3, &Expander::MapItems},
    {"filter", true, 2, &Expander::Filter},
    {"transformList", true, 3, &Expander::TransformList},
    {"transformList", true, 4, &Expander::TransformList},
    {"transformMap", true, 3, &Expander::TransformMap},
    {"transformMap", true, 4, &Expander::TransformMap},
    {"transformMapEntry", true, 3, &Expander::TransformMapEntry},
    {"transformMapEntry", true, 4, &Expander::TransformMapEntry},
    {"sortBy", true, 2, &Expander::SortBy},
    {"optMap", true, 2, &Expander::OptMap},
    {"optFlatMap", true, 2, &Expander::OptFlatMap},
    {"bind", true, 3, &Expander::CelBind},
}};

}  // namespace

Expr* ExpandMacro(Ast& ast, ErrorList& errors, const WrittenCall& call) {
  return Expander(ast, errors, call).Run();
}

}  // namespace outrigger::cel
