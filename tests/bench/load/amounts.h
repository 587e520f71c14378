#pragma once

#include <algorithm>

namespace outrigger::load_bench {

/// Cpu in millicores, memory in bytes; or shares of them.
struct Amounts {
  double cpu = 0;
  double memory = 0;

  Amounts& operator+=(const Amounts& other) {
    cpu += other.cpu;
    memory += other.memory;
    return *this;
  }
  Amounts& operator-=(const Amounts& other) { return *this += {-other.cpu, -other.memory}; }
  friend Amounts operator+(Amounts a, const Amounts& b) { return a += b; }
  friend Amounts operator-(Amounts a, const Amounts& b) { return a -= b; }
  friend Amounts operator*(const Amounts& a, double factor) {
    return {a.cpu * factor, a.memory * factor};
  }
  friend bool operator==(const Amounts&, const Amounts&) = default;
};

/// Each as a share of `of`.
inline Amounts ShareOf(const Amounts& part, const Amounts& of) {
  return {part.cpu / of.cpu, part.memory / of.memory};
}
inline double WorseOf(const Amounts& shares) {
  return std::max(shares.cpu, shares.memory);
}
inline bool Fits(const Amounts& part, const Amounts& room) {
  return part.cpu <= room.cpu && part.memory <= room.memory;
}

}  // namespace outrigger::load_bench
