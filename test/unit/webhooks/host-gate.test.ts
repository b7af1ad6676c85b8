import { describe, expect, it } from 'vitest';
import { createHostGate, type GatePass } from '../../../core/engagement/webhooks/host-gate.ts';

let now = 0;
const clock = { now: () => new Date(now) };

function entered(pass: GatePass): () => void {
  if (pass.kind !== 'entered') throw new Error('the gate is full');
  return pass.leave;
}

function turn(pass: GatePass): number {
  if (pass.kind !== 'full') throw new Error('the gate is open');
  return pass.at.getTime();
}

describe('host gate', () => {
  it('lets so many in per receiver, and others beside them', () => {
    now = 1_000;
    const gate = createHostGate(2, clock);
    const leave = entered(gate.enter('slow'));
    entered(gate.enter('slow'));
    expect(gate.enter('slow').kind).toBe('full');
    expect(gate.enter('quick').kind).toBe('entered');
    leave();
    expect(gate.enter('slow').kind).toBe('entered');
  });

  it('gives those who wait turns one after the other, as fast as the receiver works', () => {
    now = 1_000;
    const gate = createHostGate(2, clock);
    entered(gate.enter('slow'));
    entered(gate.enter('slow'));
    const turns = [1, 2, 3].map(() => turn(gate.enter('slow')));
    expect(turns).toEqual([1_500, 2_000, 2_500]);
  });

  it('learns how long requests take, and gives no turn further than 30 seconds ahead', () => {
    now = 0;
    const gate = createHostGate(1, clock);
    entered(gate.enter('slow'));
    for (let index = 0; index < 100; index += 1) expect(turn(gate.enter('slow'))).toBeLessThanOrEqual(30_000);
    expect(turn(gate.enter('slow'))).toBe(30_000);
  });
});
