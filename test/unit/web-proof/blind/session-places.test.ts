import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../core/ports/clock.ts';
import type { MpcVerifier } from '../../../../plugins/blind-notary/mpc-tls.ts';
import { SessionPlaces } from '../../../../plugins/blind-notary/notary/session-places.ts';

/** Engines that count their processes; one that ends does so in `end`. */
function setUp(concurrency: number, end = async () => {}) {
  const processes = { now: 0, most: 0 };
  const engine: MpcVerifier = {
    async open() {
      processes.now++;
      processes.most = Math.max(processes.most, processes.now);
      let isOpen = true;
      return {
        verify: () => new Promise(() => {}),
        async close() {
          await end();
          if (isOpen) processes.now--;
          isOpen = false;
        },
      };
    },
    close: async () => {},
  };
  const limits = { maxSentData: 1_024, maxRecvData: 4_096 };
  const places = new SessionPlaces({ concurrency, limits, joinMs: 60_000, clock: systemClock });
  const open = (caller: string) => places.open(engine, {}, caller);
  const openStranger = (caller: string) => places.open(engine, { isStranger: true }, caller);
  const joined = (sessionId: string) => {
    const place = places.take(engine, sessionId);
    if (place === null) throw new Error('no such session');
    return place;
  };
  return { places, processes, open, openStranger, joined };
}

const BUSY = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 30 });

describe('places of strangers', () => {
  it('are half of all at most, however many they are, and half of these for one of them', async () => {
    const { places, open, openStranger } = setUp(8);
    for (const address of ['a', 'a', 'b']) openStranger(address);
    expect(() => openStranger('a')).toThrow(BUSY);
    openStranger('c');
    expect(() => openStranger('d')).toThrow(BUSY);
    for (const token of ['t1', 't1', 't2', 't3']) open(token);
    expect(places.taken).toBe(8);
    await places.close();
  });

  it('are free ones only, and are given to a token until the prover has come', async () => {
    const { open, openStranger, joined } = setUp(1);
    const { sessionId } = openStranger('a');
    expect(() => openStranger('b')).toThrow(BUSY);
    const token = joined(open('t').sessionId);
    expect(() => joined(sessionId)).toThrow('no such session');
    expect(() => openStranger('b')).toThrow(BUSY);
    await token.free();
    joined(openStranger('b').sessionId);
    expect(() => open('t')).toThrow(BUSY);
  });

  it('have their process ended before another takes their place', async () => {
    const gone = Promise.withResolvers<void>();
    const { places, open, openStranger, joined, processes } = setUp(1, () => gone.promise);
    openStranger('a');
    const token = joined(open('t').sessionId);
    expect([places.taken, processes.now]).toEqual([1, 1]);
    gone.resolve();
    await token.verifier;
    expect([places.taken, processes.now, processes.most]).toEqual([1, 1, 1]);
  });
});
