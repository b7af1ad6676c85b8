/**
 * What plugins of Credence import of it. Not stable: a release may change any name here, so a plugin names the exact version
 * of `credence` as its peer.
 */
export { DomainError, type ErrorCode, isDomainError } from '../../core/errors.ts';
export type { PlatformName } from '../../core/platforms/platform-name.ts';
export { createPlatformRegistry } from '../../core/platforms/registry.ts';
export { printable } from '../../core/printable.ts';
