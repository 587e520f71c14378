#include "cel/check/checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cel/check/environment.h"
#include "cel/check/type.h"
#include "cel/syntax/ast.h"
#include "cel/syntax/error.h"
#include "cel/syntax/parser.h"
#include "cel/values/arena.h"

namespace outrigger::cel {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The type of an expression, or its first error.
std::string TypeOf(std::string_view text, const Environment& environment = DraEnvironment()) {
  Arena arena;
  Ast ast(arena);
  TypePool pool;
  ErrorList errors;
  Expr* root = Parse(text, ast, errors);
  if (root != nullptr) Check(*root, environment, pool, errors);
  return errors.empty() ? FormatType(*root->type) : errors.errors()[0].message;
}

TEST(Checker, TypesOfOperators) {
  EXPECT_EQ(TypeOf("1 + 2"), "int");
  EXPECT_EQ(TypeOf("1.5 * 2.0"), "double");
  EXPECT_EQ(TypeOf("timestamp(0) - timestamp(1)"), "duration");
  EXPECT_EQ(TypeOf("2 > 1.5"), "bool");
  EXPECT_THAT(TypeOf("1 + 1.0"),
              StartsWith("found no matching overload for '_+_' applied to '(int, double)'"));
}

TEST(Checker, TypesOfCollections) {
  EXPECT_EQ(TypeOf("[1, 2]"), "list(int)");
  EXPECT_EQ(TypeOf("[]"), "list(dyn)");
  EXPECT_EQ(TypeOf("[[], [1]]"), "list(list(int))") << "the second item says what the first is";
  EXPECT_EQ(TypeOf("{'a': [1.0]}"), "map(string, list(double))");
  EXPECT_EQ(TypeOf("[1, 'a']"), "list(dyn)");
  EXPECT_EQ(TypeOf("[?optional.of(1)]"), "list(int)");
}

TEST(Checker, AttributesAreAny) {
  EXPECT_EQ(TypeOf("device.attributes['d'].x"), "any");
  EXPECT_EQ(TypeOf("device.attributes['d'].x + 1"), "int");
  EXPECT_EQ(TypeOf("device.attributes['d'].x + device.attributes['d'].y"), "dyn");
  EXPECT_EQ(TypeOf("device.capacity['d'].memory"), "kubernetes.Quantity");
  EXPECT_EQ(TypeOf("device.attributes['d'].x", DraEnvironment(true)), "dyn");
  EXPECT_EQ(TypeOf("device.x", PrototypeEnvironment()), "dyn");
}

TEST(Checker, OptionalsWrapWhatTheySelect) {
  EXPECT_EQ(TypeOf("{'a': 1}.?a"), "optional_type(int)");
  EXPECT_EQ(TypeOf("optional.of({'a': 1}).a"), "optional_type(int)");
  EXPECT_EQ(TypeOf("optional.none().orValue(1)"), "int");
}

TEST(Checker, MacrosHaveVariablesOfTheirOwn) {
  EXPECT_EQ(TypeOf("[1].map(x, [x].map(x, string(x)))"), "list(list(string))");
  EXPECT_EQ(TypeOf("{'a': 1}.transformMap(k, v, k + string(v))"), "map(string, string)");
  EXPECT_EQ(TypeOf("[1].all(device, device > 0)"), "bool");
  EXPECT_EQ(TypeOf("[1].all(device, .device.driver != '')"), "bool");
  EXPECT_THAT(TypeOf("[1].all(x, true) && x"), HasSubstr("undeclared reference to 'x'"));
  EXPECT_THAT(TypeOf("5.all(x, true)"), HasSubstr("cannot be range of a comprehension"));
}

TEST(Checker, NamesOfTypesAreValues) {
  EXPECT_EQ(TypeOf("type(1) == int"), "bool");
  EXPECT_EQ(TypeOf("google.protobuf.Duration"), "type(duration)");
}

TEST(Checker, DeviceIsNoMapInDra) {
  EXPECT_THAT(TypeOf("device['driver']"), HasSubstr("its fields are selected with a dot"));
  EXPECT_EQ(TypeOf("device['driver']", PrototypeEnvironment()), "dyn");
}

TEST(Checker, MessagesAreLeftOut) {
  EXPECT_THAT(TypeOf("google.protobuf.Int64Value{value: 1}"),
              HasSubstr("messages cannot be written"));
}

}  // namespace
}  // namespace outrigger::cel
