/** What every worker needs before its first test file (`setupFiles`): vitest loads this file for each, and its imports once. */
import './direct-imports.ts';
import './fixed-seed.ts';
import './patience.ts';
