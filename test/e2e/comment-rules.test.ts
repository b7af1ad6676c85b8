/** Campaigns that ask for more than a comment: played through the public API on the platform simulator. */
import { expect, it, vi } from 'vitest';
import { actingOn } from '../support/campaign.ts';
import { instanceOfBlock } from '../support/instance.ts';

const instance = instanceOfBlock();

async function start(rules: object, creators: readonly string[]) {
  const { make, register, becomes, claim: claimFor, campaign } = actingOn(instance.api);
  const { thread, contentId } = instance.world.addPost({ platform: 'instagram', owner: 'northtrail', comments: 3 });
  const { campaignId, challenge, hooks, attempt } = await campaign({ contentId });
  await make(hooks, { url: instance.receiver.url, events: ['verification.failed', 'reward.issued'] });
  const path = `/admin/campaigns/${campaignId}`;
  const changed = await instance.api.call('PATCH', path, { body: { challenge: { rules } } });
  expect(changed.json.data?.challenge?.rules).toEqual(rules);
  const paths = new Map<string, string>();
  for (const name of creators) {
    await register(name, 'instagram');
    paths.set(name, await attempt(name));
  }

  async function claim(name: string, state: string) {
    const path = paths.get(name) ?? '';
    await claimFor(path);
    return becomes(path, { state });
  }

  async function preview() {
    await make(`${challenge}/comments/refresh`);
    return make(`${path}/preview`, {});
  }

  const say = (handle: string, text: string) => thread.add({ handle, text });
  const tokenOf = (externalId: string) => make('/admin/tokens', { name: externalId, role: 'creator', externalId });
  return { campaignId, say, claim, preview, tokenOf };
}

it('a campaign with rules for comments rewards who tags two friends, and tells the others what is missing', async () => {
  const { campaignId, say, claim, preview, tokenOf } = await start({ mentions: 2 }, ['ada', 'ben']);
  say('ada', 'Who runs with me, @cleo.fast?');
  say('ben', '@ben @northtrail @dana.moves @DANA.moves.');
  expect(await preview()).toMatchObject({ judged: 5, matching: 0, unmet: { mentions: 5 }, publishersKnown: true });

  const message = 'A comment was found, but it mentions too few people. An edit is not seen: write a new comment.';
  const near = { unmetRules: ['mentions'], waiting: { reason: 'NO_MATCH', message, nextCheckAt: null } };
  expect(await claim('ada', 'failed_retryable')).toMatchObject(near);
  const { token } = await tokenOf('ada');
  const asked = await instance.api.call('GET', `/campaigns/${campaignId}`, { token: String(token) });
  expect(asked.json.data?.myAttempt).toMatchObject(near);
  // Neither oneself, nor the brand, nor one friend twice.
  expect(await claim('ben', 'failed_retryable')).toMatchObject({ unmetRules: ['mentions'] });
  const failures = () => instance.receiver.received.filter(({ body }) => body.includes('"unmetRules":["mentions"]'));
  await vi.waitFor(() => expect(failures()).toHaveLength(2), { timeout: 15_000, interval: 50 });

  const text = 'Then you two: @cleo.fast, @dana.moves!';
  say('ada', text);
  expect(await preview()).toMatchObject({ judged: 6, matching: 1, unmet: { mentions: 5 } });
  expect(await claim('ada', 'rewarded')).toMatchObject({ pointsAwarded: 25, matchedComment: { commentText: text } });
  expect(await instance.api.call('GET', `/campaigns/${campaignId}`, { token: String(token) })).toMatchObject({
    json: { data: { myAttempt: { state: 'rewarded' } } },
  });
});
