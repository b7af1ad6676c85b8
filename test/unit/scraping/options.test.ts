import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scrapingOptions, scrapingTransport } from '../../../adapters/scraping/options.ts';

const schema = z.strictObject(scrapingOptions);
const act = () => undefined;

describe('what an adapter is given to work with', () => {
  it('needs every method, and says which', () => {
    const logger = { debug: act, info: act, warn: act, error: act };
    expect(schema.safeParse({ logger }).success).toBe(true);
    for (const clock of [{}, null, 'now']) expect(schema.safeParse({ clock }).success).toBe(false);
    for (const missing of Object.keys(logger)) {
      const result = schema.safeParse({ logger: { ...logger, [missing]: undefined } });
      expect(result.error?.issues[0]?.message).toBe('expected an object with debug, info, warn, error');
    }
  });

  it('sends requests with a function, or an object that can also let connections go', () => {
    const transport = { send: act, forget: act, close: act };
    const fits = (value: unknown) => scrapingTransport.safeParse(value).success;
    expect([fits(act), fits(transport)]).toEqual([true, true]);
    for (const missing of Object.keys(transport)) expect(fits({ ...transport, [missing]: 1 })).toBe(false);
    expect([null, undefined, 'send', {}].map(fits)).toEqual([false, false, false, false]);
  });
});
