/** The optional packages that a configuration needs. */
import { isInstalled, missingPackage, type OptionalPackage } from '../../adapters/package-loader/index.ts';
import { ConfigurationError, type ResolvedConfig } from './config.ts';

interface Need {
  /** Of the configuration, dotted. */
  readonly field: string;
  readonly neededBy: string;
  readonly packages: readonly OptionalPackage[];
  /** What to do if it is not wanted. */
  readonly otherwise?: string;
}

function needsOf({ services, redisUrl, jobs, notary, remoteNotaries, zk, adapters }: ResolvedConfig): Need[] {
  const needs: Need[] = [];
  const provesWeb = services.includes('web-prover') || services.includes('zk-prover');
  if (redisUrl !== undefined) needs.push({ field: 'redisUrl', neededBy: 'Redis', packages: ['ioredis'] });
  if (jobs.queue === 'bullmq')
    needs.push({ field: 'jobs.queue', neededBy: 'The BullMQ job queue', packages: ['bullmq'] });
  if (provesWeb) {
    const otherwise = ', or leave web-prover and zk-prover out';
    needs.push({ field: 'services', neededBy: 'Support for web proofs', packages: ['pkijs'], otherwise });
  }
  if (services.includes('zk-prover')) {
    const otherwise = ', or leave zk-prover out';
    needs.push({ field: 'services', neededBy: 'The service zk-prover', packages: ['viem/utils'], otherwise });
    if (adapters.zkProver === undefined ? zk.prover === 'groth16' : adapters.zkProver.needsSnarkjs === true) {
      needs.push({ field: 'services', neededBy: 'The prover groth16', packages: ['snarkjs'], otherwise });
    }
  }
  if (provesWeb && remoteNotaries.some(({ mode }) => mode === 'blind')) {
    needs.push({ field: 'remoteNotaries', neededBy: 'A blind notary', packages: ['@csfloat/tlsn-wasm', 'ws'] });
  }
  const { sessions } = notary;
  if (services.includes('notary') && sessions !== undefined) {
    needs.push({ field: 'notary.sessions', neededBy: 'A blind notary', packages: ['@csfloat/tlsn-wasm', 'ws'] });
    if (sessions.stockProvers !== 'off') {
      needs.push({
        field: 'notary.sessions.stockProvers',
        neededBy: 'A notary for provers of TLSNotary',
        packages: ['tlsn-wasm'],
      });
    }
  }
  return needs;
}

/**
 * Makes sure that the packages of everything that is switched on are there, before a request is the first to miss one.
 * @throws ConfigurationError naming each missing package, and the one command that installs all of them
 */
export function requirePackages(config: ResolvedConfig): void {
  const missing = needsOf(config).flatMap(({ packages, ...need }) =>
    packages.filter((name) => !isInstalled(name)).map((name) => ({ name, ...need })),
  );
  const all = missing.map(({ name }) => name);
  const issues = missing.map(({ field, name, neededBy, otherwise = '' }) => ({
    field,
    message: `${missingPackage(name, neededBy, all)}${otherwise}`,
  }));
  if (issues.length === 0) return;
  const lines = issues.map(({ field, message }) => `  ${field}: ${message}`);
  throw new ConfigurationError(`Packages are missing:\n${lines.join('\n')}`, { issues });
}
