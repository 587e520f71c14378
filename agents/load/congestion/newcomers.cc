#include "newcomers.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace outrigger::congestion {

std::shared_ptr<const Newcomers::Counts> Newcomers::Take(FactorOf factor_of) {
  auto view = cluster_->Take();
  if (!view.ok()) return nullptr;
  const Time now = now_();
  const MutexLock lock(mutex_);
  const ClusterSnapshot& snapshot = *view->snapshot;
  if (snapshot_ != nullptr && snapshot.Generation() <= snapshot_->Generation() && now < next_) {
    return counts_;
  }
  Arrange(snapshot);
  auto counts = std::make_shared<Counts>();
  double factors = 0;
  double pods = 0;
  next_ = now + kMeasured;
  size_t i = 0;
  snapshot.ForEachNode([&](const NodeView& node) {
    mutex_.AssertHeld();
    Account& account = accounts_[i++];
    const int64_t came = Update(node, now, factor_of, &account);
    if (came != 0) counts->by_node.emplace(account.name, came);
    next_ = std::min(next_, account.measured + kMeasured);
    if (account.factor == 0) return;
    factors += static_cast<double>(account.factor);
    pods += static_cast<double>(account.pods);
  });
  if (pods > 0) counts->per_pod = factors / pods;
  snapshot_ = std::move(view->snapshot);
  counts_ = std::move(counts);
  return counts_;
}

void Newcomers::Arrange(const ClusterSnapshot& snapshot) {
  bool in_order = accounts_.size() == snapshot.NodeCount();
  size_t i = 0;
  snapshot.ForEachNode([&](const NodeView& node) {
    mutex_.AssertHeld();
    in_order = in_order && accounts_[i++].name == node.Name();
  });
  if (in_order) return;
  std::unordered_map<std::string, Account> known;
  for (Account& account : accounts_) known.emplace(account.name, std::move(account));
  accounts_.clear();
  accounts_.reserve(snapshot.NodeCount());
  snapshot.ForEachNode([&](const NodeView& node) {
    mutex_.AssertHeld();
    const auto found = known.find(node.Name());
    accounts_.push_back(found == known.end() ? Account{.name = node.Name()}
                                             : std::move(found->second));
  });
}

int64_t Newcomers::Update(const NodeView& view, Time now, FactorOf factor_of, Account* account) {
  const auto pods = static_cast<int64_t>(view.Pods().size());
  bool is_measured = account->node == nullptr || now >= account->measured + kMeasured;
  if (account->node != &view.node()) {
    const int64_t factor = factor_of(view.node());
    is_measured = is_measured || factor != account->factor;
    account->factor = factor;
    account->node = &view.node();
  }
  if (is_measured) {
    account->pods = pods;
    account->measured = now;
  }
  return pods - account->pods;
}

}  // namespace outrigger::congestion
