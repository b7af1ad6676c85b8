import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createMemoryRateLimiter } from '../../../adapters/memory-rate-limiter/index.ts';
import { createSqliteStorage } from '../../../adapters/sqlite/index.ts';
import type { Caller } from '../../../core/access/token.ts';
import { DomainError } from '../../../core/errors.ts';
import type { RateLimiter } from '../../../core/ports/rate-limiter.ts';
import type { Storage } from '../../../core/ports/storage.ts';
import { createSecretBox } from '../../../core/security/secret-box.ts';
import { createAnswerOnce } from '../../../plugins/http/dispatch/answer-once.ts';
import type { Dispatcher, DispatcherDeps } from '../../../plugins/http/dispatcher.ts';
import { LimitExceeded } from '../../../plugins/http/limits.ts';
import type { HttpRequest } from '../../../plugins/http/message.ts';
import type { Reply, Route } from '../../../plugins/http/route.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { type Input, jsonRequest, row as plainRow, request, testDispatcher } from './requests.ts';

const START = new Date('2026-11-01T09:30:00Z');
const DAY_MS = 24 * 60 * 60 * 1_000;

let storage: Storage;
let limiter: RateLimiter;
let passed: number;
let runs: number;
let logger: ReturnType<typeof createRecordingLogger>;
const clock = { now: () => new Date(START.getTime() + passed) };

beforeEach(async () => {
  storage = createSqliteStorage({ path: ':memory:' });
  await storage.open();
  [passed, runs] = [0, 0];
  limiter = createMemoryRateLimiter();
  logger = createRecordingLogger();
  return () => storage.close();
});

function dispatcher(key = 1, changes: Partial<DispatcherDeps> = {}): Dispatcher {
  const secretBox = createSecretBox(new Uint8Array(32).fill(key));
  const answerOnce = createAnswerOnce({ store: storage.idempotency, secretBox, limiter, clock, logger });
  return testDispatcher({ answerOnce, ...changes });
}

/** A row that counts how often it runs. */
function row(changes: Partial<Route> = {}, handle?: (input: Input) => Promise<Reply>): Route {
  return plainRow({ body: z.object({ name: z.string() }), ...changes }, async (input) => {
    runs += 1;
    return handle === undefined ? { status: 201, body: { run: runs }, headers: { location: '/x' } } : handle(input);
  });
}

interface Sent {
  readonly key?: string;
  readonly name?: string;
  readonly route?: Route;
  readonly token?: string;
  readonly changes?: Partial<HttpRequest>;
  readonly by?: Dispatcher;
}

async function send({ key = 'a', name = 'x', route = row(), token = 'admin', changes, by = dispatcher() }: Sent = {}) {
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key };
  const { status, headers: sent, body } = await by.dispatch(route, jsonRequest({ name }, { ...changes, headers }));
  return { status, body: JSON.parse(String(body)), replayed: sent['idempotent-replayed'], headers: sent };
}

