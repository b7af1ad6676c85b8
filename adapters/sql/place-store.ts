import { gathered } from '../../core/gather.ts';
import { decideOn, type PlaceStore, type Taking } from '../../core/ports/place-store.ts';
import { PLACE_TOTALS, PLACES } from './tables.ts';
import { integer, text } from './values.ts';
import { Among, type Sql, type SqlConnection, type Work } from './work.ts';

const ONE = 'WHERE key = ? AND holder = ?';
const THESE = 'WHERE key IN (?)';

export function createPlaceStore(connection: SqlConnection): PlaceStore {
  // One transaction for a burst: one for each call would wait for all before it.
  const take = gathered((asked: readonly Taking[]) => connection.write((sql) => takeAll(sql, asked)));
  const used = gathered(async (keys: readonly string[]) => {
    const totals = await connection.read((sql) => PLACE_TOTALS.select(sql, THESE, new Among(keys)));
    return usedOf(totals);
  }, setImmediate);
  return {
    async take(asked) {
      for (const each of [asked.holder, asked.revision, asked.amount, asked.atMost]) integer(each);
      return (await take(asked)) ?? false;
    },

    release: ({ key, holder, revision }) =>
      connection.write(function* (sql) {
        const used = (yield* lockTotals(sql, [key])).get(key) ?? 0;
        const stored = yield* PLACES.find(sql, ONE, key, integer(holder));
        if (stored === null || stored.revision > integer(revision)) return;
        yield* sql.run(`DELETE FROM places ${ONE}`, key, holder);
        yield* PLACE_TOTALS.update(sql, { used: used - stored.amount }, 'WHERE key = ?', key);
      }),

    used: async (key) => (await used(text(key))) ?? 0,
  };
}

/** Of the calls about a key, the others wait from here on. They lock several keys in the same order. */
function* lockTotals(sql: Sql, keys: readonly string[]): Work<Map<string, number>> {
  const inOrder = [...new Set(keys)].sort();
  const unused = inOrder.map((key) => ({ key, used: 0 }));
  yield* PLACE_TOTALS.insertNew(sql, unused, '(key)');
  const totals = yield* PLACE_TOTALS.select(sql, `${THESE} ORDER BY key FOR UPDATE`, new Among(inOrder));
  return usedOf(totals);
}

const usedOf = (totals: readonly { readonly key: string; readonly used: number }[]) =>
  new Map(totals.map(({ key, used }) => [key, used]));

function* takeAll(sql: Sql, asked: readonly Taking[]): Work<ReadonlyMap<Taking, boolean>> {
  const keys = asked.map(({ key }) => key);
  const holders = new Among(asked.map(({ holder }) => holder));
  const used = yield* lockTotals(sql, keys);
  const those = `${THESE} AND holder IN (?)`;
  const held = yield* PLACES.select(sql, those, new Among(keys), holders);
  const { taken, changed, totals } = decideOn(asked, held, used);
  yield* PLACES.replace(sql, changed);
  const sums = [...totals].map(([key, used]) => ({ key, used }));
  yield* PLACE_TOTALS.replace(sql, sums);
  return taken;
}
