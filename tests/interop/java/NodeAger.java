// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/**
 * Makes a node old: its next sequential child gets NUMBER. This program changes the files of a stopped server, with the
 * server's own classes.
 *
 * <pre>NodeAger DATA_DIR PATH NUMBER</pre>
 */
public final class NodeAger {
    private NodeAger() {}

    public static void main(String[] arguments) throws Exception {
        File folder = new File(arguments[0]);
        String path = arguments[1];
        FileTxnSnapLog files = new FileTxnSnapLog(folder, folder);
        DataTree tree = new DataTree();
        ConcurrentHashMap<Long, Integer> sessions = new ConcurrentHashMap<>();
        files.restore(tree, sessions, (header, record, digest) -> {});
        tree.setCversionPzxid(path, Integer.parseInt(arguments[2]), tree.getNode(path).stat.getPzxid());
        files.save(tree, sessions, true);
        files.close();
    }
}