describe('a request with an Idempotency-Key', () => {
  it('is another one with another key, caller, row, path or without a key', async () => {
    await send();
    const params = { id: '1' };
    await send({ key: 'b' });
    await send({ token: 'client', route: row({ access: 'token' }) });
    await send({ route: row({ id: 'other' }) });
    await send({ changes: { params } });
    expect(runs).toBe(5);
    const none = jsonRequest({ name: 'x' });
    await dispatcher().dispatch(row(), none);
    await dispatcher().dispatch(row(), none);
    expect(runs).toBe(7);
  });

  it('is another one for each creator and brand that a host counts under one key', async () => {
    const route = row({ access: 'token', brand: 'any' });
    const people: readonly Partial<Caller>[] = [
      { role: 'creator', externalId: 'ann' },
      { role: 'creator', externalId: 'bob' },
      { role: 'brand', brandId: 1 },
      { role: 'brand', brandId: 2 },
      { role: 'client' },
      { role: 'admin' },
    ];
    for (const person of people) {
      const caller = { role: 'client', tokenId: null, externalId: null, key: 'app', ...person } as const;
      const by = dispatcher(1, { identify: () => caller });
      expect([await send({ route, by }), await send({ route, by })]).toMatchObject([
        { status: 201, replayed: undefined },
        { status: 201, replayed: 'true' },
      ]);
    }
    expect(runs).toBe(people.length);
  });

  it('is refused with 409 and Retry-After while the first one runs, in another process too', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const route = row({}, async () => promise.then(() => ({ status: 200, body: { done: true } })));
    const first = send({ route });
    await vi.waitFor(() => expect(runs).toBe(1));
    const second = await send({ route, by: dispatcher() });
    expect(second).toMatchObject({ status: 409, body: { error: { code: 'IDEMPOTENCY_KEY_IN_USE' } } });
    expect(second.headers['retry-after']).toBe('1');
    resolve();
    expect(await first).toMatchObject({ status: 200 });
    expect(await send({ route })).toMatchObject({ status: 200, body: { done: true }, replayed: 'true' });
    expect(runs).toBe(1);
  });

  const rule = { name: 'lookups', units: 1, windowSeconds: 60 };
  const decision = { allowed: false, limit: 1, remaining: 0, resetSeconds: 5 };
  it.each<[string, Error]>([
    ['a failure of an upstream', new DomainError('PLATFORM_UNAVAILABLE', 'Later.')],
    ['a defect', new TypeError('x is not a function')],
    ['a rate limit', new LimitExceeded({ rule, key: 'k', units: 1 }, decision)],
    ['a refusal that says when to come again', new DomainError('CONFLICT', 'Later.', { retryAfterSeconds: 3 })],
  ])('runs again after %s, and leaves the key free for another request', async (_, failure) => {
    const route = row({}, async () => {
      if (runs === 1) throw failure;
      return { status: 201, body: { run: runs } };
    });
    expect((await send({ route })).status).toBeGreaterThanOrEqual(409);
    expect(await send({ route, name: 'y' })).toMatchObject({ status: 201, body: { run: 2 }, replayed: undefined });
    expect(await send({ route })).toMatchObject({ status: 422 });
  });

  it('runs again after a refusal of its form, which no key is claimed for', async () => {
    expect(await send({ name: 1 as unknown as string })).toMatchObject({ status: 400 });
    expect(await send()).toMatchObject({ status: 201, body: { run: 1 } });
  });

  it('runs again 24 hours later', async () => {
    await send();
    passed = DAY_MS - 1;
    expect(await send()).toMatchObject({ body: { run: 1 } });
    passed = DAY_MS;
    expect(await send({ name: 'y' })).toMatchObject({ body: { run: 2 }, replayed: undefined });
  });

  it('keeps its lease as long as it runs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { promise, resolve } = Promise.withResolvers<void>();
    const route = row({}, () => promise.then(() => ({ status: 200, body: {} })));
    const first = send({ route });
    await vi.waitFor(() => expect(runs).toBe(1), { timeout: 5_000, interval: 1 });
    const renewed = vi.spyOn(storage.idempotency, 'renew');
    for (const at of [10_000, 20_000, 30_000]) {
      passed = at;
      vi.advanceTimersByTime(10_000);
      await renewed.mock.results.at(-1)?.value;
    }
    passed = 45_000;
    expect(await send({ route })).toMatchObject({ status: 409 });
    resolve();
    await first;
    vi.advanceTimersByTime(60_000);
    expect(renewed).toHaveBeenCalledTimes(3);
  });

  it('is answered though its answer cannot be stored, and the log says so', async () => {
    vi.spyOn(storage.idempotency, 'end').mockRejectedValueOnce(new DomainError('SERVICE_UNAVAILABLE', 'Down.'));
    expect(await send()).toMatchObject({ status: 201, body: { run: 1 } });
    expect(logger.lines).toMatchObject([{ level: 'warn' }]);
    expect(await send()).toMatchObject({ status: 409 });
  });

  it('runs again if its answer was larger than four megabytes', async () => {
    const route = row({}, async () => ({ status: 200, body: 'x'.repeat(4 * 1024 * 1024) }));
    await send({ route });
    await send({ route });
    expect(runs).toBe(2);
  });

  it('is answered once while the large answers of its caller come to 256 MiB; then it runs again, small answers do not', async () => {
    const stored = { name: 'stored-answers', units: 256 * 1024, windowSeconds: DAY_MS / 1_000 };
    await limiter.consume(stored, 'token:1', stored.units - 40);
    const answering = (text: string) => async () => ({ status: 200, body: { run: runs, text } });
    const large = row({ access: 'token' }, answering('ü'.repeat(9 * 1024)));
    const small = row({}, answering('ü'.repeat(8 * 1024 - 100)));
    const again = async (key: string, sent: Sent) => {
      await send({ key, ...sent });
      return (await send({ key, ...sent })).replayed;
    };
    expect([await again('1', { route: large }), await again('2', { route: large })]).toEqual(['true', 'true']);
    expect(await again('beyond', { route: large })).toBeUndefined();
    expect(await again('small', { route: small })).toBe('true');
    expect(await again('other', { route: large, token: 'client' })).toBe('true');
  });

  it('stores no answer in the clear, and opens none with another key of secrets', async () => {
    const keep = vi.spyOn(storage.idempotency, 'end');
    const route = row({}, async () => ({ status: 201, body: { secret: 'whsec_plain' } }));
    await send({ route });
    expect(keep.mock.calls[0]?.[2]).toMatch(/^x1\./);
    expect(JSON.stringify(keep.mock.calls)).not.toContain('whsec_plain');
    expect(await send({ route, by: dispatcher(2) })).toMatchObject({ status: 500 });
    expect(runs).toBe(1);
  });

  it.each(['"a"', 'a'])('has the same key with and without the quotes of a structured field: %s', async (key) => {
    await send({ key: 'a' });
    expect(await send({ key })).toMatchObject({ replayed: 'true' });
  });

  it.each(['', '""', 'a"b', 'ä', '"a', '"a"; p=1', 'x'.repeat(256)])(
    'is refused with a key that is none: %s',
    async (key) => {
      expect(await send({ key })).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
      expect(runs).toBe(0);
    },
  );

  it('has a key of at most 255 characters', async () => {
    expect(await send({ key: 'x'.repeat(255) })).toMatchObject({ status: 201 });
    expect(await send({ key: '"with \\"quotes\\" and blanks"' })).toMatchObject({ status: 201 });
  });

  it.each<[string, Partial<Route>]>([
    ['other methods', { method: 'PATCH' }],
    ['rows for anybody', { access: 'public' }],
    ['callbacks of strangers', { access: 'callback' }],
    ['rows without effect', { idempotencyKeys: false }],
  ])('runs each time on %s', async (_, changes) => {
    const route = row(changes);
    await send({ route });
    await send({ route, key: '' });
    expect(runs).toBe(2);
  });

  it('is answered once on a callback whose sender is checked', async () => {
    const route = row({ access: 'callback', checkSender: () => undefined });
    await send({ route });
    expect(await send({ route })).toMatchObject({ replayed: 'true' });
  });

  it('keeps no headers of limits, and the text of an answer that is no JSON', async () => {
    const limits = () => [{ rule: { ...rule, units: 9 }, key: 'k', units: 1 }];
    const page = { status: 200, body: '<p>', contentType: 'text/html' };
    const route = row({ body: undefined, limits }, async () => page);
    const sent = request({ headers: { authorization: 'Bearer admin', 'idempotency-key': 'a' } });
    const by = dispatcher();
    const [first, again] = [await by.dispatch(route, sent), await by.dispatch(route, sent)];
    expect(first.headers).toHaveProperty('ratelimit');
    expect(again).toMatchObject({ status: 200, body: '<p>', headers: { 'content-type': 'text/html' } });
    expect(again.headers).not.toHaveProperty('ratelimit');
  });
});
