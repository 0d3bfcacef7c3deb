// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.recipes.barriers.DistributedBarrier;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;

/** Barriers. The words client=NAME path=PATH name a barrier. A double barrier has members=NUMBER; each thread is one member. */
final class BarrierVerbs {
    private final Clients clients;
    private final Map<String, DistributedDoubleBarrier> members = new ConcurrentHashMap<>();

    BarrierVerbs(Clients clients, Map<String, Verb> verbs) {
        this.clients = clients;
        verbs.put("barrier-set", Verb.of(command -> of(command).setBarrier()));
        verbs.put("barrier-remove", Verb.of(command -> of(command).removeBarrier()));
        verbs.put("barrier-wait", command -> new Answer().with("passed", of(command).waitOnBarrier(60, TimeUnit.SECONDS)));
        verbs.put("double-enter", command -> {
            DistributedDoubleBarrier member = new DistributedDoubleBarrier(
                clients.of(command), command.text("path"), Integer.parseInt(command.text("members")));
            members.put(command.thread(), member);
            return new Answer().with("in", member.enter(60, TimeUnit.SECONDS));
        });
        verbs.put("double-leave", command ->
            new Answer().with("out", members.get(command.thread()).leave(60, TimeUnit.SECONDS)));
    }

    private DistributedBarrier of(Command command) {
        return new DistributedBarrier(clients.of(command), command.text("path"));
    }
}
