// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/group_member.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/data/data_codec.hpp"
#include "client/operations/request_operation.hpp"
#include "client/operations/sequence_operation.hpp"
#include "group/persistent_node_core.hpp"

#include <docent/path.hpp>

#include <utility>
#include <vector>

namespace docent {
namespace detail {
namespace {

/// Lists a group, then reads all members at once. Leaves out a node that does not exist.
class MembersOperation final : public SequenceOperation<Members> {
public:
    MembersOperation(std::shared_ptr<ClientView> view, std::string group, Done<Members> done)
        : SequenceOperation(std::move(done)), view_(std::move(view)), group_(std::move(group)) {}

private:
    std::shared_ptr<Operation> first() override {
        return std::make_shared<RequestOperation>(
            view_, zk::ChildrenRequest{group_},
            [self = self<MembersOperation>()](error_code ec, const zk::Reply& reply) { self->on_listed(ec, reply.children); });
    }
    void on_listed(error_code ec, const std::vector<std::string>& names) {
        if (ec) return finish(ec == server_error::no_node ? error_code{} : ec, {});
        std::vector<zk::Request> requests;
        requests.reserve(names.size());
        for (const std::string& name : names) requests.emplace_back(zk::GetRequest{join_path(group_, name)});
        continue_with(std::make_shared<RequestsOperation>(
            view_, std::move(requests), std::vector<error_code>{server_error::no_node},
            [self = self<MembersOperation>(), names](error_code failure, RequestsOperation::Replies replies) {
                failure ? self->finish(failure, {}) : self->on_read(names, std::move(replies));
            }));
    }
    void on_read(const std::vector<std::string>& names, RequestsOperation::Replies replies) {
        Members members;
        for (std::size_t i = 0; i < replies.size(); ++i) {
            std::string& data = replies[i].data;
            if (replies[i].ec) continue;
            const error_code ec = decode_data(view_->config(), join_path(group_, names[i]), Compression::client_default, data);
            if (ec) return finish(ec, {});
            members[names[i]] = std::move(data);
        }
        finish({}, std::move(members));
    }

    const std::shared_ptr<ClientView> view_;
    const std::string group_;
};

std::string member_path(std::string_view group, std::string_view id) {
    const std::string what = "member " + std::string(id) + " of the group " + std::string(group);
    if (const error_code ec = check_path(group)) throw Error(ec, what + ": " + explain_path(group));
    if (id.empty() || id.find('/') != std::string_view::npos)
        throw Error(error::invalid_path, what + ": the id must not be empty or contain '/'");
    return join_path(group, id);
}

} // namespace

void initiate_members(const std::shared_ptr<PersistentNodeCore>& core, CallOptions call, Handler<Members> handler) {
    const std::string group(parent_path(core->path()));
    launch_made<MembersOperation>(core->view(), {"members", group}, std::move(call), std::move(handler), group);
}

} // namespace detail

GroupMember::GroupMember(Client& client, std::string_view group, std::string_view id, std::string_view payload)
    : group_(group), id_(id), node_(client, detail::member_path(group, id), {.data = std::string(payload)}) {
    core_ = detail::Access::core(node_);
}

Members GroupMember::members(error_code& ec, CallOptions call) const {
    return detail::block<Members>(*core_->view(), std::move(call), ec, detail::initiate_members, core_);
}

Members GroupMember::members(CallOptions call) const {
    return detail::throwing("read the members of the group", path(),
                            [&](error_code& ec) { return members(ec, std::move(call)); });
}

} // namespace docent
