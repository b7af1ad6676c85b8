/** One creator's way through a campaign, over the public API, and what must be true of it whatever crashed meanwhile. */
import { expect, vi } from 'vitest';
import type { World } from '../../hosts/platform-simulator/world.ts';
import { type ApiClient, createApiClient, type JsonValue } from '../support/client.ts';
import type { ReceivedWebhook, Receiver } from '../support/receiver.ts';
import { ADMIN_TOKEN } from './host-process.ts';

export const POINTS = 25;
export const EVENTS = ['creator.verified', 'reward.issued'];
/** Far above what anything takes on a machine that is not busy. Asking more often would keep it busy. */
export const WAIT = { timeout: 150_000, interval: 250 };

export interface Scene {
  readonly campaign: string;
  readonly challenge: string;
  readonly hooks: string;
  readonly webhook: string;
  /** Adds a comment at the end of the post's list. */
  comment(handle: string): void;
  /** Ends the cutting short of the post's list, if there is any. */
  showAll(): void;
}

export const clientOf = (baseUrl: string): ApiClient => createApiClient(baseUrl, ADMIN_TOKEN);

export async function make(api: ApiClient, path: string, body: unknown): Promise<JsonValue> {
  const answer = await api.call('POST', path, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.data as JsonValue;
}

/** Comments on one page of the list. */
const PAGE = 50;

/**
 * A brand with a webhook and a campaign on a TikTok post. These handles have commented on it, deep in its thread of at least
 * 70 comments. With `isCutShort` the list ends after its first page, before their comments, and keeps its total.
 */
export async function prepareScene(
  api: ApiClient,
  world: World,
  receiver: Receiver,
  handles: readonly string[],
  isCutShort = false,
): Promise<Scene> {
  const from = isCutShort ? PAGE : PAGE - 5;
  const written = (handle: string) => ({ handle, text: `${handle} was here` });
  const placed = handles.map((handle, index) => ({ ...written(handle), index: from + index }));
  const comments = Math.max(70, from + handles.length);
  const post = world.addPost({ platform: 'tiktok', owner: 'northtrail', comments, placed });
  if (isCutShort) Object.defineProperty(post.thread, 'size', { value: 1, configurable: true });
  const brand = await make(api, '/admin/brands', { name: 'Brand', slug: `brand-${post.contentId}` });
  const hooks = `/admin/brands/${brand.id}/webhooks`;
  const webhook = await make(api, hooks, { url: receiver.url, events: EVENTS });
  const { campaign, challenge } = await make(api, '/admin/campaigns', {
    brandId: brand.id,
    title: 'Autumn',
    pointsReward: POINTS,
    challenge: {
      targetUrl: `https://www.tiktok.com/@northtrail/video/${post.contentId}`,
      instructionText: 'Comment',
    },
  });
  return {
    campaign: `/admin/campaigns/${campaign?.id}`,
    challenge: `/admin/challenges/${challenge?.id}`,
    hooks,
    webhook: `${hooks}/${webhook.id}`,
    comment: (handle) => void post.thread.add(written(handle)),
    showAll: () => void Reflect.deleteProperty(post.thread, 'size'),
  };
}

/** Registers the creator and opens the attempt; returns the attempt's path. */
export async function openAttempt(api: ApiClient, scene: Scene, handle: string): Promise<string> {
  const externalId = `ext-${handle}`;
  await make(api, '/social-accounts', { externalId, platform: 'tiktok', handle });
  const attempt = await make(api, `${scene.challenge}/attempts`, { externalId });
  return `${scene.challenge}/attempts/${attempt.id}`;
}

/** Claims like a client that heard nothing of an earlier request: it looks, and claims again if need be. */
export async function claim(api: ApiClient, attempt: string): Promise<void> {
  const { status, json, text } = await api.call('GET', attempt);
  expect(status, text).toBe(200);
  if (json.data?.state !== ('created' as unknown)) return;
  const answer = await api.call('PATCH', attempt, { body: { action: 'claim_completion' } });
  // The job of the first request may have been faster.
  expect([200, 409], answer.text).toContain(answer.status);
}

/**
 * Waits until the attempt is rewarded, by the one way there is; `isChecked` if the claim may have been handed back and checked
 * again before.
 */
export async function expectRewarded(api: ApiClient, attempt: string, isChecked = false): Promise<void> {
  const data = await vi.waitFor(async () => {
    const answer = await api.call('GET', attempt);
    expect(answer.json.data?.state, answer.text).toBe('rewarded');
    return answer.json.data as JsonValue;
  }, WAIT);
  expect(data.pointsAwarded).toBe(POINTS);
  const history = data.stateHistory as unknown as readonly { readonly state: string }[];
  const path = history.map(({ state }) => state).join(' ');
  const again = isChecked ? '( awaiting_claim verification_pending)*' : '';
  expect(path).toMatch(new RegExp(`^created verification_pending${again} verified rewarded$`));
  expect(data.retryCount).toBe(0);
}

/** Points are in the campaign's summary once for each of `attempts` rewarded ones. */
export async function expectPoints(api: ApiClient, scene: Scene, attempts: number): Promise<void> {
  const { json } = await api.call('GET', `${scene.campaign}/summary`);
  expect(json.data).toMatchObject({
    totalAttempts: attempts,
    totalRewarded: attempts,
    totalPointsIssued: attempts * POINTS,
  });
}

/**
 * Waits until each of `attempts` has announced both events and every delivery is over. Each event came at least once, and
 * every time with the same `webhook-id` and the same bytes.
 */
export async function expectAnnounced(
  api: ApiClient,
  scene: Scene,
  receiver: Receiver,
  attempts: number,
): Promise<void> {
  await vi.waitFor(async () => {
    const { json } = await api.call('GET', `${scene.webhook}/deliveries?limit=100`);
    const statuses = (json.data as unknown as readonly { readonly status: string }[]).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: attempts * EVENTS.length }, () => 'succeeded'));
  }, WAIT);
  expectOnce(receiver, attempts);
}

/** Each of `attempts` has announced both events, once or with copies of the same bytes. */
export function expectOnce(receiver: Receiver, attempts: number): void {
  const announced = [...byMessage(receiver.received)].map(([id, copies]) => {
    expect(new Set(copies.map(({ body }) => body)).size, `bodies of ${id}`).toBe(1);
    const { event, data } = JSON.parse(copies[0]?.body ?? '{}');
    return `${event} ${data.userId}`;
  });
  expect(announced).toHaveLength(attempts * EVENTS.length);
  expect(new Set(announced).size).toBe(announced.length);
}

/** What came in, by `webhook-id`. */
export function byMessage(received: readonly ReceivedWebhook[]): ReadonlyMap<string, readonly ReceivedWebhook[]> {
  const messages = new Map<string, ReceivedWebhook[]>();
  for (const webhook of received) {
    const id = String(webhook.headers['webhook-id']);
    messages.set(id, [...(messages.get(id) ?? []), webhook]);
  }
  return messages;
}
