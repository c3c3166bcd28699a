import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.index.mapper.MapperExtrasPlugin;
import org.opensearch.index.reindex.ReindexPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.painless.PainlessPlugin;
import org.opensearch.transport.Netty4Plugin;

/** One OpenSearch node. Its own main class wants an unpacked distribution, and no root. */
public final class OpenSearchNode extends Node {
    private OpenSearchNode(Environment environment) {
        super(
            environment,
            List.of(
                Netty4Plugin.class,
                CommonAnalysisPlugin.class,
                MapperExtrasPlugin.class,
                PainlessPlugin.class,
                ReindexPlugin.class
            ),
            false
        );
    }

    /** Settings as NAME=VALUE. */
    public static void main(String[] given) throws Exception {
        Settings.Builder settings = Settings.builder();
        for (String pair : given) {
            String[] parts = pair.split("=", 2);
            settings.put(parts[0], parts[1]);
        }
        Path config = Path.of(settings.get("path.home"));
        Environment environment = InternalSettingsPreparer.prepareEnvironment(
            settings.build(), Map.of(), config, () -> "tenax"
        );
        Node node = new OpenSearchNode(environment);
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (IOException error) {
                error.printStackTrace();
            }
            ended.countDown();
        }));
        node.start();
        ended.await();
    }
}
