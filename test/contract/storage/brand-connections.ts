import { describe, expect, it } from 'vitest';
import type { EventEntry } from '../../../core/engagement/webhooks/outbox.ts';
import { later, NASTY_TEXTS, newConnection, parallel, T0, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

export function brandConnectionStoreContract(create: () => Promise<StorageWorld>): void {
  describe('connections of brands', () => {
    const stage = prepareStage(create);
    const newBrand = async () => {
      const brand = { name: 'B', slug: unique('connected'), logoUrl: null, createdAt: T0 };
      return (await stage.storage.brands.create(brand))?.id ?? 0;
    };
    const connected = async (...given: Parameters<typeof newConnection>) => {
      const made = await stage.storage.brandConnections.connect(newConnection(...given));
      if (made === 'taken') throw new Error('The account is taken.');
      return made;
    };
    const event = (brandId: number): EventEntry => ({
      id: unique('connection'),
      kind: 'event',
      event: {
        event: 'connection.expired',
        timestamp: later(7),
        brandId,
        data: { connectionId: 1, platform: 'instagram', handle: 'acme', reason: 'revoked' },
      },
    });
    const outboxOf = async (id: number) =>
      (await stage.other.outbox.pending(1_000)).find(({ owner }) => owner === `brandConnections:${id}`)?.entries ?? [];

    it('are stored as they are, and listed by id', async () => {
      const brandId = await newBrand();
      const [text = ''] = NASTY_TEXTS;
      const failure = { at: later(3), error: 'PLATFORM_TIMEOUT', message: NASTY_TEXTS.join(), times: 2 };
      const first = await connected(brandId, { scopes: NASTY_TEXTS, lastFailure: failure, subscribedAt: later(2) });
      const second = await connected(brandId, { accountId: unique(text), expiresAt: null, renewAt: null });
      expect(first).toEqual({ ...newConnection(brandId), ...first, id: first.id, revision: 1 });
      expect(first.lastFailure).toEqual(failure);
      expect(first.scopes).toEqual(NASTY_TEXTS);
      expect(await stage.other.brandConnections.list({ brandId })).toEqual([first, second]);
      expect(await stage.other.brandConnections.list({ newest: true })).toEqual([second]);
      const { platform, accountId } = second;
      expect(await stage.other.brandConnections.list({ platform, accountId })).toEqual([second]);
      expect(await stage.other.brandConnections.list({ platform: 'toy', accountId })).toEqual([]);
      expect(await stage.other.brandConnections.find(first.id)).toEqual(first);
      expect(await stage.other.brandConnections.find(987_654)).toBeNull();
    });

    it('connect: the same brand keeps the id, another brand is refused', async () => {
      const [brandId, stranger] = [await newBrand(), await newBrand()];
      const accountId = unique('account');
      const before = await connected(brandId, { accountId, status: 'expired', handle: 'before', scopes: [] });
      const again = newConnection(brandId, { accountId, sealedTokens: 'others', handle: 'after' });
      expect(await stage.other.brandConnections.connect(again)).toEqual({ ...again, id: before.id, revision: 2 });
      expect(await stage.storage.brandConnections.connect(newConnection(stranger, { accountId }))).toBe('taken');
      // The number of an account means nothing on another platform.
      await connected(stranger, { accountId, platform: 'tiktok' });
    });

    it('connect: of concurrent brands exactly one gets the account', async () => {
      const brands = [await newBrand(), await newBrand()];
      const accountId = unique('account');
      const results = await parallel(12, (index) =>
        stage.turn(index).brandConnections.connect(newConnection(brands[index % 2] ?? 0, { accountId })),
      );
      const made = results.flatMap((one) => (one === 'taken' ? [] : [one]));
      expect(made).toHaveLength(6);
      expect(new Set(made.map(({ id, brandId }) => `${id} ${brandId}`)).size).toBe(1);
      expect(made.map(({ revision }) => revision).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    });

    it('update: one of concurrent callers changes it, together with its event', async () => {
      const brandId = await newBrand();
      const before = await connected(brandId);
      const results = await parallel(8, (index) =>
        stage.turn(index).brandConnections.update(before, { status: 'revoked', renewAt: null }, [event(brandId)]),
      );
      const after = { ...before, status: 'revoked', renewAt: null, revision: 2 };
      expect(results.filter((one) => one !== null)).toEqual([after]);
      expect(await stage.other.brandConnections.find(before.id)).toEqual(after);
      const entries = await outboxOf(before.id);
      expect(entries).toEqual([{ ...event(brandId), id: expect.any(String) }]);
      const owner = `brandConnections:${before.id}` as const;
      await stage.storage.outbox.acknowledge([{ owner, entryIds: entries.map(({ id }) => id) }]);
      expect(await outboxOf(before.id)).toEqual([]);
    });

    it('list: those that are due, the longest wait first', async () => {
      const brandId = await newBrand();
      const at = async (seconds: number | null) =>
        connected(brandId, {
          renewAt: seconds === null ? null : new Date(T0.getTime() - 86_400_000 + seconds * 1_000),
        });
      const [third, first, , , second] = [await at(3), await at(1), await at(null), await at(4), await at(2)];
      const dueBy = third?.renewAt ?? T0;
      const due = (limit: number) => stage.other.brandConnections.list({ dueBy, limit });
      expect(await due(10)).toEqual([first, second, third]);
      expect(await due(2)).toEqual([first, second]);
    });

    it('count: by platform and status', async () => {
      const countOf = async (status: string) =>
        (await stage.other.brandConnections.count()).find((one) => one.platform === 'toy' && one.status === status);
      const brandId = await newBrand();
      for (const status of ['active', 'active', 'scope'] as const)
        await connected(brandId, { platform: 'toy', status });
      expect(await countOf('active')).toEqual({ platform: 'toy', status: 'active', count: 2 });
      expect(await countOf('scope')).toEqual({ platform: 'toy', status: 'scope', count: 1 });
    });

    it('are deleted by their brand alone, and with it', async () => {
      const [brandId, stranger] = [await newBrand(), await newBrand()];
      const [one, two] = [await connected(brandId), await connected(brandId)];
      expect(await stage.storage.brandConnections.delete(stranger, one.id)).toBe(false);
      expect(await stage.storage.brandConnections.delete(brandId, one.id)).toBe(true);
      expect(await stage.other.brandConnections.delete(brandId, one.id)).toBe(false);
      expect(await stage.other.brandConnections.update(one, { status: 'expired' })).toBeNull();
      expect(await stage.other.brands.delete(brandId)).toBe('deleted');
      expect(await stage.storage.brandConnections.find(two.id)).toBeNull();
      const again = await connected(stranger, { accountId: two.accountId });
      expect(again.id).toBeGreaterThan(two.id);
    });

    it('remember how the API names posts', async () => {
      const { brandConnections } = stage.storage;
      const posts = NASTY_TEXTS.slice(0, -1).map((text) => ({
        contentId: unique(text),
        apiId: unique(text),
        accountId: text,
      }));
      const [post = { contentId: '', apiId: '', accountId: '' }] = posts;
      await parallel(4, (index) => stage.turn(index).brandConnections.rememberPosts('instagram', posts));
      await brandConnections.rememberPosts('instagram', [{ ...post, apiId: 'another' }]);
      await brandConnections.rememberPosts('instagram', []);
      for (const each of posts) {
        const { contentId, apiId } = each;
        expect(await stage.other.brandConnections.findPost('instagram', { contentId })).toEqual(each);
        expect(await stage.other.brandConnections.findPost('instagram', { apiId })).toEqual(each);
        expect(await brandConnections.findPost('tiktok', { apiId })).toBeNull();
      }
    });
  });
}
