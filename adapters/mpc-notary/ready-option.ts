/** On its own, so that checking a configuration loads nothing of the notary. */
import { z } from 'zod';

/** Sessions that are set up before they are needed. */
export const readySessions = z.int().min(0).max(64);
