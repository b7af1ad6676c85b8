/**
 * A program that imports Credence, makes an instance of the configuration in its first argument and starts it, and says which
 * packages that loaded. Without an argument it imports only.
 */
import type { CredenceConfig } from '../../../plugins/compose/index.ts';

const { createCredence, silentLogger } = await import('../../../plugins/compose/index.ts');
const [given, mongoUrl = '', call] = process.argv.slice(2);
const proof = { data: '00', version: '2.0.0', meta: { notaryUrl: 'https://notary.example' } } as const;

async function storageOf(): Promise<Pick<CredenceConfig, 'storage'>> {
  if (mongoUrl === '') return { storage: 'sqlite::memory:' };
  const { mongodb } = await import('../../../adapters/mongodb/index.ts');
  return { storage: mongodb({ url: mongoUrl, connectTimeoutMs: 100 }) };
}

if (given !== undefined) {
  const secret = new Uint8Array(32).fill(7);
  const { notary, ...options } = JSON.parse(given) as CredenceConfig;
  const config: CredenceConfig = {
    ...options,
    ...(await storageOf()),
    secrets: { key: secret },
    notary: { ...notary, key: { secret } },
  };
  const credence = createCredence(config, { logger: silentLogger });
  // A storage that cannot be reached has loaded its driver all the same.
  await credence.start().catch(() => undefined);
  if (call === 'verify') await credence.proofs.verify(proof).catch(() => undefined);
  if (call === 'compress') await credence.proofs.decodeJournal({ presentation: proof }).catch(() => undefined);
}

process.stdout.write(JSON.stringify([...globalThis.loadedPackages]), () => process.exit());
