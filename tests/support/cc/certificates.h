#pragma once

#include <string>

namespace outrigger::testing {

/// A certificate and its key, in PEM.
struct Certificate {
  std::string certificate;
  std::string key;
};

/// What a certificate of a test says besides its name.
struct CertificateTerms {
  std::string hosts = "IP:127.0.0.1,DNS:localhost";
  long valid_for_seconds = 86'400;  // from now; it began to be valid two hours ago
};

/// An authority that signs certificates for tests. Each has keys of its own.
class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name);

  /// Of the authority itself, in PEM.
  const std::string& certificate() const { return self_.certificate; }
  /// For the host 127.0.0.1, and for clients, unless the terms say otherwise.
  Certificate Issue(const std::string& name, const CertificateTerms& terms = {}) const;

 private:
  Certificate self_;
};

/// A folder that is removed at the end, with the files that were written into it.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  /// Replaces the file at once, as a mounted secret changes. Gives its path.
  std::string Write(const std::string& name, const std::string& text) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace outrigger::testing
