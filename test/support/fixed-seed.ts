/**
 * Makes every run of the properties draw the same cases (`set-up.ts`), so that a red build comes from its change. A long
 * run draws others: `PROPERTY_SEED=$RANDOM`.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_261_122) });
