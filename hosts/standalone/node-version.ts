/** As `engines` in package.json says: older ones are not taken by all dependencies. */
const OLDEST = [22, 19] as const;

/** What to tell an operator whose Node.js is too old; undefined if it is not. */
export function nodeVersionRefusal(version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined;
  return `Credence needs Node.js ${OLDEST.join('.')} or newer, and this is ${version}: run the command with a newer Node.js.`;
}
