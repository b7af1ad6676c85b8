import { describe, expect, it } from 'vitest';
import type { ConnectionRequest } from '../../../core/engagement/connections/connection.ts';
import { later, newConnectionRequest, parallel, T0, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function connectionStoreContract(create: () => Promise<StorageWorld>): void {
  describe('connections', () => {
    const stage = prepareStage(create);
    const newRequest = () => newConnectionRequest({ externalId: '{"$gt":""}', code: 'CODE-1' });

    it('are created and found', async () => {
      const request = { ...newRequest(), returnUrl: 'https://app.example/' };
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
  });
}
