// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.TransactionCreateBuilder;
import org.apache.curator.framework.api.transaction.TransactionSetDataBuilder;

/** Several changes at once. */
final class TransactionVerbs {
    private final Clients clients;

    TransactionVerbs(Clients clients) {
        this.clients = clients;
    }

    void addVerbs(Map<String, Verb> verbs) {
        verbs.put("transaction", this::transaction);
    }

    /** client=NAME [compressed] [create=PATH[:HEX]]... [set=PATH:HEX]...: first what is created, then what is set. */
    private Answer transaction(Command command) throws Exception {
        CuratorFramework client = clients.of(command);
        List<CuratorOp> operations = new ArrayList<>();
        for (String create : command.all("create")) operations.add(create(client, create, command.has("compressed")));
        for (String set : command.all("set")) operations.add(set(client, set, command.has("compressed")));
        client.transaction().forOperations(operations);
        return new Answer();
    }

    private static CuratorOp create(CuratorFramework client, String text, boolean compressed) throws Exception {
        String[] parts = text.split(":", 2);
        TransactionCreateBuilder<CuratorOp> builder = client.transactionOp().create();
        if (compressed) builder.compressed();
        return parts.length > 1 ? builder.forPath(parts[0], Text.fromHex(parts[1])) : builder.forPath(parts[0]);
    }

    private static CuratorOp set(CuratorFramework client, String text, boolean compressed) throws Exception {
        String[] parts = text.split(":", 2);
        TransactionSetDataBuilder<CuratorOp> builder = client.transactionOp().setData();
        if (compressed) builder.compressed();
        return builder.forPath(parts[0], Text.fromHex(parts[1]));
    }
}
