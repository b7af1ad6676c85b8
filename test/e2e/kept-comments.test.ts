/** "Keep it for a week": a whole instance against the simulator, with a clock that a test moves. */
import { describe, expect, it, vi } from 'vitest';
import { ContainerModule } from '../../plugins/compose/container.ts';
import { provide } from '../../plugins/compose/token.ts';
import { TOKENS } from '../../plugins/compose/tokens.ts';
import { actingOn } from '../support/campaign.ts';
import { startInstance } from '../support/instance.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const PATIENCE = { timeout: 20_000, interval: 50 };

describe('a campaign whose comments must be kept for a week', () => {
  it('rewards who keeps the comment, nobody else, and takes the points back of who deletes it later', async () => {
    let ahead = 0;
    const movable = new ContainerModule(({ rebind }) => {
      provide({ bind: rebind }, TOKENS.clock, {}, () => ({ now: () => new Date(Date.now() + ahead) }));
    });
    await using instance = await startInstance({ config: { delayScale: 0.001 }, options: { modules: [movable] } });
    const { api, receiver, credence, world } = instance;
    const post = world.addPost({ platform: 'instagram', owner: 'northtrail', comments: 20 });
    const { make, read, campaign } = actingOn(api);
    const terms = { holdDays: 7, recheckDays: 30, reverseOnRemoval: true };
    const { hooks, campaignId, takePart } = await campaign({ contentId: post.contentId, pointsReward: 25, terms });
    await make(hooks, {
      url: receiver.url,
      events: ['creator.verified', 'reward.issued', 'reward.reversed', 'engagement.removed'],
    });
    const handles = ['keeps.it', 'deletes.early', 'deletes.late'] as const;
    const comments = handles.map((handle) => post.thread.add({ handle, text: 'Mine' }));
    const paths: string[] = [];
    for (const handle of handles) paths.push(await takePart(handle));
    const seen = async () => {
      const found = await Promise.all(paths.map(read));
      return found.map((one) => [one?.state, one?.held?.why ?? null, one?.pointsAwarded]);
    };
    const comes = (expected: unknown) => vi.waitFor(async () => expect(await seen()).toEqual(expected), PATIENCE);
    const holding = ['verified', 'holding', 0];
    await comes([holding, holding, holding]);
    post.thread.remove(comments[1] ?? '');
    ahead += 7.1 * DAY_MS;
    const [rewarded, gone] = [
      ['rewarded', null, 25],
      ['verified', 'gone', 0],
    ];
    await comes([rewarded, gone, rewarded]);
    post.thread.remove(comments[2] ?? '');
    ahead += 30.1 * DAY_MS;
    await comes([rewarded, gone, ['rewarded', null, 0]]);
    const events = () => receiver.received.map(({ body }) => JSON.parse(body));
    const named = (name: string) => events().filter(({ event }) => event === name);
    await vi.waitFor(() => expect(named('reward.reversed')).toHaveLength(1), PATIENCE);
    expect(named('reward.reversed')[0].data).toMatchObject({ username: 'deletes.late', points: 25 });
    await vi.waitFor(() => expect(named('engagement.removed')).toHaveLength(2), PATIENCE);
    expect(named('reward.issued')).toHaveLength(2);
    const { data: rows } = await credence.campaigns.listResults({ id: campaignId });
    const late = rows.find(({ externalId }) => externalId === 'deletes.late');
    const { data: points } = await credence.creators.points({ userId: late?.userId ?? 0 });
    expect([points.total, points.rewards[0]?.entries.map((entry) => entry.points)]).toEqual([0, [25, -25]]);
    await vi.waitFor(async () => expect(await read(paths[0] ?? '')).not.toHaveProperty('checkAt'), PATIENCE);
  }, 90_000);
});
