// SPDX-License-Identifier: Apache-2.0
#include "raw_lock.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

void RawLock::acquire(std::function<void()> granted) {
    granted_ = std::move(granted);
    awaited_replies_ = 1;
    check_raw(zoo_acreate(session_.handle(), (path_ + "/lock-").c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE,
                          ZOO_EPHEMERAL | ZOO_SEQUENCE, on_created, this),
              "create");
    list();
}

void RawLock::release(std::function<void()> removed) {
    removed_ = std::move(removed);
    const auto on_removed = [](int rc, const void* self) {
        if (rc == ZCLOSING) return; // the run has ended, and does not wait for the reply
        check_raw(rc, "delete");
        const auto& lock = *static_cast<const RawLock*>(self);
        if (lock.removed_) lock.removed_();
    };
    check_raw(zoo_adelete(session_.handle(), node().c_str(), -1, on_removed, this), "delete");
}

void RawLock::list() {
    ++awaited_replies_;
    check_raw(zoo_aget_children(session_.handle(), path_.c_str(), 0, on_children, this), "list");
}

void RawLock::on_created(int rc, const char* value, const void* self) {
    check_raw(rc, "create");
    auto& lock = *static_cast<RawLock*>(const_cast<void*>(self));
    lock.name_ = std::string(value).substr(lock.path_.size() + 1);
    if (--lock.awaited_replies_ == 0) lock.decide();
}

void RawLock::on_children(int rc, const String_vector* names, const void* self) {
    check_raw(rc, "list");
    auto& lock = *static_cast<RawLock*>(const_cast<void*>(self));
    lock.queue_.assign(names->data, names->data + names->count);
    if (--lock.awaited_replies_ == 0) lock.decide();
}

void RawLock::decide() {
    std::sort(queue_.begin(), queue_.end());
    const auto own = std::find(queue_.begin(), queue_.end(), name_);
    if (own == queue_.end()) throw std::runtime_error("the lock's node is gone");
    switch (own - queue_.begin()) {
    case 0: granted_(); break;
    case 1: watch(queue_.front(), true); break;
    default: watch(*(own - 2), false); break; // the second nearest: the nearest one holds the lock when we list again
    }
}

void RawLock::watch(const std::string& name, bool nearest) {
    watched_ = name;
    auto event = std::make_unique<Watch>(Watch{this, name, nearest});
    auto reply = std::make_unique<Watch>(*event);
    check_raw(zoo_awget(session_.handle(), (path_ + "/" + name).c_str(), on_event, event.get(), on_watched, reply.get()),
              "get");
    event.release(); // NOLINT(bugprone-unused-return-value): on_event() owns it now
    reply.release(); // NOLINT(bugprone-unused-return-value): on_watched() owns it now
}

void RawLock::on_watched(int rc, const char*, int, const Stat*, const void* watch) {
    const std::unique_ptr<const Watch> own(static_cast<const Watch*>(watch));
    if (rc == ZNONODE) return own->lock->on_gone(*own);
    check_raw(rc, "get");
}

void RawLock::on_event(zhandle_t*, int type, int, const char*, void* watch) {
    if (type == ZOO_SESSION_EVENT) return; // the watch stays
    const std::unique_ptr<const Watch> own(static_cast<const Watch*>(watch));
    own->lock->on_gone(*own);
}

void RawLock::on_gone(const Watch& watch) {
    if (watched_ != watch.name) return;
    watched_.clear();
    watch.nearest ? granted_() : list();
}
