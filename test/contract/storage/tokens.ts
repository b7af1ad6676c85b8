import { describe, expect, it } from 'vitest';
import { later, newToken, T0 } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function tokenStoreContract(create: () => Promise<StorageWorld>): void {
  describe('tokens', () => {
    const stage = prepareStage(create);

    it('hasAdmin: only with an admin token that is not revoked', async () => {
      const { tokens } = stage.storage;
      await tokens.create(newToken({ role: 'client' }));
      expect(await tokens.hasAdmin()).toBe(false);
      const admin = await tokens.create(newToken({ role: 'admin' }));
      expect(await stage.other.tokens.hasAdmin()).toBe(true);
      await tokens.revoke(admin.id, T0);
      expect(await stage.other.tokens.hasAdmin()).toBe(false);
    });

    it('are found by hash until revoked, and listed all the same', async () => {
      const { tokens } = stage.storage;
      const quota = { requests: 5, windowSeconds: 60 };
      const given = newToken({ role: 'brand', externalId: 'ext', brandId: 7, quota, lastUsedAt: T0 });
      const token = await tokens.create(given);
      expect(token).toEqual({ ...given, id: token.id });
      expect(await stage.other.tokens.findByHash(given.hash)).toEqual(token);
      expect(await tokens.findByHash('unknown')).toBeNull();
      const revoked = await tokens.revoke(token.id, later(1));
      expect(revoked).toEqual({ ...token, revokedAt: later(1) });
      expect(await tokens.revoke(token.id, later(2))).toEqual(revoked);
      expect(await tokens.revoke(987_654, T0)).toBeNull();
      expect(await stage.other.tokens.findByHash(given.hash)).toBeNull();
      const listed = await stage.other.tokens.list();
      expect(listed).toContainEqual(revoked);
      expect(listed.map((one) => one.id)).toEqual(listed.map((one) => one.id).sort((a, b) => a - b));
    });

    it('an operator in place of a hash matches nothing', async () => {
      await stage.storage.tokens.create(newToken({ role: 'admin' }));
      const hash = { $gt: '' } as unknown as string;
      expect(await stage.storage.tokens.findByHash(hash).catch(() => null)).toBeNull();
    });
  });
}
