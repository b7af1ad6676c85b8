/** What an instance closes when it stops, in order, once its work has ended. */
import { ContainerModule } from '../container.ts';
import { provide } from '../token.ts';
import { PARTS, TOKENS } from '../tokens.ts';

export const shutdownModule = new ContainerModule((options) => {
  provide(options, TOKENS.closeable, { queue: TOKENS.jobQueue }, ({ queue }) => ({
    close: async () => queue.close?.(),
  }));
  provide(options, TOKENS.closeable, { transport: TOKENS.webhookTransport }, ({ transport }) => transport);
  provide(options, TOKENS.closeable, { platforms: TOKENS.platforms }, ({ platforms }) => ({
    close: async () => {
      await Promise.all([...platforms.readers.values()].map((platform) => platform.close()));
    },
  }));
  provide(options, TOKENS.closeable, { counter: PARTS.readCounter }, ({ counter }) => counter);
  // After the platforms, which keep their pace by it.
  provide(options, TOKENS.closeable, { connection: PARTS.limiterConnection }, ({ connection }) => ({
    close: async () => connection?.disconnect(),
  }));
  provide(options, TOKENS.closeable, { limiter: TOKENS.rateLimiter }, ({ limiter }) => limiter);
  provide(options, TOKENS.closeable, { telemetry: TOKENS.telemetry }, ({ telemetry }) => telemetry);
});
