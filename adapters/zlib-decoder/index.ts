export { createZlibContentDecoder } from './zlib-content-decoder.ts';
