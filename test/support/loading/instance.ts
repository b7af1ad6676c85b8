/**
 * A program that imports Credence, then makes and starts instances, one after the other: of the configuration in each of its
 * arguments. It says which packages each of these steps loaded that no step before did.
 */
import type { ZkProver } from '../../../core/ports/zk-prover.ts';
import type { CredenceConfig } from '../../../plugins/compose/index.ts';

/** One argument of the program, as JSON. */
export interface LoadingStep {
  readonly config: CredenceConfig;
  /** Instead of SQLite. */
  readonly mongoUrl?: string;
  /** With the plugin of a blind notary. */
  readonly isBlind?: boolean;
  /** What is called when the instance has started. */
  readonly call?: 'verify' | 'compress';
}

const { createCredence, silentLogger } = await import('../../../plugins/compose/index.ts');
const zkProver = { create: () => ({}) as ZkProver };
const proof = { data: '00', version: '2.0.0', meta: { notaryUrl: 'https://notary.example' } } as const;
const secret = new Uint8Array(32).fill(7);
const seen = new Set<string>();
const steps = [loadedSince()];

/** The packages that were not told of yet. */
function loadedSince(): readonly string[] {
  const fresh = [...globalThis.loadedPackages].filter((name) => !seen.has(name));
  for (const name of fresh) seen.add(name);
  return fresh;
}

async function storageOf(mongoUrl: string | undefined): Promise<CredenceConfig['storage']> {
  if (mongoUrl === undefined) return 'sqlite::memory:';
  const { mongodb } = await import('../../../adapters/mongodb/index.ts');
  return mongodb({ url: mongoUrl, connectTimeoutMs: 100 });
}

for (const argument of process.argv.slice(2)) {
  const { config, mongoUrl, isBlind, call } = JSON.parse(argument) as LoadingStep;
  const storage = await storageOf(mongoUrl);
  const notary = { ...config.notary, key: { secret } };
  const plugins = isBlind ? [(await import('@credence/blind-notary')).blindNotary()] : [];
  const secrets = { key: secret };
  const credence = createCredence({ ...config, zkProver, storage, secrets, notary, plugins }, { logger: silentLogger });
  // A storage that cannot be reached has loaded its driver all the same.
  await credence.start().catch(() => undefined);
  if (call === 'verify') await credence.proofs.verify(proof).catch(() => undefined);
  if (call === 'compress') await credence.proofs.decodeJournal({ presentation: proof }).catch(() => undefined);
  steps.push(loadedSince());
}

process.stdout.write(JSON.stringify(steps), () => process.exit());
