import { describe, expect, it } from 'vitest';
import { later, NASTY_TEXTS, newAuditAction, parallel, T0, unique } from './samples.ts';
import { prepareStage, type StorageWorld } from './world.ts';

const DONE = { target: 'campaign:1', outcome: 'succeeded', error: null, after: { isActive: false } } as const;

export function auditStoreContract(create: () => Promise<StorageWorld>): void {
  describe('audit log', () => {
    const stage = prepareStage(create);

    it('append: an entry without an outcome, with any text as data', async () => {
      const { audit } = stage.storage;
      const text = NASTY_TEXTS.join('\n');
      const action = newAuditAction({ actor: unique('actor'), requestId: text, before: { $where: text, 'a.b': [1] } });
      const id = await audit.append(action);
      expect(await stage.other.audit.list({ actor: action.actor }, { page: 1, limit: 9 })).toEqual({
        items: [{ ...action, id, outcome: 'unknown', error: null, after: null }],
        total: 1,
      });
    });

    it('conclude: once, and nothing else of the entry changes', async () => {
      const action = newAuditAction({ actor: unique('actor'), target: null });
      const id = await stage.storage.audit.append(action);
      const won = await parallel(8, (index) => stage.turn(index).audit.conclude(id, DONE));
      expect(won.filter(Boolean)).toHaveLength(1);
      const refused = { target: null, outcome: 'refused', error: 'CONFLICT', after: null } as const;
      expect(await stage.other.audit.conclude(id, refused)).toBe(false);
      const { items } = await stage.other.audit.list({ actor: action.actor }, { page: 1, limit: 9 });
      expect(items).toEqual([{ ...action, ...DONE, id }]);
      expect(await stage.storage.audit.conclude(987_654, DONE)).toBe(false);
    });

    it('list: newest first, by actor, operation, target and time, with totals and after a position', async () => {
      const { audit } = stage.storage;
      const [actor, operation, target] = [unique('actor'), unique('op'), unique('campaign')];
      const ids: number[] = [];
      for (let second = 0; second < 5; second += 1) {
        const at = later(second);
        ids.unshift(await audit.append(newAuditAction({ at, actor, operation, target })));
        await audit.append(newAuditAction({ at, actor: unique('actor') }));
      }
      const requestId = unique('request');
      const asked = await audit.append(newAuditAction({ requestId }));
      const page = await stage.other.audit.list({ requestId }, { page: 1, limit: 3 });
      expect(page).toMatchObject({ total: 1, items: [{ id: asked }] });
      for (const filter of [{ actor }, { operation }, { target }, { actor, operation, target }]) {
        const first = await stage.other.audit.list(filter, { page: 1, limit: 3 });
        expect(first).toMatchObject({ total: 5, items: ids.slice(0, 3).map((id) => ({ id })) });
        const after = { id: Number(ids[2]), at: later(2) };
        const next = await audit.list(filter, { page: 1, limit: 3, after });
        expect(next).toEqual(await audit.list(filter, { page: 2, limit: 3 }));
        expect(next.items.map(({ id }) => id)).toEqual(ids.slice(3));
      }
      const between = await audit.list({ actor, from: later(1), to: later(3) }, { page: 1, limit: 9 });
      expect(between).toMatchObject({ total: 2, items: [{ id: ids[2] }, { id: ids[3] }] });
      const all = await audit.list({ from: T0 }, { page: 1, limit: 100 });
      expect(all.total).toBe((await audit.list({}, { page: 1, limit: 1 })).total);
    });
  });
}
