/** A client whose transport answers from a script; it is closed after the test. */
import { afterEach } from 'vitest';
import {
  createScrapingClient,
  type ScrapingCall,
  type ScrapingClient,
  type ScrapingClientOptions,
  type Verdict,
} from '../../../adapters/scraping/index.ts';
import { isDomainError } from '../../../core/errors.ts';
import type { PlatformCallOptions } from '../../../core/ports/platform.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { type Script, scriptedTransport } from './scripted-transport.ts';

export const ok: Verdict<string> = { kind: 'ok', value: 'fine' };
export const drifted: Verdict<string> = { kind: 'unreadable', reason: 'drifted' };

/** Cookies of so many sessions. */
export const sessions = (count: number) =>
  Array.from({ length: count }, (_each, index) => ({ sessionid: `s${index + 1}` }));

interface AskOptions extends Partial<ScrapingCall<unknown>> {
  /** The post that the call is about. */
  readonly about?: string;
  readonly options?: PlatformCallOptions;
}

const open: ScrapingClient[] = [];

afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

export function scriptedClient(options: Partial<ScrapingClientOptions> = {}, script: Script = () => ({})) {
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
  return {
    client,
    transport,
    logger,
    states: () => client.sessionStates().map(({ state }) => state),
    /** The value of a call that reads so, or the error: code, message, time to retry after and details. */
    async ask(
      verdict: Verdict<unknown> | ScrapingCall<unknown>['read'],
      { about, options: callOptions, ...more }: AskOptions = {},
    ): Promise<unknown> {
      const read = typeof verdict === 'function' ? verdict : () => verdict;
      const call = { endpoint: 'page', as: 'anonymous' as const, request: { url: '/x' }, read, ...more };
      try {
        return await client.within(callOptions, about, (time) => client.call(time, call));
      } catch (error) {
        if (!isDomainError(error)) throw error;
        const { code, message, retryAfterSeconds: retryAfter, details } = error;
        return { code, message, retryAfter, ...details };
      }
    },
  };
}
