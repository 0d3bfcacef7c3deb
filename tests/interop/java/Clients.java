// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** The Curator clients of a test, by name; all threads may use all of them. */
final class Clients {
    private final Map<String, CuratorFramework> clients = new ConcurrentHashMap<>();
    private final Map<String, TableAclProvider> providers = new ConcurrentHashMap<>();

    Clients(Map<String, Verb> verbs) {
        verbs.put("open", Verb.of(this::open));
        verbs.put("close", Verb.of(command -> clients.remove(command.text("client")).close()));
        verbs.put("asked-acls", command -> new Answer().with("paths", providers.get(command.text("client")).asked()));
    }

    /** The client that the command names: client=NAME. With namespace=TEXT, the same client in another namespace. */
    CuratorFramework of(Command command) {
        CuratorFramework client = clients.get(command.text("client"));
        if (client == null) throw new IllegalArgumentException("no such client: " + command.text("client"));
        return command.has("namespace") ? client.usingNamespace(command.text("namespace")) : client;
    }

    /** client=NAME connect=SERVERS [session-timeout=MILLISECONDS] [namespace=TEXT] [auth=USER:PASSWORD] [acl-of=PATH@ACL]... */
    private void open(Command command) throws InterruptedException {
        TableAclProvider provider = new TableAclProvider(command.all("acl-of"));
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(command.text("connect")).connectionTimeoutMs(15000)
                .sessionTimeoutMs(command.has("session-timeout") ? command.number("session-timeout") : 10000)
                .retryPolicy(new ExponentialBackoffRetry(100, 5)).aclProvider(provider);
        if (command.has("namespace")) builder.namespace(command.text("namespace"));
        for (String credentials : command.all("auth")) {
            builder.authorization("digest", credentials.getBytes(StandardCharsets.UTF_8));
        }
        CuratorFramework client = builder.build();
        providers.put(command.text("client"), provider);
        clients.put(command.text("client"), client);
        client.start();
        client.blockUntilConnected();
    }
}
