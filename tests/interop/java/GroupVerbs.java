// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.curator.framework.recipes.nodes.GroupMember;

/** Members of groups. The words client=NAME path=PATH id=TEXT name a member; group-join makes it. */
final class GroupVerbs {
    private final Clients clients;
    private final Map<String, GroupMember> members = new ConcurrentHashMap<>();

    GroupVerbs(Clients clients, Map<String, Verb> verbs) {
        this.clients = clients;
        verbs.put("group-join", Verb.of(this::join));
        // payload=TEXT
        verbs.put("group-say", Verb.of(command -> members.get(name(command)).setThisData(payload(command))));
        verbs.put("group-members", this::current);
        verbs.put("group-leave", Verb.of(command -> members.remove(name(command)).close()));
    }

    /** payload=TEXT */
    private void join(Command command) {
        GroupMember member = new GroupMember(clients.of(command), command.text("path"), command.text("id"), payload(command));
        member.start();
        members.put(name(command), member);
    }

    /** members=ID:PAYLOAD,... in the order of the ids */
    private Answer current(Command command) {
        StringBuilder all = new StringBuilder();
        new TreeMap<>(members.get(name(command)).getCurrentMembers()).forEach((id, payload) ->
                all.append(all.length() == 0 ? "" : ",").append(id).append(':')
                        .append(new String(payload, StandardCharsets.UTF_8)));
        return new Answer().with("members", all);
    }

    private static byte[] payload(Command command) {
        return command.text("payload").getBytes(StandardCharsets.UTF_8);
    }

    private static String name(Command command) {
        return command.name("client", "path", "id");
    }
}
