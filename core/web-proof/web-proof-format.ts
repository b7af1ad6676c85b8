import { FORMAT_VERSION } from './tlsnotary/presentation.ts';

/** Formats of `data`; both have the same bytes: the second is what client-side provers write. */
export const PRESENTATION_VERSIONS = [FORMAT_VERSION, '2.0.0'] as const;

/** True when the data is hex digits in pairs; a batch tells this fault from data that is not a presentation. */
export function isHexData(data: string): boolean {
  return data.length % 2 === 0 && !/[^0-9a-fA-F]/.test(data);
}

/** A web proof as it travels. Declared apart from its schema, so that verifiers in browsers need no zod for their types. */
export interface WebProof {
  data: string;
  version: (typeof PRESENTATION_VERSIONS)[number];
  meta: {
    notaryUrl: string;
    websocketProxyUrl?: string | null | undefined;
    mode?: 'attesting' | 'blind' | undefined;
    warnings?: string[] | undefined;
  };
}
