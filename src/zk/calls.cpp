// SPDX-License-Identifier: Apache-2.0

// Turns requests into calls of the C client, and its completions into replies.

#include "zk/c_client.hpp"

#include <list>
#include <optional>
#include <string>
#include <vector>

namespace docent::zk {
namespace {

docent::Stat to_stat(const ::Stat* stat) {
    if (stat == nullptr) return {};
    return {
        .czxid = stat->czxid,
        .mzxid = stat->mzxid,
        .ctime = stat->ctime,
        .mtime = stat->mtime,
        .version = stat->version,
        .cversion = stat->cversion,
        .aversion = stat->aversion,
        .ephemeral_owner = stat->ephemeralOwner,
        .data_length = stat->dataLength,
        .num_children = stat->numChildren,
        .pzxid = stat->pzxid,
    };
}

std::vector<std::string> to_strings(const ::String_vector* strings) {
    if (strings == nullptr) return {};
    return {strings->data, strings->data + strings->count};
}

Acl to_acl(const ::ACL_vector* acl) {
    Acl entries;
    if (acl == nullptr) return entries;
    for (std::int32_t i = 0; i < acl->count; ++i) {
        const ::ACL& entry = acl->data[i];
        entries.push_back({static_cast<Permission>(entry.perms), entry.id.scheme, entry.id.id});
    }
    return entries;
}

int to_c_mode(CreateMode mode) {
    switch (mode) {
    case CreateMode::persistent: return ZOO_PERSISTENT;
    case CreateMode::persistent_sequential: return ZOO_PERSISTENT_SEQUENTIAL;
    case CreateMode::ephemeral: return ZOO_EPHEMERAL;
    case CreateMode::ephemeral_sequential: return ZOO_EPHEMERAL_SEQUENTIAL;
    case CreateMode::container: return ZOO_CONTAINER;
    case CreateMode::persistent_with_ttl: return ZOO_PERSISTENT_WITH_TTL;
    case CreateMode::persistent_sequential_with_ttl: return ZOO_PERSISTENT_SEQUENTIAL_WITH_TTL;
    }
    return ZOO_PERSISTENT;
}

} // namespace

/// An ACL in the C client's form. It refers to the strings of the Acl that it was made from.
class CAcl {
public:
    explicit CAcl(const Acl& acl) {
        // The C client takes non-const pointers, but does not write to them.
        for (const AclEntry& entry : acl) {
            entries_.push_back({static_cast<std::int32_t>(entry.permissions),
                                {const_cast<char*>(entry.scheme.c_str()), const_cast<char*>(entry.id.c_str())}});
        }
        vector_ = {static_cast<std::int32_t>(entries_.size()), entries_.data()};
    }
    const ::ACL_vector* get() const { return &vector_; }
    ::ACL_vector* get() { return &vector_; }

private:
    std::vector<::ACL> entries_;
    ::ACL_vector vector_{};
};

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
            return zoo_acreate2(zh, r.path.c_str(), r.data.data(), size, acl.get(), mode, on_string_stat, completion);
        }
        return zoo_acreate2_ttl(zh, r.path.c_str(), r.data.data(), size, acl.get(), mode, r.ttl.count(), on_string_stat,
                                completion);
    }
    int operator()(const RemoveRequest& r) const { return zoo_adelete(zh, r.path.c_str(), r.version, on_void, completion); }
    int operator()(const SetRequest& r) const {
        return zoo_aset(zh, r.path.c_str(), r.data.data(), static_cast<int>(r.data.size()), r.version, on_stat, completion);
    }
    int operator()(const GetRequest& r) const {
        return zoo_awget(zh, r.path.c_str(), function_if(r.watch), watcher.context, on_data, completion);
    }
    int operator()(const ExistsRequest& r) const {
        return zoo_awexists(zh, r.path.c_str(), function_if(r.watch), watcher.context, on_stat, completion);
    }
    int operator()(const ChildrenRequest& r) const {
        return zoo_awget_children2(zh, r.path.c_str(), function_if(r.watch), watcher.context, on_children, completion);
    }
    int operator()(const SyncRequest& r) const { return zoo_async(zh, r.path.c_str(), on_string, completion); }
    int operator()(const GetAclRequest& r) const { return zoo_aget_acl(zh, r.path.c_str(), on_acl, completion); }
    int operator()(const SetAclRequest& r) const {
        CAcl acl(r.acl);
        return zoo_aset_acl(zh, r.path.c_str(), r.version, acl.get(), on_void, completion);
    }
    int operator()(const ReconfigRequest& r) const {
        const auto text = [](const std::string& list) { return list.empty() ? nullptr : list.c_str(); };
        return zoo_areconfig(zh, text(r.joining), text(r.leaving), text(r.members), r.from_version, on_data, completion);
    }

    // The operations may be freed when zoo_amulti() returns. The buffers must stay until the answer.
    int operator()(const MultiRequest& r) const {
        if (is_unrecoverable(zh) != ZOK) return ZINVALIDSTATE; // the C client would abort the process
        const std::size_t count = r.operations.size();
        MultiBuffers& buffers = *(completion->multi_ = std::make_unique<MultiBuffers>(count));
        std::vector<::zoo_op_t> operations(count);
        std::list<CAcl> acls;
        for (std::size_t i = 0; i < count; ++i) {
            std::visit([&](const auto& o) { fill(operations[i], buffers.operations[i], acls, o); }, r.operations[i]);
        }
        return zoo_amulti(zh, static_cast<int>(count), operations.data(), buffers.results.data(), on_multi, completion);
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

int CClient::send(zhandle_t* zh, const Request& request, const Watcher& watcher, Completion& completion) {
    return std::visit(Calls{zh, watcher, &completion}, request);
}

int CClient::remove_watch(zhandle_t* zh, const std::string& path, WatchKind kind, Completion& completion) {
    const ZooWatcherType type = kind == WatchKind::children ? ZWATCHTYPE_CHILD : ZWATCHTYPE_DATA;
    // The parameter is declared as a pointer to a function pointer, but the C client calls the value as a function.
    return zoo_aremove_all_watches(zh, path.c_str(), type, 0, reinterpret_cast<void_completion_t*>(Calls::on_void),
                                   &completion);
}

} // namespace docent::zk
