import { describe, expect, it } from 'vitest';
import { later, newToken, parallel, T0 } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function tokenStoreContract(create: () => Promise<StorageWorld>): void {
  describe('tokens', () => {
    const stage = prepareStage(create);

    it('active admins are those that are not revoked', async () => {
      const { tokens } = stage.storage;
      const hasAdmin = async ({ tokens: of }: typeof stage.storage) =>
        (await of.list({ activeAdmins: true }, { page: 1, limit: 1 })).total > 0;
      await tokens.create(newToken({ role: 'client' }));
      expect(await hasAdmin(stage.storage)).toBe(false);
      const admin = await tokens.create(newToken({ role: 'admin' }));
      expect(await hasAdmin(stage.other)).toBe(true);
      await tokens.revoke(admin.id, T0);
      expect(await hasAdmin(stage.other)).toBe(false);
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
      const listed = (await stage.other.tokens.list({})).items;
      expect(listed).toContainEqual(revoked);
      expect(listed.map((one) => one.id)).toEqual(listed.map((one) => one.id).sort((a, b) => a - b));
    });

    it.each([2, 3, 5])('of %i admins who revoke each other at once, some stay, and those are told', async (count) => {
      const { tokens } = stage.storage;
      for (let round = 0; round < 10; round += 1) {
        const made = await parallel(count, () => tokens.create(newToken({ role: 'admin' })));
        const stores = [tokens, stage.other.tokens];
        const outcomes = await parallel(count, (at) => {
          const [by = 0, id = 0] = [made[at]?.id, made[(at + 1) % count]?.id];
          return (stores[at % 2] as typeof tokens).revoke(id, T0, by);
        });
        const left = (await tokens.list({ ids: made.map(({ id }) => id) })).items.filter(
          ({ revokedAt }) => revokedAt === null,
        );
        const revoked = outcomes.filter((one) => one !== false);
        expect(left.length).toBeGreaterThan(0);
        expect(revoked).toHaveLength(count - left.length);
        for (const one of left) expect(await tokens.findByHash(one.hash)).toEqual(one);
      }
    });

    it('are revoked by a token that is not revoked, as often as it likes', async () => {
      const { tokens } = stage.storage;
      const [by, first, second] = await parallel(3, () => tokens.create(newToken({ role: 'admin' })));
      const ids = [first?.id ?? 0, second?.id ?? 0];
      await parallel(2, (at) => tokens.revoke(ids[at] ?? 0, T0, by?.id));
      expect((await tokens.list({ ids })).items.map(({ revokedAt }) => revokedAt)).toEqual([T0, T0]);
      expect(await tokens.revoke(ids[0] ?? 0, later(1), by?.id)).toEqual({ ...first, revokedAt: T0 });
      expect(await tokens.revoke(987_654, T0, by?.id)).toBeNull();
      expect(await tokens.revoke(by?.id ?? 0, T0, ids[0])).toBe(false);
      expect(await stage.other.tokens.findByHash(by?.hash ?? '')).toEqual(by);
    });

    it('are found by many ids at once, by id; those that are not there are left out', async () => {
      const { tokens } = stage.storage;
      const made = [await tokens.create(newToken()), await tokens.create(newToken()), await tokens.create(newToken())];
      const [first, second, third] = made.map(({ id }) => id) as [number, number, number];
      const revoked = await tokens.revoke(second, later(1));
      const found = (await stage.other.tokens.list({ ids: [third, second, 987_654, first, first] })).items;
      expect(found).toEqual([made[0], revoked, made[2]]);
      expect((await tokens.list({ ids: [] })).items).toEqual([]);
      await expect((async () => tokens.list({ ids: Array.from({ length: 1_001 }, () => 1) }))()).rejects.toThrow(
        RangeError,
      );
      await expect((async () => tokens.list({ ids: [Number.NaN] }))()).rejects.toThrow(TypeError);
    });

    it('a long list is read whole, in its order', async () => {
      const { tokens } = stage.storage;
      for (let made = 0; made < 1_050; made += 150) await parallel(150, () => tokens.create(newToken()));
      const ids = (await tokens.list({})).items.map(({ id }) => id);
      expect(ids.length).toBeGreaterThanOrEqual(1_050);
      expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
    });

    it('an operator in place of a hash matches nothing', async () => {
      await stage.storage.tokens.create(newToken({ role: 'admin' }));
      const hash = { $gt: '' } as unknown as string;
      expect(await stage.storage.tokens.findByHash(hash).catch(() => null)).toBeNull();
    });
  });
}
