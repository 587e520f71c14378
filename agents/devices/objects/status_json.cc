#include "devices/objects/status_json.h"

#include "absl/time/time.h"

namespace outrigger::device_objects {

OrderedJson AmountList(const devices::Amounts& amounts) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [name, amount] : amounts) {
    list.push_back({{"name", name}, {"allocation", amount.ToString()}});
  }
  return list;
}

std::string TimeText(devices::WallTime time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

std::string Text(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace outrigger::device_objects
