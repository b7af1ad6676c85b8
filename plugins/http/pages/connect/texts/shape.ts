/** What every language has to say. */
import type { en } from './en.ts';

/** The name of a text. */
export type TextName = keyof typeof en;

/** All texts of one language; `{name}` is a placeholder of the same name as in English. */
export type ConnectTexts = Readonly<Record<TextName, string>>;
