/**
 * What is almost the text: one character changed, wherever it stands, in case or for another; cut at either end, to any
 * length; lengthened. Each differs from the text; none has a space that the text has not.
 */
export function neighboursOf(text: string): readonly string[] {
  const places = Array.from(text, (_, index) => index);
  const changed = places.flatMap((index) => {
    const character = text.charAt(index);
    const swapped = character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();
    return [character === 'A' ? 'B' : 'A', swapped]
      .filter((other) => other !== character)
      .map((other) => text.slice(0, index) + other + text.slice(index + 1));
  });
  const cut = places.flatMap((index) => [text.slice(0, index), text.slice(index + 1)]);
  return [...new Set([...changed, ...cut, `${text}A`, `${text}=`, `A${text}`, text + text])];
}
