/**
 * The types that a user of the package sees. Nothing here runs: `npm run check:types` compiles it, and each `@ts-expect-error`
 * is a call that must not compile.
 */

import { CredenceApiError, type CredenceClient, createCredenceClient } from '@credence/client';
import {
  type ApiToken,
  type Attempt,
  type AttemptState,
  type AuditEntry,
  type Brand,
  type Campaign,
  type CampaignDetail,
  type CampaignWithChallenge,
  type Challenge,
  type Comment,
  type Creator,
  type Credence,
  type CredenceConfig,
  createCredence,
  type Delivery,
  type DomainError,
  type ErrorCode,
  type Health,
  isDomainError,
  type ListPage,
  type PlatformAdapter,
  type PostStats,
  type RegisteredCreator,
  type ResultOf,
  type Storage,
  type SubscriberEvent,
  type VerifiedWebProof,
  type Webhook,
  type WebhookWithSecret,
  type WebProof,
} from 'credence';
import { instagram } from 'credence/adapters/instagram';
import { createMongoStorage, mongodb } from 'credence/adapters/mongodb';
import { createPostgresStorage, postgres } from 'credence/adapters/postgres';
import { createSqliteStorage, sqlite } from 'credence/adapters/sqlite';
import { tiktok } from 'credence/adapters/tiktok';
import { credenceExpress } from 'credence/express';
import { credenceFastify } from 'credence/fastify';
import { credenceFetch } from 'credence/fetch';
import type { Platform } from 'credence/ports';
import { type StorageContract, storageContract } from 'credence/testing';
import express from 'express';
import { fastify } from 'fastify';
import pg from 'pg';
import { expectTypeOf } from 'vitest';

declare const credence: Credence;

export function configuration(): void {
  createCredence();
  createCredence({ storage: 'sqlite::memory:', services: ['engagement', 'web-prover'] });
  createCredence({ storage: sqlite({ path: 'credence.db' }), platforms: [instagram(), tiktok()] });
  createCredence({ storage: mongodb({ url: 'mongodb://localhost', maxPoolSize: 200 }) });
  createCredence({ storage: postgres({ pool: new pg.Pool() }) });
  expectTypeOf(createCredence).returns.toEqualTypeOf<Credence>();
  expectTypeOf<CredenceConfig>().toExtend<Parameters<typeof createCredence>[0]>();

  // @ts-expect-error an unknown field
  createCredence({ storge: 'sqlite::memory:' });
  // @ts-expect-error an unknown service
  createCredence({ services: ['notary', 'mailer'] });
  // @ts-expect-error an unknown level of pacing
  createCredence({ platforms: { pacing: 'fast' } });
  // @ts-expect-error a storage is no number
  createCredence({ storage: 5 });
  // @ts-expect-error a platform is a value of an adapter, not its name
  createCredence({ platforms: ['instagram'] });
  // @ts-expect-error a logger has four methods
  createCredence({}, { logger: { info: () => undefined } });
}

export function lifecycle(): void {
  expectTypeOf(credence.start()).resolves.toEqualTypeOf<{ readonly generatedAdminToken?: string }>();
  expectTypeOf(credence.stop()).resolves.toEqualTypeOf<void>();
  expectTypeOf(credence.health()).resolves.toEqualTypeOf<Health>();
  expectTypeOf(credence.fetch).toEqualTypeOf<(request: Request) => Promise<Response>>();
}

export async function operations(): Promise<void> {
  const brand = await credence.brands.create({ name: 'Acme', slug: 'acme' });
  expectTypeOf(brand.id).toEqualTypeOf<number>();
  expectTypeOf(brand.createdAt).toEqualTypeOf<Date>();

  const { campaign, challenge } = await credence.campaigns.create({
    brandId: brand.id,
    title: 'Launch',
    pointsReward: 10,
    challenge: { targetUrl: 'https://www.instagram.com/p/abc/', instructionText: 'Comment.' },
  });
  expectTypeOf(campaign.endsAt).toEqualTypeOf<Date | null>();
  expectTypeOf(challenge.canonicalUrl).toEqualTypeOf<string>();

  const listed = await credence.campaigns.list({ page: 2, limit: 50 });
  expectTypeOf(listed.pagination.total).toEqualTypeOf<number>();
  await credence.campaigns.list();

  const attempt = await credence.attempts.create({ challengeId: challenge.id, externalId: 'ada' });
  expectTypeOf(attempt.state).toEqualTypeOf<AttemptState>();
  const moved = await credence.attempts.progress({
    challengeId: challenge.id,
    attemptId: attempt.id,
    action: 'claim_completion',
  });
  expectTypeOf(moved.state).toEqualTypeOf<AttemptState>();
  expectTypeOf<(typeof attempt)['verificationDeadline']>().toEqualTypeOf<Attempt['verificationDeadline']>();

  const brands = await credence.brands.list();
  expectTypeOf(brands[0]?.slug).toEqualTypeOf<string | undefined>();
  const part = await credence.creators.list({ limit: 10 });
  expectTypeOf(part.pagination.total).toEqualTypeOf<number>();
  expectTypeOf(part.data[0]?.userId).toEqualTypeOf<number | undefined>();
  expectTypeOf(await credence.webhooks.list({ brandId: 1 })).items.toHaveProperty('url');
  // @ts-expect-error whose webhooks
  await credence.webhooks.list();

  // @ts-expect-error the slug is missing
  await credence.brands.create({ name: 'Acme' });
  // @ts-expect-error an id is a number
  await credence.attempts.create({ challengeId: '7', externalId: 'ada' });
  // @ts-expect-error an action that there is not
  await credence.attempts.progress({ challengeId: 1, attemptId: 1, action: 'verify' });
  // @ts-expect-error an input is required
  await credence.attempts.create();
  // @ts-expect-error an operation that there is not
  await credence.attempts.remove({ attemptId: 1 });
  // @ts-expect-error results are not to be changed
  brand.name = 'Other';
  // @ts-expect-error a caller has a role that exists
  await credence.brands.list({}, { caller: { role: 'root', tokenId: null, externalId: null, key: 'x' } });
}

