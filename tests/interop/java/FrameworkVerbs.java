// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CreateBuilder;
import org.apache.curator.framework.api.DeleteBuilder;
import org.apache.curator.framework.api.GetDataBuilder;
import org.apache.curator.framework.api.SetDataBuilder;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.TransactionCreateBuilder;
import org.apache.curator.framework.api.transaction.TransactionSetDataBuilder;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;

/** Operations on nodes, each on client=NAME path=PATH. The methods of Curator's builders change the builder itself. */
final class FrameworkVerbs {
    private final Clients clients;

    FrameworkVerbs(Clients clients, Map<String, Verb> verbs) {
        this.clients = clients;
        verbs.put("create", this::create);
        verbs.put("set", this::set);
        verbs.put("delete", Verb.of(this::delete));
        verbs.put("get", this::get);
        verbs.put("stat", this::stat);
        verbs.put("get-acl", this::getAcl);
        verbs.put("set-acl", this::setAcl);
        verbs.put("transaction", Verb.of(this::transaction));
    }

    /** [data=HEX] [mode=EPHEMERAL...] [compressed] [parents] [protected] [acl=ACL [acl-to-parents]] */
    private Answer create(Command command) throws Exception {
        CreateBuilder builder = clients.of(command).create();
        if (command.has("mode")) builder.withMode(CreateMode.valueOf(command.text("mode")));
        if (command.has("compressed")) builder.compressed();
        if (command.has("protected")) builder.withProtection();
        if (command.has("acl")) builder.withACL(Text.toAcl(command.text("acl")));
        if (command.has("parents")) createParents(builder, command);
        String path = command.text("path");
        boolean hasData = command.has("data");
        return new Answer().with("path", hasData ? builder.forPath(path, command.data("data")) : builder.forPath(path));
    }

    private static void createParents(CreateBuilder builder, Command command) {
        var withParents = builder.creatingParentsIfNeeded();
        if (command.has("acl")) withParents.withACL(Text.toAcl(command.text("acl")), command.has("acl-to-parents"));
    }

    /** [children] */
    private void delete(Command command) throws Exception {
        DeleteBuilder builder = clients.of(command).delete();
        if (command.has("children")) builder.deletingChildrenIfNeeded().forPath(command.text("path"));
        else builder.forPath(command.text("path"));
    }

    /** data=HEX [version=NUMBER] [compressed] */
    private Answer set(Command command) throws Exception {
        SetDataBuilder builder = clients.of(command).setData();
        if (command.has("compressed")) builder.compressed();
        if (command.has("version")) builder.withVersion(command.number("version"));
        return ofStat(builder.forPath(command.text("path"), command.data("data")));
    }

    /** [compressed] */
    private Answer get(Command command) throws Exception {
        GetDataBuilder builder = clients.of(command).getData();
        if (command.has("compressed")) builder.decompressed();
        return new Answer().withData(builder.forPath(command.text("path")));
    }

    private Answer stat(Command command) throws Exception {
        Stat stat = clients.of(command).checkExists().forPath(command.text("path"));
        return stat == null ? new Answer().with("exists", false) : ofStat(stat).with("exists", true);
    }

    private Answer getAcl(Command command) throws Exception {
        return new Answer().with("acl", Text.ofAcl(clients.of(command).getACL().forPath(command.text("path"))));
    }

    /** acl=ACL */
    private Answer setAcl(Command command) throws Exception {
        return ofStat(clients.of(command).setACL().withACL(Text.toAcl(command.text("acl"))).forPath(command.text("path")));
    }

    /** client=NAME [compressed] [create=PATH[:HEX]]... [set=PATH:HEX]...: first what is created, then what is set. */
    private void transaction(Command command) throws Exception {
        CuratorFramework client = clients.of(command);
        List<CuratorOp> operations = new ArrayList<>();
        for (String create : command.all("create")) operations.add(createOf(client, create, command.has("compressed")));
        for (String set : command.all("set")) operations.add(setOf(client, set, command.has("compressed")));
        client.transaction().forOperations(operations);
    }

    private static CuratorOp createOf(CuratorFramework client, String text, boolean compressed) throws Exception {
        String[] parts = text.split(":", 2);
        TransactionCreateBuilder<CuratorOp> builder = client.transactionOp().create();
        if (compressed) builder.compressed();
        return parts.length > 1 ? builder.forPath(parts[0], Text.fromHex(parts[1])) : builder.forPath(parts[0]);
    }

    private static CuratorOp setOf(CuratorFramework client, String text, boolean compressed) throws Exception {
        String[] parts = text.split(":", 2);
        TransactionSetDataBuilder<CuratorOp> builder = client.transactionOp().setData();
        if (compressed) builder.compressed();
        return builder.forPath(parts[0], Text.fromHex(parts[1]));
    }

    private static Answer ofStat(Stat stat) {
        return new Answer().with("version", stat.getVersion()).with("aversion", stat.getAversion())
                .with("owner", stat.getEphemeralOwner());
    }
}
