import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { UsageMeter } from '../../../core/access/usage.ts';
import { DomainError } from '../../../core/errors.ts';
import type { Notary } from '../../../core/ports/notary.ts';
import { createByteCounter } from '../../../plugins/http/byte-counter.ts';
import { defineRoute, type Route } from '../../../plugins/http/route.ts';
import { createNotaryRoutes } from '../../../plugins/http/routes/notary.ts';
import { createWebProverRoutes, type WebProverRouteDeps } from '../../../plugins/http/routes/web-prover.ts';
import { request, streamOf, testDispatcher } from './requests.ts';

const OPTIONS = { freeBytes: 10, callerBytes: 100, totalBytes: 150 };
const refusal = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 });

describe('the counter of bytes', () => {
  it('counts what is beyond the free part, piece by piece, up to what a caller and all together may hold', () => {
    const budget = createByteCounter(OPTIONS);
    const small = Array.from({ length: 50 }, () => budget.open('ann'));
    for (const share of small) share.take(10);
    const first = budget.open('ann');
    for (let piece = 0; piece < 11; piece += 1) first.take(10);
    expect(() => first.take(1)).toThrow(refusal);
    expect(() => budget.open('ann').take(11)).toThrow(refusal);
    const others = budget.open('bob');
    others.take(60);
    expect(() => others.take(1)).toThrow(refusal);
    expect(() => budget.open('cid').take(11)).toThrow(refusal);
  });

  it('ends what began first to make room, of the same caller if it is the caller who holds too much', () => {
    const budget = createByteCounter({ freeBytes: 0, callerBytes: 100, totalBytes: 150, endsOldest: true });
    const [ann, bob, other, cid] = ['ann', 'bob', 'bob', 'cid'].map((caller) => budget.open(caller));
    ann?.take(40);
    bob?.take(60);
    other?.take(50);
    expect([ann, bob].map((share) => share?.ended?.aborted)).toEqual([false, true]);
    cid?.take(70);
    expect(ann?.ended?.reason).toEqual(refusal);
    expect([ann, bob, other, cid].map((share) => share?.held)).toEqual([0, 0, 50, 70]);
    // The oldest one has nobody to end but itself.
    expect(() => other?.take(40)).toThrow(refusal);
    expect(() => cid?.take(31)).toThrow(refusal);
    expect([other, cid].map((share) => share?.held)).toEqual([50, 70]);
  });

  it('looks at no other share as long as there is room, however many there are', () => {
    const budget = createByteCounter({ freeBytes: 0, callerBytes: 100, totalBytes: 150, endsOldest: true });
    const [first, ...others] = ['ann', 'ann', 'bob'].map((caller) => budget.open(caller));
    using looks = vi.spyOn(Map.prototype, 'keys');
    for (const share of [first, ...others]) for (let piece = 0; piece < 50; piece += 1) share?.take(1);
    expect(looks).not.toHaveBeenCalled();
    first?.release();
    for (const share of others) share.take(25);
    expect(looks).not.toHaveBeenCalled();
    others[1]?.take(1);
    expect(looks).toHaveBeenCalled();
    expect(others.map((share) => share.ended?.aborted)).toEqual([true, false]);
  });

  it('does not count what it refuses', () => {
    const share = createByteCounter(OPTIONS).open('ann');
    share.take(50);
    expect(() => share.take(61)).toThrow(refusal);
    expect(share.held).toBe(40);
    share.take(60);
    expect(share.held).toBe(100);
    expect(() => share.take(1)).toThrow(refusal);
  });

  it('counts beyond what may be held when it is told to', () => {
    const budget = createByteCounter(OPTIONS);
    const share = budget.open('ann');
    share.count(210);
    expect(share.held).toBe(200);
    expect(() => budget.open('bob').take(11)).toThrow(refusal);
    budget.open('bob').take(10);
    share.release();
    budget.open('ann').take(110);
  });
});

describe('a dispatcher', () => {
  const answering = (handle: Route['handle']) =>
    ({
      ...defineRoute('answering', 'POST /answering', {
        summary: 's',
        tag: 't',
        access: 'admin',
        body: z.object({}),
        responses: {},
        handle: async () => ({ status: 200 }),
      }),
      handle,
    }) as Route;
  const json = { authorization: 'Bearer admin', 'content-type': 'application/json' };
  const posted = () => request({ headers: json, body: streamOf('{}').source });

  it('holds a large refusal like every other answer', async () => {
    const byteCounter = createByteCounter({ freeBytes: 1_000, callerBytes: 5_000, totalBytes: 5_000 });
    const route = answering(async () => {
      throw new DomainError('CONFLICT', 'a'.repeat(4_000));
    });
    const { status, release } = await testDispatcher({ byteCounter }).dispatch(route, posted());
    expect(status).toBe(409);
    expect(() => byteCounter.open('another').take(5_000)).toThrow(refusal);
    release?.();
    byteCounter.open('another').take(6_000);
  });

  it.each(['prove', 'notarize'])('refuses to %s before the request is made', async (id) => {
    const byteCounter = createByteCounter({ freeBytes: 300, callerBytes: 3_000, totalBytes: 3_000 });
    const dispatcher = testDispatcher({ byteCounter });
    const made: unknown[] = [];
    const make = async (asked: unknown) => {
      made.push(asked);
      return { data: '00', version: '2.0.0', meta: { notaryUrl: 'https://notary.test' } };
    };
    const routes = [
      ...createWebProverRoutes({
        useCases: async () => ({ prove: make }),
        usage: { count: async () => undefined } as Partial<UsageMeter> as UsageMeter,
      } as object as WebProverRouteDeps),
      ...createNotaryRoutes({ notary: async () => ({ notarize: make }) as Partial<Notary> as Notary }),
    ];
    const route = routes.find((each) => each.id === id) as Route;
    const prove = async (fields: object) => {
      const body = JSON.stringify({ url: 'https://a.test/', ...fields });
      return (await dispatcher.dispatch(route, request({ headers: json, body: streamOf(body).source }))).status;
    };
    expect(await prove({ maxRecvData: 2_000 })).toBe(503);
    expect(await prove({ maxRecvData: 1_000, method: 'POST', body: 'ż'.repeat(400) })).toBe(503);
    expect(made).toHaveLength(0);
    expect(await prove({ maxRecvData: 1_000 })).toBe(200);
    expect(made).toHaveLength(1);
  });
});
