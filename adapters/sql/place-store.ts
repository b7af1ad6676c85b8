import type { PlaceStore } from '../../core/ports/place-store.ts';
import { PLACE_TOTALS, PLACES } from './tables.ts';
import { integer } from './values.ts';
import type { Sql, SqlConnection, Work } from './work.ts';

const ONE = 'WHERE key = ? AND holder = ?';

export function createPlaceStore(connection: SqlConnection): PlaceStore {
  return {
    take: ({ key, holder, revision, amount, atMost }) =>
      connection.write(function* (sql) {
        const left = integer(atMost) - integer(amount);
        const used = yield* lockTotal(sql, key);
        const stored = yield* PLACES.find(sql, ONE, key, integer(holder));
        if (stored !== null) {
          yield* PLACES.update(sql, { revision: Math.max(stored.revision, integer(revision)) }, ONE, key, holder);
          return true;
        }
        if (used > left) return false;
        yield* PLACES.insert(sql, { key, holder, revision: integer(revision), amount });
        yield* PLACE_TOTALS.update(sql, { used: used + amount }, 'WHERE key = ?', key);
        return true;
      }),

    release: ({ key, holder, revision }) =>
      connection.write(function* (sql) {
        const used = yield* lockTotal(sql, key);
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

/** Of the calls about a key, the others wait from here on. */
function* lockTotal(sql: Sql, key: string): Work<number> {
  yield* PLACE_TOTALS.insertNew(sql, [{ key, used: 0 }], '(key)');
  return (yield* PLACE_TOTALS.find(sql, 'WHERE key = ? FOR UPDATE', key))?.used ?? 0;
}
