/** An instance in which the examples of the document come true: its posts, profiles, creators, campaigns and proofs. */

import { fakeProver } from '../../../adapters/fake-prover/index.ts';
import { createWorld } from '../../../hosts/platform-simulator/world.ts';
import type { CredenceConfig } from '../../../plugins/compose/index.ts';
import { REDIRECT_URI } from '../../../plugins/http/examples/samples.ts';
import type { JsonValue } from '../../support/client.ts';
import { createFakeOfficial, withOfficial } from '../../support/fake-official.ts';
import type { HostKind } from '../../support/hosts.ts';
import { startInstance, type TestInstance } from '../../support/instance.ts';
import { createAuthority, jsonAnswer, startOrigin } from '../../support/tls-origin.ts';
import type { Who } from './requests.ts';
import type { KnownValues } from './valid-values.ts';

export interface ExampleWorld {
  readonly instance: TestInstance;
  /** Bearer tokens; null sends none. */
  readonly tokens: Readonly<Record<Who, string | null>>;
  /** What fields and parameters of that name may hold, the most useful first. */
  readonly known: KnownValues;
  /** Parameters that an operation needs to succeed, where the first known values would not do. */
  readonly succeedsWith: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  close(): Promise<void>;
}

const POST_URL = 'https://www.instagram.com/p/C8xample123/';
const VIDEO_URL = 'https://www.tiktok.com/@acme/video/7300000000000000001';