/** What a team keeps of results has names. */
export async function results(): Promise<void> {
  const { brands, campaigns, creators, attempts, webhooks, challenges, lookups, tokens, audit, proofs } = credence;
  const mine: readonly Brand[] = await brands.list();
  const campaign: CampaignWithChallenge = await campaigns.create({
    brandId: mine[0]?.id ?? 0,
    title: 'Launch',
    pointsReward: 10,
    challenge: { targetUrl: 'https://www.instagram.com/p/abc/' },
  });
  const parts: [Campaign, Challenge] = [campaign.campaign, campaign.challenge];
  const listed: readonly Campaign[] = (await campaigns.list()).data;
  const registered: RegisteredCreator = await creators.register({ externalId: 'a', platform: 'tiktok', handle: 'a' });
  const everyone: readonly Creator[] = await creators.list();
  const attempt: Attempt = await attempts.get({ challengeId: 1, attemptId: 2 });
  const hooks: readonly Webhook[] = await webhooks.list({ brandId: 1 });
  const hook: Webhook = await webhooks.create({ brandId: 1, url: 'https://a.example', events: ['reward.issued'] });
  const delivery: Delivery = await webhooks.getDelivery({ brandId: 1, webhookId: 2, deliveryId: 3 });
  const comments: readonly Comment[] = (await challenges.listComments({ challengeId: 1 })).data;
  const stats: PostStats = await lookups.post({ url: 'https://www.tiktok.com/@a/video/1' });
  const token: ApiToken | undefined = (await tokens.list())[0];
  const line: AuditEntry | undefined = (await audit.list()).data[0];
  const proof: WebProof = await proofs.prove({ url: 'https://api.example.com/me' });
  const verified: VerifiedWebProof = await proofs.verify(proof);
  const summary: ResultOf<Credence['campaigns']['summarise']> = await campaigns.summarise({ id: campaign.campaign.id });
  expectTypeOf(summary.totalPointsIssued).toEqualTypeOf<number>();
  expectTypeOf<ResultOf<Credence['brands']['list']>>().items.toEqualTypeOf<Brand>();
  // @ts-expect-error a webhook is shown without what its secret is sealed in
  hook.sealedSecret;
  use(parts, listed, registered, everyone, attempt, hooks, delivery, comments, stats, token, line, verified);
}

/** Results have the names that editors show. */
export function namedResults(): void {
  expectTypeOf(credence.campaigns.get).returns.resolves.toEqualTypeOf<CampaignDetail>();
  expectTypeOf(credence.campaigns.list).returns.resolves.toEqualTypeOf<ListPage<Campaign>>();
  expectTypeOf(credence.webhooks.create).returns.resolves.toEqualTypeOf<WebhookWithSecret>();
}

declare function use(...values: unknown[]): void;

export async function proofsArePassedOn(client: CredenceClient): Promise<void> {
  const proof = await credence.proofs.prove({ url: 'https://api.example.com/me' });
  await credence.proofs.verify(proof);
  await credence.proofs.compress({ presentation: proof });
  // @ts-expect-error a version that there is not
  await credence.proofs.verify({ ...proof, version: 'other' });

  const remote = await client.proofs.prove({ url: 'https://api.example.com/me' });
  await client.proofs.verify(remote);
  await client.proofs.compress({ presentation: remote });
}

