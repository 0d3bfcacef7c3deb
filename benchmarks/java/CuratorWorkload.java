// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * What lock_workload does, with Apache Curator: one line of key=value figures.
 *
 * <pre>
 * CuratorWorkload CONNECT free KIND N WARMUP       mutex, read, write, semaphore, semaphore3 or multi3
 * CuratorWorkload CONNECT contended CLIENTS CYCLES HOLD_US
 * CuratorWorkload CONNECT latch N WARMUP SETTLE_MS
 * </pre>
 */
public final class CuratorWorkload {
    private interface Step {
        void run() throws Exception;
    }

    /** Durations of one kind, and what lies at a fraction of them, in whole microseconds. */
    private static final class Durations {
        private final List<Long> values = Collections.synchronizedList(new ArrayList<>());

        void add(long nanoseconds) {
            values.add(nanoseconds);
        }

        long at(double fraction) {
            long[] sorted = values.stream().mapToLong(Long::longValue).sorted().toArray();
            if (sorted.length == 0) return 0;
            return Math.round(sorted[(int) Math.min(sorted.length - 1, sorted.length * fraction)] / 1000.0);
        }

        String asFigures(String name) {
            return " " + name + "_p50_us=" + at(0.5) + " " + name + "_p99_us=" + at(0.99);
        }
    }

    private final String connect;
    private final List<CuratorFramework> clients = new ArrayList<>();

    private CuratorWorkload(String connect) {
        this.connect = connect;
    }

    public static void main(String[] arguments) throws Exception {
        CuratorWorkload workload = new CuratorWorkload(arguments[0]);
        String[] rest = Arrays.copyOfRange(arguments, 2, arguments.length);
        String figures;
        switch (arguments[1]) {
            case "free": figures = workload.free(rest[0], number(rest[1]), number(rest[2])); break;
            case "contended": figures = workload.contended(number(rest[0]), number(rest[1]), number(rest[2])); break;
            case "latch": figures = workload.latch(number(rest[0]), number(rest[1]), number(rest[2])); break;
            default: throw new IllegalArgumentException("no such work: " + arguments[1]);
        }
        System.out.println("peer=curator work=" + arguments[1] + figures);
        System.exit(0);
    }

    private static int number(String text) {
        return Integer.parseInt(text);
    }

    private CuratorFramework client() throws Exception {
        CuratorFramework client =
                CuratorFrameworkFactory.newClient(connect, 30000, 15000, new ExponentialBackoffRetry(100, 5));
        client.start();
        client.blockUntilConnected();
        clients.add(client);
        return client;
    }

    /** One cycle after the other of a lock that nobody else wants. */
    private String free(String kind, int n, int warmup) throws Exception {
        String path = "/benchmark/curator-free-" + kind;
        Durations acquires = new Durations();
        Durations releases = new Durations();
        List<Lease> leases = new ArrayList<>();
        Step acquire;
        Step release;
        if (kind.startsWith("semaphore")) {
            InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client(), path, 5);
            int permits = kind.equals("semaphore3") ? 3 : 1;
            acquire = () -> leases.addAll(semaphore.acquire(permits));
            release = () -> {
                Collection<Lease> all = new ArrayList<>(leases);
                leases.clear();
                semaphore.returnAll(all);
            };
        } else {
            InterProcessLock lock = lockOf(kind, path);
            acquire = lock::acquire;
            release = lock::release;
        }
        for (int i = -warmup; i < n; i++) {
            long begin = System.nanoTime();
            acquire.run();
            long acquired = System.nanoTime();
            release.run();
            long released = System.nanoTime();
            if (i < 0) continue;
            acquires.add(acquired - begin);
            releases.add(released - acquired);
        }
        return " kind=" + kind + " n=" + n + " warmup=" + warmup + acquires.asFigures("acquire")
                + releases.asFigures("release");
    }

    private InterProcessLock lockOf(String kind, String path) throws Exception {
        switch (kind) {
            case "mutex": return new InterProcessMutex(client(), path);
            case "read": return new InterProcessReadWriteLock(client(), path).readLock();
            case "write": return new InterProcessReadWriteLock(client(), path).writeLock();
            case "multi3": return new InterProcessMultiLock(client(), List.of(path + "/a", path + "/b", path + "/c"));
            default: throw new IllegalArgumentException("no such lock: " + kind);
        }
    }

    /** Clients with a session each take turns. */
    private String contended(int count, int cycles, int holdUs) throws Exception {
        for (int i = 0; i < count; i++) client();
        Durations handoffs = new Durations();
        AtomicLong released = new AtomicLong();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(count);
        long begin = System.nanoTime();
        for (CuratorFramework client : clients) {
            new Thread(() -> {
                try {
                    InterProcessMutex mutex = new InterProcessMutex(client, "/benchmark/curator-contended");
                    for (int i = 0; i < cycles; i++) {
                        mutex.acquire();
                        long before = released.get();
                        if (before != 0) handoffs.add(System.nanoTime() - before);
                        if (inside.incrementAndGet() != 1) overlaps.incrementAndGet();
                        if (holdUs > 0) Thread.sleep(holdUs / 1000, holdUs % 1000 * 1000);
                        inside.decrementAndGet();
                        released.set(System.nanoTime());
                        mutex.release();
                    }
                } catch (Exception e) {
                    e.printStackTrace();
                    System.exit(1);
                }
                all.countDown();
            }).start();
        }
        all.await();
        double seconds = (System.nanoTime() - begin) / 1e9;
        return " clients=" + count + " cycles=" + cycles + " hold_us=" + holdUs + " per_s="
                + Math.round(count * cycles / seconds * 10) / 10.0 + handoffs.asFigures("handoff")
                + " overlaps=" + overlaps.get();
    }

    /** How long until a latch leads that is alone, and until the next one does when a leader leaves. */
    private String latch(int n, int warmup, int settleMs) throws Exception {
        CuratorFramework one = client();
        CuratorFramework other = client();
        Durations leads = new Durations();
        for (int i = -warmup; i < n; i++) {
            LeaderLatch latch = new LeaderLatch(one, "/benchmark/curator-latch", "curator");
            long begin = System.nanoTime();
            latch.start();
            latch.await();
            if (i >= 0) leads.add(System.nanoTime() - begin);
            latch.close();
            Thread.sleep(settleMs);
        }
        Durations handoffs = new Durations();
        LeaderLatch leader = new LeaderLatch(one, "/benchmark/curator-handoff", "first");
        leader.start();
        leader.await();
        for (int i = 0; i < n; i++) {
            LeaderLatch next = new LeaderLatch(i % 2 == 0 ? other : one, "/benchmark/curator-handoff", "next");
            next.start();
            Thread.sleep(settleMs); // it queues, and watches
            long begin = System.nanoTime();
            leader.close(); // waits for nothing
            next.await();
            handoffs.add(System.nanoTime() - begin);
            leader = next;
        }
        leader.close();
        return " n=" + n + " warmup=" + warmup + leads.asFigures("lead") + handoffs.asFigures("handoff");
    }
}
