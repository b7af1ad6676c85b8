import { FORMAT_VERSION } from './tlsnotary/presentation.ts';

/** Formats of `data`; both have the same bytes: the second is what client-side provers write. */
export const PRESENTATION_VERSIONS = [FORMAT_VERSION, '2.0.0'] as const;

/** True when the data is hex digits in pairs; a batch tells this fault from data that is not a presentation. */
export function isHexData(data: string): boolean {
  return data.length % 2 === 0 && !/[^0-9a-fA-F]/.test(data);
}
