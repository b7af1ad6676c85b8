import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DomainError } from '../../../../core/errors.ts';
import { silentLogger } from '../../../../core/ports/logger.ts';
import { createReadySessions, type ReadySessions } from '../../../../plugins/blind-notary/prover/ready-sessions.ts';
import type { SetUpSession } from '../../../../plugins/blind-notary/prover/set-up-session.ts';

const MAX_AGE_MS = 100_000;
const NOTARY_AGE_MS = 60_000;

/** A session as the tests see it. */
interface Attempt {
  readonly serverName: string;
  readonly signal: AbortSignal;
  readonly announced: string[];
  closed: boolean;
  /** Finishes its setup. */
  ready(): Promise<void>;
  /** Fails it, during setup or after. */
  fail(error: Error): Promise<void>;
  /** Ends the process of its engine. */
  kill(): Promise<void>;
}

let attempts: Attempt[];
/** What the notary says to a session that goes online. */
let confirm: () => Promise<void>;
let pool: ReadySessions;

function setUp(serverName: string, signal: AbortSignal): Promise<SetUpSession> {
  const { promise, resolve, reject } = Promise.withResolvers<SetUpSession>();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const killed = Promise.withResolvers<never>();
  killed.promise.catch(() => {});
  signal.addEventListener('abort', () => reject(signal.reason));
  const attempt: Attempt = {
    serverName,
    signal,
    announced: [],
    closed: false,
    async ready() {
      resolve({
        notary: {
          channel: { incoming: (async function* () {})(), send: async () => {}, end: async () => {} },
          readyMs: NOTARY_AGE_MS,
          async announce(phase) {
            attempt.announced.push(phase);
            await confirm();
          },
          finish: () => new Promise(() => {}),
          failed: failed.promise,
          carried: { sent: 0, received: 0 },
          close: () => {},
        },
        engine: {
          failed: killed.promise,
          setup: async () => {},
          request: () => new Promise(() => {}),
          reveal: async () => {},
          close: async () => {},
        },
        async close() {
          attempt.closed = true;
        },
      });
      await vi.advanceTimersByTimeAsync(0);
    },
    async fail(error) {
      reject(error);
      failed.reject(error);
      await vi.advanceTimersByTimeAsync(0);
    },
    async kill() {
      killed.reject(new Error('SIGKILL'));
      await vi.advanceTimersByTimeAsync(0);
    },
  };
  attempts.push(attempt);
  return promise;
}

/** A proof of this server; whether a ready session served it. */
const proves = (serverName: string) =>
  pool.during(async () => (await pool.take(serverName, new AbortController().signal)) !== null);
/** Long enough for the next preparation. */
const pause = () => vi.advanceTimersByTimeAsync(1_000);
const names = () => attempts.map(({ serverName }) => serverName);
const last = () => attempts.at(-1) as Attempt;

beforeEach(() => {
  vi.useFakeTimers();
  attempts = [];
  confirm = async () => {};
  pool = createReadySessions({ size: 1, setUp, maxAgeMs: MAX_AGE_MS, logger: silentLogger });
});

afterEach(async () => {
  await pool.close();
  vi.useRealTimers();
});

