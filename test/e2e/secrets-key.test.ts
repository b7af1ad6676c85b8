/** The key that seals secrets at rest: made when nothing is sealed yet, never in place of one that is lost. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { createSqliteStorage } from '../../adapters/sqlite/index.ts';
import { SEED_CONTEXT } from '../../core/engagement/campaigns/draw-winners.ts';
import { WEBHOOK_SECRET_CONTEXT } from '../../core/engagement/webhooks/secret.ts';
import { createSecretBox } from '../../core/security/secret-box.ts';
import { type CredenceConfig, createCredence } from '../../plugins/compose/index.ts';
import { newCampaign, newChallenge, newWebhook } from '../contract/storage/samples.ts';
import { closingAfterEach } from '../support/closing.ts';
import { newFolder } from '../support/new-folder.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';

const KEY = new Uint8Array(32).fill(5);
const ADMIN_TOKEN = 'an-admin-token-of-the-tests';

let directory: string;
let keyFile: string;
let url: string;
const closing = closingAfterEach();

beforeEach(async () => {
  directory = newFolder();
  keyFile = join(directory, 'secrets.key');
  url = `sqlite:${join(directory, 'credence.db')}`;
});

/** As if a webhook had been registered under `key`. */
async function storeWebhook(key: Uint8Array): Promise<void> {
  const storage = createSqliteStorage({ path: url.slice('sqlite:'.length) });
  await storage.open();
  const sealedSecret = createSecretBox(key).seal('whsec_secret', WEBHOOK_SECRET_CONTEXT);
  await storage.webhooks.create({ ...newWebhook(1), sealedSecret });
  await storage.close();
}

function start(secrets: CredenceConfig['secrets'], logger = createRecordingLogger()) {
  const credence = createCredence({ storage: { url }, adminToken: ADMIN_TOKEN, secrets }, { logger });
  closing.push(() => credence.stop());
  return credence.start();
}

const hex = (key: Uint8Array) => `${Buffer.from(key).toString('hex')}\n`;

it('makes the key at the first start, and keeps to it', async () => {
  await start({ keyFile });
  const made = await readFile(keyFile, 'utf8');
  await storeWebhook(Uint8Array.from(Buffer.from(made.trim(), 'hex')));
  await start({ keyFile });
  expect(await readFile(keyFile, 'utf8')).toBe(made);
});

it('refuses to start without the key of what is stored, and makes no other', async () => {
  await storeWebhook(KEY);
  await expect(start({ keyFile })).rejects.toThrow(/secrets\.key is missing\.\nPut the key back/);
  expect(existsSync(keyFile)).toBe(false);
  await writeFile(keyFile, hex(KEY), { mode: 0o600 });
  await start({ keyFile });
});

it('refuses to start with a foreign key, in a file or given', async () => {
  await storeWebhook(KEY);
  await writeFile(keyFile, hex(randomBytes(32)), { mode: 0o600 });
  await expect(start({ keyFile })).rejects.toThrow(/cannot be opened with the configured key/);
  await expect(start({ key: randomBytes(32) })).rejects.toThrow('SECRETS_KEY_REPLACED=on');
  await start({ key: KEY });
});

it('refuses to start with a key that does not open the seed of a draw', async () => {
  const storage = createSqliteStorage({ path: url.slice('sqlite:'.length) });
  await storage.open();
  const draw = { commitment: '12', beacon: 'a round' };
  await storage.draws.keep({ ...draw, sealedSeed: createSecretBox(KEY).seal('seed', SEED_CONTEXT) });
  await storage.campaigns.create(newCampaign({ terms: { draw } }), newChallenge());
  await storage.close();
  await expect(start({ key: randomBytes(32) })).rejects.toThrow(/cannot be opened with the configured key/);
  await start({ key: KEY });
});

it('goes by the newest: what was made after a loss is what has to open', async () => {
  await storeWebhook(randomBytes(32));
  await storeWebhook(KEY);
  await start({ key: KEY });
});

it('starts when told that the key was replaced, and says what is lost', async () => {
  await storeWebhook(KEY);
  const logger = createRecordingLogger();
  await start({ keyFile, replaced: true }, logger);
  expect(existsSync(keyFile)).toBe(true);
  expect(logger.text()).toContain('rotate the secret of each webhook');
});
