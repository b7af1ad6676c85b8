import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCommentStore } from '../../../adapters/sqlite/comment-store.ts';
import { createSqliteCopyEnd } from '../../../adapters/sqlite/copy-end.ts';
import type { Connection } from '../../../adapters/sqlite/database.ts';
import { createMatchingStore } from '../../../adapters/sqlite/matching-store.ts';
import { createPages } from '../../../adapters/sqlite/pages.ts';
import { newComment, T0 } from '../../contract/storage/samples.ts';
import { createTestStorage } from '../../support/storage.ts';
import { openWithChallenge } from './one-challenge.ts';

let connection: Connection;

beforeEach(async () => {
  connection = await openWithChallenge();
});
afterEach(() => connection.close());

const createComments = () => createCommentStore(connection, createPages(connection));

describe('comments in parts', () => {
  it('puts new comments into the next part when about 100,000 are stored', async () => {
    const comments = createComments();
    await comments.insertNew(1, [newComment()], T0);
    for (const total of [99_998, 99_999, 100_000, 1_000_000]) {
      await connection.write((sql) => sql.run("UPDATE list_totals SET total = ? WHERE list = 'comments'", total));
      await comments.insertNew(1, [newComment()], T0);
    }
    const parts = await connection.lookUp((sql) => sql.all<{ part: number }>('SELECT part FROM comments ORDER BY id'));
    expect(parts.map(({ part }) => part)).toEqual([0, 0, 0, 1, 10]);
  });

  it('makes its own parts of the comments of a copy', async () => {
    const made = await createTestStorage('sqlite');
    const path = made.url.slice('sqlite:'.length);
    const end = createSqliteCopyEnd({ path });
    await end.open();
    const db = new Database(path);
    db.exec("INSERT INTO list_totals VALUES ('comments', 1, 99999, 99999)");
    const { username, ...rest } = newComment();
    const record = { ...rest, username, author: username, challengeId: 1, createdAt: T0, metAt: null };
    const records = [1, 2].map((id) => ({ ...record, _id: id, platformCommentId: String(id) }));
    await end.write('comments', records, { source: 'a test', kind: 'comments', after: null });
    expect(db.prepare('SELECT part FROM comments ORDER BY id').pluck().all()).toEqual([0, 1]);
    db.close();
    await end.close();
    await made.close();
  });

  it('finds authors and their earliest comments as if there were no parts', async () => {
    const comments = createComments();
    const matching = createMatchingStore(connection);
    const stored = fc.array(
      fc.record({
        author: fc.constantFrom('a', 'b', 'b.', 'c', 'é', '\u{ffff}', '\u{10000}'),
        part: fc.nat(5),
        at: fc.nat(4),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(stored, fc.integer({ min: 1, max: 9 }), async (rows, limit) => {
        await connection.write((sql) => {
          sql.run('DELETE FROM comments');
          rows.forEach(({ author, part, at }, id) => {
            const values = [id, String(id), author, author, at, part] as const;
            sql.run(`INSERT INTO comments VALUES (?, 1, ?, ?, ?, '', ?, 0, NULL, ?, NULL)`, ...values);
          });
        });
        const bytes = (author: string) => Buffer.from(author);
        const authors = [...new Set(rows.map(({ author }) => author))].sort((a, b) => bytes(a).compare(bytes(b)));

        const walked: string[] = [];
        for (let some = ['']; some.length > 0; walked.push(...some)) {
          some = [...(await matching.authors(1, walked.at(-1) ?? '', limit))];
          expect(some.length).toBeLessThanOrEqual(limit);
        }
        expect(walked).toEqual(authors);

        const found = await comments.earliestByAuthors(1, ['nobody', ...authors]);
        const earliest = authors.map((author) => {
          const theirs = rows.map((row, id) => ({ ...row, id })).filter((row) => row.author === author);
          return [author, theirs.toSorted((a, b) => a.at - b.at || a.id - b.id)[0]?.id];
        });
        expect([...found].map(([author, { id }]) => [author, id])).toEqual(earliest);
      }),
    );
  });
});