describe('sessions that are set up ahead', () => {
  it('are prepared for the server of the last proof, and replaced when they are taken', async () => {
    expect(await proves('a.test')).toBe(false);
    await pause();
    expect(names()).toEqual(['a.test']);
    await last().ready();
    expect(await proves('a.test')).toBe(true);
    expect([last().announced, last().closed]).toEqual([['online'], false]);
    await pause();
    expect(names()).toEqual(['a.test', 'a.test']);
  });

  it('are waited for while they are set up', async () => {
    await proves('a.test');
    await pause();
    const proof = proves('a.test');
    await last().ready();
    expect(await proof).toBe(true);
    // The wait for its request is over: no age ends it.
    await vi.advanceTimersByTimeAsync(MAX_AGE_MS);
    expect(attempts[0]?.closed).toBe(false);
  });

  it('serve no other server, and make room for the servers of later proofs', async () => {
    await proves('a.test');
    await pause();
    await last().ready();
    expect(await proves('b.test')).toBe(false);
    await pause();
    expect(names()).toEqual(['a.test', 'b.test']);
    expect(attempts[0]?.closed).toBe(true);
  });

  it('are prepared one at a time, for as many last proofs as there are sessions', async () => {
    pool = createReadySessions({ size: 3, setUp, maxAgeMs: MAX_AGE_MS, logger: silentLogger });
    for (const name of ['x.test', 'a.test', 'b.test', 'a.test']) await proves(name);
    for (const count of [1, 2, 3, 3]) {
      await pause();
      expect(attempts).toHaveLength(count);
      await last().ready();
    }
    expect(names()).toEqual(['a.test', 'b.test', 'a.test']);
  });

  it('are not prepared while a proof runs', async () => {
    const proof = Promise.withResolvers<void>();
    const running = pool.during(async () => {
      await pool.take('a.test', new AbortController().signal);
      await proof.promise;
    });
    await proves('a.test');
    await pause();
    expect(attempts).toEqual([]);
    proof.resolve();
    await running;
    await pause();
    expect(names()).toEqual(['a.test']);
  });

  it('end before the notary ends them, and are replaced after the next proof', async () => {
    await proves('a.test');
    await pause();
    await last().ready();
    await vi.advanceTimersByTimeAsync(NOTARY_AGE_MS * 0.92);
    expect(last().closed).toBe(true);
    await vi.advanceTimersByTimeAsync(MAX_AGE_MS);
    expect(attempts).toHaveLength(1);
    expect(await proves('a.test')).toBe(false);
    await pause();
    expect(attempts).toHaveLength(2);
  });

  it.each([
    ['their connection', () => last().fail(new Error('the connection was closed'))],
    ['their process', () => last().kill()],
  ])('that lose %s while they wait are replaced, and serve no proof', async (_what, lose) => {
    await proves('a.test');
    await pause();
    await last().ready();
    await lose();
    expect(last().closed).toBe(true);
    expect(await proves('a.test')).toBe(false);
    await pause();
    expect(attempts).toHaveLength(2);
  });

  it.each([
    ['refuses', () => Promise.reject(new DomainError('SERVICE_UNAVAILABLE', 'Its place is needed.'))],
    ['does not answer', () => new Promise<never>(() => {})],
  ])('that the notary %s serve no proof', async (_what, answer) => {
    await proves('a.test');
    await pause();
    await last().ready();
    confirm = answer;
    const proof = proves('a.test');
    await vi.advanceTimersByTimeAsync(5_000);
    expect([await proof, attempts[0]?.closed]).toEqual([false, true]);
  });

  it('are not asked for again before the next proof if the notary fails', async () => {
    await proves('a.test');
    await pause();
    await last().fail(new Error('no notary'));
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(attempts).toHaveLength(1);
    await proves('a.test');
    await pause();
    expect(attempts).toHaveLength(2);
  });

  it('end with their client, also during their setup, and none is prepared after it', async () => {
    pool = createReadySessions({ size: 2, setUp, maxAgeMs: MAX_AGE_MS, logger: silentLogger });
    await proves('a.test');
    await proves('b.test');
    await pause();
    await last().ready();
    await pause();
    await pool.close();
    expect(attempts[0]?.closed).toBe(true);
    expect(attempts[1]?.signal.aborted).toBe(true);
    await proves('a.test');
    await pause();
    expect(attempts).toHaveLength(2);
  });

  it('end when the proof that waits for one is given up', async () => {
    await proves('a.test');
    await pause();
    const leaving = new AbortController();
    const proof = pool.during(() => pool.take('a.test', leaving.signal));
    leaving.abort(new Error('gone'));
    await expect(proof).rejects.toThrow('gone');
    expect(last().signal.aborted).toBe(true);
  });
});
