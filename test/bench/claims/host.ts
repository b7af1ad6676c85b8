/** One of many hosts that share a MongoDB: claims jobs and completes them, as the queue does, with nothing to do in between. */
import { MongoClient } from 'mongodb';
import type { Connection } from '../../../adapters/mongodb/database.ts';
import { createJobStore } from '../../../adapters/mongodb/job-store.ts';
import { DURABLE } from '../../../adapters/mongodb/url-settings.ts';
import type { Done, Go, HostSetup } from './protocol.ts';

/** As `adapters/leased-jobs` claims them. */
const LIMIT = 32;
const LEASE_MS = 60_000;

const { url } = JSON.parse(process.argv[2] ?? '') as HostSetup;
const client = await MongoClient.connect(url, { ...DURABLE, ignoreUndefined: true, monitorCommands: true });
let commands = 0;
client.on('commandStarted', () => {
  commands += 1;
});
// One for all calls, as a storage has it: stores join the calls of one database.
const db = client.db();
const connection: Connection = {
  open: async () => {},
  run: (work) => work(db),
  close: () => client.close(),
};
const jobs = createJobStore(connection);

process.on('message', async ({ at }: Go) => {
  commands = 0;
  let claimed = 0;
  for (;;) {
    const now = new Date(at);
    const found = await jobs.claim(['issue-reward'], LIMIT, now, new Date(at + LEASE_MS));
    if (found.length === 0) break;
    claimed += found.length;
    await Promise.all(found.map((job) => jobs.complete(job)));
  }
  process.send?.({ claimed, commands } satisfies Done);
});
process.once('disconnect', () => void client.close());
process.send?.('ready');
