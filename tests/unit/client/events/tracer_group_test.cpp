// SPDX-License-Identifier: Apache-2.0
#include <docent/tracing/tracer_group.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace docent {
namespace {

struct WritingTracer : Tracer {
    WritingTracer(std::string name, std::string& text) : name(std::move(name)), text(text) {}
    void on_operation(const OperationTrace& trace) override { text += name + " operation " + std::string(trace.name) + "\n"; }
    void on_session_event(const SessionEvent& event) override {
        text += name + " session " + std::to_string(event.epoch) + "\n";
    }
    void on_lease(const LeaseTrace& trace) override { text += name + " lease " + std::string(trace.label) + "\n"; }
    void on_load(const ClientLoad& load) override { text += name + " load " + std::to_string(load.watches) + "\n"; }
    void on_warning(std::string_view warning) override { text += name + " warning " + std::string(warning) + "\n"; }

    std::string name;
    std::string& text;
};

TEST(TracerGroup, EachHearsOfAllInTurn) {
    std::string text;
    TracerGroup group({std::make_shared<WritingTracer>("a", text), nullptr, std::make_shared<WritingTracer>("b", text)});
    OperationTrace operation;
    operation.name = "get";
    group.on_operation(operation);
    SessionEvent event;
    event.epoch = 7;
    group.on_session_event(event);
    LeaseTrace lease;
    lease.label = "nightly";
    group.on_lease(lease);
    group.on_load({.watches = 3});
    group.on_warning("odd");
    EXPECT_EQ(text, "a operation get\nb operation get\na session 7\nb session 7\na lease nightly\nb lease nightly\n"
                    "a load 3\nb load 3\na warning odd\nb warning odd\n");
}

} // namespace
} // namespace docent