export function events(): void {
  credence.on(
    'reward.issued',
    ({ event, data, timestamp, messageId }) => {
      expectTypeOf(event).toEqualTypeOf<'reward.issued'>();
      expectTypeOf(data.points).toEqualTypeOf<number>();
      expectTypeOf(timestamp).toEqualTypeOf<Date>();
      expectTypeOf(messageId).toEqualTypeOf<string>();
      // @ts-expect-error only a failure has a reason
      data.reason;
    },
    { name: 'points-ledger' },
  );
  credence.on(
    '*',
    async (event, { signal }) => {
      expectTypeOf(event).toEqualTypeOf<SubscriberEvent>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      // The union is told apart by the name.
      if (event.event === 'verification.failed') {
        expectTypeOf(event.data.reason).toEqualTypeOf<'retryable' | 'terminal'>();
      } else if (event.event === 'reward.issued' || event.event === 'reward.reversed') {
        expectTypeOf(event.data.points).toEqualTypeOf<number>();
      } else if (event.event === 'platform.drifted' || event.event === 'platform.recovered') {
        expectTypeOf(event.brandId).toEqualTypeOf<null>();
      } else if (event.event === 'account.connected') {
        expectTypeOf(event.brandId).toEqualTypeOf<null>();
        expectTypeOf(event.data.method).toEqualTypeOf<'bio_code' | 'web_proof'>();
      } else if (event.event === 'engagement.removed') {
        expectTypeOf(event.data.removal).toEqualTypeOf<'removed' | 'hidden'>();
      } else if (event.event === 'connection.expired') {
        expectTypeOf(event.brandId).toEqualTypeOf<number>();
      } else {
        expectTypeOf(event.event).toEqualTypeOf<'creator.verified'>();
      }
    },
    { name: 'audit' },
  );
  // @ts-expect-error an event that there is not
  credence.on('reward.revoked', () => undefined, { name: 'x' });
  // @ts-expect-error a subscriber has a name
  credence.on('reward.issued', () => undefined);
}

export function errors(error: unknown): void {
  if (!isDomainError(error, 'NOT_FOUND', 'CONFLICT')) return;
  expectTypeOf(error).toEqualTypeOf<DomainError>();
  expectTypeOf(error.code).toEqualTypeOf<ErrorCode>();
  expectTypeOf(error.status).toEqualTypeOf<number>();
  // @ts-expect-error a code that there is not
  isDomainError(error, 'GONE');
}

export async function mounts(): Promise<void> {
  const app = fastify();
  await app.register(credenceFastify(credence), { prefix: '/engagement' });
  express().use('/engagement', credenceExpress(credence));
  expectTypeOf(credenceFetch(credence, { basePath: '/engagement' })).toEqualTypeOf<
    (request: Request) => Promise<Response>
  >();
  // @ts-expect-error an option that there is not
  credenceFetch(credence, { prefix: '/engagement' });
}

export function adapters(): void {
  expectTypeOf(createSqliteStorage({ path: ':memory:' })).toExtend<Storage>();
  expectTypeOf(createMongoStorage({ url: 'mongodb://localhost' })).toExtend<Storage>();
  expectTypeOf(createPostgresStorage({ url: 'postgres://localhost/db' })).toExtend<Storage>();
  expectTypeOf(instagram({ sessionIds: ['a'] })).toEqualTypeOf<PlatformAdapter>();
  expectTypeOf<ReturnType<PlatformAdapter['create']>>().toEqualTypeOf<Platform>();
  // @ts-expect-error the path is missing
  sqlite({});
  // @ts-expect-error a pool has a size
  mongodb({ url: 'mongodb://localhost', maxPoolSize: 'large' });
  // @ts-expect-error sessions are a list
  instagram({ sessionIds: 'a' });
}

export function ownStorage(mine: Storage): void {
  createCredence({ storage: mine });
  // @ts-expect-error a storage has all stores
  createCredence({ storage: { creators: mine.creators } });
}

export function contracts(contract: StorageContract): void {
  storageContract(contract);
  // @ts-expect-error the world is missing
  storageContract({ name: 'mine' });
}

export async function client(): Promise<void> {
  const api: CredenceClient = createCredenceClient({ url: 'https://api.example.com', token: async () => 'secret' });
  const brand = await api.brands.create({ name: 'Acme', slug: 'acme' }, { idempotencyKey: 'key', timeoutMs: 500 });
  expectTypeOf(brand.createdAt).toEqualTypeOf<string>();
  for await (const campaign of api.campaigns.list({ limit: 100 })) expectTypeOf(campaign.title).toEqualTypeOf<string>();
  const { data, pagination } = await api.webhooks.listDeliveries({ brandId: 1, webhookId: 2 });
  expectTypeOf(data[0]?.status).toEqualTypeOf<'pending' | 'succeeded' | 'failed' | 'cancelled' | undefined>();
  expectTypeOf(pagination.total).toEqualTypeOf<number>();
  expectTypeOf(
    new CredenceApiError({ status: 409, code: null, message: '', requestId: null, retryAfterSeconds: 1 }),
  ).toExtend<Error>();

  // @ts-expect-error a slug is missing
  await api.brands.create({ name: 'Acme' });
  // @ts-expect-error an id is a number
  await api.campaigns.get({ id: '5' });
  // @ts-expect-error callbacks are signed by a service: a client has none
  await api.connections.acceptProof({});
}
