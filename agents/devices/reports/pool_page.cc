#include "reports/pool_page.h"

#include <algorithm>
#include <memory>
#include <string>

namespace outrigger::devices::agent {
namespace {

constexpr size_t kMostClaims = 16;

std::string ClaimsText(const std::vector<std::string>& claims) {
  std::string text;
  for (size_t i = 0; i < claims.size() && i < kMostClaims; ++i) {
    text += (i == 0 ? "" : ", ") + claims[i];
  }
  if (claims.size() > kMostClaims) text += ", ...";
  return text;
}

PageCell TextOrNone(std::string_view text) {
  if (text.empty()) return {};
  return std::string(text);
}

}  // namespace

PageSpec PoolPage() {
  using Type = PageColumn::Type;
  return {"device-pools",
          "pools of devices by name, and which claims use them",
          {{"pool", Type::kText, "name of the DevicePool"},
           {"node", Type::kText, "node of its devices; none: they are attached to the network"},
           {"driver", Type::kText, "driver of its devices"},
           {"total", Type::kInteger, "devices of the pool"},
           {"used", Type::kInteger,
            "devices of which claims hold all or a part, begun allocations included"},
           {"free", Type::kInteger, "devices of which no claim holds a part"},
           {"claims", Type::kText,
            "namespace/name of up to 16 claims that hold some, begun allocations included"},
           {"fault", Type::kText, "why the pool offers nothing; none: it is valid"}}};
}

void FillPoolPage(const DeviceStore& store, PageTable* table) {
  store.Look([&](const Contents& contents) {
    contents.pools().ForEach([&](const std::string& name,
                                 const std::shared_ptr<const PoolObject>& object) {
      if (table->full()) return table->Count(1);
      const PoolUse use = contents.inventory().UseOf(name);
      table->Add({name, TextOrNone(object->pool.node), object->pool.driver, use.total, use.used,
                  std::max<int64_t>(use.total - use.used, 0), TextOrNone(ClaimsText(use.claims)),
                  TextOrNone(contents.inventory().FaultOf(name))});
    });
  });
}

}  // namespace outrigger::devices::agent
