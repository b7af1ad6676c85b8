import { expect } from 'vitest';

/** What a refusal to prove or to verify looks like whose message matches. */
export const unprovable = (message: RegExp) => ({
  code: 'INTERNAL_SERVER_ERROR',
  message: expect.stringMatching(message),
});
