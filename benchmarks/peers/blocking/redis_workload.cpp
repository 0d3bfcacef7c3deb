// SPDX-License-Identifier: Apache-2.0
// Locks in Redis, with hiredis. --kind poll: SET NX PX, repeated every 100 ms. --kind pubsub: waits for a message of the
// releasing client, as Redisson does. Both release with a script that checks the owner.

#include "peer_lock.hpp"

#include <hiredis/hiredis.h>

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <thread>

#include <unistd.h>

namespace {

constexpr auto lease_ms = "30000"; // Redisson's default
constexpr std::chrono::milliseconds poll_pause{100};

/// Returns -1 if the client gets the lock; otherwise the remaining milliseconds of its present lease.
constexpr auto try_script = "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return -1 end "
                            "return redis.call('pttl', KEYS[1])";
constexpr auto release_script = "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
                                "redis.call('del', KEYS[1]) "
                                "if ARGV[2] == 'tell' then redis.call('publish', KEYS[1] .. ':released', '') end "
                                "return 1";

struct FreeReply {
    void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

class Connection {
public:
    explicit Connection(const std::string& address) {
        const auto colon = address.rfind(':');
        if (colon == std::string::npos) throw std::invalid_argument("--connect needs a port");
        context_.reset(redisConnect(address.substr(0, colon).c_str(), std::stoi(address.substr(colon + 1))));
        if (!context_ || context_->err) throw std::runtime_error("cannot connect to Redis at " + address);
    }
    template <typename... Words> Reply ask(Words... words) {
        const char* all[] = {words...};
        return checked(static_cast<redisReply*>(redisCommandArgv(context_.get(), sizeof...(words), all, nullptr)));
    }
    template <typename... Words> void send(Words... words) {
        const char* all[] = {words...};
        if (redisAppendCommandArgv(context_.get(), sizeof...(words), all, nullptr) != REDIS_OK)
            throw std::runtime_error("Redis: send");
        int all_written = 0;
        while (!all_written) {
            if (redisBufferWrite(context_.get(), &all_written) != REDIS_OK) throw std::runtime_error("Redis: write");
        }
    }
    /// Reads the next message. Returns false if none comes in this time.
    bool read(std::chrono::milliseconds longest, Reply& reply) {
        const timeval time{longest.count() / 1000, longest.count() % 1000 * 1000};
        redisSetTimeout(context_.get(), time);
        void* got = nullptr;
        if (redisGetReply(context_.get(), &got) == REDIS_OK) {
            reply = checked(static_cast<redisReply*>(got));
            return true;
        }
        if (context_->err == REDIS_ERR_IO && errno == EAGAIN) {
            context_->err = 0; // the time is over
            return false;
        }
        throw std::runtime_error(std::string("Redis: ") + context_->errstr);
    }

private:
    static Reply checked(redisReply* reply) {
        Reply result(reply);
        if (!result) throw std::runtime_error("Redis: the connection has ended");
        if (result->type == REDIS_REPLY_ERROR) throw std::runtime_error(std::string("Redis: ") + result->str);
        return result;
    }
    struct Free {
        void operator()(redisContext* context) const { redisFree(context); }
    };
    std::unique_ptr<redisContext, Free> context_;
};

class RedisLock : public PeerLock {
public:
    RedisLock(const std::string& address, const std::string& name)
        : connection_(address), key_("lock:" + name), owner_(unique_name()),
          try_(connection_.ask("SCRIPT", "LOAD", try_script)->str),
          release_(connection_.ask("SCRIPT", "LOAD", release_script)->str) {}
    void ping() override { ask("PING"); }

protected:
    template <typename... Words> Reply ask(Words... words) {
        ++requests_;
        return connection_.ask(words...);
    }
    bool set_if_free() { return ask("SET", key_.c_str(), owner_.c_str(), "NX", "PX", lease_ms)->type != REDIS_REPLY_NIL; }
    long long try_or_time_left() { return ask("EVALSHA", try_.c_str(), "1", key_.c_str(), owner_.c_str(), lease_ms)->integer; }
    void release_and(const char* tell) {
        if (ask("EVALSHA", release_.c_str(), "1", key_.c_str(), owner_.c_str(), tell)->integer != 1)
            throw std::runtime_error("the lock was not ours any more");
    }
    const std::string& key() const { return key_; }

private:
    std::string unique_name() const {
        return std::to_string(::getpid()) + "-" + std::to_string(reinterpret_cast<std::uintptr_t>(this));
    }
    Connection connection_;
    std::string key_;
    std::string owner_;
    std::string try_;
    std::string release_;
};

class PollingLock final : public RedisLock {
public:
    using RedisLock::RedisLock;
    void acquire() override {
        while (!set_if_free()) std::this_thread::sleep_for(poll_pause);
    }
    void release() override { release_and("no"); }
};

class TellingLock final : public RedisLock {
public:
    TellingLock(const std::string& address, const std::string& name)
        : RedisLock(address, name), messages_(address), channel_(key() + ":released") {}
    void acquire() override {
        if (try_or_time_left() < 0) return;
        subscribe();
        for (long long left = try_or_time_left(); left >= 0; left = try_or_time_left()) {
            Reply message;
            messages_.read(std::chrono::milliseconds(left + 1), message);
        }
        ++requests_;
        messages_.send("UNSUBSCRIBE", channel_.c_str()); // the reply is read before the next subscription
    }
    void release() override { release_and("tell"); }

private:
    void subscribe() {
        ++requests_;
        messages_.send("SUBSCRIBE", channel_.c_str());
        for (;;) {
            Reply reply;
            if (!messages_.read(std::chrono::seconds(10), reply)) throw std::runtime_error("Redis: no answer to SUBSCRIBE");
            if (reply->elements > 0 && std::string(reply->element[0]->str) == "subscribe") return;
        }
    }
    Connection messages_;
    std::string channel_;
};

} // namespace

int main(int argc, char** argv) {
    return run_peer(argc, argv, "redis_workload", "redis", [](const Options& options, const std::string& name) {
        const std::string& kind = options.text("kind");
        const std::string& address = options.text("connect");
        if (kind == "poll") return std::unique_ptr<PeerLock>(std::make_unique<PollingLock>(address, name));
        if (kind == "pubsub") return std::unique_ptr<PeerLock>(std::make_unique<TellingLock>(address, name));
        throw std::invalid_argument("--kind is poll or pubsub, not '" + kind + "'");
    });
}
