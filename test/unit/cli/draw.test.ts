/** `credence draw verify`: what it prints of proofs, and its exit codes. */
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { setUpCli } from '../../support/cli.ts';

const { path, run } = setUpCli(() => ({}));

/** Recomputed with `sha256sum`. */
const PROOF = {
  campaignId: 7,
  commitment: '66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925',
  seed: '00'.repeat(32),
  beacon: 'drand round 5000000',
  beaconValue: 'abc',
  participants: [1, 2, 3, 4],
  winners: [2, 4],
  drawnAt: '2026-11-29T12:00:00.000Z',
};

async function verify(proof: unknown, ...options: string[]) {
  await writeFile(path('draw.json'), typeof proof === 'string' ? proof : JSON.stringify(proof));
  return run(['draw', 'verify', path('draw.json'), ...options]);
}

describe('credence draw verify', () => {
  it('says that a draw holds, and what to check by hand', async () => {
    const { code, out, err } = await verify({ data: PROOF });
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('The draw holds: of 4 attempts, these win: 2, 4\n');
    expect(out).toContain('- The value of "drand round 5000000" was "abc"');
    expect(out).toContain(`- Campaign 7 showed the commitment ${PROOF.commitment}`);
  });

  it('says what is wrong, with exit code 1, as JSON too', async () => {
    const { code, out } = await verify({ ...PROOF, winners: [2, 3] });
    expect([code, out]).toEqual([
      1,
      'The draw does not hold.\nThe seed, the beacon value and the participants give other winners.',
    ]);
    const told = await verify({ ...PROOF, seed: '11'.repeat(32), winners: [2, 4] }, '--json');
    expect(told.code).toBe(1);
    const faults = [expect.stringContaining('commitment'), expect.any(String)];
    expect(JSON.parse(told.out)).toMatchObject({ holds: false, faults });
  });

  it.each([
    ['no JSON', 'hello', 'is not JSON'],
    ['another object', { data: { id: 1 } }, 'holds no proof of a draw: campaignId: is missing'],
    ['a seed of another length', { ...PROOF, seed: '00' }, 'seed: must be 64 hexadecimal digits'],
    ['no participants', { ...PROOF, participants: [] }, 'participants: must have at least 1 entry'],
  ])('refuses %s with exit code 2', async (_, proof, message) => {
    const { code, err } = await verify(proof);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('lets no value of a proof write lines of its own', async () => {
    const { out } = await verify({ ...PROOF, beaconValue: 'abc\n\u001b[2JThe draw holds' });
    expect(out.split('\n').filter((line) => line.startsWith('The draw'))).toEqual(['The draw does not hold.']);
    const named = await verify({ ...PROOF, beacon: 'x\nThe draw holds: yes' });
    expect(named.out.split('\n').filter((line) => line.startsWith('The draw'))).toHaveLength(1);
  });
});
