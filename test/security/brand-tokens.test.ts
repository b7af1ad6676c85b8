/**
 * Tokens of one brand against every row of the route table, on both frameworks. What another brand has is missing for them, in
 * the words for what does not exist. New rows are covered as they come.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../core/access/token.ts';
import type { Route } from '../../plugins/http/route.ts';
import type { ApiAnswer, JsonValue } from '../support/client.ts';
import { createFakeOfficial, REDIRECT_URI, withOfficial } from '../support/fake-official.ts';
import { HOST_KINDS } from '../support/hosts.ts';
import { instanceOfBlock } from '../support/instance.ts';
import { everyService } from './support.ts';

/** What a brand has, as the placeholders of paths name it. */
type Place = Readonly<Record<string, string | number>>;

interface BrandWorld {
  readonly token: string;
  readonly place: Place;
}

const MISSING = 999_999;

const pathAt = (route: Route, place: Place) =>
  route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(place[name] ?? MISSING)));

/** Valid bodies of the rows that are about something of a brand. */
const bodyOf = (route: Route, place: Place): unknown =>
  ({
    createCampaign: {
      brandId: place.brandId,
      title: 'New',
      pointsReward: 1,
      challenge: { targetUrl: 'https://www.instagram.com/p/C0ffee/' },
    },
    updateBrand: { name: 'Changed' },
    updateCampaign: { title: 'Changed' },
    createAttempt: { externalId: 'bob' },
    progressAttempt: { action: 'target_opened' },
    redeliverWebhooks: {},
    reviewAttempt: { decision: 'approve', reason: 'ok' },
    previewRules: {},
    drawWinners: { winners: 1, beaconValue: 'heads' },
    createWebhook: { url: 'https://hooks.example.com/new', events: ['reward.issued'] },
    updateWebhook: { description: 'changed' },
    startBrandConnection: { platform: 'tiktok', redirectUri: REDIRECT_URI },
    completeBrandConnection: { state: place.state, code: `code-${place.code}` },
    replayWebhookDeliveries: { since: '2026-01-01T00:00:00Z' },
  })[route.id];

const needsCaller = ({ access }: Route) => access !== 'public' && access !== 'callback';
/** The answer without what always differs: ids of requests, and the ids that were asked for. */
const told = ({ status, json }: ApiAnswer) => [
  status,
  json.error?.code,
  String(json.error?.message ?? json.error).replaceAll(/\d+/g, 'N'),
];

