/** Sets an entry of a map that holds at most `most`. The entry becomes the newest; if there is one too many, the oldest is removed. */
export function keepNewest<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  // A map keeps the order of insertion.
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > most && !oldest.done) map.delete(oldest.value);
}

/** Makes a value once for each key, and remembers the `most` newest ones. What throws is not remembered. */
export function remembered<Key, Value>(make: (key: Key) => Value, most: number): (key: Key) => Value {
  const known = new Map<Key, Value>();
  let newest: { readonly key: Key; readonly value: Value } | undefined;
  return (key) => {
    // Often the one that was asked for last.
    if (newest !== undefined && newest.key === key) return newest.value;
    const value = known.get(key) ?? make(key);
    keepNewest(known, key, value, most);
    newest = { key, value };
    return value;
  };
}
