/** What the connect page says, in each of its languages. */
import type { Html } from '../../html.ts';
import { fillIn } from '../../html.ts';
import { de } from './de.ts';
import { type ConnectTexts, en, type TextName } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { pt } from './pt.ts';

/** By the language's code, which the page names as its `lang`. */
export const TEXTS = { en, de, es, fr, pt, ja } as const satisfies Readonly<Record<string, ConnectTexts>>;

/** A code of `TEXTS`. */
export type Language = keyof typeof TEXTS;

type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

/** The values that a text needs, as its English form names them. */
type Values<Name extends TextName> = Readonly<Record<Placeholder<(typeof en)[Name]>, string | number | Html>>;

/** Says a text in one language, with its values escaped. */
export type Say = <Name extends TextName>(
  name: Name,
  ...values: Placeholder<(typeof en)[Name]> extends never ? [] : [Values<Name>]
) => Html;

/** The texts of one language. */
export function sayIn(language: Language): Say {
  const texts: ConnectTexts = TEXTS[language];
  return (name, ...[values]) => fillIn(texts[name], values ?? {});
}
