// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.curator.framework.recipes.nodes.GroupMember;

/** Members of groups, each a client=NAME path=PATH id=TEXT, from group-join on. */
final class GroupVerbs {
    private final Clients clients;
    private final Map<String, GroupMember> members = new ConcurrentHashMap<>();

    GroupVerbs(Clients clients, Map<String, Verb> verbs) {
        this.clients = clients;
        verbs.put("group-join", this::join);
        verbs.put("group-say", this::say);
        verbs.put("group-members", this::current);
        verbs.put("group-leave", this::leave);
    }

    /** payload=TEXT */
    private Answer join(Command command) {
        GroupMember member = new GroupMember(clients.of(command), command.text("path"), command.text("id"), payload(command));
        member.start();
        members.put(key(command), member);
        return new Answer();
    }

    /** payload=TEXT */
    private Answer say(Command command) {
        members.get(key(command)).setThisData(payload(command));
        return new Answer();
    }

    /** members=ID:PAYLOAD,... in the order of the ids */
    private Answer current(Command command) {
        StringBuilder all = new StringBuilder();
        new TreeMap<>(members.get(key(command)).getCurrentMembers()).forEach((id, payload) ->
                all.append(all.length() == 0 ? "" : ",").append(id).append(':')
                        .append(new String(payload, StandardCharsets.UTF_8)));
        return new Answer().with("members", all);
    }

    private Answer leave(Command command) {
        members.remove(key(command)).close();
        return new Answer();
    }

    private static byte[] payload(Command command) {
        return command.text("payload").getBytes(StandardCharsets.UTF_8);
    }

    private static String key(Command command) {
        return command.text("client") + ' ' + command.text("path") + ' ' + command.text("id");
    }
}
