// SPDX-License-Identifier: Apache-2.0

// Converts the C client's calls to values, and replies to the results of these calls.

#include "c_client/fake_c_client.hpp"
#include "zk/c_client.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace docent::test {
namespace {

::Stat to_c(const Stat& stat) {
    ::Stat c{};
    c.czxid = stat.czxid;
    c.mzxid = stat.mzxid;
    c.pzxid = stat.pzxid;
    c.version = stat.version;
    c.cversion = stat.cversion;
    c.aversion = stat.aversion;
    c.ephemeralOwner = stat.ephemeral_owner;
    c.dataLength = stat.data_length;
    c.numChildren = stat.num_children;
    return c;
}

CreateMode to_mode(int c_mode) {
    using enum CreateMode;
    for (const CreateMode mode : std::array{persistent, persistent_sequential, ephemeral, ephemeral_sequential, container,
                                            persistent_with_ttl, persistent_sequential_with_ttl}) {
        if (zk::to_c_mode(mode) == c_mode) return mode;
    }
    return persistent;
}

std::string bytes(const char* data, int size) {
    return data != nullptr && size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

/// The service only asks whether there is a watcher, so the sink does nothing.
zk::WatchSink sink_if(watcher_fn watcher) {
    return watcher != nullptr ? zk::make_watch_sink([](const WatchEvent&) {}) : nullptr;
}

zk::MultiOperation to_operation(const zoo_op_t& operation) {
    if (operation.type == ZOO_CREATE_OP) {
        const auto& create = operation.create_op;
        return zk::CreateRequest{.path = create.path,
                                 .data = bytes(create.data, create.datalen),
                                 .mode = to_mode(create.flags),
                                 .acl = zk::to_acl(create.acl)};
    }
    if (operation.type == ZOO_SETDATA_OP) {
        const auto& set = operation.set_op;
        return zk::SetRequest{set.path, bytes(set.data, set.datalen), set.version};
    }
    if (operation.type == ZOO_DELETE_OP) {
        return zk::RemoveRequest{operation.delete_op.path, operation.delete_op.version};
    }
    return zk::CheckRequest{operation.check_op.path, operation.check_op.version};
}

/// The places for the results of an operation. They still exist when the reply comes, but the operation does not.
struct ResultPlace {
    char* path = nullptr;
    std::size_t room = 0;
    ::Stat* stat = nullptr;
};

ResultPlace place_of(const zoo_op_t& operation) {
    if (operation.type == ZOO_CREATE_OP) {
        return {operation.create_op.buf, static_cast<std::size_t>(operation.create_op.buflen)};
    }
    if (operation.type == ZOO_SETDATA_OP) return {.stat = operation.set_op.stat};
    return {};
}

void fill(zoo_op_result_t& to, const ResultPlace& place, const zk::MultiResult& result) {
    to = {result.ec.value(), place.path, static_cast<int>(place.room), place.stat};
    if (place.path != nullptr && place.room > 0) {
        std::strncpy(place.path, result.path.c_str(), place.room - 1);
        place.path[place.room - 1] = '\0';
    }
    if (place.stat != nullptr && result.stat) *place.stat = to_c(*result.stat);
}

/// Calls back with a Stat, or without one.
void tell_stat(stat_completion_t done, int rc, const zk::Reply& reply, const void* context) {
    const ::Stat stat = to_c(reply.stat);
    done(rc, rc == ZOK ? &stat : nullptr, context);
}

} // namespace

int FakeCClient::create2_ttl(zhandle_t* zh, const char* path, const char* data, int size, const ::ACL_vector* acl, int mode,
                             std::int64_t ttl, string_stat_completion_t done, const void* context) {
    const zk::CreateRequest create{path, bytes(data, size), to_mode(mode), zk::to_acl(acl), std::chrono::milliseconds{ttl}};
    return send(zh, zk::Request{create}, [done, context](int rc, const zk::Reply& reply) {
        const ::Stat stat = to_c(reply.stat);
        done(rc, rc == ZOK ? reply.path.c_str() : nullptr, rc == ZOK ? &stat : nullptr, context);
    });
}

int FakeCClient::create2(zhandle_t* zh, const char* path, const char* data, int size, const ::ACL_vector* acl, int mode,
                         string_stat_completion_t done, const void* context) {
    return create2_ttl(zh, path, data, size, acl, mode, 0, done, context);
}

int FakeCClient::remove(zhandle_t* zh, const char* path, int version, void_completion_t done, const void* context) {
    return send(zh, zk::Request{zk::RemoveRequest{path, version}},
                [done, context](int rc, const zk::Reply&) { done(rc, context); });
}

int FakeCClient::set(zhandle_t* zh, const char* path, const char* data, int size, int version, stat_completion_t done,
                     const void* context) {
    return send(zh, zk::Request{zk::SetRequest{path, bytes(data, size), version}},
                [done, context](int rc, const zk::Reply& reply) { tell_stat(done, rc, reply, context); });
}

int FakeCClient::wget(zhandle_t* zh, const char* path, watcher_fn watcher, void*, data_completion_t done, const void* context) {
    return send(zh, zk::Request{zk::GetRequest{path, sink_if(watcher)}}, [done, context](int rc, const zk::Reply& reply) {
        const ::Stat stat = to_c(reply.stat);
        done(rc, reply.data.data(), rc == ZOK ? static_cast<int>(reply.data.size()) : -1, rc == ZOK ? &stat : nullptr, context);
    });
}

int FakeCClient::wexists(zhandle_t* zh, const char* path, watcher_fn watcher, void*, stat_completion_t done,
                         const void* context) {
    return send(zh, zk::Request{zk::ExistsRequest{path, sink_if(watcher)}},
                [done, context](int rc, const zk::Reply& reply) { tell_stat(done, rc, reply, context); });
}

int FakeCClient::wget_children2(zhandle_t* zh, const char* path, watcher_fn watcher, void*, strings_stat_completion_t done,
                                const void* context) {
    return send(zh, zk::Request{zk::ChildrenRequest{path, sink_if(watcher)}}, [done, context](int rc, const zk::Reply& reply) {
        std::vector<std::string> names = reply.children;
        std::vector<char*> pointers;
        for (std::string& name : names) pointers.push_back(name.data());
        const ::String_vector children{static_cast<std::int32_t>(pointers.size()), pointers.data()};
        const ::Stat stat = to_c(reply.stat);
        done(rc, rc == ZOK ? &children : nullptr, rc == ZOK ? &stat : nullptr, context);
    });
}

int FakeCClient::sync(zhandle_t* zh, const char* path, string_completion_t done, const void* context) {
    return send(zh, zk::Request{zk::SyncRequest{path}},
                [done, context](int rc, const zk::Reply&) { done(rc, nullptr, context); });
}

int FakeCClient::get_acl(zhandle_t* zh, const char* path, acl_completion_t done, const void* context) {
    return send(zh, zk::Request{zk::GetAclRequest{path}}, [done, context](int rc, const zk::Reply& reply) {
        zk::CAcl acl(reply.acl);
        ::Stat stat = to_c(reply.stat);
        done(rc, rc == ZOK ? acl.get() : nullptr, rc == ZOK ? &stat : nullptr, context);
    });
}

int FakeCClient::set_acl(zhandle_t* zh, const char* path, int version, ::ACL_vector* acl, void_completion_t done,
                         const void* context) {
    return send(zh, zk::Request{zk::SetAclRequest{path, zk::to_acl(acl), version}},
                [done, context](int rc, const zk::Reply&) { done(rc, context); });
}

int FakeCClient::multi(zhandle_t* zh, int count, const zoo_op_t* operations, zoo_op_result_t* results, void_completion_t done,
                       const void* context) {
    zk::MultiRequest request;
    std::vector<ResultPlace> places;
    for (int i = 0; i < count; ++i) {
        request.operations.push_back(to_operation(operations[i]));
        places.push_back(place_of(operations[i]));
    }
    return send(zh, zk::Request{std::move(request)}, [=](int rc, const zk::Reply& reply) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            // Without a reply, all operations have the same error.
            fill(results[i], places[i],
                 i < reply.results.size() ? reply.results[i] : zk::MultiResult{.ec = zk::to_error_code(rc)});
        }
        done(rc, context);
    });
}

int FakeCClient::remove_all_watches(zhandle_t* zh, const char* path, ZooWatcherType type, void_completion_t done,
                                    const void* context) {
    const bool children = type == ZWATCHTYPE_CHILD;
    if (!watches_any(zh, path, children)) return ZNOWATCHER;
    return send(zh, FakeRemoveWatches{path, children}, [done, context](int rc, const zk::Reply&) { done(rc, context); });
}

} // namespace docent::test
