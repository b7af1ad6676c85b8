/** A campaign that pays the first ones only: played through the public API on the platform simulator. */
import { afterAll, expect, it, vi } from 'vitest';
import { actingOn } from '../support/campaign.ts';
import { startInstance } from '../support/instance.ts';

const instance = await startInstance();
afterAll(() => instance?.close());

const soon = { timeout: 15_000, interval: 50 };
const WAITS = 'A limit of the campaign is reached. The reward comes if there is room again.';

it('pays the first two, lets the others wait, and pays the next in order if the limit is raised', async () => {
  const { make, register, read, becomes, campaign } = actingOn(instance.api);
  const { thread, contentId } = instance.world.addPost({ platform: 'instagram', owner: 'northtrail', comments: 1 });
  const { campaignId, challenge, hooks, takePart } = await campaign({ contentId });
  await make(hooks, { url: instance.receiver.url, events: ['creator.verified', 'reward.issued'] });
  const path = `/admin/campaigns/${campaignId}`;
  const limit = async (limits: object | null) => (await instance.api.call('PATCH', path, { body: { limits } })).json;
  expect((await limit({ maxRewards: 2, pointsBudget: 80 })).data?.campaign).toMatchObject({
    limits: { maxRewards: 2 },
  });
  const names = ['ada', 'ben', 'cleo', 'dana', 'eve'];
  const paths: string[] = [];
  for (const [index, name] of names.entries()) {
    thread.add({ handle: name, text: 'Count me in' });
    const at = await takePart(name);
    paths.push(at);
    await becomes(at, index < 2 ? { state: 'rewarded' } : { held: { why: 'limit' } });
  }
  const states = async () => (await Promise.all(paths.map(read))).map(stateOf);
  expect(await states()).toEqual(['rewarded', 'rewarded', 'held', 'held', 'held']);
  expect(await read(paths[2] ?? '')).toMatchObject({ state: 'verified', held: { why: 'limit', message: WAITS } });
  const rows = (await instance.api.call('GET', `${path}/results?state=verified`)).json;
  expect(rows.data?.[0]?.held).toMatchObject({ why: 'limit', message: WAITS });
  const detail = async () => read(`/campaigns/${campaignId}`);
  expect(await detail()).toMatchObject({ limitsUsed: { rewards: 2, points: 50 } });

  // A batch waits behind those who are held.
  await register('finn', 'instagram');
  thread.add({ handle: 'finn', text: 'Me too' });
  await make(`${challenge}/comments/refresh`);
  expect(await make(`${path}/verify-and-reward`)).toEqual({ matched: 1, verified: 1, rewarded: 0 });
  const { token } = await make('/admin/tokens', { name: 'finn', role: 'creator', externalId: 'finn' });
  const mine = async () =>
    (await instance.api.call('GET', `/campaigns/${campaignId}`, { token: String(token) })).json.data?.myAttempt;
  await vi.waitFor(async () => expect(await mine()).toMatchObject({ held: { why: 'limit', message: WAITS } }), soon);

  // The budget pays three of 25 points.
  await limit({ maxRewards: 4, pointsBudget: 80 });
  await vi.waitFor(
    async () => expect(await states()).toEqual(['rewarded', 'rewarded', 'rewarded', 'held', 'held']),
    soon,
  );
  await limit({ pointsBudget: 125 });
  await vi.waitFor(async () => expect(await states()).toEqual(names.map(() => 'rewarded')), soon);
  expect(await mine()).toMatchObject({ state: 'verified', held: { why: 'limit' } });
  expect(await detail()).toMatchObject({ limitsUsed: { rewards: 5, points: 125 } });

  const refused = await limit(null);
  expect(refused.error).toMatchObject({ code: 'CONFLICT' });
  const issued = () =>
    instance.receiver.received.flatMap(({ body }) => (body.includes('"reward.issued"') ? [JSON.parse(body)] : []));
  await vi.waitFor(() => expect(issued()).toHaveLength(5), soon);
  expect(
    issued()
      .map(({ data }) => data.externalUserId)
      .slice(2),
  ).toEqual(['cleo', 'dana', 'eve']);
});

it('pays as many as there is room for at once, also if creators share accounts that are paid once', async () => {
  const { make, register, becomes, campaign } = actingOn(instance.api);
  const { thread, contentId } = instance.world.addPost({ platform: 'instagram', owner: 'northtrail', comments: 1 });
  const { campaignId, challenge } = await campaign({ contentId });
  const body = { limits: { maxRewards: 7 }, challenge: { requires: { oneRewardPerAccount: true } } };
  expect((await instance.api.call('PATCH', `/admin/campaigns/${campaignId}`, { body })).status).toBe(200);
  for (let index = 0; index < 20; index += 1) {
    thread.add({ handle: `pair${index >> 1}`, text: `Count me in ${index}` });
    await register(`twin-${index}`, 'instagram', `pair${index >> 1}`);
  }
  await make(`${challenge}/comments/refresh`);
  await make(`/admin/campaigns/${campaignId}/verify-and-reward`);
  await becomes(`/campaigns/${campaignId}`, { limitsUsed: { rewards: 7 } });
});

// biome-ignore lint/suspicious/noExplicitAny: what an answer holds.
function stateOf(attempt: any): string {
  return attempt.held ? 'held' : attempt.state;
}
