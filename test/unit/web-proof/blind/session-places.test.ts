import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../core/ports/clock.ts';
import type { MpcVerifier } from '../../../../plugins/blind-notary/mpc-tls.ts';
import { SessionPlaces } from '../../../../plugins/blind-notary/notary/session-places.ts';

/** Engines that count their processes; one that ends does so in `end`. */
function setUp(concurrency: number, { readyMs = 300_000, end = async () => {} } = {}) {
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
  const places = new SessionPlaces({ concurrency, limits, joinMs: 60_000, readyMs, clock: systemClock });
  const open = (caller: string, ahead = false) => places.open(engine, { ahead }, caller);
  const openStranger = (caller: string) => places.open(engine, { isStranger: true }, caller);
  const joined = (sessionId: string) => {
    const place = places.take(engine, sessionId);
    if (place === null) throw new Error('no such session');
    return place;
  };
  return { places, processes, open, openStranger, joined };
}

const BUSY = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 30 });

describe('places of blind sessions that are opened ahead', () => {
  it('are taken only if they are free', async () => {
    const { places, open } = setUp(1);
    expect(open('a', true).readySeconds).toBe(300);
    expect([places.taken, places.ahead]).toEqual([1, 1]);
    for (const caller of ['a', 'b']) expect(() => open(caller, true)).toThrow(BUSY);
    await places.close();
    expect(places.taken).toBe(0);
  });

  it('are given to a session that finds no free one, when the process is gone', async () => {
    const gone = Promise.withResolvers<void>();
    const { places, open, joined, processes } = setUp(1, { end: () => gone.promise });
    const ahead = joined(open('a', true).sessionId);
    const now = joined(open('b').sessionId);
    expect([ahead.signal.aborted, places.taken, places.ahead]).toEqual([true, 1, 0]);
    expect(ahead.signal.reason).toEqual(BUSY);
    await ahead.verifier;
    expect(processes.now).toBe(1);
    gone.resolve();
    await now.verifier;
    expect(processes).toEqual({ now: 1, most: 1 });
    // It has no place any more that it could free.
    await ahead.free();
    expect(places.taken).toBe(1);
    expect(() => open('c')).toThrow(BUSY);
  });

  it('are given away before they are joined, too', async () => {
    const { places, open, joined } = setUp(1);
    const { sessionId } = open('a', true);
    open('b');
    expect(() => joined(sessionId)).toThrow('no such session');
    await places.close();
  });

  it('are kept from the request on', async () => {
    const { places, open, joined } = setUp(1);
    const place = joined(open('a', true).sessionId);
    place.keep();
    expect(() => open('b')).toThrow(BUSY);
    expect([place.signal.aborted, places.ahead]).toEqual([false, 0]);
    await place.free();
    expect(places.taken).toBe(0);
  });

  it('count for the share of their caller: its own give way first', () => {
    const { open, joined, places } = setUp(4);
    const other = joined(open('b', true).sessionId);
    const own = joined(open('a', true).sessionId);
    open('a', true);
    expect(() => open('a', true)).toThrow(BUSY);
    open('a');
    expect([other.signal.aborted, own.signal.aborted]).toEqual([false, true]);
    open('a');
    expect(() => open('a')).toThrow(BUSY);
    expect(other.signal.aborted).toBe(false);
    open('c');
    expect(other.signal.aborted).toBe(false);
    open('d');
    expect(other.signal.aborted).toBe(true);
    expect([places.taken, places.ahead]).toEqual([4, 0]);
    return places.close();
  });

  it('are refused by a notary that keeps none', () => {
    const { open } = setUp(1, { readyMs: 0 });
    expect(() => open('a', true)).toThrow(expect.objectContaining({ code: 'NOT_SUPPORTED' }));
  });
});

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
    const { places, open, openStranger, joined } = setUp(1);
    const { sessionId } = openStranger('a');
    expect(() => openStranger('b')).toThrow(BUSY);
    expect(places.ahead).toBe(0);
    const token = joined(open('t').sessionId);
    expect(() => joined(sessionId)).toThrow('no such session');
    expect(() => openStranger('b')).toThrow(BUSY);
    await token.free();
    joined(openStranger('b').sessionId);
    expect(() => open('t')).toThrow(BUSY);
  });

  it('are given away before those that tokens have opened ahead', async () => {
    const { places, open, openStranger } = setUp(2);
    open('t', true);
    openStranger('a');
    open('u');
    expect([places.taken, places.ahead]).toEqual([2, 1]);
    await places.close();
  });
});
