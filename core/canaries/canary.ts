/** A canary: a post or a profile of the operator's choosing, read now and then to notice that its platform has changed. */
import { normaliseHandle } from '../platforms/handle.ts';
import type { PlatformName } from '../platforms/platform-name.ts';
import type { PlatformRegistry } from '../platforms/registry.ts';

/** `ok`: as before. `drifted`: fields are missing that were there before. `failed`: there is no reading. */
export type CanaryVerdict = 'ok' | 'drifted' | 'failed';

/** What is known of a canary. */
export interface CanaryRecord {
  /** As the operator named it: a post URL, or `platform:handle`. */
  readonly target: string;
  readonly platform: PlatformName;
  readonly verdict: CanaryVerdict;
  /** Since when the verdict is what it is. */
  readonly since: Date;
  /** Every field that a reading has ever had: `stats.likes`. */
  readonly fields: readonly string[];
  /** Those of them that the last reading lacks; empty unless drifted. */
  readonly missing: readonly string[];
  /** Why there is no reading; null unless failed. */
  readonly failure: CanaryFailure | null;
  readonly readAt: Date;
  /** When the last reading that was as before ended; null if there was none. */
  readonly lastOkAt: Date | null;
  readonly durationMs: number;
  /** Counts what was written. */
  readonly revision: number;
}

/** Why a canary could not be read. */
export interface CanaryFailure {
  /** A code of the error catalogue. */
  readonly code: string;
  readonly message: string;
}

/** What to read: a post, or a profile. */
export type CanaryTarget =
  | { readonly kind: 'post'; readonly platform: PlatformName; readonly url: string }
  | { readonly kind: 'profile'; readonly platform: PlatformName; readonly handle: string };

const PROFILE = /^([a-z][a-z0-9-]*):@?([^/@:\s]{1,100})$/;

/** What a target names: a post URL of a registered platform, or `platform:handle`; null for anything else. */
export function parseCanaryTarget(
  platforms: Pick<PlatformRegistry, 'names' | 'parsePostUrl'>,
  target: string,
): CanaryTarget | null {
  const [, platform, handle] = PROFILE.exec(target) ?? [];
  if (platform !== undefined && handle !== undefined) {
    return platforms.names.includes(platform) ? { kind: 'profile', platform, handle: normaliseHandle(handle) } : null;
  }
  const post = platforms.parsePostUrl(target);
  return post === null ? null : { kind: 'post', platform: post.platform, url: target };
}
