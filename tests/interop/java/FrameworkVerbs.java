// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import org.apache.curator.framework.api.CreateBuilder;
import org.apache.curator.framework.api.DeleteBuilder;
import org.apache.curator.framework.api.GetDataBuilder;
import org.apache.curator.framework.api.SetDataBuilder;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;

/** Operations on single nodes, each on client=NAME path=PATH. Curator's builders are changed by their own methods. */
final class FrameworkVerbs {
    private final Clients clients;

    FrameworkVerbs(Clients clients) {
        this.clients = clients;
    }

    void addVerbs(Map<String, Verb> verbs) {
        verbs.put("create", this::create);
        verbs.put("set", this::set);
        verbs.put("delete", this::delete);
        verbs.put("get", this::get);
        verbs.put("stat", this::stat);
        verbs.put("get-acl", this::getAcl);
        verbs.put("set-acl", this::setAcl);
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
    private Answer delete(Command command) throws Exception {
        DeleteBuilder builder = clients.of(command).delete();
        if (command.has("children")) builder.deletingChildrenIfNeeded().forPath(command.text("path"));
        else builder.forPath(command.text("path"));
        return new Answer();
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

    private static Answer ofStat(Stat stat) {
        return new Answer().with("version", stat.getVersion()).with("aversion", stat.getAversion())
                .with("owner", stat.getEphemeralOwner());
    }
}
