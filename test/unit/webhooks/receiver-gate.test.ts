import { afterEach, describe, expect, it, vi } from 'vitest';
import { createReceiverGate, type GatePass } from '../../../core/engagement/webhooks/receiver-gate.ts';
import { createTestClock } from '../../support/test-clock.ts';

let now = 0;
const clock = { now: () => new Date(now), monotonicMs: () => now };

function entered(pass: GatePass): () => void {
  if (pass.kind !== 'entered') throw new Error('the gate is full');
  return pass.leave;
}

function turn(pass: GatePass): number {
  if (pass.kind !== 'full') throw new Error('the gate is open');
  return pass.at.getTime();
}

afterEach(() => void vi.useRealTimers());

describe('receiver gate', () => {
  it('lets so many in per receiver, and others beside them', async () => {
    now = 1_000;
    const gate = createReceiverGate({ limit: 2, clock, patienceMs: 0 });
    const leave = entered(await gate.enter('slow'));
    entered(await gate.enter('slow'));
    expect((await gate.enter('slow')).kind).toBe('full');
    expect((await gate.enter('quick')).kind).toBe('entered');
    leave();
    expect((await gate.enter('slow')).kind).toBe('entered');
  });

  it('gives those it turns away turns one after the other, as fast as the receiver works', async () => {
    now = 1_000;
    const gate = createReceiverGate({ limit: 2, clock, patienceMs: 0 });
    entered(await gate.enter('slow'));
    entered(await gate.enter('slow'));
    const turns = [turn(await gate.enter('slow')), turn(await gate.enter('slow')), turn(await gate.enter('slow'))];
    expect(turns).toEqual([1_500, 2_000, 2_500]);
  });

  it('gives no turn further than 30 seconds ahead', async () => {
    now = 0;
    const gate = createReceiverGate({ limit: 1, clock, patienceMs: 0 });
    entered(await gate.enter('slow'));
    for (let index = 0; index < 100; index += 1) expect(turn(await gate.enter('slow'))).toBeLessThanOrEqual(30_000);
    expect(turn(await gate.enter('slow'))).toBe(30_000);
  });

  it.each([
    ['forward', [3_600_000]],
    ['back', [-3_600_000]],
    ['forward and back', [3_600_000, 0]],
  ])('measures a request by the time that has passed when the clock is set %s meanwhile', async (_how, settings) => {
    const start = Date.parse('2026-11-01T09:30:00Z');
    const moved = createTestClock(start);
    const gate = createReceiverGate({ limit: 2, unknownLimit: 1, clock: moved, patienceMs: 0 });
    const leave = entered(await gate.enter('receiver'));
    moved.pass(100);
    for (const by of settings) moved.set(start + by);
    leave();
    expect(gate.speedOf('receiver')).toBe('quick');
    entered(await gate.enter('receiver'));
    entered(await gate.enter('receiver'));
    const pass = await gate.enter('receiver');
    const now = moved.now().getTime();
    expect(pass).toMatchObject({ at: new Date(now + 50), roomAt: new Date(now + 50) });
  });

  it('leaves room to a slow receiver after half a minute at the latest', async () => {
    now = 0;
    const gate = createReceiverGate({ limit: 1, clock, patienceMs: 0 });
    const leave = entered(await gate.enter('slow'));
    now = 3_600_000;
    leave();
    entered(await gate.enter('slow'));
    const pass = await gate.enter('slow');
    expect(pass).toMatchObject({ at: new Date(now + 30_000), roomAt: new Date(now + 30_000) });
  });

  it('lets callers wait for a quick receiver, first come first served', async () => {
    now = 0;
    const gate = createReceiverGate({ limit: 1, clock, patienceMs: 60_000 });
    const leave = entered(await gate.enter('quick'));
    const order: string[] = [];
    const waiting = ['first', 'second'].map(async (name) => {
      const leaveInTurn = entered(await gate.enter('quick'));
      order.push(name);
      leaveInTurn();
    });
    now = 10;
    leave();
    await Promise.all(waiting);
    expect(order).toEqual(['first', 'second']);
    // Everybody has left: there is room at once.
    entered(await gate.enter('quick'));
  });

  it('turns away who would wait too long for a receiver that is known to be slow', async () => {
    now = 0;
    const gate = createReceiverGate({ limit: 2, clock, patienceMs: 60_000 });
    const leave = entered(await gate.enter('slow'));
    entered(await gate.enter('slow'));
    now = 122_000;
    leave();
    entered(await gate.enter('slow'));
    expect((await gate.enter('slow')).kind).toBe('full');
  });

  it('lets nobody else wait once somebody has waited in vain, until a request ends', async () => {
    now = 0;
    const gate = createReceiverGate({ limit: 1, clock, patienceMs: 20 });
    const leave = entered(await gate.enter('silent'));
    expect((await gate.enter('silent')).kind).toBe('full');
    // At once: were it to wait, the request that ends now would let it in.
    const refused = gate.enter('silent');
    leave();
    expect((await refused).kind).toBe('full');
    const leaveAgain = entered(await gate.enter('silent'));
    const waiting = gate.enter('silent');
    leaveAgain();
    entered(await waiting);
  });

  it('spaces turns by how long requests take, the latest counting for a fifth', async () => {
    now = 1_000;
    const gate = createReceiverGate({ limit: 2, clock, patienceMs: 0 });
    const leaves = [entered(await gate.enter('slow')), entered(await gate.enter('slow'))];
    now = 2_000;
    leaves[0]?.();
    entered(await gate.enter('slow'));
    expect(turn(await gate.enter('slow'))).toBe(2_000 + 1_000 / 2);
    now = 4_000;
    leaves[1]?.();
    entered(await gate.enter('slow'));
    expect(turn(await gate.enter('slow'))).toBe(4_000 + (0.8 * 1_000 + 0.2 * 3_000) / 2);
  });

  it.each([
    ['remembers a receiver while turns are ahead', 400, 2_000 + 400],
    ['goes by what a receiver took, also when it has been idle', 2_000, 2_000 + 2_000],
  ])('%s', async (_what, endsAt, expected) => {
    now = 0;
    const gate = createReceiverGate({ limit: 1, clock, patienceMs: 0 });
    const leave = entered(await gate.enter('receiver'));
    expect([turn(await gate.enter('receiver')), turn(await gate.enter('receiver'))]).toEqual([1_000, 2_000]);
    now = endsAt;
    leave();
    entered(await gate.enter('receiver'));
    expect(turn(await gate.enter('receiver'))).toBe(expected);
  });

  it('does not forget a receiver that is still busy', async () => {
    now = 0;
    const gate = createReceiverGate({ limit: 2, clock, patienceMs: 0 });
    const leave = entered(await gate.enter('receiver'));
    entered(await gate.enter('receiver'));
    now = 5_000;
    leave();
    entered(await gate.enter('receiver'));
    expect((await gate.enter('receiver')).kind).toBe('full');
  });

  it.each([
    ['a moment', 1_000, 'entered'],
    ['long', 1_001, 'full'],
  ] as const)(
    'after %s without requests (%i ms), a second request to a quick receiver is %s',
    async (_what, idleMs, expected) => {
      now = 0;
      const gate = createReceiverGate({ limit: 2, unknownLimit: 1, clock, patienceMs: 0 });
      entered(await gate.enter('receiver'))();
      now = idleMs;
      entered(await gate.enter('receiver'));
      expect((await gate.enter('receiver')).kind).toBe(expected);
    },
  );

  it('lets callers wait for a receiver whose first answer took a moment, however many they are', async () => {
    now = 0;
    const gate = createReceiverGate({ limit: 8, unknownLimit: 1, clock, patienceMs: 60_000 });
    const leave = entered(await gate.enter('new'));
    now = 50_000;
    leave();
    const passes = Array.from({ length: 40 }, () => gate.enter('new'));
    const kinds: string[] = [];
    for (const pass of passes) {
      const one = await pass;
      kinds.push(one.kind);
      if (one.kind === 'entered') one.leave();
    }
    expect(new Set(kinds)).toEqual(new Set(['entered']));
  });

  it('lets nobody wait without patience', async () => {
    now = 0;
    const gate = createReceiverGate({ limit: 1, clock, patienceMs: 0 });
    const leave = entered(await gate.enter('quick'));
    const refused = gate.enter('quick');
    leave();
    expect((await refused).kind).toBe('full');
  });

  it.each([
    [200, 'entered'],
    [202, 'full'],
  ] as const)('with a patience of 100 ms for two at a time, where requests take %i ms: %s', async (took, expected) => {
    now = 0;
    const gate = createReceiverGate({ limit: 2, clock, patienceMs: 100 });
    const first = entered(await gate.enter('receiver'));
    const second = entered(await gate.enter('receiver'));
    now = took;
    first();
    entered(await gate.enter('receiver'));
    const next = gate.enter('receiver');
    second();
    expect((await next).kind).toBe(expected);
  });

  it('has nothing against waiting when those who waited got in', async () => {
    vi.useFakeTimers();
    now = 0;
    const gate = createReceiverGate({ limit: 1, clock, patienceMs: 50 });
    const leave = entered(await gate.enter('quick'));
    const waited = gate.enter('quick');
    leave();
    const leaveAgain = entered(await waited);
    vi.advanceTimersByTime(60);
    const next = gate.enter('quick');
    leaveAgain();
    expect((await next).kind).toBe('entered');
  });
});
