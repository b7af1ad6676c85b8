import { gathered } from '../../core/gather.ts';
import type { Place, PlaceStore } from '../../core/ports/place-store.ts';
import { PLACE_TOTALS, PLACES } from './tables.ts';
import { integer } from './values.ts';
import { Among, type Sql, type SqlConnection, type Work } from './work.ts';

type Taking = Parameters<PlaceStore['take']>[0];

const ONE = 'WHERE key = ? AND holder = ?';
const THESE = 'WHERE key IN (SELECT value FROM json_each(?))';

export function createPlaceStore(connection: SqlConnection): PlaceStore {
  // One transaction for a burst: one for each call would wait for all before it.
  const take = gathered((asked: readonly Taking[]) => connection.write((sql) => takeAll(sql, asked)));
  return {
    take: async (asked) => (await take(asked)) ?? false,

    release: ({ key, holder, revision }) =>
      connection.write(function* (sql) {
        const used = (yield* lockTotals(sql, [key])).get(key) ?? 0;
        const stored = yield* PLACES.find(sql, ONE, key, integer(holder));
        if (stored === null || stored.revision > integer(revision)) return;
        yield* sql.run(`DELETE FROM places ${ONE}`, key, holder);
        yield* PLACE_TOTALS.update(sql, { used: used - stored.amount }, 'WHERE key = ?', key);
      }),

    used: (key) =>
      connection.read(function* (sql) {
        return (yield* PLACE_TOTALS.find(sql, 'WHERE key = ?', key))?.used ?? 0;
      }),
  };
}

/** Of the calls about a key, the others wait from here on. They lock several keys in the same order. */
function* lockTotals(sql: Sql, keys: readonly string[]): Work<Map<string, number>> {
  const inOrder = [...new Set(keys)].sort();
  yield* PLACE_TOTALS.insertNew(
    sql,
    inOrder.map((key) => ({ key, used: 0 })),
    '(key)',
  );
  const totals = yield* PLACE_TOTALS.select(sql, `${THESE} ORDER BY key FOR UPDATE`, new Among(inOrder));
  return new Map(totals.map(({ key, used }) => [key, used]));
}

function* takeAll(sql: Sql, asked: readonly Taking[]): Work<ReadonlyMap<Taking, boolean>> {
  const keys = asked.map(({ key }) => key);
  const holders = new Among(asked.map(({ holder }) => integer(holder)));
  const totals = yield* lockTotals(sql, keys);
  const those = `${THESE} AND holder IN (SELECT value FROM json_each(?))`;
  const held = new Map<string, Place>();
  for (const place of yield* PLACES.select(sql, those, new Among(keys), holders)) held.set(nameOf(place), place);
  const taken: Taking[] = [];
  for (const one of asked) {
    const had = held.get(nameOf(one));
    const used = (totals.get(one.key) ?? 0) + (had === undefined ? integer(one.amount) : 0);
    if (had === undefined && used > integer(one.atMost)) continue;
    totals.set(one.key, used);
    const { key, holder, amount } = had ?? one;
    held.set(nameOf(one), { key, holder, amount, revision: Math.max(had?.revision ?? 0, integer(one.revision)) });
    taken.push(one);
  }
  const changed = new Set(taken.map(nameOf));
  yield* PLACES.replace(
    sql,
    [...held].flatMap(([name, place]) => (changed.has(name) ? [place] : [])),
  );
  yield* PLACE_TOTALS.replace(
    sql,
    [...totals].map(([key, used]) => ({ key, used })),
  );
  return new Map(taken.map((one) => [one, true]));
}

const nameOf = ({ key, holder }: Pick<Place, 'key' | 'holder'>) => `${holder} ${key}`;
