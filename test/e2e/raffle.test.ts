/** A raffle: many take part, few are rewarded, and anybody can check the draw. Played through the public API on the simulator. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import { actingOn } from '../support/campaign.ts';
import { setUpCli } from '../support/cli.ts';
import { startInstance, type TestInstance } from '../support/instance.ts';
import { createTestStorage, onMongo } from '../support/storage.ts';

const config = { secrets: { key: randomBytes(32) } };
const PATIENCE = { timeout: 15_000, interval: 50 };
const BEACON = 'drand round 5000000';
const { path: fileAt, run } = setUpCli(() => ({}));

async function verifyOffline(proof: unknown) {
  await writeFile(fileAt('draw.json'), JSON.stringify(proof));
  return run(['draw', 'verify', fileAt('draw.json')]);
}

async function startRaffle(instance: TestInstance, names: readonly string[]) {
  const { make, read: readAt, becomes, campaign } = actingOn(instance.api);
  const { thread, contentId } = instance.world.addPost({ platform: 'instagram', owner: 'northtrail', comments: 3 });
  const { campaignId, takePart: claimIn, hooks } = await campaign({ contentId, terms: { draw: { beacon: BEACON } } });
  await make(hooks, { url: instance.receiver.url, events: ['reward.issued'] });
  const paths = new Map<string, string>();
  const read = (name: string) => readAt(paths.get(name) ?? '');
  async function takePart(name: string, why: string) {
    thread.add({ handle: name, text: 'I want to win' });
    const path = await claimIn(name);
    paths.set(name, path);
    await becomes(path, { state: 'verified', held: { why } });
  }
  for (const name of names) await takePart(name, 'draw');
  const idOf = (name: string) => Number(paths.get(name)?.split('/').at(-1));
  return { campaignId, make, takePart, read, idOf };
}

// On a storage that two processes can share. The draws of every storage: contract/storage/draws.ts.
await onMongo(() => {
  it('a raffle is drawn once by two processes, pays the winners, and its proof holds', async () => {
    await using storage = await createTestStorage('mongodb');
    const options = { storageUrl: storage.url, world: createWorld('raffle'), config };
    await using instance = await startInstance(options);
    await using other = await startInstance(options);
    const names = ['ada', 'ben', 'cleo', 'dana', 'eve'];
    const { campaignId, make, takePart, read, idOf } = await startRaffle(instance, names);
    const path = `/admin/campaigns/${campaignId}/draw`;
    const { terms } = (await instance.api.call('GET', `/campaigns/${campaignId}`)).json.data ?? {};
    const { commitment } = terms?.draw ?? {};
    expect(terms).toEqual({ draw: { beacon: BEACON, commitment: expect.stringMatching(/^[0-9a-f]{64}$/) } });
    expect((await instance.api.call('GET', path)).status).toBe(404);

    const body = { winners: 2, beaconValue: 'f477d5c89f21' };
    const answers = await Promise.all([
      instance.api.call('POST', path, { body }),
      other.api.call('POST', path, { body }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [proof, again] = answers.map(({ json }) => json.data);
    expect(again).toEqual(proof);
    expect(proof).toMatchObject({ commitment, beacon: BEACON, participants: names.map(idOf) });
    for (const other of [{ winners: 3 }, { beaconValue: 'f477d5c89f22' }]) {
      expect((await instance.api.call('POST', path, { body: { ...body, ...other } })).status).toBe(409);
    }
    expect((await instance.api.call('GET', path)).json.data).toEqual(proof);

    const winners = Object.values(proof?.winners ?? {});
    const expected = names.map((name) =>
      winners.includes(idOf(name) as never) ? { state: 'rewarded', pointsAwarded: 25 } : { held: { why: 'not-drawn' } },
    );
    await vi.waitFor(async () => expect(await Promise.all(names.map(read))).toMatchObject(expected), PATIENCE);
    await takePart('late', 'not-drawn');
    await vi.waitFor(() => expect(instance.receiver.received).toHaveLength(2), PATIENCE);

    const { code, out } = await verifyOffline({ data: proof });
    expect([code, out]).toEqual([0, expect.stringContaining(`these win: ${winners.join(', ')}`)]);
    const loser = names.map(idOf).find((id) => !winners.includes(id as never));
    expect((await verifyOffline({ ...proof, winners: [winners[0], loser] })).code).toBe(1);

    const { token } = await make('/admin/tokens', {
      name: 'stranger',
      role: 'brand',
      brandId: (await make('/admin/brands', { name: 'Stranger', slug: 'stranger' })).id,
    });
    const as = { token: String(token) };
    expect((await instance.api.call('GET', path, as)).status).toBe(404);
    expect((await instance.api.call('POST', path, { body, ...as })).status).toBe(404);
    const audit = await instance.api.call('GET', '/admin/audit-log?limit=100');
    expect(audit.text).toContain('"drawWinners"');
    expect(audit.text).not.toContain(String(proof?.seed));
  });
});
