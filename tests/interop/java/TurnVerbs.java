// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;

/** Many turns at a lock or a semaphore, each written down while it is held: see turn_log.hpp. */
final class TurnVerbs {
    private final Clients clients;
    private final LockVerbs locks;
    private final SemaphoreVerbs semaphores;

    TurnVerbs(Clients clients, LockVerbs locks, SemaphoreVerbs semaphores, Map<String, Verb> verbs) {
        this.clients = clients;
        this.locks = locks;
        this.semaphores = semaphores;
        verbs.put("take-turns", Verb.of(this::takeTurns));
    }

    /** client=NAME path=PATH file=FILE name=NAME [limit=NUMBER] turns=SIDE[:ENTERED],... with mutex, read, write, or permit */
    private void takeTurns(Command command) throws Exception {
        CuratorFramework client = clients.of(command);
        Path file = Path.of(command.text("file"));
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String turn : command.text("turns").split(",")) {
                String[] parts = turn.split(":");
                Hold hold = acquire(command, parts[0]);
                append(out, "enter " + parts[0] + ' ' + command.text("name"));
                if (parts.length > 1) awaitEntered(file, parts[0], Integer.parseInt(parts[1]));
                client.checkExists().forPath(command.text("path")); // a round trip, so that the hold takes a while
                append(out, "leave " + parts[0] + ' ' + command.text("name"));
                hold.release();
            }
        }
    }

    private Hold acquire(Command command, String side) throws Exception {
        if (side.equals("permit")) {
            InterProcessSemaphoreV2 semaphore = semaphores.of(command);
            Lease lease = semaphore.acquire();
            return () -> semaphore.returnLease(lease);
        }
        InterProcessLock lock = locks.anyOf(command, side);
        lock.acquire();
        return lock::release;
    }

    private static void awaitEntered(Path file, String side, int entered) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (Files.readAllLines(file).stream().filter(line -> line.startsWith("enter " + side)).count() < entered) {
            if (System.nanoTime() > deadline) throw new IllegalStateException("alone at " + side);
            Thread.sleep(2);
        }
    }

    private static void append(FileChannel out, String line) throws Exception {
        out.write(ByteBuffer.wrap((line + '\n').getBytes(StandardCharsets.UTF_8)));
    }

    private interface Hold {
        void release() throws Exception;
    }
}
