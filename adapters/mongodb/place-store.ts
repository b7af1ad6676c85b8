import { gathered } from '../../core/gather.ts';
import { decideOn, type PlaceStore, type Taking } from '../../core/ports/place-store.ts';
import type { DocumentOf } from './documents.ts';
import type { Database } from './items.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { integer, text } from './values.ts';

/** One document for a key: its places and the total change in one write. */
export function createPlaceStore(db: Database): PlaceStore {
  const { places } = db;
  // One write of a document for a burst: the others of one by one would wait for it each time.
  const take = gathered(async (asked: readonly Taking[]) => {
    const byKey = [...Map.groupBy(asked, ({ key }) => key)];
    const taking = byKey.map(([key, own]) => oneAtATime(db, `places ${key}`, () => takeAll(db, key, own)));
    return new Map((await Promise.all(taking)).flatMap((taken) => [...taken]));
  });
  const used = gathered(async (keys: readonly string[]) => {
    const found = await places.list({ _id: { $in: [...keys] } }, { projection: { used: 1 } });
    return new Map(found.map(({ _id, used }) => [_id, used]));
  });
  return {
    async take(asked) {
      text(asked.key);
      for (const each of [asked.holder, asked.revision, asked.amount, asked.atMost]) integer(each);
      return (await take(asked)) ?? false;
    },

    async release({ key, holder: id, revision }) {
      const _id = text(key);
      const found = await places.find({ _id }, { projection: { holders: { $elemMatch: { id: integer(id) } } } });
      const place = found?.holders?.[0];
      if (place === undefined || place.revision > integer(revision)) return;
      // Of a holder the amount stays as it is. If the revision has changed, a later run has the place.
      const same = { id, revision: { $lte: revision }, amount: place.amount };
      await places.update(
        { _id, holders: { $elemMatch: same } },
        { $inc: { used: -place.amount }, $pull: { holders: { id } } },
      );
    },

    used: async (key) => (await used(text(key))) ?? 0,
  };
}

/** Decides on what is there, and again if others have changed it meanwhile. */
async function takeAll(db: Database, _id: string, asked: readonly Taking[]): Promise<ReadonlyMap<Taking, boolean>> {
  for (;;) {
    const found = await holdersAmong(db, _id, asked);
    const had = new Map(found?.holders.map((place) => [place.id, place]));
    const there = [...had.values()].map(({ id, ...place }) => ({ key: _id, holder: id, ...place }));
    const { taken, changed, totals } = decideOn(asked, there, new Map([[_id, found?.used ?? 0]]));
    const places = changed.map(({ holder: id, revision, amount }) => ({ id, revision, amount }));
    const later = places.filter(({ id, revision }) => revision > (had.get(id)?.revision ?? revision));
    const isRaised = await Promise.all(
      later.map(({ id, revision }) =>
        db.places.update({ _id, 'holders.id': id }, { $max: { 'holders.$.revision': revision } }),
      ),
    );
    const added = places.filter(({ id }) => !had.has(id));
    if (isRaised.includes(false)) continue;
    if (added.length === 0) return taken;
    const used = totals.get(_id) ?? 0;
    const same = { _id, used: found?.used ?? 0, 'holders.id': { $nin: added.map(({ id }) => id) } };
    const isStored =
      found === undefined
        ? await db.places.insertFirst({ _id, used, holders: added })
        : await db.places.update(same, { $set: { used }, $push: { holders: { $each: added } } });
    if (isStored) return taken;
  }
}

/** The total, and those of the holders that are there. */
async function holdersAmong({ places }: Database, _id: string, asked: readonly Taking[]) {
  const isAsked = { $in: ['$$this.id', asked.map(({ holder }) => holder)] };
  const [found] = await places.raw
    .aggregate<Omit<DocumentOf<'places'>, '_id'>>([
      { $match: { _id } },
      { $project: { used: 1, holders: { $filter: { input: '$holders', cond: isAsked } } } },
    ])
    .toArray();
  return found;
}
