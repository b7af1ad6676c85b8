import { repeated } from '../../core/repeated.ts';
import { isClash } from './failures.ts';

const TRIES = 6;
const PAUSE_MS = 4;

/** Does work that may be repeated until no concurrent write crosses it; after some tries the last error stands. */
export const repeatOnClash = <T>(work: () => Promise<T>, isToRepeat = isClash, tries = TRIES): Promise<T> =>
  repeated(work, isToRepeat, tries, PAUSE_MS);