describe.each(HOST_KINDS)('tokens of one brand, on %s', (host) => {
  const options = { modules: [withOfficial(createFakeOfficial())] };
  const instance = instanceOfBlock({ host, config: everyService(), options });
  let a: BrandWorld;
  let b: BrandWorld;
  const scoped = () => instance.credence.routes.filter(({ brand }) => typeof brand === 'function');

  const send = (route: Route, place: Place, token: string | null) => {
    const body = bodyOf(route, place);
    return instance.api.call(route.method, pathAt(route, place), { token, ...(body === undefined ? {} : { body }) });
  };
  async function made(path: string, body: unknown): Promise<JsonValue> {
    const answer = await instance.api.call('POST', path, { body });
    expect(answer.status, answer.text).toBe(201);
    return answer.json.data as JsonValue;
  }
  async function brand(slug: string, externalId: string): Promise<BrandWorld> {
    const brandId = Number((await made('/admin/brands', { name: slug, slug })).id);
    const webhook = await made(`/admin/brands/${brandId}/webhooks`, {
      url: instance.receiver.url,
      events: ['creator.verified', 'reward.issued'],
    });
    const hook = `/admin/brands/${brandId}/webhooks/${webhook.id}`;
    const sent = await instance.api.call('POST', `${hook}/test`);
    // Its log stays as it is from then on.
    await vi.waitFor(
      async () => expect((await instance.api.call('GET', `${hook}/deliveries`)).text).toContain('"succeeded"'),
      { timeout: 15_000 },
    );
    await made('/social-accounts', { externalId, platform: 'instagram', handle: externalId });
    const challenge = { targetUrl: 'https://www.instagram.com/p/C0ffee/' };
    const campaign = await made('/admin/campaigns', { brandId, title: `Of ${slug}`, pointsReward: 5, challenge });
    const challengeId = Number(campaign.challenge?.id);
    const attempt = await made(`/admin/challenges/${challengeId}/attempts`, { externalId });
    const token = await made('/admin/tokens', { name: slug, role: 'brand', brandId });
    const connections = `/admin/brands/${brandId}/connections`;
    const begin = async (as?: JsonValue) => {
      const body = { platform: 'tiktok', redirectUri: REDIRECT_URI };
      const answer = await instance.api.call('POST', connections, { body, ...(as && { token: String(as) }) });
      return String(answer.json.data?.state);
    };
    const connection = await made(`${connections}/complete`, { state: await begin(), code: `code-${slug}` });
    const place = {
      brandId,
      connectionId: Number(connection.id),
      state: await begin(token.token),
      code: `${slug}2`,
      webhookId: Number(webhook.id),
      deliveryId: Number(sent.json.data?.id),
      id: Number(campaign.campaign?.id),
      challengeId,
      attemptId: Number(attempt.id),
      handle: externalId,
      userId: Number(attempt.userId),
    };
    return { token: String(token.token), place };
  }
  /** What an admin sees of a brand. */
  async function state({ place }: BrandWorld): Promise<string> {
    const { brandId, webhookId, id, challengeId, attemptId } = place;
    const paths = [
      `/admin/brands/${brandId}/webhooks`,
      `/admin/brands/${brandId}/connections`,
      `/admin/brands/${brandId}/webhooks/${webhookId}/deliveries`,
      `/campaigns/${id}`,
      `/admin/campaigns/${id}/results`,
      `/admin/challenges/${challengeId}/attempts/${attemptId}`,
      `/admin/challenges/${challengeId}/likers/status`,
    ];
    return (await Promise.all(paths.map(async (path) => (await instance.api.call('GET', path)).text))).join('\n');
  }

  beforeAll(async () => {
    a = await brand('aa', 'ann');
    b = await brand('bb', 'bob');
  });

  it('have a rule on every row that needs a caller, and on no other', () => {
    for (const route of instance.credence.routes) expect(route.brand !== undefined, route.id).toBe(needsCaller(route));
    expect(scoped().length).toBeGreaterThan(20);
    // A path that names something of a brand is about this brand.
    const named = instance.credence.routes.filter(({ path }) =>
      /\{(brandId|challengeId)\}|campaigns\/\{id\}/.test(path),
    );
    // Creating and deleting brands is not for them.
    const rules = named.map(({ id, brand }) => [id, typeof brand === 'function' ? 'own' : brand]);
    expect(rules.filter(([, rule]) => rule !== 'own')).toEqual([['deleteBrand', 'none']]);
  });

  it('find what belongs to another brand as missing as what does not exist, and change nothing there', async () => {
    const before = await state(b);
    for (const route of scoped()) {
      const foreign = await send(route, b.place, a.token);
      const missing = await send(route, { ...b.place, brandId: MISSING, id: MISSING, challengeId: MISSING }, a.token);
      expect(told(foreign), route.id).toEqual(told(missing));
      expect([foreign.status, foreign.json.error?.code], `${route.id}: ${foreign.text}`).toEqual([404, 'NOT_FOUND']);
      expect((await send(route, b.place, null)).status, route.id).toBe(401);
    }
    expect(await state(b)).toBe(before);
  });

  it('do not reach webhooks and attempts of others through what is their own', async () => {
    const before = await state(b);
    for (const route of scoped().filter(({ path }) => /\{(attemptId|webhookId)\}/.test(path))) {
      const mixed = await send(
        route,
        { ...a.place, attemptId: b.place.attemptId ?? 0, webhookId: b.place.webhookId ?? 0 },
        a.token,
      );
      const missing = await send(route, { ...a.place, attemptId: MISSING, webhookId: MISSING }, a.token);
      expect(told(mixed), route.id).toEqual(told(missing));
      expect(mixed.status, route.id).toBe(404);
    }
    expect(await state(b)).toBe(before);
  });

  it('are refused on rows that are not for them, whatever they send', async () => {
    for (const route of instance.credence.routes.filter(({ brand }) => brand === 'none')) {
      const answer = await instance.api.call(route.method, pathAt(route, a.place), {
        token: a.token,
        ...(route.body ? { body: { externalId: 'ann', platform: 'instagram', handle: 'ann' } } : {}),
      });
      expect([answer.status, answer.json.error?.code], route.id).toEqual([403, 'FORBIDDEN']);
    }
  });

  it('list what is theirs, with totals and cursors of their own', async () => {
    for (const { token, place } of [a, b]) {
      const brands = await instance.api.call('GET', '/admin/brands', { token });
      expect(brands.json.data).toMatchObject([{ id: place.brandId }]);
      for (const query of ['', '?cursor=', `?page=1&limit=1`]) {
        const { json } = await instance.api.call('GET', `/campaigns${query}`, { token });
        expect(json, query).toMatchObject({ data: [{ id: place.id }], pagination: { total: 1 } });
      }
    }
    const all = await instance.api.call('GET', '/campaigns?limit=1&cursor=');
    const cursor = String(all.json.pagination?.nextCursor);
    const { json } = await instance.api.call('GET', `/campaigns?cursor=${cursor}`, { token: b.token });
    expect(json).toMatchObject({ data: [], pagination: { total: 1 } });
  });

  it('see the figures of their brand by time, and no reads of platforms', async () => {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const { brandId, id, webhookId } = b.place;
    const series = (query: Readonly<Record<string, string | number | undefined>>, token: string) =>
      api.call('GET', `/admin/series?${new URLSearchParams({ from, ...query } as Record<string, string>)}`, { token });
    const { api } = instance;
    const counted = async (query: Readonly<Record<string, string | number | undefined>>, token: string) =>
      Object.values((await series(query, token)).json.data ?? {}).map(({ name, count }) => `${name} ${count}`);
    expect(await counted({ what: 'attempts' }, b.token)).toEqual(['attempts 1']);
    expect(await counted({ what: 'attempts', campaignId: id }, b.token)).toEqual(['attempts 1']);
    expect(await counted({ what: 'deliveries', webhookId }, b.token)).toEqual(['succeeded 1']);
    for (const [query, status] of [
      [{ what: 'attempts', campaignId: id }, 404],
      [{ what: 'attempts', brandId }, 404],
      [{ what: 'deliveries', brandId, webhookId }, 404],
      [{ what: 'deliveries', webhookId }, 404],
      [{ what: 'reads' }, 403],
      [{ what: 'failures', campaignId: id }, 403],
    ] as const) {
      expect((await series(query, a.token)).status, JSON.stringify(query)).toBe(status);
    }
  });

  it('see the subscribers of their brand, and what these got', async () => {
    const { credence, api } = instance;
    credence.on('*', () => undefined, { name: 'of-a', brandId: Number(a.place.brandId) });
    credence.on('*', () => undefined, { name: 'of-all' });
    await expect.poll(async () => (await credence.subscribers.list()).length).toBe(2);
    const own = await api.call('GET', '/admin/subscribers', { token: a.token });
    expect(own.json.data).toMatchObject([{ name: 'of-a', brandId: a.place.brandId }]);
    expect((await api.call('GET', '/admin/subscribers', { token: b.token })).json.data).toEqual([]);
    const log = (name: string, token: string) => api.call('GET', `/admin/subscribers/${name}/deliveries`, { token });
    expect((await log('of-a', a.token)).status).toBe(200);
    for (const [name, token] of [
      ['of-a', b.token],
      ['of-all', b.token],
      ['none', b.token],
    ] as const) {
      const { status, json } = await log(name, token);
      expect([status, json.error?.message]).toEqual([404, `There is no subscriber "${name}".`]);
    }
  });

  it('find no webhook that asks for account.connected on their brand, and may not ask for it', async () => {
    const path = `/admin/brands/${a.place.brandId}/webhooks`;
    const events = ['reward.issued', 'account.connected'];
    const operators = await made(path, { url: 'https://hooks.example.com/operator', events });
    const rows = scoped().filter((route) => route.path.includes('{webhookId}'));
    expect(rows.length).toBeGreaterThan(4);
    for (const route of rows) {
      const hidden = await send(route, { ...a.place, webhookId: Number(operators.id) }, a.token);
      const missing = await send(route, { ...a.place, webhookId: MISSING }, a.token);
      expect(told(hidden), route.id).toEqual(told(missing));
      expect(hidden.status, route.id).toBe(404);
    }
    const ids = async (token?: string) => {
      const { json } = await instance.api.call('GET', path, token === undefined ? {} : { token });
      return (json.data as unknown as JsonValue[]).map(({ id }) => id);
    };
    expect(await ids(a.token)).toEqual([a.place.webhookId]);
    expect(await ids()).toEqual([a.place.webhookId, operators.id]);

    const body = { url: 'https://hooks.example.com/new', events };
    for (const [method, at] of [
      ['POST', path],
      ['PATCH', `${path}/${a.place.webhookId}`],
    ] as const) {
      const { status, json } = await instance.api.call(method, at, { token: a.token, body });
      expect([status, json.error?.code], method).toEqual([403, 'FORBIDDEN']);
    }
    expect(await ids()).toHaveLength(2);
  });

  it('search among their own participants and campaigns, and never by what only operators see', async () => {
    const found = async (q: string, token?: string) => {
      const path = `/admin/search?q=${encodeURIComponent(q)}`;
      const { status, json } = await instance.api.call('GET', path, token === undefined ? {} : { token });
      expect(status).toBe(200);
      return Object.values(json.data ?? {}).map(({ kind, path }) => `${kind} ${path}`);
    };
    const { id, attemptId } = a.place;
    const place = `/campaigns/${id}/participants/${attemptId}`;
    const [own] = (await found('ann', a.token)).filter((hit) => hit.startsWith('creator'));
    expect(own).toBe(`creator ${place}`);
    expect(await found('ann', b.token)).toEqual([]);
    expect(await found(String(attemptId), a.token)).toContain(`attempt ${place}`);
    expect(await found(String(attemptId), b.token)).not.toContain(`attempt ${place}`);
    const ofAll = await found('Of ');
    expect(ofAll.length).toBeGreaterThan(1);
    expect(await found('Of ', b.token)).toEqual([`campaign /campaigns/${b.place.id}`]);
    const all = await found('msg_');
    expect(all.some((hit) => hit.includes(`/webhooks/${a.place.brandId}/`))).toBe(true);
    const theirs = await found('msg_', b.token);
    expect(theirs.length).toBeGreaterThan(0);
    expect(theirs.every((hit) => hit.startsWith(`delivery /webhooks/${b.place.brandId}/`))).toBe(true);
    // An email is not theirs to see, and hits would tell it letter by letter.
    const [{ email = '' } = {}] = Object.values((await instance.api.call('GET', '/admin/creators')).json.data ?? {});
    expect(await found(String(email))).not.toEqual([]);
    for (const { token } of [a, b]) expect(await found(String(email), token)).toEqual([]);
  });

  it('see the points that the own brand gave, and of creators without any nothing', async () => {
    const path = `/admin/challenges/${a.place.challengeId}/attempts`;
    await made('/social-accounts', { externalId: 'cleo', platform: 'instagram', handle: 'cleo' });
    const { id, userId } = await made(path, { externalId: 'cleo' });
    await instance.api.call('POST', `${path}/${id}/force-verify`);
    const pointsOf = (creatorId: unknown, token: string) =>
      instance.api.call('GET', `/admin/creators/${creatorId}/points`, { token });
    const rewards = [{ attemptId: id, brandId: a.place.brandId, pointsAwarded: 5, entries: [{ points: 5 }] }];
    await vi.waitFor(async () =>
      expect((await pointsOf(userId, a.token)).json.data).toMatchObject({ total: 5, rewards }),
    );
    const { status, json } = await pointsOf(MISSING, b.token);
    expect([status, json.data]).toEqual([200, { total: 0, byBrand: [], rewards: [] }]);
    expect((await pointsOf(userId, b.token)).json).toEqual(json);
  });

  it('name creators by externalId only, since numbers of creators can be gone through', async () => {
    const path = `/admin/challenges/${a.place.challengeId}/attempts`;
    for (const userId of [b.place.userId, MISSING]) {
      const { status } = await instance.api.call('POST', path, { token: a.token, body: { userId } });
      expect(status).toBe(403);
    }
  });

  it('see and run what is their own, as an admin does', async () => {
    const last = ['deleteWebhook', 'deleteBrandConnection', 'endCampaign', 'deleteCampaign'];
    // They need a post, or winners.
    const others = ['refreshComments', 'refreshMetrics', 'getMetrics', 'refreshLikers', 'readDraw'];
    const rows = scoped().filter(({ id }) => !others.includes(id));
    const ordered = [...rows.filter(({ id }) => !last.includes(id)), ...rows.filter(({ id }) => last.includes(id))];
    for (const route of ordered) {
      const answer = await send(route, a.place, a.token);
      const what = `${route.id}: ${answer.status} ${answer.text.slice(0, 200)}`;
      // Some contradict the state that an earlier one left, and the campaign has no draw.
      if (answer.status === 409)
        expect(['redeliverWebhooks', 'deleteCampaign', 'forceVerify', 'reviewAttempt', 'drawWinners'], what).toContain(
          route.id,
        );
      // Nobody has drawn.
      else if (route.id === 'readDraw') expect(answer.status, what).toBe(404);
      else expect(answer.status, what).toBeLessThan(300);
    }
    expect((await instance.api.call('GET', `/campaigns/${b.place.id}`, { token: b.token })).status).toBe(200);
  });

  it('are told apart in process too', async () => {
    const { credence } = instance;
    const caller: Caller = {
      role: 'brand',
      brandId: Number(b.place.brandId),
      tokenId: null,
      externalId: null,
      key: 'b',
    };
    const [own, foreign] = [Number(b.place.id), Number(a.place.id)];
    expect(await credence.campaigns.get({ id: own }, { caller })).toMatchObject({ id: own });
    await expect(credence.campaigns.get({ id: foreign }, { caller })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await credence.campaigns.list({}, { caller })).toMatchObject({ data: [{ id: own }] });
    await expect(credence.tokens.list({}, { caller })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    for (const wrong of [
      { ...caller, brandId: null },
      { ...caller, role: 'admin' as const },
    ]) {
      await expect(credence.brands.list({}, { caller: wrong })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
  });
});
