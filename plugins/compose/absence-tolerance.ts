import type { AbsenceTolerance } from '../../core/engagement/attempts/absence.ts';
import type { ResolvedConfig } from './config.ts';

/** What the configuration says about comments that are counted and cannot be read. */
export function absenceTolerance(verification: ResolvedConfig['verification']): AbsenceTolerance {
  return { count: verification.missingComments, share: verification.missingShare };
}
