/**
 * The contract suites of the ports (`credence/testing`): run them against an adapter of your own. They use Vitest, which
 * your project has to provide.
 */
export { type RecordKind, type StorageContract, type StorageWorld, storageContract } from './storage/suite.ts';
