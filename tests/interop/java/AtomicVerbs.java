// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.curator.framework.recipes.atomic.AtomicValue;
import org.apache.curator.framework.recipes.atomic.DistributedAtomicLong;
import org.apache.curator.framework.recipes.atomic.PromotedToLock;
import org.apache.curator.retry.RetryNTimes;
import org.apache.curator.retry.RetryOneTime;

/** Atomic numbers. The words client=NAME path=PATH [lock=PATH] name a number; its first command makes the object. */
final class AtomicVerbs {
    private static final int TRIES = 1000;

    private final Clients clients;
    private final Map<String, DistributedAtomicLong> numbers = new ConcurrentHashMap<>();

    AtomicVerbs(Clients clients, Map<String, Verb> verbs) {
        this.clients = clients;
        verbs.put("atomic-get", command -> told(number(command).get()));
        verbs.put("atomic-add", command -> told(number(command).add(by(command))));
        verbs.put("atomic-try-set", command -> told(number(command).trySet(by(command))));
        verbs.put("atomic-compare-and-set",
                command -> told(number(command).compareAndSet(Long.valueOf(command.text("expected")), by(command))));
        verbs.put("atomic-initialize",
                command -> new Answer().with("made", number(command).initialize(by(command))));
        verbs.put("atomic-force-set", Verb.of(command -> number(command).forceSet(by(command))));
        verbs.put("atomic-increment", this::increment);
    }

    /** times=NUMBER */
    private Answer increment(Command command) throws Exception {
        int promoted = 0;
        for (int done = 0; done < command.number("times");) {
            AtomicValue<Long> value = number(command).increment();
            if (value.succeeded()) done++;
            if (value.getStats().getPromotedLockTries() > 0) promoted++;
        }
        return new Answer().with("promoted", promoted);
    }

    private static Long by(Command command) {
        return Long.valueOf(command.text("number"));
    }

    private static Answer told(AtomicValue<Long> value) {
        return new Answer().with("succeeded", value.succeeded()).with("before", value.preValue())
                .with("after", value.postValue());
    }

    private DistributedAtomicLong number(Command command) {
        String path = command.text("path");
        return numbers.computeIfAbsent(command.name("client", "path") + ' ' + command.has("lock"), key -> {
            if (!command.has("lock")) return new DistributedAtomicLong(clients.of(command), path, new RetryNTimes(TRIES, 1));
            PromotedToLock lock = PromotedToLock.builder().lockPath(command.text("lock"))
                    .retryPolicy(new RetryNTimes(TRIES, 1)).build();
            return new DistributedAtomicLong(clients.of(command), path, new RetryOneTime(1), lock);
        });
    }
}
