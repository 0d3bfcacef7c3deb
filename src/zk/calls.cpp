// SPDX-License-Identifier: Apache-2.0
#include "zk/calls.hpp"

#include "zk/c_client.hpp"

#include <list>
#include <vector>

namespace docent::zk {

/// The buffers that the C client writes to until a multi is answered.
struct MultiBuffers {
    struct Operation {
        ::Stat stat = {};
        std::vector<char> path = {}; // for a create
        bool sets = false;
    };
    explicit MultiBuffers(std::size_t count) : results(count), operations(count) {}

    std::vector<::zoo_op_result_t> results; // in one array, as the C client requires
    std::vector<Operation> operations;

    std::vector<MultiResult> take() const {
        std::vector<MultiResult> taken;
        taken.reserve(results.size());
        for (std::size_t i = 0; i < results.size(); ++i) {
            const bool made = results[i].err == ZOK && results[i].value != nullptr;
            const bool set = results[i].err == ZOK && operations[i].sets;
            taken.push_back({.ec = to_error_code(results[i].err),
                             .path = made ? std::string(results[i].value) : std::string(),
                             .stat = set ? std::optional(to_stat(&operations[i].stat)) : std::nullopt});
        }
        return taken;
    }
};

Completion::Completion() = default;
Completion::~Completion() = default;

/// Sends one request. The callbacks for the C client only copy their arguments.
struct Calls {
    CClient& client;
    zhandle_t* zh;
    Watcher watcher;
    Completion* completion;

    static Completion& to(const void* context) { return *static_cast<Completion*>(const_cast<void*>(context)); }

    static void on_void(int rc, const void* context) noexcept { to(context).on_reply({.ec = to_error_code(rc)}); }
    static void on_string(int rc, const char*, const void* context) noexcept { on_void(rc, context); }
    static void on_string_stat(int rc, const char* path, const ::Stat* stat, const void* context) noexcept {
        to(context).on_reply({.ec = to_error_code(rc), .path = path ? path : "", .stat = to_stat(stat)});
    }
    static void on_stat(int rc, const ::Stat* stat, const void* context) noexcept {
        to(context).on_reply({.ec = to_error_code(rc), .stat = to_stat(stat)});
    }
    static void on_data(int rc, const char* data, int size, const ::Stat* stat, const void* context) noexcept {
        to(context).on_reply({.ec = to_error_code(rc),
                              .data = data && size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string(),
                              .stat = to_stat(stat)});
    }
    static void on_children(int rc, const ::String_vector* names, const ::Stat* stat, const void* context) noexcept {
        to(context).on_reply({.ec = to_error_code(rc), .stat = to_stat(stat), .children = to_strings(names)});
    }
    static void on_acl(int rc, ::ACL_vector* acl, ::Stat* stat, const void* context) noexcept {
        to(context).on_reply({.ec = to_error_code(rc), .stat = to_stat(stat), .acl = to_acl(acl)});
    }
    static void on_multi(int rc, const void* context) noexcept {
        to(context).on_reply({.ec = to_error_code(rc), .results = to(context).multi_->take()});
    }

    watcher_fn function_if(const WatchSink& wanted) const { return wanted ? watcher.function : nullptr; }

