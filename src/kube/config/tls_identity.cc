#include "kube/config/tls_identity.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <utility>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "kube/errors.h"
#include "sdk/base/files.h"

namespace outrigger::kube {
namespace {

constexpr size_t kLargest = size_t{8} << 20;
constexpr std::chrono::seconds kLookEvery{1};

using Memory = std::unique_ptr<BIO, decltype(&::BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&::X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)>;

// An encrypted key must not make OpenSSL ask on a terminal.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) {
  return -1;
}

Memory Open(const std::string& pem) {
  return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &::BIO_free};
}

Certificate ReadCertificate(const std::string& pem) {
  const Memory memory = Open(pem);
  return {PEM_read_bio_X509(memory.get(), nullptr, NoPassword, nullptr), &::X509_free};
}

Key ReadKey(const std::string& pem) {
  const Memory memory = Open(pem);
  return {PEM_read_bio_PrivateKey(memory.get(), nullptr, NoPassword, nullptr), &::EVP_PKEY_free};
}

absl::Status CheckPair(const TlsIdentity& identity) {
  if (identity.cert.empty() && identity.key.empty()) return absl::OkStatus();
  const Certificate cert = ReadCertificate(identity.cert);
  if (!cert) return absl::InvalidArgumentError("client-certificate: no certificate in PEM");
  const Key key = ReadKey(identity.key);
  if (!key) return absl::InvalidArgumentError("client-key: no unencrypted private key in PEM");
  if (X509_check_private_key(cert.get(), key.get()) != 1) {
    return absl::InvalidArgumentError(
        "client-key: not the key of the first certificate of client-certificate");
  }
  return absl::OkStatus();
}

// Appends what `pem` holds to `to`; `field` is for the error.
absl::Status ReadPem(const Pem& pem, const char* field, std::string* to) {
  if (!pem.data.empty() || pem.file.empty()) {
    *to = pem.data;
    return absl::OkStatus();
  }
  const std::string_view at = pem.from.empty() ? field : std::string_view(pem.from);
  auto content = ReadSmallFile(pem.file, kLargest);
  if (!content.ok()) {
    return absl::Status(content.status().code(),
                        fmt::format("{}: {}", at, MessageOf(content.status())));
  }
  if (content->empty()) {
    return absl::InvalidArgumentError(fmt::format("{}: {}: is empty", at, pem.file));
  }
  *to = *std::move(content);
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckTlsIdentity(const TlsIdentity& identity) {
  absl::Status status;
  if (!identity.ca.empty() && !ReadCertificate(identity.ca)) {
    status = absl::InvalidArgumentError("certificate-authority: no certificate in PEM");
  } else {
    status = CheckPair(identity);
  }
  ERR_clear_error();  // the queue belongs to the thread, and libcurl looks into it
  return status;
}

TlsIdentitySource::TlsIdentitySource(const ClientConfig& config, SteadyNow now, Warn warn)
    : ca_(config.ca),
      cert_(config.client_cert),
      key_(config.client_key),
      insecure_(config.insecure),
      now_(std::move(now)),
      warn_(std::move(warn)) {}

absl::StatusOr<std::unique_ptr<TlsIdentitySource>> TlsIdentitySource::Create(
    const ClientConfig& config, SteadyNow now, Warn warn) {
  std::unique_ptr<TlsIdentitySource> source(
      new TlsIdentitySource(config, std::move(now), std::move(warn)));
  const MutexLock lock(source->mutex_);
  source->version_ = source->Version();
  auto identity = source->Read();
  if (!identity.ok()) return identity.status();
  source->files_ = *std::move(identity);
  source->looked_ = source->now_();
  return source;
}

absl::StatusOr<TlsIdentity> TlsIdentitySource::Read() const {
  TlsIdentity identity;
  identity.insecure = insecure_;
  absl::Status status = ReadPem(ca_, "certificate-authority", &identity.ca);
  if (status.ok()) status = ReadPem(cert_, "client-certificate", &identity.cert);
  if (status.ok()) status = ReadPem(key_, "client-key", &identity.key);
  if (!status.ok()) return status;
  const absl::Status good = CheckTlsIdentity(identity);
  if (!good.ok()) return absl::Status(good.code(), fmt::format("{}{}", MessageOf(good), Places()));
  return identity;
}

// Where the texts are from: " (config: users 'jane' client-key: /keys/jane.key)".
std::string TlsIdentitySource::Places() const {
  std::vector<std::string> places;
  for (const Pem* pem : {&ca_, &cert_, &key_}) {
    if (pem->empty()) continue;
    const std::string file = pem->data.empty() ? pem->file : std::string();
    const char* colon = pem->from.empty() || file.empty() ? "" : ": ";
    if (!pem->from.empty() || !file.empty()) places.push_back(pem->from + colon + file);
  }
  return places.empty() ? "" : fmt::format(" ({})", fmt::join(places, "; "));
}

std::string TlsIdentitySource::Version() const {
  std::string version;
  for (const Pem* pem : {&ca_, &cert_, &key_}) {
    if (pem->data.empty() && !pem->file.empty()) version += FileVersion(pem->file) + ';';
  }
  return version;
}

void TlsIdentitySource::Refresh() {
  const auto now = now_();
  if (now - looked_ < kLookEvery) return;
  looked_ = now;
  std::string version = Version();
  if (version == version_) return;
  // Taken before reading: what changes meanwhile is seen the next time.
  version_ = std::move(version);
  auto identity = Read();
  if (identity.ok()) {
    files_ = *std::move(identity);
  } else if (warn_) {
    warn_(fmt::format("{}; the previous ones are still used", MessageOf(identity.status())));
  }
}

std::shared_ptr<const TlsIdentity> TlsIdentitySource::Get(const std::string& cert,
                                                          const std::string& key) {
  const MutexLock lock(mutex_);
  Refresh();
  const bool own = cert.empty();
  const bool same = current_ && current_->ca == files_.ca &&
                    current_->cert == (own ? files_.cert : cert) &&
                    current_->key == (own ? files_.key : key);
  if (!same) {
    TlsIdentity identity = files_;
    if (!own) identity.cert = cert;
    if (!own) identity.key = key;
    current_ = std::make_shared<const TlsIdentity>(std::move(identity));
  }
  return current_;
}

}  // namespace outrigger::kube
