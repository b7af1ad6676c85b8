/** The registered platforms with their readers, and the lookups' common footing. */
import { DomainError } from '../errors.ts';
import type { Platform, PlatformCallOptions } from '../ports/platform.ts';
import type { PlatformDescriptor } from './descriptor.ts';
import type { PlatformName } from './platform-name.ts';
import type { PostRef } from './post-url.ts';
import { createPlatformRegistry, type PlatformRegistry } from './registry.ts';

/** The registered platforms with their readers. */
export interface Platforms extends PlatformRegistry {
  readonly readers: ReadonlyMap<PlatformName, Platform>;
}

/** @throws TypeError for descriptors that cannot be registered together */
export function createPlatforms(descriptors: readonly PlatformDescriptor[], readers: Iterable<Platform>): Platforms {
  const byName = new Map([...readers].map((reader) => [reader.name, reader]));
  return { ...createPlatformRegistry(descriptors), readers: byName };
}

/** Understands a post URL, following a short link when it is one. @throws DomainError `VALIDATION_ERROR` and the platform's */
export type ResolvePost = (url: string, options?: PlatformCallOptions) => Promise<PostRef>;

/** @throws DomainError `NOT_SUPPORTED` when the instance has no reader for the platform */
export function platformOf({ readers }: Pick<Platforms, 'readers'>, name: PlatformName): Platform {
  const platform = readers.get(name);
  if (!platform) throw new DomainError('NOT_SUPPORTED', `The platform ${name} is not configured here.`);
  return platform;
}