    int operator()(const CreateRequest& r) const {
        const CAcl acl(r.acl);
        const int size = static_cast<int>(r.data.size());
        const int mode = to_c_mode(r.mode);
        if (!has_ttl(r.mode)) {
            return client.create2(zh, r.path.c_str(), r.data.data(), size, acl.get(), mode, on_string_stat, completion);
        }
        return client.create2_ttl(zh, r.path.c_str(), r.data.data(), size, acl.get(), mode, r.ttl.count(), on_string_stat,
                                  completion);
    }
    int operator()(const RemoveRequest& r) const { return client.remove(zh, r.path.c_str(), r.version, on_void, completion); }
    int operator()(const SetRequest& r) const {
        return client.set(zh, r.path.c_str(), r.data.data(), static_cast<int>(r.data.size()), r.version, on_stat, completion);
    }
    int operator()(const GetRequest& r) const {
        return client.wget(zh, r.path.c_str(), function_if(r.watch), watcher.context, on_data, completion);
    }
    int operator()(const ExistsRequest& r) const {
        return client.wexists(zh, r.path.c_str(), function_if(r.watch), watcher.context, on_stat, completion);
    }
    int operator()(const ChildrenRequest& r) const {
        return client.wget_children2(zh, r.path.c_str(), function_if(r.watch), watcher.context, on_children, completion);
    }
    int operator()(const SyncRequest& r) const { return client.sync(zh, r.path.c_str(), on_string, completion); }
    int operator()(const GetAclRequest& r) const { return client.get_acl(zh, r.path.c_str(), on_acl, completion); }
    int operator()(const SetAclRequest& r) const {
        CAcl acl(r.acl);
        return client.set_acl(zh, r.path.c_str(), r.version, acl.get(), on_void, completion);
    }
    int operator()(const ReconfigRequest& r) const {
        const auto text = [](const std::string& list) { return list.empty() ? nullptr : list.c_str(); };
        return client.reconfig(zh, text(r.joining), text(r.leaving), text(r.members), r.from_version, on_data, completion);
    }

    // The operations may be freed when zoo_amulti() returns. The buffers must stay until the answer.
    int operator()(const MultiRequest& r) const {
        if (client.unrecoverable(zh)) return ZINVALIDSTATE; // the C client would abort the process
        const std::size_t count = r.operations.size();
        MultiBuffers& buffers = *(completion->multi_ = std::make_unique<MultiBuffers>(count));
        std::vector<::zoo_op_t> operations(count);
        std::list<CAcl> acls;
        for (std::size_t i = 0; i < count; ++i) {
            std::visit([&](const auto& o) { fill(operations[i], buffers.operations[i], acls, o); }, r.operations[i]);
        }
        return client.multi(zh, static_cast<int>(count), operations.data(), buffers.results.data(), on_multi, completion);
    }
    using Answered = MultiBuffers::Operation;
    static void fill(::zoo_op_t& to, Answered& answered, std::list<CAcl>& acls, const CreateRequest& r) {
        constexpr std::size_t digits = 11; // characters of the longest number, -2147483648
        auto& path = answered.path;
        path.resize(r.path.size() + digits + 1);
        zoo_create_op_init(&to, r.path.c_str(), r.data.data(), static_cast<int>(r.data.size()), acls.emplace_back(r.acl).get(),
                           to_c_mode(r.mode), path.data(), static_cast<int>(path.size()));
    }
    static void fill(::zoo_op_t& to, Answered& answered, std::list<CAcl>&, const SetRequest& r) {
        answered.sets = true;
        zoo_set_op_init(&to, r.path.c_str(), r.data.data(), static_cast<int>(r.data.size()), r.version, &answered.stat);
    }
    static void fill(::zoo_op_t& to, Answered&, std::list<CAcl>&, const RemoveRequest& r) {
        zoo_delete_op_init(&to, r.path.c_str(), r.version);
    }
    static void fill(::zoo_op_t& to, Answered&, std::list<CAcl>&, const CheckRequest& r) {
        zoo_check_op_init(&to, r.path.c_str(), r.version);
    }
};

int send(CClient& client, zhandle_t* zh, const Request& request, const Watcher& watcher, Completion& completion) {
    return std::visit(Calls{client, zh, watcher, &completion}, request);
}

int send_removal(CClient& client, zhandle_t* zh, const std::string& path, WatchKind kind, Completion& completion) {
    const ZooWatcherType type = kind == WatchKind::children ? ZWATCHTYPE_CHILD : ZWATCHTYPE_DATA;
    return client.remove_all_watches(zh, path.c_str(), type, Calls::on_void, &completion);
}

} // namespace docent::zk
