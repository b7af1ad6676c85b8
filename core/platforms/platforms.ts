/** The configured platforms by name, and the lookups' common footing. */
import { DomainError } from '../errors.ts';
import type { Platform, PlatformCallOptions } from '../ports/platform.ts';
import type { PlatformName } from './platform-name.ts';
import type { PostRef } from './post-url.ts';

export type Platforms = ReadonlyMap<PlatformName, Platform>;

/** Understands a post URL, following a short link when it is one. @throws DomainError `VALIDATION_ERROR` and the platform's */
export type ResolvePost = (url: string, options?: PlatformCallOptions) => Promise<PostRef>;

/** @throws DomainError `NOT_SUPPORTED` when the instance has no adapter for the platform */
export function platformOf(platforms: Platforms, name: PlatformName): Platform {
  const platform = platforms.get(name);
  if (!platform) throw new DomainError('NOT_SUPPORTED', `The platform ${name} is not configured here.`);
  return platform;
}
