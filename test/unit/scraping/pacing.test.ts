import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CallTime, startCall } from '../../../adapters/scraping/deadline.ts';
import { createPacer, type Pacer } from '../../../adapters/scraping/pacing.ts';
import { systemClock } from '../../../core/ports/clock.ts';

const HOUR = 3_600_000;
const RATES = { page: { burst: 1, refillEveryMs: HOUR / 2, spacingMs: 0, concurrency: 1 } };
const times: CallTime[] = [];
let pacer: Pacer;

beforeEach(() => {
  pacer = createPacer({ mode: 'safe', rates: RATES, name: 'test' });
});
afterEach(async () => {
  for (const time of times.splice(0)) time.end();
  pacer.close();
});

/** The value, or the code of the error. */
function run(key: string, endpoint = 'page'): Promise<unknown> {
  const time = startCall(undefined, HOUR, systemClock, new AbortController().signal);
  times.push(time);
  return pacer.run(key, endpoint, time, async () => 'sent').catch((error: unknown) => (error as { code: string }).code);
}

it('forgets one identity: its waiting requests end, and its rate begins again', async () => {
  expect(await run('a')).toBe('sent');
  expect(await run('ab')).toBe('sent');
  const [gone, kept] = [run('a'), run('ab')];
  await new Promise((resolve) => setTimeout(resolve, 20));
  pacer.forget('a');
  expect(await gone).toBe('PLATFORM_TIMEOUT');
  const later = new Promise((resolve) => setImmediate(resolve, 'waiting'));
  expect(await Promise.race([kept, later])).toBe('waiting');
  expect(await run('a')).toBe('sent');
  pacer.close();
  expect(await kept).toBe('PLATFORM_TIMEOUT');
});

it('leaves the store that processes share alone for an identity that only this one has', async () => {
  const bucket = () => {
    throw new Error('The store was asked.');
  };
  const connection = { bucket, open: async () => undefined, disconnect: async () => undefined };
  pacer = createPacer({ mode: 'safe', rates: RATES, name: 'test', connection, isShared: (key) => key !== 'own' });
  expect(await run('own')).toBe('sent');
});
