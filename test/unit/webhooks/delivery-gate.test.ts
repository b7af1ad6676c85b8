import { describe, expect, it } from 'vitest';
import { createDeliveryGate, type DeliveryGate, PER_HOST } from '../../../core/engagement/webhooks/delivery-gate.ts';

const HOST = 'hooks.example.com';

function world() {
  let now = 0;
  const gate = createDeliveryGate({ clock: { now: () => new Date(now), monotonicMs: () => now }, patienceMs: 0 });
  const pass = (ms: number): void => {
    now += ms;
  };
  return { gate, pass, now: () => now };
}

/** Enters until it is turned away; returns what leaves. */
async function fill(gate: DeliveryGate, webhookId: number, brandId = 1, host = HOST): Promise<(() => void)[]> {
  const leaves: (() => void)[] = [];
  for (;;) {
    const pass = await gate.enter({ webhookId, brandId, host });
    if (pass.kind === 'full') return leaves;
    leaves.push(pass.leave);
  }
}

/** A webhook that has answered at once. */
async function known(gate: DeliveryGate, webhookId: number, brandId = 1, host = HOST): Promise<void> {
  const pass = await gate.enter({ webhookId, brandId, host });
  if (pass.kind === 'full') throw new Error('The gate is full.');
  // One more under way, so that the receiver is not forgotten.
  const others = await fill(gate, webhookId, brandId, host);
  expect(others).toEqual([]);
  pass.leave();
}

