/** What is stored about a creator, to be handed out or erased: the same conditions find it for both. */

import { type Creator, knownAccountId } from '../../core/engagement/creators/creator.ts';
import {
  bodyMark,
  ERASED,
  ERASED_BODY,
  erasedAccount,
  erasedAttempt,
  erasedCreator,
  erasedDelivery,
  isUnderWay,
  type OwnKeys,
  ownKeys,
} from '../../core/engagement/creators/erased.ts';
import type { Erasure, ErasureResult, PersonalData, PersonalDataStore } from '../../core/ports/personal-data-store.ts';
import { any, type Condition, when } from './pages.ts';
import { ACCOUNTS, ATTEMPTS, COMMENTS, CONNECTION_REQUESTS, CREATORS, DELIVERIES, LIKERS } from './tables.ts';
import { BULK_ROWS, millis } from './values.ts';
import { Among, type Sql, type SqlConnection, type Value, type Work } from './work.ts';

/** Deliveries that are looked through in one go. */
const LOOKED_THROUGH = 5_000;

const OF_CREATOR = 'WHERE user_id = ? ORDER BY id';
/** Active links of other creators that may be of the same accounts. */
const RIVALS = `WHERE creator_id <> ? AND disconnected_at IS NULL
  AND (handle IN (?) OR platform_account_id IN (?)
    OR remembered_account_id IN (?))`;
const NAMED = `WHERE id > ? AND id <= ? AND (attempt_id IN (?)
  OR event = 'account.connected' AND instr(body, ?) > 0)`;

const ERASE_COMMENTS = `UPDATE comments SET username = '${ERASED}', author = '${ERASED}', author_id = '${ERASED}',
  scoped_author_id = '${ERASED}', comment_text = '${ERASED}'`;
const ERASE_LIKERS = `UPDATE likers SET ig_user_id = 'erased-' || id, username = '${ERASED}', handle = '${ERASED}',
  full_name = NULL, profile_pic_url = NULL, is_private = 0, is_verified = 0`;

export function personalDataStore(connection: SqlConnection): PersonalDataStore {
  return {
    async personalData(userId) {
      const known = await connection.read(function* (sql) {
        const own = yield* findOwn(sql, userId);
        if (own === null) return null;
        const requests = 'WHERE external_id = ? ORDER BY created_at, id';
        return { ...own, connectionRequests: yield* CONNECTION_REQUESTS.select(sql, requests, own.creator.externalId) };
      });
      if (known === null) return null;
      const { keys, ...data } = known;
      const found = await inChallenges(connection, 'read', keys, function* (sql, comments, likers) {
        return {
          comments: yield* COMMENTS.select(sql, `WHERE ${comments.where}`, ...comments.values),
          likes: yield* LIKERS.select(sql, `WHERE ${likers.where}`, ...likers.values),
        };
      });
      const deliveries = await inDeliveries(connection, userId, 'read', (sql, where, values) =>
        DELIVERIES.select(sql, where, ...values),
      );
      return {
        ...data,
        comments: byId(found.flatMap(({ comments }) => comments)),
        likes: byId(found.flatMap(({ likes }) => likes)),
        deliveries: deliveries.flat(),
      };
    },

    async erase(erasure) {
      const { userId, now } = erasure;
      const own = await connection.read((sql) => findOwn(sql, userId));
      if (own === null) return null;
      const underWay = own.attempts.filter(isUnderWay);
      if (underWay.length > 0) return { kind: 'under-way', attempts: underWay };
      const erased = await inChallenges(connection, 'write', own.keys, function* (sql, comments, likers) {
        return {
          comments: yield* sql.run(`${ERASE_COMMENTS} WHERE ${comments.where}`, ...comments.values),
          likes: yield* sql.run(`${ERASE_LIKERS} WHERE ${likers.where}`, ...likers.values),
        };
      });
      const result = await connection.write((sql) => eraseCreator(sql, erasure));
      if (result === null || 'kind' in result) return result;
      const deliveries = await inDeliveries(connection, userId, 'write', function* (sql, where, values) {
        const named = yield* DELIVERIES.select(sql, `${where} AND body <> ? FOR UPDATE`, ...values, ERASED_BODY);
        for (const delivery of named) yield* DELIVERIES.change(sql, delivery, erasedDelivery(delivery, now));
        return named.length;
      });
      return {
        kind: 'erased',
        creator: result,
        comments: sum(erased.map(({ comments }) => comments)),
        likes: sum(erased.map(({ likes }) => likes)),
        deliveries: sum(deliveries),
      };
    },
  };
}

const byId = <Item extends { readonly id: number }>(items: readonly Item[]) => items.toSorted((a, b) => a.id - b.id);
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

interface Own extends Pick<PersonalData, 'creator' | 'accounts' | 'attempts'> {
  readonly keys: readonly OwnKeys[];
}

