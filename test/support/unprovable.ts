import { expect } from 'vitest';

/** That it is refused to prove or to verify, with a message like this. */
export const isUnprovable = (proving: Promise<unknown>, message: RegExp): Promise<void> =>
  expect(proving).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR', message: expect.stringMatching(message) });