describe('delivery gate', () => {
  it('sends one request to a webhook until its first answer, then more if it is quick', async () => {
    const { gate, pass } = world();
    const [leave] = await fill(gate, 1);
    expect(leave).toBeDefined();
    expect(await fill(gate, 1)).toHaveLength(0);
    pass(20);
    leave?.();
    expect(await fill(gate, 1)).toHaveLength(8);
  });

  it('sends two requests at a time to a webhook that is slow, also if it was idle meanwhile', async () => {
    const { gate, pass } = world();
    const [leave] = await fill(gate, 1);
    pass(10_000);
    leave?.();
    pass(60_000);
    expect(await fill(gate, 1)).toHaveLength(2);
  });

  it('lets a healthy webhook through at once beside thirty silent ones of its host and brand', async () => {
    const { gate } = world();
    for (let webhookId = 1; webhookId <= 30; webhookId += 1) await fill(gate, webhookId);
    expect((await gate.enter({ webhookId: 99, brandId: 1, host: HOST })).kind).toBe('entered');
  });

  it('has room for a healthy webhook after one round of however many silent ones', async () => {
    const { gate, pass, now } = world();
    const silent = Array.from({ length: 200 }, (_, index) => index + 1);
    const underWay: { readonly until: number; readonly leave: () => void }[] = [];
    const due = new Map(silent.map((webhookId) => [webhookId, 0]));
    let healthyAt: number | undefined;
    let healthyDue = 0;
    // A second at a time: silent receivers hold their request for ten, and everybody comes back at the turn that was given.
    for (let second = 0; second < 60 && healthyAt === undefined; second += 1) {
      for (const done of underWay.filter(({ until }) => until <= now())) {
        underWay.splice(underWay.indexOf(done), 1);
        done.leave();
      }
      for (const webhookId of silent) {
        if ((due.get(webhookId) ?? 0) > now()) continue;
        const answer = await gate.enter({ webhookId, brandId: webhookId % 3, host: HOST });
        if (answer.kind === 'entered') underWay.push({ until: now() + 10_000, leave: answer.leave });
        else due.set(webhookId, answer.at.getTime());
      }
      if (healthyDue <= now()) {
        const answer = await gate.enter({ webhookId: 999, brandId: 9, host: HOST });
        if (answer.kind === 'entered') healthyAt = now();
        else healthyDue = answer.at.getTime();
      }
      pass(1_000);
    }
    expect(healthyAt).toBeLessThanOrEqual(15_000);
  });

  it('lets a webhook that has answered through beside any number of silent ones of its brand, also after a pause', async () => {
    const { gate, pass } = world();
    const first = await gate.enter({ webhookId: 999, brandId: 1, host: HOST });
    pass(20);
    if (first.kind === 'entered') first.leave();
    pass(60_000);
    for (let webhookId = 1; webhookId <= 200; webhookId += 1) await fill(gate, webhookId);
    expect((await gate.enter({ webhookId: 999, brandId: 1, host: HOST })).kind).toBe('entered');
  });

  it('has room for the first tries of new webhooks while sixty silent ones of their brand are tried again', async () => {
    const { gate, pass } = world();
    const silent = Array.from({ length: 60 }, (_, index) => index + 1);
    for (let round = 0; round < 2; round += 1) {
      const held: (() => void)[] = [];
      for (const webhookId of silent) held.push(...(await fill(gate, webhookId)));
      pass(10_000);
      for (const leave of held) leave();
    }
    for (const webhookId of silent) await fill(gate, webhookId);
    const fresh = Array.from({ length: 20 }, (_, index) => 500 + index);
    for (const webhookId of fresh) {
      expect((await gate.enter({ webhookId, brandId: 1, host: HOST })).kind).toBe('entered');
    }
  });

  it('keeps room on a host for webhooks that have answered', async () => {
    const { gate, pass } = world();
    await known(gate, 999);
    const keep = await gate.enter({ webhookId: 999, brandId: 1, host: HOST });
    expect(keep.kind).toBe('entered');
    for (let webhookId = 1; webhookId <= 100; webhookId += 1) await fill(gate, webhookId);
    pass(10);
    expect((await fill(gate, 999)).length).toBeGreaterThan(0);
  });

  it('shares a host equally between the brands that use it', async () => {
    const { gate } = world();
    const held: (() => void)[] = [];
    for (let webhookId = 1; webhookId <= PER_HOST; webhookId += 1) held.push(...(await fill(gate, webhookId, 1)));
    const all = held.length;
    expect((await gate.enter({ webhookId: 500, brandId: 2, host: HOST })).kind).toBe('full');
    // The other brand has asked: of what comes free, the first gets nothing beyond its half.
    for (const leave of held.splice(0, all / 2)) leave();
    let second = 0;
    for (let webhookId = 500; webhookId < 600; webhookId += 1) second += (await fill(gate, webhookId, 2)).length;
    expect(second).toBe(all / 2);
  });

  it('keeps workers for webhooks that have answered when receivers of many hosts are silent', async () => {
    const { gate } = world();
    let held = 0;
    for (let webhookId = 1; webhookId <= 100; webhookId += 1) {
      held += (await fill(gate, webhookId, 1, `host-${webhookId}.example.com`)).length;
    }
    expect(held).toBeLessThan(64);
  });

  it('shares the workers for receivers that have not answered between brands, whichever hosts they use', async () => {
    const { gate, pass } = world();
    let webhookId = 0;
    const silent = async (brandId: number, count: number) => {
      const held: (() => void)[] = [];
      for (let index = 0; index < count; index += 1) {
        webhookId += 1;
        held.push(...(await fill(gate, webhookId, brandId, `host-${webhookId}.example.com`)));
      }
      return held;
    };
    const first = await silent(1, 100);
    expect(await silent(2, 1)).toHaveLength(0);
    // After one round of timeouts the first brand asks for what has become free before the other one does.
    pass(10_000);
    for (const leave of first) leave();
    await silent(1, 100);
    expect(await silent(2, 1)).toHaveLength(1);
  });

  it('counts those who waited for a first answer, and get in together, for their host', async () => {
    const gate = createDeliveryGate({ clock: { now: () => new Date(0) }, patienceMs: 60_000 });
    const enter = (webhookId: number) => gate.enter({ webhookId, brandId: 1, host: HOST });
    const first = await enter(1);
    const waiting = Array.from({ length: 8 }, () => enter(1));
    if (first.kind === 'entered') first.leave();
    const letIn = await Promise.all(waiting);
    expect(letIn.filter(({ kind }) => kind === 'entered')).toHaveLength(8);
    const others = await Promise.all(Array.from({ length: 60 }, (_, index) => enter(2 + index)));
    // Webhooks without an answer may have 36 requests to a host, less what others have.
    expect(others.filter(({ kind }) => kind === 'entered')).toHaveLength(36 - 8);
  });
});
