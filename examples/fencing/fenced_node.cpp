// SPDX-License-Identifier: Apache-2.0
// A node that refuses late writes: docs/how-to/fence-a-write.md.
#include "stale_holder.hpp"

// [node]
/// The server writes only while the lease's node exists. Returns false if the
/// lock was lost.
bool write_fenced(docent::Client& client, const docent::Lease& lease,
                  const std::string& text) {
    docent::error_code ec;
    docent::Transaction tx;
    tx.guard(lease).set_data("/store/report", text);
    client.commit(tx, ec);
    if (ec == docent::error::lease_lost) return false;
    if (ec) throw docent::Error(ec, "write the report");
    return true;
}
// [node]

int main() {
    StaleHolder holders;
    holders.client_of_first.create("/store/report");
    const bool second =
        write_fenced(holders.client_of_second, holders.second, "of the second");
    const bool first =
        write_fenced(holders.client_of_first, holders.first, "of the first");
    return verdict(second, first,
                   holders.client_of_first.get("/store/report").data);
}
