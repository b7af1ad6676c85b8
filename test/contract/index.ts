/**
 * The contract suites of the ports (`credence/testing`): run them against an adapter of your own. They use Vitest, which
 * your project has to provide.
 */
export { type JobQueueContractOptions, type JobQueueWorld, jobQueueContract } from './job-queue/suite.ts';
export { type NotaryContract, type NotaryWorld, notaryContract } from './notary/suite.ts';
export * from './platform/stage.ts';
export { type PlatformContractOptions, platformContract } from './platform/suite.ts';
export { type RateLimiterContractOptions, rateLimiterContract } from './rate-limiter/suite.ts';
export {
  type RecordKind,
  type StorageContract,
  type StorageWorld,
  storageContract,
  type WriteFault,
} from './storage/suite.ts';
