/** What is worth a look at those who are verified. */
import { expect, it } from 'vitest';
import { type SignalFacts, signalsOf } from '../../../core/engagement/attempts/signals.ts';
import type { CampaignWithChallenge } from '../../../core/engagement/campaigns/campaign.ts';
import type { CampaignOfTest } from '../../support/engagement-world.ts';
import { worldOfEachTest } from '../../support/world-of-test.ts';

const NOTHING: SignalFacts = {
  ...{ isShared: false, isCopied: false, near: 1, around: 1, accountCreatedAt: undefined, beginnings: [] },
  ...{ commentedAt: new Date('2026-03-01T12:00:01.900Z'), now: new Date('2026-03-08T12:00:00.000Z') },
};

it.each([
  ['a handle of several creators', { isShared: true }, ['shared-account']],
  ['a copied text', { isCopied: true }, ['same-text']],
  ['many comments at once', { near: 10, around: 19 }, ['burst']],
  ['many comments all the time', { near: 10, around: 20 }, []],
  ['few comments at once', { near: 9, around: 9 }, []],
  ['an account of six days', { accountCreatedAt: '2026-03-01T12:00:00.001Z' }, ['new-account']],
  ['an account of a week', { accountCreatedAt: '2026-03-01T12:00:00.000Z' }, []],
  ['a time that cannot be read', { accountCreatedAt: 'soon' }, []],
  ['the second of the post', { beginnings: [new Date('2026-03-01T12:00:01.000Z')] }, ['first-second']],
  ['the second after', { beginnings: [new Date(0), new Date('2026-03-01T12:00:00.100Z')] }, ['first-second']],
  ['a second before', { beginnings: [new Date('2026-03-01T12:00:02.000Z')] }, []],
  ['a like', { commentedAt: null, beginnings: [new Date('2026-03-01T12:00:01.000Z')] }, []],
] as [string, Partial<SignalFacts>, string[]][])('%s', (_what, facts, signals) => {
  expect(signalsOf({ ...NOTHING, ...facts })).toEqual(signals);
});

const world = worldOfEachTest();

const begun = (changes: CampaignOfTest) => {
  world.pass(3_600_000);
  return world.campaign({
    challenge: { requires: { minFollowers: 1, unknown: 'pass' } },
    ...changes,
  });
};

const at = (seconds: number) => new Date(world.now().getTime() + seconds * 1_000);

/** Ann and Ben wrote the same; Cat wrote in a burst, and another creator has her handle; Dan wrote at once; Eve did nothing odd. */
async function played(): Promise<string[]> {
  const comments = [
    ['ann', 'what a nice day', 600],
    ['ben', 'What a nice day!', 700],
    ['cat', 'hello', 1_000],
    ['dan', 'first', 0],
    ['eve', 'hello', 2_000],
    ...Array.from({ length: 9 }, (_, index) => [`bot${index}`, 'hello', 1_000 + index / 2]),
  ] as [string, string, number][];
  for (const [name, text, seconds] of comments) world.posts.comment(name, text, at(seconds));
  await world.registerCreator({ externalId: 'ext-other', platform: 'instagram', handle: 'cat' });
  return ['ann', 'ben', 'cat', 'dan', 'eve'];
}

async function signalsBy(found: CampaignWithChallenge) {
  const { items } = await world.listResults({ campaignId: found.campaign.id, page: 1, limit: 50 });
  return Object.fromEntries(items.map(({ attempt, externalId }) => [externalId, attempt.signals ?? null]));
}

const EXPECTED = {
  ...{ 'ext-ann': null, 'ext-ben': ['same-text'], 'ext-dan': ['first-second'], 'ext-eve': null },
  'ext-cat': ['shared-account', 'burst'],
};

it('claims tell what is worth a look, and are rewarded all the same', async () => {
  const found = await begun({});
  for (const name of await played()) {
    const { id } = await world.attempt(found.challenge.id, name);
    await world.claim(found.challenge.id, id);
  }
  world.pass(3_600_000);
  await world.settle();
  expect(await signalsBy(found)).toEqual(EXPECTED);
  const { campaign } = found;
  const bursts = await world.listResults({ campaignId: campaign.id, signal: 'burst', page: 1, limit: 9 });
  expect(bursts.items.map(({ externalId, attempt }) => [externalId, attempt.state])).toEqual([['ext-cat', 'rewarded']]);
});

it('verify-and-reward tells the same; a campaign that asks for nothing more tells nothing', async () => {
  const plain = await begun({ challenge: {} });
  const found = await begun({});
  for (const name of await played()) await world.creator(name);
  for (const { campaign, challenge } of [found, plain]) {
    const attempt = await world.attempt(challenge.id, 'reader');
    await world.claim(challenge.id, attempt.id);
    await world.settle();
    await world.verifyAndReward({ campaignId: campaign.id });
  }
  expect(await signalsBy(found)).toEqual({ ...EXPECTED, 'ext-other': EXPECTED['ext-cat'], 'ext-reader': null });
  expect(Object.values(await signalsBy(plain)).every((signals) => signals === null)).toBe(true);
});
