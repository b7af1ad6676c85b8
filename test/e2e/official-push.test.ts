/** A brand connects its account, and comments arrive by themselves: the whole way, against the simulator. */
import { describe, expect, it } from 'vitest';
import type { PlatformSimulator } from '../../hosts/platform-simulator/server.ts';
import { createWorld } from '../../hosts/platform-simulator/world.ts';
import { closingAfterEach } from '../support/closing.ts';
import { startInstance } from '../support/instance.ts';
import { officialPlatforms } from '../support/official.ts';

const REDIRECT = 'https://console.example/connected';
const PLATFORMS = ['instagram', 'tiktok'] as const;
const closing = closingAfterEach();

async function connected(platform: (typeof PLATFORMS)[number]) {
  const world = createWorld('official');
  const post = world.addPost({ platform, owner: 'maker.one', comments: 3 });
  const config = (simulator: PlatformSimulator) => ({ platforms: officialPlatforms(simulator, REDIRECT) });
  const instance = await startInstance({ world, config });
  closing.push(() => instance.close());
  const { api, baseUrl, receiver, credence } = instance;
  const brand = await credence.brands.create({ name: 'Acme', slug: 'acme' });
  const path = `/admin/brands/${brand.id}/connections`;
  const started = await api.call('POST', path, { body: { platform, redirectUri: REDIRECT } });
  expect(started, JSON.stringify(started.json)).toMatchObject({ status: 200 });
  const agreed = await fetch(String(started.json.data?.authorizationUrl), { redirect: 'manual' });
  const landed = new URL(agreed.headers.get('location') ?? '');
  const { state, code } = Object.fromEntries(landed.searchParams);
  const made = await api.call('POST', `${path}/complete`, { body: { state, code } });
  expect(made).toMatchObject({ status: 201, json: { data: { platform, status: 'active' } } });
  world.official.receive(platform, `${baseUrl}/push/${platform}`);
  await credence.webhooks.create({
    brandId: brand.id,
    url: receiver.url,
    events: ['creator.verified', 'reward.issued', 'engagement.removed', 'connection.expired'],
  });
  const { challenge } = await credence.campaigns.create({
    brandId: brand.id,
    title: 'Ours',
    pointsReward: 50,
    challenge: { targetUrl: post.url },
  });
  await credence.creators.register({ externalId: 'u1', platform, handle: 'fan.one' });
  const attempt = await credence.attempts.create({ challengeId: challenge.id, externalId: 'u1' });
  world.clearRequestCounts();
  const events = () => receiver.received.map(({ body }) => JSON.parse(body).event);
  const claim = () =>
    credence.attempts.progress({ challengeId: challenge.id, attemptId: attempt.id, action: 'claim_completion' });
  return { ...instance, post, brand, challenge, attempt, events, claim };
}

const publicReads = (counts: Readonly<Record<string, number>>) =>
  Object.keys(counts).filter((name) => !/ (?:official|push)-/.test(name));

describe.each(PLATFORMS)('a connected account of %s', (platform) => {
  it('rewards a comment that is pushed, without a claim or a public read, and keeps the reward once the comment is gone', async () => {
    const { post, world, receiver, events, credence, challenge, attempt } = await connected(platform);
    const comment = post.thread.add({ handle: 'fan.one', text: 'Count me in!' });
    await receiver.waitFor(2);
    expect(events()).toEqual(['creator.verified', 'reward.issued']);
    expect(publicReads(world.requestCounts())).toEqual([]);
    const read = () => credence.attempts.get({ challengeId: challenge.id, attemptId: attempt.id });
    const { state, matchedComment } = await read();
    expect([state, matchedComment?.commentText]).toEqual(['rewarded', 'Count me in!']);
    // Instagram does not push that one is gone.
    if (platform === 'instagram') return;
    post.thread.remove(comment);
    await receiver.waitFor(3);
    expect(events().at(-1)).toBe('engagement.removed');
    const { data } = await credence.challenges.listComments({ challengeId: challenge.id });
    expect(data.find(({ commentText }) => commentText === 'Count me in!')).toMatchObject({ withheld: 'removed' });
    expect(await read()).toMatchObject({ state: 'rewarded', matchedComment: { removed: { how: 'removed' } } });
    const { data: rows } = await credence.campaigns.listResults({ id: challenge.campaignId });
    expect(rows).toMatchObject([{ matchedComment: { removed: { how: 'removed' } } }]);
    expect(publicReads(world.requestCounts())).toEqual([]);
  });

  it('counts a hidden comment once the list of the owner shows it again: no push told of it', async () => {
    const { post, world, receiver, events, credence, challenge, claim } = await connected(platform);
    world.official.receivers.delete(platform);
    const id = post.thread.add({ handle: 'fan.one', text: 'Count me in!' });
    post.thread.hide(id, true);
    const list = async () => {
      await credence.challenges.refreshComments({ challengeId: challenge.id });
      const { data } = await credence.challenges.listComments({ challengeId: challenge.id });
      return data.find(({ commentText }) => commentText === 'Count me in!');
    };
    expect(await list()).toMatchObject({ withheld: 'hidden' });
    expect(events()).toEqual([]);
    post.thread.hide(id, false);
    expect(await list()).not.toHaveProperty('withheld');
    await claim();
    await receiver.waitFor(2);
    expect(events()).toEqual(['creator.verified', 'reward.issued']);
    expect(publicReads(world.requestCounts())).toEqual([]);
  });

  it('is read as anybody’s once its owner takes the permission back, and says so', async () => {
    const { post, world, receiver, events, brand, claim, api } = await connected(platform);
    world.official.receivers.delete(platform);
    world.official.setTokens(platform, 'maker.one', 'revoked');
    post.thread.add({ handle: 'fan.one', text: 'Count me in!' });
    await claim();
    await receiver.waitFor(3);
    expect(events().toSorted()).toEqual(['connection.expired', 'creator.verified', 'reward.issued']);
    const listed = await api.call('GET', `/admin/brands/${brand.id}/connections`);
    expect(listed.json.data).toMatchObject([{ status: 'revoked', handle: 'maker.one' }]);
  });
});
