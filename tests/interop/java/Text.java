// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.curator.framework.recipes.leader.Participant;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/** How values are written in commands and answers. */
final class Text {
    private Text() {}

    static String toHex(byte[] data) {
        StringBuilder hex = new StringBuilder(2 * data.length);
        for (byte b : data) hex.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
        return hex.toString();
    }

    static byte[] fromHex(String hex) {
        byte[] data = new byte[hex.length() / 2];
        for (int i = 0; i < data.length; i++) data[i] = (byte) Integer.parseInt(hex, 2 * i, 2 * i + 2, 16);
        return data;
    }

    /** The id of a participant of an election, in hex. */
    static String ofId(Participant participant) {
        return toHex(participant.getId().getBytes(StandardCharsets.UTF_8));
    }

    /** Entries as PERMISSIONS:SCHEME:ID, separated by commas: 31:world:anyone,1:digest:user:hash */
    static String ofAcl(List<ACL> acl) {
        return acl.stream().map(Text::ofEntry).collect(Collectors.joining(","));
    }

    private static String ofEntry(ACL entry) {
        return entry.getPerms() + ":" + entry.getId().getScheme() + ":" + entry.getId().getId();
    }

    static List<ACL> toAcl(String text) {
        List<ACL> acl = new ArrayList<>();
        for (String entry : text.split(",")) {
            String[] parts = entry.split(":", 3);
            acl.add(new ACL(Integer.parseInt(parts[0]), new Id(parts[1], parts[2])));
        }
        return acl;
    }
}
