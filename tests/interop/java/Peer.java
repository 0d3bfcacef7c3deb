// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.apache.zookeeper.KeeperException;

/**
 * Apache Curator for docent's tests, driven over standard input: one command a line, one answer a line.
 *
 * <pre>
 * THREAD VERB [KEY[=VALUE]]...       main create client=c path=/a data=6869 compressed
 * = THREAD ok [KEY=VALUE]...         = main ok path=/a
 * = THREAD error NAME                = main error NODEEXISTS
 * </pre>
 *
 * Words are separated by one space. Each THREAD is a thread of its own, begun by its first command: it carries out its
 * commands in their order, and while one waits (for a lock, say) the others go on. Data is in hex, all other text is UTF-8
 * without spaces. Lines without the equals sign are for a reader of the log of a failed test. The end of the input ends the
 * program at once, sessions are left as after a crash; the verb "close" closes one.
 */
public final class Peer {
    private final Map<String, Verb> verbs = new HashMap<>();
    private final Map<String, Executor> threads = new HashMap<>();
    private final PrintStream out;

    private Peer(PrintStream out) {
        this.out = out;
        Clients clients = new Clients(verbs); // each of these objects adds its verbs
        new AtomicVerbs(clients, verbs);
        new BarrierVerbs(clients, verbs);
        new FrameworkVerbs(clients, verbs);
        new GroupVerbs(clients, verbs);
        new HelperVerbs(verbs);
        new LeaderVerbs(clients, verbs);
        LockVerbs locks = new LockVerbs(clients, verbs);
        new RevocationVerbs(clients, locks, verbs);
        SemaphoreVerbs semaphores = new SemaphoreVerbs(clients, new SharedCountVerbs(clients, verbs), verbs);
        new TurnVerbs(clients, locks, semaphores, verbs);
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(out);
        System.setErr(out); // so that lines do not mix
        Peer peer = new Peer(out);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try { // readLine() throws if the test closes its socket before it has read all answers
            for (String line = in.readLine(); line != null; line = in.readLine()) peer.accept(new Command(line));
        } finally {
            Runtime.getRuntime().halt(0);
        }
    }

    private void accept(Command command) {
        threads.computeIfAbsent(command.thread(), Peer::newThread).execute(() -> out.println(answer(command)));
    }

    private static Executor newThread(String name) {
        return Executors.newSingleThreadExecutor(work -> new Thread(work, name));
    }

    private String answer(Command command) {
        try {
            Verb verb = verbs.get(command.verb());
            if (verb == null) throw new IllegalArgumentException("no such verb: " + command.verb());
            return "= " + command.thread() + " ok" + verb.run(command);
        } catch (KeeperException e) {
            return "= " + command.thread() + " error " + e.code();
        } catch (Throwable e) {
            e.printStackTrace();
            return "= " + command.thread() + " error " + e.getClass().getSimpleName();
        }
    }
}
