/** Turns JSON text into what the JMESPath library walks over. */

/**
 * Objects without the names of `Object.prototype`, so that the query `constructor` finds only a member of that name. The
 * library calls `hasOwnProperty` on them, hence this one.
 */
const bare: object = Object.create(null, { hasOwnProperty: { value: Object.prototype.hasOwnProperty } });

/** Has an enumerable member, so that the library takes it for true; becomes its digits again in JSON. */
const exactNumber: object = Object.create(bare, {
  toJSON: {
    value(this: { readonly digits: string }) {
      return JSON.rawJSON(this.digits);
    },
  },
});

/**
 * Parses `text`. An integer that a double cannot hold exactly becomes an object that is written with its own digits: it
 * passes through a query unharmed, and functions that want a number refuse it instead of rounding.
 */
export function parseDocument(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context) => {
    if (typeof value === 'number') return exact(value, context.source ?? '');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.setPrototypeOf(value, bare) as object;
  });
}

function exact(value: number, digits: string): unknown {
  if (Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))) return value;
  return Object.create(exactNumber, { digits: { value: digits, enumerable: true } }) as object;
}
