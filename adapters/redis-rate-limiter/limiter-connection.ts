/** The connection through which processes keep one pace together (Bottleneck's clustering). */
import type Bottleneck from 'bottleneck';
import { z } from 'zod';
import { silentLogger } from '../../core/ports/logger.ts';
import type { LimiterConnection } from '../scraping/index.ts';
import { logger, reasonOf, redisPrefix, redisUrl } from './options.ts';

const optionsSchema = z.strictObject({ url: redisUrl, prefix: redisPrefix, logger: logger.optional() });

/** What `createLimiterConnection` takes. */
export type LimiterConnectionOptions = z.input<typeof optionsSchema>;

/**
 * For the `limiterConnection` option of the platform adapters. Opens nothing before a limiter first asks for it. Close the
 * adapters first, then this.
 * @throws ZodError for unusable options
 */
export function createLimiterConnection(options: LimiterConnectionOptions): LimiterConnection {
  const settings = optionsSchema.parse(options);
  const log = settings.logger ?? silentLogger;
  let opening: Promise<Opened> | undefined;

  async function connect(): Promise<Opened> {
    const [{ default: Limiter }, { createPaceClient }] = await Promise.all([
      import('bottleneck'),
      import('./pace-client.ts'),
    ]);
    const client = createPaceClient(settings.url);
    const connection = new Limiter.IORedisConnection({ client });
    let isDown = false;
    connection.on('error', (error: unknown) => {
      if (!isDown) log.warn(reasonOf(error), 'Redis cannot be asked: platforms are not read until it can');
      isDown = true;
    });
    client.on('ready', () => {
      if (isDown) log.info({}, 'the pace is shared through Redis again');
      isDown = false;
    });
    return { connection, isReady: () => client.status === 'ready' };
  }

  return {
    prefix: settings.prefix,
    async open() {
      opening ??= connect();
      return (await opening).connection;
    },
    async disconnect() {
      const closing = await opening;
      opening = undefined;
      await closing?.connection.disconnect(closing.isReady()).catch(() => undefined);
    },
  };
}

interface Opened {
  readonly connection: Bottleneck.IORedisConnection;
  readonly isReady: () => boolean;
}
