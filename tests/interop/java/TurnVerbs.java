// SPDX-License-Identifier: Apache-2.0
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** Many turns at a lock, each written down while it is held. */
final class TurnVerbs {
    private final Clients clients;
    private final LockVerbs locks;

    TurnVerbs(Clients clients, LockVerbs locks) {
        this.clients = clients;
        this.locks = locks;
    }

    void addVerbs(Map<String, Verb> verbs) {
        verbs.put("take-turns", this::takeTurns);
    }

    /** client=NAME path=PATH file=FILE [side=mutex|read|write]...: a turn for each side, in their order */
    private Answer takeTurns(Command command) throws Exception {
        Path file = Path.of(command.text("file"));
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String side : command.all("side")) {
                InterProcessMutex lock = locks.of(command, side);
                lock.acquire();
                append(out, "enter " + side);
                clients.of(command).checkExists().forPath(command.text("path")); // it takes a while
                append(out, "leave " + side);
                lock.release();
            }
        }
        return new Answer();
    }

    private static void append(FileChannel out, String line) throws Exception {
        out.write(ByteBuffer.wrap((line + '\n').getBytes(StandardCharsets.UTF_8)));
    }
}