function* findOwn(sql: Sql, userId: number): Work<Own | null> {
  const creator = yield* CREATORS.find(sql, 'WHERE id = ?', userId);
  if (creator === null) return null;
  const accounts = yield* ACCOUNTS.select(sql, 'WHERE creator_id = ? ORDER BY id', userId);
  const handles = new Among(accounts.map(({ platformUsername }) => platformUsername));
  const numbers = new Among(accounts.flatMap((account) => knownAccountId(account) ?? []));
  const others = yield* ACCOUNTS.select(sql, RIVALS, userId, handles, numbers, numbers);
  const attempts = yield* ATTEMPTS.select(sql, OF_CREATOR, userId);
  return { creator, accounts, attempts, keys: ownKeys(accounts, others) };
}

/** Creator, attempts, requests, tokens and links in one transaction. */
function* eraseCreator(
  sql: Sql,
  { userId, suffix, now }: Erasure,
): Work<Creator | Extract<ErasureResult, { kind: 'under-way' }> | null> {
  const creator = yield* CREATORS.find(sql, 'WHERE id = ? FOR UPDATE', userId);
  if (creator === null) return null;
  const attempts = yield* ATTEMPTS.select(sql, `${OF_CREATOR} FOR UPDATE`, userId);
  if (attempts.some(isUnderWay)) return { kind: 'under-way', attempts: attempts.filter(isUnderWay) };
  const accounts = yield* ACCOUNTS.select(sql, 'WHERE creator_id = ? FOR UPDATE', userId);
  const owners = [...attempts.map(({ id }) => `attempts:${id}`), ...accounts.map(({ id }) => `socialAccounts:${id}`)];
  for (const attempt of attempts) {
    const erased = erasedAttempt(attempt);
    if (erased !== null) yield* ATTEMPTS.update(sql, erased, 'WHERE id = ?', attempt.id);
  }
  yield* sql.run('DELETE FROM outbox WHERE owner IN (?)', new Among(owners));
  const erased = erasedCreator(creator, suffix);
  const { externalId } = creator;
  yield* sql.run('DELETE FROM connection_requests WHERE external_id = ?', externalId);
  const revoke = `UPDATE tokens SET external_id = ?, name = '${ERASED}', revoked_at = coalesce(revoked_at, ?)`;
  yield* sql.run(`${revoke} WHERE role = 'creator' AND external_id = ?`, erased.externalId, millis(now), externalId);
  for (const account of accounts) yield* ACCOUNTS.change(sql, account, erasedAccount(account, now));
  yield* CREATORS.update(sql, erased, 'WHERE id = ?', userId);
  return erased;
}

/** Does something with the creator's comments and likes, some hundred challenges at a time. */
async function inChallenges<Result>(
  connection: SqlConnection,
  how: 'read' | 'write',
  keys: readonly OwnKeys[],
  work: (sql: Sql, comments: Condition, likers: Condition) => Work<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const next = 'SELECT id FROM challenges WHERE platform = ? AND id > ? ORDER BY id LIMIT ?';
  const fetches = 'fetch_id IN (SELECT id FROM likers_fetches WHERE challenge_id IN (?))';
  for (const { platform, numbers, scoped, handles, unnumbered } of keys) {
    if (numbers.length + scoped.length + handles.length + unnumbered.length === 0) continue;
    for (let after = 0; ; ) {
      const rows = await connection.read((sql) => sql.all<{ id: number }>(next, platform, after, BULK_ROWS));
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.id;
      const challenges = new Among(rows.map(({ id }) => id));
      const of = (condition: string, values: readonly string[]) => when(condition, challenges, new Among(values));
      const comments = any(
        of('challenge_id IN (?) AND author_id IN (?)', numbers),
        of('challenge_id IN (?) AND scoped_author_id IN (?)', scoped),
        of('challenge_id IN (?) AND author IN (?)', handles),
        of('challenge_id IN (?) AND author IN (?) AND author_id IS NULL', unnumbered),
      );
      const likers = any(of(`${fetches} AND ig_user_id IN (?)`, numbers), of(`${fetches} AND handle IN (?)`, handles));
      results.push(await connection[how]((sql) => work(sql, comments, likers)));
    }
  }
  return results;
}

/** Does something with the deliveries of events about the creator, some thousand that are looked through at a time. */
async function inDeliveries<Result>(
  connection: SqlConnection,
  userId: number,
  how: 'read' | 'write',
  work: (sql: Sql, where: string, values: readonly Value[]) => Work<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const attempts = await connection.read((sql) =>
    sql.all<{ id: number }>('SELECT id FROM attempts WHERE user_id = ?', userId),
  );
  const ids = new Among(attempts.map(({ id }) => id));
  for (let after = 0; ; after += LOOKED_THROUGH) {
    const last = await connection.read((sql) => sql.get<{ id: number | null }>('SELECT max(id) AS id FROM deliveries'));
    if ((last?.id ?? 0) <= after) return results;
    const values = [after, after + LOOKED_THROUGH, ids, bodyMark(userId)];
    results.push(await connection[how]((sql) => work(sql, NAMED, values)));
  }
}
