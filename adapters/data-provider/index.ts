/** Instagram and TikTok as a paid data provider reads them, behind the `Platform` port. */
export { type DataProviderOptions, dataProviderKey, dataProviderOptionsSchema } from './options.ts';
export { createDataProviderPlatform } from './platform.ts';
