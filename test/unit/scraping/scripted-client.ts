/** A client whose transport answers from a script; it is closed after the test. */
import { afterEach } from 'vitest';
import {
  createScrapingClient,
  type ScrapingClient,
  type ScrapingClientOptions,
} from '../../../adapters/scraping/index.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { type Script, scriptedTransport } from './scripted-transport.ts';

const open: ScrapingClient[] = [];

afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

export function scriptedClient(script: Script, options: Partial<ScrapingClientOptions> = {}) {
  const transport = scriptedTransport(script);
  const logger = createRecordingLogger();
  const client = createScrapingClient({
    platform: { name: 'instagram', label: 'Instagram' },
    baseUrl: 'https://www.instagram.com',
    pacing: 'off',
    rates: { page: { burst: 3, refillEveryMs: 60_000, spacingMs: 0, concurrency: 1 } },
    transport,
    logger,
    ...options,
  });
  open.push(client);
  return { client, transport, logger };
}
