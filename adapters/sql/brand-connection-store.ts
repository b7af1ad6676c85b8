import type { BrandConnectionFilter, BrandConnectionStore } from '../../core/ports/brand-connection-store.ts';
import { appendOutbox } from './outbox.ts';
import { BRAND_CONNECTIONS, BRANDS, OFFICIAL_POSTS } from './tables.ts';
import { changesSome, millis } from './values.ts';
import type { SqlConnection, Value } from './work.ts';

const COUNT = 'SELECT platform, status, count(*) AS count FROM brand_connections GROUP BY platform, status';

export function createBrandConnectionStore(connection: SqlConnection): BrandConnectionStore {
  return {
    connect: (made) =>
      connection.write(function* (sql) {
        // Its deletion waits, and then removes this connection too.
        yield* BRANDS.holds(sql, 'id = ?', made.brandId);
        for (;;) {
          const first = { ...made, revision: 1 };
          const [inserted] = yield* BRAND_CONNECTIONS.insertNew(sql, [first], '(platform, account_id)');
          if (inserted !== undefined) return inserted;
          const own = 'WHERE platform = ? AND account_id = ? FOR UPDATE';
          const stored = yield* BRAND_CONNECTIONS.find(sql, own, made.platform, made.accountId);
          if (stored !== null && stored.brandId !== made.brandId) return 'taken';
          if (stored !== null) {
            return yield* BRAND_CONNECTIONS.change(sql, stored, { ...made, revision: stored.revision + 1 });
          }
        }
      }),

    find: (id) => connection.read((sql) => BRAND_CONNECTIONS.find(sql, 'WHERE id = ?', id)),

    list: (filter) => connection.read((sql) => BRAND_CONNECTIONS.select(sql, ...chosen(filter))),

    count: () => connection.read((sql) => sql.all(COUNT)),

    update: (before, changes, events = []) =>
      connection.write(function* (sql) {
        const { id, revision } = before;
        const next = { ...changes, revision: revision + 1 };
        const changed = yield* BRAND_CONNECTIONS.update(sql, next, 'WHERE id = ? AND revision = ?', id, revision);
        if (changed === 0) return null;
        yield* appendOutbox(sql, { owner: `brandConnections:${id}`, entries: events });
        return { ...before, ...next };
      }),

    delete: (brandId, id) =>
      connection.statement((sql) =>
        changesSome(sql, 'DELETE FROM brand_connections WHERE id = ? AND brand_id = ?', id, brandId),
      ),

    findPost: (platform, which) =>
      connection.read((sql) => {
        const [column, id] = 'apiId' in which ? ['api_id', which.apiId] : ['content_id', which.contentId];
        return OFFICIAL_POSTS.find(sql, `WHERE platform = ? AND ${column} = ? LIMIT 1`, platform, id);
      }),

    rememberPosts: (platform, posts) =>
      connection.write(function* (sql) {
        const rows = posts.map((post) => ({ ...post, platform }));
        yield* OFFICIAL_POSTS.insertNew(sql, rows, '(platform, content_id)');
      }),
  };
}

function chosen(filter: BrandConnectionFilter): readonly [rest: string, ...values: Value[]] {
  if ('brandId' in filter) return ['WHERE brand_id = ? ORDER BY id', filter.brandId];
  if ('accountId' in filter) return ['WHERE platform = ? AND account_id = ?', filter.platform, filter.accountId];
  if ('newest' in filter) return ['ORDER BY id DESC LIMIT 1'];
  const due = 'WHERE renew_at IS NOT NULL AND renew_at <= ? ORDER BY renew_at, id LIMIT ?';
  return [due, millis(filter.dueBy), filter.limit];
}
