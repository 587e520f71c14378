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
          {{"pool", Type::kText},
           {"node", Type::kText},
           {"driver", Type::kText},
           {"total", Type::kInteger},
           {"used", Type::kInteger},
           {"free", Type::kInteger},
           {"claims", Type::kText},
           {"fault", Type::kText}}};
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
