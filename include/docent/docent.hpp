// SPDX-License-Identifier: Apache-2.0
#pragma once

// Includes all public headers except those of docent::testing, docent::logging and docent::prometheus.

#include <docent/circuit_breaker.hpp>
#include <docent/client.hpp>
#include <docent/error.hpp>
#include <docent/path.hpp>
#include <docent/recipes/barrier/count_down_latch.hpp>
#include <docent/recipes/barrier/distributed_barrier.hpp>
#include <docent/recipes/barrier/distributed_double_barrier.hpp>
#include <docent/recipes/cache/node_cache.hpp>
#include <docent/recipes/cache/path_children_cache.hpp>
#include <docent/recipes/cache/tree_cache.hpp>
#include <docent/recipes/distributed_atomic_long.hpp>
#include <docent/recipes/distributed_atomic_value.hpp>
#include <docent/recipes/group_member.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/inter_process_multi_lock.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/inter_process_read_write_lock.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>
#include <docent/recipes/inter_process_semaphore_mutex.hpp>
#include <docent/recipes/leader/election_options.hpp>
#include <docent/recipes/leader/leader_selector.hpp>
#include <docent/recipes/leader_latch.hpp>
#include <docent/recipes/lease.hpp>
#include <docent/recipes/lock_member.hpp>
#include <docent/recipes/lock_options.hpp>
#include <docent/recipes/multi_lease.hpp>
#include <docent/recipes/once_per_period.hpp>
#include <docent/recipes/partitioner.hpp>
#include <docent/recipes/persistent_node.hpp>
#include <docent/recipes/revocation.hpp>
#include <docent/recipes/shared_count.hpp>
#include <docent/recipes/shared_value.hpp>
#include <docent/tracing/counting_tracer.hpp>
#include <docent/tracing/tracer_group.hpp>
#include <docent/transaction.hpp>