/** Starts it on a host. */
export async function startExampleWorld(host: HostKind): Promise<ExampleWorld> {
  const world = createWorld('openapi');
  world.addPost({ platform: 'instagram', owner: 'acme', contentId: 'C8xample123', comments: 30, likers: 20 });
  world.addPost({ platform: 'tiktok', owner: 'acme', contentId: '7300000000000000001', comments: 12 });
  for (const handle of ['ada.l', 'nasa', 'bob']) world.addProfile({ platform: 'instagram', handle, bio: 'Hello' });
  const authority = createAuthority();
  const origin = await startOrigin(authority, {
    certificate: authority.leaf({ dns: ['localhost'] }),
    answer: jsonAnswer({ user: { id: 42, email: 'ada@example.com' } }),
  });
  const config: Partial<CredenceConfig> = {
    services: ['engagement', 'web-prover', 'zk-prover', 'notary'],
    notary: { key: { secret: new Uint8Array(32).fill(7) } },
    extraRoots: [authority.root.pem],
    zkProver: fakeProver(),
  };
  // Redirects are as in the example.
  const official = createFakeOfficial('instagram', { redirectUris: [REDIRECT_URI] });
  const options = { modules: [withOfficial(official)] };
  const instance = await startInstance({ host, world, config, options });
  instance.credence.on('reward.issued', () => undefined, { name: 'points-ledger' });
  const post = async (path: string, body?: unknown): Promise<JsonValue> => {
    const answer = await instance.api.call('POST', path, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json.data ?? {};
  };

  const users: number[] = [];
  for (const [externalId, handle] of [
    ['user-1', 'bob'],
    ['user-2', 'nasa'],
    ['user-3', 'acme'],
    ['user-42', 'ada.l'],
  ] as const) {
    const { user } = await post('/social-accounts', { externalId, platform: 'instagram', handle });
    users.push(Number(user?.id));
  }
  const leaving = { externalId: 'user-9', platform: 'instagram', handle: 'eve' };
  const { user: left } = await post('/social-accounts', leaving);
  const brandId = Number((await post('/admin/brands', { name: 'Known', slug: 'known' })).id);
  const empty = await post('/admin/brands', { name: 'Empty', slug: 'empty' });
  const newCampaign = (targetUrl: string, given: object = {}) =>
    post('/admin/campaigns', { brandId, title: 'Known', pointsReward: 5, challenge: { targetUrl }, ...given });
  const main = await newCampaign(POST_URL);
  const spare = await newCampaign(POST_URL);
  const doomed = await newCampaign(VIDEO_URL);
  const raffle = await newCampaign(POST_URL, { terms: { draw: { beacon: 'drand round 5000000' } } });
  const challengeId = Number(main.challenge?.id);
  const attempts: number[] = [];
  for (const externalId of ['user-1', 'user-2', 'user-3']) {
    const attempt = await post(`/admin/challenges/${challengeId}/attempts`, { externalId });
    attempts.push(Number(attempt.id));
  }
  for (const externalId of ['user-1', 'user-2', 'user-3']) {
    const lots = `/admin/challenges/${raffle.challenge?.id}/attempts`;
    await post(`${lots}/${(await post(lots, { externalId })).id}/force-verify`);
  }
  const drawn = await post(`/admin/campaigns/${raffle.campaign?.id}/draw`, { winners: 2, beaconValue: 'abc' });
  const { participants, winners } = drawn as unknown as Readonly<Record<'participants' | 'winners', number[]>>;
  const unpaid = participants.find((attemptId) => !winners.includes(attemptId));
  await post(`/admin/challenges/${challengeId}/metrics/refresh`);
  const webhooks: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    const webhook = { url: instance.receiver.url, events: ['creator.verified'] };
    webhooks.push(Number((await post(`/admin/brands/${brandId}/webhooks`, webhook)).id));
  }
  const delivery = await post(`/admin/brands/${brandId}/webhooks/${webhooks[1]}/test`);
  const begin = async () => {
    const begun = await post(`/admin/brands/${brandId}/connections`, {
      platform: 'instagram',
      redirectUri: REDIRECT_URI,
    });
    return String(begun.state);
  };
  const connected = `/admin/brands/${brandId}/connections/complete`;
  const connection = await post(connected, { state: await begin(), code: 'code-known' });
  const client = await post('/admin/tokens', { name: 'client', role: 'client' });
  const creator = await post('/admin/tokens', { name: 'creator', role: 'creator', externalId: 'user-42' });
  const revocable = await post('/admin/tokens', { name: 'spare', role: 'client' });
  const flow = await post('/social-accounts/connect', {
    platform: 'instagram',
    externalId: 'user-42',
    inputs: { handle: 'ada.l' },
  });
  const proveUrl = origin.url('/v1/me').replace('origin.test', 'localhost');
  const presentation = await post('/api/v2.0/prove', { url: proveUrl });

  const [first, second, third] = attempts;
  return {
    instance,
    tokens: {
      admin: instance.adminToken,
      client: String(client.token),
      creator: String(creator.token),
      nobody: null,
      unknown: 'crd_unknown',
    },
    known: {
      brandId: [brandId],
      userId: [users[3], ...users.slice(0, 3)],
      externalId: ['user-42', 'user-1', 'new-user'],
      webhookId: webhooks,
      deliveryId: [Number(delivery.id)],
      connectionId: [Number(connection.id)],
      redirectUri: [REDIRECT_URI],
      code: ['code-known', 'code-another'],
      id: [spare, main, doomed].map(({ campaign }) => Number(campaign?.id)),
      challengeId: [challengeId, Number(spare.challenge?.id), Number(doomed.challenge?.id)],
      attemptId: attempts,
      tokenId: [Number(revocable.id)],
      requestId: [String(flow.requestId)],
      handle: ['ada.l', '@bob', 'nobody.here'],
      targetUrl: [POST_URL, VIDEO_URL],
      url: [POST_URL, VIDEO_URL, instance.receiver.url, proveUrl, 'https://www.instagram.com/p/Cgone/'],
      urls: [[POST_URL], [POST_URL, POST_URL, 'nonsense'], [VIDEO_URL]],
      logoUrl: ['https://cdn.example/logo.png'],
      imageUrl: ['https://cdn.example/image.png'],
      notaryUrl: [presentation.meta?.notaryUrl],
      presentation: [presentation],
      webProof: [presentation],
      data: [presentation.data],
      presentationJson: [presentation, JSON.stringify(presentation)],
      jmespath: [['user.id'], ['user.name']],
      queries: [['user.id']],
    },
    succeedsWith: {
      completeBrandConnection: { state: await begin(), code: 'code-another' },
      createWebhook: { url: instance.receiver.url },
      updateWebhook: { webhookId: webhooks[1] },
      getWebhookDelivery: { webhookId: webhooks[1] },
      listWebhookDeliveries: { webhookId: webhooks[1] },
      listSubscriberDeliveries: { name: 'points-ledger' },
      testWebhook: { webhookId: webhooks[2] },
      rotateWebhookSecret: { webhookId: webhooks[2] },
      deleteWebhook: { webhookId: webhooks[0] },
      deleteBrand: { brandId: Number(empty.id) },
      drawWinners: { id: Number(raffle.campaign?.id) },
      readDraw: { id: Number(raffle.campaign?.id) },
      deleteCampaign: { id: Number(doomed.campaign?.id) },
      progressAttempt: { attemptId: first },
      forceVerify: { attemptId: second },
      reviewAttempt: { challengeId: Number(raffle.challenge?.id), attemptId: unpaid },
      redeliverWebhooks: { attemptId: second },
      getAttempt: { attemptId: third },
      prove: { url: proveUrl },
      notarize: { url: proveUrl },
      verify: { data: presentation.data },
      verifyV1: { data: presentation.data },
      // Registering and connecting go by the example's own handle.
      eraseCreator: { userId: Number(left?.id) },
      disconnectCreator: { externalId: 'user-1', handle: 'bob' },
    },
    async close() {
      await instance.close();
      await origin[Symbol.asyncDispose]();
    },
  };
}
