// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/options.hpp"

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
void run_rtt(const Options& options);
