// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hostile_server.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/endian/conversion.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

namespace docent::test {

/// A proxy in front of a real server. The proxy refuses to create containers.
class ServerWithoutContainers {
public:
    enum class Refusal {
        unimplemented, // the answer of ZooKeeper before 3.5
        bad_arguments,
        hang_up // ends the session without an answer: ClickHouse Keeper
    };

    ServerWithoutContainers(std::uint16_t server_port, Refusal refusal)
        : port_(server_port), refusal_(refusal), server_([this](HostileServer::Line& line) { relay(line); }) {}

    std::string connect_string() const { return server_.connect_string(); }
    std::uint16_t port() const {
        const std::string text = connect_string();
        return static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1)));
    }
    /// The number of requests to create a container.
    int containers() const { return containers_; }

private:
    using tcp = boost::asio::ip::tcp;
    static constexpr std::int32_t exists_opcode = 3;
    static constexpr std::int32_t container_opcode = 19;

    /// The refused requests. The real server gets another request in place of each, so that all answers keep their order.
    struct Refused {
        std::mutex mutex;
        std::set<std::int32_t> xids;
    };

    void relay(HostileServer::Line& line) {
        boost::asio::io_context context;
        tcp::socket real(context);
        boost::system::error_code ec;
        real.connect({boost::asio::ip::address_v4::loopback(), port_}, ec);
        if (ec) return;
        Refused refused;
        std::thread answers([&] { relay_answers(real, line, refused); });
        bool greeted = false;
        while (auto frame = line.read()) {
            const WireRequest request = wire_request(*frame);
            const bool container = greeted && request.opcode == container_opcode;
            greeted = true;
            if (container) ++containers_;
            if (container) {
                const std::lock_guard lock(refused.mutex);
                refused.xids.insert(request.xid);
                frame = refusal_ == Refusal::hang_up ? wire(request.xid) + wire(close_opcode)
                                                     : wire(request.xid) + wire(exists_opcode) + wire_text("/") + '\0';
            }
            if (!write(real, *frame) || (container && refusal_ == Refusal::hang_up)) break;
        }
        real.shutdown(tcp::socket::shutdown_send, ec);
        answers.join();
    }

    void relay_answers(tcp::socket& real, HostileServer::Line& line, Refused& refused) const {
        bool greeted = false;
        while (auto frame = read(real)) {
            if (greeted) {
                const std::int32_t xid = wire_request(*frame).xid;
                const std::lock_guard lock(refused.mutex);
                const bool is_refused = refused.xids.erase(xid) > 0;
                if (is_refused && refusal_ == Refusal::hang_up) return; // the session is over by now
                if (is_refused) frame = wire_header(xid, refusal_ == Refusal::unimplemented ? -6 : -8);
            }
            greeted = true;
            if (!line.write(wire_frame(*frame))) return;
        }
    }

    static bool write(tcp::socket& socket, const std::string& frame) {
        boost::system::error_code ec;
        boost::asio::write(socket, boost::asio::buffer(wire_frame(frame)), ec);
        return !ec;
    }
    static std::optional<std::string> read(tcp::socket& socket) {
        std::array<unsigned char, 4> length{};
        boost::system::error_code ec;
        boost::asio::read(socket, boost::asio::buffer(length), ec);
        if (ec) return std::nullopt;
        std::string frame(boost::endian::load_big_u32(length.data()), '\0');
        boost::asio::read(socket, boost::asio::buffer(frame), ec);
        return ec ? std::nullopt : std::optional(frame);
    }

    const std::uint16_t port_;
    const Refusal refusal_;
    std::atomic<int> containers_ = 0;
    HostileServer server_; // the last member: its threads use the others
};

} // namespace docent::test
