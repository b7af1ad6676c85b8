/** Handles as they are compared and stored: trimmed, without `@`, lower case. */
import type { PlatformName } from './platform-name.ts';

const SHAPES: Readonly<Record<PlatformName, RegExp>> = {
  // Letters, digits, dots and underscores; a dot neither first, last nor doubled.
  instagram: /^(?!\.)(?!.*\.\.)[a-z0-9._]{1,30}(?<!\.)$/,
  // As on Instagram, and nicknames that are all digits exist; TikTok's own limit is 24, older accounts have more.
  tiktok: /^(?!\.)[a-z0-9._]{1,32}(?<!\.)$/,
};

/**
 * Trims, takes one leading `@` off, lower-cases. Says nothing about validity: see `isValidHandle`. The sign of the kelvin
 * stays: as a `k` it would make another handle.
 */
export function normaliseHandle(raw: string): string {
  const trimmed = raw.trim();
  const handle = trimmed.startsWith('@') ? trimmed.slice(1) : trimmed;
  return handle.replace(/[^\u212A]+/g, (text) => text.toLowerCase());
}

/** Whether a normalised handle could exist on the platform. */
export function isValidHandle(platform: PlatformName, handle: string): boolean {
  return SHAPES[platform].test(handle);
}

/** The normalised handle, or null when the text (a URL, say) cannot be a handle on the platform. */
export function parseHandle(platform: PlatformName, raw: string): string | null {
  const handle = normaliseHandle(raw);
  return isValidHandle(platform, handle) ? handle : null;
}
