/** A host as it is in production, except that its log is brought into the database after every few commits. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sqlite } from '../../../adapters/sqlite/index.ts';
import { silentLogger } from '../../../core/ports/logger.ts';
import { createApp } from '../../../hosts/standalone/app.ts';
import { createCredence } from '../../../plugins/compose/index.ts';

const { DATA_DIR = '', ADMIN_TOKEN = '' } = process.env;
const path = join(DATA_DIR, 'credence.db');
const storage = sqlite({ path, checkpointPages: 1 });

const credence = createCredence(
  { storage, secrets: { key: new Uint8Array(32).fill(1) }, adminToken: ADMIN_TOKEN },
  { logger: silentLogger },
);
await credence.start();
// The thread that makes the checkpoints is running once the file itself has changed.
const { mtimeMs } = statSync(path);
for (let key = 0; statSync(path).mtimeMs === mtimeMs; key += 1) {
  await storage.locks.claimOnce(`warm-${key}`, new Date(), new Date());
}
const app = await createApp(credence);
console.log(`listening on ${await app.listen({ port: 0, host: '127.0.0.1' })}`);
