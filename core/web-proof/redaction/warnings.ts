/** What `prove` has to say about a redaction, in sentences. */

/** A warning about a rule begins with its place, `response.json_body: …`; these two are about what the rules did hide. */
const ABOUT_THE_HIDDEN = 'These ';

/** Headers that no rule names were hidden. */
export function hiddenToo(side: 'request' | 'response', headers: string): string {
  return `${ABOUT_THE_HIDDEN}${side} headers are hidden too, since they tell about what is hidden: ${headers}.`;
}

/** Short values stand elsewhere. */
export function alsoShown(values: string): string {
  return `${ABOUT_THE_HIDDEN}hidden values also appear in what is shown, maybe by chance: ${values}.`;
}

/**
 * Whether a warning says that a rule names what is not there, or what cannot be hidden. A warning that this version does not
 * know counts too.
 */
export function tellsOfIdleRule(warning: string): boolean {
  return !warning.startsWith(ABOUT_THE_HIDDEN);
}
