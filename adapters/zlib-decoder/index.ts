export { createZlibContentDecoder, decompress } from './zlib-content-decoder.ts';
