// Two amounts, a line each: texts and values agree, and arithmetic keeps its laws.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "check.h"
#include "outrigger/k8s/quantity.h"

namespace outrigger::fuzz {
namespace {

Quantity Known(const char* text) {
  const auto parsed = Quantity::Parse(text);
  OUTRIGGER_REQUIRE(parsed.ok());
  return *parsed;
}

// Below this every law holds exactly: no text loses a power of ten that has no suffix, and no sum
// needs more than the 38 digits that are kept.
bool IsOrdinary(const Quantity& q) {
  static const Quantity limit = Known("1e21");
  return q < limit && -limit < q;
}

// Amounts with a binary suffix are capped when they are read, but sums of them are not.
bool IsReadAsWritten(const Quantity& q) {
  static const Quantity cap = Quantity::FromInt(INT64_MAX);
  return IsOrdinary(q) && (q.format() != Quantity::Format::kBinarySI || (q <= cap && -q <= cap));
}

void CheckText(const Quantity& q) {
  const std::string text = q.ToString();
  OUTRIGGER_REQUIRE(!text.empty());
  const auto back = Quantity::Parse(text);
  if (!IsReadAsWritten(q)) return;
  OUTRIGGER_REQUIRE(back.ok());
  OUTRIGGER_REQUIRE(*back == q);
  const std::string canonical = (q + Quantity()).ToString();
  const auto again = Quantity::Parse(canonical);
  OUTRIGGER_REQUIRE(again.ok() && *again == q);
  // A binary amount that no suffix suits is written as plain digits, which are read as decimal
  // ones.
  if (q.format() == Quantity::Format::kBinarySI) return;
  OUTRIGGER_REQUIRE((*again + Quantity()).ToString() == canonical);
}

void CheckIntegers(const Quantity& q) {
  const int64_t value = q.Value();
  (void)q.MilliValue();  // must not trap, whatever it is
  if (const auto exact = q.AsInt64()) {
    OUTRIGGER_REQUIRE(Quantity::FromInt(*exact) == q && value == *exact);
  }
  if (q < Quantity() || q > Quantity::FromInt(INT64_MAX)) return;
  OUTRIGGER_REQUIRE(Quantity::FromInt(value) >= q);
  OUTRIGGER_REQUIRE(value == 0 || Quantity::FromInt(value - 1) < q);
}

void CheckOne(const Quantity& q) {
  CheckText(q);
  CheckIntegers(q);
  OUTRIGGER_REQUIRE(!std::isnan(q.ToDouble()));
  OUTRIGGER_REQUIRE(q.IsZero() == (q == Quantity()));
  OUTRIGGER_REQUIRE(-(-q) == q);
  OUTRIGGER_REQUIRE((q - q).IsZero());
  OUTRIGGER_REQUIRE(q + Quantity() == q && Quantity() + q == q);
  OUTRIGGER_REQUIRE((-q < Quantity()) == (Quantity() < q));
}

void CheckOrder(const Quantity& a, const Quantity& b) {
  OUTRIGGER_REQUIRE((a < b) == (b > a) && (a == b) == (b == a));
  OUTRIGGER_REQUIRE((a < b) == (-b < -a));
  if (a < b) OUTRIGGER_REQUIRE(a.ToDouble() <= b.ToDouble());
  if (a == b) OUTRIGGER_REQUIRE(a.ToDouble() == b.ToDouble());
}

void CheckTwo(const Quantity& a, const Quantity& b) {
  CheckOrder(a, b);
  const Quantity sum = a + b;
  const Quantity difference = a - b;
  OUTRIGGER_REQUIRE(sum == b + a);
  for (const Quantity& result : {sum, difference, sum + sum, difference - sum}) CheckOne(result);
  if (!IsOrdinary(a) || !IsOrdinary(b)) return;
  OUTRIGGER_REQUIRE(sum - b == a && difference + b == a);
  OUTRIGGER_REQUIRE((a <=> b) == (difference <=> Quantity()));
}

// A refused text is shown in a log: no byte of it may come through as it is.
void CheckRefusal(const absl::Status& status) {
  OUTRIGGER_REQUIRE(status.code() == absl::StatusCode::kInvalidArgument);
  for (const char c : std::string(status.message())) {
    OUTRIGGER_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
}

void Run(std::string_view text) {
  const size_t end = text.find('\n');
  const auto a = Quantity::Parse(text.substr(0, end));
  const auto b = Quantity::Parse(end == std::string_view::npos ? "1" : text.substr(end + 1));
  for (const auto* parsed : {&a, &b}) {
    if (parsed->ok()) {
      CheckOne(**parsed);
    } else {
      CheckRefusal(parsed->status());
    }
  }
  if (a.ok() && b.ok()) CheckTwo(*a, *b);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
