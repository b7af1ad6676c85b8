/** Steps that several areas begin with. */
import { expect } from 'vitest';
import type { JsonValue } from '../support/client.ts';
import type { Exchange, Stage } from './stage.ts';

/** Holds an object to exactly these keys, given as words. */
export function expectKeys(value: unknown, words: string): void {
  expect(Object.keys(value as object).sort()).toEqual(words.split(' ').sort());
}

export const CAMPAIGN_KEYS = 'id brandId title description imageUrl pointsReward isActive startsAt endsAt createdAt';
export const CHALLENGE_KEYS = 'id campaignId platform contentType contentId canonicalUrl instructionText';

export interface Campaign {
  readonly brandId: number;
  readonly campaignId: number;
  readonly challengeId: number;
}

export async function createBrand(stage: Stage, slug: string): Promise<number> {
  const { data } = await stage.ok(201, 'createBrand', { body: { name: `Brand ${slug}`, slug } });
  return Number(data?.id);
}

/** A brand and its campaign on a post. */
export async function createCampaign(
  stage: Stage,
  slug: string,
  targetUrl: string,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<Campaign> {
  const brandId = await createBrand(stage, slug);
  const challenge = { targetUrl, instructionText: 'Tell us.', ...(changes.challenge as object | undefined) };
  const body = { brandId, title: `Campaign ${slug}`, pointsReward: 50, ...changes, challenge };
  const { data } = await stage.ok(201, 'createCampaign', { body });
  return { brandId, campaignId: Number(data?.campaign?.id), challengeId: Number(data?.challenge?.id) };
}

/** A creator with one handle; returns the user id. */
export async function createCreator(
  stage: Stage,
  externalId: string,
  platform: 'instagram' | 'tiktok',
  handle: string,
): Promise<number> {
  const { data } = await stage.ok(201, 'registerCreator', { body: { externalId, platform, handle } });
  return Number(data?.user?.id);
}

/** A webhook for these events at the test's receiver. */
export async function subscribe(stage: Stage, brandId: number, events: readonly string[]): Promise<JsonValue> {
  const body = { url: stage.instance.receiver.url, events };
  return (await stage.ok(201, 'createWebhook', { params: { brandId }, body })).data as JsonValue;
}

type Query = Readonly<Record<string, string | number>>;

/** A list that is whole by default is the same in pages, by number and by cursor. */
export async function expectPages(stage: Stage, operation: string, exchange: Exchange = {}): Promise<void> {
  const whole = await stage.ok(200, operation, exchange);
  expect(Object.keys(whole)).toEqual(['data']);
  const all = whole.data as unknown as readonly unknown[];
  expect(all.length).toBeGreaterThan(0);
  const part = (query: Query) =>
    stage.ok(200, operation, { ...exchange, query: { ...(exchange.query as object | undefined), ...query } });
  expect(await part({ page: all.length, limit: 1 })).toEqual({
    data: all.slice(-1),
    pagination: { page: all.length, limit: 1, total: all.length },
  });
  const walked: unknown[] = [];
  for (let query: Query | null = { limit: 50 }; query !== null; ) {
    const { data, pagination } = await part(query);
    walked.push(...(data as unknown as readonly unknown[]));
    expect(pagination).toMatchObject({ limit: 50, total: all.length });
    const { nextCursor } = pagination as unknown as { readonly nextCursor: string | null };
    query = nextCursor === null ? null : { limit: 50, cursor: nextCursor };
  }
  expect(walked).toEqual(all);
  for (const wrong of [{ limit: 101 }, { page: 0 }, { cursor: 'nonsense' }] as Query[]) {
    await stage.refuse('INVALID_REQUEST', operation, {
      ...exchange,
      query: { ...(exchange.query as object | undefined), ...wrong },
    });
  }
}
