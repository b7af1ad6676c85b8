import { describe, expect, it } from 'vitest';
import type { ConnectionRequest } from '../../../core/engagement/connections/connection.ts';
import { later, parallel, T0, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function connectionStoreContract(create: () => Promise<StorageWorld>): void {
  describe('connections', () => {
    const stage = prepareStage(create);
    const newRequest = (): ConnectionRequest => ({
      id: unique('request'),
      externalId: '{"$gt":""}',
      platform: 'tiktok',
      handle: null,
      code: 'CODE-1',
      status: 'pending',
      checks: 0,
      maxChecks: 5,
      accountId: null,
      createdAt: T0,
      expiresAt: later(900),
      revision: 0,
    });

    it('are created and found', async () => {
      const request = newRequest();
      await stage.storage.connections.create(request);
      expect(await stage.other.connections.find(request.id)).toEqual(request);
      expect(await stage.other.connections.find('unknown')).toBeNull();
      const operator = { $gt: '' } as unknown as string;
      expect(await stage.other.connections.find(operator).catch(() => null)).toBeNull();
    });

    it('create: stores no more open requests of one creator than allowed, also of concurrent callers', async () => {
      const externalId = unique('creator');
      const of = (more: Partial<ConnectionRequest> = {}) => ({ ...newRequest(), externalId, ...more });
      await stage.storage.connections.create(of({ status: 'connected' }));
      await stage.storage.connections.create(of({ expiresAt: T0 }));
      const first = later(60);
      expect(await stage.storage.connections.create(of({ expiresAt: first }), 3)).toEqual({ stored: true });
      const requests = Array.from({ length: 12 }, () => of());
      const outcomes = await parallel(12, (index) => {
        const request = requests[index] as ConnectionRequest;
        return stage.turn(index).connections.create(request, 3);
      });
      const stored = outcomes.filter((outcome) => outcome.stored).length;
      expect(stored).toBeLessThanOrEqual(2);
      for (const [index, { id }] of requests.entries()) {
        expect((await stage.other.connections.find(id)) !== null).toBe(outcomes[index]?.stored);
      }
      for (let left = stored; left < 2; left += 1)
        expect(await stage.storage.connections.create(of(), 3)).toEqual({ stored: true });
      expect(await stage.other.connections.create(of(), 3)).toEqual({ stored: false, until: first });
      expect(await stage.storage.connections.create({ ...newRequest(), externalId: unique('creator') }, 3)).toEqual({
        stored: true,
      });
      const afterwards = of({ createdAt: first, expiresAt: later(9_000) });
      expect(await stage.storage.connections.create(afterwards, 3)).toEqual({ stored: true });
    });

    it('update: of concurrent callers exactly one writes', async () => {
      const request = newRequest();
      await stage.storage.connections.create(request);
      const results = await parallel(12, (index) => {
        const after = {
          ...request,
          status: 'connected',
          checks: index + 1,
          handle: 'h',
          accountId: 3,
          revision: 1,
        } as const;
        return stage.turn(index).connections.update(request, after);
      });
      expect(results.filter((one) => one)).toHaveLength(1);
      const checks = results.indexOf(true) + 1;
      expect(await stage.storage.connections.find(request.id)).toEqual({
        ...request,
        status: 'connected',
        checks,
        handle: 'h',
        accountId: 3,
        revision: 1,
      });
    });

    it('claimOnce: true for one caller until the key expired', async () => {
      const key = unique('callback');
      const claim = (index: number, expiresAt: Date, now: Date) =>
        stage.turn(index).connections.claimOnce(key, expiresAt, now);
      const first = await parallel(12, (index) => claim(index, later(60), T0));
      expect(first.filter((one) => one)).toHaveLength(1);
      expect(await claim(0, later(90), later(59))).toBe(false);
      const second = await parallel(12, (index) => claim(index, later(200), later(60)));
      expect(second.filter((one) => one)).toHaveLength(1);
      expect(await claim(1, later(300), later(199))).toBe(false);
      // Long after, when expired keys have been swept away.
      expect(await claim(0, later(90_060), later(90_000))).toBe(true);
      expect(await claim(1, later(90_060), later(90_001))).toBe(false);
    });

    it('claimOnce: again for the same holder, for no other, until the key expired', async () => {
      const key = unique('proof');
      const claim = (index: number, holder: string | undefined, expiresAt: Date, now: Date) =>
        stage.turn(index).connections.claimOnce(key, expiresAt, now, holder);
      const holderOf = (now: Date) => stage.other.connections.holderOf(key, now);
      expect(await holderOf(T0)).toBeNull();
      const holders = ['a', 'b', 'c'];
      const results = await parallel(12, (index) => claim(index, holders[index % 3], later(60), T0));
      const holder = holders[results.indexOf(true) % 3];
      expect(results).toEqual(results.map((_, index) => holders[index % 3] === holder));
      expect(await holderOf(later(59))).toBe(holder);
      expect(await claim(0, holder, later(90), later(59))).toBe(true);
      expect(await claim(1, 'other', later(90), later(59))).toBe(false);
      expect(await claim(1, undefined, later(90), later(59))).toBe(false);
      // Claiming again does not make it last longer.
      expect(await holderOf(later(60))).toBeNull();
      expect(await claim(1, 'other', later(200), later(60))).toBe(true);
      expect(await claim(0, holder, later(200), later(61))).toBe(false);
      expect(await holderOf(later(61))).toBe('other');
      expect(await claim(0, undefined, later(300), later(200))).toBe(true);
      expect(await holderOf(later(201))).toBeNull();
      expect(await claim(0, 'other', later(300), later(201))).toBe(false);
      expect(await stage.other.connections.holderOf(unique('unknown'), T0)).toBeNull();
    });
  });
}
