// SPDX-License-Identifier: Apache-2.0
// A node that refuses late writes of a former holder, for docs/how-to/fence-a-write.md.
#include "stale_holder.hpp"

// [node]
/// Applied only while the lease's node is there, and if nothing came between. False: the lock was lost.
bool write_fenced(docent::Client& client, const docent::Lease& lease, const std::string& text) {
    docent::error_code ec;
    client.commit(docent::Transaction().guard(lease).set_data("/store/report", text), ec);
    if (ec && ec != docent::error::lease_lost) throw docent::Error(ec, "write the report");
    return !ec;
}
// [node]

int main() {
    StaleHolder holders;
    holders.client_of_first.create("/store/report");
    const bool second = write_fenced(holders.client_of_second, holders.second, "of the second");
    const bool first = write_fenced(holders.client_of_first, holders.first, "of the first");
    return verdict(second, first, holders.client_of_first.get("/store/report").data);
}
