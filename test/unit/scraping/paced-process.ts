/** A process that reads `count` pages at a shared pace when told to, and reports what became of each. */
import { createLimiterConnection } from '../../../adapters/redis-rate-limiter/index.ts';
import { createScrapingClient } from '../../../adapters/scraping/index.ts';
import { isDomainError } from '../../../core/errors.ts';

const [url = '', baseUrl = '', count = '0'] = process.argv.slice(2);
const limiterConnection = createLimiterConnection({ url });
const client = createScrapingClient({
  platform: { name: 'tiktok', label: 'TikTok' },
  baseUrl,
  pacing: 'safe',
  rates: { page: { burst: 6, refillEveryMs: 600_000, spacingMs: 1, concurrency: 2 } },
  limiterConnection,
});

const read = (): Promise<string> =>
  client
    .within({ deadline: new Date(Date.now() + 4_000) }, undefined, (time) =>
      client.call(time, {
        endpoint: 'page',
        as: 'anonymous',
        request: { url: '/' },
        read: ({ text }) => ({ kind: 'ok', value: text }),
      }),
    )
    .catch((error: unknown) => (isDomainError(error) ? `${error.code} ${error.details?.reason}` : String(error)));

process.once('message', async () => {
  const outcomes: string[] = [];
  for (let index = 0; index < Number(count); index += 1) outcomes.push(await read());
  process.send?.(outcomes);
  await client.close();
  await limiterConnection.disconnect();
  process.disconnect();
});
process.send?.('ready');
