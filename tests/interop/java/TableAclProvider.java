// SPDX-License-Identifier: Apache-2.0
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;

/** Knows the ACLs of some paths, and remembers what it was asked for. */
final class TableAclProvider implements ACLProvider {
    private final Map<String, List<ACL>> table = new TreeMap<>();
    private final Set<String> asked = new ConcurrentSkipListSet<>();

    /** Lines as PATH@ACL. */
    TableAclProvider(List<String> lines) {
        for (String line : lines) {
            String[] parts = line.split("@", 2);
            table.put(parts[0], Text.toAcl(parts[1]));
        }
    }

    String asked() {
        return String.join(",", asked);
    }

    @Override
    public List<ACL> getDefaultAcl() {
        return ZooDefs.Ids.OPEN_ACL_UNSAFE;
    }

    @Override
    public List<ACL> getAclForPath(String path) {
        asked.add(path);
        return table.get(path);
    }
}
