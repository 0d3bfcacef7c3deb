// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/options.hpp"

#include <docent/client_config.hpp>

#include <chrono>

/// Returns the configuration of a client, with `--connect`, `--tls-ca`, `--tls-cert` and `--tls-key`.
inline docent::ClientConfig client_config(const Options& options) {
    docent::ClientConfig config{.connect_string = options.text("connect"),
                                .session_timeout = std::chrono::seconds{30},
                                .connection_timeout = std::chrono::minutes{2}}; // a busy machine connects slowly
    const docent::TlsConfig files{.ca_file = options.text("tls-ca", ""),
                                  .certificate_file = options.text("tls-cert", ""),
                                  .key_file = options.text("tls-key", "")};
    if (files != docent::TlsConfig{}) config.tls = files;
    return config;
}

// Each function runs one workload, and prints its line of figures on standard output.
void run_free(const Options& options);
void run_coroutine(const Options& options);
void run_contended(const Options& options);
void run_queue(const Options& options);
void run_many(const Options& options);
void run_transaction(const Options& options);
void run_kept(const Options& options);
void run_recall(const Options& options);
void run_local(const Options& options);
void run_latch(const Options& options);
void run_loss(const Options& options);
void run_holders(const Options& options);
void run_reconnect(const Options& options);
void run_rtt(const Options& options);
