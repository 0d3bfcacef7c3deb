// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.recipes.barriers.DistributedBarrier;

/** Barriers, each a client=NAME path=PATH. */
final class BarrierVerbs {
    private final Clients clients;

    BarrierVerbs(Clients clients) {
        this.clients = clients;
    }

    void addVerbs(Map<String, Verb> verbs) {
        verbs.put("barrier-set", command -> {
            of(command).setBarrier();
            return new Answer();
        });
        verbs.put("barrier-remove", command -> {
            of(command).removeBarrier();
            return new Answer();
        });
        verbs.put("barrier-wait", command -> new Answer().with("passed", of(command).waitOnBarrier(60, TimeUnit.SECONDS)));
    }

    private DistributedBarrier of(Command command) {
        return new DistributedBarrier(clients.of(command), command.text("path"));
    }
}
