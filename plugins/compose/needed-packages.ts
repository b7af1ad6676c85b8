/** The optional packages that a configuration needs. */
import { missingPackages, type PackageNeed } from '../../adapters/package-loader/index.ts';
import { refuseMissingPackages } from '../../core/configuration-error.ts';
import type { ResolvedConfig } from './config.ts';

function needsOf({ services, redisUrl, jobs }: ResolvedConfig): PackageNeed[] {
  const needs: PackageNeed[] = [];
  const provesWeb = services.includes('web-prover') || services.includes('zk-prover');
  if (redisUrl !== undefined) needs.push({ field: 'redisUrl', neededBy: 'Redis', packages: ['ioredis'] });
  if (jobs.queue === 'bullmq')
    needs.push({ field: 'jobs.queue', neededBy: 'The BullMQ job queue', packages: ['bullmq'] });
  if (provesWeb) {
    const otherwise = ', or leave web-prover and zk-prover out';
    needs.push({ field: 'services', neededBy: 'Support for web proofs', packages: ['pkijs'], otherwise });
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
