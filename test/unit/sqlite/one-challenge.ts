import { Connection } from '../../../adapters/sqlite/database.ts';

/** Opens a database in memory with a campaign, whose challenge has the id 1. */
export async function openWithChallenge(): Promise<Connection> {
  const connection = new Connection({ path: ':memory:', busyTimeoutMs: 1_000 });
  await connection.open();
  await connection.write((sql) => {
    sql.run("INSERT INTO campaigns VALUES (1, 1, 'C', NULL, NULL, 5, 1, NULL, NULL, 0)");
    sql.run("INSERT INTO challenges VALUES (1, 1, 'tiktok', 'post', '7', 'https://t.test/7', 'Do', 'comment')");
  });
  return connection;
}
