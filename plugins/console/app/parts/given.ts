/** What is set in a form, without empty lists and flags that are off; null if nothing is. */
export function given<Fields extends object>(fields: Fields): Partial<Fields> | null {
  const isEmpty = (value: unknown) =>
    value === undefined || value === false || (Array.isArray(value) && value.length === 0);
  const left = Object.entries(fields).filter(([, value]) => !isEmpty(value));
  return left.length === 0 ? null : (Object.fromEntries(left) as Partial<Fields>);
}
