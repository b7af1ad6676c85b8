/** What the official APIs of platforms share: one reader for the posts of connected accounts, and careful reading of pushes. */
export type { Ask, OfficialDialect, Place } from './dialect.ts';
export { codeRefused, done, readExpiry, readToken } from './login.ts';
export { type OfficialAppOptions, officialOptions } from './options.ts';
export { changesOf, isSigned, readPushTime, readPushTree } from './push.ts';
export { createOfficialReader } from './reader.ts';
export { postGone, tokenRefused } from './refusals.ts';
