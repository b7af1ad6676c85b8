/** What an instance closes when it stops, in order, once its work has ended. */
import { ContainerModule } from '../container.ts';
import { provide } from '../token.ts';
import { named, TOKENS } from '../tokens.ts';

export const shutdownModule = new ContainerModule((options) => {
  provide(options, TOKENS.closeable, named('queue'), ({ queue }) => ({
    close: async () => queue.close?.(),
  }));
  provide(options, TOKENS.closeable, named('transport'), ({ transport }) => transport);
  provide(options, TOKENS.closeable, named('platforms'), ({ platforms }) => ({
    close: async () => {
      await Promise.all([...platforms.readers.values()].map((platform) => platform.close()));
    },
  }));
  provide(options, TOKENS.closeable, named('readCounter'), ({ readCounter }) => readCounter);
  // After the platforms, which keep their pace by it.
  provide(options, TOKENS.closeable, named('limiterConnection'), ({ limiterConnection: connection }) => ({
    close: async () => connection?.disconnect(),
  }));
  provide(options, TOKENS.closeable, named('limiter'), ({ limiter }) => limiter);
  provide(options, TOKENS.closeable, named('telemetry'), ({ telemetry }) => telemetry);
});
