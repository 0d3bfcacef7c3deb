// SPDX-License-Identifier: Apache-2.0
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.Map;
import java.util.TreeSet;
import org.apache.curator.framework.imps.ProtectedUtils;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;

/** What Java's libraries find out about a text, or about this machine. */
final class HelperVerbs {
    HelperVerbs(Map<String, Verb> verbs) {
        verbs.put("digest", HelperVerbs::digest);
        verbs.put("protection", HelperVerbs::protection);
        verbs.put("addresses", HelperVerbs::addresses);
    }

    /** of=USER:PASSWORD: the id of an ACL entry of the scheme "digest". */
    private static Answer digest(Command command) throws NoSuchAlgorithmException {
        return new Answer().with("id", DigestAuthenticationProvider.generateDigest(command.text("of")));
    }

    /** of=PATH: the guid that protects the node, if any, and its name without it. */
    private static Answer protection(Command command) {
        String path = command.text("of");
        String name = path.substring(path.lastIndexOf('/') + 1);
        return new Answer().with("protected", ProtectedUtils.isProtectedZNode(name))
                .with("guid", ProtectedUtils.extractProtectedId(name).orElse(""))
                .with("path", ProtectedUtils.normalizePath(path));
    }

    /** The IPv4 addresses of this machine by which others can reach it. */
    private static Answer addresses(Command command) throws Exception {
        TreeSet<String> found = new TreeSet<>();
        for (NetworkInterface card : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            if (card.isLoopback() || !card.isUp()) continue;
            for (InetAddress address : Collections.list(card.getInetAddresses())) {
                if (address instanceof Inet4Address) found.add(address.getHostAddress());
            }
        }
        return new Answer().with("list", String.join(",", found));
    }
}
