import { afterEach } from 'vitest';

/** A list of what to close after each test, the last first. */
export function closingAfterEach(): (() => unknown)[] {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  return closing;
}
