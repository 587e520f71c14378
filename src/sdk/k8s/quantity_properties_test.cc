#include <compare>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "outrigger/k8s/quantity.h"
#include "rapidcheck.h"

namespace outrigger {
namespace {

// Amounts that occur: up to twelve digits, any suffix; no sum of two of them needs more than the 38
// digits that are kept.
rc::Gen<std::string> Text() {
  return rc::gen::map(
      rc::gen::tuple(rc::gen::inRange<int64_t>(-999'999'999'999, 999'999'999'999),
                     rc::gen::inRange(0, 1'000'000'000), rc::gen::arbitrary<bool>(),
                     rc::gen::elementOf(std::vector<std::string>{"n", "u", "m", "", "k", "M", "G",
                                                                 "Ki", "Mi", "Gi", "e3", "E-6"})),
      [](const std::tuple<int64_t, int, bool, std::string>& parts) {
        const auto& [whole, fraction, has_fraction, suffix] = parts;
        return fmt::format("{}{}{}", whole, has_fraction ? fmt::format(".{}", fraction) : "",
                           suffix);
      });
}

Quantity Parsed(const std::string& text) {
  const auto quantity = Quantity::Parse(text);
  RC_ASSERT(quantity.ok());
  return *quantity;
}

void Holds(const char* name, const std::function<void()>& property) {
  EXPECT_TRUE(rc::check(name, property));
}

TEST(QuantityProperties, PrintedTextParsesToTheSameValue) {
  Holds("parse(q.ToString()) == q", [] {
    const Quantity q = Parsed(*Text());
    RC_ASSERT(Parsed(q.ToString()) == q);
  });
}

TEST(QuantityProperties, CanonicalTextIsAFixedPoint) {
  Holds("canonical(canonical(q)) == canonical(q)", [] {
    const std::string canonical = (Parsed(*Text()) + Quantity()).ToString();
    RC_ASSERT((Parsed(canonical) + Quantity()).ToString() == canonical);
  });
}

TEST(QuantityProperties, AddingAndTakingAwayLeavesTheValue) {
  Holds("a + b - b == a", [] {
    const Quantity a = Parsed(*Text());
    const Quantity b = Parsed(*Text());
    RC_ASSERT(a + b - b == a);
  });
}

TEST(QuantityProperties, SumsCommuteAndAssociate) {
  Holds("(a + b) + c == a + (c + b)", [] {
    const Quantity a = Parsed(*Text());
    const Quantity b = Parsed(*Text());
    const Quantity c = Parsed(*Text());
    RC_ASSERT((a + b) + c == a + (c + b));
  });
}

TEST(QuantityProperties, OrderAgreesWithTheSignOfTheDifference) {
  Holds("(a <=> b) == sign(a - b)", [] {
    const Quantity a = Parsed(*Text());
    const Quantity b = Parsed(*Text());
    RC_ASSERT((a <=> b) == (a - b <=> Quantity()));
    RC_ASSERT(std::is_lt(a <=> b) == std::is_gt(b <=> a));
  });
}

TEST(QuantityProperties, AnyBytesParseOrAreRefused) {
  Holds("no text crashes", [] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string("0123456789.+-eEinumkKMGTP \x80")));
    const auto quantity = Quantity::Parse(text);
    if (quantity.ok()) RC_ASSERT(!quantity->ToString().empty());
  });
}

}  // namespace
}  // namespace outrigger
