// SPDX-License-Identifier: Apache-2.0
#include <docent/recipes/group_member.hpp>

#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/data/data_codec.hpp"
#include "client/operations/request_operation.hpp"
#include "group/persistent_node_core.hpp"

#include <docent/path.hpp>

#include <utility>
#include <vector>

namespace docent {
namespace detail {
namespace {

/// Lists a group, then reads all members at once.
class MembersOperation final : public Operation {
public:
    MembersOperation(std::shared_ptr<ClientView> view, std::string group, Done<Members> done)
        : view_(std::move(view)), group_(std::move(group)), done_(std::move(done)) {}

    void begin() override {
        ask(zk::ChildrenRequest{group_}, [this](const zk::Reply& reply) {
            for (const std::string& name : reply.children) read(name);
        });
        begin_asked();
    }
    void abort(error_code ec) override {
        const auto under_way = std::exchange(asked_, {});
        if (done_) std::exchange(done_, nullptr)(ec, {});
        for (const auto& request : under_way) request->abort(ec);
    }

private:
    void read(const std::string& name) {
        const std::string path = join_path(group_, name);
        ask(zk::GetRequest{path}, [this, name, path](zk::Reply reply) {
            if (const error_code ec = decode_data(view_->config(), path, Compression::client_default, reply.data)) {
                return abort(ec);
            }
            members_[name] = std::move(reply.data);
        });
    }
    /// Leaves out a node that does not exist.
    void ask(zk::Request request, std::function<void(zk::Reply)> on_reply) {
        ++open_;
        asked_.push_back(std::make_shared<RequestOperation>(
            view_, std::move(request),
            [self = shared_from_this(), this, on_reply = std::move(on_reply)](error_code ec, zk::Reply reply) {
                if (!done_) return;
                if (ec && ec != server_error::no_node) return abort(ec);
                if (!ec) on_reply(std::move(reply));
                begin_asked();
                if (--open_ == 0 && done_) std::exchange(done_, nullptr)({}, std::move(members_));
            }));
    }
    void begin_asked() {
        while (begun_ < asked_.size()) {
            const auto request = asked_[begun_++];
            request->begin();
        }
    }

    std::shared_ptr<ClientView> view_;
    const std::string group_;
    Done<Members> done_;
    Members members_;
    std::vector<std::shared_ptr<Operation>> asked_;
    std::size_t begun_ = 0;
    std::size_t open_ = 0;
};

std::string member_path(std::string_view group, std::string_view id) {
    const std::string what = "member " + std::string(id) + " of the group " + std::string(group);
    if (const error_code ec = check_path(group)) throw Error(ec, what + ": " + explain_path(group));
    if (id.empty() || id.find('/') != std::string_view::npos) throw Error(error::invalid_path, what + ": the id is no name");
    return join_path(group, id);
}

} // namespace

void initiate_members(const std::shared_ptr<PersistentNodeCore>& core, CallOptions call, Handler<Members> handler) {
    const std::string group(parent_path(core->path()));
    const auto make = [&group](const std::shared_ptr<ClientView>& view, Done<Members> done) {
        return std::make_shared<MembersOperation>(view, group, std::move(done));
    };
    launch<Members>(core->view(), {"members", group}, std::move(call), std::move(handler), make);
}

} // namespace detail

GroupMember::GroupMember(Client& client, std::string_view group, std::string_view id, std::string_view payload)
    : group_(group), id_(id), node_(client, detail::member_path(group, id), {.data = std::string(payload)}) {
    core_ = detail::Access::core(node_);
}

GroupMember::GroupMember(detail::SameObject same, const GroupMember& other)
    : group_(other.group_), id_(other.id_), node_(same, other.node_) {
    core_ = other.core_;
}

Members GroupMember::members(error_code& ec, CallOptions call) const {
    return detail::block<Members>(*core_->view(), std::move(call), ec, detail::initiate_members, core_);
}

Members GroupMember::members(CallOptions call) const {
    return detail::throwing("read the members of the group", path(),
                            [&](error_code& ec) { return members(ec, std::move(call)); });
}

} // namespace docent
