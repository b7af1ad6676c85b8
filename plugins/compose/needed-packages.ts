/** The optional packages that a configuration needs. */
import { missingPackages, type PackageNeed } from '../../adapters/package-loader/index.ts';
import { refuseMissingPackages } from '../../core/configuration-error.ts';
import type { ResolvedConfig } from './config.ts';

function needsOf({ services, redisUrl, jobs, notary, remoteNotaries, zk, adapters }: ResolvedConfig): PackageNeed[] {
  const needs: PackageNeed[] = [];
  const provesWeb = services.includes('web-prover') || services.includes('zk-prover');
  if (redisUrl !== undefined) needs.push({ field: 'redisUrl', neededBy: 'Redis', packages: ['ioredis'] });
  if (jobs.queue === 'bullmq')
    needs.push({ field: 'jobs.queue', neededBy: 'The BullMQ job queue', packages: ['bullmq'] });
  if (provesWeb) {
    const otherwise = ', or leave web-prover and zk-prover out';
    needs.push({ field: 'services', neededBy: 'Support for web proofs', packages: ['pkijs'], otherwise });
  }
  if (services.includes('zk-prover')) {
    // rapidsnark only proves: snarkjs computes the witness and checks the proof.
    const needsSnarkjs =
      adapters.zkProver === undefined
        ? zk.prover === 'groth16' || zk.prover === 'rapidsnark'
        : adapters.zkProver.needsSnarkjs === true;
    const otherwise = ', or leave zk-prover out';
    needs.push({ field: 'services', neededBy: 'The service zk-prover', packages: ['viem/utils'], otherwise });
    if (needsSnarkjs) {
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
  refuseMissingPackages(missingPackages(needsOf(config)));
}
