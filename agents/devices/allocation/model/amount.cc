#include "devices/allocation/model/amount.h"

#include "fmt/format.h"

namespace outrigger::devices {
namespace {

Quantity TimesThousand(const Quantity& quantity) {
  Quantity sum;
  for (int bit = 9; bit >= 0; --bit) {
    sum += sum;
    if ((1000U >> static_cast<unsigned>(bit) & 1U) != 0) sum += quantity;
  }
  return sum;
}

}  // namespace

std::optional<Amount> ToAmount(const Quantity& quantity) {
  if (quantity < Quantity() || quantity > Quantity::FromInt(kBillion * kBillion)) {
    return std::nullopt;
  }
  // Value() and MilliValue() round up: each rest is from zero to one of the unit before.
  const int64_t units = quantity.Value();
  const Quantity rest = Quantity::FromInt(units) - quantity;
  if (rest.IsZero()) return Amount{units} * kBillion;
  const int64_t milli = rest.MilliValue();
  const Quantity fine = TimesThousand(Quantity::FromMilli(milli) - rest);
  const int64_t micro = fine.MilliValue();
  const int64_t nano = TimesThousand(Quantity::FromMilli(micro) - fine).MilliValue();
  return Amount{units} * kBillion - Amount{milli} * 1'000'000 + Amount{micro} * 1000 - nano;
}

Quantity ToQuantity(Amount amount, Quantity::Format format) {
  const auto units = static_cast<int64_t>(amount / kBillion);
  const auto rest = static_cast<int64_t>(amount % kBillion);
  Quantity whole = Quantity::FromInt(units, format);
  if (rest == 0) return whole;
  return whole + Quantity::Parse(fmt::format("{}n", rest)).value_or(Quantity());
}

}  // namespace outrigger::devices
